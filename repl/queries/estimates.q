-- The widest estimates of the call tree (callgrind's --separate-callers=N measures them)
calltree depth ${DEPTH:=10} min ${MIN:=2%} | where estimated and hi - lo > ${WIDE:=0.1} * est
| add width = hi - lo | sort width | take ${N:=20}
| show fn, est, lo, hi, width
