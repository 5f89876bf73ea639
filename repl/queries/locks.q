-- Who takes locks and waits, how often, and what that costs
cost of $locks
callers of $locks depth ${DEPTH:=1} | where not recursive | take ${N:=20}
