#!/usr/bin/env python3
"""callers.t - a function is one row, whatever callgrind keeps of its callers.

tests/fixtures/callers has one program, run plainly and with --separate-callers: what is asked about
functions has the same answers. Names of other languages with "'" in them stay whole.
"""
import json
import shutil

from e2e import done, fixtures, ok, run, same

NAMES = ["(below main)", "M.loop'2", "again", "even", "fact", "first", "go'_info", "leaf", "odd",
         "pkg__wrap'elab", "second", "spend", "walk"]
EXACT = ["functions | sort fn asc | show fn, self, calls, line, file, obj", "functions | count",
         "lines | sort fn asc, line asc | show fn, line, self",
         "calls | sort caller asc, callee asc | show caller, callee, calls, incl, recursive",
         "cycles | show functions, self, calls, incl", "files | show name, functions, self, incl",
         "info | show functions, edges, cycles, total.Ir", "parts | show functions, self",
         "find fact | show fn, self", "info walk | show fn, calls, self.Ir",
         "callsites | sort caller asc, callee asc, line asc | show caller, callee, line, calls, incl"]


def ask(name, query):
    r = run("%s/callers/%s.out" % (fixtures, name), "--index", name + ".quern", "-q", "-c", query + " | as json")
    if not ok(r.status == 0, "%s: %s" % (name, query), r):
        return []
    found = json.loads(r.text)
    return [dict(zip(found["columns"], row)) for row in found["rows"]]


def incl(name):
    return {row["fn"]: row for row in ask(name, "functions | show fn, incl, lo, hi, estimated")}


same([row["fn"] for row in ask("plain", "functions | sort fn asc | show fn")], NAMES, "names stay whole")
plain = incl("plain")
ok(not any(row["estimated"] for row in plain.values()), "levels make inclusive costs exact")
for name in ("callers1", "callers3", "leaf2", "recs1"):
    for query in EXACT:
        same(ask(name, query), ask("plain", query), "%s: as the plain run: %s" % (name, query))
    got = incl(name)
    ok(all(row["lo"] <= plain[fn]["incl"] <= row["hi"] and (row["estimated"] or row["incl"] == plain[fn]["incl"])
           for fn, row in got.items()), name + ": inclusive costs are the plain run's, or between bounds", got)
    for query in ("calltree from first", "calltree to spend", "callees of walk depth 3", "path from second to leaf"):
        names = {row["fn"] for row in ask(name, query)} - {"(other)"}
        ok(names and names <= set(NAMES), "%s: frames have plain names: %s" % (name, query), names)

# ---- the rows as recorded, and names of them ----
recorded = ask("callers3", "contexts | functions | show id, fn, self")
same(len(recorded), 83, "contexts | functions has a row for each context")
same(sum(row["self"] for row in recorded), sum(row["self"] for row in ask("plain", "functions | show self")),
     "and the same cost")
same(len(ask("callers3", "contexts of leaf")), len([r for r in recorded if r["fn"].startswith("leaf'")]),
     "contexts of f are its own")
r = run(fixtures + "/callers/callers3.out", "--index", "callers3.quern", "-q", "-c",
        "functions | where fn = \"leaf'walk'again'walk\" | show fn, self | as csv | expect some")
same(r.text, "fn,self\nleaf,2800\n", "where with a context's name means its function")
ok(r.status == 0 and "leaf'walk'again'walk is a context of leaf" in r.talk, "and says so", r)
r = run(fixtures + "/callers/callers3.out", "--index", "callers3.quern", "-q", "-c",
        "functions of \"leaf'walk'again'walk\" | show fn, self | as csv")
same(r.text, "fn,self\nleaf,2800\n", "and so does a set")
for left, right in ("plain", "callers3"), ("callers1", "plain"):
    for name in left, right:
        shutil.copy("%s/callers/%s.out" % (fixtures, name), name + "-copy.out")
    r = run("new=%s-copy.out" % left, "base=%s-copy.out" % right, "-q", "-c",
            "functions vs base | where delta != 0 or change != \"\" | expect none")
    ok(r.status == 0, "%s vs %s: the same" % (left, right), r)
# A call that cost nothing is a row of its cycle's callers in several parts, too.
with open("zero.cg", "w") as f:
    cycle = "fn=f\n2 7\ncfn=g\ncalls=1 3\n2 9\n\nfn=g\n3 4\ncfn=f\ncalls=1 2\n3 5\n\n"
    f.write("events: Ir\npart: 1\nfn=main\n1 5\ncfn=f\ncalls=1 2\n1 0\n\n%spart: 2\nfn=other\n4 1\ncfn=f\ncalls=2 2\n4 20\n\n%s" % (cycle, cycle))
r = run("zero.cg", "-q", "-c", "callers of f | show fn, calls, incl | as csv")
same(r.text.splitlines()[1:], ["other,2,20", "g,2,10", "main,1,0"], "a call of cost 0 from outside of a cycle")
done()
