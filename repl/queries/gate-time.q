-- A gate for times: medians of several runs (FILES base='FILES'), which must not overlap
functions by ${EVENT:=Time} vs ${BASE:=base}
| where (not noise and median > (1 + ${PERCENT:=10} / 100) * base_median
	and median - base_median > ${MIN:=0})
| sort delta | take ${N:=20}
| show fn, file:line, base_median, median, least, most, delta%, change | expect none

functions by $EVENT vs $BASE | sum | expect delta% <= ${TOTAL:=10}
