#!/usr/bin/env python3
"""positions.t - where the lines of a run stand that was dumped while its calls were open.

Each pair of tests/fixtures/positions is one run, written by callgrind with positions as differences
and in full (tests/producers/positions.py): every table of the two is the same.
"""
import os
import sys

from e2e import done, fixtures, ok, quern, run, same, top

sys.path.insert(0, top + "/tests/producers")
sys.dont_write_bytecode = True
from positions import KEPT, differences, tables    # noqa: E402

for name in KEPT:
    pair = ["%s/positions/%s-%s.out.xz" % (fixtures, name, variant) for variant in ("yes", "no")]
    told = [tables(quern, path) for path in pair]
    ok(len(told[0]["lines"]) > 30 and len(told[0]["callsites"]) > 20, "%s has lines and calls" % name,
       told[0]["lines"])
    ok(not differences(*told), "%s: differences and full positions mean the same" % name,
       "\n".join(differences(*told)))

# Two static functions helper(), called from inlined code of h.h, dumped within them.
files = ["%s/found/callee-file/%s" % (fixtures, f) for f in ("cg.out", "cg.out.1", "cg.out.2")]


def rows(query):
    return run("-q", "--no-index-write", *files, "--format", "csv", "-c", query).text.splitlines()[1:]


same(sorted(rows('functions | where fn = "helper" | show file, self, calls')),
     ["/build/a.c,24,1", "/build/b.c,24,1"], "a callee without cfi= is in the file of the last cost line")
same(sorted(rows("lines of fa | show file, line, self")),
     ["/build/a.c,10,1", "/build/a.c,11,2", "/build/a.c,9,1", "/build/h.h,3,1"],
     "fi= in front of a call holds for that call alone")

# The line of a target is relative, its address is not: the line is another one wherever the base is.
with open("target.out", "w") as f:
    f.write("creator: callgrind-3.20.0\npositions: instr line\nevents: Ir\n")
    for i in range(200):
        f.write("fl=a.c\nfn=main\n0x1000 %d 1\nfn=f\ncfn=g\ncalls=1 0x10 +5\n0x20 7 100\n" % (100 if i == 150 else 900))
same(run("target.out", "-q", "--format", "csv", "-c", "functions of g | show line").text.split(), ["line", "105"], "the lowest line of a target")
done()
