<?php
require_once __DIR__ . '/helpers.php';
abstract class Shape {
	function __construct(protected float $v) {}
	abstract function area(): float;
	static function of(float $v): Shape { return new class($v) extends Shape {
		function area(): float { return square($this->v); }
	}; }
}
class Box extends Shape { function area(): float { return square($this->v) * 2; } }
function fib(int $n): int { return $n < 2 ? $n : fib($n - 1) + fib($n - 2); }
function even(int $n): bool { return $n == 0 ? true : odd($n - 1); }
function odd(int $n): bool { return $n == 0 ? false : even($n - 1); }
function run(): float {
	$sum = 0;
	for ($i = 0; $i < 20; $i++) {
		$sum += (new Box($i))->area() + Shape::of($i)->area();
	}
	return $sum + array_sum(array_map(fn($x) => $x * 2, range(1, 10)));
}
fib(7);
even(9);
run();
