-- Functions that call themselves, and cycles: functions that call each other
functions | where recursive | sort incl | take ${N:=20}
| show fn, file, calls, self, incl

cycles | take $N
