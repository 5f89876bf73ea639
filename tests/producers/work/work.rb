class Shape
  def initialize(v) @v=v end
  def area; @v**2 end
end
def fib(n) n<2 ? n : fib(n-1)+fib(n-2) end
def even(n) n==0 ? true : odd(n-1) end
def odd(n) n==0 ? false : even(n-1) end
def work; (1..200).sum { |i| Shape.new(i).area } end
def main; fib(14); even(20); work; [3,1,2].sort_by { |x| -x }; end
