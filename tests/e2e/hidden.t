#!/usr/bin/env python3
"""hidden.t - what `hide` gives to functions, in random programs with levels of recursion.

Hiding moves cost to callers.  So no function spends more than what it cost before, with its calls,
which stays what it was; and as long as the root is not hidden, own costs add up to the whole.
After `ignore`, which estimates both, no function spends more than its inclusive cost, or all; after
`focus` none spends more than that; and what the one leaves of its own cost the other takes.  The root
and its calls have what is left.
"""
import collections
import json
import random

from e2e import done, run, same, seed

ROUNDED = 2     # units by which a function's cost may be off


class Program:
    """Its activations, added up as callgrind does with --separate-recs=3: f, f'2, f'3, or without.  They have a second
    event, by which quern tells callers apart."""

    def __init__(self, r):
        self.r, self.left = r, r.choice([10, 25, 60])
        self.names = ["main"] + ["f%d" % i for i in range(1, r.randint(4, 9))]
        self.scale, self.levels = r.choice([3, 20, 1000, 10 ** 6]), r.choice([1, 3])
        self.reads = {f: r.randint(0, 9) for f in self.names}
        self.own, self.read, self.calls = collections.Counter(), collections.Counter(), collections.defaultdict(lambda: [0, 0, 0])
        self.incl = collections.Counter()       # of functions, by their stacks
        self.activation(("main",), ("main",))

    def activation(self, stack, levels):
        r = self.r
        cost = r.randint(0, self.scale)
        costs = [cost, cost * self.reads[stack[-1]] // 4]
        self.own[levels[-1]] += cost
        self.read[levels[-1]] += costs[1]
        for f in set(stack):
            self.incl[f] += cost
        for _ in range(r.randint(1, 4) if len(stack) < 3 else r.randint(0, 3 if len(stack) < 8 else 1)):
            if self.left > 0:
                self.left -= 1
                # Without levels a function calls itself, or later ones.
                g = r.choice(self.names[1 if self.levels > 1 else max(1, self.names.index(stack[-1])):])
                level = min(stack.count(g) + 1, self.levels)
                callee = g + ("'%d" % level if level > 1 else "")
                below = self.activation(stack + (g,), levels + (callee,))
                call = self.calls[levels[-1], callee]
                self.calls[levels[-1], callee] = [n + m for n, m in zip(call, [1] + below)]
                costs = [n + m for n, m in zip(costs, below)]
        return costs

    def functions(self):
        """What each spends itself, its levels together."""
        own = collections.Counter()
        for f, cost in self.own.items():
            own[f.split("'")[0]] += cost
        return own

    def text(self):
        out = ["version: 1", "creator: callgrind-3.19.0", "events: Ir Dr", "fl=a.c"]
        for f, cost in self.own.items():
            out += ["fn=" + f, "1 %d %d" % (cost, self.read[f])]
            for (g, callee), (count, *costs) in self.calls.items():
                if g == f:
                    out += ["cfn=" + callee, "calls=%d 1" % count, "2 %d %d" % tuple(costs)]
        return "\n".join(out + ["totals: %d %d" % (sum(self.own.values()), sum(self.read.values()))]) + "\n"


def check(n):
    """How many sets were hidden, and what was wrong."""
    p, wrong = Program(random.Random(n)), []
    with open("p.cg", "w", encoding="utf-8") as f:
        f.write(p.text())
    others = sorted(set(p.incl) - {"main"})
    hidden = [p.r.sample(others, p.r.randint(1, max(1, len(others) // 2))) for _ in range(4) if others]
    asked = ["hide %s | functions | show fn, self, incl" % " or ".join(s) for s in hidden]
    ignored, focused = ([q.replace("hide", stage, 1) for q in asked] for stage in ("ignore", "focus"))
    begun = [q.split("|")[0] + "| calls | where caller = \"main\" | show incl" for q in ignored]
    r = run("p.cg", "-q", "--format", "json", *[w for q in asked + ignored + focused + begun for w in ("-c", q)])
    answers = [json.loads('{"meta":' + a) for a in r.text.split('{"meta":')[1:]]
    for q, answer in zip(asked, answers):
        for fn, own, incl in answer["rows"]:
            if p.levels > 1 and (own > p.incl[fn] or incl > p.incl[fn]):
                wrong.append("program %d: %s: %s: %d, %d of %d" % (n, q, fn, own, incl, p.incl[fn]))
        if sum(row[1] for row in answer["rows"]) != sum(p.own.values()):
            wrong.append("program %d: %s: own costs are not %d" % (n, q, sum(p.own.values())))
    for q, answer in zip(ignored, answers[len(asked):]):
        most = sum(row[1] for row in answer["rows"])
        wrong += ["program %d: %s: %r of %d" % (n, q, row, most) for row in answer["rows"] if not row[1] <= row[2] <= most]
    for q, answer in zip(focused, answers[2 * len(asked):]):
        wrong += ["program %d: %s: %r" % (n, q, row) for row in answer["rows"] if row[1] > row[2]]
    for q, ignore, focus in zip(ignored, answers[len(asked):], answers[2 * len(asked):]):
        own = collections.Counter()
        for answer in (ignore, focus):
            own.update({fn: cost for fn, cost, _ in answer["rows"]})
        wrong += ["program %d: %s: %s has %d of %d" % (n, q, fn, own[fn], cost) for fn, cost in p.functions().items() if own[fn] != cost]
    for q, ignore, calls in zip(ignored, answers[len(asked):], answers[3 * len(asked):]):
        own = {fn: cost for fn, cost, _ in ignore["rows"]}
        most, first = sum(own.values()), own.get("main", 0) + sum(incl for incl, in calls["rows"])
        if abs(first - most) > ROUNDED * (len(own) + 1):
            wrong.append("program %d: %s: %d pass main, %d are left" % (n, q, first, most))
    return len(answers), wrong if len(answers) == 4 * len(hidden) else wrong + ["program %d: %s" % (n, r)]


first, number, wrong = 1000 * seed(), 0, []
for n in range(first, first + 200):
    asked, some = check(n)
    number, wrong = number + asked, wrong + some
same(wrong[:4], [], "%d sets of functions, hidden, ignored, focused" % number)
done()
