-- Functions that the profile `base` does not have, and those that only it has
functions vs ${BASE:=base} | where change = "new" | sort self | take ${N:=20}
| show fn, file:line, self, incl, calls

functions vs $BASE | where change = "gone" | sort base | take $N
| show fn, file, base
