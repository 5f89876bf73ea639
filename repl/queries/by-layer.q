-- The program by layers: each object, or namespace, package or module; and calls between them
-- BY=object, file, class or dir: by these.
collapse by ${BY:=layer} | functions | sort self | take ${N:=20}
| show fn as layer, self, self%, incl, incl%

collapse by $BY | calls | where caller_id != callee_id | sort incl | take $N
| show caller, callee, calls, incl, incl%
