#!/usr/bin/env python3
"""opened.t - `activation N of X | ...` and `slowest N activations of X | ...`: calls of a run, opened.

What is below an activation is added up from the blocks of the profile (xdebug.py), and compared with the
functions, calls, contexts and trees of the graph that the stage makes.
"""
import collections
import gzip
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


def refused(r, says, name, status=1):
    return ok(r.status == status and says in r.talk, name, r)


def quoted(name):
    return '"%s"' % name.replace("\\", "\\\\").replace('"', '\\"')


class Below:
    """What is below some activations, each counted once."""

    def __init__(self, picked):
        self.own, self.incl, self.times = collections.Counter(), collections.Counter(), collections.Counter()
        self.calls, self.cost, self.stacks = collections.Counter(), collections.Counter(), collections.Counter()
        inside = set()
        todo = list(picked)
        while todo:
            a = todo.pop()
            inside |= {id(b) for b in a.below}
            todo += a.below
        for a in {id(a): a for a in picked if id(a) not in inside}.values():
            self.add(a, (), 0)

    def add(self, a, above, e):
        todo = [(a, above)]
        while todo:
            a, above = todo.pop()
            stack = above + (a.name,)
            self.own[a.name] += a.own[e]
            self.times[a.name] += 1
            self.stacks[stack] += a.own[e]
            if a.name not in above:
                self.incl[a.name] += a.incl[e]
            if above:
                self.calls[above[-1], a.name] += 1
                self.cost[above[-1], a.name] += a.incl[e]
            todo += [(b, stack) for b in a.below]


def compare(name, stage, profile, picked):
    want = Below(picked)
    functions, calls, contexts, total = ask(
        profile, stage + " | functions | show fn, self, incl, calls", stage + " | calls | show caller, callee, calls, incl",
        stage + " | contexts | count", stage + " | cost of /./ | show est, exact")
    wrong = []
    if {r["fn"]: (r["self"], r["incl"], r["calls"]) for r in functions} != {
            f: (want.own[f], want.incl[f], want.times[f]) for f in want.times}:
        wrong.append(("functions", functions, want.own, want.incl, want.times))
    if {(r["caller"], r["callee"]): (r["calls"], r["incl"]) for r in calls} != {
            k: (n, want.cost[k]) for k, n in want.calls.items()}:
        wrong.append(("calls", calls, want.calls, want.cost))
    if contexts[0]["count"] != len(want.stacks):
        wrong.append(("contexts", contexts, len(want.stacks)))
    if (total[0]["est"], total[0]["exact"]) != (sum(want.own.values()), True):
        wrong.append(("total", total, sum(want.own.values())))
    folded = run(profile, "-q", "--index", "o.quern", "-c", stage + " | calltree min 0 max 1M | as folded").text
    got = {tuple(line.rsplit(" ", 1)[0].split(";")): int(line.rsplit(" ", 1)[1]) for line in folded.splitlines()}
    if got != {tuple(n.replace(";", ":") for n in s): c for s, c in want.stacks.items() if c > 0}:
        wrong.append(("stacks", got, want.stacks))
    return wrong


# ---------------------------------------------------------------- against the blocks
for name in ("truth/composer-big.xd.zst", "truth/xdebug/composer.xd.xz", "truth/xdebug/gen.xd", "truth/xdebug/fiber.xd", "truth/xdebug/exc.xd",
             "truth/xdebug/append.xd", "small/xdebug-small.out", "producers/xdebug.out",
             "small/xdebug-append-different-scripts.out", "small/xdebug-fatal.out"):
    path = fixtures + "/" + name
    known = xdebug.activations(path)
    by_name = collections.defaultdict(list)
    for a in known:
        by_name[a.name].append(a)
    wrong = []
    for i in range(6):
        f = dice.choice(sorted(by_name))
        mine = by_name[f]
        n = dice.randint(1, len(mine))
        wrong += compare(name, "activation %d of %s" % (n, quoted(f)), path, [mine[n - 1]])
    first, last = sorted((dice.randint(1, len(mine)), dice.randint(1, len(mine))))
    wrong += compare(name, "activation %d-%d, %d of %s" % (first, last, n, quoted(f)), path,
                     mine[first - 1:last] + [mine[n - 1]])
    wrong += compare(name, "activation 1 of " + quoted(known[0].name), path, [known[0]])
    n = dice.randint(1, 4)
    slow = sorted(range(len(mine)), key=lambda i: (-mine[i].incl[0], i))[:n]
    wrong += compare(name, "slowest %d activations of %s" % (n, quoted(f)), path, [mine[i] for i in slow])
    ok(not wrong, name + ": what is below single activations", "\n".join(map(str, wrong[:3])))

# ---------------------------------------------------------------- the usual ones, and why the slow ones are not
for name in ("truth/composer-big.xd.zst", "truth/xdebug/composer.xd.xz", "truth/xdebug/gen.xd", "small/xdebug-small.out"):
    path = fixtures + "/" + name
    known = xdebug.activations(path)
    times = collections.Counter(a.name for a in known)
    f = dice.choice([f for f in sorted(times) if times[f] > 4 and not any(a.caller == f for a in known if a.name == f)])
    mine = sorted((a for a in known if a.name == f), key=lambda a: (a.incl[0], a.block))
    n = dice.randint(1, 3)
    middle = mine[(len(mine) - n) // 2:][:n]
    wrong = compare(name, "usual %d activations of %s" % (n, quoted(f)), path, middle)
    ok(not wrong, name + ": the usual ones", "\n".join(map(str, wrong[:3])))
    slow, usual, why, same_why = ask(path, *(q % (n, quoted(f)) for q in (
        "slowest %d activations of %s | functions | sum | show self", "usual %d activations of %s | functions | sum | show self",
        "slowest %d activations of %s | why max 1000 | show delta")), "slowest %d activations of %s | why vs usual %d activations of %s | show delta" %
        (n, quoted(f), n, quoted(f)))
    ok(abs(sum(r["delta"] for r in why) - (slow[0]["self"] - usual[0]["self"])) <= len(why), name + ": why adds up to the difference", (slow, usual, why))
    ok(abs(sum(r["delta"] for r in same_why) - (slow[0]["self"] - usual[0]["self"])) <= len(same_why), name + ": why vs usual", same_why)

# ---------------------------------------------------------------- usual and slowest of functions
for name in ("truth/composer-big.xd.zst", "truth/xdebug/gen.xd", "small/xdebug-small.out"):
    path = fixtures + "/" + name
    costs = collections.defaultdict(list)
    for a in xdebug.activations(path):
        costs[a.name].append(a.incl[0])
    rows, = ask(path, "functions | show fn, usual, slowest")
    want = {f: ((sorted(c)[(len(c) - 1) // 2] + sorted(c)[len(c) // 2]) // 2, max(c)) for f, c in costs.items()}
    same({r["fn"]: (r["usual"], r["slowest"]) for r in rows}, want, name + ": the median and the most of the calls of each function")
a, b = xdebug.activations(truth + "gen.xd"), ask(truth + "gen.xd", "activation 1 of useGen | functions of work | show usual, slowest")
inside = sorted(x.incl[0] for x in a if x.name == "work")
ok(b[0][0]["slowest"] in inside and b[0][0]["usual"] <= b[0][0]["slowest"], "of what is opened", b)
refused(run(fixtures + "/small/lua-default.out", "-q", "--index", "l.quern", "-c", "functions | show usual"),
        "does not hold its call tree", "a profile of sums has no usual call")

# ---------------------------------------------------------------- fibers: each root, and what was recorded
for name in ("fiber.xd", "three-fibers.xd", "fibers.xd.xz", "kill.xd"):
    rows, whole = ask(truth + name, "activations | show number, fn, incl, self, caller", "functions | sum | show self")
    times, wrong = collections.Counter(), []
    for i, r in enumerate(rows):
        times[r["fn"]] += 1
        r["times"] = times[r["fn"]]
    some = dice.sample(rows, 12) + [r for r in rows if r["caller"] is None][:12]
    sums = ask(truth + name, *("activation %d of %s | functions | sum | show self" % (r["times"], quoted(r["fn"]))
                               for r in some))
    same([s[0]["self"] for s in sums], [r["incl"] for r in some], name + ": each costs what it includes")
    roots = collections.Counter()
    for r in rows:
        roots[r["fn"]] += r["caller"] is None
    ok(sum(r["incl"] for r in rows if r["caller"] is None) == whole[0]["self"] and roots, name + ": roots add up to the whole")

# ---------------------------------------------------------------- parts, sources, comparisons
both = xdebug.activations(truth + "append.xd")
second = [a for a in both if a.part == 2 and a.name == "deep"]
wrong = compare("part", "part 2 | activation 2 of deep", truth + "append.xd", [second[1]])
ok(not wrong, "numbers count in the part that is asked", wrong)
gen = truth + "gen.xd"
a, b, differs = ask(gen, "activation 1 of useGen | functions | show fn, self", "activation 1 of useDeleg | functions | show fn, self",
                    "activation 1 of useGen | functions vs activation 1 of useDeleg | show fn, self, base, delta")
a, b = ({r["fn"]: r["self"] for r in x} for x in (a, b))
same({r["fn"]: (r["self"] or 0, r["base"] or 0, r["delta"]) for r in differs},
     {f: (a.get(f, 0), b.get(f, 0), a.get(f, 0) - b.get(f, 0)) for f in a | b}, "one compared with another")
for query in ("calltree > t.svg", "top", "callers of work", "callees of useGen depth 3", "cost of work under g", "info", "info work",
              "path from useGen to work", "files", "classes", "events", "find work", "hide work | calltree",
              "focus work | functions", "ignore work | functions", "collapse by file | functions", "contexts | functions",
              "cut 1% | functions", "calltree > t.html", "calltree | as speedscope", "calltree | as pprof > t.pb.gz",
              "functions | expect self < 1s", "why vs activation 1 of useDeleg"):
    r = run(gen, "-q", "--index", "o.quern", "-c", "activation 1 of useGen | " + query)
    ok(r.status == 0, "... | " + query, r)
r = run(gen, "-q", "--index", "o.quern", "-c", "activation 1 of useGen | hide work | functions | sum | show self | as csv")
same(r.text.split()[1], str(sum(a.values())), "what a stage hides goes to its callers")

# ---------------------------------------------------------------- lines
for name in ("truth/xdebug/composer.xd.xz", "truth/xdebug/gen.xd", "truth/xdebug/fiber.xd", "truth/xdebug/append.xd", "small/xdebug-small.out", "producers/xdebug.out"):
    path = fixtures + "/" + name
    known, text = xdebug.activations(path), xdebug.lines(path)
    wrong = []
    for i in range(4):
        f = dice.choice([a.name for a in known if a.below])
        mine = [a for a in known if a.name == f]
        some = sorted(dice.sample(range(len(mine)), min(len(mine), dice.randint(1, 3))))
        own, sites, todo, met = collections.Counter(), collections.Counter(), [mine[i] for i in some], set()
        while todo:
            a = todo.pop()
            if a.block in met:
                continue
            met.add(a.block)
            todo += a.below
            (number, costs), calls = text[a.block]
            own[a.name, number] += costs[0]
            for (number, costs), b in zip(calls, a.below):
                sites[a.name, b.name, number] += costs[0]
        stage = "activation %s of %s" % (", ".join(str(i + 1) for i in some), quoted(f))
        lines, calls = ask(path, stage + " | lines | show fn, line, self", stage + " | callsites | show caller, callee, line, incl")
        got = collections.Counter()
        for r in lines:
            got[r["fn"], r["line"]] += r["self"]
        wrong += [(stage, k, got[k], own[k]) for k in set(got) | set(own) if got[k] != own[k]]
        got = collections.Counter()
        for r in calls:
            got[r["caller"], r["callee"], r["line"]] += r["incl"]
        wrong += [(stage, k, got[k], sites[k]) for k in set(got) | set(sites) if got[k] != sites[k]]
    ok(not wrong, name + ": lines and call sites", "\n".join(map(str, wrong[:6])))
want = ask(gen, "activation 1 of useGen | lines | show fn, line, self")
for queries in (("lines | count", "activation 2 of work | lines | count"), ("part 1 | lines | count",)):
    same(ask(gen, *queries, "activation 1 of useGen | lines | show fn, line, self")[-1:], want, "lines after " + queries[0])
for query in ("lines of useGen", "source of useGen", "contexts | lines", "collapse by file | lines"):
    r = run(gen, "-q", "--index", "o.quern", "-c", "activation 1 of useGen | " + query)
    ok(r.status == 0, "activation ... | " + query, r)
os.makedirs("src/srv/app")
with open("src/srv/app/gen.php", "w") as f:
    f.write("<?php\n" + "// line\n" * 9)
page = [run(gen, "-q", "--index", "o.quern", "--source-root", "src", "--with-source", "-c", stage + " | functions > page.html") and open("page.html").read()
        for stage in ("activation 1 of useGen", "between 20us and 40us")]
ok("\nL5\t8392\t// line\nC5\t0\t7\t5836 576\n" in page[0], "a page has the lines of what is opened")
ok("\nL2\t" in page[1], "and of a span", re.findall("\nL.*", page[1]))
a, b = ask(gen, "activation 1 of useGen | hide work | lines | sum | show self", "activation 1 of useGen | functions | sum | show self")
same(a, b, "what is hidden is in the lines that call it")
for query in ("lines of g", "source of g", "contexts | lines", "collapse by file | lines", "hide g | lines", "callsites of useGen", "lines vs between 40us and 60us"):
    r = run(gen, "-q", "--index", "o.quern", "-c", "between 20us and 40us | " + query)
    ok(r.status == 0, "between ... | " + query, r)
a, b, c, d = ask(gen, *("between 20us and 40us | hide g | %s | sum | show self" % x for x in ("lines", "functions")),
                 "between 20us and 40us | callsites | group by caller, callee: sum(incl) as incl", "between 20us and 40us | calls | show caller, callee, incl")
same(a, b, "what is hidden is in the lines of a span")
same({(r["caller"], r["callee"]): r["incl"] for r in c}, {(r["caller"], r["callee"]): r["incl"] for r in d}, "call sites are the calls of a span")

# ---------------------------------------------------------------- activations and timeline of what is opened
for name in ("truth/xdebug/composer.xd.xz", "truth/xdebug/gen.xd", "truth/xdebug/fiber.xd", "truth/xdebug/append.xd", "small/xdebug-small.out"):
    path = fixtures + "/" + name
    known = xdebug.activations(path)
    a = dice.choice([a for a in known if a.below])
    mine = [b for b in known if b.name == a.name]
    stage = "activation %d of %s" % (mine.index(a) + 1, quoted(a.name))
    inside, todo = [], [(a, 1)]
    while todo:
        b, depth = todo.pop()
        inside.append((b, depth))
        todo += [(c, depth + 1) for c in b.below[::-1]]
    rows, frames = ask(path, stage + " | activations | show fn, start, incl, self, calls", stage + " | timeline min 0 | show fn, depth, start, incl, self")
    same([tuple(r.values()) for r in rows], [(b.name, b.start[0], b.incl[0], b.own[0], b.calls) for b, _ in inside], name + ": activations")
    same([tuple(r.values()) for r in frames], [(b.name, d, b.start[0] - a.start[0], b.incl[0], b.own[0]) for b, d in inside], name + ": timeline")
    if name == "truth/xdebug/fiber.xd":     # stacks that take turns are drawn as if they did not
        continue
    part = [b for b in known if b.part == a.part]
    whole = sum(b.own[0] for b in part)
    start, end = sorted(dice.sample(range(whole + 1), 2))
    frames, = ask(path, "part %d | between %d and %d | timeline min 0 | show fn, start, incl" % (a.part, start, end))
    cut = [(b.name, max(b.start[0], start) - start, min(b.start[0] + b.incl[0], end) - max(b.start[0], start)) for b in part]
    same(sorted(tuple(r.values()) for r in frames), sorted(c for c in cut if c[2] > 0), name + ": timeline of a span")
refused(run(gen, "-q", "--index", "o.quern", "-c", "hide g | activations"), "not after this graph stage", "activations are those of the profile as it is")

# ---------------------------------------------------------------- spans


MEMORY = "self.Memory_(bytes)"


def part_of(whole, at, length):
    """Of what is spent evenly in `length`, so much in the first `at` of it."""
    return whole if at >= length else 0 if at <= 0 else (2 * whole * at + length) // (2 * length)


def span_of(known, totals, start, end, those=None):
    """Function -> [self of each event, incl, calls] between two times of each part, of these blocks, or of all."""
    out = collections.defaultdict(lambda: [0, 0, 0, 0])
    above = {}
    for a in known:
        for b in a.below:
            above[id(b)] = a
    for a in known:
        if those is not None and a.block not in those:
            continue
        total = totals[a.part]
        inside = lambda t: start <= t and (t < end or (t == total <= end and start < total))
        row = out[a.name]
        row[3] += inside(a.start[0])
        begin = a.begin
        if a.own[0] == 0:
            parts = [c * inside(begin) for c in a.own]
        else:
            parts = [part_of(c, end - begin, a.own[0]) - part_of(c, start - begin, a.own[0]) for c in a.own]
        for e, c in enumerate(parts[:2]):
            row[e] += c
        names, b = set(), a
        while b is not None and (those is None or b.block in those):    # each function that it is below of, once
            if b.name not in names:
                out[b.name][2] += parts[0]
            names.add(b.name)
            b = above.get(id(b))
    return {f: tuple(r) for f, r in out.items()}


def other_run(known, start, end):
    """Function -> incl, and own, and block -> incl, between two times of a run that may have written the same file:
    own costs are spent at other times."""
    out, own, each = collections.Counter(), collections.Counter(), {}
    inside = lambda a, b: max(0, min(b, end) - max(a, start))

    def run_one(a, at, names):
        cuts = sorted(dice.choice((0, a.own[0], dice.randint(0, a.own[0]))) for _ in a.below)
        began, spent = at, 0
        for cut, b in zip(cuts, a.below):
            own[a.name] += inside(at, at + cut - spent)
            at = run_one(b, at + cut - spent, names | {a.name})
            spent = cut
        own[a.name] += inside(at, at + a.own[0] - spent)
        at += a.own[0] - spent
        each[a.block] = inside(began, at)
        if a.name not in names:
            out[a.name] += each[a.block]
        return at

    at = collections.Counter()
    for a in known:
        if a.caller is None:
            at[a.part] = run_one(a, at[a.part], frozenset())
    return out, own, each


def calls_of(known, totals, start, end):
    """Of each call in the order of their starts that has something between two times of each part: number, incl, own,
    calls, block."""
    out = {}
    for a in sorted(known, key=lambda a: a.block):
        total, began = totals[a.part], 0
        inside = lambda t: start <= t and (t < end or (t == total <= end and start < total))
        own = part_of(a.own[0], end - a.begin, a.own[0]) - part_of(a.own[0], start - a.begin, a.own[0])
        there = inside(a.start[0]) or (a.begin < end and start < a.begin + a.own[0] if a.own[0] else inside(a.begin))
        below = [out[b.block] for b in a.below]
        out[a.block] = (own + sum(b[0] for b in below), own, sum(inside(b.start[0]) for b in a.below), there or any(b[3] for b in below))
    return [(i + 1,) + out[a.block][:3] + (a.block,) for i, a in enumerate(known) if out[a.block][3]]


def all_below(a):
    todo = [a]
    while todo:
        a = todo.pop()
        yield a
        todo += a.below


def detail_of(known, text, totals, start, end, those=None):
    """(function, line) -> self, and (caller, callee, line) -> (incl, calls), between two times of each part."""
    own, incl, calls, below = collections.Counter(), collections.Counter(), collections.Counter(), {}
    for a in sorted(known, key=lambda a: a.block):      # a block stands behind those below it
        part = part_of(a.own[0], end - a.begin, a.own[0]) - part_of(a.own[0], start - a.begin, a.own[0])
        (number, _), sites = text[a.block]
        below[a.block] = part + sum(below[b.block] for b in a.below)
        if those is not None and a.block not in those:
            continue
        own[a.name, number] += part
        for (number, _), b in zip(sites, a.below):
            total = totals[b.part]
            incl[a.name, b.name, number] += below[b.block]
            calls[a.name, b.name, number] += start <= b.start[0] and (b.start[0] < end or (b.start[0] == total <= end and start < total))
    return {k: c for k, c in own.items() if c}, {k: (c, calls[k]) for k, c in incl.items() if c or calls[k]}


for name in ("truth/xdebug/composer.xd.xz", "truth/xdebug/gen.xd", "truth/xdebug/fiber.xd", "truth/xdebug/exc.xd", "truth/xdebug/append.xd",
             "small/xdebug-small.out", "producers/xdebug.out"):
    path = fixtures + "/" + name
    known = xdebug.activations(path)
    totals = collections.Counter()
    for a in known:
        totals[a.part] += a.own[0]
    most = max(totals.values())
    two = len(known[0].own) > 1
    cuts = [0] + sorted(dice.randint(1, most - 1) for _ in range(3)) + [most]
    spans = list(zip(cuts, cuts[1:]))
    spans = [x for x in spans if x[0] < x[1]]
    shown = " | functions | show fn, self, incl, lo, hi, calls" + ", self.Memory" * two
    answers = ask(path, *("between %d and %d%s" % (x + (shown,)) for x in spans), "functions | show fn, self, calls" + ", self.Memory" * two)
    wrong, sums = [], collections.defaultdict(lambda: [0, 0, 0])
    for (start, end), rows in zip(spans, answers):
        want = span_of(known, totals, start, end)
        got = {r["fn"]: (r["self"], r.get(MEMORY, 0), r["incl"], r["calls"] or 0) for r in rows}
        want = {f: w if two else (w[0], 0) + w[2:] for f, w in want.items()}
        wrong += [(start, end, f, got.get(f), want.get(f)) for f in set(got) | set(want)
                  if got.get(f, (0, 0, 0, 0)) != want.get(f, (0, 0, 0, 0))]
        for i in range(5):
            true, _, _ = other_run(known, start, end)
            wrong += [(start, end, r, true[r["fn"]]) for r in rows if not r["lo"] <= true[r["fn"]] <= r["hi"] or not r["lo"] <= r["incl"] <= r["hi"]]
        for r in rows:
            sums[r["fn"]] = [x + (r.get(c) or 0) for x, c in zip(sums[r["fn"]], ("self", "calls", MEMORY))]
    ok(not wrong, name + ": spans against the blocks, and bounds against other runs", "\n".join(map(str, wrong[:6])))
    text, wrong, among = xdebug.lines(path), [], {a.block: a for a in known}
    asked = [dice.choice(spans) for _ in range(2)]
    rows = ask(path, *("between %d and %d | activations | show number, fn, incl, self, calls, start, lo, hi" % x for x in asked))
    for (start, end), rows in zip(asked, rows):
        mine = calls_of(known, totals, start, end)
        want = [(n, among[b].name, incl, own, calls, among[b].start[0]) for n, incl, own, calls, b in mine]
        got = [tuple(r.values())[:6] for r in rows]
        wrong += [(start, end, "calls", len(got), len(want), [x for x in zip(got, want) if x[0] != x[1]][:3])] * (got != want)
        for each in [other_run(known, start, end)[2] for _ in range(3)]:
            wrong += [(start, end, "bounds", r, each[m[4]]) for r, m in zip(rows, mine) if not r["lo"] <= each[m[4]] <= r["hi"]]
        wrong += [(start, end, "bounds", r) for r in rows if not r["lo"] <= r["incl"] <= r["hi"]]
        _, incl, _, _, block = dice.choice(mine)
        a = among[block]
        n = [b.block for b in known if b.name == a.name].index(block) + 1
        those = {b.block for b in all_below(a)}
        stage = "between %d and %d | activation %d of %s | " % (start, end, n, quoted(a.name))
        functions, lines, sites, inside, slow, usual = ask(path, *((stage + q) for q in (
            "functions | show fn, self, incl, calls", "lines | show fn, line, self", "callsites | show caller, callee, line, incl, calls",
            "activations | show fn, incl, self, calls")), *(
            "between %d and %d | %s 1 activations of %s | functions of %s | show self, incl" % (start, end, how, quoted(a.name), quoted(a.name))
            for how in ("slowest", "usual")))
        want = span_of(known, totals, start, end, those)
        wrong += [(stage, f, got, want[f]) for f, got in ((r["fn"], (r["self"], 0, r["incl"], r["calls"])) for r in functions)
                  if tuple(want[f][i] for i in (0, 2, 3)) != tuple(got[i] or 0 for i in (0, 2, 3))]
        want = detail_of(known, text, totals, start, end, those)
        got = [collections.Counter(), collections.defaultdict(lambda: (0, 0))]
        for r in lines:
            got[0][r["fn"], r["line"]] += r["self"]
        for r in sites:
            k = r["caller"], r["callee"], r["line"]
            got[1][k] = got[1][k][0] + r["incl"], got[1][k][1] + (r["calls"] or 0)
        wrong += [(stage, k, got[i].get(k), want[i].get(k)) for i in (0, 1) for k in set(got[i]) | set(want[i])
                  if (got[i].get(k) or 0) != (want[i].get(k) or 0) and (got[i].get(k), want[i].get(k)) != ((0, 0), None)]
        want = [(among[b].name, incl, own, calls) for _, incl, own, calls, b in mine if b in those]
        got = [tuple(r.values()) for r in inside]
        wrong += [(stage, got[:9], want[:9])] * (got != want)
        costs = sorted((incl, b) for _, incl, own, _, b in mine if among[b].name == a.name)
        if not any(b.name == a.name for x in known if x.name == a.name for b in all_below(x) if b is not x):
            wrong += [(stage, how, rows, costs) for how, rows, cost in (("slowest", slow, costs[-1]), ("usual", usual, costs[(len(costs) - 1) // 2]))
                      if rows[0]["incl"] != cost[0]]
    ok(not wrong, name + ": calls of a span", "\n".join(map(str, wrong[:6])))
    wrong, both = [], [collections.Counter(), collections.Counter()]
    asked = sum(((" | lines | show fn, line, self, lo, hi, has_self", " | callsites | show caller, callee, line, incl, calls") for _ in spans), ())
    asked = ["between %d and %d%s" % (spans[i // 2] + (q,)) for i, q in enumerate(asked)]
    detail = ask(path, *asked, *("between %d%% and %d%% | callsites | show caller, callee, line, incl" % x for x in ((0, 50), (50, 100))),
                 "lines | show fn, line, self")
    for i, (start, end) in enumerate(spans):
        own, sites = detail_of(known, text, totals, start, end)
        got, alone = [collections.Counter(), collections.Counter(), collections.Counter()], collections.defaultdict(list)
        for r in detail[2 * i]:
            got[0][r["fn"], r["line"]] += r["self"]
            if r["has_self"]:
                alone[r["fn"]].append(r)
        for true in [other_run(known, start, end)[1] for _ in range(3)]:
            wrong += [(start, end, true[f], rows) for f, rows in alone.items() if len(rows) == 1 and
                      not rows[0]["lo"] <= true[f] <= rows[0]["hi"]]
        wrong += [(start, end, r) for r in detail[2 * i] if not r["lo"] <= r["self"] <= r["hi"]]
        for r in detail[2 * i + 1]:
            got[1][r["caller"], r["callee"], r["line"]] += r["incl"]
            got[2][r["caller"], r["callee"], r["line"]] += r["calls"] or 0
        wrong += [(start, end, k, got[0][k], own.get(k)) for k in set(got[0]) | set(own) if got[0][k] != own.get(k, 0)]
        wrong += [(start, end, k, got[1][k], got[2][k], sites.get(k)) for k in set(got[1]) | set(sites)
                  if (got[1][k], got[2][k]) != sites.get(k, (0, 0))]
        both[0] += got[0]
        both[1] += got[1]
    ok(not wrong, name + ": lines and call sites of spans", "\n".join(map(str, wrong[:6])))
    want = [collections.Counter(), collections.Counter()]
    for r in detail[-1]:
        want[0][r["fn"], r["line"]] += r["self"]
    for r in detail[-3] + detail[-2]:
        want[1][r["caller"], r["callee"], r["line"]] += r["incl"]
    same([+c for c in both], [+c for c in want], name + ": lines and call sites add up to the whole")
    same({f: tuple(c) for f, c in sums.items() if any(c)},
         {r["fn"]: (r["self"], r["calls"] or 0, r.get(MEMORY, 0)) for r in answers[-1]},
         name + ": all spans add up to the whole")
for name in ("fiber.xd", "three-fibers.xd", "fibers.xd.xz", "kill.xd", "../../small/xdebug-append-different-scripts.out"):
    answers = ask(truth + name, *("between %d%% and %d%% | functions | show fn, self, self.Memory" % x for x in ((0, 13), (13, 50), (50, 51), (51, 100))),
                  "functions | show fn, self, self.Memory")
    sums = collections.defaultdict(lambda: [0, 0])
    for r in sum(answers[:-1], []):
        sums[r["fn"]] = [sums[r["fn"]][0] + r["self"], sums[r["fn"]][1] + r[MEMORY]]
    want = collections.defaultdict(lambda: [0, 0])
    for r in answers[-1]:
        want[r["fn"]] = [want[r["fn"]][0] + r["self"], want[r["fn"]][1] + r[MEMORY]]
    same({f: c for f, c in sums.items() if any(c)}, {f: c for f, c in want.items() if any(c)},
         name + ": spans add up to the whole")
rows, = ask(truth + "append.xd", "part 2 | between 0 and 50% | functions | sum | show self")
total = sum(a.own[0] for a in xdebug.activations(truth + "append.xd") if a.part == 2)
ok(abs(rows[0]["self"] * 2 - total) <= 1, "of a part", rows)
for query in ("calltree > t.svg", "top", "callers of work", "callees of useGen depth 3", "cost of work under g", "info", "info work",
              "path from useGen to work", "files", "classes", "events", "hide work | calltree", "contexts | functions",
              "focus work | functions", "ignore work | functions", "collapse by file | functions", "calltree > t.html",
              "calltree | as speedscope", "functions vs between 40us and 60us", "why vs between 40us and 60us"):
    r = run(gen, "-q", "--index", "o.quern", "-c", "between 20us and 40us | " + query)
    ok(r.status == 0, "between ... | " + query, r)
r = run(gen, "-q", "--index", "o.quern", "-c", "between 20us and 40us | cost of work under g", "-c", "between 20us and 40us | calltree")
ok("exact  no" in r.text and "~" in r.text.splitlines()[-1] or "~20.0 us" in r.text, "what is inside is an estimate", r)
a, b, c, d = ask(gen, "between 20us and 40us | functions of work | show lo, hi", "between 20us and 40us | cost of work | show est, lo, hi",
                 "between 20us and 40us | hide g | cost of work | show lo, hi", "between 20us and 40us | calltree from work | show est, lo, hi")
ok(b[0]["hi"] == c[0]["hi"] == a[0]["hi"] > b[0]["est"] > 0 == b[0]["lo"], "bounds of a cost in a span are those of its functions", (a, b, c))
ok(d and all(0 <= r["lo"] <= r["est"] <= r["hi"] for r in d), "and of a tree", d)
all_of_it, whole, low, costs = ask(gen, "between 0% and 100% | calltree min 0 | show fn, est, lo, hi, calls, estimated", "calltree min 0 | show fn, est, calls",
                            "between 10% and 60% | calltree depth 3 | show fn, est, lo, hi, estimated", "between 10% and 60% | cost of useGen | show est, lo, hi")
same([(r["fn"], r["est"], r["est"], r["est"], r["calls"], False) for r in whole], [tuple(r.values()) for r in all_of_it], "the tree of a span that is the whole")
known, most = xdebug.activations(gen), 0
total = sum(a.own[0] for a in known)
start, end = (int(total * x + 0.5) for x in (.1, .6))
least = {f: min(other_run(known, start, end)[0][f] for _ in range(20)) for f in ("useGen", "useDeleg")}
ok(low[1]["fn"] == "useGen" and 0 < low[1]["lo"] <= least["useGen"] and low[1]["lo"] == costs[0]["lo"], "a tree has the least that a call costs", (low, least, costs))
total, whole, tree = ask(gen, "between 1% and 99% | functions | show self.Memory | sum", "functions | show fn, incl.Memory",
                         "between 1% and 99% | collapse useGen as x | calltree by Memory min 0 | show fn, est, hi, under")
most = {r["fn"]: r["incl.Memory_(bytes)"] for r in whole}
want = [min(total[0][MEMORY], most[r["fn"] if r["fn"] != "x" else "useGen"]) for r in tree]
ok(len(tree) > 4 and all(r["hi"] >= min([w] + [tree[(r["under"] or 1) - 1]["hi"]] * bool(r["under"])) for r, w in zip(tree, want)), "bounds of another event, by contexts", (tree, want))
with open("falls.xd", "w") as f:
    f.write(open(gen).read().replace("\n3 1184 0\n", "\n3 1184 -64\n"))
a, b = ask("falls.xd", "between 20us and 40us | cost of work by Memory | show lo, hi", "between 20us and 40us | cost of work | show lo, hi")
same((a, b), ([{"lo": None, "hi": None}], [{k: c[0][k] for k in ("lo", "hi")}]), "of an event that falls there are none")
a, b = ask(gen, "activation 1 of useGen | collapse by file | functions | sum | show calls", "activation 1 of useGen | activations | count")
same(a[0]["calls"], b[0]["count"], "the calls of a group, also that which was opened")

# ---------------------------------------------------------------- what cannot be
o = ("-q", "--index", "o.quern", "-c")
refused(run(gen, *o, "activation 10 of work | top"), "work has 9 activations: there is no number 10", "a number that is none")
refused(run(gen, *o, "activation 2 of useGen | top"), "useGen has 1 activation: there is no number 2", "the only one is number 1")
refused(run(gen, *o, "activation 0 of work | top"), "there is no number 0", "numbers begin with 1")
refused(run(gen, *o, "activation 1 of nosuch | top"), "no function matches", "no function")
refused(run(gen, *o, "activation 1 | top"), "'of' is missing", "no `of`")
refused(run(gen, *o, "activation 1 of work | activation 1 of g | top"), "several are one stage: activation 1, 3 of X", "two of them")
refused(run(gen, *o, "between 20us and 40us | between 30us and 60us | top"), "opens a span once", "two spans")
refused(run(gen, *o, "between 20us and 40us | activation 3 of work | top"), "nothing of this lies in the span", "a call outside of the span")
a, b, c = ask(gen, *("%s | functions | show fn, self, lo, hi" % x for x in (
    "between 20us and 60us | activation 1 of useGen", "activation 1 of useGen | between 20us and 60us", "between 20us and 60us | slowest activations of useGen")))
ok(a == b == c and len(a) > 3, "in any order", (a, b, c))
r = run(gen, *o, "between 20us and 60us | activations of work", "-c", ".down 2")
ok(".down" not in r.talk and "between 20us and 60us | activation 3 of work | lines of" in r.talk, "down from a call of a span", r)
r = run(gen, *o, "between 20us and 60us | activation 1 of useGen | functions vs activation 1 of useDeleg", "-c", "between 20us and 60us | activation 1 of useGen | functions vs between 60us and 90us")
ok(r.status == 1 and "nothing of this lies" in r.talk, "a comparison keeps the span", r)
r = run(gen, "-q", "--index", "o.quern", "-c", ".push between 20us and 40us", "-c", "functions | sum | show self | as csv")
ok(r.text.splitlines()[-1] == "2000", "as a filter", r)
refused(run(gen, *o, "between 7us and 5us | top"), "this span is empty", "an empty span")
refused(run(gen, *o, "between 5 | top"), "'and' is missing", "one end")
refused(run(gen, *o, "between 5kB and 7kB | top"), "no such unit", "a unit of memory")
refused(run(gen, *o, "between 1s and 2s | top"), "nothing ran in this span", "after the run")
refused(run(gen, *o, "activation 1 of work | parts"), "does not change what 'parts' lists", "parts are those of the profile")
refused(run(fixtures + "/small/lua-default.out", "-q", "--index", "l.quern", "-c", "activation 1 of main | top"),
        "does not hold its call tree", "a profile without a tree")
text = open(truth + "exc.xd", "rb").read()
want = ask(truth + "exc.xd", "activation 2 of deep | functions")
with open("exc.xd", "wb") as f:
    f.write(text)
with gzip.open("exc.xd.gz", "wb") as f:
    f.write(text)
same(ask("exc.xd.gz", "activation 2 of deep | functions"), want, "a packed profile")
refused(run("-", "-q", "-c", "activation 2 of deep | top", stdin=text), "came through a pipe", "standard input", 3)
same(ask("exc.xd", "activation 2 of deep | functions", options=["--safe"]), want, "--safe")
os.makedirs("else")
run("exc.xd", "-q", "--index", "e.quern", "-c", "functions | count")
shutil.move("exc.xd", "else/exc.xd")
refused(run("e.quern", "-q", "-c", "activation 1 of deep | top"), "read from the profile again", "a profile that is gone", 3)
r = run("else/exc.xd", "-q", "--index", "e.quern", "-c", "activation 2 of deep | functions | count | as csv")
same(r.text, "count\n%d\n" % len(want[0]), "one that was moved")
with open("else/exc.xd", "ab") as f:
    f.write(text)
r = run("else/exc.xd", "-q", "--index", "e.quern", "-c", "activation 1 of deep | functions | count | as csv")
ok(r.status == 0 and r.text.startswith("count\n"), "one that has grown is indexed again", r)
for i, stage in enumerate(("activation 1 of deep", "between 10% and 20%")):
    r = run("else/exc.xd", "-q", "--index", "c%d.quern" % i, "-c", "functions | count ! cat >> else/exc.xd", "-c", stage + " | top")
    ok("has changed since it was indexed" in r.talk, stage + ": one that changes meanwhile", r)
span = "between 10% and 40%"
want = ask(truth + "exc.xd", span + " | functions")
same(ask("exc.xd.gz", span + " | functions"), want, "a span of a packed profile")
refused(run("-", "-q", "-c", span + " | top", stdin=text), "came through a pipe", "of standard input", 3)
shutil.copy(truth + "exc.xd", "gone.xd")
run("gone.xd", "-q", "--index", "gone.quern", "-c", "functions | count")
os.remove("gone.xd")
refused(run("gone.quern", "-q", "-c", span + " | top"), "read from the profile again", "of one that is gone", 3)

# Lines of a span, and of a call in it, are read again as single calls are.
inside = span + " | activation 2 of deep"
queries = [stage + " | " + q for stage in (span, inside) for q in ("lines", "callsites", "source of deep", "activations")]
shutil.copy(truth + "exc.xd", "here.xd")
first = ask("here.xd", *queries)
same(ask("exc.xd.gz", *queries), first, "lines, call sites, source and calls of a span: of a packed profile")
same([[r for r in rows if r.get("kind") != "file"] for rows in ask("here.xd", *queries, options=["--safe"])],
     [[r for r in rows if r.get("kind") != "file"] for rows in first], "under --safe")
for q in queries:
    refused(run("-", "-q", "-c", q, stdin=text), "came through a pipe", q + ": standard input", 3)
run("here.xd", "-q", "--index", "here.quern", "-c", "functions | count")
shutil.move("here.xd", "else/here.xd")
for q in queries:
    refused(run("here.quern", "-q", "-c", q), "read from the profile again", q + ": one that is gone", 3)
r = run("else/here.xd", "-q", "--index", "here.quern", *(a for q in queries for a in ("-c", q + " | count | as csv")))
same(r.text.split()[1::2], [str(len(rows)) for rows in first], "one that was moved")
for i, q in enumerate(queries):
    r = run("else/here.xd", "-q", "--index", "h%d.quern" % i, "-c", "functions | count ! cat >> else/here.xd", "-c", q)
    ok("has changed since it was indexed" in r.talk or "changed since it was indexed" in r.talk, q + ": one that changes meanwhile", r)
shutil.copy(truth + "exc.xd", "else/here.xd")
run("else/here.xd", "-q", "--index", "grown.quern", "-c", "functions | count")
with open("else/here.xd", "ab") as f:
    f.write(text)
shutil.copy("else/here.xd", "both.xd")
r = run("else/here.xd", "-q", "--index", "grown.quern", *(a for q in queries for a in ("-c", q + " | count | as csv")))
both = [str(len(rows)) for rows in ask("both.xd", *queries)]
ok(r.text.split()[1::2] == both and int(both[3]) == 2 * len(first[3]), "one that has grown is indexed again", (r, both))

# ---------------------------------------------------------------- sums beyond 64 bits
# The calls of f spend 6e18, -6e18, 6e18, -6e18; then one -6e18, one 6e18 below h: only some of them do not fit.
def block(fn, own, *calls):
    return "fl=/a.php\nfn=%s\n3 1 %d\n" % (fn, own) + "".join("cfl=/a.php\ncfn=%s\ncalls=1 0 0\n2 1 %d\n" % c for c in calls) + "\n"


HUGE = 6 * 10 ** 18
with open("full.xd", "w") as f:
    f.write("version: 1\ncreator: xdebug 3.2.0\npositions: line\n\nevents: Time_(10ns) Memory_(bytes)\n\n")
    f.write("".join(block("f", m) for m in (HUGE, -HUGE, HUGE, -HUGE)) + "".join(block("f", m) + block("h", 0, ("f", m)) for m in (-HUGE, HUGE)))
    f.write(block("{main}", 0, *(("f", m) for m in (HUGE, -HUGE, HUGE, -HUGE)), ("h", -HUGE), ("h", HUGE)))
for stage, status in (("activation 1, 2 of f | ", 0), ("activation 1, 3, 5 of f or h | ", 4), ("between 0 and 1 | ", 0)):
    for query in ("functions of f by Memory | expect some", "contexts by Memory | expect some", "activations by Memory | expect some", "lines by Memory | expect some"):
        r = run("full.xd", "-q", "--index", "f.quern", "-c", stage + query)
        ok(r.status == status and ("does not fit in 64 bits" in r.talk) == bool(status), stage + query, r)

# ---------------------------------------------------------------- limits
# Many calls of few stacks need little memory, many stacks more.
HEAD = "version: 1\ncreator: xdebug 3.2.0\npositions: line\n\nevents: Time_(10ns)\n\n"
calls = 200000
with open("many.xd", "w") as f:
    f.write(HEAD)
    for i in range(calls):
        f.write("fl=(1) /a.php\nfn=(%d) f%d\n3 %d\n\n" % (i % 5, i % 5, 1 + i % 7))
    f.write("fl=(1)\nfn=(9) {main}\n1 1000\n" + "".join(
        "cfl=(1)\ncfn=(%d)\ncalls=1 0 0\n2 %d\n" % (i % 5, 1 + i % 7) for i in range(calls)) + "\nsummary: %d\n\n" % (4 * calls))
r = run("many.xd", "-q", "--index", "m.quern", "--limit", "memory=3M", "-c", "activation 39999 of f1 | functions | show self | as csv",
        "-c", "between 0 and 400000 | functions | sum | show self | as csv", "-c", "slowest 2 activations of f1 | functions | sum | show self | as csv")
same(r.text.split()[1::2], [str(1 + (39998 * 5 + 1) % 7), "400000", "14"], "many calls of few stacks need little memory")

# A name without a cost is no block: the second call of f is that of the second block below it.
with open("empty.xd", "w") as f:
    f.write(HEAD + "fl=(1) /a.php\nfn=(1) f\n2 10\n\nfl=(1)\nfn=(2) empty\n\nfl=(1)\nfn=(1)\n2 20\n\nfl=(1)\nfn=(3) {main}\n1 100\n"
            "cfl=(1)\ncfn=(1)\ncalls=1 0 0\n5 10\ncfl=(1)\ncfn=(1)\ncalls=1 0 0\n6 20\n\n")
r = run("empty.xd", "-q", "-c", "activation 1 of f | lines | show self | as csv", "-c", "activation 2 of f | lines | show self | as csv", "-c", "between 0 and 130 | lines | sum | show self | as csv")
same(r.text.split()[1::2], ["10", "20", "130"], "a name without a cost is no block")
with open("deep.xd", "w") as f:
    f.write(HEAD + "fl=(1) /a.php\nfn=(1) f\n3 2\n\n" + "fl=(1)\nfn=(1)\n3 1\ncfl=(1)\ncfn=(1)\ncalls=1 0 0\n3 9\n\n" * 100000)
for stage in ("activation 3 of f | functions", "slowest 2 activations of f | functions", "between 10% and 90% | functions",
              "between 10% and 90% | activation 3 of f | functions", "between 10% and 90% | activations", "between 10% and 90% | lines"):
    r = run("deep.xd", "-q", "--index", "d.quern", "--keep-going", "--limit", "memory=3M", "-c", stage + " | count", "-c", "functions | count | as csv")
    ok(r.status == 6 and "--mem" in r.talk and r.text.endswith("1\n"), stage + ": more memory than the limit, and the next answer", r)
for what in ("functions", "lines", "activation 3 of f1 | functions", "activations of f2"):
    with open("script", "w") as f:
        f.write("functions | count\n" + "".join("between %d and %d | %s | count\n" % (i, i + 100000, what) for i in range(5000)))
    p = subprocess.Popen([quern, "many.xd", "-q", "--index", "m.quern", "-f", "script"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environ)
    p.stdout.readline()     # 5,000 spans take minutes
    p.send_signal(signal.SIGINT)
    out, err = p.communicate()
    ok(p.returncode == 130 and b"interrupted" in err, "Ctrl-C ends a span: " + what, (p.returncode, out[-200:], err))
done()
