-- What became more expensive than in the profile `base` (open it: base=FILE)
info vs ${BASE:=base}
functions vs $BASE | where delta > ${MIN:=0} | sort delta | take ${N:=20}
| show fn, base, self, delta, delta%, delta_incl, change
