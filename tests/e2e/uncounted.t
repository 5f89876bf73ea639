#!/usr/bin/env python3
"""uncounted.t - calls of which some were not counted, in profiles by chance.

A call line may say -1, ? or a fraction: nobody counted.  A sum with such a call is not known:
of an edge with several call lines, of a function, a file, a set, in one part or several.  The
same is worked out here from the lines written, and compared cell by cell.
"""
import json
import random

from e2e import PATIENCE, done, run, same, seed

FILES = ["a.c", "b.c"]


class Program:
    def __init__(self, r):
        self.fns = ["f%d" % i for i in range(r.randint(4, 8))]
        self.file = {f: r.choice(FILES) for f in self.fns}
        self.made_by = r.random() < .4      # callgrind: its 0 is counted
        self.unknown = r.choice([.05, .2, .5])
        self.own = {}                       # (part, function) -> cost
        self.calls = []                     # (part, caller, line, callee, count or None, cost)
        self.parts = r.choice([1, 1, 2, 3])
        for part in range(self.parts):
            made = {}
            self.activation(r, part, self.fns[0], 0, made)
            for (caller, line, callee), costs in made.items():
                while costs:                # some calls of one place have a line each
                    n = r.randint(1, len(costs))
                    count = None if r.random() < self.unknown else 0 if self.made_by and r.random() < .1 else n
                    self.calls.append((part, caller, line, callee, count, sum(costs[:n])))
                    costs = costs[n:]
            r.shuffle(self.calls)

    def activation(self, r, part, f, depth, made):
        """Run f: its own cost, and the calls that it makes.  Returns its inclusive cost."""
        cost = r.randint(1, 9)
        self.own[part, f] = self.own.get((part, f), 0) + cost
        for _ in range(r.randint(0, 4 - depth) if depth else 4):
            g, line = r.choice(self.fns[1:]), r.randint(1, 4)
            below = self.activation(r, part, g, depth + 1, made)
            made.setdefault((f, line, g), []).append(below)
            cost += below
        return cost

    def text(self, r):
        out = ["version: 1"] + ["creator: callgrind-3.19.0"] * self.made_by
        for part in range(self.parts):
            out += ["part: %d" % (part + 1), "events: Ir"]
            for f in self.fns:
                if (part, f) not in self.own:
                    continue
                out += ["fl=" + self.file[f], "fn=" + f, "%d %d" % (r.randint(1, 6), self.own[part, f])]
                for p, caller, line, callee, count, cost in self.calls:
                    if p == part and caller == f:
                        said = r.choice(["-1", "?", "1.5"]) if count is None else count
                        out += ["cfi=" + self.file[callee], "cfn=" + callee, "calls=%s 1" % said, "%d %d" % (line, cost)]
        return "\n".join(out) + "\n"


class Answers:
    """What the calls of some parts add up to."""

    def __init__(self, program, parts):
        self.p = program
        self.ran = [f for f in program.fns if any((i, f) in program.own for i in parts)]
        self.all = [c for c in program.calls if c[0] in parts]
        edges = self.sums(program.calls, lambda c: (c[1], c[3]), False)
        self.zeros = program.made_by and None not in edges.values()
        self.counts = any(edges.values()) or self.zeros or not edges

    def sums(self, calls, key, zero_is_unknown):
        found = {}
        for c in calls:
            found.setdefault(key(c), []).append(c[4])
        return {k: None if None in v or (zero_is_unknown and not sum(v)) else sum(v) for k, v in found.items()}

    def total(self, counts):
        return None if None in counts or not self.counts else sum(counts)

    def edges(self):
        found = self.sums(self.all, lambda c: (c[1], c[3]), not self.zeros)
        return {k: v if self.counts else None for k, v in found.items()}

    def calls_of(self, wanted):
        return self.total([v for k, v in self.edges().items() if wanted(*k)])

    def functions(self):
        return {f: self.calls_of(lambda _, g: g == f) for f in self.ran}

    def sites(self):
        found = self.sums(self.all, lambda c: (c[1], c[3], c[2]), not self.zeros)
        return {k: v if self.counts else None for k, v in found.items()}

    def lines(self):
        found = {}
        for (f, _, line), n in self.sites().items():
            found.setdefault((f, line), []).append(n)
        return {k: self.total(v) for k, v in found.items()}


def ask(path, *queries):
    args = [w for q in queries for w in ("-c", q)]
    r = run(path, "-q", "--format", "ndjson", *PATIENCE, *args)
    return [json.loads(line) for line in r.text.splitlines()], r


def table(rows, *columns):
    """The calls of rows by their keys; an answer of several rows for one key is none."""
    got = {}
    for row in rows:
        key = tuple(row[c] for c in columns[:-1])
        got[key[0] if len(key) == 1 else key] = "twice" if key in got else row[columns[-1]]
    return got


def check(n):
    r = random.Random(first + n)
    p = Program(r)
    path = "u%d.cg" % n
    with open(path, "w", encoding="utf-8") as f:
        f.write(p.text(r))
    wrong = []

    def compare(query, columns, want):
        global asked
        rows, answer = ask(path, query)
        got = table(rows, *columns)
        asked += len(want)
        if got != want:
            wrong.append("%s: %r\n  got  %r\n  want %r\n%s" % (path, query, got, want, answer.err))

    some = sorted(r.sample(range(p.parts), r.randint(1, p.parts)))
    for parts in [range(p.parts)] + [some] * (p.parts > 1):
        stage = "" if parts == range(p.parts) else "part %s | " % ",".join(str(i + 1) for i in parts)
        a = Answers(p, parts)
        fns = a.functions()
        if len(fns) < 2:
            continue
        compare(stage + "functions", ["fn", "calls"], fns)
        compare(stage + "calls", ["caller", "callee", "calls"], a.edges())
        compare(stage + "callsites", ["caller", "callee", "line", "calls"], a.sites())
        rows, _ = ask(path, stage + "lines")
        lines = table(rows, "fn", "line", "calls_out")
        compare(stage + "lines", ["fn", "line", "calls_out"], {**{k: 0 if a.counts else None for k in lines}, **a.lines()})
        compare(stage + "functions | group by file: sum(calls)", ["file", "sum(calls)"],
                {f: a.total([fns[g] for g in fns if p.file[g] == f]) for f in {p.file[g] for g in fns}})
        compare(stage + "functions | sum | show calls, \"all\" as k", ["k", "calls"], {"all": a.total(list(fns.values()))})
        for f in r.sample(list(fns), 2):
            up = {c: n for (c, g), n in a.edges().items() if g == f and c != f}
            down = {g: n for (c, g), n in a.edges().items() if c == f and g != f}
            compare(stage + "callers of %s | where fn != \"%s\"" % (f, f), ["fn", "calls"], up)
            compare(stage + "callees of %s | where fn != \"%s\"" % (f, f), ["fn", "calls"], down)
        one, two = r.sample(list(fns), 2)
        compare(stage + "collapse (%s or %s) as xy | functions of xy" % (one, two), ["fn", "calls"],
                {"xy": a.calls_of(lambda _, g: g in (one, two))})
        compare(stage + "collapse (%s or %s) as xy | calls | where caller = \"xy\" and callee != \"xy\"" % (one, two), ["callee", "calls"],
                {g: a.calls_of(lambda c, h: c in (one, two) and h == g) for (c, g) in a.edges() if c in (one, two) and g not in (one, two)})
    whole = Answers(p, range(p.parts))
    one = r.choice(list(whole.functions()))
    compare("parts of " + one, ["part", "calls"],
            {i + 1: Answers(p, [i]).functions().get(one, 0) for i in range(p.parts)})
    run(path, "-q", "-c", "functions > out.callgrind")
    rows, _ = ask("out.callgrind", "calls")
    back = table(rows, "caller", "callee", "calls")
    if back != whole.edges():
        wrong.append("%s: as callgrind: %r" % (path, sorted(set(back.items()) ^ set(whole.edges().items()), key=str)))
    return wrong


first = 1000 * seed()
asked, wrong = 0, []
for n in range(20):
    wrong += check(n)
same(wrong[:3], [], "%d cells of 20 programs" % asked)
done()
