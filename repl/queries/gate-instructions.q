-- A gate for exact counts: base plus at most TOTAL %; functions by PERCENT, MIN, SHARE
functions by ${EVENT:=Ir} vs ${BASE:=base} | sum each | expect delta% <= ${TOTAL:=2}

-- A new function is no loss where the whole became cheaper by more than it costs, unless it
-- may be one that is not new.
functions by $EVENT vs $BASE
| where (delta% > ${PERCENT:=5} and delta > ${MIN:=10000} and growth% > ${SHARE:=0.25}
	and (change != "new" or unsure or growth% > -total_delta%))
| sort delta | show fn, file:line, base, self, delta, delta%, change
| expect none | take ${N:=20}
