#!/usr/bin/env python3
"""sql.t - SQL over the tables of `.export` gives the same rows as quern.

Questions are generated: conditions, orders, groups and sums over functions, calls, call
sites and lines.  Each is written in both languages, and SQLite answers the SQL.
"""
import csv
import io
import os
import random
import re
import shutil
import sqlite3
import sys

from e2e import done, fixtures, ok, run, seed

QUESTIONS, SEED = int(os.environ.get("QUESTIONS", 1000)), seed(38)
PROFILES = ("tmpl-cachebranch", "lua-default", "tmpl-nodemangle", "mutual-instr-jumps")

# quern's columns of a source, and the same in SQL
CALLS = """(SELECT e.rowid AS ref, e.caller AS caller_id, e.callee AS callee_id, e.*, a.fn AS caller_fn,
    b.fn AS callee_fn, a.file AS caller_file, b.file AS callee_file
    FROM edges e JOIN functions a ON a.id = e.caller JOIN functions b ON b.id = e.callee)"""
SITES = """(SELECT s.rowid AS ref, s.*, a.fn AS caller_fn, b.fn AS callee_fn
    FROM callsites s JOIN functions a ON a.id = s.caller JOIN functions b ON b.id = s.callee)"""
SOURCES = {
    "functions": dict(table="(SELECT rowid AS ref, * FROM functions)", cost="self",
                      text={"fn": "fn", "file": "file", "obj": "obj"}, count={"id": "id", "calls": "calls"},
                      costs={"self": "self_", "incl": "incl_"}, keys=("file", "obj", "calls")),
    "calls": dict(table=CALLS, cost="incl",
                  text={"caller": "caller_fn", "callee": "callee_fn", "caller_file": "caller_file",
                        "callee_file": "callee_file"},
                  count={"calls": "calls", "caller_id": "caller_id", "callee_id": "callee_id"},
                  costs={"incl": "incl_"}, keys=("caller", "caller_file", "callee_file", "callee_id")),
    "callsites": dict(table=SITES, cost="incl",
                      text={"caller": "caller_fn", "callee": "callee_fn", "file": "file"},
                      count={"calls": "calls"}, costs={"incl": "incl_"}, keys=("caller", "file", "callee")),
}


def export(profile):
    """The tables of a profile in SQLite; its events."""
    shutil.rmtree("tables", ignore_errors=True)
    r = run(profile, "-q", "-c", ".export tables")
    ok(r.status == 0, "%s is exported" % os.path.basename(profile), r)
    db = sqlite3.connect(":memory:")
    with open("tables/schema.sql") as f:
        db.executescript(f.read())
    for name in ("functions", "edges", "callsites", "lines", "events"):
        with open("tables/%s.csv" % name, newline="", encoding="utf-8", errors="surrogateescape") as f:
            rows = list(csv.reader(f))
        db.executemany("INSERT INTO %s VALUES (%s)" % (name, ", ".join("?" * len(rows[0]))), rows[1:])
    db.create_function("part", 2, lambda text, part: part in text)
    return db, [e for (e,) in db.execute("SELECT event FROM events WHERE recorded = 1 ORDER BY number")]


class Asker:
    """Questions about one source of one profile."""

    def __init__(self, dice, db, events, name):
        self.dice, self.db, self.events, self.name = dice, db, events, name
        self.source = SOURCES[name]
        self.number = dict(self.source["count"])
        for q, s in self.source["costs"].items():
            self.number[q] = '"%s%s"' % (s, events[0])
            for e in events[1:]:
                self.number["%s.%s" % (q, e)] = '"%s%s"' % (s, e)
        self.text = self.source["text"]
        self.cost = self.number[self.source["cost"]]

    def value(self, column):
        """A value of the column, of some row."""
        rows = self.db.execute("SELECT count(*) FROM " + self.source["table"]).fetchone()[0]
        return self.db.execute("SELECT %s FROM %s LIMIT 1 OFFSET %d" % (
            column, self.source["table"], self.dice.randrange(rows))).fetchone()[0]

    def condition(self, depth=0):
        kind = self.dice.random()
        if depth < 2 and kind < 0.35:
            op = self.dice.choice(("and", "or"))
            (a, sa), (b, sb) = self.condition(depth + 1), self.condition(depth + 1)
            return "(%s %s %s)" % (a, op, b), "(%s %s %s)" % (sa, op.upper(), sb)
        if depth < 2 and kind < 0.42:
            a, sa = self.condition(depth + 1)
            return "not (%s)" % a, "NOT (%s)" % sa
        if kind < 0.7:
            q, s = self.dice.choice(sorted(self.number.items()))
            op = self.dice.choice(("<", "<=", ">", ">=", "=", "!="))
            v = self.value(s) // self.dice.choice((1, 1, 2, 10))
            return "%s %s %d" % (q, op, v), "%s %s %d" % (s, op, v)
        q, s = self.dice.choice(sorted(self.text.items()))
        v = str(self.value(s))
        word = re.findall(r"\w+", v) or ["x"]
        word = self.dice.choice(word)
        if kind < 0.85:
            op = self.dice.choice(("~", "!~"))
            return '%s %s /%s/' % (q, op, word), ("" if op == "~" else "NOT ") + "part(%s, '%s')" % (s, word)
        if '"' in v or "\\" in v or "/" not in v and s not in ("fn", "caller_fn", "callee_fn"):
            return "%s ~ \"%s\"" % (q, word), "part(%s, '%s')" % (s, word)
        op = self.dice.choice(("=", "!="))
        return '%s %s "%s"' % (q, op, v), "%s %s '%s'" % (s, op, v.replace("'", "''"))

    def order(self):
        """Keys, each with its SQL; rows that are equal keep the order of the index."""
        keys = []
        for _ in range(self.dice.choice((1, 1, 2))):
            if self.dice.random() < 0.2:
                q, s = self.dice.choice(sorted(self.text.items()))
                keys.append((q + " asc", s + " ASC"))
            elif self.dice.random() < 0.3 and self.name == "functions":
                q, s = self.dice.choice([n for n in sorted(self.number.items()) if n[0] not in ("id", "calls")])
                keys.append((q + " / calls", "calls = 0, CAST(%s AS REAL) / calls DESC" % s))
            else:
                q, s = self.dice.choice(sorted(self.number.items()))
                asc = self.dice.random() < 0.4
                keys.append((q + (" asc" if asc else ""), s + (" ASC" if asc else " DESC")))
        return ", ".join(k for k, _ in keys), ", ".join([s for _, s in keys] + ["ref"])

    def rows(self):
        q, s, where = self.name, self.source["table"], ""
        if self.dice.random() < 0.8:
            a, where = self.condition()
            q += " | where " + a
            where = " WHERE " + where
        by = "%s DESC, ref" % self.cost
        if self.dice.random() < 0.6:
            keys, by = self.order()
            q += " | sort " + keys
        shown = self.dice.sample(sorted({**self.number, **self.text}.items()), 3)
        skip, take = self.dice.choice((0, 0, 3)), self.dice.choice((1, 5, 40, 100000))
        q += (" | skip %d" % skip if skip else "") + " | take %d" % take
        q += " | show " + ", ".join(k for k, _ in shown)
        return q, "SELECT %s FROM %s%s ORDER BY %s LIMIT %d OFFSET %d" % (
            ", ".join(c for _, c in shown), s, where, by, take, skip)

    def groups(self):
        keys = self.dice.sample(self.source["keys"], self.dice.choice((1, 1, 2)))
        both = {**self.number, **self.text}
        q, s, where = self.name, self.source["table"], ""
        if self.dice.random() < 0.5:
            a, where = self.condition()
            q += " | where " + a
            where = " WHERE " + where
        n, c = self.dice.choice(sorted(self.number.items()))
        folds = self.dice.sample((("sum(%s)" % n, "sum(%s)" % c), ("min(%s)" % n, "min(%s)" % c),
                                  ("max(%s)" % n, "max(%s)" % c), ("avg(%s)" % n, "avg(%s)" % c),
                                  ("count", "count(*)")), 2)
        q += " | group by %s: %s" % (", ".join(keys), ", ".join("%s as a%d" % (f, i) for i, (f, _) in enumerate(folds)))
        q += " | sort a0, %s asc | take 20" % " asc, ".join(keys)
        return q, "SELECT %s, %s FROM %s%s GROUP BY %s ORDER BY %s DESC, %s LIMIT 20" % (
            ", ".join(both[k] for k in keys), ", ".join(f for _, f in folds), s, where,
            ", ".join(both[k] for k in keys), folds[0][1], ", ".join(both[k] for k in keys))

    def question(self):
        return self.dice.choice((self.rows, self.rows, self.groups))()


def same_cell(ours, theirs):
    if isinstance(theirs, float):
        return abs(float(ours) - theirs) <= 1e-6 * abs(theirs)
    return ours == ("" if theirs is None else str(theirs))


def same_rows(ours, theirs):
    return len(ours) == len(theirs) and all(
        all(same_cell(a, b) for a, b in zip(x, y)) for x, y in zip(ours, theirs))


def judge(profile, dice, questions):
    db, events = export(profile)
    db.text_factory = lambda b: b.decode("utf-8", "surrogateescape")
    asked = [Asker(dice, db, events, dice.choice(sorted(SOURCES))).question() for _ in range(questions)]
    with open("script.q", "w", encoding="utf-8", errors="surrogateescape") as f:
        for i, (q, _) in enumerate(asked):
            f.write("%s | as csv > answer%d.csv\n" % (q, i))
    r = run(profile, "-q", "-f", "script.q")
    ok(r.status == 0, "%d questions are answered" % questions, r)
    wrong = 0
    for i, (q, sql) in enumerate(asked):
        with open("answer%d.csv" % i, newline="", encoding="utf-8", errors="surrogateescape") as f:
            ours = list(csv.reader(f))[1:]
        os.remove("answer%d.csv" % i)
        theirs = db.execute(sql).fetchall()
        if not same_rows(ours, theirs):
            wrong += 1
            if wrong <= 3:
                at = next((k for k, (a, b) in enumerate(zip(ours, theirs)) if not same_rows([a], [b])), 0)
                sys.stderr.write("# %s\n# %s\n# row %d of %d, %d\n# quern %s\n# SQL   %s\n" % (
                    q, " ".join(sql.split()), at, len(ours), len(theirs), ours[at:at + 2], theirs[at:at + 2]))
    ok(wrong == 0, "SQL has the same rows: %s" % os.path.basename(profile))
    # The lines of `lines` are those of the table, and those of calls alone.
    r = run(profile, "-q", "-c", "lines | where self > 0 | group by file, line: sum(self) as s | sort file asc, line asc | as csv")
    want = db.execute('SELECT file, line, sum("self_%s") AS s FROM lines GROUP BY file, line HAVING s > 0 '
                      "ORDER BY file, CAST(line AS INT) = 0, CAST(line AS INT)" % events[0]).fetchall()
    ours = list(csv.reader(io.StringIO(r.text)))[1:]
    ok(same_rows(ours, [(f, "" if not int(n or 0) else n, s) for f, n, s in want]), "  and the same lines",
       "%s\n%s" % (ours[:3], want[:3]))


def generated(path, dice, functions=3000):
    """More functions than a window has rows; many of one file, and costs that many rows share."""
    words = ("alloc", "parse", "emit", "visit", "free", "hash", "node", "list")
    names = sorted({"app::%s_%s<%s>::run%d(int)" % (dice.choice(words), dice.choice(words), dice.choice(words),
                                                  dice.randrange(5000)) for _ in range(functions)})
    cost = lambda: dice.choice((0, 1, 7, dice.randrange(100), dice.randrange(10 ** 6), dice.randrange(10 ** 11)))
    with open(path, "w") as f:
        f.write("# callgrind format\nevents: Ir Dr\n\n")
        for i, name in enumerate(names):
            f.write("ob=/lib/lib%d.so\nfl=/src/%s/f%d.cc\nfn=%s\n" % (i % 7, dice.choice(words), dice.randrange(40), name))
            for _ in range(dice.randrange(1, 4)):
                f.write("%d %d %d\n" % (dice.randrange(1, 300), cost(), cost()))
            for _ in range(dice.randrange(4) if i + 1 < len(names) else 0):
                f.write("cfn=%s\ncalls=%d 1\n%d %d %d\n" % (names[dice.randrange(i + 1, len(names))], dice.choice((1, 2, 500)),
                                                            dice.randrange(1, 300), cost(), cost()))
            f.write("\n")


dice = random.Random(SEED)
generated("generated.out", dice)
judge("generated.out", dice, QUESTIONS // (1 + len(PROFILES)))
for name in PROFILES:
    shutil.copy(os.path.join(fixtures, "small", name + ".out"), ".")
    judge(name + ".out", dice, QUESTIONS // (1 + len(PROFILES)))
done()
