-- What the start of the process costs (dynamic linker, boot), apart from the program
cost of $start | show self, incl, est, est%, lo, hi, exact
functions of $start | sort incl | take ${N:=20} | show fn, obj, calls, self, incl, incl%
