#!/usr/bin/env python3
"""contexts.t - the call tree of Xdebug's profiles is the one that they were written from.

Each block of such a profile is one activation, written when it returns: a stack of 30 lines here reads
the tree, and the index must have the same, by any number of threads.  Where Xdebug's own function trace
of the same process is there (NAME-calls.folded), the number of calls on each stack is that of the trace.
"""
import collections
import glob
import lzma
import os
import subprocess

from e2e import done, fixtures, ok, same, top

variant = os.environ.get("QUERN_VARIANT", "release")
program = os.path.join(top, "build", variant, "tests", "contexts_test")


def simple(path):
    """(calls, self) of each stack: the calls of a block name the last blocks that none has claimed."""
    unclaimed, names, out = [], {}, collections.defaultdict(lambda: [0, 0, 0])

    def named(text):
        number, _, name = text.partition(b") ")
        number = number.rstrip(b")")
        names[number] = name or names[number]
        return names[number]

    def end(block):
        name, own, calls = block
        k = len(calls)
        assert [b[0] for b in unclaimed[len(unclaimed) - k:]] == calls, (path, name, calls)
        below = unclaimed[len(unclaimed) - k:]
        del unclaimed[len(unclaimed) - k:]
        unclaimed.append((name, own, below))

    def roots():
        stack = [((), block) for block in unclaimed]
        unclaimed.clear()
        while stack:
            above, (name, own, below) = stack.pop()
            at = above + (name,)
            out[at] = [a + b for a, b in zip(out[at], [1] + own)]
            stack += [(at, b) for b in below]

    block, call = None, None
    for line in open(path, "rb").read().split(b"\n")[:-1]:
        if line.startswith((b"fn=", b"version:", b"summary:")) and block:
            end(block)
            block = None
        if line.startswith(b"version:"):
            roots()
        elif line.startswith(b"fn="):
            block = (named(line[3:]), [0, 0], [])
        elif line.startswith(b"cfn="):
            block[2].append(named(line[4:]))
        elif line.startswith(b"calls="):
            call = True
        elif line[:1].isdigit() and block:
            costs = [int(n) for n in line.split()[1:]]
            block[1][:] = block[1] if call else [a + b for a, b in zip(block[1], costs)]
            call = False
    if block:
        end(block)
    roots()
    return {b";".join(k): tuple(v) for k, v in out.items()}


def ours(path, *how):
    text = subprocess.run([program, path, *how], stdout=subprocess.PIPE, check=True).stdout.split(b"\n")
    stacks = {}
    for line in text[1:]:
        if line:
            stack, *numbers = line.rsplit(b" ", 5)
            # Functions of several files may have one name.
            stacks[stack] = tuple(int(n) + m for n, m in zip(numbers, stacks.get(stack, (0, 0, 0))))
    return text[0], stacks


def calls(stacks):
    return {k: v[0] for k, v in stacks.items()}


def trace(path):
    return {k: int(v) for k, v in (line.rsplit(b" ", 1) for line in open(path, "rb").read().splitlines())}


REGULAR = ["xdebug/gen.xd", "xdebug/exc.xd", "xdebug/append.xd"]
for name in [fixtures + "/truth/" + n for n in REGULAR] + sorted(
        glob.glob(fixtures + "/small/xdebug-*.out") + glob.glob(fixtures + "/pairs/php-*.out") +
        [fixtures + "/producers/xdebug.out"]):
    whole = head, stacks = ours(name)
    shown = os.path.basename(name)
    want = simple(name)
    if shown == "xdebug-killed.out":    # its last block is cut off: the simple reader knows nothing of that
        want, stacks = [[sum(column) for column in zip(*s.values())] for s in (want, stacks)]
    ok(head.startswith(b"tree ") and head.split()[2] == b"0", "%s: a tree" % shown, head)
    same(stacks, want, "%s: %d stacks" % (shown, len(want)))
    for how in ("2", "64"), ("3", "1000"), ("1", "5000", "15"):
        same(ours(name, *how), whole, "%s: the same by %s" % (shown, how))

# ---------------------------------------------------------------- as Xdebug's own trace, or a person, says
truth = fixtures + "/truth/xdebug/"
head, stacks = ours(truth + "gen.xd")
same(calls(stacks), trace(truth + "gen-calls.folded"), "generators: each call is on the stack of the trace")
head, stacks = ours(truth + "exc.xd")
want = {k.replace(b"eval::'function ev(){ return fin(); } ev();'", b"eval"): n
        for k, n in trace(truth + "exc-calls.folded").items() if k.startswith(b"{main}")}
same(calls(stacks), want, "exceptions, destructors, eval: as the trace, but for what ran after exit()")
head, stacks = ours(truth + "fiber.xd")
same(calls(stacks), trace(truth + "fiber-calls.folded"), "fibers: both stacks are found")
same(head, b"tree 24 0 0", "fibers: no call is lost")
head, stacks = ours(truth + "kill.xd")
same((head, calls(stacks)), (b"tree 1001 0 0", {b"loop": 1, b"loop;w": 891, b"w": 109}),
     "a killed run: the last block claims the first calls of its loop")
for name in "exc", "fiber", "kill":
    whole = ours(truth + name + ".xd")
    for how in ("2", "64"), ("3", "500"), ("2", "4000", "15"):
        same(ours(truth + name + ".xd", *how), whole, "%s: the same by %s" % (name, how))

# ---------------------------------------------------------------- composer, by its trace; packed
want = {k: int(v) for k, v in
        (line.rsplit(b" ", 1) for line in lzma.open(truth + "composer-calls.folded.xz").read().splitlines())}
packed = ours(truth + "composer.xd.xz")
same((packed[0], calls(packed[1])), (b"tree 1170 0 0", want), "composer, packed: each call is on the stack of the trace")
with open("composer.xd", "wb") as f:
    f.write(lzma.open(truth + "composer.xd.xz").read())
same(ours("composer.xd", "2", "1000"), packed, "composer, not packed: the same")
done()
