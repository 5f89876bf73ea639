-- Functions that call themselves, and cycles: functions that call each other
calls | where caller_id = callee_id | sort calls | take ${N:=20}
| show caller as fn, caller_file as file, calls, incl

cycles | take $N
