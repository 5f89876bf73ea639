#!/usr/bin/env python3
"""why.t - `why`: does it name the cause of a difference, and do its rows add up to it?

Pairs of real profiles say what was changed in the program (NAME.truth).  Pairs of simulated
programs are compared with the sum in engine/why/why.h, computed here from the programs.
"""
import fnmatch
import glob
import json
import os
import random
import re
import shutil
import subprocess

from e2e import SLOW, done, fixtures, ok, run, same, seed, skip, top


def quietly(new, old, event=""):
    """The rows of `why`, or what went wrong, as a text."""
    r = run(new, "base=" + old, "-q", "-c", "why%s max 1000000 | as json" % (event and " by " + event))
    if r.status:
        return "failed: " + r.talk
    answer = json.loads(r.text)
    return [dict(zip(answer["columns"], row)) for row in answer["rows"]]


def why(new, old, event=""):
    """The rows, which there must be."""
    rows = quietly(new, old, event)
    return rows if ok(not isinstance(rows, str), "why of %s" % new, rows) else []


def costs(path):
    """The sum of the cost lines of each event, and the events."""
    events, sums, calls, places = [], [], False, 1
    with open(path, errors="replace") as f:
        for line in f:
            if line.startswith("events:"):
                events = line.split()[1:]
                sums = [0] * len(events)
            elif line.startswith("positions:"):
                places = len(line.split()) - 1
            elif line.startswith("calls="):
                calls = True
            elif line[:1].isdigit() or line[:1] in "+-*":
                if not calls:
                    for i, cost in enumerate(line.split()[places:]):
                        sums[i] += int(cost)
                calls = False
    return dict(zip([e.split("_(")[0] for e in events], sums))


# ---- what was changed is known ----

def names(pattern, name):
    """Is it one of the names?  Clones and levels of recursion count as the function."""
    bare = re.sub(r"\.(part|constprop|isra|cold)\b.*|'\d+$", "", name or "")
    short = re.sub(r"[(<].*", "", bare)
    return any(fnmatch.fnmatchcase(n, p) for p in pattern.split("|") if p not in ("", "-")
               for n in (bare, short) if n)


def near(row, at):
    file, lines = at.rsplit(":", 1)
    return row["file"] is not None and os.path.basename(row["file"]) == file and any(
        abs(row["line"] - int(n)) <= 1 for n in lines.split(","))


def judge_pair(name, folder):
    """One pair: [single cause, named, both named, few rows, little gross, has lines, line]"""
    truth = dict(x.strip().split("=", 1) for x in
                 open(os.path.join(folder, name + ".truth")).read().strip().split("; ", 4))
    for side in "new", "old":
        packed = os.path.join(folder, "%s.%s.zst" % (name, side))
        with open("%s.%s" % (name, side), "wb") as f:
            subprocess.run(["zstd", "-dcq", packed], stdout=f, check=True)
    new, old = name + ".new", name + ".old"
    event = truth["event"].split("_(")[0]
    here, base = costs(new), costs(old)
    for e in here:
        rows, back = why(new, old, e), why(old, new, e)
        same(sum(r["delta"] for r in rows), here[e] - base[e], "%s: rows add up to the difference of %s" % (name, e))
        same(sorted(-r["delta"] for r in back), sorted(r["delta"] for r in rows),
             "%s: the other way it is the negative, %s" % (name, e))
        same([r for r in rows if r["kind"] == "rest"], [], "%s: nothing is left, %s" % (name, e))
    same(why(new, new, event), [], name + ": no difference to itself")
    rows = why(new, old, event)
    all_ = here[event] - base[event]
    so_far, few = 0, 0
    for r in rows:
        so_far += r["delta"]
        few += 1
        if abs(so_far - all_) <= abs(all_) / 10:
            break
    first = rows[0]
    return [truth["cause"] != "-" and "no single" not in truth["kind"],
            any(names(truth["cause"], first[c]) for c in ("fn", "callee", "below")),
            names(truth["cause"], first["fn"]) and (
                truth["callee"] == "-" or not first["callee"] or names(truth["callee"], first["callee"])),
            few <= 7, sum(abs(r["delta"]) for r in rows) <= 1.5 * abs(all_),
            truth["at"] != "-" and not name.startswith("perl"),
            truth["at"] != "-" and near(first, truth["at"])]


def judge(folder, marks):
    found = [judge_pair(os.path.basename(t)[:-6], folder) for t in sorted(glob.glob(folder + "/*.truth"))]
    single = [f for f in found if f[0]]
    lined = [f for f in single if f[5]]
    got = [len(single)] + [sum(f[k] for f in single) for k in (1, 2, 3, 4)] + [
        len(lined), sum(f[6] for f in lined)]
    what = ["pairs with one cause", "the first row names it", "with caller and callee",
            "seven rows have 90 %", "opposite rows are few", "pairs with lines", "the line is right"]
    for w, g, m in zip(what, got, marks):
        ok(g >= m, "%s: %d, at least %d" % (w, g, m))


judge(fixtures + "/why", [12, 12, 12, 11, 10, 12, 10])
mutants = top + "/../shared/mutants"
if os.path.isdir(mutants):
    os.makedirs("mutants")
    for d in sorted(os.listdir(mutants)):
        for side in "new", "old":
            shutil.copy("%s/%s/%s.out.zst" % (mutants, d, side), "mutants/%s.%s.zst" % (d, side))
        shutil.copy("%s/%s/truth.txt" % (mutants, d), "mutants/%s.truth" % d)
    judge("mutants", [39, 37, 36, 36, 35, 33, 26])
else:
    skip("all pairs whose change is known", "they are in no clone")


# ---- simulated programs ----

class Program:
    """Function i calls functions of higher numbers; rate[i][j] times in each run."""

    def __init__(self, own, rate):
        self.own, self.rate = own, rate
        n = len(own)
        self.runs = [0] * n
        self.runs[0] = 1
        for i in range(n):
            for j, k in rate[i].items():
                self.runs[j] += self.runs[i] * k
        self.whole = own[:]
        for i in reversed(range(n)):
            self.whole[i] += sum(k * self.whole[j] for j, k in rate[i].items())

    def total(self):
        return self.whole[0]

    def write(self, path):
        with open(path, "w") as f:
            f.write("# callgrind format\nevents: Ir\n\n")
            for i, own in enumerate(self.own):
                if not self.runs[i]:
                    continue
                f.write("fl=f%d.c\nfn=f%d\n1 %d\n" % (i, i, own * self.runs[i]))
                for j, k in sorted(self.rate[i].items()):
                    if k:
                        f.write("cfi=f%d.c\ncfn=f%d\ncalls=%d 1\n%d %d\n" % (
                            j, j, k * self.runs[i], 10 + j, k * self.runs[i] * self.whole[j]))
                f.write("\n")


def program(rng):
    n = rng.randint(4, 14)
    rate = [{} for _ in range(n)]
    for j in range(1, n):
        for i in rng.sample(range(j), min(j, rng.choice((1, 1, 2, 3)))):
            rate[i][j] = rng.choice((1, 1, 2, 3))
    return Program([rng.randint(5, 2000) for _ in range(n)], rate)


def mutate(rng, p):
    """Another program, and what was changed: (fn, callee or None)."""
    own, rate = p.own[:], [dict(r) for r in p.rate]
    n = len(own)
    i = rng.randrange(n - 1)
    kind = rng.choice(("own", "own", "calls", "calls", "calls", "newly"))
    if kind == "own" or not rate[i]:
        own[i] += rng.choice((-1, 1)) * rng.randint(1, own[i] - 1)
        return Program(own, rate), (i, None)
    j = rng.choice(list(rate[i])) if kind == "calls" else rng.randrange(i + 1, n)
    rate[i][j] = rate[i].get(j, 0) + rng.randint(1, 3)
    return Program(own, rate), (i, j)


def expected(a, b):
    """{(fn, callee): cost}: the sum in why.h, by averages of both sides.  None: a call is made more
    often and became cheaper, or the reverse, which takes the lesser price; a new call became dearer;
    or functions are joined."""
    rows = {}
    if [not n for n in a.runs] != [not n for n in b.runs]:      # functions that one side has alone
        return None
    for i in range(len(a.own)):
        rows[i, None] = (a.runs[i] + b.runs[i]) / 2 * (b.own[i] - a.own[i])
        for j in set(a.rate[i]) | set(b.rate[i]):
            x, y = a.rate[i].get(j, 0), b.rate[i].get(j, 0)
            first, second = a.whole[j], b.whole[j]
            if (y - x) * (second - first) < 0 or (x == 0) != (y == 0) and first != second:
                return None
            rows[i, j] = (b.runs[i] * first + a.runs[i] * second) / 2 * (y - x)
    return rows


def number(name):
    return int(name[1:]) if name else None


wrong, unequal, sums, compared = [], [], [], 0
random.seed(seed(20))
for k in range(400 if SLOW == 1 else 60):
    rng = random.Random(random.random())
    a = program(rng)
    changes = rng.choice((1, 1, 2, 3))
    b, cause = mutate(rng, a)
    causes = {cause}
    for _ in range(changes - 1):
        b, cause = mutate(rng, b)
        causes.add(cause)
    a.write("base")
    b.write("here")
    rows = quietly("here", "base")
    if isinstance(rows, str) or sum(r["delta"] for r in rows) != b.total() - a.total():
        sums.append((k, rows))
        continue
    if len(causes) == 1 and rows and (number(rows[0]["fn"]), number(rows[0]["callee"])) not in causes:
        wrong.append((k, causes, rows[:2]))
    want = expected(a, b)
    compared += want is not None
    got = {(number(r["fn"]), number(r["callee"])): r["delta"] for r in rows}
    joined = any("in place of" in r["why"] or ", instead " in r["why"] for r in rows)
    for key in (() if joined or want is None else set(want) | set(got)):
        if abs(want.get(key, 0) - got.get(key, 0)) > 1 + len(rows):
            unequal.append((k, key, want.get(key), got.get(key), causes))
same(sums[:3], [], "simulated: rows add up to the difference")
same(wrong[:3], [], "simulated: the first row names the one cause")
ok(compared > k / 2, "simulated: most pairs are compared row by row", compared)
same(unequal[:3], [], "simulated: each row is a term of the sum")

# ---- any calls: cycles, several roots, functions of one side, calls that contradict each other ----

def block(rng, name, names):
    """A function as text, and its self cost."""
    own = rng.choice((0, rng.randint(1, 50), rng.randint(1, 100000)))
    text = "fn=%s\n1 %d\n" % (name, own)
    for callee in rng.sample(names, min(len(names), rng.choice((0, 1, 2, 4)))):
        for line in rng.sample(range(10, 20), rng.choice((1, 1, 3))):
            text += "cfn=%s\ncalls=%d 1\n%d %d\n" % (
                callee, rng.randint(0, 9), line, rng.choice((0, rng.randint(0, 200000))))
    return text + "\n", own


def anything(rng, names):
    return {name: block(rng, name, names) for name in names}


def write(path, blocks):
    with open(path, "w") as f:
        f.write("# callgrind format\nevents: Ir\n\n" + "".join(text for text, _ in blocks.values()))
    return sum(own for _, own in blocks.values())


sums, turned = [], []
for k in range(400 if SLOW == 1 else 60):
    rng = random.Random(random.random())
    names_ = ["f%d" % i for i in range(rng.randint(2, 25))]
    both = rng.random()
    sides = [[n for n in names_ if rng.random() < max(both, 0.5)] or names_[:1] for _ in range(2)]
    before = anything(rng, sides[0])
    if k % 2:       # the other side is the same but for a few functions
        after = dict(before)
        known = sides[0] + rng.choice(([], ["f_new"]))
        for n in rng.sample(sides[0], min(len(sides[0]), rng.choice((1, 1, 2)))) + known[len(sides[0]):]:
            after[n] = block(rng, n, known)
    else:
        after = anything(rng, sides[1])
    base, here = write("there", before), write("here", after)
    rows, back = quietly("here", "there"), quietly("there", "here")
    if isinstance(rows, str) or isinstance(back, str) or any(r["kind"] == "rest" for r in rows) or sum(
            r["delta"] for r in rows) != here - base:
        sums.append((k, here - base, rows, back))
    elif any(abs(x + y) > 1 for x, y in zip(sorted(r["delta"] for r in rows),
                                            sorted((r["delta"] for r in back), reverse=True))):
        turned.append((k, rows, back))
same(sums[:1], [], "any calls: rows add up to the difference")
same(turned[:1], [], "any calls: the other way it is the negative")

# ---- several runs a side ----

def runs(side, own, calls):
    """One file a run; own: the costs of `slow` in each."""
    for i, cost in enumerate(own):
        with open("%s.%d" % (side, i), "w") as f:
            f.write("events: Ir\npid: %d\nfn=main\n1 10\ncfn=slow\ncalls=2 1\n2 %d\ncfn=log\ncalls=%d 1\n3 %d\n"
                    "fn=slow\n5 %d\nfn=log\n9 %d\n" % (100 + i, cost, calls, 50 * calls, cost, 50 * calls))


def several(query="why | show delta, kind, why | as csv"):
    r = run("now.*", "base=then.*", "-q", "--no-index-write", "-c", query)
    return r.text.splitlines()[1:] if not r.status else r.talk


runs("then", (1000, 1300, 1100), 2)
runs("now", (1050, 1250, 1350), 4)
same(several(), ["300,calls more,main calls log more often",
                 '250,noise,"noise: own cost of 1 function, as far apart from run to run"'],
     "several runs: what is as far apart on one side is no cause")
runs("now", (1450, 1350, 1400), 4)
same(several()[0], "800,own cost,slow spends more in itself", "  beyond the noise it is one")
ok("73 %: slow spends more in itself" in several("functions vs base | take 1")[0], "  in the headline, too")
os.remove("now.2")
r = run("now.*", "base=then.*", "-q", "--no-index-write", "-c", "why | expect some")
ok(r.status == 4 and "2 runs here, 3 in the base" in r.talk, "  sums of 2 runs and of 3: `expect` fails", r)
with open("parts", "w") as f:
    for part, calls in (1, 2), (2, 5):
        f.write("version: 1\npid: 1\npart: %d\nevents: Ir\nfn=main\n1 10\ncfn=slow\ncalls=%d 1\n2 %d\nfn=slow\n5 %d\n\n" % (
            part, calls, 50 * calls, 50 * calls))
r = run("parts", "-q", "--no-index-write", "-c", "part 2 | why vs part 1 | show delta, why | as csv")
same(r.text.splitlines()[1:], ["150,main calls slow more often"], "two parts of one profile")
r = run("c-hashtwice.new", "base=c-hashtwice.old", "-q", "-c", "focus intern | why | show fn, callee | take 1 | as csv")
ok(r.text.splitlines()[1].startswith("intern,hash"), "after focus: of one function with all below it", r)

r = run("c-hashtwice.new", "base=c-hashtwice.old", "-q", "-c", "why under parse_array | show delta, why, file, line | as csv")
same([line.rsplit(",", 2)[1:] for line in r.text.splitlines()[1:]], [["/srv/app/mini.c", "54"], ["/srv/app/mini.c", "58"]],
     "under a function: with lines")
same(run("c-hashtwice.new", "base=c-hashtwice.old", "-q", "-c", "focus parse_array | why | show delta, why, file, line | as csv").text,
     r.text, "  as after focus")
r = run("c-hashtwice.new", "base=c-hashtwice.old", "-q", "-c", "why of hash | show share%, delta | as csv")
same(r.text.split()[1:], ["100,85950"], "of a function: its sum is all")
r = run("c-hashtwice.new", "base=c-hashtwice.old", "-q", "-c", "why of malloc", "-c", "why under nosuch")
ok("no rows" in r.text and r.status == 1 and "no function matches 'nosuch'" in r.talk, "  nothing of it; no such function", r)

# ---- the stack of a change, where stacks are known ----
for side, price in ("then", 100), ("now", 900):
    with open(side + ".xd", "w") as f:
        f.write("version: 1\ncreator: xdebug 3.2.0 (PHP 8.2.0)\ncmd: a.php\npart: 1\npositions: line\n\nevents: Time_(10ns)\n\n")
        for caller, cost in ("list", 100), ("page", price):
            f.write("fl=a.php\nfn=find\n9 %d\n\nfl=a.php\nfn=%s\n5 10\ncfl=a.php\ncfn=find\ncalls=1 0 0\n6 %d\n\n" % (cost, caller, cost))
        f.write("fl=a.php\nfn={main}\n1 10\n" + "".join(
            "cfl=a.php\ncfn=%s\ncalls=1 0 0\n2 %d\n" % c for c in (("list", 110), ("page", price + 10))) + "\n")
r = run("now.xd", "base=then.xd", "-q", "-c", "why max 1 | show fn, delta, context | as csv")
same(r.text.splitlines()[1:], ["find,800,{main} -> page -> find"], "own cost on one of two stacks")
r = run("php-merge.new", "base=php-merge.old", "-q", "-c", "why max 1 | take 1 | show callee, context | as csv")
same(r.text.splitlines()[1:], ["php::array_merge,{main} -> Cart->list"], "a new call: the stack of the caller")
r = run("c-hashtwice.new", "base=c-hashtwice.old", "-q", "-c", "why | take 1 | show context | as csv")
same(r.text.splitlines()[1:], [""], "  not known of callgrind's")

# ---- as people ask ----
r = run("here", "-q", "-c", "why")
ok(r.status and "compares two profiles" in r.talk and "base=old.out" in r.talk, "one profile: what to type", r.talk)
r = run("c-hashtwice.new", "base=c-hashtwice.old", "-q", "-c", "why")
ok(r.status == 0 and "intern now calls hash" in r.text and "mini.c:54" in r.text, "a sentence with its line", r.text)
ok(r.text.splitlines()[0].endswith("Ir (+1.3 %)"), "the headline is the difference", r.text)
r = run("c-hashtwice.new", "base=c-hashtwice.old", "-q", "-c", "functions vs base | take 1")
ok("73 %: intern now calls hash (mini.c:54)" in r.text, "  and the cause, above any comparison", r.text)
r = run("c-hashtwice.new", "base=c-hashtwice.old", "-q", "-c",
        "why | where kind = \"calls newly\" | sum | show delta | as csv")
ok(r.status == 0, "table stages work on it", r)
r = run("c-hashtwice.new", "base=c-hashtwice.old", "-q", "-c", "why max 2")
ok(r.text.strip() in open(top + "/engine/LANGUAGE.md").read(), "LANGUAGE.md shows this answer", r.text)
r = run("c-hashtwice.new", "base=c-hashtwice.old", "-q", "-c", "why vs base max 1 | count | as csv")
same(r.text.split()[-1], "2", "max N, and the rest")
done()
