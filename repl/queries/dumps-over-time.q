-- The cost over time, dump by dump: of the program, or of a function (OF=NAME COST=incoming)
parts of ${OF:=/./} | take ${N:=100}
| show part, thread, ${COST:=self}, calls, spark, trigger, time_range
