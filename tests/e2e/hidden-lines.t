#!/usr/bin/env python3
"""hidden-lines.t - what `hide` gives to lines, in random programs whose every call is known.

The lines of a function add up to what it spends.  A call that leads to no visible function is hidden
whole, so that its line has what the profile says.  Where stacks are known each line that is no
estimate is compared with the calls themselves, and only such lines are estimates as have one of
several calls of the same function.  So is what is left of such calls, in `source`.
"""
import collections
import json
import os
import random
import sys

from e2e import done, run, same, seed, top

sys.path.insert(0, os.path.join(top, "tests", "evaluator"))
from calls import Run                                                         # noqa: E402
from program import Program                                                   # noqa: E402

KINDS = ("tree", "graph", "recursive", "levels", "callers", "calls")


def ask(queries):
    """The rows of each; [] where a part lacks the function."""
    r = run("p.cg", "-q", "--format", "json", "--keep-going", *[w for q in queries for w in ("-c", q)])
    answers = [json.loads('{"meta":' + a) for a in r.text.split('{"meta":')[1:]]
    by_query = {a["meta"]["query"]: a["rows"] for a in answers}
    return [by_query.get(q, []) for q in queries]


def inner(a, hidden):
    """What a hidden call spends before a visible one."""
    return a.own[0] + sum(inner(b, hidden) for _, b in a.below if b.fn.name in hidden)


def true_lines(p, name, hidden):
    """Of a run: line -> what the function spends there; the lines of which no single call is known."""
    cost, sites, some = collections.Counter(), collections.defaultdict(set), set()
    for a in p.calls:
        if a.fn.name != name:
            continue
        cost[a.fn.line] += a.own[0]
        for line, b in a.below:
            if b.fn.name in hidden:
                cost[line] += inner(b, hidden)
                sites[b.fn.name].add(line)
    for lines in sites.values():
        some |= lines if len(lines) > 1 else set()
    return cost, some


def true_rest(p, name, hidden):
    """Of calls of hidden functions by that one: (line, callee) -> what visible ones spend below."""
    rest = collections.Counter()
    for a in p.calls:
        for line, b in a.below if a.fn.name == name else ():
            if b.fn.name in hidden:
                rest[line, b.fn.name] += b.incl[0] - inner(b, hidden)
    return rest


def check(kind, n):
    rng = random.Random(n)
    p, wrong = Run(n) if kind == "calls" else Program(rng, kind), []
    if getattr(p, "fibers", False):
        return 0, []        # which of their calls are on which stack is not always known
    with open("p.cg", "w", encoding="utf-8") as f:
        f.write(p.text())
    functions, = ask(["functions | show id, fn"])
    if len(functions) < 2:
        return 0, []
    name = dict(functions)
    asked = []
    for _ in range(2):
        hidden = rng.sample(sorted(name), min(len(name) - 1, rng.choice((1, 1, 2, 3))))
        stage = (" | hide " if rng.random() < .4 else ", ").join("#%d" % f for f in hidden)
        part = "part %d | " % rng.choice(p.parts)[0] if len(p.parts) > 1 and rng.random() < .3 else ""
        stage = part + "hide " + stage
        asked.append((stage + " | functions | show id, self, estimated", None, None, None))
        asked.append((stage.replace(", ", " | hide ") + " | functions | show id, self, estimated", "twice", None, None))
        if kind == "calls" and not part:
            asked += [(stage + " | source of #%d | where kind = \"call\" | show line, incl, estimated, callee" % f, f, "source", hidden)
                      for f in sorted(name) if f not in hidden]
        asked += [(stage + " | lines of #%d | show line, self, estimated" % f, f, part, hidden) for f in sorted(name) if f not in hidden]
    answers = ask([a[0] for a in asked])
    for (q, f, part, hidden), rows in zip(asked, answers):
        if f is None:
            own = {row[0]: row[1:] for row in rows}
            continue
        if f == "twice":    # hide a | hide b is hide a, b
            wrong += [] if not rows or {row[0]: row[1:] for row in rows} == own else ["%s %d: %s: %r" % (kind, n, q, rows)]
            continue
        if part == "source":
            gone = {name[h] for h in hidden}
            rest, some = true_rest(p, name[f], gone), true_lines(p, name[f], gone)[1]
            wrong += ["%s %d: %s: %r, true %d" % (kind, n, q, row, rest[row[0], row[3]]) for row in rows if row[3] in gone
                      if (row[0] not in some if row[2] else row[1] != rest[row[0], row[3]])]
            continue
        if f not in own or not rows:
            continue
        total, about = own[f]
        if sum(row[1] or 0 for row in rows) != total:
            wrong.append("%s %d: %s: %r of %d" % (kind, n, q, rows, total))
        if kind != "calls":
            if not about and any(row[2] for row in rows):
                wrong.append("%s %d: %s: %r, exact %d" % (kind, n, q, rows, total))
        elif not part:
            truth, some = true_lines(p, name[f], {name[h] for h in hidden})
            wrong += ["%s %d: %s: %r, true %d" % (kind, n, q, row, truth[row[0]]) for row in rows
                      if (row[0] not in some if row[2] else row[1] is not None and row[1] != truth[row[0]])]
    return len(answers), wrong


first, number, wrong = 1000 * seed(), 0, []
for kind in KINDS:
    for n in range(first, first + 15):
        asked, some = check(kind, n)
        number, wrong = number + asked, wrong + some
same(wrong[:4], [], "%d tables of lines and functions" % number)
same(number > 300, True, "enough of them")
done()
