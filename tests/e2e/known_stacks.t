#!/usr/bin/env python3
"""known_stacks.t - where the profile knows its stacks, nothing is an estimate.

An Xdebug profile holds its call tree.  A reader of 30 lines (xdebug.py) makes the stacks of it, and
every answer about trees, paths, inclusive costs and stages is compared with sums over these stacks.
"""
import collections
import json
import os
import random

import xdebug
from e2e import done, fixtures, ok, run, same, seed

SEED = seed()
dice = random.Random(SEED)
PROFILES = ["truth/composer-big.xd.zst", "small/xdebug-small.out", "producers/xdebug.out"]


def quoted(name):
    return '"%s"' % name.replace("\\", "\\\\").replace('"', '\\"')


class Asked:
    """Queries that run in one process; each has the rows of its answer as dicts."""

    def __init__(self, profile):
        self.profile, self.queries = profile, []

    def add(self, query, check):
        self.queries.append((query, check))

    def run(self, name):
        """Count what is wrong; the first few are told."""
        with open("asked.q", "w", encoding="utf-8") as f:
            f.writelines(q + " | as json\n" for q, _ in self.queries)
        r = run(self.profile, "-q", "--index", "stacks.quern", "-f", "asked.q")
        text, answers, decode = r.text, [], json.JSONDecoder().raw_decode
        while text.strip():
            found, end = decode(text.lstrip())
            answers.append([dict(zip(found["columns"], row)) for row in found["rows"]])
            text = text.lstrip()[end:]
        wrong, rows = [], 0
        for (query, check), answer in zip(self.queries, answers):
            rows += len(answer)
            wrong += ["%s: %s" % (query, w) for w in check(answer)]
        ok(r.status == 0 and len(answers) == len(self.queries) and rows and not wrong,
           "%s: %d rows of %d queries" % (name, rows, len(self.queries)),
           "seed %d\n%s\n%s" % (SEED, "\n".join(wrong[:20]), r.talk[:500]))
        self.queries = []


def costs_of(stacks):
    """Self and inclusive cost of each function; each cost once."""
    own, incl = collections.Counter(), collections.Counter()
    for stack, cost in stacks.items():
        own[stack[-1]] += cost
        for f in set(stack):
            incl[f] += cost
    return own, incl


def functions_are(stacks):
    own, incl = costs_of(stacks)

    def check(rows):
        for r in rows:
            want = (own[r["fn"]], incl[r["fn"]], incl[r["fn"]], False)
            got = (r["self"], r["incl"], r["lo"], r["estimated"])
            if got != want or r["lo"] != r["hi"]:
                yield "%s: %r, not %r" % (r["fn"], got, want)
        if {f for f in incl if incl[f]} - {r["fn"] for r in rows}:
            yield "some function is in no row"
    return check


def is_sum(want):
    def check(rows):
        for r in rows:
            if (r["est"], r["lo"], r["hi"], r["exact"]) != (want, want, want, True):
                yield "%r, not %d" % (r, want)
    return check


def neighbours_are(f, want):
    def check(rows):
        for r in rows:
            if r["fn"] != f and (r["est"] != want[r["fn"]] or r["lo"] != r["hi"]):
                yield "%s: %r, not %d" % (r["fn"], r["est"], want[r["fn"]])
        if sum(want.values()) != sum(r["est"] for r in rows if r["fn"] != f):
            yield "the rows do not add up"
    return check


def tree_is(stacks, roots=()):
    """Every frame of the tree: its cost, and what it spends itself."""
    frames, own = collections.Counter(), collections.Counter()
    for stack, cost in stacks.items():
        own[stack] += cost
        for n in range(1, len(stack) + 1):
            frames[stack[:n]] += cost

    def check(rows):
        at, seen = [], set()
        for r in rows:
            at = at[:r["depth"] - 1] + [r["fn"]]
            stack = tuple(roots) + tuple(at)
            seen.add(stack)
            if r["est"] != frames[stack] or r["self"] not in (own[stack], None) or r["lo"] != r["hi"]:
                yield "%s: %r, not %d" % (";".join(stack), r["est"], frames[stack])
        if {s for s in frames if frames[s] and len(s) > len(roots)} - seen:
            yield "some stack is in no row"
    return check


def paths_are(want):
    def check(rows):
        found = collections.defaultdict(list)
        for r in rows:
            found[r["path"]].append(r)
        got = {tuple(r["fn"] for r in steps): steps[-1]["est"] for steps in found.values()}
        if got != {k: v for k, v in want.items() if v}:
            yield "%r, not %r" % (got, dict(want))
        if any(r["lo"] != r["hi"] for r in rows):
            yield "some step is an estimate"
    return check


def without(stacks, hidden):
    out = collections.Counter()
    for stack, cost in stacks.items():
        left = tuple(f for f in stack if f != hidden)
        if left:
            out[left] += cost
    return out


def first_calls(stacks, f):
    """What f calls, by its first call on a stack that leaves f."""
    out = collections.Counter()
    for stack, cost in stacks.items():
        if f in stack:
            k = stack.index(f)
            while k < len(stack) and stack[k] == f:
                k += 1
            if k < len(stack):
                out[stack[k]] += cost
    return out


def last_calls(stacks, f):
    """Who calls f, by the last call on a stack that enters f from outside."""
    out = collections.Counter()
    for stack, cost in stacks.items():
        if f in stack:
            k = len(stack) - 1 - stack[::-1].index(f)
            while k and stack[k] == f:
                k -= 1
            if stack[k] != f:
                out[stack[k]] += cost
    return out


def paths_between(stacks, a, b):
    out = collections.Counter()
    for stack, cost in stacks.items():
        if a not in stack:
            continue
        start = stack.index(a)
        for k in range(start + 1, len(stack)):
            if stack[k] in (a, b):
                if stack[k] == b:
                    out[stack[start:k + 1]] += cost
                break
    return out


def compare(name):
    path = fixtures + "/" + name
    stacks = {stack: cost[1] for stack, cost in xdebug.stacks(path).items()}
    own, incl = costs_of(stacks)
    hot = sorted(incl, key=lambda f: (-incl[f], f))[:60]
    some = [dice.choice(hot) for _ in range(16)]
    asked = Asked(path)

    asked.add("functions", functions_are(stacks))
    asked.run(name + ": inclusive costs")
    asked.add("calltree max 1000000", tree_is(stacks))
    asked.run(name + ": the tree")
    for f in some:
        asked.add("callees of " + quoted(f), neighbours_are(f, first_calls(stacks, f)))
        asked.add("callers of " + quoted(f), neighbours_are(f, last_calls(stacks, f)))
    asked.run(name + ": callers and callees")
    for a, b in zip(some, dice.sample(some, len(some))):
        below = {s: c for s, c in stacks.items() if b in s and a in s[s.index(b) + 1:]}
        asked.add("cost of %s under %s" % (quoted(a), quoted(b)), is_sum(sum(below.values())))
    asked.run(name + ": costs below another")
    for f in some[:6]:
        kept = {s: c for s, c in stacks.items() if f in s}
        asked.add("focus " + quoted(f) + " | functions | where incl > 0", functions_are(kept))
        asked.add("ignore " + quoted(f) + " | functions | where incl > 0",
                  functions_are({s: c for s, c in stacks.items() if f not in s}))
        asked.add("hide " + quoted(f) + " | functions | where incl > 0",
                  functions_are(without(stacks, f)))
        asked.add("hide " + quoted(f) + " | calltree max 1000000", tree_is(without(stacks, f)))
    asked.run(name + ": stages")
    for stack in dice.sample([s for s in sorted(stacks) if len(s) > 1], 8):
        a, b = sorted(dice.sample(range(len(stack)), 2))
        if stack[a] != stack[b]:
            asked.add("all paths from %s to %s" % (quoted(stack[a]), quoted(stack[b])),
                      paths_are(paths_between(stacks, stack[a], stack[b])))
    asked.run(name + ": paths")


def group(name):
    """Files cost what runs with any of their functions on the stack."""
    path = fixtures + "/" + name
    r = run(path, "-q", "--index", "group.quern", "-c", "functions | show fn, file | as json")
    file = {row[0]: row[1] for row in json.loads(r.text)["rows"]}
    stacks = collections.Counter()
    for stack, cost in xdebug.stacks(path).items():
        stacks[tuple(file[f] for f in stack)] += cost[1]
    own, incl = costs_of(stacks)
    r = run(path, "-q", "--index", "group.quern", "-c", "files | as json")
    found = json.loads(r.text)
    rows = [dict(zip(found["columns"], row)) for row in found["rows"]]
    same({r["name"]: (r["self"], r["incl"], r["lo"], r["hi"], r["estimated"]) for r in rows},
         {f: (own[f], incl[f], incl[f], incl[f], False) for f in incl}, name + ": files")


def report(name):
    """The flame graph of a report is made of the true stacks, too."""
    path = fixtures + "/" + name
    stacks = {stack: cost[1] for stack, cost in xdebug.stacks(path).items()}
    r = run(path, "-q", "--index", "group.quern", "-c", "functions > report.html")
    ok(r.status == 0, name + ": a report", r)
    frames = []
    with open("report.html", encoding="utf-8") as f:
        for line in f:
            if line.startswith("@0 "):
                frames = frames_of(f)
                break
    shown = collections.Counter()
    for depth, own in frames:
        shown[depth] += own
    want = collections.Counter()
    for stack, cost in stacks.items():
        want[len(stack)] += cost
    same(dict(+shown), dict(+want), name + ": the frames of the report spend what each depth spends")


def frames_of(lines):
    """(depth, own cost) of each frame: they have four numbers, as nothing is an estimate; the first: how many back is
    the one that it lies on."""
    frames = []
    for line in lines:
        numbers = line.split()
        if len(numbers) != 4 or not all(n.isdigit() for n in numbers):
            return frames
        back = int(numbers[0])
        frames.append((frames[-back][0] + 1 if back else 1, int(numbers[3])))


def folded(path, query):
    """What the stacks of a picture spend, by their last frames."""
    r = run(path, "-q", "--index", "group.quern", "-c", query + " | as folded")
    got = collections.Counter()
    for line in r.text.splitlines():
        frames, cost = line.rsplit(" ", 1)
        got[frames.split(";")[-1]] += int(cost)
    return {f: c for f, c in got.items() if c}


def cut(name):
    """A tree that lists some rows says at which functions the cost of all others stays."""
    path = fixtures + "/" + name
    stacks = {stack: cost[1] for stack, cost in xdebug.stacks(path).items()}
    own, _ = costs_of(stacks)
    some = len(stacks) // 2 + 1
    same(folded(path, "calltree max %d" % some), {f: c for f, c in own.items() if c},
         "%s: %d rows leave each cost at its function" % (name, some))
    hot = max(own, key=lambda f: (own[f], f))
    roots = collections.Counter()
    for stack, cost in stacks.items():
        if hot in stack:
            roots[stack[0]] += cost
    same(folded(path, "calltree to %s max %d" % (quoted(hot), some)), dict(+roots),
         "%s: cost of the hottest function ends where its stacks begin" % name)


for profile in PROFILES:
    compare(profile)
    cut(profile)
    group(profile)
    report(profile)

# What collapse made of contexts with several callers is no tree: shares of it are estimates, and say so.
# main - x - a 10, and main - y - x - a 30
blocks = [("a", 10), ("x", 1, "a", 10), ("a", 30), ("x", 1, "a", 30), ("y", 1, "x", 31), ("{main}", 1, "x", 11, "y", 32)]
with open("merged.out", "w") as f:
    f.write("version: 1\ncreator: xdebug 3.2.0 (PHP 8.2.35)\ncmd: /a.php\npart: 1\npositions: line\n\nevents: T\n")
    for fn, own, *calls in blocks:
        f.write("\nfl=/a.php\nfn=%s\n3 %d\n" % (fn, own))
        for callee, cost in zip(calls[::2], calls[1::2]):
            f.write("cfl=/a.php\ncfn=%s\ncalls=1 0 0\n4 %d\n" % (callee, cost))
    f.write("\nsummary: 44\n")
for stage, left in (("focus", 30), ("ignore", 10)):
    for merge, sure in (("", True), ("collapse y as Y | ", True), ("collapse x as G | ", False)):
        r = run("merged.out", "-q", "-c", "%s%s %s | functions of a | show self, estimated | as json" % (merge, stage, "Y" if "Y" in merge else "y"))
        self, estimated = json.loads(r.text)["rows"][0]
        ok(self == left and not estimated if sure else self == left or estimated, merge + stage + ": exact, or an estimate", r)
done()
