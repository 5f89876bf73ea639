-- Functions and lines with most mispredicted branches, and their rates
-- Apart from the start of the process (OF=/./: with it).
functions of ${OF:=not $start} | where Bcm + Bim >= ${MIN:=10}
| sort Bcm + Bim | take ${N:=20}
| show fn, file:line, Bc, Bcm, Bcm / Bc as rate, Bi, Bim, Bim / Bi as indirect

lines of $OF | where Bcm + Bim >= $MIN
| sort Bcm + Bim | take $N
| show file:line, fn, Bc, Bcm, Bcm / Bc as rate, Bi, Bim
