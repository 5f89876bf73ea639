#!/usr/bin/env python3
"""paths.t - paths and attribution on real profiles and on a large generated one.

Whatever the graph: lo <= est <= hi, every step is a call edge that costs at least as much as hi,
paths come in their order, touch from and to at their ends only, and with all of them listed
their estimates add up to `cost of`, or less where functions call each other in circles: a path
has no function twice.  What a single path really costs is unit/simulate_test.c's.
"""
import glob
import json
import os
import re
import shutil
import subprocess

from e2e import done, environ, fixtures, ok, run, same, skip, small, top

gen = os.environ.get("QUERN_BUILD", top + "/build/release") + "/bench/gen"
shared = top + "/../shared/profiles/small/"
REAL = [(small + "lua-default.out", "main", "malloc"), (small + "lua-instr-jumps.out", "main", "luaM_realloc_"),
        (small + "tmpl-default.out", "main", "malloc"), (small + "tmpl-nodemangle.out", "main", '"operator new(unsigned long)"'),
        (small + "thr-septhreads-combine-bb.out", "main", "malloc"), (small + "mutual-default.out", "main", "malloc"),
        (small + "xdebug-small.out", "{main}", "php::*"), (small + "gopprof-cpu.callgrind", "main.main", "runtime.mallocgc"),
        (small + "pyprof2calltree.callgrind", "<module>", "*append*"), (small + "weird-default.out", "main", "malloc")]


def ask(path, query):
    recorded = "" if "xdebug" in path else "contexts | "      # a row of callgrind's is on a path once
    r = run(path, "-q", "--format", "ndjson", "-c", recorded + query)
    if r.status not in (0, 6):
        return None, r
    return [json.loads(line) for line in r.text.splitlines()], r


def split(rows):
    paths = {}
    for row in rows:
        paths.setdefault(row["path"], []).append(row)
    return list(paths.values())


def wrong_path(steps, edges, ends):
    """Why this is no path, or None."""
    last = steps[-1]
    if last["lo"] is not None and not last["lo"] <= last["est"] <= last["hi"]:
        return "lo %(lo)s est %(est)s hi %(hi)s" % last
    if [s["step"] for s in steps] != list(range(len(steps))):
        return "steps are missing"
    if len({s["id"] for s in steps}) != len(steps):
        return "a function twice"
    if any(s["id"] in ends for s in steps[1:-1]):
        return "an end in between"
    for a, b in zip(steps, steps[1:]):
        if (a["id"], b["id"]) not in edges:
            return "no call from %s to %s" % (a["fn"], b["fn"])
        if last["hi"] is not None and edges[a["id"], b["id"]] < last["hi"]:
            return "hi is more than the call from %s to %s" % (a["fn"], b["fn"])
    return None


def check(path, a, b, most):
    name = os.path.basename(path)
    if not os.path.exists(path):
        return skip("%s: from %s to %s" % (name, a, b), "not there")
    local = shutil.copy(path, name) if os.path.dirname(path) else path
    edges = {(c["caller_id"], c["callee_id"]): c["incl"] for c in ask(local, "calls")[0]}
    if "xdebug" in name:        # rounds each call line for itself; paths are sums of the blocks' own costs
        edges = {calls: incl + incl // 100 + 100 for calls, incl in edges.items()}
    cycles = ask(local, "cycles")[0] or ask(local, "calls | where caller_id = callee_id")[0]
    found = ask(local, "functions of %s or %s" % (a, b))[0]
    if found is None and not most:
        return skip("%s: from %s to %s" % (name, a, b), "it has no such functions")
    ends = {f["id"] for f in found}
    for kind in ("hottest 3", "widest 3", "shortest 3", "all"):
        rows, r = ask(local, "%s paths from %s to %s%s" % (kind, a, b, " depth 6" if kind == "all" else ""))
        paths = split(rows or [])
        why = [w for w in (wrong_path(p, edges, ends) for p in paths) if w]
        value = {"hottest 3": lambda p: -p[-1]["est"], "widest 3": lambda p: -min(s["incl"] for s in p[1:]),
                 "shortest 3": len, "all": lambda p: 0}[kind]
        order = [value(p) for p in paths]
        ok(rows is not None and not why and order == sorted(order) and (paths or not most or kind == "all"),
           "%s: %s from %s to %s: %d paths" % (name, kind, a, b, len(paths)), "%s\n%s\n%s" % (why, order, r))
    (cost,), r = ask(local, "cost of (%s) under (%s)" % (b, a))
    ok(cost["lo"] is None or cost["lo"] <= cost["est"] <= cost["hi"] and (not cost["exact"] or cost["lo"] == cost["hi"]),
       "%s: cost of %s under %s" % (name, b, a), cost)
    rows, r = ask(local, "all paths from %s to %s depth 60" % (a, b))
    paths = split(rows)
    if r.status == 0:
        total = sum(p[-1]["est"] for p in paths)
        ok(total - cost["est"] <= len(paths) and (cycles or cost["est"] - total <= len(paths)), "%s: its %d paths add up to it" % (name, len(paths)),
           "%d, not %d" % (total, cost["est"]))


for path, a, b in REAL:
    check(path, a, b, True)
for path in sorted(glob.glob(shared + "mutual-*.out"))[:4]:
    check(path, "main", "malloc", False)
if not os.path.isdir(shared):
    skip("the profiles beside the checkout", "../shared is not there")
if os.path.exists(gen):
    n = 100000 if os.environ.get("QUERN_TORTURE") else 4000
    subprocess.run([gen, "--functions", str(n), "--edges", "10", "--bytes", "1M", "-o", "large.out"], check=True, env=environ)
    (hot,), r = ask("large.out", "functions | where calls > 0 | sort self | take 1 | show id")
    check("large.out", "main", "#%d" % hot["id"], True)
else:
    skip("a large generated profile", "bench/gen is not built")
# What is avoided where no way passes is noted, and only there is the answer the same in any case.
for name, query, names in (("tmpl-cachebranch", "cost of malloc under main", ("free", "operator new(unsigned long)", "_dl_start")),
                           ("lua-default", "calltree from luaH_get", ("main", "luaH_getshortstr", "luaH_getint")),
                           ("tmpl-cachebranch", "path from main to malloc", ("free", "operator new(unsigned long)")),
                           ("xdebug-small", "calltree from build", ("{main}", "php::usort", "php::array_map"))):
    for avoided in names:
        at = [small + name + ".out", "-q", "--no-index-write", "--no-init", "--format", "csv"]
        show = " | show est, lo, hi" if query.startswith("cost") else ""
        r = run(*at, "-c", '%s avoiding "%s"%s' % (query, avoided, show))
        if "no function" in r.talk:
            continue
        noted = "no way here passes what is avoided" in r.talk
        same(r.text == run(*at, "-c", query + show).text, noted, "%s avoiding %s: the same answer has a note" % (query, avoided))
r = run(small + "lua-default.out", "-q", "--no-index-write", "--no-init", "-c", "functions of memcpy, strlen, memset")
same(re.findall("note: .* is also .*", r.talk), ['note: memcpy is also __memcpy_avx_unaligned_erms, strlen __strlen_avx2, '
                                                 'memset __memset_avx2_unaligned_erms; alone: "memcpy"'], "one note of the names that the loader chose")
with open("separate.out", "w", encoding="utf-8") as f:
    f.write("events: Ir\nfn=memcpy\n1 1\n" + "".join("fn=__memcpy_avx_unaligned'%s'main\n1 %d\nfn=%s'main\n2 5\ncfn=__memcpy_avx_unaligned'%s'main\ncalls=1 1\n2 %d\n"
                                                  % (c, own, c, c, own) for c, own in (("a", 10), ("b", 20), ("c", 30))))
r = run("separate.out", "-q", "--no-index-write", "-c", "cost of memcpy")
same(re.findall("note: (.* is also .*)", r.talk), ['memcpy is also __memcpy_avx_unaligned; alone: "memcpy"'], "  and one of its contexts")

# ---- entered again below `via`: main calls f, f calls g, g calls f'2
for query, want in (("via g", 100), ("via g by Dr", 40), ("under g", 100)):
    answer = json.loads(run(fixtures + "/found/via.cg", "-q", "--no-index-write", "--format", "ndjson", "-c", "cost of f " + query).text)
    same([answer[c] for c in ("est", "lo", "hi", "exact")], [want, want, want, True], "cost of f %s: its second level" % query)

# ---- a cycle that is entered from one place: all of it is below that
path = small + "mutual-default.out"
costs = [json.loads(run(path, "-q", "--no-index-write", "--format", "ndjson", "-c", q).text)
         for q in ('cost of c under "(below main)"', 'focus "(below main)" | functions of c | show incl, estimated', "functions of c")]
same((costs[0]["est"], costs[0]["lo"], costs[0]["hi"], costs[0]["exact"], costs[1]["incl"], costs[1]["estimated"]), (costs[2]["incl"],) * 3 + (True, costs[2]["incl"], False),
     "cost under all of its callers: what it costs, as focus says")

# ---- a column about all events, behind a stage
with open("cycle.cg", "w") as f:
    f.write("events: Ir Dr\nfl=a.c\nfn=main\n1 1 1\ncfn=f\ncalls=1 1\n2 60 30\nfn=f\n3 10 10\ncfn=g\ncalls=3 1\n4 80 40\nfn=g\n5 49 19\ncfn=f\ncalls=2 1\n6 40 20\n")
same([run("cycle.cg", "-q", "--no-index-write", "--format", "csv", "-c", stage + "functions of f, g | sort fn asc | show fn, inexact").text.replace("\r", "")
      for stage in ("", "collapse main as m | ")], ["fn,inexact\nf,false\ng,true\n"] * 2, "inexact of each event")

done()
