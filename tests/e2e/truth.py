"""truth.py - how near a folded tree comes to the true stacks of the same run.

A stack is a tuple of names, main first; stacks are compared by their names. The names of a run
with --separate-callers carry no recursion levels, so those of quern are stripped. Such a run
also leaves out the second frame of a function that calls itself directly; with direct=False
quern's stacks leave it out, too.
"""
import bisect
import functools
import itertools
import lzma
import re
import sys

LEVEL = re.compile(r"'\d+$")
SHARE = 1000    # frames and functions of less than 1/1000 of the total are not looked at


@functools.lru_cache(maxsize=None)
def name_alone(name):
    """The name of a function without its recursion level."""
    return LEVEL.sub("", name)


def stacks(text):
    """{stack: cost} of folded text; recursion levels are kept."""
    costs = {}
    for line in text.splitlines():
        names, _, cost = line.rpartition(" ")
        stack = tuple(names.split(";"))
        costs[stack] = costs.get(stack, 0) + int(cost)
    return costs


def read(path):
    """{stack: cost} of a folded file, which may be packed by xz."""
    with (lzma.open if path.endswith(".xz") else open)(path, "rb") as f:
        return stacks(f.read().decode("utf-8", "surrogateescape"))


def of_contexts(path):
    """{stack: cost} of a profile of one event that --separate-callers=100 made, where the name of a
    function is its whole chain of callers."""
    names, costs, stack, call = {}, {}, None, False
    with open(path, errors="surrogateescape") as f:
        for line in f:
            found = re.match(r"c?fn=(\(\d+\))(?: (.*))?$", line)
            if found and found[2]:
                names[found[1]] = tuple(n for n in reversed(found[2].split("'")) if not n.isdigit())
            if line.startswith("fn="):
                stack = names[found[1]]
            elif line.startswith("calls="):
                call = True
            elif line[:1] in "+-*0123456789" and stack and " " in line:
                if not call:
                    costs[stack] = costs.get(stack, 0) + int(line.split()[1])
                call = False
    return stripped(costs, False)


def stripped(costs, direct=True):
    """{stack: cost} without recursion levels."""
    sums = {}
    for stack, cost in costs.items():
        names = tuple(map(name_alone, stack))
        if not direct:
            names = names[:1] + tuple([n for n, before in zip(names[1:], names) if n != before])
        sums[names] = sums.get(names, 0) + cost
    return sums


class Frames:
    """Inclusive costs of frames. A frame is the beginning of a stack; in the order of names, its stacks stand together."""

    def __init__(self, costs):
        self.stacks = sorted(costs)
        self.sums = [0, *itertools.accumulate(map(costs.get, self.stacks))]

    def end(self, frame, *within):
        return bisect.bisect_left(self.stacks, frame + (chr(sys.maxunicode),), *within)

    def cost(self, frame):
        return self.sums[self.end(frame)] - self.sums[bisect.bisect_left(self.stacks, frame)]

    def large(self, least):
        """(frame, cost) of those of that cost."""
        left = [()]
        for frame in left:      # which grows meanwhile
            at, end = bisect.bisect_right(self.stacks, frame), self.end(frame)
            while at < end:
                begin, below = at, self.stacks[at][:len(frame) + 1]
                at = self.end(below, at, end)
                cost = self.sums[at] - self.sums[begin]
                if cost >= least:
                    left.append(below)
                    yield below, cost


def self_costs(costs):
    """{name: cost of the stacks that end with it}."""
    sums = {}
    for stack, cost in costs.items():
        sums[stack[-1]] = sums.get(stack[-1], 0) + cost
    return sums


def inclusive_costs(costs, times=1):
    """{name: cost of the stacks it is on at least so many times}; each stack counts once."""
    sums = {}
    for stack, cost in costs.items():
        for name in set(stack):
            if times == 1 or stack.count(name) >= times:
                sums[name] = sums.get(name, 0) + cost
    return sums


class Figures:
    """How near `shown` comes to `true`, both {stack: cost}; shares are from 0 to 1.

    overlap      of the costs of stacks
    frame_error  of the inclusive costs of frames that truly have 0.1 %
    self_off     share of the cost of functions of 0.1 % whose self cost, added up over all
                 frames, is off by more than 1 %
    other        share of `(other)`, which is like no true frame
    """

    def __init__(self, true, shown, direct=True):
        shown = stripped(shown, direct)
        self.total = total = sum(true.values())
        self.overlap = sum(min(c, shown.get(s, 0)) for s, c in true.items()) / total
        large, found = list(Frames(true).large(total / SHARE)), Frames(shown)
        self.frame_error = sum(abs(c - found.cost(f)) for f, c in large) / sum(c for _, c in large)
        self.shown_self = self_costs(shown)
        self.true_self = {n: c for n, c in self_costs(true).items() if c * SHARE >= total}
        self.self_off = sum(c for n, c in self.true_self.items()
                            if abs(self.shown_self.get(n, 0) - c) * 100 > c) / total
        self.other = self.shown_self.get("(other)", 0) / total

    def too_much(self, whole=None, rounding=2):
        """(name, self cost, shown) of functions of 0.1 % that are shown with more than they have.

        `whole` has the self costs of the whole profile: a function may run outside main, too.
        """
        limit = dict(self.true_self, **{n: c for n, c in (whole or {}).items()
                                        if n in self.true_self})
        return [(n, c, self.shown_self[n]) for n, c in limit.items()
                if self.shown_self.get(n, 0) > c + rounding]

    def too_little(self, least):
        """(name, self cost, shown) of functions of 0.1 % of which less than `least` is shown."""
        return [(n, c, self.shown_self.get(n, 0)) for n, c in self.true_self.items()
                if self.shown_self.get(n, 0) < c * least]

    def __str__(self):
        return ("overlap %.1f %%, frame error %.1f %%, self off %.1f %%, (other) %.1f %%" %
                tuple(100 * x for x in (self.overlap, self.frame_error, self.self_off, self.other)))
