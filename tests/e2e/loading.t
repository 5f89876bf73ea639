#!/usr/bin/env python3
"""loading.t - what PHP's autoloaders cost, however they were registered.

Each fixture of loading/ is a run of Xdebug whose script registers a loader in its own way, which then
loads 20 classes.  The truth is the own costs of all blocks below it, read by a reader of 30 lines.
"""
import json
import re

import xdebug
from e2e import done, fixtures, ok, run, same

HERE = fixtures + "/loading/"
# The loader; what may have compiled files besides; whether all loaders are known.
WAYS = {
    "one-line": ["{closure:/srv/a.php:2-2}"], "next-line": ["{closure:/srv/b.php:3-5}"],
    "later-line": ["{closure:/srv/c.php:5-7}"], "variable": ["{closure:/srv/d.php:2-4}"],
    "class-method": ["A::go"], "object-method": ["A->go", "A->inc"], "name": ["go"], "invoke": ["A->__invoke"],
    "arrow": ["{closure:/srv/i.php:2-2}"], "first-class": ["A::go"], "template": ["A::go"],
    "autoload-file": ["{closure:/srv/autoload.php:3-6}"],
    "helpers": ["L->load", "L->find", "L->inc"], "default": ["php::spl_autoload"],
    "phpab": ["{closure:/usr/share/php/Twig/autoload.php:6-192}"],
}
INCLUDES = "require::", "require_once::", "include::", "include_once::", "php::spl_autoload_"


def rows(name, query):
    r = run(HERE + name + ".xd", "-q", "--no-index-write", "-c", query + " | as json")
    return r, json.loads(r.text)["rows"] if r.status == 0 else []


def truth(name, loaders):
    """The cost below the loaders, and the own cost of others that require files."""
    stacks = xdebug.stacks(HERE + name + ".xd")
    loads = sum(costs[1] for stack, costs in stacks.items()
                if any(f in loaders or f.startswith(INCLUDES) for f in stack))
    others = {stack[-2] for stack in stacks if len(stack) > 1 and stack[-1].startswith(INCLUDES[:4])
              and stack[-2] not in loaders and not stack[-2].startswith(INCLUDES)}
    return loads, sum(costs[1] for stack, costs in stacks.items() if stack[-1] in others)


for name, loaders in WAYS.items():
    loads, others = truth(name, loaders)
    r, got = rows(name, "cost of $autoload | show est, lo, hi, exact")
    same(got, [[loads, loads, loads + others, not others]], "%s: what it costs" % name)
    r, got = rows(name, "functions of $autoload | show fn")
    ok(set(loaders) <= {fn for fn, in got}, "%s: the loader is one of them" % name, r)
    r = run(HERE + name + ".xd", "-q", "--no-index-write", "--format", "csv", "-c", "overview")
    found = [line.split(",") for line in r.text.splitlines() if ",loading," in line]
    ok(found and int(found[0][0]) == loads + others, "%s: overview has it" % name, r)
    r, got = rows(name, "ignore $autoload | functions | sum | show self")
    total = rows(name, "events | take 1 | show total")[1][0][0]
    same(got, [[total - loads]], "%s: the rest" % name)

# ---- files whose names are no classes', of which methods run, or functions, or nothing
with open(HERE + "name.xd", encoding="utf-8") as f:
    small = re.sub(r"/srv/lib/C(\d+)", r"/srv/lib/class-c\1", f.read())
loads, others = truth("name", ["go"])
HERE = ""
for runs, known in (("C%d->run", True), ("C%d::run", True), ("run_%d", False), ("", False)):
    own = calls = ""
    for i in range(20 if runs else 0):
        own += "fl=/srv/lib/class-c%d.php\nfn=%s\n1 10 0\n\n" % (i, runs % i)
        calls += "cfl=/srv/lib/class-c%d.php\ncfn=%s\ncalls=1 0 0\n9 10 0\n" % (i, runs % i)
    at = small.index("fl=", small.rindex("\n\n", 0, small.index("{main}")))
    with open("small.xd", "w", encoding="utf-8") as f:
        f.write(small[:at] + own + small[at:].replace("\nsummary", calls + "\nsummary"))
    r, got = rows("small", "cost of $autoload | show lo")
    ok(got and (got[0][0] == loads) == known and ("not found" in r.talk) != known, "small names, %s runs" % (runs or "nothing"), r)
HERE = fixtures + "/loading/"

# ---- the loader is not in the profile: the answer is no bound, and says so
with open(HERE + "name.xd", encoding="utf-8") as f:
    text = f.read().replace(") go\n", ") php::strlen\n")
with open("unknown.xd", "w", encoding="utf-8") as f:
    f.write(text)
HERE = ""
r, got = rows("unknown", "cost of $autoload | show lo, hi, exact")
ok(got and got[0][1] is None and not got[0][2] and "1 registered loader is not found" in r.talk + r.text,
   "an unknown loader: no bound", r)
r = run("unknown.xd", "-q", "--no-index-write", "--format", "csv", "-c", "overview")
ok(all(line.startswith(",") for line in r.text.splitlines() if ",loading," in line), "overview: no bound", r)
done()
