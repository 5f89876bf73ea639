#!/usr/bin/env python3
"""part_stacks.t - each request of an Xdebug profile has its own call tree; the profile's is their sum.

The index has the stacks of the whole.  Those of `part N` are read from the profile again, also from a
packed one and from several files; from standard input they cannot be, and are estimates that say so.
"""
import collections
import gzip
import json
import os
import random
import shutil

import xdebug
from e2e import done, fixtures, ok, run, same, seed, small

APPENDED = [fixtures + "/truth/xdebug/append.xd", small + "xdebug-append-different-scripts.out"]


def cut(path):
    """The text of each request."""
    texts = []
    for line in xdebug.lines_of(path):
        if line.startswith("version:"):
            texts.append([])
        if texts:
            texts[-1].append(line)
    return ["\n".join(t) for t in texts]


def stacks_of(texts):
    out = collections.Counter()
    for text in texts:
        with open("one.xd", "w", encoding="utf-8", errors="surrogateescape") as f:
            f.write(text)
        for stack, cost in xdebug.stacks("one.xd").items():
            out[stack] += cost[1]
    os.remove("one.xd")
    return out


def without(stacks, hidden):
    out = collections.Counter()
    for stack, cost in stacks.items():
        out[tuple(f for f in stack if f != hidden)] += cost
    return out


def tree(answer):
    """What each stack spends itself: the rows come after those above them."""
    at, out = [], collections.Counter()
    rows = [dict(zip(answer["columns"], row)) for row in answer["rows"]]
    for r in rows:
        at = at[:r["depth"] - 1] + [r["fn"]]
        out[tuple(at)] += r["self"]
    return +out, [r for r in rows if r["estimated"] or r["lo"] != r["hi"]]


def check(name, profile, stage, stacks, *options):
    hot = max((f for s in stacks for f in s if f != "{main}"),
              key=lambda f: (sum(c for s, c in stacks.items() if f in s), f))
    quoted = '"%s"' % hot.replace("\\", "\\\\").replace('"', '\\"')
    r = run(profile, "-q", *options, "-c", stage + " | calltree max 1000000 | as json",
            "-c", "%s | hide %s | calltree max 1000000 | as json" % (stage, quoted),
            "-c", "%s | focus %s | functions | sum | show self | as json" % (stage, quoted),
            "-c", "%s | cost of %s under \"{main}\" | show est, exact | as json" % (stage, quoted),
            "-c", stage + " | contexts | sum | show self | as json")
    answers, text = [], r.text
    while text.strip():
        found, end = json.JSONDecoder().raw_decode(text.lstrip())
        answers.append(found)
        text = text.lstrip()[end:]
    if r.status or len(answers) != 5:
        ok(False, name + ": answers", r)
        return
    got, guessed = tree(answers[0])
    same((dict(got), guessed), (dict(+stacks), []), name + ": the tree")
    got, guessed = tree(answers[1])
    same((dict(got), guessed), (dict(+without(stacks, hot)), []), name + ": without a function")
    through = sum(c for s, c in stacks.items() if hot in s)
    below = sum(c for s, c in stacks.items() if hot in s and "{main}" in s[:s.index(hot)])
    same((answers[2]["rows"], answers[3]["rows"], answers[4]["rows"]),
         ([[through]], [[below, True]], [[sum(stacks.values())]]), name + ": focus, cost, contexts")


for path in APPENDED:
    name = os.path.basename(path)
    texts = cut(path)
    shutil.copy(path, "p.xd")
    for k in range(len(texts)):
        check("%s, part %d" % (name, k + 1), "p.xd", "part %d" % (k + 1), stacks_of(texts[k:k + 1]))
    check(name + ", all parts", "p.xd", "part 1-%d" % len(texts), stacks_of(texts))
    with gzip.open("p.xd.gz", "wb") as f:
        f.write(open(path, "rb").read())
    check(name + ", the last part, packed", "p.xd.gz", "part %d" % len(texts), stacks_of(texts[-1:]))
    os.remove("p.xd.gz")

# ---- a file for each request
for k in (1, 2, 3):
    text = cut(APPENDED[0])[k % 2].split("\n")
    with open("run.%d" % k, "w", encoding="utf-8", errors="surrogateescape") as f:
        f.write("\n".join(t.replace("part: 1", "part: %d" % k) for t in text))
for wanted in (1,), (3,), (1, 2), (2, 3):
    check("files, part %s" % (wanted,), "run.*", "part " + ", ".join(map(str, wanted)),
          stacks_of([open("run.%d" % k, encoding="utf-8", errors="surrogateescape").read() for k in wanted]),
          "--merge", "--index", "runs.quern")

# ---- functions that call each other and themselves, by chance
def request(dice, names):
    """The text of a request, of at most 40 activations."""
    left, text = [dice.randrange(5, 40)], []

    def activate(name, depth):
        calls = []
        while left[0] and depth < 12 and dice.random() < (.6 if depth else .97):
            left[0] -= 1
            callee = dice.choice(names)
            calls.append((callee, activate(callee, depth + 1)))
        own = dice.randrange(50)
        text.append("fl=/a.php\nfn=%s\n3 %d" % (name, own) + "".join(
            "\ncfl=/a.php\ncfn=%s\ncalls=1 0 0\n4 %d" % call for call in calls) + "\n")
        return own + sum(cost for _, cost in calls)

    cost = activate("{main}", 0)
    return ("version: 1\ncreator: xdebug 3.2.0\ncmd: /a.php\npart: 1\npositions: line\n\nevents: Time\n\n"
            + "\n".join(text) + "\nsummary: %d\n\n" % cost)


def functions(stacks):
    """Of each function: self, inclusive cost, its bounds, whether it is an estimate."""
    own, incl = collections.Counter(), collections.Counter()
    for stack, cost in stacks.items():
        own[stack[-1]] += cost
        for f in set(stack):
            incl[f] += cost
    return {f: [own[f]] + 3 * [incl[f]] + [False] for f in incl if incl[f]}


def rows_of(profile, query):
    r = run(profile, "-q", "-c", query + " | show fn, self, incl, lo, hi, estimated | where incl != 0 | as json")
    return {row[0]: row[1:] for row in json.loads(r.text)["rows"]} if r.status == 0 else str(r)


first = seed()
for number in range(first, first + 6):
    dice = random.Random(number)
    names = ["f%d" % i for i in range(dice.randrange(1, 6))]
    texts = [request(dice, names) for _ in range(3)]
    with open("chance.xd", "w", encoding="ascii") as f:
        f.write("==== NEW PROFILING FILE ====\n".join(texts))
    for stage, chosen in (("part 1", [0]), ("part 2", [1]), ("part 2-3", [1, 2]), ("part 1, 3", [0, 2]),
                          ("part 1-3", [0, 1, 2]), ("thread 0", [0, 1, 2])):
        stacks = stacks_of([texts[k] for k in chosen])
        same(rows_of("chance.xd", stage + " | functions"), functions(stacks), "%d, %s: functions" % (number, stage))
        some = dice.choice(sorted({f for s in stacks for f in s}))
        same(rows_of("chance.xd", "%s | ignore \"%s\" | functions" % (stage, some))
             if some != "{main}" else {},
             functions({s: c for s, c in stacks.items() if some not in s}),
             "%d, %s: without %s" % (number, stage, some))
    # A stage after `collapse` estimates and rounds, but no cost comes twice.
    total = sum(stacks_of(texts).values())
    for stage in ("", "part 1-3 | "):
        left = []
        for after in ("hide", "focus", "ignore"):
            r = run("chance.xd", "-q", "-c", "%scollapse f0 as G | %s \"{main}\" | events | show total | as csv"
                    % (stage, after), "-c", "%scollapse f0 as G | %s G | functions | sum | show self | as csv"
                    % (stage, after))
            left += [int(cost) if cost != "self" else None for cost in r.text.split()[1::2]]
        ok(len(left) == 6 and all(cost <= total + len(names) for cost in left), "%d: %scollapse, then another" % (number, stage), left)

# ---- what cannot be read again
r = run("-", "-q", "-c", "part 1 | calltree | take 3", stdin=open(APPENDED[0], "rb").read())
ok(r.status == 0 and "~" in r.text and "estimates: the stacks of single parts are read from the profile again" in r.talk,
   "standard input: estimates, said", r)
shutil.copy(APPENDED[0], "gone.xd")
r = run("gone.xd", "-q", "--rebuild", "-c", "parts")
os.rename("gone.xd", "elsewhere.xd")
r = run("gone.xd.quern", "-q", "-c", "part 1 | calltree | take 3", "-c",
        "calltree | take 3 | show est, estimated | as csv")
ok(r.status == 0 and "~" in r.text and "estimates: the stacks" in r.talk and "true" not in r.text,
   "a profile that is gone: estimates of a part, said", r)
r = run("gone.xd.quern", "-q", "--accept", "index", "-c", "part 1 | functions | where lo < hi and not estimated | expect none",
        "-c", "part 2 | events")
ok(r.status == 0 and r.talk.count("estimates: the stacks") == 1, "so are inclusive costs of its functions", r)
done()
