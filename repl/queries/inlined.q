-- What is inlined into functions, by its name or file, as far as the profile tells
top ${N:=20} inlined
