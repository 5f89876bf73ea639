#!/usr/bin/env python3
"""context_tables.t - a flame graph can be made in SQL, and from json, of the tables of contexts.

Each door has the same stacks, with the same costs, as a reader of 30 lines finds in the profile
(xdebug.py): the table `contexts` of .export, `contexts` and the trees of machine formats.
"""
import collections
import json
import os

import xdebug
from e2e import done, fixtures, ok, run, same, skip_all, small

try:
    import sqlite3
except ImportError:
    skip_all("this Python has no sqlite3")

PROFILES = [fixtures + "/truth/composer-big.xd.zst", small + "xdebug-small.out",
            fixtures + "/producers/xdebug.out", fixtures + "/truth/xdebug/append.xd"]
FOLD = """
WITH RECURSIVE c AS MATERIALIZED (%s),
    stack(id, names, calls, self) AS (
        SELECT id, fn, calls, self FROM c WHERE under IS NULL
        UNION ALL
        SELECT c.id, names || char(10) || fn, c.calls, c.self FROM stack JOIN c ON c.under = stack.id)
SELECT names, sum(calls), sum(self) FROM stack GROUP BY names"""


def folded(db, rows):
    return {tuple(names.split("\n")): (calls, self) for names, calls, self in db.execute(FOLD % rows)}


def by_rows(answer, number):
    """The stacks of rows that name the row above them; (calls, self) of each."""
    stacks, out = {}, collections.defaultdict(lambda: [0, 0])
    rows = [dict(zip(answer["columns"], row)) for row in answer["rows"]]
    for r in rows:
        stacks[r[number]] = stacks.get(r["under"], ()) + (r["fn"],)
        out[stacks[r[number]]][0] += r["calls"]
        out[stacks[r[number]]][1] += r["self"]
    return {k: tuple(v) for k, v in out.items()}


for path in PROFILES:
    name = path[len(fixtures) + 1:]
    read = xdebug.stacks(path)
    want, memory = ({k: (v[0], v[n]) for k, v in read.items()} for n in (1, 2))
    r = run(path, "-q", "--index", "a.quern", "-c", "events | show name | as json", "-c",
            "contexts | as ndjson > contexts.nd",
            "-c", "contexts | sort id asc | as json > contexts.json", "-c", ".export all.db contexts functions")
    ok(r.status == 0, "%s: is exported" % name, r)
    time, second = ([row[0] for row in json.loads(r.text)["rows"]] + [None])[:2]
    with open("contexts.json", encoding="utf-8") as f:
        same(by_rows(json.load(f), "id"), want, "%s: json" % name)

    db = sqlite3.connect("all.db")
    for event, stacks in ((time, want), (second, memory)):
        if event:
            got = folded(db, 'SELECT c.id, nullif(under, 0) AS under, fn, c.calls, c."self_%s" AS self '
                             "FROM contexts c JOIN functions f ON f.id = c.function" % event)
            same(got, stacks, "%s: a flame graph of the exported table, %s" % (name, event))
    depths = ("SELECT count(*) FROM contexts a JOIN contexts b ON a.under = b.id "
              "WHERE a.depth <> b.depth + 1 OR a.id <= b.id")
    same(db.execute(depths).fetchall(), [(0,)], "%s: depths" % name)
    total = 'SELECT (SELECT sum("self_%s") FROM contexts), (SELECT sum("incl_%s") FROM contexts WHERE under = 0), ' \
            '(SELECT sum("self_%s") FROM functions)' % (time, time, time)
    a, b, c = db.execute(total).fetchone()
    ok(a == b == c, "%s: contexts add up to functions" % name, (a, b, c))
    rows = db.execute('SELECT f.id, f."self_%s", sum(c."self_%s") FROM contexts c JOIN functions f ON f.id = c.function '
                      "GROUP BY f.id" % (time, time)).fetchall()
    ok(rows and all(own == contexts for _, own, contexts in rows), "%s: by function" % name, rows[:5])
    db.close()

    r = run(path, "-q", "--index", "a.quern", "-c", "calltree max 1000000 | as json")
    tree = by_rows(json.loads(r.text), "row")
    ok({k: v[1] for k, v in tree.items()} == {k: v[1] for k, v in want.items() if k in tree} and
       sum(v[1] for v in tree.values()) == sum(v[1] for v in want.values()),
       "%s: rows of a tree name the row above" % name)
    os.remove("all.db")
    os.remove("a.quern")

# ---- stages, sets, other profiles
xd = fixtures + "/producers/xdebug.out"
stacks = xdebug.stacks(xd)
r = run(xd, "-q", "--index", "b.quern", "-c", "contexts of run | as json")
same({row[6] for row in json.loads(r.text)["rows"]}, {"run"}, "contexts of one function")
r = run(xd, "-q", "--index", "b.quern", "-c", "hide run | contexts | sort id asc | as json")
want = collections.Counter()
for stack, cost in stacks.items():
    want[tuple(f for f in stack if f != "run")] += cost[1]
same({k: v[1] for k, v in by_rows(json.loads(r.text), "id").items()}, dict(want), "contexts after hide")
r = run(small + "mutual-callers3.out", "-q", "--index", "c.quern", "-c", "contexts | sum | show self | as json",
        "-c", "functions | sum | show self | as json", "-c",
        "contexts | where under > 0 or depth > 0 | count | as json")
lines = [row for row in r.text.split("\n") if row.startswith("[")]
ok(r.status == 0 and lines[0].strip(",]}") == lines[1].strip(",]}") and lines[2].strip(",]}") == "[0",
   "without known stacks: each function as recorded", r)
done()
