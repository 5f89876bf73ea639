-- The program by layers: cost of each object (BY=file, class, dir), and calls between them
collapse by ${BY:=object} | functions | sort self | take ${N:=20}
| show fn as layer, self, self%, incl, incl%

collapse by $BY | calls | where caller_id != callee_id | sort incl | take $N
| show caller, callee, calls, incl, incl%
