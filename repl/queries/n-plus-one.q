-- Callees that one line calls many times in each call of its function (N+1 queries)
-- TO chooses among the callees: .run n-plus-one TO=file:/Repo/
callsites to ${TO:=/./}
| where calls >= ${CALLS:=100} and calls >= ${EACH:=10} * caller_calls
| add each = calls / caller_calls
| sort incl | take ${N:=20}
| show caller, callee, file, line, calls, each, incl, incl%
