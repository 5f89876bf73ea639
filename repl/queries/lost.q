-- Memory that nothing points to any more, and who allocated it (--xtree-leak=yes)
hide $alloc | functions by DB | where self > 0 | sort self | take ${N:=20}
| show fn, file:line, self, self%, DBk as blocks
