"""program.py - random programs whose true stacks are known, and the profiles of them.

A program is a tree of activations: who called whom, from which line, and what each spent
itself, per line, part and event.  Its profile is what callgrind would write: self costs by
line, and calls with what they cost, added up at every return.  A profile does not hold the
stacks; `stacks` does, so that bounds can be compared with the truth.
"""
import random

SHAPES = ("tree", "graph", "recursive", "levels", "callers")
PLACES = (("lib/a.c", "/lib/libx.so.1"), ("lib/b.c", "/lib/libx.so.1"), ("src/main.c", "/bin/prog"),
          ("src/deep/b.c", "/opt/liby.so"), ("odd.h", "/bin/prog"))
PLAIN = ("main", "alpha", "run", "run_all", "parse", "Beta::run", "Beta::parse", "ns::Gamma::eval", "ns::eval",
         "mem_copy", "mem_move", "xmalloc")
ODD = ("operator new(unsigned long)", "Vec<int, 3>::at(int)", "a \"quoted\" name", "back\\slash", "naïve",
       "tab\there", "per%cent", "x'y", "<module>", "{main}", "a;b", "a,b|c")


class Function:
    def __init__(self, name, place):
        self.name, (self.file, self.obj) = name, place
        self.line = 10


class Program:
    """shape: "tree" has one way to each function; "graph" several; "recursive" circles, too;
    "levels" the same with callgrind's names for recursion levels, f and f'2; "callers" with
    the names of one or two callers, f'g'h and f'2'g'h, too."""

    def __init__(self, rng, shape, again=None):
        """again: how the same program runs another time; None: the first."""
        self.rng, self.shape = rng, shape
        self.events = rng.choice((["Ir"], ["Ir"], ["Ir"], ["Ir", "Dr"], ["Ir", "Dr", "Dw"], ["Cost", "Calls_made"]))
        self.formulas = [("Mem", "Dr + 2 Dw", {"Dr": 1, "Dw": 2})] if "Dw" in self.events else []
        self.parts = [(n + 1, 1 + n % 2 if self.events[-1] == "Dr" else 0) for n in range(rng.choice((1, 1, 2, 3)))]
        self.scale = rng.choice((3, 10, 1000, 10 ** 7))
        self.selfs = {}         # (part, function, file, line) -> costs
        self.calls = {}         # (part, caller, file, line, callee) -> [count] + costs
        self.stacks = {}        # (part, stack of functions from the root) -> costs
        self.placed = {}        # (part, stack, file of the line) -> costs
        self.callers = rng.choice((1, 2)) if shape == "callers" else 0
        self.signed = shape == "tree" and rng.random() < 0.3
        self._names()
        self.rng = again or rng
        self._run()

    def _names(self):
        rng = self.rng
        odd = [n for n in ODD if not self.callers or "'" not in n]
        names = list(PLAIN[1:]) + rng.sample(odd, rng.choice((0, 0, 3, 6)))
        rng.shuffle(names)
        names = ["main"] + names[:rng.randint(3, 14)]
        self.functions = [Function(n, rng.choice(PLACES)) for n in names]
        for i, f in enumerate(self.functions):
            f.line = 10 * (i + 1)

    def _costs(self):
        rng = self.rng
        if rng.random() < 0.15:
            return [0] * len(self.events)
        if self.signed:
            return [rng.randint(-self.scale, 3 * self.scale) for _ in self.events]
        return [rng.randint(0 if rng.random() < 0.3 else 1, self.scale) for _ in self.events]

    def _run(self):
        """Activations from the root down, until there are enough of them."""
        rng = self.rng
        self.left = rng.choice((12, 40, 150))
        self.level_names = {}
        self.part = 0
        roots = [self.functions[0]] + ([self.functions[-1]] if rng.random() < 0.3 else [])
        self.unused = [f for f in self.functions if f not in roots]
        self.rank = {f: i for i, f in enumerate(self.functions)}
        self.habit = {}
        for root in roots:
            self._activation((root,), (self._named(root, ()),))

    def _named(self, f, above):
        """The function at its recursion level: f, or f'2 when f is on the stack already; and with
        its last callers.  callgrind does not push a function onto itself."""
        name = f.name + "'2" * (self.shape in ("levels", "callers") and f in above)
        stack = [g for g, h in zip(above, above[1:] + (f,)) if g is not h]
        if self.callers:
            name += "".join("'" + g.name for g in stack[:-self.callers - 1:-1])
        if name not in self.level_names:
            made = self.level_names[name] = f if name == f.name else Function(name, (f.file, f.obj))
            made.line, made.of = f.line, f.name
        return self.level_names[name]

    def joined(self):
        """Function as recorded -> the function that it is a context of."""
        return {(f.obj, f.file, f.name): (f.obj, f.file, f.of) for f in self.level_names.values()}

    def _spend(self, stack):
        f = stack[-1]
        for _ in range(self.rng.randint(0, 2)):
            file = f.file if self.rng.random() < 0.8 else "inline.h"
            line, costs = f.line + self.rng.randint(0, 4), self._costs()
            add(self.selfs, (self.part, f, file, line), costs)
            add(self.stacks, (self.part, stack), costs)
            add(self.placed, (self.part, stack, file), costs)

    def _wanted(self, f, depth):
        """The functions that an activation calls, in their order."""
        rng = self.rng
        number = rng.randint(1, 4) if depth < 3 else rng.randint(0, 2)
        if self.shape == "tree":
            if f not in self.habit:
                self.habit[f] = [self.unused.pop() for _ in range(number) if self.unused]
            return self.habit[f]
        if self.shape == "graph" or rng.random() < 0.6:
            wanted = self.functions[self.rank[f] + 1:]
        else:
            wanted = self.functions[1:]
        return [rng.choice(wanted) for _ in range(number) if wanted]

    def _activation(self, plain, stack):
        """plain: the stack without levels.  Returns what was spent, by part."""
        rng, before = self.rng, self._spent()
        self._spend(stack)
        for g in self._wanted(plain[-1], len(plain)):
            for _ in range(rng.choice((1, 1, 1, 2))):
                if self.left > 0 and len(plain) < 12:
                    self.left -= 1
                    self._call(plain, stack, g)
        if rng.random() < 0.5:
            self._spend(stack)
        if len(self.parts) > self.part + 1 and rng.random() < 0.05:
            self.part += 1
            self._spend(stack)
        return {part: minus(costs, before.get(part)) for part, costs in self._spent().items()}

    def _spent(self):
        """All that was spent so far, by part."""
        total = {}
        for (part, _), costs in self.stacks.items():
            add(total, part, costs)
        return total

    def _call(self, plain, stack, g):
        callee = self._named(g, plain)
        caller = stack[-1]
        site = (caller.file, caller.line + self.rng.randint(0, 4))
        began = self.part
        spent = self._activation(plain + (g,), stack + (callee,))
        for part, costs in spent.items():
            if part == began or any(costs):
                add(self.calls, (part, caller) + site + (callee,), [part == began] + costs)
        if began not in spent:
            add(self.calls, (began, caller) + site + (callee,), [1] + [0] * len(self.events))

    # ------------------------------------------------------------ the profile

    def text(self):
        """What callgrind would write, in one of the ways that it may be written."""
        rng = self.rng
        self.compressed, self.relative = rng.random() < 0.7, rng.random() < 0.6 and not self.signed
        self.ids = {}
        out = ["# callgrind format", "version: 1", "creator: " + ("erlgrind" if self.signed else "callgrind-3.19.0"), "pid: 77", "cmd: prog"]
        for n, (part, thread) in enumerate(self.parts):
            out += ["", "part: %d" % part] + (["thread: %d" % thread] if thread else [])
            out += ["positions: line", "events: " + " ".join(self.events)]
            out += ["event: %s = %s : %s" % (name, formula, "Memory") for name, formula, _ in self.formulas if n == 0]
            out += [""] + self._body(n)
        return "\n".join(out) + "\n"

    def _id(self, table, name):
        if not self.compressed:
            return name
        ids = self.ids.setdefault(table, {})
        if name in ids:
            return "(%d)" % ids[name]
        ids[name] = len(ids) + 1
        return "(%d) %s" % (ids[name], name)

    def _body(self, n):
        functions = {f for p, f, _, _ in self.selfs if p == n} | {k[1] for k in self.calls if k[0] == n}
        if self.signed:     # a callee without a block would have the cost of the calls
            functions |= {k[4] for k in self.calls if k[0] == n}
        out, self.base = [], 0
        for f in sorted(functions, key=lambda f: (f.obj, f.file, f.name)):
            out += ["ob=" + self._id("ob", f.obj), "fl=" + self._id("fl", f.file), "fn=" + self._id("fn", f.name)]
            file = f.file
            for (p, g, where, line), costs in self.selfs.items():
                if p == n and g is f:
                    if where != file:
                        out.append(("fe=" if where == f.file else "fi=") + self._id("fl", where))
                        file = where
                    out.append(self._position(line, True) + self._numbers(costs))
            for (p, g, where, line, callee), (count, *costs) in self.calls.items():
                if p == n and g is f:
                    # Written as what differs from the last cost line, which a call does not become.
                    if where != file:
                        out.append(("fe=" if where == f.file else "fi=") + self._id("fl", where))
                    if callee.obj != f.obj:
                        out.append("cob=" + self._id("ob", callee.obj))
                    if callee.file != file:
                        out.append("cfi=" + self._id("fl", callee.file))
                    out.append("cfn=" + self._id("fn", callee.name))
                    out.append("calls=%d %s" % (count, self._position(callee.line, False)))
                    out.append(self._position(line, False) + self._numbers(costs))
            if out[-1].startswith("fn="):
                out.append("%d 0" % f.line)
            out.append("")
        return out

    def _position(self, line, is_cost):
        """Only a cost line is the base of those after it."""
        delta = line - self.base
        if self.relative and self.base:
            text = "*" if delta == 0 else "%+d" % delta
        else:
            text = "%d" % line
        if is_cost:
            self.base = line
        return text

    def _numbers(self, costs):
        costs = list(costs)
        while costs and costs[-1] == 0:
            costs.pop()
        return "".join(" %d" % c for c in costs) or " 0"


def add(sums, key, costs):
    """Add costs to those of a key, event by event."""
    sums[key] = [a + b for a, b in zip(sums[key], costs)] if key in sums else list(costs)


def minus(costs, others):
    return [a - b for a, b in zip(costs, others)] if others else list(costs)


def program(seed):
    """And the same program, run another time: what it calls, and how often, differs."""
    shape = SHAPES[seed % len(SHAPES)]
    return Program(random.Random(seed), shape), Program(random.Random(seed), shape, random.Random(-seed))
