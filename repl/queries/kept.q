-- Memory that is still held at the end, and who allocated it (--xtree-memory=full)
functions by curB | where self > 0 | sort self | take ${N:=20}
| show fn, file:line, self, self%, curBk as blocks
