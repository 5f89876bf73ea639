#!/usr/bin/env python3
"""contexts.t - the call tree of Xdebug's profiles is the one that they were written from.

Each block of such a profile is one activation, written when it returns: a stack of 30 lines here reads
the tree, and the index must have the same, by any number of threads.  Where Xdebug's own function trace
of the same process is there (NAME-calls.folded), the number of calls on each stack is that of the trace.
"""
import collections
import glob
import json
import lzma
import os
import random
import subprocess

from e2e import done, fixtures, ok, run, same, seed, small, top
from xdebug import blocks

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

# ---------------------------------------------------------------- each block is a call of its function, a root, too
for path in sorted(glob.glob(small + "xdebug-*.out") + glob.glob(truth + "*.xd")):
    parts = [collections.Counter()]
    for block_ in blocks(path, True):
        if block_:
            parts[-1][block_[0]] += 1
        elif parts[-1]:
            parts.append(collections.Counter())
    for stage, want in [("", sum(parts, collections.Counter()))] + [("part %d | " % n, p) for n, p in enumerate(parts, 1)]:
        rows = json.loads(run(path, "--no-index-write", "-q", "-c", stage + "functions | group by fn: sum(calls) as calls | as json").out)["rows"]
        same({fn: n for fn, n in rows if n}, dict(want), "%s: %scalls are the blocks of each function" % (os.path.basename(path), stage))

# ---------------------------------------------------------------- fibers that take turns, by the trace
packed = ours(truth + "fibers.xd.xz")
want = {k: int(v) for k, v in
        (line.rsplit(b" ", 1) for line in lzma.open(truth + "fibers-calls.folded.xz").read().splitlines())}
same((packed[0], calls(packed[1])), (b"tree 1920 0 0", want),
     "30 fibers, some inside others, exceptions, generators: each call is on the stack of the trace")
with open("fibers.xd", "wb") as f:
    f.write(lzma.open(truth + "fibers.xd.xz").read())
for how in ("2", "64"), ("3", "500"), ("2", "4000", "15"):
    same(ours("fibers.xd", *how), packed, "fibers: the same by %s" % (how,))
for name in "three-fibers", "no-tree":
    head, stacks = ours(truth + name + ".xd")
    roots = {k for k in stacks if b";" not in k}
    same((head.split()[2], roots), (b"0", {b"task", b"{main}"}), "%s: nothing else is a root" % name)

# ---------------------------------------------------------------- composer, by its trace; packed
want = {k: int(v) for k, v in
        (line.rsplit(b" ", 1) for line in lzma.open(truth + "composer-calls.folded.xz").read().splitlines())}
packed = ours(truth + "composer.xd.xz")
same((packed[0], calls(packed[1])), (b"tree 1170 0 0", want), "composer, packed: each call is on the stack of the trace")
with open("composer.xd", "wb") as f:
    f.write(lzma.open(truth + "composer.xd.xz").read())
same(ours("composer.xd", "2", "1000"), packed, "composer, not packed: the same")
# ---- all costs are in the tree, or there is none
HEAD = "version: 1\ncreator: xdebug 3.2.0\ncmd: /a.php\npart: 1\npositions: line\n\nevents: Time Memory\n\n"


def block(name, own, calls=(), file="(1) /a.php"):
    return "fl=%s\nfn=%s\n3 %s\n" % (file, name, own) + "".join(
        "cfl=%s\ncfn=%s\ncalls=1 0 0\n4 %s\n" % call for call in calls) + "\n"


LEAVES = [("(1)", "leaf", "10 -2")] * 300


def of_leaves(*more):
    return HEAD + block("leaf", "10 -2") * 300 + block("{main}", "50 1", LEAVES + list(more))


def sums(path, stage):
    """The total, and what functions, contexts, the tree and activations (None: refused) cost themselves."""
    out = []
    for query in ("events | show total | take 1", "functions | show self", "contexts | show self",
                  "calltree max 1000000 | show self", "activations | show self"):
        r = run(path, "-q", "-c", "%s%s | as json" % (stage, query))
        out.append(sum(row[0] for row in json.loads(r.text)["rows"]) if r.status == 0 else None)
    return out


def check_sums(name, text, tree, said):
    with open("p.xd", "w", encoding="utf-8", errors="surrogateescape") as f:
        f.write(text)
    r = run("p.xd", "-q", "--rebuild", "-c", "info")
    ok(r.status == 0 and said in r.talk and ("stacks are" in r.talk) == bool(said), name + ": said", r)
    r = run("p.xd", "--verify")
    ok(r.status == 0, name + ": --verify", r)
    for stage in "", "part 1 | ":
        got = sums("p.xd", stage)
        same(got, 4 * got[:1] + (got[:1] if tree else [None]), "%s: %s sums" % (name, stage or "all"))


check_sums("a callee in the file", of_leaves(), True, "")
check_sums("a callee without a block", of_leaves(("(1)", "gone", "777 5")), False,
           "stacks are estimates, for 1 call of 301 activations: no block before it is the one it calls, first in "
           "the block at line 1211")
OTHER = of_leaves().replace("cfl=(1)\ncfn=leaf", "cfl=(2) /b.php\ncfn=leaf", 1)
check_sums("a block of another file", OTHER, False,
           "stacks are estimates: a function has a cost that is in no block of it")
r = run("p.xd", "-q", "-c", 'functions | where file = "/b.php" | show self, incl | as json')
same(json.loads(r.text)["rows"], [[0, 10]], "a block of another file: what flows in is inclusive cost")
check_sums("a block of another file, which lines lack", OTHER + "summary: 3060 1\n", False,
           "stacks are estimates: a function has a cost that is in no block of it")
check_sums("a call that is lost, of a function with blocks", of_leaves(("(1)", "leaf", "10 0")), True,
           "stacks are known, but for 1 call of 301 activations")
check_sums("two requests", of_leaves() + "==== NEW PROFILING FILE ====\n" + of_leaves(("(1)", "gone", "777 5")), False,
           "stacks are estimates, for 1 call of 602 activations")

# ---- bytes of a real file by chance
with open(fixtures + "/small/xdebug-small.out", "rb") as f:
    real = f.read()
first = seed()
for number in range(first, first + 25):
    dice = random.Random(number)
    changed = bytearray(real)
    for _ in range(dice.randrange(1, 3)):
        changed[dice.randrange(len(changed))] = dice.choice(b"0123456789()abf=- \n")
    with open("chance.xd", "wb") as f:
        f.write(changed)
    got = sums("chance.xd", "")
    run("chance.xd", "-q", "--rebuild", "-c", "events")
    r = run("chance.xd", "--verify")
    ok(got[0] is None or (r.status == 0 and got[:3] == 3 * got[:1] and got[4] in (None, got[0])),
       "%d: changed bytes" % number, "%s\n%s" % (got, r))
done()
