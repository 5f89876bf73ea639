#!/usr/bin/env python3
"""budget.t - `--budget SIZE`: no answer is longer, rows are whole, what is left out is counted."""
import csv
import glob
import json
import os
import re
import shutil

from e2e import done, fixtures, format_names, ok, run, same, skip, small
from mcp import Client, built

lua, old, cpp = "lua-default.out", "lua-instr-jumps.out", "tmpl-cachebranch.out"
for n in (lua, old, cpp):
    shutil.copy(small + n, n)
FORMATS = "table tree csv tsv json ndjson md github".split()
WHOLE = [f for f in format_names() if f not in FORMATS]


def ask(query, budget=None, *more, profiles=(lua, "base=" + old)):
    return run(*profiles, "-q", "--no-init", *(["--budget", str(budget)] if budget else []), *more, "-c", query)


def rows_of(text, format):
    """The rows of an answer for programs, and what it says of those that are left out."""
    if format == "json":
        answer = json.loads(text)
        return [tuple(r) for r in answer["rows"]], answer["meta"].get("left_out")
    if format == "ndjson":
        lines = [json.loads(line) for line in text.splitlines()]
        left = lines.pop()["left_out"] if lines and "left_out" in lines[-1] else None
        return [tuple(line.values()) for line in lines], left
    read = list(csv.reader(text.splitlines(), delimiter="\t" if format == "tsv" else ","))
    ok(len({len(r) for r in read}) == 1, format + ": rows are whole")
    return [tuple(r) for r in read[1:]], None


# ---- rows for programs: a beginning of all rows, and the rest adds up
for query, column in (("functions", "self"), ("functions by Dr", "self"), ("lines of main", "self"), ("callers of malloc depth all", None),
                      ("functions | group by file: sum(self) as self, count", "self"), ("files", "self"), ("callsites", None),
                      ("calls", None), ("functions | show fn, calls", None), ("functions | show fn, self.Dr, self", "self.Dr")):
    for format in ("csv", "tsv", "json", "ndjson"):
        name = "%s as %s" % (query, format)
        whole = ask(query, None, "--format", format, profiles=(cpp,))
        r = ask(query, 2048, "--format", format, profiles=(cpp,))
        rows, left = rows_of(r.text, format)
        all_rows, none = rows_of(whole.text, format)
        ok(r.status == 0 and none is None and len(r.out) <= 2048 and 0 < len(rows) < len(all_rows) and
           rows == all_rows[:len(rows)], name + ": whole rows, from the first on", r)
        next_row = whole.out.split(b"\n")[len(rows) + {"csv": 1, "tsv": 1, "json": 3, "ndjson": 0}[format]]
        ok(len(r.out) + len(next_row) > 2048 - 40, name + ": as many as fit", (len(r.out), next_row))
        if left:
            same(left["rows"], len(all_rows) - len(rows), name + ": the rows left out are counted")
            titles = json.loads(whole.text)["columns"] if format == "json" else list(json.loads(whole.text.splitlines()[0]))
            if column:
                at = titles.index(column)
                same((left["column"], left["cost"]), (column, sum(r[at] for r in all_rows[len(rows):])), name + ": and their cost")
            elif query.startswith("call") and "depth" not in query or "show" in query:
                ok("cost" not in left, name + ": of costs that do not add up nothing is said", left)
        else:
            ok("%s of %s rows" % (len(all_rows) - len(rows), len(all_rows)) in
               r.talk.replace(",", "").partition("note: left out to fit the budget: ")[2], name + ": a note counts the rows left out", r)

# Of a tree the costliest rows are kept, and those that they lie on.  What is left out is counted
# once: only what is on no other row that is left out.
for query, column in (("calltree from main depth 2", "est"), ("calltree from main depth 6 min 0.1%", "est"),
                      ("callers of l* depth 3 min 1%", "est"), ("calltree vs base min 1%", "delta")):
    r = ask(query, 1500, "--format", "json")
    answer, whole = json.loads(r.text), json.loads(ask(query + " | as json").text)
    rows, all_rows, at = answer["rows"], whole["rows"], whole["columns"].index
    weight, above, open_rows = [], [], []
    for row in all_rows:                    # a row lies on the last one of a smaller depth
        while open_rows and all_rows[open_rows[-1]][0] >= row[0]:
            open_rows.pop()
        above.append(open_rows[-1] if open_rows else None)
        open_rows.append(len(above) - 1)
        weight.append(abs(row[at(column)] or 0))
    for i in reversed(range(len(weight))):
        if above[i] is not None:
            weight[above[i]] = max(weight[above[i]], weight[i])
    kept = sorted(sorted(range(len(weight)), key=lambda i: (-weight[i], i))[:len(rows)])
    ok(len(rows) > 2 and rows == [all_rows[i] for i in kept], query + ": the costliest rows", (rows, r.talk))
    sum_left = sum(all_rows[i][at("est")] or 0 for i in range(len(weight)) if i not in kept and (above[i] is None or above[i] in kept))
    left = answer["meta"]["left_out"]
    same((left["rows"], left["column"], left["cost"]), (len(weight) - len(rows), "est", sum_left), query + ": what is left out, counted once")
r = ask("calltree from main depth 3 | sort self | as json", 1500)
rows = json.loads(r.text)["rows"]
same(rows, json.loads(ask("calltree from main depth 3 | sort self | as json").text)["rows"][:len(rows)], "a tree that is sorted is cut at its end")
ok("left out to fit the budget: the cheapest" in ask("calltree from main", 1500).text, "a tree says that it is the cheapest")

# ---- tables and text
for format in FORMATS:
    for query in ("functions", "calltree from main", "functions vs base | take 500", "lines of l*", "find l*", "callers of l* depth 3"):
        budget = 1024 if query in ("functions", "calltree from main") else 5000
        r = ask(query, budget, "--format", format)
        said = r.talk if format in ("csv", "tsv") else r.text
        ok(r.status == 0 and 0 < len(r.out) <= budget and re.search(r"left.out", said), "%s as %s in %d bytes" % (query, format, budget), r)
r = ask("functions | show fn, self", 1024)
shown = [int(line.split()[-1].replace(",", "")) for line in r.text.splitlines()[1:-2]]
m = re.search(r"left out to fit the budget: (\d+) of 692 rows with (\S+) k of self \((\S+)%\)$", r.text)
total = 2317217
ok(m and int(m[1]) == 692 - len(shown) and abs(float(m[2]) * 1000 - (total - sum(shown))) <= 500 and
   abs(float(m[3]) - 100 * (total - sum(shown)) / total) < .01, "the line below a table", r)
ok(ask("functions", 1024, profiles=(lua, "--wide")).text.count("\n") > 3, "with --wide, too")

# ---- what fits is as it is without a budget
for format in FORMATS + [f for f in WHOLE if f not in ("junit", "callgrind", "pprof")]:
    query = "calltree from main depth 2 min 20%"
    same(ask(query, "64M", "--format", format).out, ask(query, None, "--format", format).out, "what fits is unchanged: " + format)

# ---- what cannot be cut is whole, or an error
for format in (f for f in WHOLE if f != "flame"):     # that has some lines, whatever the tree
    r = ask("calltree from main", 1024, "--format", format)
    ok(r.status == 6 and not r.out and "bytes, and the budget leaves 1,024" in r.talk and "cannot be cut" in r.talk, format + " is not cut", r)
r = ask("info main", 1024)
same(r.text, ask("info main").text, "a card is whole")
r = ask("functions | where fn != \"%s\" | as json" % ("x" * 2000), 1024)
ok(r.status == 6 and not r.out and "not one row fits" in r.talk and "hint:" in r.talk, "if not one row fits, it says so", r)
r = ask("functions > all.csv", 1024)
ok(r.status == 0 and os.path.getsize("all.csv") > 50000, "a file is not cut", r)
r = ask("top 3; functions", 1024)
ok(r.status == 0 and len(r.out) < 2048 and r.text.startswith(ask("top 3").text), "each answer has the budget", r)
r = ask("functions | expect none", 1024)
ok(r.status == 4 and len(r.out) <= 1024 and "left out" in r.text, "rows that break an expectation are cut, too", r)
for wrong in ("0", "1000", "65M", "x", "-5", ""):
    r = run(lua, "--budget", wrong, "-c", "top")
    ok(r.status == 2 and "--budget takes a size from 1k to 64M" in r.talk, "refused: --budget '%s'" % wrong, r)

# ---- many rows: they are not all in memory
with open("many.out", "w") as f:
    f.write("version: 1\nevents: Ir\n\nfl=a.c\n")
    for i in range(300000):
        f.write("fn=function_%d\n1 %d\n" % (i, i + 1))
for format in ("csv", "json", "table"):
    r = run("many.out", "-q", "--no-init", "--budget", "20k", "-c", "functions | sort self | as " + format)
    n = len(set(re.findall(r"function_\d+", r.text)))
    said = r.talk if format == "csv" else r.text
    ok(r.status == 0 and len(r.out) <= 20480 and n > 100 and "function_%d" % (300000 - n) in r.text and
       re.search(r"\b%d\b" % (300000 - n), said.replace(",", "")), "300,000 rows as " + format, said[-300:])
left = json.loads(run("many.out", "-q", "--no-init", "--budget", "20k", "-c", "functions | as json").text)
same(left["meta"]["left_out"]["cost"], sum(range(1, 300000 - len(left["rows"]) + 1)), "their cost")

# ---- all fixtures
if not built():
    skip("no answer to a client is above its budget", "quern was built without jansson (libjansson-dev)")
else:
    found = sorted(p for d in ("small", "producers", "quirks", "names", "pairs", "found", "moved", "huge")
                   for p in glob.glob("%s/%s/*" % (fixtures, d))
                   if re.search(r"\.(out|cg|callgrind|kcg)\b", p) and not p.endswith(".json"))
    ok(len(found) > 100, "there are fixtures", len(found))
    above, answers = [], 0
    for path in found[::1 if os.environ.get("QUERN_TORTURE") else 2]:
        c = Client(shutil.copy(path, "."), "--budget", "4k")
        asked = [c.begin("tools/call", {"name": "query", "arguments": {"query": q, "format": f}})
                 for q in ("functions", "calltree; calls; lines of /./") for f in FORMATS]
        asked.append(c.begin("tools/call", {"name": "profiles"}))
        for _ in asked:
            m = c.receive()
            size = sum(len(t["text"].encode()) for t in m["result"]["content"])
            answers += not m["result"]["isError"]
            if size > 4096 or not size:
                above.append((path, size, m["id"]))
        c.close()
    same(above, [], "no answer to a client is above its budget, of all fixtures in all formats")
    ok(answers > 4 * len(found), "most are answered", answers)
done()
