-- A gate for times: medians of several runs (FILES base='FILES'), which must not overlap
functions by ${EVENT:=Time} vs ${BASE:=base} | sum each | expect delta% <= ${TOTAL:=10}

functions by $EVENT vs $BASE
| where (not noise and median > (1 + ${PERCENT:=10} / 100) * base_median
	and median - base_median > ${MIN:=0})
| sort delta | show fn, file:line, base_median, median, least, most, delta%, change
| expect none | take ${N:=20}
