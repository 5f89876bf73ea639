-- A gate for exact counts: no function PERCENT and MIN dearer than in base, all TOTAL percent
functions by ${EVENT:=Ir} vs ${BASE:=base}
| where delta% > ${PERCENT:=5} and delta > ${MIN:=10000} | sort delta | take ${N:=20}
| show fn, file:line, base, self, delta, delta%, change | expect none

functions by $EVENT vs $BASE | sum | expect delta% <= ${TOTAL:=2}
