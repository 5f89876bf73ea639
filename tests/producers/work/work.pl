use strict; use warnings;
package Shape; sub new { my ($c,$v)=@_; bless {v=>$v}, $c } sub area { my $s=shift; $s->{v}**2 }
package main;
sub fib { my $n=shift; $n<2 ? $n : fib($n-1)+fib($n-2) }
sub even { my $n=shift; $n==0 ? 1 : odd($n-1) } sub odd { my $n=shift; $n==0 ? 0 : even($n-1) }
sub work { my $t=0; for my $i (1..200) { $t += Shape->new($i)->area } $t }
my $anon = sub { join ",", map { $_*2 } @_ };
sub run { fib(12); even(20); work(); $anon->(1..50); eval "sub dyn { 1 } dyn();" }
run();
