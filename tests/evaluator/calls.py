"""calls.py - random runs whose every call is known, their profiles as Xdebug writes them, and
what is left of a run when calls of it are opened, or a span.

A block is one call, written when it returns.  Stacks of fibers take turns, so their blocks do,
too.  A call began where the first block below it begins, and spends its own cost last.

Of a span that is one of many runs which would have written this file: bounds are compared
with others, too (Runs).
"""
import random

from graph import Graph
from program import Function, ODD, PLAIN, add
from reader import Part
from view import Near, View

FILES = ("/srv/app/a.php", "/srv/app/lib/b.php", "/srv/vendor/acme/c.php")
OTHERS = 3      # runs beside that of the file
PARTS = 3       # into which a run is cut, to be added up


class Call:
    def __init__(self, fn, own, below):
        self.fn, self.own, self.below = fn, own, below      # below: [(line, Call)]
        self.incl = [sum(c) for c in zip(own, *(b.incl for _, b in below))]
        self.caller, self.depth = None, 1
        for _, b in below:
            b.caller = self

    def all(self):
        """Itself and all below it, callers first."""
        todo = [self]
        while todo:
            a = todo.pop()
            yield a
            todo += [b for _, b in a.below]

    def stack(self, top=None):
        above = () if self is top or not self.caller else self.caller.stack(top)
        return above + (self.fn.key,)


class Run:
    """As program.Program: what World asks of it.  calls: in the order in which they began."""
    shape, callers, formulas = "calls", 0, []

    def __init__(self, seed, again=None):
        """again: how the same functions run another time; None: the first."""
        self.rng = rng = random.Random(seed)
        self.events = rng.choice((["Time"], ["Time", "Memory"]))
        self.fibers = rng.random() < 0.25
        names = list(PLAIN[1:]) + [n for n in ODD if "'" not in n]
        names = ["main"] + rng.sample(names, rng.randint(3, 9)) + ["Fiber->start"] * self.fibers
        self.functions = [Function(n, (rng.choice(FILES), "???")) for n in names]
        for i, f in enumerate(self.functions):
            f.line, f.key = 10 * (i + 1), ("???", f.file, f.name)
        self.scale = 10 ** 7 if self.fibers else rng.choice((3, 10, 1000, 10 ** 7))
        self.nests = rng.random() < 0.6
        self.rng = again or rng
        self.parts = [(n + 1, 0) for n in range(rng.choice((1, 1, 2, 3)))]
        self.blocks, self.calls = [], []
        for part, _ in self.parts:
            self._part(part)
        self.signed = False
        self.stacks, self.placed = {}, {}
        for a in self.calls:
            add(self.stacks, (a.part - 1, tuple(by_key(self.functions, k) for k in a.stack())), a.own)

    def _part(self, part):
        rng, self.left = self.rng, self.rng.choice((10, 40, 120))
        roots = [self._call(0, 1)] + [self._call(rng.randrange(len(self.functions)), 1) for _ in range(2 * self.fibers)]
        stacks = [list(in_order_of_return(r)) for r in roots]
        blocks, at = [], [0] * len(self.events)
        while any(stacks):
            some = rng.choice([s for s in stacks if s])
            blocks += [some.pop(0) for _ in range(min(len(some), rng.randint(1, 4)))]
        for a in blocks:
            a.block, a.part = len(self.blocks), part
            self.blocks.append(a)
            a.begin, at = at, [x + y for x, y in zip(at, a.own)]
            first = min([a] + [b for _, b in a.below], key=lambda b: getattr(b, "first", b.block))
            a.first, a.start = (a.block, a.begin) if first is a else (first.first, first.start)
        for r in roots:
            for a in r.all():
                for _, b in a.below:
                    b.depth = a.depth + 1
        self.calls += sorted(blocks, key=lambda a: (a.first, a.depth))
        self.total = getattr(self, "total", {})
        self.total[part] = at[0]

    def _call(self, i, depth):
        rng, below = self.rng, []
        for _ in range(rng.randint(1, 5) if depth < 3 else rng.randint(0, 2)):
            those = range(1, len(self.functions)) if self.nests and rng.random() < 0.4 else range(i + 1, len(self.functions))
            if self.left > 0 and depth < 10 and those:
                self.left -= 1
                j = rng.choice(those)
                below.append((self.functions[i].line + rng.randint(1, 4), j))
        own = [0 if rng.random() < 0.1 and not self.fibers else rng.randint(1, self.scale) for _ in self.events]
        return Call(self.functions[i], own, [(line, self._call(j, depth + 1)) for line, j in below])

    def text(self):
        out = []
        for part, _ in self.parts:
            out += ["==== NEW PROFILING FILE =============================================="] * (len(self.parts) > 1)
            out += ["version: 1", "creator: xdebug 3.2.0 (PHP 8.2.36)", "cmd: /srv/app/a.php", "part: 1",
                    "positions: line", "", "events: " + " ".join(self.events), ""]
            for a in self.blocks:
                if a.part == part:
                    out += ["fl=" + a.fn.file, "fn=" + a.fn.name, "%d %s" % (a.fn.line, " ".join(map(str, a.own)))]
                    for line, b in a.below:
                        out += ["cfl=" + b.fn.file, "cfn=" + b.fn.name, "calls=1 0 0", "%d %s" % (line, " ".join(map(str, b.incl)))]
                    out.append("")
            out += ["summary: %d 0" % self.total[part], ""]
        return "\n".join(out) + "\n"


def in_order_of_return(a):
    for _, b in a.below:
        yield from in_order_of_return(b)
    yield a


def by_key(functions, key):
    return next(f for f in functions if f.key == key)


class Runs(list):
    """Costs of a stack in a span: of the run in the file, then of others."""


class Known(View):
    """Where all stacks are known, nothing is an estimate."""
    other = 0       # the run at hand, of a span

    def __init__(self, *arguments, **keywords):
        super().__init__(*arguments, **keywords)
        of, n = self.world.profile.cost, len(self.world.events)
        self.cost = lambda event, costs: of(event, costs[Known.other * n:]) if isinstance(costs, Runs) else of(event, costs)
        self.by_time = False    # calls were chosen by their costs in the first event
        self.pick = self.ends = None
        self.inside, self.shares = None, None   # ids of calls, None: all; of a span: id -> Share
        if self.below:
            self.times, self.opens, self.by_time = self.below.times, self.below.opens, self.below.by_time

    @classmethod
    def whole(cls, world, parts=None):
        made = super().whole(world, parts)
        numbers, made.times = {p.number for p in made.parts}, {}
        for a in world.program.calls:   # those that nothing calls, too
            if a.part in numbers:
                made.times[a.fn.key] = made.times.get(a.fn.key, 0) + 1
        return made

    def merge(self, group):
        made = super().merge(group)
        # Calls of a group by itself are inside it; a function in itself is as deep as it was.
        made.stacks = [(tuple(f for f, above in zip(s, (None,) + s) if f != above or f in self.world.number), c) for s, c in made.stacks]
        if self.times is not None:
            made.times = {}
            for f, n in self.times.items():
                made.times[group[f]] = made.times.get(group[f], 0) + n
        return made

    def filter(self, run, of_stack, gone=frozenset()):
        made = Known(self.world, self.parts, self.graph, [(of_stack(s), c) for s, c in self.stacks], None, self, run)
        costly = {f for s, c in made.stacks if any(c[:len(self.world.events)]) for f in s}
        there = {f for s, c in made.stacks for f in s}
        made.group = {f: g for f, g in self.group.items() if g in costly and g not in gone}
        made.gone = set(gone) | self.gone
        made.doubted = there != costly or bool(set(self.group.values()) - there - gone and self.opens == "span")
        return made

    def left(self, event):
        return sum(self.cost(event, c) for s, c in self.stacks if s)

    def incl_law(self, those, event, grouped=False):
        return None

    def rounded(self, event, functions):
        return 0

    def near(self, x, truth, event, functions=1):
        return Near(None, truth, 1 if self.opens == "span" else None)

    def wrong(self, source, got):
        """Of a span in other runs, too, if they are of its event."""
        why = source.wrong(got)
        if why:
            return why
        for Known.other in range(1, 1 + OTHERS * (self.opens == "span" and source.by == self.world.events[0] and not self.world.program.fibers)):
            if source.kind in ("tree", "cost", "path"):
                why = why or source.wrong(got)
            elif source.kind in ("functions", "groups") and not self.filtered:
                why = why or self._of_other_run(source, got)
        Known.other = 0
        return why and "of another run: " + why

    def _of_other_run(self, source, got):
        for row in got if not self.merged else ():
            if source.kind == "functions" and "lo" in row:
                those = {(row["obj"], row["file"], row["fn"])}
                truth = self.truth(source.by, lambda stack: those & set(stack))
                if not row["lo"] <= truth <= row["hi"]:
                    return "in another run %d: %r" % (truth, row)
        return None


# ---------------------------------------------------------------- what stages open

def view_of(world, parts, stacks, times, opens):
    made = Known(world, parts, Graph.of_profile(parts), stacks)
    made.times, made.opens = times, opens
    return made


def opened(world, picked):
    """These calls, and all below them, each once."""
    tops = tops_of(picked)
    parts = {p.number: Part(p.number, p.pid, p.thread) for p in world.profile.parts}
    stacks, times = [], {}
    for top in tops:
        for a in top.all():
            part = parts[a.part]
            add(part.self, (a.fn.key, a.fn.file, a.fn.line), a.own)
            stacks.append((a.stack(top), a.own))
            times[a.fn.key] = times.get(a.fn.key, 0) + 1
            for line, b in a.below:
                add(part.sites, (a.fn.key, a.fn.file, line, b.fn.key), [1] + b.incl)
    made = view_of(world, [p for p in parts.values() if p.self], stacks, times, "calls")
    made.inside = {id(a) for top in tops for a in top.all()}
    return made


def tops_of(picked):
    inside = {id(b) for a in picked for b in a.all() if b is not a}
    return [a for a in dict.fromkeys(picked) if id(a) not in inside]


def activations(view, those, event):
    """The rows of `activations`: calls in the order of their starts, numbered also outside a span."""
    run, parts, rows, number = view.world.program, {p.number for p in view.parts}, [], 0
    cost = view.world.profile.cost
    for a in run.calls:
        if a.fn.key not in those or (id(a) not in view.inside if view.inside is not None else a.part not in parts):
            continue
        number += 1
        share = view.shares and view.shares[id(a)]
        if share and not share.there:
            continue
        row = {"number": number, "depth": a.depth, "calls": share.calls if share else len(a.below), "fn": a.fn.name,
               "caller": a.caller and a.caller.fn.name, "part": a.part}
        for e in [event] + view.world.events:
            for name, costs in (("start", a.start), ("self", (share or a).own), ("incl", (share or a).incl)):
                row[name if e is event else name + "." + e] = cost(e, costs)
        if share:
            row["others"] = share.incl_others
        rows.append(row)
    return rows


def bounds_wrong(want, got, fibers):
    """lo and hi of the calls in a span, against other runs."""
    for w, g in zip(want, got):
        others = [] if fibers else w["others"]
        if not all(g["lo"] <= x <= g["hi"] for x in [w["incl"]] + others):
            return "%r is not within the bounds of %r" % (w, g)
        if not g["estimated"] and any(x != g["incl"] for x in others):
            return "no estimate: %r, of other runs %r" % (g, others)
    return None


def part_before(whole, at, length):
    return whole if at >= length else 0 if at <= 0 else (2 * whole * at + length) // (2 * length)


class Share:
    """What of a call lies in a span: its own costs, and with its calls; of other runs the first event."""

    def __init__(self, a, ends, total, others, shares):
        start, end = ends
        begin, own = a.begin[0], a.own[0]
        inside = lambda t: start <= t and (t < end or (t == total <= end and start < total))
        self.own = [part_before(c, end - begin, own) - part_before(c, start - begin, own) if own else c * inside(begin) for c in a.own]
        self.began = inside(a.start[0])
        self.has_own = begin < end and start < begin + own if own else inside(begin)
        below = [shares[id(b)] for _, b in a.below]
        self.incl = [sum(c) for c in zip(self.own, *(b.incl for b in below))]
        self.calls = sum(b.began for b in below)
        self.there = self.began or self.has_own or any(b.there for b in below)
        self.others = [other[id(a)] for other in others]
        self.incl_others = [sum(c) for c in zip(self.others, *(b.incl_others for b in below))]


def span(world, those, ends, picked=None):
    """Of each part in `those`, what lies between ends[part]; of these calls and all below them, if some are picked."""
    parts = {p.number: Part(p.number, p.pid, p.thread) for p in world.profile.parts if p.number in those}
    run, stacks, times, n, shares = world.program, [], {}, len(world.events), {}
    others = [other_run(run, ends) for _ in range(OTHERS)]
    for a in run.blocks:    # after those below it
        if a.part in those:
            shares[id(a)] = Share(a, ends[a.part], run.total[a.part], others, shares)
    tops = tops_of(picked) if picked else [a for a in run.calls if not a.caller and a.part in those]
    inside = {}
    for top in tops:
        inside.update(dict.fromkeys(map(id, top.all()), top))
    for a in run.calls:
        if id(a) not in inside:
            continue
        share, top = shares[id(a)], inside[id(a)]
        all_costs = Runs(share.own)
        for other in share.others:
            all_costs += [other] + [0] * (n - 1)
        stacks.append((a.stack(top), all_costs))
        if share.has_own:
            add(parts[a.part].self, (a.fn.key, a.fn.file, a.fn.line), share.own)
        if share.began or share.has_own:
            part = parts[a.part]
            times[a.fn.key] = times.get(a.fn.key, 0) + share.began
            add_calls(part, a, top, share.began, share.own)
    made = view_of(world, [p for p in parts.values() if p.self], stacks, times, "span")
    made.inside, made.shares, made.ends = set(inside), shares, ends
    return made


def add_calls(part, a, top, began, costs):
    """Those that lead to it."""
    while a is not top:
        line = next(line for line, b in a.caller.below if b is a)
        add(part.sites, (a.caller.fn.key, a.caller.fn.file, line, a.fn.key), [int(began)] + costs)
        a, began = a.caller, False


def other_run(run, ends):
    """id of a call -> what it spends itself in the span, if own costs are spent at other times."""
    rng, out = run.rng, {}

    def spend(a, at, cost):
        start, end = ends[a.part]
        out[id(a)] += max(0, min(at + cost, end) - max(at, start))
        return at + cost

    def one(a, at):
        out[id(a)] = spent = 0
        for cut, (_, b) in zip(sorted(rng.choice((0, a.own[0], rng.randint(0, a.own[0]))) for _ in a.below), a.below):
            at, spent = spend(a, at, cut - spent), cut
            at = one(b, at)
        return spend(a, at, a.own[0] - spent)

    at = {}
    for a in run.calls:
        out.setdefault(id(a), 0)
        if not a.caller and a.part in ends:
            at[a.part] = one(a, at.get(a.part, 0))
    return out


def stage(asker, parts):
    """A random stage that opens calls, a span, or calls in a span, of these parts: (text, View)."""
    rng = asker.rng
    ends = text = None
    if rng.random() < 0.55:
        text, ends = some_span(asker, parts)
        if not text:
            return None, None
        if rng.random() < 0.6:
            return text, span(asker.world, set(ends), ends)
    calls, pick = some_calls(asker, parts)
    view = of_both(asker.world, ends, pick)
    return (rng.choice((text + " | " + calls, calls + " | " + text)) if ends else calls, view) if view else (None, None)


def of_both(world, ends, pick):
    picked = pick(ends)
    if ends and not picked:
        return None
    made = span(world, set(ends), ends, picked) if ends else opened(world, picked)
    made.by_time, made.pick = pick.by_time, pick
    return made if made.graph.functions else None


def other_stage(asker, view):
    """What `vs` may compare it with: another span, or other calls, of which it keeps the one that is not named."""
    parts = asker.world.profile.parts
    if asker.rng.random() < 0.5:
        text, ends = some_span(asker, parts)
        return text, ends and (of_both(asker.world, ends, view.pick) if view.pick else span(asker.world, set(ends), ends))
    text, pick = some_calls(asker, parts)
    return text, of_both(asker.world, view.ends, pick)


def some_span(asker, parts):
    rng, world = asker.rng, asker.world
    totals = {p.number: world.program.total[p.number] for p in parts}
    most = max(totals.values())
    if most < 2:
        return None, None
    if rng.random() < 0.3:
        a, b = sorted(rng.sample(range(101), 2))
        ends = {p: tuple(round_half_away(x * t / 100) for x in (a, b)) for p, t in totals.items()}
        text = "between %d%% and %d%%" % (a, b)
    else:
        a, b = sorted(rng.sample(range(most + 1), 2))
        ends, text = dict.fromkeys(totals, (a, b)), "between %d and %d" % (a, b)
    ends = {p: (a, min(b, totals[p])) for p, (a, b) in ends.items()}
    return (None, None) if all(a >= b for a, b in ends.values()) else (text, ends)


class Pick:
    """Of some calls those that a stage opens: by their numbers, or the costliest, or those in the middle."""

    def __init__(self, world, mine, numbers=None, how="", n=0):
        self.world, self.mine, self.numbers, self.how, self.n = world, mine, numbers, how, n
        self.by_time = not numbers

    def __call__(self, ends):
        mine, cost, n = self.mine, lambda a: a.incl[0], self.n
        if self.numbers:
            return [mine[i - 1] for i in self.numbers]
        if ends:
            shares = span(self.world, set(ends), ends).shares
            mine, cost = [a for a in mine if id(a) in shares and shares[id(a)].there], lambda a: shares[id(a)].incl[0]
        if self.how == "slowest":
            return sorted(mine, key=lambda a: -cost(a))[:n]     # of equal ones the first
        return sorted(mine, key=lambda a: (cost(a), a.block))[(len(mine) - min(n, len(mine))) // 2:][:n]


def some_calls(asker, parts):
    """(text of a stage, Pick)"""
    rng, world = asker.rng, asker.world
    whole = Known.whole(world, parts)
    made = asker.some_set(whole, 1)
    those, numbers = made.members(whole), {p.number for p in parts}
    mine = [a for a in world.program.calls if a.part in numbers and a.fn.key in those]
    how = rng.choice(("activation", "activation", "slowest", "usual"))
    if how == "activation":
        first = rng.randint(1, len(mine))
        last = min(len(mine), first + rng.choice((0, 0, 0, 2)))
        also = rng.choice(([], [], [rng.randint(1, len(mine))]))
        numbers = ["%d-%d" % (first, last) if last > first else str(first)] + list(map(str, also))
        return "activation %s of %s" % (", ".join(numbers), made.text()), Pick(world, mine, [*range(first, last + 1)] + also)
    n = rng.randint(1, 4)
    return "%s %d activations of %s" % (how, n, made.text()), Pick(world, mine, None, how, n)


def partition(asker):
    """Spans that are the whole run together: [text]"""
    most = max(asker.world.program.total.values())
    if most < PARTS:
        return []
    cuts = sorted(asker.rng.sample(range(1, most), PARTS - 1)) if most > PARTS else [1, 2]
    return ["between %d and %d" % x for x in zip([0] + cuts, cuts + [most])]


def round_half_away(x):
    return int(x + 0.5)
