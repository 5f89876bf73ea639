"""view.py - a profile, and what graph stages leave of it.

A World is a profile with what is known of it.  A View is a graph of some of its parts, and
the true stacks that lead through it, where they are known.  Each graph stage makes another
View.  Costs of a View are ints where they have to be exactly so, else

    Near(x, truth)  an estimate: x by the law, the truth (if it is known) within lo and hi
"""
import copy
import math

from graph import Flow, Graph
from names import LEVEL, PLAIN

ROUNDED = 3     # units by which a function may be off that a filter, or two, left a share of
LEAST = 2       # what a filter leaves of a function that certainly is in a row


class Near:
    """x: by the law; None: more is known than that.  truth: None when it is not known.  units:
    how far whole numbers may be from x, 1 for every recorded event; None: it is no estimate."""

    def __init__(self, x, truth=None, units=1):
        self.x, self.truth, self.units = x, truth, units


def place(f, file):
    """The function of a line: code of another file is inlined from there."""
    if file == f[1] or "???" in (file, f[1]):
        return f
    return f[0], file, "%s (inl)\0%s" % (file.rsplit("/", 1)[-1], "\0".join(f))


class World:
    """path: of the profile.  program: whose it is, or None.  base: a World to compare with.
    number: function -> #N.  joined: functions as recorded are contexts of functions; None: each
    is one."""

    def __init__(self, path, profile, program=None, base=None, joined=False):
        self.path, self.profile, self.program, self.base = path, profile, program, base
        self.graph = Graph.of_profile(profile.parts)
        self.functions = self.graph.functions
        self.number = {}
        self.joined = program.joined() if joined else None
        self.calls = bool(program and program.shape == "calls")    # each call is known: calls.py
        for i, part in enumerate(profile.parts if self.calls else []):
            part.number = i + 1     # each request says 1
        self.lines_of = {f: set() for f in self.functions}
        self.begins = {f: set() for f in self.functions}       # the lines where it may begin
        for part in profile.parts:
            for f, lines in part.entries.items():
                self.begins[f] |= lines
            for f, file, line in part.self:
                self.lines_of[f].add((file, line))
                self.begins[f].add(line)
        if joined:
            for f in self.functions:
                self.lines_of.setdefault(self.joined[f], set()).update(self.lines_of[f])
            self.functions = sorted({self.joined[f] for f in self.functions})
        self.pairs = len(profile.events) > 1    # estimates follow signs that the law does not know
        self.plain = all(PLAIN.match(f[2]) for f in self.functions)

    @property
    def events(self):
        return self.profile.all_events

    @property
    def signed(self):
        return bool(self.program and self.program.signed)

    def stacks(self, parts, inlined=False):
        """[(stack of functions, costs)] of those parts; None when they are not known.  inlined: with
        code of other files as a function on its own."""
        if not self.program:
            return None
        numbers = {p.number for p in parts}
        if inlined:
            return [(tuple((f.obj, f.file, f.name) for f in stack) +
                     (() if file == stack[-1].file else ((stack[-1].obj, file, "%s (inl)" % file.rsplit("/", 1)[-1]),)), costs)
                    for (n, stack, file), costs in self.program.placed.items() if self.program.parts[n][0] in numbers]
        return [(tuple((f.obj, f.file, f.name) for f in stack), costs)
                for (n, stack), costs in self.program.stacks.items() if self.program.parts[n][0] in numbers]


class View:
    """group: function of the profile -> what it is here, if anything is left of it.  below: the View that a merged or
    filtered one is of; filtered: Flow -> Flow."""

    def __init__(self, world, parts, graph, stacks, group=None, below=None, filtered=None):
        self.world, self.parts, self.graph, self.stacks = world, parts, graph, stacks
        self.group = group or {f: f for f in graph.functions}
        self.below, self.filtered = below, filtered
        self.merged = below is not None and (not filtered or below.merged)
        self.cost = world.profile.cost
        self.law = {}
        self.gone = set()       # hidden
        self.hides = None       # by the stage that made it
        self.doubted = False    # of some functions next to nothing may be left: they may match a set, or not
        self.drops = False      # `ignore`: what it leaves is 100 %
        self.of_whole = False   # 100 % is the whole profile
        self.inlines = False    # has functions of inlined code
        self.plain = None       # the same without them
        self.of_part = False
        self.times = None       # how often functions were called, if not each time by a call
        self.opens = ""         # "calls" or "span": calls.py
        self.graph_self, self.graph_calls = graph.self_costs(), graph.calls()

    def number(self, f):
        """Of a merged function: that of its first member; None: inlined code."""
        if f in self.world.number:
            return self.world.number[f]
        return min((self.world.number[m] for m in self.graph.members[f] if m in self.world.number), default=None)

    def same_group(self, a, b):
        return a == b or b in self.graph.cycle.get(a, ())

    def wrong(self, source, got):
        return source.wrong(got)

    # ------------------------------------------------------------ stages

    @classmethod
    def whole(cls, world, parts=None):
        parts = world.profile.parts if parts is None else parts
        graph = world.graph if parts is world.profile.parts else Graph.of_profile(parts)
        made = cls(world, parts, graph, world.stacks(parts))
        return made.merge({f: world.joined[f] for f in graph.functions}) if world.joined else made

    def collapse(self, key):
        """Functions of the same key become one, of that name; key None: it stays."""
        members, group = {}, {}
        for f in self.graph.functions:
            members.setdefault(key(f) or f, []).append(f)
        for name, those in members.items():
            one = those[0] if isinstance(name, tuple) else \
                tuple(same_or_several(m[i] for m in those) for i in (0, 1)) + (name,)
            group.update(dict.fromkeys(those, one))
        return self.merge(group)

    def inlined(self):
        """Lines of other files than their functions' become functions, one for each file and object."""
        split = Graph.of_profile(self.parts, place)
        made = View(self.world, self.parts, split, self.stacks, {f: f for f in split.functions})
        whole = made.merge({f: f[:2] + (f[2].split("\0")[0],) for f in split.functions})
        whole.inlines, whole.plain, whole.stacks = True, self, self.world.stacks(self.parts, True)
        return whole

    def merge(self, group):
        stacks = self.stacks if self.stacks is None else [(tuple(group.get(f, f) for f in stack), costs) for stack, costs in self.stacks]
        return type(self)(self.world, self.parts, self.graph.merged(group), stacks,
                          {f: group[g] for f, g in self.group.items()}, self)

    def focus(self, those):
        return self.filter(lambda flow: flow.focus(those, True), lambda stack: stack if those & set(stack) else ())

    def ignore(self, those):
        made = self.filter(lambda flow: flow.focus(those, False), lambda stack: () if those & set(stack) else stack)
        made.drops = True
        return made

    def shares_of_all(self):
        made = copy.copy(self)
        made.of_whole = True
        return made

    def hide(self, those):
        if self.hides:          # hide a | hide b is hide a, b
            return self.below.hide(those | self.hides)
        made = self.filter(lambda flow: flow.hide(those), lambda stack: tuple(f for f in stack if f not in those), those)
        made.hides = those
        return made

    def filter(self, run, of_stack, gone=frozenset()):
        stacks = self.stacks if self.stacks is None else [(of_stack(stack), costs) for stack, costs in self.stacks]
        made = View(self.world, self.parts, self.graph, stacks, None, self, run)
        alive = {f for e in self.world.events for f, cost in made.flow(e).total.items() if cost > LEAST}
        made.group = {f: g for f, g in self.group.items() if g in alive and g not in gone}
        made.gone = set(gone) | self.gone
        made.doubted = bool(set(self.group.values()) - alive - gone)
        return made

    # ------------------------------------------------------------ costs

    def flows(self, event):
        """One for each part."""
        if event not in self.law:
            self.law[event] = [self.filtered(flow) for flow in self.below.flows(event)] if self.filtered else \
                self.graph.flows(lambda costs: self.cost(event, costs))
        return self.law[event]

    def flow(self, event):
        """Of all parts as one: an index keeps one inclusive cost, of the whole."""
        if ("sum", event) not in self.law:
            self.law["sum", event] = Flow.sum_of(self.flows(event))
        return self.law["sum", event]

    def total(self, event):
        """What 100 % is."""
        if self.below and not self.of_whole:
            dropped = self.below.left(event) - self.left(event) if self.drops else 0
            return self.below.total(event) - dropped
        return sum(self.cost(event, c) for part in (self.world.profile.parts if self.of_whole else self.parts) for c in part.self.values())

    def left(self, event):
        """What the stages leave, by the law."""
        return sum(sum(flow.own.values()) for flow in self.flows(event))

    def left_of_parts(self, event):
        return [Near(sum(flow.own.values()), None, self.rounded(event, len(self.graph.functions))) for flow in self.flows(event)]

    def truth(self, event, counts):
        """The cost of the stacks that count; None when they are not known."""
        if self.stacks is None:
            return None
        return sum(self.cost(event, c) for stack, c in self.stacks if counts(stack))

    def self_cost(self, those, event):
        if not self.filtered:
            return sum(self.cost(event, self.graph_self.get(f, [])) for f in those)
        truth = self.truth(event, lambda stack: stack and stack[-1] in those)
        return self.near(sum(self.flow(event).own.get(f, 0) for f in those), truth, event, len(those))

    def incl_cost(self, those, event, grouped=False):
        """Counted once, however often one of those is on the stack."""
        truth = self.truth(event, lambda stack: those & set(stack))
        x = self.incl_law(those, event, grouped)
        return self.near(x, truth, event, len(those))

    def incl_law(self, those, event, grouped=False):
        """None: more is known than the law says, or less.  An index keeps inclusive costs of
        recorded events, and makes derived ones of them; elsewhere a derived event has a flow
        of its own."""
        if self.plain and not grouped and all(self.number(f) is not None for f in those):
            return self.plain.incl_law(those, event)        # a function costs what it does without the stage
        formula = self.world.profile.derived.get(event)
        if formula and not self.below and not grouped and self.parts is self.world.profile.parts:
            terms = [(k, self.incl_law(those, e)) for e, k in formula.items()]
            return None if any(x is None for _, x in terms) else sum(k * x for k, x in terms)
        if self.world.program and self.world.program.callers:
            return None     # what is known of contexts by their callers
        if self.hides and len(those) == 1 and not grouped and self.below.stacks is not None:
            return self.below.incl_law(those, event)    # it stays
        if self.filtered:
            if self.below.merged or any(self.levels(f) for f in self.graph.functions):
                return None
            return self.flow(event).entered(those)
        if self.merged:
            # By the calls of its members.  Of merged functions merged again only bounds are known.
            if len(those) > 1 or self.below.below:
                return None
            return self.below.incl_law({m for f in those for m in self.graph.members[f]}, event, True)
        if not any(self.levels(f) for f in those):
            return self.flow(event).entered(those)
        if len(those) == 1 and not any(LEVEL.search(f[2]) for f in those):
            return self.flow(event).total.get(min(those), 0)
        return None

    def near(self, x, truth, event, functions=1):
        """A tree has one way to each function: what is true can be told."""
        if self.world.program and self.world.program.shape == "tree" and not self.merged:
            x = truth
        return Near(x, truth, self.rounded(event, functions) if self.filtered else self.units(event))

    def rounded(self, event, functions):
        """How far a filter may leave the cost of so many functions from the law."""
        return math.inf if self.world.pairs else self.units(event) * ROUNDED * functions

    def units(self, event):
        return sum(abs(k) * self.units(e) for e, k in self.world.profile.derived.get(event, {}).items()) or 1

    def levels(self, f):
        """Is f a level of recursion?  Then more is known of it than the law says: a level but
        the last never nests in itself."""
        plain = f[:2] + (LEVEL.sub("", f[2]),)
        return plain[:2] + (plain[2] + "'2",) in self.world.functions


def same_or_several(texts):
    some = set(texts)
    return some.pop() if len(some) == 1 else "(several)"
