-- Who allocates and frees memory, how often, and what that costs
cost of $alloc
callers of $allocations | where not recursive | sum | show calls as allocations
callers of $alloc depth ${DEPTH:=1} | where not recursive | take ${N:=20}
