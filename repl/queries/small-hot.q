-- Small functions that are called very often: their cost per call (inline or batch them)
-- Apart from the start of the process (OF=/./: with it).
functions of ${OF:=not $start} | where calls >= ${CALLS:=1000} and self <= ${COST:=50} * calls
| add per_call = self / calls
| sort self | take ${N:=20}
| show fn, file:line, calls, per_call, self, self%
