#!/usr/bin/env python3
"""compare.t - pictures of two profiles: the costs of both sides, signs, what is new and gone."""
import collections
import json
import lzma
import os
import re
import shutil
import subprocess
import xml.etree.ElementTree as ElementTree

from e2e import done, fixtures, ok, run, same, small

SVG = "{http://www.w3.org/2000/svg}"
Frame = collections.namedtuple("Frame", "name here base own own_base tint x w d kind")


def profile(path, *functions):
    """functions: (name, self, [(callee, inclusive)])"""
    with open(path, "w") as f:
        f.write("events: Ir\n")
        for name, cost, calls in functions:
            f.write("fn=%s\n1 %d\n" % (name, cost))
            f.writelines("cfn=%s\ncalls=1 1\n2 %d\n" % c for c in calls)


def ask(new, base, query, *more):
    r = run(new, "base=" + base, "--no-index-write", "-q", *more, "-c", query)
    ok(r.status == 0, "  " + query[:90], r)
    return r.text


def folded(text):
    """{stack: [base, this]}, and by the function on top of a stack"""
    stacks, by = collections.defaultdict(lambda: [0, 0]), collections.defaultdict(lambda: [0, 0])
    for line in text.splitlines():
        stack, base, here = line.rsplit(" ", 2)
        for to in (stacks[stack], by[stack.split(";")[-1]]):
            to[0] += int(base)
            to[1] += int(here)
    return dict(stacks), by


def number(s):
    return int(s.replace(",", "").replace("~", ""))


def svg(text):
    out = []
    for g in ElementTree.fromstring(text).iter(SVG + "g"):
        lines = g.find(SVG + "title").text.split("\n")
        costs = [re.match(r"(?:itself: )?here (~?[\d,]+).*; base (~?[\d,]+)", x) for x in lines[1:]]
        costs = [(number(m[1]), number(m[2])) for m in costs if m]
        tint = {"m": 1, "l": -1}.get(g.find(SVG + "rect").get("class")[0], 0)
        here, own = (costs[0], costs[-1]) if costs else ((0, 0), (0, 0))
        out.append(Frame(lines[0], *here, *own, tint, *(float(g.get("data-" + a)) for a in "xwd"), g.get("class")[1:].strip()))
    return out


def functions(new, base):
    answer = json.loads(ask(new, base, "functions vs base | show fn, self, base | as json"))
    by = collections.defaultdict(lambda: [0, 0])
    for name, here, was in answer["rows"]:
        by[name.replace(";", ":")][0] += was or 0
        by[name.replace(";", ":")][1] += here or 0
    return by


# ---- a small program, known to the unit ----
profile("new", ("main", 1000, [("parse", 52000), ("render", 41000), ("fresh", 9000)]), ("parse", 30000, [("lex", 22000)]),
        ("lex", 22000, []), ("render", 11000, [("blend", 30000)]), ("blend", 30000, []), ("fresh", 4000, [("alloc", 5000)]),
        ("alloc", 5000, []))
profile("old", ("main", 1000, [("parse", 40000), ("render", 55000), ("legacy", 12000)]), ("parse", 30000, [("lex", 10000)]),
        ("lex", 10000, []), ("render", 11000, [("blend", 38000), ("dither", 6000)]), ("blend", 38000, []), ("dither", 6000, []),
        ("legacy", 4000, [("alloc", 8000)]), ("alloc", 8000, []))
TREE = "calltree from main vs base"
stacks, _ = folded(ask("new", "old", TREE + " | as folded"))
same(stacks, {"main": [1000, 1000], "main;parse": [30000, 30000], "main;parse;lex": [10000, 22000], "main;render": [11000, 11000],
              "main;render;blend": [38000, 30000], "main;fresh": [0, 4000], "main;fresh;alloc": [0, 5000],
              "main;render;dither": [6000, 0], "main;legacy": [4000, 0], "main;legacy;alloc": [8000, 0]},
     "folded: the base, then this profile")
text = ask("new", "old", TREE + " | as svg")
drawn = svg(text)
W = 1180
same([(f.name, f.tint) for f in drawn], [("main", 0), ("render", 0), ("blend", -1), ("dither", -1), ("parse", 0), ("lex", 1), ("legacy", -1), ("alloc", -1),
                                         ("fresh", 1), ("alloc", 0)], "svg: signs are those of the functions: alloc spends less")
same([(f.name, f.here, f.base, f.own, f.own_base) for f in drawn if f.name in ("main", "fresh", "legacy")],
     [("main", 103000, 108000, 1000, 1000), ("legacy", 0, 12000, 0, 4000), ("fresh", 9000, 0, 4000, 0)], "svg: both costs")
wide = {"main": 129000, "render": 55000, "parse": 52000, "legacy": 12000, "fresh": 9000, "blend": 38000, "lex": 22000, "dither": 6000}
same({f.name: round(f.w * 129000 / W, -2) for f in drawn if f.name != "alloc"}, wide, "svg: as wide as the larger of both, what is gone too")
same([f.name for f in drawn if f.kind == "o"], ["dither", "legacy", "alloc"], "svg: what is gone is hatched where it was")
ok("here new: 103,000 Ir; base: 108,000; -5,000 (-4.6%)" in text, "svg: the title has both sums", text[:3000][-900:])
ok("+12,000 (+120.0%)" in text and "-4,000 (gone)" in text and "+4,000 (new)" in text, "svg: changes")
icicle = svg(ask("new", "old", "calltree to alloc vs base | as icicle"))
same([(f.name, f.here, f.base) for f in icicle], [("alloc", 5000, 8000), ("legacy \u203a main", 0, 8000), ("fresh \u203a main", 5000, 0)], "icicle: callers of both")
stacks, _ = folded(ask("new", "old", "functions vs base | where self + base > 30000 | as folded"))
same(stacks, {"parse": [30000, 30000], "blend": [38000, 30000], "lex": [10000, 22000]}, "other rows have both, too")
lines = run("new", "base=old", "-q", "-c", TREE + " > t.csv", "-c", "_ | as folded").text.splitlines()
ok("parse;lex 10000 22000" in lines, "_ has both", lines)
r = run("new", "base=old", "-q", "-c", TREE + " | show fn, est > t.csv", "-c", "_ | as folded")
ok(r.status == 1 and "cost of the base" in r.talk, "without the base's cost it is refused", r)
rows = json.loads(ask("new", "old", "calltree from main min 20% vs base | show fn, est, base | as json"))["rows"]
same(rows, [["parse", 52000, 40000], ["lex", 22000, 10000], ["render", 41000, 55000], ["blend", 30000, 38000]],
     "min: a row stays if either side reaches it")
lines = ask("new", "old", "calltree from main depth 1 vs base | as folded").splitlines()
ok("main;render;(other) 44000 30000" in lines and "main;legacy;(other) 8000 0" in lines, "(other) has both sides", lines)

# ---- speedscope, dot, and what holds one profile only ----
doc = json.loads(ask("new", "old", TREE + " | as speedscope"))
same([(p["name"], p["endValue"], sum(p["weights"]), len(p["weights"]) == len(p["samples"])) for p in doc["profiles"]],
     [("new", 103000, 103000, True), ("base", 108000, 108000, True)], "speedscope: two profiles")
names = [f["name"] for f in doc["shared"]["frames"]]
same({";".join(names[i] for i in s): w for s, w in zip(doc["profiles"][1]["samples"], doc["profiles"][1]["weights"])},
     {"main": 1000, "main;parse": 30000, "main;parse;lex": 10000, "main;render": 11000, "main;render;blend": 38000,
      "main;render;dither": 6000, "main;legacy": 4000, "main;legacy;alloc": 8000}, "speedscope: the base's stacks, shared frames")
for query in ("calls vs base", TREE):
    text = ask("new", "old", query + " | as dot")
    node = dict(re.findall(r'^\t(n\d+) \[label="(\w+)', text, re.M))
    said = {(node[a], node[b]): (cost, change) for a, b, cost, change in
            re.findall(r'^\t(n\d+) -> (n\d+) \[label="([^"\\]*)\\n([^"\\]*)', text, re.M)}
    same([said["parse", "lex"], said["main", "legacy"], said["main", "fresh"]],
         [("10.0 k -> 22.0 k", "+12,000 (+120.0%)"), ("12.0 k -> 0", "-12,000 (gone)"), ("0 -> 9.00 k", "+9,000 (new)")], "dot: calls of both")
    ok('label="alloc\\nself 8.00 k -> 5.00 k\\n-3,000 (-37.5%)"' in text, "dot: functions of both", text)
    if shutil.which("dot"):
        p = subprocess.run(["dot", "-Tsvg"], input=text.encode(), stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        ok(p.returncode == 0, "dot: Graphviz reads it", p.stderr)
for query, why in (("calltree vs base | as pprof", "-diff_base"), ("functions vs base | as callgrind", "without vs")):
    r = run("new", "base=old", "-q", "-c", query)
    ok(r.status == 1 and "compares two" in r.talk and why in r.talk, query + " is refused", r)

# ---- real programs ----
with open("sqlite", "wb") as f:
    f.write(lzma.open(fixtures + "/truth/sqlite.out.xz").read())
with open("sqlite-parts", "wb") as f:
    f.write(lzma.open(fixtures + "/truth/sqlite-parts.out.xz").read())
PAIRS = [(fixtures + "/pairs/%s-two.out" % n, fixtures + "/pairs/%s-one.out" % n) for n in ("cpp", "php", "rust")]
PAIRS += [(small + "tmpl-multipart-combine.out", small + "tmpl-default.out"), ("sqlite", "sqlite-parts")]
for new, base in PAIRS:
    name = new.rsplit("/", 1)[-1] + ": "
    stacks, by = folded(ask(new, base, "calltree vs base | as folded"))
    want = functions(new, base)
    other = by.pop("(other)", [0, 0])
    for s in (0, 1):
        sums = sum(x[s] for x in want.values())
        same(sum(x[s] for x in stacks.values()), sums, name + "all cost is there")
        apart = sum(abs(by[n][s] - want[n][s]) for n in set(by) | set(want))
        ok(apart <= other[s] + 20 + sums * 1e-4 and other[s] <= sums * 0.003, name + "frames of a function add up to its self cost", (apart, other, sums))
    back, _ = folded(ask(base, new, "calltree vs base | as folded"))
    if "two" not in new:                   # renamed functions have the names of their side
        same([k for k, v in stacks.items() if back.get(k, [0, 0]) != v[::-1]][:3], [], name + "the other way round it is the mirror image")
    forth, back = svg(ask(new, base, "calltree vs base | as svg")), svg(ask(base, new, "calltree vs base | as svg"))
    for drawn, sign in ((forth, 1), (back, -1)):
        wrong = [f for f in drawn if f.tint * (f.own - f.own_base) < 0 or f.name in want and f.tint * sign * (want[f.name][1] - want[f.name][0]) < 0]
        same(wrong[:3], [], name + "no frame has the wrong sign, nor one that its function has not")
        root = [f for f in drawn if f.d == 0]
        ok(abs(sum(f.w for f in root) - W) < 0.5 and len(root) == 1, name + "the root takes all the width", root)
        ok(len(drawn) <= 400 and min(f.w for f in drawn) >= 4 and max(f.d for f in drawn) < 24, name + "400 frames, 24 rows, none too narrow", len(drawn))
    key = collections.Counter((f.here, f.base, f.tint, round(f.w, 1)) for f in forth)
    mirror = collections.Counter((f.base, f.here, -f.tint, round(f.w, 1)) for f in back)
    same(list((key - mirror).items())[:3], [], name + "the picture, too")
for a, b in (("sqlite", "sqlite"), ("sqlite", "sqlite-parts"), ("new", "new")):
    text = ask(a, b, "calltree vs base | as svg")
    same([f for f in svg(text) if f.tint or f.here != f.base][:3], [], a + " vs " + b + ", the same run: all grey, nothing gone")
    same([k for k, v in folded(ask(a, b, "calltree vs base | as folded"))[0].items() if v[0] != v[1]], [], "equal columns")
    ok("the same" in text, "and it says so")

# flamegraph.pl, where it is installed, paints the same signs.
if shutil.which("flamegraph.pl"):
    ask("new", "old", TREE + " > two.folded")
    p = subprocess.run(["flamegraph.pl", "two.folded"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    said = {n: d[0] for n, d in re.findall(r"<title>(\w+) \([\d,]+ samples, [\d.]+%; ([-+0])[\d.]+%\)", p.stdout)}
    same({n: said[n] for n in ("main", "lex", "blend", "fresh")}, {"main": "0", "lex": "+", "blend": "-", "fresh": "+"}, "flamegraph.pl agrees")
# ---- the colour is the change of what is measured: leaf and other spend the same, only mid has another caller ----
for name, a in (("shift.old", 100000), ("shift.new", 500000)):
    profile(name, ("main", 1000, [("a", a), ("b", 1000000 - a)]), ("a", 0, [("mid", a)]), ("b", 0, [("mid", 1000000 - a)]),
            ("mid", 0, [("leaf", 600000), ("other", 400000)]), ("leaf", 600000, []), ("other", 400000, []))
text = ask("shift.new", "shift.old", "calltree from main vs base | as svg")
same({f.tint for f in svg(text)}, {0}, "functions that spend the same are grey")
# ---- the functions of two profiles are a report, also where pairs are not certain ----
pairs = fixtures + "/pairs/"
ok('id="d-about"' in ask(pairs + "cpp-two.out", pairs + "cpp-one.out", "functions vs base | as html"), "html: a report of pairs that are unsure")
ok('id="d-about"' in run(pairs + "cpp-two.out", "--no-index-write", "-q", "-c", "functions | as html").text, "html: a report of one profile")
# ---- people see what changed ----
for name, cost in ("few.old", 10), ("few.new", 13):
    profile(name, ("main", 5, [("f", cost), ("g", 20)]), ("f", cost, []), ("g", 20, []))
text = ask("few.new", "few.old", "functions vs base")
ok(re.search(r"\n1 of 3 functions changed; paired: ", text) and not re.search(r"\bg\b", text), "functions that are the same are counted", text)
same([len(ask("few.new", "few.old", "functions vs base" + q).splitlines()) for q in (" | as csv", " | as json", " | show fn, delta | as csv")],
     [4, 6, 4], "  all are rows for machines")
ok("\n3 of 3" in ask("few.new", "few.old", "functions vs base | take 9") or re.search(r"\bg\b", ask("few.new", "few.old", "functions vs base | take 9")), "  and with a stage")

# Sets of stages that one side found for each of its parts are not those of the other side.
parts = fixtures + "/found/levels-part.cg"
r = run("new=" + parts, "base=" + parts, "-q", "--no-index-write", "-c", "focus /a/ | focus /./ | parts vs base | where delta != 0 | count | as csv")
same((r.status, r.text.split()), (0, ["count", "0"]), "stages whose functions are found again for each part")
# The base has more events, and the one that both have under another number.
for path, events, costs in ("one", "Bcm", "5"), ("four", "Ir Dr Dw Bcm", "1 1 1 7"):
    with open(path, "w") as f:
        f.write("events: %s\nfl=a.c\nfn=a\n1 %s\n" % (events, costs))
r = run("one", "base=four", "-q", "-c", "functions vs base | show fn, self, base | as csv")
same((r.status, r.text.split()), (0, ["fn,self,base", "a,5,7"]), "the base has more events")
done()
