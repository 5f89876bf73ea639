"""graph.py - functions and the calls between them, and what graph stages make of them.

A Graph holds, for each part, what every function spent itself and what every call brought:

    self   function            -> costs
    edges  (caller, callee)    -> [calls] + costs

part, thread and collapse give exact sums.  focus, ignore and hide follow the law of
real calls: of what enters f, P(f -> h) = edge / (self(f) + all edges out of f) goes on to h,
wherever it came from.  Here that is worked out for one event, by repeating until nothing
changes, which is slow and simple.
"""
STEPS, ENOUGH = 20000, 1e-12


class Graph:
    def __init__(self, parts, members=None):
        self.parts = parts                  # [(self, edges)]
        self.functions = sorted({f for own, edges in parts for f in own} |
                                {f for _, edges in parts for e in edges for f in e})
        self.members = members or {f: (f,) for f in self.functions}     # of a merged one: several
        self._cycles()

    @staticmethod
    def of_profile(parts, place=lambda f, file: f):
        """parts: of reader.Profile.  place: the function of a line of f in that file.  Where it is another one, f enters it
        with all that it costs, and nobody counted how often."""
        made = []
        for part in parts:
            own, edges, enters = {}, {}, {}
            for (f, file, _), costs in part.self.items():
                here = place(f, file)
                own.setdefault(f, [])
                _add(own, here, costs)
                if here != f:
                    _add(enters, (f, here), [0] + costs)
            for (f, file, _, callee), numbers in part.sites.items():
                here = place(f, file)
                _add(edges, (here, callee), numbers)
                own.setdefault(f, [])
                own.setdefault(callee, [])
                if here != f:
                    _add(enters, (f, here), [0] + numbers[1:])
            edges.update(enters)
            made.append((own, edges))
        return Graph(made)

    # ------------------------------------------------------------ sums over all parts

    def self_costs(self):
        total = {f: [] for f in self.functions}
        for own, _ in self.parts:
            for f, costs in own.items():
                _add(total, f, costs)
        return total

    def calls(self):
        total = {}
        for _, edges in self.parts:
            for e, numbers in edges.items():
                _add(total, e, numbers)
        return total

    def _cycles(self):
        """cycle: function -> the set of those it calls in a circle, of two or more."""
        callees = {f: set() for f in self.functions}
        for caller, callee in self.calls():
            callees[caller].add(callee)
        reach = {f: _reached(f, callees) for f in self.functions}
        self.cycle = {}
        for f in self.functions:
            circle = frozenset(g for g in reach[f] if f in reach[g])
            if len(circle) > 1:
                self.cycle[f] = circle
        self.nests = {f for f in self.functions if f in self.cycle or f in callees[f]}

    # ------------------------------------------------------------ exact stages

    def merged(self, group_of):
        """Every function of a group becomes the group; group_of: function -> group."""
        parts = []
        for own, edges in self.parts:
            new_own, new_edges = {}, {}
            for f, costs in own.items():
                _add(new_own, group_of[f], costs)
            for (f, g), numbers in edges.items():
                _add(new_edges, (group_of[f], group_of[g]), numbers)
            parts.append((new_own, new_edges))
        members = {}
        for f in self.functions:
            members[group_of[f]] = members.get(group_of[f], ()) + self.members[f]
        return Graph(parts, members)

    # ------------------------------------------------------------ the law, of one event

    def flows(self, cost):
        """[(self, edges)] by part, of one event; cost: costs -> number."""
        return [Flow({f: cost(c) for f, c in own.items()},
                     {e: cost(n[1:]) for e, n in edges.items()}) for own, edges in self.parts]


class Flow:
    """One event in one part."""

    def __init__(self, own, edges):
        self.edges = {e: c for e, c in edges.items() if c}
        self.own = dict(own)
        for f, g in self.edges:
            self.own.setdefault(f, 0)
            self.own.setdefault(g, 0)
        self.into = {f: [] for f in self.own}
        self.out = {f: [] for f in self.own}
        for (f, g), c in self.edges.items():
            self.out[f].append((g, c))
            self.into[g].append((f, c))
        self.total = {f: self.own[f] + sum(c for _, c in self.out[f]) for f in self.own}
        self.root = {f: max(0, self.total[f] - sum(c for _, c in self.into[f])) for f in self.own}
        self.known = {}         # what entered() found

    @staticmethod
    def sum_of(flows):
        own, edges = {}, {}
        for flow in flows:
            for f, c in flow.own.items():
                own[f] = own.get(f, 0) + c
            for e, c in flow.edges.items():
                edges[e] = edges.get(e, 0) + c
        return Flow(own, edges)

    def entered(self, those):
        """What comes to any of those for the first time: their inclusive cost as one."""
        those = frozenset(those)
        if those not in self.known:
            self.known[those] = self._entered(those)
        return self.known[those]

    def _entered(self, those):
        def step(x):
            return {f: self.root[f] + sum(x[g] * c / self.total[g] for g, c in self.into[f]
                                          if g not in those and self.total[g]) for f in self.own}
        x = _repeat(step, dict.fromkeys(self.own, 0.0))
        return sum(x[f] for f in those if f in x)

    def below(self, those):
        """f -> the share of what enters f that has one of those on its stack, f included."""
        def step(h):
            new = {}
            for f in self.own:
                inflow = self.root[f] + sum(c for _, c in self.into[f])
                new[f] = 1.0 if f in those else \
                    sum(c * h[g] for g, c in self.into[f]) / inflow if inflow else 0.0
            return new
        return _repeat(step, dict.fromkeys(self.own, 0.0))

    def above(self, those):
        """f -> the share of what enters f that comes to one of those yet, f included."""
        def step(u):
            return {f: 1.0 if f in those else
                    sum(c * u[g] for g, c in self.out[f]) / self.total[f] if self.total[f] else 0.0
                    for f in self.own}
        return _repeat(step, dict.fromkeys(self.own, 0.0))

    def focus(self, those, keep):
        """The flow that passes those (keep), or that does not."""
        h, u = self.below(those), self.above(those)
        own, edges = {}, {}
        for f, c in self.own.items():
            own[f] = c * (h[f] if keep else 1 - h[f])
        for (f, g), c in self.edges.items():
            share = h[f] + (1 - h[f]) * u[g]
            edges[f, g] = c * (share if keep else 1 - share)
        return Flow(own, edges)

    def hide(self, those):
        """Those charged to their callers; what they call is called by their callers."""
        hidden = [f for f in self.own if f in those]
        stays = {f: 0.0 for f in hidden}

        def step(s):
            return {f: (self.own[f] + sum(c * s[g] for g, c in self.out[f] if g in s)) / self.total[f]
                    if self.total[f] else 0.0 for f in hidden}
        stays = _repeat(step, stays)
        own = {f: c for f, c in self.own.items() if f not in those}
        edges = {e: c for e, c in self.edges.items() if not those & set(e)}
        for k in {g for f in hidden for g, _ in self.out[f] if g not in those}:
            def to_k(s, k=k):
                return {f: sum(c * (s[g] if g in s else g == k) for g, c in self.out[f]) / self.total[f]
                        if self.total[f] else 0.0 for f in hidden}
            leaves = _repeat(to_k, dict.fromkeys(hidden, 0.0))
            for (f, g), c in self.edges.items():
                if f not in those and g in those and leaves[g]:
                    edges[f, k] = edges.get((f, k), 0) + c * leaves[g]
        for (f, g), c in self.edges.items():
            if f not in those and g in those:
                own[f] += c * stays[g]
        return Flow(own, edges)


def _repeat(step, x):
    for _ in range(STEPS):
        new = step(x)
        if all(abs(new[f] - x[f]) <= ENOUGH * (1 + abs(new[f])) for f in new):
            return new
        x = new
    return x


def _reached(f, callees):
    found, todo = set(), [f]
    while todo:
        for g in callees[todo.pop()]:
            if g not in found:
                found.add(g)
                todo.append(g)
    return found


def _add(sums, key, numbers):
    old = sums.setdefault(key, [])
    old += [0] * (len(numbers) - len(old))
    for i, n in enumerate(numbers):
        old[i] += n
