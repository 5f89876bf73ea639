-- Functions of which one activation costs far more than is usual (Xdebug's profiles)
-- `slowest 3 activations of FN | why` says what the slow ones have that the usual ones have not.
functions of ${OF:=/./} | where not recursive and calls >= ${CALLS:=10} and slowest >= ${TIMES:=10} * usual
| sort slowest | take ${N:=20} | show fn, calls, usual, slowest, incl
