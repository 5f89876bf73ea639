-- Memory that was allocated in all, and by whom (--xtree-memory=full)
functions by totB | where self > 0 | sort self | take ${N:=20}
| show fn, file:line, self, self%, totBk as blocks, self / totBk as each
