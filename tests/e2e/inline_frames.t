#!/usr/bin/env python3
"""inline_frames.t - `with inlined`: inlined functions become functions, and all sums stay.

Every profile of the fixtures is asked with and without the stage: each function has the same
inclusive cost, and what its self cost loses are its rows of the source `inlined`.
"""
import gzip
import json
import os
import re
import shutil
import subprocess
from collections import defaultdict

from e2e import done, fixtures, ok, protobuf_fields, run, same, skip

def tables(path, queries):
    r = run(path, "-q", "--no-index-write", "--format", "json", *[a for q in queries for a in ("-c", q)])
    if r.status:
        return None
    found = []
    for text in r.text.split('{"meta":')[1:]:
        t = json.loads('{"meta":' + text)
        found.append([dict(zip(t["columns"], row)) for row in t["rows"]])
    return found


def sums(rows, key, cols):
    total = defaultdict(lambda: [0] * len(cols))
    for r in rows:
        k = key(r)
        for i, c in enumerate(cols):
            total[k][i] += r[c] or 0 # calls that nobody counted
    return {k: v for k, v in total.items() if any(v)}


def compare(path):
    """What differs, and how many inlined functions there are."""
    events = tables(path, ["events"])
    if not events:
        return "", 0
    names = [e["name"] for e in events[0]]
    short = [re.split(r"_?\(|\W", n)[0] for n in names]
    known = [n for n in short if n and short.count(n) == 1]
    own, incl = ["self_" + n for n in known], ["incl_" + n for n in known]
    show = lambda cols: ", ".join("%s as %s" % (c.replace("_", ".", 1), c) for c in cols)
    functions = "functions | show id, fn, obj, calls, " + show(own + incl)
    bounds = "functions | show id, lo, hi, estimated"
    calls = "calls | show caller_id, callee_id, calls, " + show(incl)
    stage = "with inlined | "
    got = tables(path, [functions, calls, bounds, stage + functions, stage + calls, stage + bounds,
                        "inlined | show file, fn, into, " + show(own), "contexts | info | show functions",
                        "calltree > without.folded", stage + "calltree > with.folded"])
    if not got:
        return "cannot be asked", 0
    f0, c0, b0, f1, c1, b1, rows, recorded = got
    n = recorded[0]["functions"]      # numbers of inlined code come after
    mine = {r["id"]: r for r in f1 if r["id"] < n}
    bound = {r["id"]: r for r in b1}
    bad = []
    if set(mine) != {r["id"] for r in f0}:
        bad.append("functions are gone")
    if sums(f0, lambda r: 0, own) != sums(f1, lambda r: 0, own):
        bad.append("self adds up to %s, %s" % (sums(f0, lambda r: 0, own), sums(f1, lambda r: 0, own)))
    lost = sums(rows, lambda r: r["into"], own)
    for name, sum0 in sums(f0, lambda r: r["fn"], own).items():
        left = [a + b for a, b in zip(sums([r for r in mine.values() if r["fn"] == name], lambda r: 0, own).get(0, [0] * len(own)),
                                      lost.get(name, [0] * len(own)))]
        if left != sum0:
            bad.append("self of %s: %s, not %s" % (name, left, sum0))
    for r in f0:
        m = mine[r["id"]]
        if [m[c] for c in incl + ["calls"]] != [r[c] for c in incl + ["calls"]]:
            bad.append("incl of %s: %s, not %s" % (r["fn"], [m[c] for c in incl], [r[c] for c in incl]))
    for r in b0:
        if bound[r["id"]] != r:
            bad.append("bounds of #%d: %s, not %s" % (r["id"], bound[r["id"]], r))
    # Calls of functions: their callers may be inlined code now.
    into = [sums([r for r in c if r["callee_id"] < n], lambda r: r["callee_id"], incl + ["calls"]) for c in (c0, c1)]
    if into[0] != into[1]:
        bad.append("calls differ: %s" % [(k, into[0].get(k), into[1].get(k)) for k in set(into[0]) | set(into[1])
                                         if into[0].get(k) != into[1].get(k)][:3])
    # What enters inlined code is what it spends and what it calls.
    enters = sums([r for r in c1 if r["callee_id"] >= n], lambda r: r["callee_id"], incl)
    leaves = sums([r for r in c1 if r["caller_id"] >= n], lambda r: r["caller_id"], incl)
    for r in f1:
        if r["id"] < n:
            continue
        spends = [r[c] + x for c, x in zip(own, leaves.get(r["id"], [0] * len(own)))]
        if not r["fn"].endswith(" (inl)") or r["calls"] is not None or spends != enters.get(r["id"], [0] * len(own)):
            bad.append("%s: enters %s, spends %s" % (r["fn"], enters.get(r["id"]), spends))
    # Hidden again, they leave what was there before: all calls and costs go to their callers.
    hidden = tables(path, [stage + r"hide /\(inl\)$/ | " + calls])[0] if len(f1) > len(f0) else c0
    again = [sums(c, lambda r: (r["caller_id"], r["callee_id"]), incl + ["calls"]) for c in (hidden, c0)]
    if again[0] != again[1]:
        bad.append("hidden: %s" % [(k, again[0].get(k), again[1].get(k)) for k in set(again[0]) | set(again[1])
                                   if again[0].get(k) != again[1].get(k)][:2])
    stacks = []
    for name in ("without.folded", "with.folded"):
        with open(name, encoding="utf-8", errors="replace") as f:
            stacks.append(sum(int(l.rsplit(" ", 1)[1]) for l in f))
        os.remove(name)
    # A picture has no frames of less than nothing.
    if stacks[0] != stacks[1] and all(r[c] >= 0 for r in f0 + f1 for c in own):
        bad.append("stacks add up to %s, %s" % tuple(stacks))
    return "; ".join(bad[:3]), len(f1) - len(f0)


wrong, with_some, asked, seen = [], 0, 0, 0
for folder, _, files in sorted(os.walk(fixtures)):
    for name in sorted(files):
        path = os.path.join(folder, name)
        if name.endswith((".md", ".cc", ".cpp", ".rs", ".h", ".json", ".php", ".zst", ".quern")) or "/huge" in folder:
            continue
        seen += 1
        if seen % 2 and "/inlined" not in folder and "QUERN_TORTURE" not in os.environ:
            continue
        bad, inlined = compare(path)
        asked += 1
        with_some += inlined > 0
        if bad:
            wrong.append("%s: %s" % (os.path.relpath(path, fixtures), bad))
ok(asked > 100 and with_some > 10, "profiles asked, and those with inlined code", (asked, with_some))
same(wrong[:5], [], "sums, inclusive costs, bounds, calls and stacks with and without inlined functions")

# ---- pictures and exports

r = run(fixtures + "/inlined/each.cg", "-q", "--no-index-write", *[a for f in ("x.folded", "x.svg", "x.icicle.svg", "x.html", "x.speedscope.json", "x.pb.gz", "x.dot")
                                                                  for a in ("-c", "with inlined | calltree > " + f)])
same((r.status, r.talk), (0, ""), "pictures and exports")
with open("x.folded") as f:
    lines = f.read().splitlines()
ok("main;each (inl);work;each (inl);leaf 36" in lines and "main;other;each (inl);leaf2 30" in lines, "folded: which place leads where", lines)
with open("x.speedscope.json") as f:
    s = json.load(f)
same((sum(s["profiles"][0]["weights"]), [f["name"] for f in s["shared"]["frames"]].count("each (inl)")), (118, 1), "speedscope: one frame of that name")
profile = list(protobuf_fields(gzip.open("x.pb.gz").read()))
strings = [v.decode() for k, v in profile if k == 6]
functions = [strings[dict(protobuf_fields(v))[2]] for k, v in profile if k == 5]
samples = [dict(protobuf_fields(v)) for k, v in profile if k == 2]
same((functions.count("each (inl)"), sum(x[2][0] if isinstance(x[2], bytes) else x[2] for x in samples)), (1, 118), "pprof: the same")
for name in ("x.svg", "x.icicle.svg", "x.html", "x.dot"):
    with open(name) as f:
        ok("each (inl)" in f.read(), name)

# ---- a program whose stacks are known

# Of marked.cc: stack -> [calls, marked cost of each].
MIDDLE = {"": 400, ";leaf": 1000, ";called": 700}
FIRST = {"": 200, ";leaf": 1000, **{";middle" + s: c for s, c in MIDDLE.items()}}
KNOWN = {}
for top, inner, calls in (("first", FIRST, 3), ("second;first", FIRST, 1), ("second;middle", MIDDLE, 2), ("middle", MIDDLE, 1)):
    for stack, cost in inner.items():
        KNOWN["main;" + top + stack] = [calls, cost]
KNOWN["main;second"] = [1, 560]


def build(name, *flags):
    subprocess.run(["g++", "-O2", "-g", "-fno-optimize-sibling-calls", *flags, "-o", name, fixtures + "/inlined/marked.cc"], check=True)
    p = subprocess.run(["valgrind", "-q", "--tool=callgrind", "--dump-instr=yes",
                        "--callgrind-out-file=" + name + ".out", "./" + name], capture_output=True)
    return p.returncode == 0 and os.path.exists(name + ".out")


def stacks(query):
    r = run(*query)
    made = defaultdict(int)
    for line in r.text.splitlines():
        stack, cost = line.rsplit(" ", 1)
        made[re.sub(r"\(\)| \(inl\)", "", stack)] += int(cost)
    return dict(made), r


def far(made):
    """Stacks whose cost is not the marked one and a few instructions for each call."""
    bad = [(s, made.get(s), n * c) for s, (n, c) in KNOWN.items() if not n * c <= made.get(s, -1) <= n * (c + 12)]
    return bad + [(s, c, 0) for s, c in made.items() if s not in KNOWN and c > 50]


if not shutil.which("g++") or not shutil.which("valgrind"):
    skip("a program of known stacks", "g++ or valgrind is not installed")
elif not build("inlined") or not build("called", "-DCALLED"):
    skip("a program of known stacks", "valgrind cannot run here")
else:
    made, r = stacks(["called.out", "-q", "-c", "calltree from main | as folded"])
    same(far(made), [], "functions that are called: the stacks of the program")
    made, r = stacks(["inlined.out", "-q", "-c", "with inlined | calltree from main | as folded"])
    if "without libdw" in r.talk:
        skip("inlined functions: the same stacks", "quern was built without libdw")
    else:
        same(far(made), [], "inlined functions: the same stacks")
    shutil.copy2("inlined.out", "safe.out")         # no names are kept beside it
    r = run("safe.out", "-q", "--safe", "-c", "with inlined | functions of obj:inlined | show fn | as csv")
    ok("leaf" not in r.text and "--safe" in r.talk, "no object is read under --safe, which is said", r)
    os.rename("inlined", "elsewhere")
    shutil.copy2("inlined.out", "moved.out")        # no names are kept beside it
    r = run("moved.out", "-q", "-c", "with inlined | functions of obj:inlined | show fn | as csv")
    ok("leaf" not in r.text and "not found" in r.talk, "nor one that is not there", r)

done()
