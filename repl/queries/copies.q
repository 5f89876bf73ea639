-- Who copies memory and objects, how often, and what that costs
cost of $copies
callers of $copies depth ${DEPTH:=1} | where not recursive | take ${N:=20}
