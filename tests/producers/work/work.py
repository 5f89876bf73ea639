import re, json
def fib(n): return n if n < 2 else fib(n-1)+fib(n-2)
def even(n): return True if n == 0 else odd(n-1)
def odd(n): return False if n == 0 else even(n-1)
class A:
    def run(self, k):
        return sum(self.f(i) for i in range(k))
    def f(self, i): return len(str(i*i))
def main():
    fib(12); even(20); A().run(200)
    json.loads(json.dumps({"a": [1,2,3]})); re.sub("a+", "b", "caaat")
    sorted([3,1,2], key=lambda v: -v)
if __name__ == "__main__": main()
