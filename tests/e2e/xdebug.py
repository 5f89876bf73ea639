"""xdebug.py - the stacks of an Xdebug profile, read as simply as can be.

A block is one activation, written when it returns; its calls name, in order, the last blocks that
none has claimed yet.
"""
import collections
import json
import lzma
import subprocess

from e2e import run


def lines_of(path):
    if path.endswith(".zst"):
        data = subprocess.run(["zstd", "-dcq", path], stdout=subprocess.PIPE, check=True).stdout
    elif path.endswith(".xz"):
        data = lzma.open(path).read()
    else:
        data = open(path, "rb").read()
    return data.decode("utf-8", "surrogateescape").split("\n")


def blocks(path, parts=False):
    """(name, own costs, names called) of each block, in the order of the file; None between parts, if they
    are asked for."""
    names, block, callee = {}, None, None

    def named(text):
        number, _, name = text.partition(") ")
        number = number.rstrip(")")
        if not number[1:].isdigit() or text[0] != "(":
            return text
        names[number] = name or names[number]
        return names[number]

    for line in lines_of(path):
        if parts and line.startswith("events:"):
            yield None
        if line.startswith("fn="):
            block = (named(line[3:]), [], [])
        elif line.startswith("cfn="):
            callee = named(line[4:])
        elif line.startswith("summary:") or not line:
            if block:
                yield block
            block = None
        elif line[:1].isdigit() and block and callee:
            block[2].append(callee)
            callee = None
        elif line[:1].isdigit() and block:
            block[1].extend(int(cost) for cost in line.split()[1:])
    if block:
        yield block


def stacks(path):
    """[calls, costs ...] of each stack, a tuple of names from the root on."""
    unclaimed = []
    for name, own, calls in blocks(path):
        below = unclaimed[len(unclaimed) - len(calls):]
        assert [b[0] for b in below] == calls, (path, name)
        del unclaimed[len(unclaimed) - len(calls):]
        unclaimed.append((name, own, below))
    out, todo = {}, [((), block) for block in unclaimed]
    while todo:
        above, (name, own, below) = todo.pop()
        at = above + (name,)
        out[at] = [a + b for a, b in zip(out.get(at, [0] * (len(own) + 1)), [1] + own)]
        todo += [(at, block) for block in below]
    return out


def lines(path):
    """Of each block, in the order of the file: (own line, own costs), and (line, cost) of each call."""
    out, call = [], False
    for line in lines_of(path):
        if line.startswith("fn="):
            out.append([None, []])
        elif line.startswith("calls="):
            call = True
        elif line.startswith("summary:"):
            call = False
        elif line[:1].isdigit() and out:
            number, *costs = map(int, line.split())
            if call:
                out[-1][1].append((number, costs))
            else:
                out[-1][0] = (number, costs)
            call = False
    return out


class Activation:
    def __init__(self, name, own, below, clock):
        self.name, self.own, self.below, self.calls = name, own, below, len(below)
        self.start = min((a.start for a in below), default=list(clock))
        self.incl = [sum(costs) for costs in zip(own, *(a.incl for a in below))]
        self.caller, self.depth, self.part = None, 1, 0


def claim(unclaimed, calls):
    """Take the blocks of these calls, (name, cost), out of those that nobody has claimed: the last ones or, as stacks of
    fibers take turns, those of their names and costs, from the end."""
    fits = lambda call, a: call[0] == a.name and abs(call[1] - a.cost) <= a.calls
    last = at = list(range(len(unclaimed) - len(calls), len(unclaimed)))
    if not all(i >= 0 and fits(c, unclaimed[i]) for i, c in zip(at, calls)):
        at, i = [], len(unclaimed)
        for c in reversed(calls):
            found = next((j for j in range(i - 1, -1, -1) if fits(c, unclaimed[j])), None)
            if found is not None:
                i = found
                at.insert(0, i)
        if len(at) < len(calls) and all(i >= 0 and c[0] == unclaimed[i].name for i, c in zip(last, calls)):
            at = last
    below = [unclaimed[i] for i in at]
    for i in reversed(at):
        del unclaimed[i]
    return below


def activations(path):
    """Every activation, in the order in which they began.  Before one are those that have returned."""
    out, part, unclaimed, clock, number, text = [], 0, [], [], 0, lines(path)

    def give():
        todo, mine = unclaimed[::-1], []
        while todo:
            a = todo.pop()
            for b in a.below:
                b.caller, b.depth = a.name, a.depth + 1
            a.part = part
            mine.append(a)
            todo += a.below[::-1]
        out.extend(sorted(mine, key=lambda a: (a.first, a.depth)))

    for block in blocks(path, parts=True):
        if not block:
            give()
            part, unclaimed, clock = part + 1, [], [0] * 9
            continue
        name, own, calls = block
        costs = [c[0] for _, c in text[number][1]]
        below = claim(unclaimed, list(zip(calls, costs)))
        a = Activation(name, own, below, clock)
        a.begin = clock[0]      # where it spends its own cost
        a.block, a.first, a.cost = number, min((b.first for b in below), default=number), own[0] + sum(costs)
        unclaimed.append(a)
        number += 1
        clock = [a + b for a, b in zip(clock, own)]
    give()
    return out


def ask(profile, *queries, options=()):
    """The rows of each query, as dicts."""
    r = run(profile, "-q", "--index", "asked.quern", *options, *(a for q in queries for a in ("-c", q + " | as json")))
    assert r.status == 0, r
    text, answers = r.text, []
    while text.strip():
        found, end = json.JSONDecoder().raw_decode(text.lstrip())
        answers.append([dict(zip(found["columns"], row)) for row in found["rows"]])
        text = text.lstrip()[end:]
    return answers
