"""trees.py - trees of calls, and the cost of a set under another: estimates with bounds.

A row of a tree stands for a chain of calls, which its depth and the rows above it tell.  By
the law what enters the first function of a chain goes on by the share of every call (down),
or came by the share of every caller (up).  The truth is what is spent on stacks that hold the
chain.  A tree shows what costs most; a chain of next to no cost may be in no row.
"""
CLOSE = 1e-3
NOTHING = 1e-5  # share of all cost: how far off a chain may be whose parts were not followed to their ends
SMALL = 0.02    # share of all cost below which a chain may be in no row


class Tree:
    """top: the function that it is from ("down") or to ("up"); None: the whole program."""

    def __init__(self, view, event, way, top=None):
        self.view, self.event, self.way, self.top = view, event, way, top
        self.number = {view.number(f): f for f in view.graph.functions}
        self.flows = view.flows(event)
        self.starts = {}        # (flow, function) -> what enters a chain that it begins
        self.total = sum(flow.own[f] for flow in self.flows for f in flow.own)
        self.levels = bool(view.world.program and view.world.program.callers) or any(view.levels(f) for f in view.graph.functions)
        self.calls = {}
        for (f, g), n in view.graph_calls.items():
            self.calls[f, g] = n[0], view.cost(event, n[1:])

    def wrong(self, rows):
        """None, or why the engine's rows cannot be right."""
        chain, seen = [], set()
        for row in rows:
            chain = chain[:row["depth"] - 1] + [self.number.get(row["id"])]
            key = tuple(chain)
            if len(chain) != row["depth"] or None in chain or key in seen:
                return "no chain, or one twice: %r" % (row,)
            seen.add(key)
            why = self._step(chain, row) or self._cost(chain, row)
            if why:
                return "%s, in %r" % (why, row)
        for chain in self._costly(max(2, SMALL * self.total)):
            if chain not in seen:
                return "no row of %r" % ([f[2] for f in chain],)
        return None

    def _step(self, chain, row):
        """The last call of the chain is one that was recorded."""
        if len(chain) == 1 and not self.top:
            return None
        before = chain[-2] if len(chain) > 1 else self.top
        call = (before, chain[-1]) if self.way == "down" else (chain[-1], before)
        if call not in self.calls:
            return "there is no such call"
        if (row["calls"], row["incl"]) != self.calls[call]:
            return "calls and incl are %r" % (self.calls[call],)
        return None

    def _cost(self, chain, row):
        truth, x = self.truth(chain), None if self.view.world.pairs else self.law(chain)
        est, lo, hi = row["est"], row["lo"], row["hi"]
        if est is None:     # calls of itself by the function asked about
            return None if row["recursive"] else "no est"
        if lo is None:      # through a function whose sums disagree
            return None if self.view.stacks is None else "no bounds"
        if not lo <= est <= hi:
            return "est is not between lo and hi"
        if truth is not None and not lo <= truth <= hi:
            return "true is %d" % truth
        if truth is not None and not row["estimated"] and est != truth:
            return "called exact, true is %d" % truth
        if x is not None and abs(est - min(max(x, lo), hi)) > 1 + len(self.flows) + CLOSE * x + NOTHING * self.total:
            return "by the law est is %.3f" % x
        return None

    # ------------------------------------------------------------ one chain

    def law(self, chain):
        if self.top in self.view.graph.nests and (self.way == "up" or self.levels):
            return None         # est is by the innermost activation; more is known of levels
        return sum(self._start(flow, chain) * self._shares(flow, self._whole(chain)) for flow in self.flows)

    def _whole(self, chain):
        return ([self.top] if self.top else []) + list(chain)

    def _start(self, flow, chain):
        """What enters the chain."""
        first = self._whole(chain)[0]
        if (flow, first) not in self.starts:
            self.starts[flow, first] = 0 if first not in flow.total else flow.root[first] if not self.top else \
                flow.entered({first}) if self.way == "down" else flow.total[first]
        return self.starts[flow, first]

    def _shares(self, flow, whole):
        share = 1.0
        for i, (f, g) in enumerate(zip(whole, whole[1:])):
            if self.way == "down":
                cost, of = flow.edges.get((f, g), 0), flow.total.get(f)
                if of and self.top and not i:    # its calls of itself are inside it
                    of -= flow.edges.get((f, f), 0)
            else:
                cost, of = flow.edges.get((g, f), 0), flow.root[f] + sum(c for _, c in flow.into[f]) if f in flow.into else 0
            share *= cost / of if of else 0
        return share

    def truth(self, chain):
        if self.view.stacks is None:
            return None
        whole = tuple(self._whole(chain))
        return sum(self.view.cost(self.event, costs) for stack, costs in self.view.stacks if self._holds(stack, whole))

    def _holds(self, stack, whole):
        if not self.top:
            return stack[:len(whole)] == whole
        if self.top not in stack:
            return False
        if self.way == "up":        # from the innermost activation; down: from the outermost
            stack = stack[::-1]
        at = stack.index(self.top)
        while stack[at + 1:at + 2] == (self.top,):      # calls of it by itself are inside of it
            at += 1
        return stack[at:at + len(whole)] == whole

    def _costly(self, least):
        """Chains that have to be rows, if nothing is known of them but the law."""
        if self.view.world.pairs or self.way == "up" or (self.top and self.top in self.view.graph.nests):
            return
        todo = [()] if self.top else [(f,) for f in self.view.graph.functions if self.law((f,)) >= least]
        while todo:
            chain = todo.pop()
            if chain:
                yield chain
            last = chain[-1] if chain else self.top
            todo += [chain + (g,) for f, g in self.calls if f == last and len(chain) < 30 and self.law(chain + (g,)) >= least]


class Bounded(Tree):
    """After stages that estimate, and of inlined code: only bounds are compared, with the truth."""

    def wrong(self, rows):
        chain, seen = [], set()
        for row in rows:
            chain = chain[:row["depth"] - 1] + [(row["obj"], row["file"], row["fn"])]
            if tuple(chain) in seen:
                return "twice: %r" % (row,)
            seen.add(tuple(chain))
            est, lo, hi, truth = row["est"], row["lo"], row["hi"], self.truth(chain)
            if None in (est, lo):
                continue
            if not lo <= est <= hi or not lo <= truth <= hi or (not row["estimated"] and est != truth):
                return "true is %d, in %r" % (truth, row)
        return None


def paths_wrong(view, event, rows):
    """Each step has the cost of the path up to it, from the outermost activation of its first
    function."""
    chain = []
    for row in rows:
        chain = (chain if row["step"] else []) + [row]
        names = tuple((r["file"], r["fn"]) for r in chain)
        truth = 0
        for stack, costs in view.stacks:
            places = [f[1:] for f in stack]
            at = places.index(names[0]) if names[0] in places else len(stack)
            truth += view.cost(event, costs) if tuple(places[at:at + len(names)]) == names else 0
        if row["lo"] is not None and not row["lo"] <= row["est"] <= row["hi"]:
            return "est is not between lo and hi: %r" % (row,)
        if row["lo"] is not None and (not row["lo"] <= truth <= row["hi"] or (not row["estimated"] and row["est"] != truth)):
            return "true is %d: %r" % (truth, row)
    return None


def cost_of(view, event, those, under, avoiding):
    """The true cost while one of `those` is on the stack, below one of `under` (None: of the
    stack's begin), with none of `avoiding` from the one to the other, both included."""
    if view.stacks is None:
        return None
    total = 0
    for stack, costs in view.stacks:
        begun = under is None
        for f in stack:
            begun = begun and f not in avoiding
            if begun and f in those:
                total += view.cost(event, costs)
                break
            if under is not None and f in under and f not in avoiding:
                begun = True
    return total


def cost_wrong(view, event, those, under, avoiding, rows):
    row, = rows
    truth = cost_of(view, event, those, under, avoiding)
    if row["lo"] is None:       # through a function whose sums disagree
        return None if view.stacks is None else "no bounds: %r" % (row,)
    if not row["lo"] <= row["est"] <= row["hi"]:
        return "est is not between lo and hi: %r" % (row,)
    if truth is not None and not row["lo"] <= truth <= row["hi"]:
        return "true is %d: %r" % (truth, row)
    if truth is not None and row["exact"] and row["est"] != truth:
        return "called exact, true is %d: %r" % (truth, row)
    own = view.self_cost(those, event)
    if isinstance(own, int) and row["self"] != own:
        return "self is %d: %r" % (own, row)
    return None
