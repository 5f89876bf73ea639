-- A gate for calls, of allocators unless OF names others: not PERCENT more than in base
functions of ${OF:=/^(malloc|calloc|realloc|reallocarray|memalign|aligned_alloc|posix_memalign|runtime\.mallocgc)(@|$)/} vs ${BASE:=base}
| where calls_delta > 0 | sort calls_delta
| show fn, file:line, base_calls, calls, calls_delta, calls_delta% | take ${N:=20}

functions of $OF vs $BASE | group by "all": sum(base_calls) as base_calls, sum(calls) as calls
| expect calls <= base_calls * (1 + ${PERCENT:=2} / 100)
