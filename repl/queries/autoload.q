-- What loading code costs (autoloaders, import, require), and who triggers it
cost of $autoload | show self, incl, est, est%, lo, hi, exact
callers of $autoload depth ${DEPTH:=1} | where not recursive | take ${N:=20}
