"""Python's cProfile through every converter that is here: pyprof2calltree, and lsprofcalltree
as Mercurial, Breezy and django-extensions carry it; beside pstats of the same run."""
import json
import re

from producer import Skip, version

# One run in the converter's own Python: the profile to FILE, what getstats() says to stdout.
RUN = r"""
import cProfile, itertools, json, sys
sys.path.insert(0, ".")
import work
# A clock that adds a millisecond each time it is looked at: costs that are not 0.
profiler = cProfile.Profile(itertools.count().__next__, 0.001)
profiler.runcall(work.main)
%s
told = {}
for e in profiler.getstats():
    name = label(e.code)
    was = told.get(name, [0, 0, 0])
    calls = sum(c.callcount for f in profiler.getstats() for c in f.calls or [] if label(c.code) == name)
    told[name] = [was[0] + cost(e.inlinetime), calls, cost(e.totaltime)]
print(json.dumps(told))
"""
# name, module, Debian package, event, statements: write FILE, define label() and cost().
WAYS = [
    ("pyprof2calltree", "pyprof2calltree", "pyprof2calltree", "ns", r"""
import pyprof2calltree
converter = pyprof2calltree.CalltreeConverter(profiler.getstats())
with open("FILE", "w") as f:
    converter.output(f)
label = converter.munged_function_name
cost = lambda s: int(s * 1e9)
"""),
    ("hg-lsprofcalltree", "mercurial.lsprofcalltree", "mercurial", "Ticks", r"""
from mercurial import lsprofcalltree
with open("FILE", "wb") as f:
    lsprofcalltree.KCacheGrind(profiler).output(f)
label = lambda code: lsprofcalltree.label(code).decode()
cost = lambda s: int(s * 1000)
"""),
    ("brz-lsprof", "breezy.lsprof", "brz", "Ticks", r"""
from breezy import lsprof
lsprof.Stats(profiler.getstats(), {}).save("FILE", "callgrind")
label = lambda code: lsprof.label(code, True)
cost = lambda s: int(s * 1000)
"""),
    ("django-extensions", "django_extensions",
     "python3-django-extensions", "Ticks", r"""
from django.conf import settings
settings.configure()
from django_extensions.management.commands.runprofileserver import KCacheGrind
with open("FILE", "w") as f:
    KCacheGrind(profiler).output(f)
label = lambda code: code if isinstance(code, str) else code.co_name
cost = lambda s: int(s * 1000)
"""),
]


def command_line(box, name, program, package, argv):
    """The real command, with real costs; its own sum is the report: none has a text one."""
    try:
        box.need(program, package)
        out = box.path(name + ".callgrind")
        box.shell(argv % out, env={"PATH": "/usr/bin:/bin"})
    except Skip as why:
        box.skip(name, str(why))
        return
    self_sum, call = 0, False
    with open(out, errors="surrogateescape") as f:
        for line in f:
            cost = re.match(r"\d+ +(\d+)$", line)
            if cost and not call:
                self_sum += int(cost[1])
            call = line.startswith("calls=")
    box.add(out, argv % "FILE", "cost lines added up", {"Ticks": self_sum})


def make(box):
    box.source("work.py")
    for name, module, package, event, write in WAYS:
        file = name + ".callgrind"
        try:
            python = box.python(module, package)
            script = RUN % write.replace("FILE", file)
            said = box.run(python, "-c", script)
            told = json.loads(said.strip().splitlines()[-1])
        except Skip as why:
            box.skip(name, str(why))
            continue
        box.add(box.path(file), "cProfile, " + module, "getstats()",
                {event: sum(t[0] for t in told.values())}, within=1 if event == "ns" else 0,
                selfs={n: t[0] for n, t in told.items()},
                calls={n: t[1] for n, t in told.items()})
    command_line(box, "hg", "hg", "mercurial",
                 "HGRCPATH= hg version --profile --config profiling.type=ls "
                 "--config profiling.format=kcachegrind 2>%s")
    command_line(box, "brz", "brz", "brz", "brz --lsprof-file %s version")
    return version(box.run("python3", "--version"))
