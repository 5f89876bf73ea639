#!/usr/bin/env python3
"""part_stacks.t - each request of an Xdebug profile has its own call tree; the profile's is their sum.

The index has the stacks of the whole.  Those of `part N` are read from the profile again, also from a
packed one and from several files; from standard input they cannot be, and are estimates that say so.
"""
import collections
import gzip
import json
import os
import shutil

import xdebug
from e2e import done, fixtures, ok, run, same, small

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
          "--index", "runs.quern")

# ---- what cannot be read again
r = run("-", "-q", "-c", "part 1 | calltree | take 3", stdin=open(APPENDED[0], "rb").read())
ok(r.status == 0 and "~" in r.text and "estimates: the stacks of single parts are read from the profile again" in r.talk,
   "standard input: estimates, said", r)
shutil.copy(APPENDED[0], "gone.xd")
r = run("gone.xd", "-q", "-c", "parts")
os.rename("gone.xd", "elsewhere.xd")
r = run("gone.xd.quern", "-q", "-c", "part 1 | calltree | take 3", "-c",
        "calltree | take 3 | show est, estimated | as csv")
ok(r.status == 0 and "~" in r.text and "estimates: the stacks" in r.talk and "true" not in r.text,
   "a profile that is gone: estimates of a part, said", r)
done()
