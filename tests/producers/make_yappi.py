"""yappi's callgrind output, beside its own statistics of the same run."""
import json

from producer import version

RUN = r"""
import json, sys, yappi
sys.path.insert(0, ".")
import work
yappi.set_clock_type("CPU")
yappi.start(builtins=%s)
work.main()
yappi.stop()
stats = yappi.get_func_stats()
stats.save("FILE", "CALLGRIND")
told = {}
for s in stats:
    name = "%%s %%s:%%s" %% (s.name, s.module, s.lineno)    # as it writes it
    was = told.get(name, [0, 0])
    told[name] = [was[0] + int(s.tsub * 1e6), was[1] + sum(
        c.ncall for f in stats for c in f.children if c.index == s.index)]
print(json.dumps([told, yappi.__file__]))
"""


def make(box):
    python = box.python("yappi", "python3-yappi")
    box.source("work.py")
    for builtins in (False, True):
        file = "yappi-builtins.callgrind" if builtins else "yappi.callgrind"
        told, _ = json.loads(box.run(python, "-c", (RUN % builtins).replace("FILE", file)))
        box.add(box.path(file), "yappi, builtins=%s" % builtins, "get_func_stats()",
                {"Ticks": sum(t[0] for t in told.values())},
                selfs={n: t[0] for n, t in told.items()},
                calls={n: t[1] for n, t in told.items()})
    return version(box.run(python, "-c", "import importlib.metadata as m; print(m.version('yappi'))"))
