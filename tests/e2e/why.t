#!/usr/bin/env python3
"""why.t - `why`: does it name the cause of a difference, and do its rows add up to it?

Pairs of real profiles say what was changed in the program (NAME.truth).  Pairs of simulated
programs are compared with the sum in engine/why/why.h, computed here from the programs, row by
row.  tests/unit/why_test.c asks whether rows add up for many more.
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


def quietly(new, old, *events):
    """The rows of `why` by each event, asked by one process; or what went wrong, as a text."""
    r = run(new, "base=" + old, "-q", *[arg for e in events for arg in ("-c", "why%s max 1000000 | as json" % (e and " by " + e))])
    if r.status:
        return "failed: " + r.talk
    answers = [json.loads(text) for text in re.split(r'\n(?={"meta":)', r.text)]
    return [[dict(zip(a["columns"], row)) for row in a["rows"]] for a in answers]


def why(new, old, *events):
    """The rows by each event, which there must be."""
    rows = quietly(new, old, *events)
    return rows if ok(len(rows) == len(events) and not isinstance(rows, str), "why of %s" % new, rows) else [[] for _ in events]


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


def contradicts(row):
    """Do the numbers beside a sentence say something else?  A call in place of another is told by the sum of both."""
    if row["from"] is None or " in place of " in row["why"] or ", instead " in row["why"]:
        return False
    return (row["to"] - row["from"]) * row["delta"] <= 0


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
    forth = dict(zip(here, why(new, old, *here)))
    for (e, rows), back in zip(forth.items(), why(old, new, *here)):
        same(sum(r["delta"] for r in rows), here[e] - base[e], "%s: rows add up to the difference of %s" % (name, e))
        same(sorted(-r["delta"] for r in back), sorted(r["delta"] for r in rows),
             "%s: the other way it is the negative, %s" % (name, e))
        same([r for r in rows if r["kind"] == "rest"], [], "%s: nothing is left, %s" % (name, e))
    same(why(new, new, event), [[]], name + ": no difference to itself")
    rows = forth[event]
    same([r for r in rows if contradicts(r)], [], name + ": the numbers support the sentences")
    same([r for r in rows if not r["lo"] <= r["delta"] <= r["hi"]], [], name + ": each is in its range")
    first_rows = [r["why"] for r in rows[:7]]
    same(len(set(first_rows)), len(first_rows), name + ": no two sentences are the same")
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
        own[i] = rng.choice([own[i] + rng.randint(1, own[i])] + [rng.randint(1, own[i] - 1)] * (own[i] > 1))
        return Program(own, rate), (i, None)
    j = rng.choice(list(rate[i])) if kind == "calls" else rng.randrange(i + 1, n)
    rate[i][j] = rate[i].get(j, 0) + rng.randint(1, 3)
    return Program(own, rate), (i, j)


def mean(x, runs):
    return x / runs if runs else 0


class Side:
    """One side of a pair: own[f] and rate[f] of one run, as far as `both` have the function.  The others are joined
    to their callers, the last first: a caller calls what they called, and spends what they spent."""

    def __init__(self, program, both):
        n = len(program.own)
        self.own, self.runs = [float(x) for x in program.own], program.runs
        self.rate = [{j: float(k) for j, k in r.items() if k and program.runs[i]} for i, r in enumerate(program.rate)]
        self.joined = set()     # callers that got something
        for f in reversed(range(n)):
            for g in range(f):
                k = self.rate[g].pop(f, 0) if f not in both else 0
                if not k or not program.runs[g]:
                    continue
                self.joined.add(g)
                self.own[g] += k * self.own[f]
                for j, m in self.rate[f].items():
                    self.rate[g][j] = self.rate[g].get(j, 0) + k * m
        self.price = self.own[:]
        for f in reversed(range(n)):
            self.price[f] += sum(k * self.price[j] for j, k in self.rate[f].items())


def expected(a, b):
    """({(fn, callee): cost}, loose): the sum in why.h, by averages of both sides.  A call that is made more often and
    became cheaper, or the reverse, has the lesser price, one of one side its own.  What is carried down by it then
    is not what changed below: the rows of functions below, `loose`, are not known by the sum alone."""
    both = {f for f in range(len(a.own)) if a.runs[f] and b.runs[f]}
    sides = Side(a, both), Side(b, both)
    rows, loose = {}, set()
    for f in sorted(both):
        runs = (a.runs[f] + b.runs[f]) / 2
        rows[f, None] = runs * (sides[1].own[f] - sides[0].own[f])
        for j in set(sides[0].rate[f]) | set(sides[1].rate[f]):
            x, y = (s.rate[f].get(j, 0) for s in sides)
            first, second = (s.price[j] for s in sides)
            rows[f, j] = (b.runs[f] * first + a.runs[f] * second) / 2 * (y - x)
            if not x or not y:
                rows[f, j] = runs * (second if y else first) * (y - x)
            elif (y - x) * (second - first) < 0:
                rows[f, j] = runs * min(first, second) * (y - x)
            if f in loose or (first != second and ((y - x) * (second - first) < 0 or not x or not y)):
                loose.add(j)
    return rows, loose, sides[0].joined | sides[1].joined


def number(name):
    return int(name[1:]) if name else None


def ask_all(asked):
    """[(here, base)] of files: the rows of `why` of each, by one run."""
    args = [w for k, (here, base) in enumerate(asked) for w in ("h%d=%s" % (k, here), "b%d=%s" % (k, base))]
    r = run(*args, "-q", "--no-index-write", *[w for k in range(len(asked)) for w in (
        "-c", "in h%d | why vs b%d max 1000000 | as json" % (k, k))])
    answers, rest = [], r.text
    while rest.strip():
        answer, end = json.JSONDecoder().raw_decode(rest.strip())
        rest = rest.strip()[end:]
        answers.append([dict(zip(answer["columns"], row)) for row in answer["rows"]])
    ok(r.status == 0 and len(answers) == len(asked), "%d pairs are answered" % len(asked), r.talk)
    return answers + [[]] * (len(asked) - len(answers))


def compare_rows(rows, want, loose, joined):
    """What differs, by caller and callee, or by caller alone where rows are told of joined functions or as one."""
    if any(r["kind"] == "moved" for r in rows):
        return [], 0
    coarse = joined | {number(r["fn"]) for r in rows if "in place of" in r["why"] or ", instead " in r["why"]}
    sums = {}
    for of, part in ((want, 0), ({}, 1)):
        for (f, j), cost in of.items() if not part else [((number(r["fn"]), number(r["callee"])), r["delta"]) for r in rows]:
            if f not in loose:
                sums.setdefault((f, None if f in coarse else j, f in coarse), [0, 0])[part] += cost
    return [(k, v) for k, v in sums.items() if abs(v[0] - v[1]) > 1 + len(rows)], len(sums)


PAIRS, AT_ONCE = (1000 if SLOW == 1 else 60), 50
wrong, unequal, sums, turned, itself, compared, single = [], [], [], [], [], 0, 0
random.seed(seed(20))
for k in range(0, PAIRS, AT_ONCE):
    made = []
    for i in range(AT_ONCE):
        rng = random.Random(random.random())
        a = program(rng)
        b, cause = mutate(rng, a)
        causes = {cause}
        for _ in range(rng.choice((1, 1, 2, 3)) - 1):
            b, cause = mutate(rng, b)
            causes.add(cause)
        a.write("base%d" % i)
        b.write("here%d" % i)
        made.append((a, b, causes))
    files = [("here%d" % i, "base%d" % i) for i in range(AT_ONCE)]
    answers = ask_all(files)
    back = ask_all([(base, here) for here, base in files])
    itself += [rows for rows in ask_all([(here, here) for here, _ in files[:5]]) if rows]
    for (a, b, causes), rows, other in zip(made, answers, back):
        if sum(r["delta"] for r in rows) != b.total() - a.total() or any(r["kind"] == "rest" for r in rows):
            sums.append((causes, rows))
            continue
        if sorted(r["delta"] for r in rows) != sorted(-r["delta"] for r in other):
            turned.append((causes, rows, other))
        if len(causes) == 1 and rows:
            single += 1
            if (number(rows[0]["fn"]), number(rows[0]["callee"])) not in causes:
                wrong.append((causes, rows[:2]))
        differ, n = compare_rows(rows, *expected(a, b))
        compared += n
        unequal += [(causes, differ, rows)] if differ else []
same(sums[:3], [], "%d simulated pairs: rows add up to the difference" % PAIRS)
same(turned[:3], [], "  the other way it is the negative")
same(itself[:3], [], "  no difference to itself")
same(wrong[:3], [], "  the first row names the one cause, of %d pairs" % single)
ok(compared > 5 * PAIRS, "  %d rows are compared" % compared)
same(unequal[:3], [], "  each is a term of the sum")

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
for k in range(100 if SLOW == 1 else 60):
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
    (rows,), (back,) = [r if isinstance(r, list) else (r,) for r in (quietly("here", "there", ""), quietly("there", "here", ""))]
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


def told(name, query):
    """The lines of an answer, blanks as one; notes first."""
    r = run(name + ".new", "base=%s.old" % name, "-q", "-c", query)
    return [" ".join(line.split()) for line in (r.talk + r.text).splitlines()]


same(told("c-alloc", "why under free"), [
    "448 -> 317 k Ir (+70714.3 %)", "filters: focus free", "share% delta why file:line from/call to/call",
    "100.00% +316,800 parse_string now calls free mini.c:75 0 1"],
     "of a function that others call in the base: who calls it now, and the total that shares are of")
same(told("c-alloc", "focus free | why")[2:], told("c-alloc", "why under free")[2:], "  so it is after focus: what leads to it is no cause")
for name, f in ("c-alloc", "free"), ("c-alloc", "parse_value"), ("cxx-newfn", "app::print"), ("c-nomark", "mark"), ("php-merge", "Cart->list"):
    same(told(name, "focus %s | why max 1000000 | sum | show delta | as csv" % f)[-1],
         told(name, "focus %s | functions vs base | sum | show delta | as csv" % f)[-1], "  the rows add up to the difference below %s" % f)
same(told("cxx-newfn", "why under app::escape_html")[-1].rsplit(" ", 3)[0],
     "100.00% +24,296 app::report_users now calls app::escape_html, which is new", "  of one that is new")
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

# ---- one number for one thing ----
first = told("c-nomark", "why")[2]
ok(first.startswith("99.98% +508,203 mark calls itself more often, at a new line mini.c:105"), "why: contexts as recorded", first)
same(told("c-nomark", "functions vs base | take 1")[1], "100 %: mark calls itself more often, at a new line (mini.c:105)", "  the headline has the same")
page = run("c-nomark.new", "base=c-nomark.old", "-q", "-c", "functions vs base | as html").text
panel = page[page.index('class="causes"'):]
ok('data-by="+508,203">100 %</b>' in panel and len(re.findall("<li[^>]*><b", panel[:panel.index("</ol>")])) ==
   len(told("c-nomark", "why")) - 2, "  and so has the report, row by row", panel[:900])
ok(re.search(r'<button data-f="\d+">mark calls itself', panel), "  a click leads to the joined function", panel[:900])
same(told("c-pad", "why"), ["note: no difference in Ir; DLmr +369.0 %, D1mr +18.6 %: why by DLmr", "9.29 M -> 9.29 M Ir (the same)", "no rows"],
     "the same instructions: what did change, and what to ask")

# ---- what run-time libraries do is caused by their callers ----
LIBC = "/lib/libc.so.6"


def call(obj, fn, calls, cost, line):
    return "cob=%s\ncfn=%s\ncalls=%d 1\n%d %d\n" % (obj, fn, calls, line, cost)


def heap(side, block, copied, consolidate, misses=0):
    """load gets 10 blocks, each at the cost of a block; main releases them, and copies."""
    release = 300 + consolidate
    with open(side + ".heap", "w") as f:
        f.write("events: Ir D1mr\nob=app\nfl=a.c\nfn=main\n1 5000 %d\n" % misses)
        for one in (call("app", "load", 1, 200 + 10 * block, 2), call(LIBC, "free", 10, release, 3),
                    call(LIBC, "memcpy", 4, 4 * copied, 4), call(LIBC, "qsort", 1, 100 + 7, 5)):
            f.write(one)
        f.write("fn=load\n11 200\n" + call(LIBC, "malloc", 10, 10 * block, 12) + "fn=compare\n21 7\n")
        f.write("ob=%s\nfl=malloc.c\nfn=malloc\n1 100\n" % LIBC + call(LIBC, "_int_malloc", 10, 10 * block - 100, 1))
        f.write("fn=_int_malloc\n2 %d\nfn=free\n3 100\n" % (10 * block - 100) + call(LIBC, "_int_free", 10, release - 100, 3))
        f.write("fn=_int_free\n4 200\n" + (call(LIBC, "malloc_consolidate", 1, consolidate, 4) if consolidate else ""))
        f.write("fn=malloc_consolidate\n5 %d\n" % consolidate if consolidate else "")
        f.write("fn=memcpy\n6 %d\nfn=qsort\n7 100\n" % (4 * copied) + call("app", "compare", 1, 7, 7))


def libraries(query):
    r = run("now.heap", "base=then.heap", "-q", "--no-index-write", "-c", query + " | as csv")
    return (r.talk + r.text).splitlines()


heap("then", 30, 50, 0)
heap("now", 34, 50, 4000)
same(libraries("why | show delta, kind, why, line, from, to")[1:],
     ['4040,layout,"load calls malloc as often, but the heap costs more: other sizes or order: why of obj:libc.so.6",12,30,34'],
     "the heap: of the call that gets memory, not of what free() does")
same(libraries("why of _int_free | show delta, why")[-1:],
     ['4000,"_int_free now calls malloc_consolidate, which is new"'], "  its inside is told when asked for")
heap("now", 30, 300, 0)
same(libraries("why | show delta, kind, fn, callee, why, line, from, to")[1:],
     ["1000,below,main,memcpy,main calls memcpy at more cost each: why of obj:libc.so.6,4,50,300"], "a library function that gets more to do")
heap("now", 31, 50, 0, misses=400)
heap("then", 31, 50, 0, misses=100)
with open("now.heap") as f:
    text = f.read()
with open("now.heap", "w") as f:
    f.write(text.replace("\n11 200\n", "\n11 203\n").replace("\n2 510\n", "\n2 513\n"))
same(libraries("why | show delta")[0], "note: hardly a difference in Ir; D1mr +300.0 %: why by D1mr",
     "hardly a difference, where another event says more")

# ---- two functions of one name ----
for side, calls in ("then", 2), ("now", 5):
    with open(side + ".overloads", "w") as f:
        f.write("events: Ir\nfl=a.cc\nfn=main\n1 10\n")
        for of in "int", "char const*":
            f.write("cfn=parse(%s)\ncalls=20 1\n2 %d\n" % (of, 20 * (10 + 7 * calls)))
        for of in "int", "char const*":
            f.write("fn=parse(%s)\n5 200\ncfn=log\ncalls=%d 1\n6 %d\n" % (of, 20 * calls, 140 * calls))
        f.write("fn=log\n9 %d\n" % (280 * calls))
r = run("now.overloads", "base=then.overloads", "-q", "--no-index-write", "-c", "why | show why | as csv")
same(sorted(r.text.splitlines()[1:]), ["each parse(char const*) calls log more often", "each parse(int) calls log more often"],
     "overloads: their parameters")

# ---- calls in a cycle: the new ones cost what is recorded of them, not what others of them cost ----
for side, cheap in ("then", 10), ("now", 110):
    with open(side + ".cycle", "w") as f:
        f.write("events: Ir\nfl=a.c\nfn=main\n1 10\ncfn=run\ncalls=1 1\n2 %d\n" % (10900 + 20 * cheap))
        f.write("fn=run\n3 800\ncfn=item\ncalls=%d 1\n4 %d\ncfn=item\ncalls=1 1\n5 10100\n" % (cheap, 20 * cheap))
        f.write("fn=item\n6 %d\ncfn=load\ncalls=1 1\n7 10080\nfn=load\n8 9980\ncfn=run\ncalls=1 1\n9 100\n" % (
            20 * cheap + 20))
        f.write("fn=run\n3 100\n")
r = run("now.cycle", "base=then.cycle", "-q", "--no-index-write", "-c", "why max 1 | show delta, why | as csv")
same(r.text.splitlines()[1:], ['2000,"each run calls item more often, only below main"'], "in a cycle: cheap calls more")

FOUND = fixtures + "/found/"


def found(new, old, query="why | show delta, why | as csv"):
    r = run(new, "base=" + old, "-q", "--no-index-write", "-c", query)
    return r.text.splitlines()[1:] if r.status == 0 else [r.talk]


# ---- other parameters ----
for side, of in ("then", "int"), ("now", "long"):
    with open(side + ".parameters", "w") as f:
        f.write("events: Ir\nfl=a.cc\nfn=main\n1 10\ncfn=parse(%s)\ncalls=2 1\n2 %d\nfn=parse(%s)\n5 %d\n" % (
            of, 50 * len(of), of, 50 * len(of)))
r = run("now.parameters", "base=then.parameters", "-q", "--no-index-write", "-c", "why | show delta, why | as csv")
same(r.text.splitlines()[1:], ['50,"main calls parse, whose parameters changed: with inlined | why under parse"'], "a function with other parameters")
# Not so of a name that has none, and of one that is in another place.
for then, now, want in (
        ("fn=parse", "fn=parse.1", "main calls parse, which is called parse.1 now"),
        ("fl=b.c\nfn=parse", "fl=c.c\nfn=parse", "main calls parse, which moved to c.c"),
        ("ob=one.so\nfn=parse", "ob=two.so\nfn=parse", "main calls parse, which moved to two.so"),
        ("fn=parse@@V_1", "fn=parse@@V_2", "parse spends more in itself"), ("fn=parse", "fn=parse.avx2", "parse.avx2 spends more in itself")):
    for side, name, cost in ("then.place", then, 100), ("now.place", now, 150):
        with open(side, "w") as f:
            f.write("events: Ir\nob=app\nfl=a.c\nfn=main\n1 10\nc%s\ncalls=2 1\n2 %d\n%s\n5 %d\n" % (name.replace("\n", "\nc"), cost, name, cost))
    same(found("now.place", "then.place"), ['50,"%s"' % want if "," in want else "50," + want], "  " + want)
for side, of, ways in ("then", "int", 1), ("now", "long", 3):
    with open(side + ".signature", "w") as f:
        f.write("events: Ir\nfl=a.cc\nfn=main\n1 10\ncfn=get(%s)\ncalls=2 1\n2 %d\nfn=get(%s)\n5 %d\ncfn=find\ncalls=%d 1\n6 %d\nfn=find\n9 %d\n" % (
            of, 100 + 50 * ways, of, 100, ways, 50 * ways, 50 * ways))
for query in "why under get", "why of get", "why in get", "with inlined | why under get":
    same(found("now.signature", "then.signature", query + " | show delta, why, from, to | as csv"), ["100,each get calls find more often,0.5,1.5"],
         "  its inside, asked for: " + query)

# ---- more recursion, whatever the mean run spends ----
def tree(path, depth, leaf, inner, ways):
    """tree() calls itself so often, so deep; leaves spend something else."""
    own = [inner] * depth + [leaf]
    incl = own[:]
    for k in range(depth - 1, -1, -1):
        incl[k] += ways * incl[k + 1]
    deep = range(1, depth + 1)
    with open(path, "w") as f:
        f.write("version: 1\ncreator: callgrind-3.19.0\nevents: Ir\nfl=t.c\nfn=main\n1 20\ncfn=tree\ncalls=1 5\n2 %d\nfn=tree\n5 %d\ncfn=tree'2\ncalls=%d 5\n6 %d\nfn=tree'2\n5 %d\n" % (
            incl[0], own[0], ways, ways * incl[1], sum(ways ** k * own[k] for k in deep)))
        if depth > 1:
            f.write("cfn=tree'2\ncalls=%d 5\n6 %d\n" % (sum(ways ** k for k in deep[1:]), sum(ways ** k * incl[k] for k in deep[1:])))


same(found(FOUND + "deeper-new.cg", FOUND + "deeper-old.cg"), ["1944,each tree calls itself more often"], "deeper recursion")
same(found(FOUND + "deeper-old.cg", FOUND + "deeper-new.cg"), ["-1944,each tree calls itself less often"], "  and the other way")
for leaf, inner in (1, 1000), (100, 1), (20, 24):
    for ways, then, now in (1, 1, 2), (1, 3, 9), (2, 2, 6), (3, 1, 3):
        tree("then.tree", then, leaf, inner, ways)
        tree("now.tree", now, leaf, inner, ways)
        rows = found("now.tree", "then.tree", "why | take 1 | show share%, why | as csv")
        ok("tree calls itself more often" in rows[0] or "tree now calls itself" in rows[0], "  depth %d to %d, %d ways, leaf %d, inner %d" % (
            then, now, ways, leaf, inner), rows)
tree("then.tree", 3, 20, 24, 3)
tree("now.tree", 3, 20, 48, 3)
same(found("now.tree", "then.tree", "why | take 1 | show why | as csv"), ["tree spends more in itself"], "  no deeper, but dearer")

# ---- clones and pieces of a function ----
for old in "clone-old.cg", "clone-old2.cg":
    same(found(FOUND + "clone-new.cg", FOUND + old, "why | show delta, why, from, to | as csv"),
         ['160440,"to_int now calls __cxa_throw, which is new",0,0.25'], "%s: it throws now, in its cold piece" % old)
for side, cold in ("then", 4), ("now", 40):
    with open(side + ".cold", "w") as f:
        f.write("events: Ir\nfl=a.cc\nfn=main\n1 10\ncfn=f(int)\ncalls=9 1\n2 %d\nfn=f(int)\n5 90\ncfn=f(int) [clone .cold]\ncalls=%d 1\n6 %d\n"
                "fn=f(int) [clone .cold]\n7 %d\n" % (90 + 20 * cold, cold, 20 * cold, 20 * cold))
same(found("now.cold", "then.cold"), ["720,each f calls f [clone .cold] more often"],
     "  a piece is named as one")

# ---- calls that differ are no change of what a mean call does ----
for side, cheap in ("then", 0), ("now", 100):
    with open(side + ".mean", "w") as f:
        f.write("events: Ir\nfl=a.c\nfn=main\n1 10\ncfn=match\ncalls=%d 1\n2 %d\nfn=match\n5 %d\ncfn=regexec\ncalls=100 1\n6 5000\nfn=regexec\n7 5000\n" % (
            100 + cheap, 6000 + 10 * cheap, 1000 + 10 * cheap))
same(found("now.mean", "then.mean", "why | show why | as csv"), ["main calls match more often"],
     "twice the calls, of which the new ones call nothing: one change")

# ---- changes that cancel each other are no difference ----
with open("even", "w") as f:
    for thread, a, b in (2, 500000, 500000), (3, 520000, 480200):
        f.write("version: 1\ncreator: callgrind-3.19.0\nthread: %d\npart: 1\nevents: Ir\nfn=main\n1 10\ncfn=a\ncalls=1 2\n2 %d\n"
                "cfn=b\ncalls=1 2\n3 %d\nfn=a\n5 %d\nfn=b\n6 %d\n\n" % (thread, a, b, a, b))
r = run("even", "-q", "--no-index-write", "-c", "thread 3 | why vs thread 2")
ok(r.text.splitlines()[-1] == "no rows" and "note: no difference in Ir: changes cancel each other" in r.talk, "threads that differ by 0.02 %", r)
r = run("even", "-q", "--no-index-write", "-c", "thread 3 | why vs thread 2 max 20 | show share%, delta | as csv")
same(r.text.splitlines()[1:], [",20000", ",-19800"], "  on request they are listed, without shares")

# ---- other flags ----
for side, inline in ("then", True), ("now", False):
    with open(side + ".flags", "w") as f:
        f.write("events: Ir\nob=app\nfl=a.c\n")
        for i, own in enumerate((300, 400, 500, 600)):
            f.write("fn=f%d\n%d %d\n" % (i, 10 * i, own if inline else own // 3))
            if not inline:
                f.write("cfn=g%d\ncalls=10 1\n%d %d\nfn=g%d\n5 %d\n" % (i, 10 * i + 1, own * 2 // 3 + 20 + i, i, own * 2 // 3 + 20 + i))
        f.write("fn=main\n1 9000\n" + "".join("cfn=f%d\ncalls=1 1\n2 %d\n" % (i, own if inline else own + 20 + i)
                                               for i, own in enumerate((300, 400, 500, 600))))
r = run("now.flags", "base=then.flags", "-q", "-c", "why", "-c", "functions vs base | take 1")
ok("no single cause: 4 functions are on one side only: inlining or build flags differ; why max 20" in r.talk and
   "f3 now calls g3, which is new (inlined before?)" in r.text, "functions that were inlined before", r)
for side in "then", "now":
    with open(side + ".flags") as f:
        text = f.read()
    with open(side + ".script", "w") as f:
        f.write(text.replace("ob=app\n", ""))
r = run("now.script", "base=then.script", "-q", "--no-index-write", "-c", "why max 20")
ok("now calls g3, which is new" in r.text and "inlined" not in r.talk + r.text, "  not of a program without objects, as PHP", r)

for side, new in ("then", ()), ("now", ("open", "read", "close", "seek", "stat", "sync", "lock", "pipe", "dup")):
    with open(side + ".flags") as f:
        text = f.read()
    with open(side + ".calls", "w") as f:
        f.write(text + "".join(call(LIBC, "f" + n, 3, 3000, 90 + i) for i, n in enumerate(new)) + "".join(
            "ob=%s\nfn=f%s\n1 3000\n" % (LIBC, n) for n in new))
r = run("now.calls", "base=then.calls", "-q", "--no-index-write", "-c", "functions vs base | take 1")
ok("build flags" not in r.text, "  among more that are called newly", r)

for side, by in ("then", 10), ("now", 9):
    with open(side + ".flags", "w") as f:
        f.write("events: Ir\nob=app\nfl=a.c\n")
        for i in range(12):
            f.write("fn=f%d\n%d %d\n" % (i, 10 * i, (1000 + i) * by))
            if i < 4:
                f.write("cfn=%s%d\ncalls=1 1\n%d 100\n" % (side, i, 10 * i + 1))
        f.write("".join("fn=%s%d\n5 100\n" % (side, i) for i in range(4)))
r = run("now.flags", "base=then.flags", "-q", "-c", "why", "-c", "functions vs base | take 1")
ok("no single cause: 8 functions are on one side only: inlining or build flags differ; why max 20" in r.talk and
   "\nno single cause: 8 functions are on one side only: inlining or build flags differ\n" in r.text, "most functions are other code", r)

# ---- code inlined from headers of the system ----
TWICE = """#include <cstdio>
#include <string>
int main(int, char **argv) {
	size_t n = 0;
	for (int i = 0; i < 200; i++) { std::string s(40, 'a'); n += s.size(); }
	for (int i = 0; i < %d; i++) { std::string s(60, 'b'); n += s.size() + (argv[0][0] == s[3]); }
	printf("%%zu\\n", n);
}
"""


def record(side, times):
    """A program whose second loop runs so many times; false: the tools are missing."""
    os.makedirs(side)
    with open(side + "/two.cc", "w") as f:
        f.write(TWICE % times)
    try:
        # Ubuntu's g++ has entries of the PLT to which callgrind gives no name.
        subprocess.run(["g++", "-fcf-protection=none", "-O1", "-g", "-o", side + "/two", side + "/two.cc"], check=True)
        subprocess.run(["valgrind", "-q", "--tool=callgrind", "--dump-instr=yes", "--callgrind-out-file=%s.inl" % side, side + "/two"],
                       check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    except (OSError, subprocess.CalledProcessError):
        return False
    return "without libdw" not in run(side + ".inl", "-q", "-c", "inlined | take 1").talk


if record("before", 50) and record("after", 150):
    rows = [r for r in why("after.inl", "before.inl", "")[0] if r["fn"] == "main" and abs(r["share%"]) >= 5]
    same({(os.path.basename(r["file"]), r["line"]) for r in rows}, {("two.cc", 6)}, "calls in inlined code: the line of main that leads to them")
    ok(any("operator delete" in r["why"] for r in rows), "  of those that headers make", rows)
    shutil.rmtree(".cache", ignore_errors=True)    # where names of inlined functions are kept
    os.remove("before/two")
    rows = [r for r in why("after.inl", "before.inl", "")[0] if "operator delete" in r["why"]]
    ok(rows and not any(r["file"].endswith(".cc") for r in rows), "  no line of the program if one side does not tell", rows)
else:
    skip("calls in inlined code", "g++, valgrind or libdw is missing")

# ---- an exact call tree: times differ everywhere, counts tell ----
def request(path, sites, late):
    """A profile of Xdebug: lines of many that call leaf (line, calls, cost), and what late costs itself."""
    lines = ["version: 1", "creator: xdebug 3.2.0 (PHP 8.2)", "cmd: /app/index.php", "part: 1", "positions: line", "", "events: Time_(10ns)", ""]
    named = {}

    def block(name, line, own, calls=()):
        file, fn = "/app/%s.php" % name, {"main": "{main}"}.get(name, name)
        lines.append("fl=" + named.get(file, "(%d) %s" % (len(named) + 1, file)))
        named.setdefault(file, "(%d)" % (len(named) + 1))
        lines.append("fn=" + named.get(fn, "(%d) %s" % (len(named) + 1, fn)))
        named.setdefault(fn, "(%d)" % (len(named) + 1))
        lines.append("%d %d" % (line, own))
        for at, to, cost in calls:
            lines.extend(["cfl=" + named["/app/%s.php" % to], "cfn=" + named[to], "calls=1 0 0", "%d %d" % (at, cost)])
        lines.append("")
        return own + sum(cost for _, _, cost in calls)

    calls = [(at, "leaf", block("leaf", 9, cost // n)) for at, n, cost in sites for _ in range(n)]
    many = block("many", 180, 1000, calls)
    lasts = block("late", 77, late)
    other = block("other", 30, 500, [(31, "late", lasts)])
    leaf = block("leaf", 9, 700)
    block("main", 1, 100, [(2, "many", many), (3, "other", other), (4, "leaf", leaf)])
    with open(path, "w") as f:
        f.write("\n".join(lines) + "\n")


request("request.old", [(186, 128, 1596551), (190, 11, 70567), (197, 87, 163865), (204, 11, 742810), (206, 19, 11863)], 40)
request("request.new", [(186, 128, 60018), (190, 11, 72156), (197, 87, 6582581), (204, 11, 92986), (206, 19, 13973)], 900000)
r = run("request.new", "base=request.old", "-q", "-c", "why | show why, file:line | as csv")
ok("late spends more in itself,/app/late.php,77" in r.text, "a line of the function itself", r.text)
ok(r.text.startswith("why") and "often" not in r.text, "  a line that calls as often does not call more often", r.text)

# ---- as people ask ----
r = run("here", "-q", "-c", "why")
ok(r.status and "compares two profiles" in r.talk and "base=old.out" in r.talk, "one profile: what to type", r.talk)
r = run("c-hashtwice.new", "-q", "diff")
ok(r.status and "functions vs base -- of two profiles: quern new.out base=old.out" in r.talk, "  diff, and no base", r.talk)
for word, asks in ("diff", "why"), ("why", "why"), ("overview", "overview"):
    r = run("c-hashtwice.new", "c-hashtwice.old", "-q", word)
    ok(r.status == 2 and "hint: quern c-hashtwice.new base=c-hashtwice.old %s\n" % asks in r.talk, "  two files and " + word, r.talk)
r = run("c-hashtwice.new", "base=c-hashtwice.old", "-q", "-c", "why")
ok(r.status == 0 and "each intern calls hash more often, at a new line" in r.text and "mini.c:54" in r.text, "a sentence with its line", r.text)
ok(r.text.splitlines()[0].endswith("Ir (+1.3 %)"), "the headline is the difference", r.text)
r = run("c-hashtwice.new", "base=c-hashtwice.old", "-q", "-c", "functions vs base | take 1")
ok("73 %: each intern calls hash more often, at a new line, only below parse_array (mini.c:54)" in r.text,
   "  and the cause, above any comparison", r.text)
r = run("c-hashtwice.new", "base=c-hashtwice.old", "-q", "-c",
        "why | where kind = \"calls newly\" | sum | show delta | as csv")
ok(r.status == 0, "table stages work on it", r)
r = run("c-cyclecall.new", "base=c-cyclecall.old", "-q", "-c", "why max 2 | show share%, delta, why, from/call, to/call")
ok(r.text.strip() in open(top + "/repl/COMPARING.md").read(), "COMPARING.md shows this answer", r.text)
r = run("c-hashtwice.new", "base=c-hashtwice.old", "-q", "-c", "why vs base max 1 | count | as csv")
same(r.text.split()[-1], "2", "max N, and the rest")
done()
