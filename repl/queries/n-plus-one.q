-- Callees that one line calls many times in each call of its function (N+1 queries)
-- TO is a regular expression for the callee: .run n-plus-one TO=find|query
callsites | where calls >= ${CALLS:=100} and calls >= ${EACH:=10} * caller_calls
| where callee ~ /${TO:=.}/
| add each = calls / caller_calls
| sort incl | take ${N:=20}
| show caller, callee, file, line, calls, each, incl, incl%
