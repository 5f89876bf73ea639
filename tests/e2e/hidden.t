#!/usr/bin/env python3
"""hidden.t - what `hide` gives to functions, in random programs with levels of recursion.

Hiding moves cost to callers.  So no function spends more than what it cost before, with its calls,
which stays what it was; and as long as the root is not hidden, own costs add up to the whole.
After `ignore`, which estimates both, no function spends more than its inclusive cost, or all.
"""
import collections
import json
import random

from e2e import done, run, same, seed


class Program:
    """Its activations, added up as callgrind does with --separate-recs=3: f, f'2, f'3."""

    def __init__(self, r):
        self.r, self.left = r, r.choice([10, 25, 60])
        self.names = ["f%d" % i for i in range(r.randint(4, 9))]
        self.scale = r.choice([3, 20, 1000, 10 ** 6])
        self.own, self.calls = collections.Counter(), collections.defaultdict(lambda: [0, 0])
        self.incl = collections.Counter()       # of functions, by their stacks
        self.activation(("f0",), ("f0",))

    def activation(self, stack, levels):
        r, cost = self.r, self.r.randint(0, self.scale)
        self.own[levels[-1]] += cost
        for f in set(stack):
            self.incl[f] += cost
        for _ in range(r.randint(1, 4) if len(stack) < 3 else r.randint(0, 3 if len(stack) < 8 else 1)):
            if self.left > 0:
                self.left -= 1
                g = r.choice(self.names[1:])
                level = min(stack.count(g) + 1, 3)
                callee = g + ("'%d" % level if level > 1 else "")
                below = self.activation(stack + (g,), levels + (callee,))
                call = self.calls[levels[-1], callee]
                call[0] += 1
                call[1] += below
                cost += below
        return cost

    def text(self):
        out = ["version: 1", "creator: callgrind-3.19.0", "events: Ir", "fl=a.c"]
        for f, cost in self.own.items():
            out += ["fn=" + f, "1 %d" % cost]
            for (g, callee), (count, incl) in self.calls.items():
                if g == f:
                    out += ["cfn=" + callee, "calls=%d 1" % count, "2 %d" % incl]
        return "\n".join(out + ["totals: %d" % sum(self.own.values())]) + "\n"


def check(n):
    """How many sets were hidden, and what was wrong."""
    p, wrong = Program(random.Random(n)), []
    with open("p.cg", "w", encoding="utf-8") as f:
        f.write(p.text())
    others = sorted(set(p.incl) - {"f0"})
    hidden = [p.r.sample(others, p.r.randint(1, max(1, len(others) // 2))) for _ in range(4) if others]
    asked = ["hide %s | functions | show fn, self, incl" % " or ".join(s) for s in hidden]
    ignored = [q.replace("hide", "ignore", 1) for q in asked]
    r = run("p.cg", "-q", "--format", "json", *[w for q in asked + ignored for w in ("-c", q)])
    answers = [json.loads('{"meta":' + a) for a in r.text.split('{"meta":')[1:]]
    for q, answer in zip(asked, answers):
        for fn, own, incl in answer["rows"]:
            if own > p.incl[fn] or incl > p.incl[fn]:
                wrong.append("program %d: %s: %s: %d, %d of %d" % (n, q, fn, own, incl, p.incl[fn]))
        if sum(row[1] for row in answer["rows"]) != sum(p.own.values()):
            wrong.append("program %d: %s: own costs are not %d" % (n, q, sum(p.own.values())))
    for q, answer in zip(ignored, answers[len(asked):]):
        most = sum(row[1] for row in answer["rows"])
        wrong += ["program %d: %s: %r of %d" % (n, q, row, most) for row in answer["rows"] if not row[1] <= row[2] <= most]
    return len(answers), wrong if len(answers) == 2 * len(hidden) else wrong + ["program %d: %s" % (n, r)]


first, number, wrong = 1000 * seed(), 0, []
for n in range(first, first + 200):
    asked, some = check(n)
    number, wrong = number + asked, wrong + some
same(wrong[:4], [], "%d sets of functions, hidden and ignored" % number)
done()
