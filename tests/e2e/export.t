#!/usr/bin/env python3
"""export.t - `.export DIR`: the files, their schema, the directory as a whole, and SQLite.

What an export holds is compared with what queries answer, and its sums with the profile's
totals, in SQLite where sqlite3 is installed.
"""
import csv
import json
import os
import shutil
import subprocess

from e2e import done, fixtures, ok, profile, run, same, skip, small, work

PROFILES = ["lua=lua-default.out", "branch=tmpl-cachebranch.out", "parts=tmpl-multipart-combine.out",
            "php=xdebug-small.out", "threads=thr-septhreads-combine.out", "go=gopprof-cpu.callgrind",
            "mangled=tmpl-nodemangle.out"]
USUAL = ["profiles", "events", "functions", "edges", "contexts", "lines", "callsites", "parts"]
for p in PROFILES:
    shutil.copy(small + p.partition("=")[2], ".")


def read_csv(path):
    with open(path, newline="", encoding="utf-8") as f:
        return list(csv.DictReader(f))


def read_ndjson(path):
    with open(path, encoding="utf-8") as f:
        return [json.loads(line) for line in f]


def rows(query, *profiles):
    r = run(*profiles, "-q", "--format", "json", "-c", query)
    document = json.loads(r.text)
    return [dict(zip(document["columns"], row)) for row in document["rows"]]


# ---- the files and their schema ----
for p in PROFILES:
    run(p, "-q", "--rebuild", "-c", "events")   # so that all are indexed at one time
r = run(*PROFILES, "-q", "-c", ".export out")
ok(r.status == 0 and not r.text and not r.talk, "an export is made, without a word", r)
same(sorted(os.listdir("out")), sorted([t + ".csv" for t in USUAL] + ["schema.json", "schema.sql"]),
     "the usual tables and the schema are in it")
schema = json.load(open("out/schema.json"))
same([schema["format"], schema["version"], schema["encoding"], [t["name"] for t in schema["tables"]]],
     ["quern-export", 1, "csv", USUAL], "schema.json names format, version, encoding and tables")
tables = {}
for t in schema["tables"]:
    tables[t["name"]] = read_csv("out/" + t["file"])
    with open("out/" + t["file"], newline="", encoding="utf-8") as f:
        header = next(csv.reader(f))
    same(header, [c["name"] for c in t["columns"]], t["name"] + ": the columns are the schema's")
    same(len(tables[t["name"]]), t["rows"], t["name"] + ": and so is the number of rows")
    keys = [tuple(row[k] for k in t["key"]) for row in tables[t["name"]]]
    same(len(set(keys)), len(keys), t["name"] + ": its key tells rows apart")
    for ref in t["references"]:
        to = {tuple(row[k] for k in ref["key"]) for row in tables[ref["table"]]}
        ok(all(tuple(row[c] for c in ref["columns"]) in to for row in tables[t["name"]]),
           "%s: %s leads to a row of %s" % (t["name"], ref["columns"], ref["table"]))
    ok(all(c["type"] in ("text", "uint64", "int64", "boolean") and c["about"] for c in t["columns"]),
       t["name"] + ": every column has a type and is explained")

# ---- against queries ----
for given in PROFILES:
    name, _, path = given.partition("=")
    total = {e["name"]: e["total"] for e in rows("events", path) if not e["formula"]}

    def sums(table, prefix):
        return {e: sum(int(row[prefix + e] or 0) for row in tables[table] if row["profile"] == name)
                for e in total}
    same(sums("functions", "self_"), total, name + ": functions add up to the totals")
    same(sums("lines", "self_"), total, name + ": and so do lines")
    same(sums("parts", "self_"), total, name + ": and parts")
    same(sums("callsites", "incl_"), sums("edges", "incl_"), name + ": call sites add up to edges")
    recorded = {row["event"]: int(row["total"]) for row in tables["events"]
                if row["profile"] == name and row["recorded"] == "1"}
    same(recorded, total, name + ": events have the totals")
    want = rows("functions | sort id asc | show id, fn, file, obj, calls, self, incl, estimated", path)
    first = next(iter(total))
    got = [row for row in tables["functions"] if row["profile"] == name]
    same([(int(g["id"]), g["fn"], g["file"], g["obj"], int(g["calls"]), int(g["self_" + first]),
           int(g["incl_" + first])) for g in got],
         [(w["id"], w["fn"], w["file"], w["obj"], w["calls"] or 0, w["self"], w["incl"]) for w in want],
         name + ": functions are those of the query")
    want = rows("functions | sort id asc | show " + ", ".join('estimated."%s" as e%d' % (e, i) for i, e in enumerate(total)), path)
    same([g["estimated"] == "1" for g in got], [any(w.values()) for w in want], name + ": what a query estimates is marked, nothing else")
    same(len([row for row in tables["edges"] if row["profile"] == name]), len(rows("calls", path)),
         name + ": edges too")
other = [row for row in tables["functions"] if row["profile"] == "php"]
ok(all(row["self_Ir"] == "" for row in other), "an event that a profile does not have is unknown, not 0")

# ---- NDJSON, tables on request ----
r = run(*PROFILES, "-q", "-c", ".export nd ndjson")
ok(r.status == 0, "ndjson is written", r)
for t in json.load(open("nd/schema.json"))["tables"]:
    got = read_ndjson("nd/" + t["file"])
    same([list(g) for g in got[:1]], [[c["name"] for c in t["columns"]]][:len(got)],
         t["name"] + ": members in the schema's order")

    def plain(v):
        return "" if v is None else str(int(v)) if isinstance(v, (bool, int)) else v
    same([{k: plain(v) for k, v in g.items() if k != "run"} for g in got],
         [{k: v for k, v in g.items() if k != "run"} for g in tables[t["name"]]],
         t["name"] + ": NDJSON and CSV hold the same")
r = run("parts=tmpl-multipart-combine.out", "-q", "-c", ".export some ndjson part_functions, part_edges edges")
ok(r.status == 0, "tables can be named", r)
same(sorted(os.listdir("some")), ["edges.ndjson", "part_edges.ndjson", "part_functions.ndjson",
                                  "schema.json", "schema.sql"], "and no others come")
by_fn = {}
for row in read_ndjson("some/part_functions.ndjson"):
    by_fn[row["function"]] = by_fn.get(row["function"], 0) + row["self_Ir"]
same({k: v for k, v in by_fn.items() if v},
     {int(g["id"]): int(g["self_Ir"]) for g in tables["functions"]
      if g["profile"] == "parts" and int(g["self_Ir"])}, "parts of functions add up to functions")
by_edge = {}
for row in read_ndjson("some/part_edges.ndjson"):
    key = (row["caller"], row["callee"])
    was = by_edge.get(key, (0, 0))
    by_edge[key] = (was[0] + row["calls"], was[1] + row["incl_Ir"])
same(by_edge, {(int(g["caller"]), int(g["callee"])): (int(g["calls"]), int(g["incl_Ir"]))
               for g in tables["edges"] if g["profile"] == "parts"}, "parts of edges to edges")
r = run("lua-default.out", "-q", "--format", "ndjson", "-c", ".export bymode functions")
ok(os.path.exists("bymode/functions.ndjson"), "--format ndjson is heeded", r)

# ---- odd names and events ----
odd = [(b"=cmd|' /C calc'!A0", 1), (b'a "quoted", one', 2), (b"-x", 4), (b"\xff\xfe raw", 8),
       (b"tab\there", 16), ("h\u00e9ll\u00f6".encode(), 32), (b"\\x:41", 64), (b"nul\0here", 128)]
profile("odd.out", odd)
r = run("odd.out", "-q", "-c", ".export odd", "-c", ".export odd2 ndjson")
ok(r.status == 0, "names of any bytes are exported", r)
names = {row["fn"]: int(row["self_Ir"]) for row in read_csv("odd/functions.csv")}
same({k: names.get(k) for k in ("=cmd|' /C calc'!A0", 'a "quoted", one', "-x", "h\u00e9ll\u00f6")},
     {"=cmd|' /C calc'!A0": 1, 'a "quoted", one': 2, "-x": 4, "h\u00e9ll\u00f6": 32},
     "names are exact: nothing is put before = and -")


def bytes_of(name):
    if not name.startswith("\\x:"):
        return name.encode()
    out, rest = b"", name[3:]
    while rest:
        if rest.startswith("\\x"):
            out, rest = out + bytes([int(rest[2:4], 16)]), rest[4:]
        elif rest.startswith("\\\\"):
            out, rest = out + b"\\", rest[2:]
        else:
            out, rest = out + rest[0].encode(), rest[1:]
    return out


for path, read in (("odd/functions.csv", read_csv), ("odd2/functions.ndjson", read_ndjson)):
    same(sorted((bytes_of(row["fn"]), int(row["self_Ir"])) for row in read(path)), sorted(odd),
         path + ": every name's bytes can be had back")
with open("case.out", "wb") as f:
    f.write(b'events: Ir IR a"b ir_2\nfl=a.c\nfn=f\n1 1 2 4 8\n')
r = run("case.out", "-q", "-c", ".export case")
same(open("case/functions.csv").readline().strip().split(",")[9:13],
     ["self_Ir", "self_IR_2", '"self_a""b"', "self_ir_2_2"],
     "events that a database cannot tell apart get columns it can")
with open("empty.out", "w") as f:
    f.write("version: 1\nevents: Ir\ntotals: 0\n")
r = run("empty.out", "-q", "-c", ".export empty")
ok(r.status == 0 and read_csv("empty/functions.csv") == [], "an empty profile has empty tables", r)

# ---- the directory appears whole or not at all ----
before = sorted(os.listdir("."))
for name, args in [("a directory that is not empty", ["-c", ".export out"]),
                   ("a file", ["-c", ".export lua-default.out"]),
                   ("a directory in none", ["-c", ".export no/such/place"]),
                   ("no name", ["-c", ".export"]), ("an unknown table", ["-c", ".export new csv heaps"]),
                   ("--safe", ["--safe", "-c", ".export new"]),
                   ("filters in force", ["-c", ".push hide main", "-c", ".export new"])]:
    r = run("lua-default.out", "-q", *args)
    ok(r.status in (1, 2) and r.talk.startswith("error: "), name + " is refused", r)
    same(sorted(os.listdir(".")), before, name + ": and nothing is left behind")
r = run("-q", "-c", ".export new", "-c", "x")
ok(r.status == 1 and "no profile is open" in r.talk, "without a profile it says so", r)
os.mkdir("there")
r = run("lua-default.out", "-q", "-c", ".export there/")
ok(r.status == 0 and os.path.exists("there/functions.csv"), "an empty directory is filled", r)
os.symlink("/nowhere", "link")
r = run("lua-default.out", "-q", "-c", ".export link")
ok(r.status == 1 and os.path.islink("link"), "a link is left alone", r)
r = run("lua-default.out", "-q", "-c", ".export limited", program=("sh", "-c",
        'ulimit -f 64; exec "$0" "$@"', os.environ.get("QUERN", fixtures + "/../../build/release/quern")))
ok(r.status == 1 and "File too large" in r.talk, "a disk that is full is an error", r)
ok(not [n for n in os.listdir(".") if n.startswith("limited")], "and leaves nothing", os.listdir("."))


# ---- what an export leaves behind that was killed goes with the next ----
dead = subprocess.Popen(["true"])
dead.wait()
left, kept, alive = ("new.tmp.%s" % end for end in ("%d.0" % dead.pid, "%d.1" % dead.pid, "%d.0" % os.getpid()))
for d in (left, kept, alive):
    os.mkdir(d)
    for name in ("functions.csv", "edges.ndjson", "schema.sql"):
        open(d + "/" + name, "w").write("half")
open(kept + "/notes.txt", "w").write("mine")
os.mkdir("new.tmp.save")
open("new.csv.tmp.%d.0" % dead.pid, "w").write("half")
open("new.csv.tmp.%d.0.old" % dead.pid, "w").write("mine")
r = run("lua-default.out", "-q", "-c", ".export new", "-c", "top 3 > new.csv")
ok(r.status == 0 and not os.path.exists(left), "an export of the same name removes it", os.listdir("."))
same([os.listdir(kept), len(os.listdir(alive)), os.path.isdir("new.tmp.save")], [["notes.txt"], 3, True],
     "but nothing that is not an export's, and none of a process that lives")
ok(not os.path.exists("new.csv.tmp.%d.0" % dead.pid) and os.path.exists("new.csv.tmp.%d.0.old" % dead.pid),
   "and so with > FILE", os.listdir("."))

# The units that the user gave stay known: by the next export, and by what is asked then.
r = run("lua-default.out", "-q", "--unit", "Ir=ms", "-c", ".export first", "-c", ".export second", "-c", "top 1")
schema = [json.load(open(d + "/schema.json", encoding="utf-8")) for d in ("first", "second")]
ok(r.status == 0 and schema[0] == schema[1] and " 458 s " in r.text, "--unit stays after an export", r)

# ---- SQLite ----
if not shutil.which("sqlite3"):
    skip("SQLite loads the export", "sqlite3 is not installed")
else:
    def sql(text):
        p = subprocess.run(["sqlite3", "-separator", "|", "all.db"], input=text, text=True,
                           stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        return p.stdout.strip().splitlines()
    loaded = sql(".read out/schema.sql\n" + "".join(
        ".import --csv --skip 1 out/%s.csv %s\n" % (t, t) for t in USUAL))
    same(loaded, [], "SQLite loads every table without a word")
    same(sql("SELECT e.profile || e.event FROM events e WHERE e.event = 'Ir' AND recorded AND total <> "
             "(SELECT sum(self_Ir) FROM functions f WHERE f.profile = e.profile);"), [],
         "there, too, functions add up to the totals")
    same(sql("SELECT count(*) FROM (SELECT profile, function, sum(self_Ir) s FROM lines GROUP BY 1, 2) l "
             "JOIN functions f ON f.profile = l.profile AND f.id = l.function AND f.self_Ir <> l.s "
             "AND f.self_Ir <> '';"), ["0"], "and the lines of every function to the function")
    got = sql("SELECT p.fn, c.fn, e.calls, e.incl_Ir FROM edges e JOIN functions p ON "
              "(p.profile, p.id) = (e.profile, e.caller) JOIN functions c ON (c.profile, c.id) = "
              "(e.profile, e.callee) WHERE e.profile = 'lua' ORDER BY e.incl_Ir DESC, p.id, c.id LIMIT 5;")
    want = rows("calls | sort incl desc, caller_id asc, callee_id asc | take 5", "lua-default.out")
    same(got, ["%s|%s|%d|%d" % (w["caller"], w["callee"], w["calls"], w["incl"]) for w in want],
         "callers and callees join")
done()
