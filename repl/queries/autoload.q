-- What loading code costs (autoloaders, import, require), and who triggers it
cost of $autoload
callers of $autoload depth ${DEPTH:=1} | where not recursive | take ${N:=20}
