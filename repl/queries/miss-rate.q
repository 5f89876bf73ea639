-- Functions and lines with most misses of the first data cache, and their rates
-- MIN hides those with few accesses, whose rates say little; apart from the start of the process (OF=/./: with it).
functions of ${OF:=not $start} | where Dr + Dw >= ${MIN:=1000} and D1mr + D1mw > 0
| sort D1mr + D1mw | take ${N:=20}
| show fn, file:line, Dr + Dw as accesses, D1mr + D1mw as D1miss,
	(D1mr + D1mw) / (Dr + Dw) as D1rate, DLmr + DLmw as LLmiss,
	(DLmr + DLmw) / (Dr + Dw) as LLrate

lines of $OF | where Dr + Dw >= $MIN and D1mr + D1mw > 0
| sort D1mr + D1mw | take $N
| show file:line, fn, Dr + Dw as accesses, D1mr, D1mw, (D1mr + D1mw) / (Dr + Dw) as D1rate,
	DLmr + DLmw as LLmiss
