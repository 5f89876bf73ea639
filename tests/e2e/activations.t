#!/usr/bin/env python3
"""activations.t - `activations of X`: each call of a function in an Xdebug profile.

A reader of some lines (xdebug.py) finds every activation, and each cell is compared with it.
"""
import collections
import gzip
import json
import os
import random
import re
import shutil
import signal
import subprocess

import xdebug
from xdebug import ask
from e2e import done, environ, fixtures, ok, quern, run, same, seed, skip

dice = random.Random(seed())
truth = fixtures + "/truth/xdebug/"


def refused(r, says, name, status=3):
    return ok(r.status == status and says in r.talk, name, r)


# ---------------------------------------------------------------- every cell
SHOW = "show number, fn, caller, depth, calls, part, start, self, incl, start.Memory, self.Memory, incl.Memory"


def row_of(number, a, events):
    return [number, a.name, a.caller, a.depth, a.calls] + [
        c for costs in (a.start, a.own, a.incl) for c in costs[:events]]


def cells(row, events):
    return [row["number"], row["fn"], row["caller"], row["depth"], row["calls"]] + [
        row[c + e] for c in ("start", "self", "incl") for e in ("", ".Memory")[:events]]


for name in ("truth/composer-big.xd.zst", "truth/xdebug/composer.xd.xz", "truth/xdebug/gen.xd", "truth/xdebug/exc.xd",
             "truth/xdebug/append.xd", "small/xdebug-small.out", "producers/xdebug.out",
             "small/xdebug-append-different-scripts.out"):
    path = fixtures + "/" + name
    known = xdebug.activations(path)
    events = 1
    rows, sums, functions = ask(path, "activations | " + SHOW, "activations | sum",
                                "functions | show fn, self, calls")
    wrong = [(got, want) for got, want in zip((cells(r, events) for r in rows),
                                              (row_of(i + 1, a, events) for i, a in enumerate(known))) if got != want]
    ok(len(rows) == len(known) and not wrong, "%s: each of %d activations" % (name, len(known)),
       "%d rows\n%s" % (len(rows), "\n".join(map(str, wrong[:5]))))
    own, times = collections.Counter(), collections.Counter()
    for r in rows:
        own[r["fn"]] += r["self"]
        times[r["fn"]] += 1
    by_name, calls = collections.Counter(), collections.Counter()
    for f in functions:
        by_name[f["fn"]] += f["self"]
        calls[f["fn"]] += f["calls"] or 0
    same({f: c for f, c in own.items() if c}, {f: c for f, c in by_name.items() if c},
         name + ": they add up to the functions' self costs")
    same(dict(times), {f: n for f, n in calls.items() if n},
         name + ": they are as many as the calls")
    f = dice.choice(sorted(times))
    mine = [a for a in known if a.name == f]
    quoted = '"%s"' % f.replace("\\", "\\\\").replace('"', '\\"')
    some, most, middle = ask(path, "activations of %s | %s" % (quoted, SHOW),
                             "top 2 activations of %s | show incl" % quoted,
                             "activations of %s | group by fn: count, median(incl) as m, max(self) as top" % quoted)
    same([cells(r, events) for r in some], [row_of(i + 1, a, events) for i, a in enumerate(mine)],
         "%s: those of %s" % (name, f))
    costs = sorted(a.incl[0] for a in mine)
    same([r["incl"] for r in most], costs[::-1][:2], "the costliest of them")
    same([(r["count"], r["m"], r["top"]) for r in middle],
         [(len(mine), (costs[(len(mine) - 1) // 2] + costs[len(mine) // 2]) / 2, max(a.own[0] for a in mine))],
         "their median, and the largest of them")

# ---------------------------------------------------------------- stacks that are in pieces
for name in ("fiber.xd", "kill.xd"):
    rows, sums, functions, times = ask(truth + name, "activations | show fn, caller, self, incl, start, depth, calls",
                                       "activations | sum", "functions | sum", "info")
    same(sum(r["self"] for r in rows), functions[0]["self"], name + ": all costs are there")
    same(len(rows), len(list(xdebug.blocks(truth + name))), name + ": so is each block")
    same(sum(r["incl"] for r in rows if r["caller"] is None), functions[0]["self"], name + ": those of the roots")
    ok(all(r["depth"] == 1 for r in rows if r["caller"] is None) and sum(r["calls"] for r in rows) ==
       sum(r["caller"] is not None for r in rows), name + ": calls and callers are as many")
rows, = ask(truth + "fiber.xd", "activations of mid")
same({r["caller"] for r in rows}, {"a", "b"} & {r["caller"] for r in rows} or {"drive"}, "fiber.xd: who called mid")

# ---------------------------------------------------------------- parts
both, second, alone = ask(truth + "append.xd", "activations", "part 2 | activations", "activations of deep")
same(second, [dict(r, number=i + 1) for i, r in enumerate(r for r in both if r["part"] == 2)], "those of a part")
ok({r["part"] for r in alone} == {1, 2} and min(r["start"] for r in alone if r["part"] == 2) <
   sum(r["self"] for r in both if r["part"] == 1), "each part begins at 0")
r = run(truth + "append.xd", "-q", "--index", "a.quern", "-c", "activations of deep", "--format", "table")
ok(" part" in r.text.splitlines()[0] and " fn " not in r.text.splitlines()[0],
   "people see parts if there are several", r)

# ---------------------------------------------------------------- where there are none
r = run(fixtures + "/small/lua-default.out", "-q", "--index", "l.quern", "-c", "activations of main")
refused(r, "does not hold its call tree", "a profile without a tree", 1)
ok("Xdebug" in r.talk, "it says which have one", r)
for stage in ("hide php::*", "focus {main}", "collapse by file", "collapse {main}"):
    refused(run(truth + "gen.xd", "-q", "--index", "a.quern", "-c", stage + " | activations"), "after this graph stage",
            "after `%s`" % stage, 1)
refused(run(truth + "gen.xd", "-q", "--index", "a.quern", "-c", "activations of nosuch"), "no function matches",
        "a name that is none", 1)
same(ask(truth + "gen.xd", "activations of work | where incl < 0 | count"), [[{"count": 0}]], "none of them")
r = run(truth + "gen.xd", "--index", "a.quern", "-c", "info work")
ok("activations of work" in r.text + r.talk, "info names the query", r)

# ---------------------------------------------------------------- packed, piped, named, changed
want = ask(truth + "exc.xd", "activations of deep")
text = open(truth + "exc.xd", "rb").read()
open("exc.xd", "wb").write(text)
with gzip.open("exc.xd.gz", "wb") as f:
    f.write(text)
same(ask("exc.xd.gz", "activations of deep"), want, "a packed profile is unpacked again")
if shutil.which("zstd"):
    subprocess.run(["zstd", "-q", "exc.xd"], check=True)
    same(ask("exc.xd.zst", "activations of deep"), want, "by zstd")
else:
    skip("by zstd", "no zstd")
r = run("-", "-q", "-c", "functions | take 1 | show fn", "-c", "activations of deep", stdin=text)
refused(r, "came through a pipe", "standard input cannot be read twice")
ok("keep it in a file" in r.talk, "what to do then", r)
refused(run("a.quern", "-q", "--safe", "-c", "activations"), "not named here", "--safe: the index alone")
run("exc.xd", "-q", "--index", "e.quern", "-c", "functions | count")
same(run("e.quern", "-q", "-c", "activations of deep | count").status, 0, "an index by itself knows its profile")
same(ask("exc.xd", "activations of deep", options=["--safe"]), [want[0]], "--safe, the profile")
same(run("exc.xd", "-q", "--safe", "--index", "n.quern", "-c", "activations of deep | count | as csv").text,
     "count\n6\n",
     "--safe, indexed at once")
r = run("exc.xd", "-q", "--index", "c.quern", "-c", "functions | count ! cat >> exc.xd", "-c", "activations of deep")
ok("has changed since it was indexed" in r.talk, "a profile that has changed", r)
os.remove("exc.xd")
r = run("e.quern", "-q", "-c", "activations of deep")
ok(r.status == 3 and "read from the profile again" in r.talk, "a profile that is gone", r)

# ---------------------------------------------------------------- several files
os.makedirs("set")
shutil.copy(truth + "exc.xd", "set/p.out.1")
shutil.copy(truth + "exc.xd", "set/p.out.2")
r = run("set/p.out.1", "set/p.out.2", "--merge", "-q", "--index", "s.quern", "-c",
        "activations of deep | show start, incl, self, depth | as csv")
one = run(truth + "exc.xd", "-q", "--index", "a.quern", "-c",
          "activations of deep | show start, incl, self, depth | as csv").text
same(r.text, one + one.split("\n", 1)[1], "a profile of two files")

# ---------------------------------------------------------------- timeline


def frames_of(known, least):
    """(depth, start, incl, name) of the frames: runs of short calls beside each other are one."""
    out, todo = [], [(a, 1) for a in known if a.caller is None][::-1]

    def children(below, depth):
        runs = []
        for a in below:
            if a.incl[0] >= least:
                runs.append((a, depth))
            elif runs and isinstance(runs[-1], list):
                runs[-1][2] += a.incl[0]
                runs[-1][3] += 1 + size(a)
            else:
                runs.append([depth, a.start[0], a.incl[0], 1 + size(a)])
        return runs[::-1]

    def size(a):
        return sum(1 + size(b) for b in a.below)

    todo = children([a for a in known if a.caller is None], 1)
    while todo:
        x = todo.pop()
        if isinstance(x, list):
            out.append((x[0], x[1], x[2], "(%s call%s)" % (format(x[3], ","), "s" * (x[3] > 1))))
            continue
        a, depth = x
        out.append((depth, a.start[0], a.incl[0], a.name))
        todo += children(a.below, depth + 1)
    return out


for name in ("truth/xdebug/gen.xd", "truth/xdebug/exc.xd", "small/xdebug-small.out", "truth/xdebug/composer.xd.xz"):
    path = fixtures + "/" + name
    known = xdebug.activations(path)
    whole = sum(a.own[0] for a in known)
    for share, least in (("", whole // 3900 + 1), (" min 2%", int(2 / 100 * whole))):
        rows, = ask(path, "timeline%s | show depth, start, incl, fn" % share)
        same([(r["depth"], r["start"], r["incl"], r["fn"]) for r in rows], frames_of(known, least),
             "%s: timeline%s" % (name, share))
    r = run(path, "-q", "--index", "a.quern", "-c", "timeline | as speedscope")
    profile, = json.loads(r.text)["profiles"]
    at, open_, fine = 0, [], profile["type"] == "evented"
    for e in profile["events"]:
        fine &= e["at"] >= at and (e["type"] == "O" or open_.pop() == e["frame"])
        at = e["at"]
        open_ += [e["frame"]] if e["type"] == "O" else []
    ok(fine and not open_ and at == profile["endValue"] == whole * 10,
       name + ": events open and close in the order of time")
rows, = ask(truth + "fiber.xd", "timeline min 0 | show depth, fn")
stack, stacks = [], set()
for r in rows:
    stack = stack[:r["depth"] - 1] + [r["fn"]]
    stacks.add(";".join(s for s in stack if not s.startswith("(")))
contexts = {line.rsplit(" ", 1)[0] for line in run(truth + "fiber.xd", "-q", "--index", "a.quern", "-c",
                                                    "calltree | as folded").text.splitlines()}
ok(contexts <= stacks | {""}, "fibers: each frame is on its own stack", contexts - stacks)
run(truth + "fiber.xd", "-q", "--index", "a.quern", "-c", "timeline > f.svg")
ok("take turns stand beside each other" in open("f.svg").read(), "fibers: a picture says that its stacks take turns")
r = run(truth + "gen.xd", "-q", "--index", "a.quern", "-c", "timeline > t.svg", "-c", "timeline > t.html")
svg, html = open("t.svg").read(), open("t.html").read()
ok("take turns" not in svg, "one stack takes no turns")
ok(r.status == 0 and "in the order of time" in svg and "own cost is at the end of a frame" in svg and
   "data-x" in svg and
   "in the order of time" in html, "a picture, and a page that has it", r)
x = [(float(a), float(b), int(d)) for a, b, d in
     re.findall('data-x="([^"]*)" data-w="([^"]*)" data-d="([^"]*)"', svg)]
ends = {}
for left, width, depth in x:
    if left < ends.get(depth, 0) - 0.01:
        ok(False, "frames of a level overlap", (left, width, depth))
        break
    ends[depth] = left + width
else:
    ok(len(x) > 20, "frames of a level follow each other", len(x))
with open("narrow.xd", "w") as f:
    f.write("version: 1\ncreator: xdebug 3.2.0\nevents: Time\n\n")
    for i in range(1, 701):
        f.write("fl=/a.php\nfn=Space%d\\f\n1 %d\n\n" % (i % 3, 7 if i % 2 else 1))
    f.write("fl=/a.php\nfn={main}\n1 0\n" + "".join(
        "cfl=/a.php\ncfn=Space%d\\f\ncalls=1 0 0\n1 %d\n" % (i % 3, 7 if i % 2 else 1) for i in range(1, 701)) + "\nsummary: 2800\n\n")
r = run("narrow.xd", "-q", "--index", "n.quern", "-c", "timeline > narrow.svg")
drawn = [float(w) for c, w in re.findall('<rect class="(c[0-5])" x="[^"]*" y="98" width="([^"]*)"', open("narrow.svg").read())]
ok(r.status == 0 and len(drawn) == 350 and abs(sum(drawn) - 1180 * 7 / 8) < 5,
   "calls of 3 px are drawn as wide as they are, in colours; those of 0.4 px are not", (len(drawn), sum(drawn), r))
refused(run(fixtures + "/small/lua-default.out", "-q", "--index", "l.quern", "-c", "timeline"),
        "does not hold its call tree",
        "a profile without a tree has none", 1)

# ---------------------------------------------------------------- hostile


def deep(path, levels):
    with open(path, "w", encoding="ascii") as f:
        f.write("version: 1\ncreator: xdebug 3.2.0 (PHP 8.2.0)\ncmd: d.php\npart: 1\npositions: line\n\n"
                "events: Time_(10ns) Memory_(bytes)\n\nfl=(1) d.php\nfn=(1) f\n3 2 0\n\n")
        f.write("fl=(1)\nfn=(1)\n3 1 0\ncfl=(1)\ncfn=(1)\ncalls=1 0 0\n3 9 0\n\n" * (levels - 1))
    return path


levels = 1000000
rows, last = ask(deep("deep.xd", levels), "top 2 activations | show depth, incl, self",
                 "activations | sort depth | take 1 | show depth, incl, start")
same(rows, [{"depth": 1, "incl": levels + 1, "self": 1}, {"depth": 2, "incl": levels, "self": 1}],
     "a stack of 1,000,000")
rows, = ask("deep.xd", "timeline | group by fn: count")
same(len(rows), 2, "its timeline has frames for 1,000 levels")
same(last, [{"depth": levels, "incl": 2, "start": 0}], "its end")
lines = text.decode().split("\n")
for trial in range(40):
    broken = lines[:]
    for _ in range(dice.randint(1, 3)):
        at = dice.randrange(8, len(broken))
        broken[at] = dice.choice(["", "fn=(1)", "cfn=(2)", "calls=1 0 0", "7 123 4", "calls=2 0 0", "garbage",
                                  broken[at][:3]])
    if dice.random() < 0.5:
        del broken[dice.randrange(8, len(broken)):]
    open("broken.xd", "w").write("\n".join(broken))
    r = run("broken.xd", "-q", "--rebuild", "--index", "b.quern", "-c", "functions | sum | as csv",
            "-c", "activations | sum | as csv")
    said = r.text.split()
    if r.status not in (0, 1) or (r.status == 0 and len(said) == 4 and said[1].split(",")[0] != said[3].split(",")[0]):
        ok(False, "a broken profile, trial %d" % trial, "%s\n%s" % (r, "\n".join(broken)))
        break
else:
    ok(True, "40 broken profiles: an answer that adds up, or an error")

# ---------------------------------------------------------------- limits
refused(run("deep.xd", "-q", "--index", "a.quern", "--limit", "rows=1000", "-c", "activations"), "rows",
        "more rows than the limit", 6)
refused(run("deep.xd", "-q", "--index", "a.quern", "--limit", "memory=4M", "-c", "activations"), "memory",
        "more memory than the limit", 6)
p = subprocess.Popen([quern, "deep.xd", "-q", "--index", "a.quern", "-c", "activations of f | as csv"],
                     stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environ)
p.stdout.readline()     # a pipe does not hold the rest: it cannot be over
p.send_signal(signal.SIGINT)
out, err = p.communicate()
ok(p.returncode == 130 and b"interrupted" in err, "Ctrl-C ends it", (p.returncode, out[-200:], err))
done()
