-- Callees that one line calls many times in each call of its function (N+1 queries)
-- TO is a regular expression for the callee: .run n-plus-one TO=find|query
-- Without the start of the process, and the loops of interpreters and compilers over
-- instructions and passes.  Loops inside of recursion come last.
callsites from not $start to not $start
| where calls >= ${CALLS:=100} and calls >= ${EACH:=10} * caller_calls
| where callee ~ /${TO:=.}/ and callee !~ /^execute_(?:one_pass|pass_list)/
| where caller !~ /^(?:Perl_runops_\w+|luaV_execute|sqlite3VdbeExec|_PyEval_EvalFrame\w*|execute_ex|(?:rb_)?vm_exec\w*|TclNRRunCallbacks|TEBCresume)\b/
| add each = calls / caller_calls
| sort recursive asc, incl | take ${N:=20}
| show caller, callee, file, line, calls, each, incl, incl%, recursive
