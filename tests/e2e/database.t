#!/usr/bin/env python3
"""database.t - `.export FILE.db`: the tables of .export as an SQLite database, whole or not at all."""
import ctypes
import json
import os
import resource
import shutil

from e2e import done, fixtures, ok, quern, run, same, skip, skip_all, small

try:
    import sqlite3
except ImportError:
    skip_all("this Python has no sqlite3")
try:
    ctypes.CDLL("libsqlite3.so.0")
except OSError:
    r = run(small + "lua-default.out", "--no-index-write", "-q", "-c", ".export x.db")
    ok(r.status == 1 and "libsqlite3.so.0" in r.talk and "apt-get" in r.talk, "SQLite is missed by name", r)
    done()

PROFILES = ["lua=lua-default.out", "branch=tmpl-cachebranch.out", "parts=tmpl-multipart-combine.out",
            "php=xdebug-small.out", "names=v_names.cg", "bytes=bytes.cg"]
for p in PROFILES[:-2]:
    shutil.copy(small + p.partition("=")[2], ".")
shutil.copy(fixtures + "/quirks/v_names.cg", ".")
with open("bytes.cg", "wb") as f:
    f.write(b"events: Ir\nfn=caf\xe9 \\x\n1 %d\n2 %d\nfn=\\x:41\n1 1\nfn=caf\xc3\xa9\n1 2\n" % (2**62, 2**62 + 2**11))
TABLES = ["profiles", "events", "functions", "edges", "contexts", "lines", "callsites", "parts"]
MORE = ["part_functions", "part_edges"]
for p in PROFILES:
    run(p, "-q", "--rebuild", "-c", "events")   # so that all are indexed at one time
for name in ("out.db", "out.sqlite", "named.sqlite3"):
    r = run(*PROFILES, "-q", "-c", ".export %s%s" % (name, " " + " ".join(TABLES + MORE) if name[0] == "n" else ""))
    ok(r.status == 0 and not r.text and not r.talk, name + " is made, without a word", r)
r = run(*PROFILES, "-q", "-c", ".export out ndjson " + " ".join(TABLES + MORE))
ok(r.status == 0, "and a directory", r)


def cells(row):
    """Those that each export has; SQLite has no integers above 2^63 - 1."""
    profile, run_, *rest = row
    return [profile] + [float(c) if isinstance(c, int) and c >= 2**63 else c for c in rest]


def database(path):
    db = sqlite3.connect(path)
    return db, sorted(name for name, in db.execute("SELECT name FROM sqlite_master WHERE type = 'table'"))


for path, want in (("out.db", TABLES), ("out.sqlite", TABLES), ("named.sqlite3", TABLES + MORE)):
    db, tables = database(path)
    same(tables, sorted(want), path + " has the tables")
    wrong = []
    for table in tables:
        cursor = db.execute("SELECT * FROM " + table)
        names = [c[0] for c in cursor.description]
        with open("out/%s.ndjson" % table, encoding="utf-8") as f:
            for row, line in zip(cursor.fetchall() + [None], list(f) + [None]):
                if row is None or line is None or cells(json.loads(line).values()) != cells(row) \
                        or list(json.loads(line)) != names:
                    wrong += [] if row is line is None else ["%s: %s, not %s" % (table, row, line)]
    ok(not wrong, path + ": every row is that of the other exports", "\n".join(wrong[:5]))
    same([row[0] for row in db.execute("PRAGMA integrity_check")], ["ok"], path + " is sound")
db = database("out.db")[0]
same(db.execute("SELECT fn, typeof(self_Ir) FROM functions WHERE profile = 'bytes' ORDER BY self_Ir DESC").fetchall(),
     [("\\x:caf\\xE9 \\\\x", "integer"), ("caf\u00e9", "integer"), ("\\x:\\\\x:41", "integer")], "names that are not UTF-8, and large costs")
same(db.execute("SELECT count(*) FROM functions WHERE profile = 'php' AND self_Ir IS NOT NULL").fetchall(), [(0,)],
     "a cost that a profile does not have is NULL")
mask = os.umask(0)
os.umask(mask)
same(os.stat("out.db").st_mode & 0o777, 0o666 & ~mask, "it has the mode of other files")

# ---- whole or not at all ----
r = run("lua-default.out", "-q", "-c", ".export file:uri.db?mode=memory.db")
ok(r.status == 0 and os.path.getsize("file:uri.db?mode=memory.db") > 50000 and not [n for n in os.listdir(".") if n.startswith("uri.db")],
   "a name that SQLite takes for a URI", (r, os.listdir(".")))

before = sorted(os.listdir("."))
with open("out.db", "rb") as f:
    content = f.read()


def refused(command, *words, status=1, **more):
    r = run("lua-default.out", "-q", "-c", command, **more)
    ok(r.status == status and all(w in r.talk for w in words) and not r.text, "%s: %s" % (command, " ".join(words)), r)
    same(sorted(os.listdir(".")), before, command + ": nothing is left")


refused(".export out.db", "out.db: it is there", "name another")
with open("out.db", "rb") as f:
    ok(f.read() == content, "what is there stays")
refused(".export nowhere/x.db", "nowhere/x.db: No such file")
refused(".export x.db functoins", "no table 'functoins'", status=2)
refused(".export x.db", "x.db: ", preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (50000, 50000)))
os.makedirs("old")
so = os.path.dirname(quern) + "/libquern.so.2"
if os.path.exists(so) and os.environ.get("QUERN_VARIANT", "release") == "release":
    os.symlink(so, "old/libsqlite3.so.0")
    before = sorted(os.listdir("."))
    refused(".export x.db", "a database needs SQLite", "too old", "libsqlite3-0", env={"LD_LIBRARY_PATH": os.getcwd() + "/old"})
else:
    skip("an SQLite that is too old", "libquern.so is not built without sanitizers")
r = run("lua-default.out", "--safe", "-q", "-c", ".export x.db")
ok(r.status and "--safe" in r.talk and not os.path.exists("x.db"), "not under --safe", r)
r = run("lua-default.out", "-q", "-c", ".export x.db csv")
ok(r.status == 0 and os.path.isdir("x.db"), "a format that is named makes a directory of any name", r)
done()
