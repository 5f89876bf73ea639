-- Costly functions of few calls: what is compiled, loaded or prepared (keep it, or avoid it)
-- Without those that pass the cost on: to a callee of one call, or, of more than half of the
-- program, to several; and without where programs and scripts are entered.
functions of not $start | where calls >= 1 and calls <= ${CALLS:=20} and not recursive
| where incl% >= ${LEAST:=5} and incl% <= ${MOST:=90} and self% < 20
| where passed_most < 0.5 * incl and (incl% <= 50 or passed < 0.5 * incl)
| where fn !~ /^(?:\{main\}|\(below main\)|_?start_thread|clone3?|__libc_start\w+|<module>.*|(?:\w+(?:\.|::))*main(?:\(.*\))?)$/
| where fn !~ /^(?:perl_run|Tcl_Main\w*|zend_execute_scripts|php_execute_script|Py\w*_?Run\w*|_?PyEval_\w+|pymain_\w+|run_mod|execute_(?:one_pass|pass_list)(?:\(.*\))?)$/
| add each = incl / calls
| sort incl | take ${N:=20}
| show fn, file:line, calls, each, incl, incl%, self%
