-- Functions of which one activation costs far more than is usual (Xdebug's profiles)
-- `activations of FN | sort incl | take 5` lists the slow ones.
activations of ${OF:=/./} | where not recursive
| group by fn: count as calls, median(incl) as usual, max(incl) as slowest, sum(incl) as incl
| where calls >= ${CALLS:=10} and slowest >= ${TIMES:=10} * usual
| sort slowest | take ${N:=20}
