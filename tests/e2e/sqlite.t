#!/usr/bin/env python3
"""sqlite.t - quern.so: profiles as tables of SQLite, from sqlite3, Python and PHP.

Every row equals `as json`.  Conditions, orders and limits become a part of the query, which
EXPLAIN QUERY PLAN shows, and give the rows that SQLite finds by itself in a copy.
"""
import ctypes
import json
import os
import random
import shutil
import subprocess
import threading
import time

from e2e import SLOW, done, fixtures, ok, quern, run, same, seed, skip, small
from sqlite_host import connect, extension, sqlite3

PROFILES = ["lua-default.out", "tmpl-cachebranch.out", "mutual-instr-jumps.out", "xdebug-small.out", "v_names.cg",
            "tmpl-multipart-combine.out", "bytes.cg"]
for name in PROFILES[:4] + PROFILES[5:6]:
    shutil.copy(small + name, ".")
shutil.copy(fixtures + "/quirks/v_names.cg", ".")
with open("bytes.cg", "wb") as f:    # not UTF-8, what looks marked, of all lengths, with controls
    for i, name in enumerate((b"caf\xe9", b"\\x:41", b"caf\xc3\xa9", b"\xe2\x82\xac \xf0\x9f\x8e\x89", b"a\\b\xff\x01\xc2\x85\xe2\x80\xae\xc3\xa9",
                              b"\xed\xa0\x80", b"\xc0\x80", b"\xe2\x82", b"a\"b\\c$d", b"tab\there", b"\xf4\x90\x80\x80")):
        f.write((b"events: Ir IR a-b\n" if not i else b"") + b"fn=%s\n%d %d 5 6\n" % (name, i + 1, i))
BRANCH = "tmpl-cachebranch.out"
# Beside the columns of json, which are those that are shown unless asked for.
IDS = {"lines": ", fn_id", "callsites": ", caller_id, callee_id"}
TABLES = {"functions": "functions", "edges": "calls", "lines": "lines", "callsites": "callsites", "parts": "parts",
          "events": "events"}


def ask(sql, *values):
    cursor = db.execute(sql, values)
    return [c[0] for c in cursor.description], [list(row) for row in cursor]


def fails(sql, *values):
    try:
        return "no error: %s" % (ask(sql, *values),)
    except sqlite3.Error as e:
        return str(e)


def plan(sql, *values):
    return " / ".join(row[3] for row in db.execute("EXPLAIN QUERY PLAN " + sql, values))


def as_json(path, query, *options):
    r = run(path, "-q", *options, "-c", query + " | as json")
    document = json.loads(r.text or "{}")
    return document.get("columns"), document.get("rows")


db = connect()
SHOW = {table: " | show " + ", ".join(as_json(BRANCH, TABLES[table])[0]) + ids for table, ids in IDS.items()}
# ---- rows ----
for path in PROFILES:
    wrong = []
    for table, source in TABLES.items():
        for stages in ("", "part 1 | ")[:2 if "multipart" in path else 1]:
            got, want = ask("SELECT * FROM quern_%s(?, NULL, ?)" % table, path, stages[:-3] or None), as_json(path, stages + source + SHOW.get(table, ""))
            if got != want:
                wrong.append("%s%s: %s" % (stages, table, [p for p in zip(got[1] + [got[0]], want[1] + [want[0]]) if p[0] != p[1]][:2]))
    ok(not wrong, "%s: every row of every table equals `as json`" % path, "\n".join(wrong))
same(ask("SELECT fn, self, profile, event FROM quern_functions(?, 'D1mr') LIMIT 2", BRANCH),
     (["fn", "self", "profile", "event"], [row + [BRANCH, "D1mr"] for row in as_json(BRANCH, "functions by D1mr | take 2 | show fn, self")[1]]),
     "an event; the arguments are hidden columns")
same(ask("SELECT e.name, f.self FROM quern_events(?) e, quern_functions(e.profile, e.name) f WHERE f.fn = 'main' ORDER BY 1", BRANCH)[1],
     sorted([name, as_json(BRANCH, "functions of #344 by %s | show self" % name)[1][0][0]]
            for name, *_ in as_json(BRANCH, "events")[1]), "all events of a function, by a join")
same(ask("SELECT f.fn, e.callee, e.incl FROM quern_functions(?) f JOIN quern_edges(f.profile) e ON e.caller_id = f.id "
         "WHERE f.fn = 'main' ORDER BY e.incl DESC, e.callee_id LIMIT 3", BRANCH)[1],
     as_json(BRANCH, "calls from main | sort incl, callee_id asc | take 3 | show caller, callee, incl")[1], "callees, by a join")
same(ask("SELECT count(*) FROM quern_lines('lua-default.out')")[1], as_json("lua-default.out", "lines | count")[1], "rows are counted")
same(ask("SELECT fn, self FROM quern_functions WHERE profile = 'lua-default.out' AND stages = 'focus luaV_execute' LIMIT 5")[1],
     as_json("lua-default.out", "focus luaV_execute | functions | take 5 | show fn, self")[1], "graph stages")

same(ask("SELECT fn, self FROM quern_functions('xdebug-small.out', 'Memory_(bytes)') LIMIT 3")[1],
     as_json("xdebug-small.out", "functions by Memory | take 3 | show fn, self")[1], "an event whose name is no word")

same(ask("SELECT f.fn, l.line, l.self FROM quern_functions(?) f JOIN quern_lines(f.profile) l ON l.fn_id = f.id WHERE f.id = 344 "
         "ORDER BY l.file, l.line", BRANCH)[1], as_json(BRANCH, "lines of #344 | sort file, line asc | show fn, line, self")[1],
     "lines of a function, by a join")
ok("lines of #? | show" in plan("SELECT * FROM quern_lines(?) WHERE fn_id = 344", BRANCH), "which asks for its lines alone")

# Either side of an OR is planned alone.
same(ask("SELECT count(*) FROM quern_functions('lua-default.out') WHERE id = 3 OR calls = 5 AND line > 100 OR fn = 'main'")[1],
     as_json("lua-default.out", "functions | where id = 3 or calls = 5 and line > 100 or fn = \"main\" | count")[1], "conditions with OR")
same(ask("SELECT count(*) FROM quern_edges(?) e JOIN quern_functions(e.profile) f ON f.id IN (e.caller_id, e.callee_id) OR f.id = -1",
         BRANCH)[1][0][0], as_json(BRANCH, "calls | where caller_id != callee_id | count")[1][0][0] * 2
     + as_json(BRANCH, "calls | where caller_id = callee_id | count")[1][0][0], "in a join")

same(ask("SELECT profile, count(*) FROM quern_functions WHERE (profile = 'lua-default.out' OR profile = ?) AND self > 1000 GROUP BY 1",
         BRANCH)[1], [[p, as_json(p, "functions | where self > 1000 | count")[1][0][0]] for p in ("lua-default.out", BRANCH)], "two profiles")
for condition in ("self > 1000", "fn LIKE 'm%'"):
    got = fails("SELECT count(*) FROM quern_functions WHERE (profile = 'lua-default.out' AND %s) OR (profile = ? AND %s)"
                % (condition, condition), BRANCH)
    ok("UNION" in got, "an error, not rows of one for those of the other: " + condition, got)
same(ask("SELECT count(*) FROM quern_functions(?, '', '', '')", BRANCH), ask("SELECT count(*) FROM quern_functions(?)", BRANCH),
     "arguments that are empty")

# Numbers of functions after graph stages.
for stages in ("with inlined", "hide /lua/", "norec", "collapse by object"):
    for table, columns in {"functions": ["id"], "edges": ["caller_id", "callee_id"], "lines": ["fn_id"],
                           "callsites": ["caller_id", "callee_id"]}.items():
        if stages in ("with inlined", "hide /lua/") and table in ("lines", "callsites"):
            continue
        for column in columns:
            of = "quern_%s('lua-default.out', NULL, '%s')" % (table, stages)
            rows = ask("SELECT %s, count(*) FROM %s GROUP BY 1" % (column, of))[1]
            wrong = [(i, n) for i, n in rows[:20] + rows[-20:]
                     if ask("SELECT count(*) FROM %s WHERE %s = ?" % (of, column), i)[1] != [[n]]]
            ok(rows and not wrong, "%s | %s: rows by %s" % (stages, table, column), wrong)
same(ask("SELECT count(*) FROM quern_functions('lua-default.out') f LEFT JOIN quern_functions(f.profile, NULL, 'hide /lua/') g "
         "ON g.id = f.id WHERE g.id IS NULL")[1], as_json("lua-default.out", "functions of /lua/ | count")[1],
     "a function that stages hide has no row")

# ---- created tables ----
db.execute("CREATE VIRTUAL TABLE temp.f USING quern('%s', 'functions')" % BRANCH)
columns, rows = ask("SELECT * FROM temp.f")
plain, plain_rows = as_json(BRANCH, "functions")
n = len(plain)
names = [e for e, *_ in as_json(BRANCH, "events")[1]]
same(columns, plain + [c + "_" + e for e in names for c in ("self", "incl")], "one column per event")
want = as_json(BRANCH, "functions | show self, incl, " + ", ".join("self.%s, incl.%s" % (e, e) for e in names[1:]))[1]
same([row[n:] for row in rows], want, "with the costs of each")
same([row[:n] for row in rows], plain_rows, "after those of the function")
db.execute("CREATE VIRTUAL TABLE temp.x USING quern('xdebug-small.out', 'calls')")
same(ask('SELECT "incl_Time_(10ns)", "incl_Memory_(bytes)" FROM x')[1], as_json("xdebug-small.out", "calls | show incl.Time, incl.Memory")[1],
     "names of events that are no words")
db.execute("CREATE VIRTUAL TABLE temp.b USING quern('bytes.cg', 'functions')")
same(ask("SELECT * FROM b")[0][n:], ["self_Ir", "incl_Ir", "self_IR_2", "incl_IR_2"],
     "names that SQL takes for one, and none for an event that the language has no word for")
same(ask("SELECT self_IR_2 FROM b LIMIT 1")[1], [[5]], "with their costs")
db.execute("CREATE VIRTUAL TABLE temp.d USING quern(  'tmpl-multipart-combine.out', 'part 1 | functions vs part 2' )")
same(ask("SELECT * FROM d"), as_json("tmpl-multipart-combine.out", "part 1 | functions vs part 2"), "a comparison, with signed numbers")
db.execute("CREATE VIRTUAL TABLE temp.w USING quern('bytes.cg', 'functions | where fn = ''caf\u00e9'' | show fn')"
           .replace("''caf\u00e9''", '"caf\u00e9"'))
same(ask("SELECT * FROM w")[1], [["caf\u00e9"]], "quotes in a query")
same(ask("SELECT rowid FROM f LIMIT 2")[1], [[1], [2]], "rows are numbered")
ok("no rowid" in fails("SELECT rowid FROM f WHERE id < 3"), "all of them, not those with a condition")
same(ask("SELECT id FROM f WHERE id = 3 OR id > 5 AND id < 8 OR self = 11 OR fn = 'main' ORDER BY id")[1],
     as_json(BRANCH, "functions | where id = 3 or id > 5 and id < 8 or self = 11 or fn = \"main\" | sort id asc | show id")[1],
     "conditions with OR")
db.execute("CREATE VIRTUAL TABLE temp.k USING quern('%s', 'functions | show id, calls -- a comment')" % BRANCH)
same(ask("SELECT id, calls FROM k WHERE calls > 100 ORDER BY calls, id LIMIT 5")[1],
     as_json(BRANCH, "functions | where calls > 100 | sort calls asc, id asc | take 5 | show id, calls")[1], "a query with a comment")
for q in ("callers of malloc depth 3", "calltree depth 3", "functions | group by obj: sum(self) as total, count",
          "functions | take 10 | show fn, self%, incl / calls as per",
          "functions | take 3 | show fn, self as \"9 x\"", "path from main to malloc", "info main"):
    db.execute("CREATE VIRTUAL TABLE temp.q USING quern('%s', '%s', build = 1)" % (BRANCH, q))
    same(ask("SELECT * FROM q"), as_json(BRANCH, q), "any query is a table: " + q)
    db.execute("DROP TABLE temp.q")
db.execute("CREATE VIRTUAL TABLE temp.g USING quern('%s', 'functions | group by obj: sum(self) as total, count')" % BRANCH)
same(ask("SELECT total FROM g WHERE count > 3 ORDER BY total DESC LIMIT 2")[1],
     as_json(BRANCH, "functions | group by obj: sum(self) as total, count | where count > 3 | sort total | take 2 | show total")[1],
     "its conditions and order, too")
ok("| where count > ? | sort total desc | take ?" in plan("SELECT total FROM g WHERE count > 3 ORDER BY total DESC LIMIT 2"),
   "are in the query", plan("SELECT total FROM g WHERE count > 3 ORDER BY total DESC LIMIT 2"))
db.execute("CREATE TEMP VIEW hot AS SELECT fn FROM quern_functions('%s') ORDER BY self DESC LIMIT 1" % BRANCH)
same(ask("SELECT * FROM hot")[1], [["_dl_lookup_symbol_x"]], "a temporary view")

# ---- what is pushed down ----
TOP = "SELECT fn, self FROM quern_functions('lua-default.out') "
for sql, want in [
        (TOP + "ORDER BY self DESC LIMIT 10", "functions | sort self desc | take ? | show self, fn"),
        (TOP + "WHERE self > 1000 AND calls <= 50 ORDER BY incl DESC, id LIMIT 3 OFFSET 2",
         "functions | where self > ? and calls <= ? | sort incl desc, id asc | take ? | show id, self, incl, calls, fn"),
        (TOP + "WHERE fn = 'main'", 'functions | where fn = "?" | show self, fn'),
        (TOP + "WHERE id = 5", "functions of #? | show id, self, fn"),
        (TOP + "WHERE fn LIKE 'lua%' ORDER BY self DESC LIMIT 2", "functions | sort self desc | show self, fn"),
        (TOP + "WHERE fn = 'MAIN' COLLATE NOCASE LIMIT 1", "functions | show self, fn"),
        (TOP + "WHERE self <> 1 LIMIT 1", "functions | show self, fn"),
        (TOP + "ORDER BY line LIMIT 1", "functions | show self, fn, line"),
        (TOP + "ORDER BY line DESC LIMIT 1", "functions | sort line desc | take ? | show self, fn, line"),
        (TOP + "ORDER BY fn LIMIT 1", "functions | show self, fn"),
        ("SELECT callee FROM quern_edges('lua-default.out') WHERE caller_id = 1 AND callee_id = 2", "calls from #? to #? | show"),
        ("SELECT max(calls) FROM quern_edges('lua-default.out')", "calls | sort calls desc | show calls"),
        ("SELECT count(*) FROM quern_events('lua-default.out')", "events | show name")]:
    got = plan(sql)
    ok(":" + want in got, want, got)

# ---- against SQLite itself ----
random.seed(seed(41))
for path in PROFILES:
    for table in ("functions", "edges", "lines", "callsites"):
        db.execute("CREATE TEMP TABLE copy_%s AS SELECT * FROM quern_%s('%s')" % (table, table, path))
    wrong = []
    for i in range(120):
        table = random.choice(("functions", "edges", "lines", "callsites"))
        columns, rows = ask("SELECT * FROM copy_%s" % table)
        some = random.choice(rows) if rows else [1] * len(columns)
        conditions, order = [], []
        for _ in range(random.randrange(3)):
            c = random.randrange(len(columns))
            v = random.choice((some[c], some[c], "a\"b\\c$d", "a\tb", 0, -1, 10, 1.5, 1e18, 1e19, "10", "main", None, 2**63 - 1))
            conditions.append(('"%s" %s ?' % (columns[c], random.choice(("=", "<", "<=", ">", ">=", "<>", "IS"))), v))
        for _ in range(random.randrange(3)):
            order.append('"%s" %s' % (random.choice(columns), random.choice(("ASC", "DESC"))))
        key = list(dict.fromkeys(order))
        sql = "FROM %%s%s%s" % (" WHERE " + " AND ".join(c for c, _ in conditions) if conditions else "",
                                " ORDER BY " + ", ".join(key) if key else "")
        limit = random.choice(("", " LIMIT 5", " LIMIT 3 OFFSET 2", " LIMIT 0", " LIMIT -1 OFFSET 1"))
        # Rows that are equal in the order may come in any: only their keys are compared.
        show = ", ".join(k.split()[0] for k in key) or "count(*)"
        limit = limit if key else ""
        values = [v for _, v in conditions]
        try:
            got = ask("SELECT %s %s%s" % (show, sql % ("quern_%s('%s')" % (table, path)), limit), *values)[1]
        except sqlite3.Error as e:
            got = str(e)
        want = ask("SELECT %s %s%s" % (show, sql % ("copy_" + table), limit), *values)[1]
        if got != want:
            wrong.append("%s %s: %s, not %s" % (sql % table + limit, values, str(got)[:300], str(want)[:300]))
    ok(not wrong, "%s: generated questions have the answers of SQLite" % path, "\n".join(wrong))
    for table in ("functions", "edges", "lines", "callsites"):
        db.execute("DROP TABLE copy_" + table)
with open("huge.out", "w") as f:
    f.write("events: Ir\nfn=a\n1 %d\n2 %d\nfn=b\n1 %d\nfn=c\n1 7\n" % (2**62, 2**62 + 2**11, 2**63 - 1))
same(ask("SELECT fn, self, typeof(self) FROM quern_functions('huge.out') ORDER BY self DESC")[1],
     [["a", 2**63 - 1, "integer"], ["b", 2**63 - 1, "integer"], ["c", 7, "integer"]], "a cost stops at 2^63 - 1")
same(ask("SELECT fn FROM quern_functions('huge.out') WHERE self > ? ORDER BY self LIMIT 5", 2**62)[1], [["a"], ["b"]], "and compares as such")

# ---- errors ----
for sql, want in [("SELECT * FROM quern_functions", "which profile?"), ("SELECT * FROM quern_functions(NULL)", "profile is NULL"),
                  ("SELECT * FROM quern_functions('nothing.out')", "nothing.out: No such file"),
                  ("SELECT * FROM quern_functions('-')", "path of its file"),
                  ("SELECT * FROM quern_functions('lua-default.out', 'Dr')", "no event 'Dr'"),
                  ("SELECT * FROM quern_functions('lua-default.out', NULL, 'part 9')", "part"),
                  ("SELECT * FROM quern_functions('lua-default.out', NULL, 'top; top')", ""),
                  ("SELECT fn FROM quern_functions('lua-default.out', NULL, 'hide main; top')", ""),
                  ("SELECT fn FROM quern_functions('lua-default.out', NULL, 'top 3 --')", "more than graph stages"),
                  ("SELECT fn FROM quern_functions('lua-default.out', 'Ir | show self --')", "no event"),
                  ("SELECT fn FROM quern_functions('lua-default.out', 'Ir | take 2')", "no event"),
                  ("SELECT fn FROM quern_functions('lua-default.out', 'Ir\" | take 2')", "is not an event"),
                  ("CREATE VIRTUAL TABLE temp.e USING quern()", "PROFILE"),
                  ("CREATE VIRTUAL TABLE temp.e USING quern('lua-default.out', 'nonsense of')", ""),
                  ("CREATE VIRTUAL TABLE temp.e USING quern('lua-default.out', 'top', speed=9)", "no option speed"),
                  ("INSERT INTO quern_functions(fn) VALUES ('x')", "may not be modified")]:
    got = fails(sql)
    ok(want in got and "no error" not in got, "an SQL error: " + sql, got)
shutil.copy("mutual-instr-jumps.out", "new.out")
got = fails("SELECT * FROM quern_functions('new.out', NULL, NULL, NULL, 0)")
ok("no index that is up to date" in got and not os.path.exists("new.out.quern"), "no index is made if build is 0", got)
same(ask("SELECT count(*) > 0 FROM quern_functions('new.out', NULL, NULL, 'else.quern')")[1], [[1]], "an index elsewhere")
ok(os.path.exists("else.quern") and not os.path.exists("new.out.quern"), "is there")
same(ask("SELECT count(*) > 0 FROM quern_functions('new.out', NULL, NULL, 'else.quern', 0)")[1], [[1]], "and is found")
with open("new.out", "a") as f:
    f.write("\nfn=brand_new\n1 5\n")
same(ask("SELECT count(*) FROM quern_functions('new.out', NULL, NULL, 'else.quern') WHERE fn = 'brand_new'")[1], [[1]],
     "a profile that has changed is read again")
os.utime("new.out", (5, 5))
ask("SELECT fn FROM quern_functions('new.out')")
with open("new.out.quern", "r+b") as f:
    size = f.seek(0, 2)
    for at in range(8192, size, 4096):
        f.seek(at + 100)
        f.write(b"\xff" * 64)
other = connect()
got = fails("SELECT sum(self), max(fn) FROM quern_functions('new.out', NULL, NULL, NULL, 0)")
ok("no error" not in got and "new.out" in got, "a damaged index is an SQL error", got)

with open("many.out", "w") as f:
    f.write("events: Ir\n")
    f.writelines("fn=f%06d\n1 %d\n" % (i, i % 1000) for i in range(270000))
cursor = db.execute("SELECT fn FROM quern_functions('many.out')")
cursor.fetchone()
os.truncate("many.out.quern", 8192)
try:
    got = "no error, %d rows" % len(cursor.fetchall())
except sqlite3.Error as e:
    got = str(e)
ok("many.out.quern" in got, "so is an index that is cut while it is read", got)
cursor.close()

# ---- a file of somebody else's ----
# Its schema has a table of quern, which SQLite connects as soon as anybody looks at it.
os.mkdir("home")
stranger = sqlite3.connect("stranger.db")
stranger.executescript("PRAGMA writable_schema=ON; CREATE TABLE t(x); CREATE VIEW users AS SELECT fn AS name FROM v;"
                       "CREATE VIEW direct AS SELECT fn FROM quern_functions('lua-default.out', NULL, NULL, 'home/evil');"
                       "CREATE TRIGGER tr AFTER INSERT ON t BEGIN INSERT INTO t SELECT fn FROM quern_functions('lua-default.out', NULL, NULL, 'home/evil'); END;")
os.mkfifo("fifo")
for path, name in (("lua-default.out", "v"), ("fifo", "w")):
    stranger.execute("INSERT INTO sqlite_schema VALUES ('table', ?, ?, 0, ?)", (
        name, name, "CREATE VIRTUAL TABLE %s USING quern('%s', 'functions', index='home/evil')" % (name, path)))
stranger.execute("INSERT INTO sqlite_schema VALUES ('table', 'q', 'q', 0, 'CREATE VIRTUAL TABLE q USING quern_functions(''lua-default.out'')')")
stranger.commit()
stranger.close()
for trusted in ("ON", "OFF"):
    for sql in ("SELECT * FROM users", "PRAGMA table_info(v)", "PRAGMA table_info(w)", "SELECT * FROM w", "SELECT * FROM direct",
                "INSERT INTO t VALUES (1)", "SELECT * FROM q", "ATTACH 'stranger.db' AS other; SELECT * FROM other.v"):
        other = connect("stranger.db")
        other.execute("PRAGMA trusted_schema=" + trusted)
        try:
            for one in sql.split(";"):
                got = other.execute(one).fetchall()
        except sqlite3.Error as e:
            got = str(e)
        ok(isinstance(got, str) and not os.listdir("home"), "trusted_schema=%s: %s is refused, and writes nothing" % (trusted, sql), (got, os.listdir("home")))
        other.close()
got = fails("CREATE VIRTUAL TABLE mine USING quern('lua-default.out')")
ok("CREATE VIRTUAL TABLE temp.mine" in got, "a table that would be stored is none", got)
for path in ("fifo", "home", "/dev/zero"):
    got = fails("SELECT * FROM quern_functions(?)", path)
    ok("no error" not in got and path in got, "no profile: " + path, got)
got = fails("SELECT * FROM quern_functions('lua-default.out', NULL, NULL, 'fifo')")
ok("no error" not in got and "fifo" in got, "no index: a FIFO", got)

# ---- as fresh as the index ----
for n in (1000, 2000):
    with open("same.out", "w") as f:
        f.write("events: Ir\nfn=main\n1 %d\n" % n)
    os.utime("same.out", (5, 5))
    same(ask("SELECT self FROM quern_functions('same.out')")[1], [[n]], "rewritten with the same size and time: %d" % n)
before = os.stat("same.out")
with open("other.out", "w") as f:
    f.write("events: Ir\nfn=main\n1 3000\n")
os.symlink("same.out", "link.out")
same(ask("SELECT self FROM quern_functions('link.out')")[1], [[2000]], "a link")
os.remove("link.out")
os.symlink("other.out", "link.out")
same(ask("SELECT self FROM quern_functions('link.out')")[1], [[3000]], "to another file")
shutil.copy("same.out", "same.out.2")
same(ask("SELECT sum(self) FROM quern_functions('same.out.[0-9]')")[1], [[2000]], "a pattern")
shutil.copy("same.out", "same.out.3")
got = ask("SELECT sum(self) FROM quern_functions('same.out.[0-9]')")[1]
same(got, [[4000]], "that matches one more file")

# ---- interrupted ----
N = 100000
with open("long.out", "w") as f:
    f.write("events: Ir\nfl=a.c\n")
    for i in range(N):
        f.write("fn=(%d) f%d\n1 5\ncfn=(%d) f%d\ncalls=1 1\n1 100\n" % (i, i, (i + 1) % N, (i + 1) % N))
        if i % 2 == 0:
            k = random.randrange(N)
            f.write("cfn=(%d) f%d\ncalls=3 1\n1 50\n" % (k, k))
for sql in ("CREATE VIRTUAL TABLE temp.long USING quern('long.out', 'functions')", "SELECT count(*) FROM quern_functions('long.out')",
            "SELECT count(*) FROM quern_functions('long.out', NULL, 'hide f1*')", "CREATE VIRTUAL TABLE temp.hidden USING quern('long.out', 'hide f1* | functions')"):
    # The first two make the index: soon, and again when it is half done.
    for wait in (0.01, 0.15):
        timer = threading.Timer(wait, db.interrupt)
        timer.start()
        start = time.monotonic()
        got = fails(sql)
        timer.join()
        took = time.monotonic() - start
        ok("interrupted" in got and took < 5 * SLOW or "no error" in got and took < 1 * SLOW, "interrupted: %s (%g s)" % (sql, wait), (got, took))
        if "long " in sql and "no error" in got:
            db.execute("DROP TABLE temp.long")
same(ask("SELECT count(*) FROM quern_functions('long.out')")[1], [[N]], "and asked again")

# ---- no memory ----
# Each allocation of SQLite's fails once: an error or the right answer, and nothing is left half done.
heap = ctypes.CDLL("libsqlite3.so.0") if os.path.exists("/proc/self/maps") else None
with open("/proc/self/maps") as f:
    alone = len({line.split()[-1] for line in f if "libsqlite3" in line}) == 1
if alone:
    heap.sqlite3_hard_heap_limit64.argtypes, heap.sqlite3_memory_used.restype = [ctypes.c_int64], ctypes.c_int64
    SMALL = ["SELECT fn FROM quern_functions('lua-default.out', 'Ir', NULL, NULL, 1) WHERE fn = 'main' AND self > 1 ORDER BY self",
             "SELECT callee FROM quern_edges('bytes.cg') WHERE caller_id = 1", "SELECT fn FROM quern_functions('bytes.cg')",
             "SELECT self_IR_2 FROM n", "SELECT file FROM m"]
    MAKE = ["CREATE VIRTUAL TABLE temp.n USING quern('bytes.cg', 'functions', index='bytes.cg.quern', build=1)",
            "CREATE VIRTUAL TABLE temp.m USING quern('bytes.cg', 'lines | take 3')"]
    wants = [ask(sql)[1] for sql in SMALL[:3]]
    wrong, hit, step = [], 0, 1
    for extra in list(range(0, 40000, 71)) + list(range(40000, 200000, 2111)):
        one = sqlite3.connect(":memory:")
        one.enable_load_extension(True)
        one.load_extension(extension)    # Python does not survive that this fails for memory
        heap.sqlite3_hard_heap_limit64(heap.sqlite3_memory_used() + extra)
        for sql in MAKE + SMALL:
            try:
                got = [list(row) for row in one.execute(sql).fetchall()]
                if sql in SMALL[:3] and got != wants[SMALL.index(sql)]:
                    wrong.append("%d %s: %s" % (extra, sql, got))
            except (sqlite3.Error, MemoryError):
                hit += 1
        heap.sqlite3_hard_heap_limit64(0)
        one.close()
    ok(not wrong and hit > 100, "answers are right or errors where memory is out (%d errors)" % hit, "\n".join(wrong[:5]))
else:
    skip("where memory is out", "this Python has an SQLite of its own")
db.close()

# ---- without a word, in other programs ----
SQL = "SELECT fn, self FROM quern_functions('%s') ORDER BY self DESC LIMIT 5;" % BRANCH
want = "".join("%s|%d\n" % tuple(row) for row in as_json(BRANCH, "functions | take 5 | show fn, self")[1])
if shutil.which("sqlite3"):
    r = run(program=["sqlite3", "-batch", "-noheader"], stdin=(".load %s\n%s\n" % (extension, SQL)).encode())
    same((r.status, r.text, r.talk), (0, want, ""), "sqlite3")
else:
    skip("sqlite3", "it is not installed")
PHP = """$db = new SQLite3(':memory:'); $db->loadExtension('quern.so');
$rows = $db->query("%s"); while ($r = $rows->fetchArray(SQLITE3_NUM)) echo $r[0], '|', $r[1], "\\n";""" % SQL
if shutil.which("php") and "sqlite3" in run("-m", program=["php"]).text:
    r = run("-d", "sqlite3.extension_dir=" + os.path.dirname(extension), "-r", PHP, program=["php"])
    same((r.status, r.text, r.talk), (0, want, ""), "PHP")
else:
    skip("PHP", "php-cli or php-sqlite3 is not installed")
if shutil.which("ldd"):
    ok("libsqlite3" not in run(quern, program=["ldd"]).text, "the program does not load SQLite")
    ok("libsqlite3" not in run(extension + ".so", program=["ldd"]).text, "the extension uses the SQLite of its host")
done()
