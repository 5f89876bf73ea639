-- A gate for calls, of allocators unless OF names others: not PERCENT more than in base
functions of ${OF:=$allocations} vs ${BASE:=base}
| where calls_delta > 0 | sort calls_delta
| show fn, file:line, base_calls, calls, calls_delta, calls_delta% | take ${N:=20}

-- From elsewhere: operator new and the malloc that it calls are one. Then all.
calls from not ($OF) to $OF vs $BASE | group by "all" each: sum(base_calls) as base_calls, sum(calls) as calls
| expect calls <= base_calls * (1 + ${PERCENT:=2} / 100)
functions of $OF vs $BASE | group by "all" each: sum(base_calls) as base_calls, sum(calls) as calls
| expect calls <= base_calls * (1 + $PERCENT / 100)
