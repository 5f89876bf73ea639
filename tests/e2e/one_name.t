#!/usr/bin/env python3
"""one_name.t - three exports of profiles that have the same names, and the recipes for SQL.

CI calls each profile as the one of yesterday.  Each question of repl/EXPORT.md and of
bench/README.md is asked of one export, and of three of the same files: a row comes once for
each run, or its sums are three times as large, and nothing else differs.
"""
import csv
import io
import os
import re
import shutil
import sqlite3
import subprocess

from e2e import done, ok, run, same, skip, small, top

NAMES = ("lua", "mutual", "tmpl", "weird")
for name in NAMES:
    shutil.copy(small + name + "-default.out", ".")
shutil.copy(small + "xdebug-small.out", ".")
GIVEN = ["%s=%s-default.out" % (n, n) for n in NAMES]
# The question -> "each": rows come once for each run; or the columns that are sums over runs.
QUESTIONS = {"HAVING programs = 4": ("calls", "Ir"), "m.fn = 'malloc'": "each", "max(cost)": (), "percent >= 10": (),
             "HAVING programs > 2": (), "f.fn = 'realloc'": "each", "WITH RECURSIVE": ("cost", "runs")}
asked = set()


def judge(sql, one, three):
    """Rows, with their heads, of one export and of three."""
    known = [q for q in QUESTIONS if q in sql]
    sql = " ".join(sql.split())[:80]
    if not ok(len(known) == 1 and len(one) > 1, "a known question, with an answer: " + sql, one):
        return
    how = QUESTIONS[known[0]]
    asked.add(known[0])
    head, rows = one[0], [tuple(str(v) for v in row) for row in one[1:]]
    got = sorted(tuple(str(v) for v in row) for row in three[1:])
    if how != "each":
        want = [tuple(str(3 * int(v)) if c in how else v for c, v in zip(head, row)) for row in rows]
    else:
        want = rows * 3
    same((three[0], got), (head, sorted(want)), "three exports: " + sql)


def unlimited(sql):
    return re.sub(r" LIMIT \d+$", "", sql.strip())


page, more = (open(top + p, encoding="utf-8").read() for p in ("/repl/EXPORT.md", "/bench/README.md"))
recipe = re.search(r"```sql\n(WITH RECURSIVE.*?)```", more, re.S)[1]

# ---- SQLite: the rows of three databases in one


def day(i):
    """The profiles are written anew."""
    for name in os.listdir("."):
        if name.endswith(".out"):
            os.utime(name, (int(i), int(i)))


for i in "123":
    day(i)
    r = run(*GIVEN, "-q", "-c", ".export %s.db" % i, "-c", ".export fleet%s" % i)
    ok(r.status == 0, "export " + i, r)
    r = run("php=xdebug-small.out", "-q", "-c", ".export php%s.db" % i, "-c", ".export php%s" % i)
    ok(r.status == 0, "export %s of calls" % i, r)


def ask_sqlite(sql, files):
    with sqlite3.connect(files[0]) as db:
        for f in files[1:]:
            db.execute("ATTACH '%s' AS other" % f)
            for (table,) in db.execute("SELECT name FROM main.sqlite_master WHERE type = 'table'").fetchall():
                db.execute("INSERT INTO main.%s SELECT * FROM other.%s" % (table, table))
            db.commit()
            db.execute("DETACH other")
        steps = [0]

        def step():     # a join that multiplies rows ends here, not in an hour
            steps[0] += 1
            return steps[0] > 2000
        db.set_progress_handler(step, 100000)
        try:
            rows = db.execute(sql)
            return [tuple(d[0] for d in rows.description)] + rows.fetchall()
        except sqlite3.OperationalError as e:
            return [(str(e),)]
        finally:
            db.rollback()


def both_sqlite(sql, name):
    shutil.copy(name + "1.db", "all.db")
    judge(sql, ask_sqlite(sql, [name + "1.db"]), ask_sqlite(sql, ["all.db", name + "2.db", name + "3.db"]))


for sql in re.findall(r'^\$ sqlite3 -header fleet.db "(.*)"$', page, re.M):
    both_sqlite(unlimited(sql), "")
both_sqlite(re.sub(r"read_csv\('fleet/\*/(\w+).csv', union_by_name = true\)", r"\1", recipe), "php")

with sqlite3.connect("all.db") as db:
    runs = db.execute("SELECT profile, run, count(*) FROM profiles GROUP BY run").fetchall()
same((len(runs), {r[0] for r in runs}, {r[2] for r in runs}), (3, {"php"}, {1}), "the profile of each day is another run")
r = run("php=xdebug-small.out", "-q", "-c", ".export again.db")    # of day 3
with sqlite3.connect("again.db") as db:
    same(db.execute("SELECT run FROM profiles").fetchall()[0][0] in {r[1] for r in runs}, True, "exported again it is the same run")
ok(all(re.fullmatch("r[0-9a-z]{10}", r[1]) for r in runs), "a run is text to any reader", runs)
r = run("a=lua-default.out", "b=lua-default.out", "-q", "-c", ".export both csv profiles events functions")
with open("both/profiles.csv", newline="", encoding="utf-8") as f:
    of = {row["run"]: row["profile"] for row in csv.DictReader(f)}
same(sorted(of.values()), ["a", "b"], "a file that is open twice has two runs")
with open("both/functions.csv", newline="", encoding="utf-8") as f:
    same({(row["run"], row["profile"]) for row in csv.DictReader(f)}, set(of.items()), "and its run stands in each table")

# ---- DuckDB: the same, of directories
if not shutil.which("duckdb"):
    skip("the questions to DuckDB", "duckdb is not installed")
    done()


def ask_duckdb(sql):
    p = subprocess.run(["duckdb", "-csv", "-c", sql], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True, check=True)
    return [tuple(row) for row in csv.reader(io.StringIO(p.stdout))]


os.mkdir("nd")
for i in "123":
    day(i)
    r = run(*GIVEN, "-q", "-c", ".export nd/%s ndjson functions callsites" % i)
    ok(r.status == 0, "export %s as JSON lines" % i, r)
for sql in re.findall(r'^\$ duckdb -csv -c "(.*)"$', page, re.M):
    sql = unlimited(sql)
    judge(sql, ask_duckdb(sql.replace("fleet/", "fleet1/").replace("nd/", "nd/1/")), ask_duckdb(sql.replace("fleet/", "fleet[123]/").replace("nd/", "nd/*/")))
judge(recipe, ask_duckdb(recipe.replace("fleet/*/", "php1/")), ask_duckdb(recipe.replace("fleet/*/", "php[123]/")))
same(asked, set(QUESTIONS), "all questions of both pages")
ask_duckdb(re.search(r"```sql\n(COPY.*?)```", page, re.S)[1].replace("fleet/*", "fleet[123]"))
same(ask_duckdb("SELECT count(*) = (SELECT count(*) FROM 'fleet[123]/functions.csv') AS same FROM 'functions.parquet'")[1:], [("true",)], "Parquet has the rows of all")
done()
