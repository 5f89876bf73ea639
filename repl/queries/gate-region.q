-- A gate for a benchmark: at least PERCENT % of its cost is the code meant (OF)
-- OF is a set, by default the object that the command starts, with all that it calls.  What
-- else there is comes before.
ignore ${OF:=$program} | whole | functions | where self > 0 | sort self | take ${N:=10}
| show fn, obj, self, self%

cost of $OF | show incl, est, est%, lo, hi, exact | expect est% >= ${PERCENT:=90}
