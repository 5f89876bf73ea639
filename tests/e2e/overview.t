#!/usr/bin/env python3
"""overview.t - `overview`: findings with what they would save at most, and queries that show them."""
import glob
import json
import os
import re
import shutil

from e2e import SLOW, busy, done, fixtures, ok, quern, run, same, small
from mcp import Client, built

LEAST = 1   # percent
COLUMNS = ["at_most", "share%", "finding", "query", "value", "event"]


def overview(path, *more):
    r = run(path, "-q", "--no-index-write", "--format", "json", *more, "-c", "overview")
    return json.loads(r.text) if not r.status else r.talk


def usual(row):
    """How a program is made, which comes after what can be mended."""
    times = re.search(r" ([0-9,.]+) times in ", row["value"])
    return row["finding"] in ("recursion", "cycle", "estimate") or row["share%"] is None or (
        row["finding"] == "loop" and times is not None and float(times[1].replace(",", "")) < 20)


def tables(text):
    """The answers of a query as lists of rows by column."""
    at, found = 0, []
    while text[at:].strip():
        at += len(text[at:]) - len(text[at:].lstrip())
        answer, at = json.JSONDecoder().raw_decode(text, at)
        found.append((answer["meta"]["total"], [dict(zip(answer["columns"], x)) for x in answer["rows"]]))
    return found


COLUMN = {"hot": ["self"], "small": ["self"], "inlined": ["self"], "loop": ["incl"], "recursion": ["incl"], "cycle": ["incl"], "costly call": ["incl"],
          "start": ["hi", "est"], "loading": ["hi"], "allocation": ["est"], "copies": ["est"], "waiting": ["est"], "slow call": ["slowest"],
          "line": ["self"], "kept": ["self"], "allocated": ["self"], "lost": ["self"], "misses": ["D1mr", "D1mw"], "branches": ["Bcm", "Bim"], "estimate": []}
ONE = ["hot", "line", "kept", "allocated", "lost", "loop", "costly call", "slow call"]


def of_query(path, row):
    """What a finding saves at most, computed from the rows of its query: of one row or of all."""
    kind = row["finding"]
    r = run(path, "-q", "--no-index-write", "--format", "json", "-c", row["query"])
    answers = tables(r.text)
    if kind == "loading" and not row["query"].startswith("."):    # of Node
        total, rows = answers[0]
        cells = [x["self"] for x in rows]
    elif kind in ("start", "loading", "allocation", "copies", "waiting"):    # a card
        total, rows = answers[0]
        cells = [next((rows[0][c] for c in COLUMN[kind] if rows[0][c] is not None), None)]
    else:
        total, rows = answers[-1]
        if kind == "loop":
            rows = [x for x in rows if x["each"] >= 20 and not x["recursive"]] or rows
        names = [c if c in rows[0] else "self." + c for c in COLUMN[kind]]
        cells = [x[c] or 0 for x in rows[:1 if kind in ONE else None] for c in names]
    if not cells or None in cells:
        return None
    most = sum(cells) if kind in ("misses", "branches") else min(total, sum(cells))
    return None if kind in ("recursion", "cycle", "start", "loading") and most >= total else most


wrong, slow, seen = [], [], set()
for path in sorted(sum((glob.glob("%s/%s/*" % (fixtures, d)) for d in ("small", "producers", "queries", "pairs", "quirks", "truth")), [])):
    if os.path.isdir(path) or path.endswith((".json", ".md", ".c", ".xz", ".quern", ".cc", ".php", ".pl", ".sh")) or not os.path.getsize(path):
        continue
    before = busy()
    found = overview(path)
    took = busy() - before
    if took > 3 * SLOW:
        slow.append((path, took))
    if isinstance(found, str):
        wrong.append((path, found))
        continue
    rows = [dict(zip(found["columns"], row)) for row in found["rows"]]
    seen |= {row["finding"] for row in rows}
    order = [(usual(row), -(row["share%"] or 0)) for row in rows]
    if found["columns"] != COLUMNS or order != sorted(order) or any(
            r["share%"] is not None and not LEAST <= r["share%"] <= 100 or re.search(r"\{[a-z_]+\}", r["value"].replace("{main}", ""))
            for r in rows):
        wrong.append((path, rows))
    numbers = [(row["finding"], row["at_most"], of_query(path, row)) for row in rows]
    if any(got != want for _, got, want in numbers):
        wrong.append((path, numbers))
    proofs = run(path, "-q", "--no-index-write", *[w for r in rows for w in ("-c", r["query"])])
    if proofs.status or (rows and not proofs.text):
        wrong.append((path, proofs.talk))
    r = run(path, "-q", "--no-index-write", "--budget", "2k", "-c", "overview")
    if r.status or len(r.out) > 2048:
        wrong.append((path, "2 kB", len(r.out), r.talk))
ok(not wrong, "each profile: rows in order, queries that answer, 2 kB", "\n".join(map(str, wrong[:5])))
ok(not slow, "each profile: quick", slow)
ok(len(seen) >= 11, "most findings are in some profile", seen)

# ---- made for it: each finding is there, and no other
same([r[:3] for r in overview(fixtures + "/queries/node.cg")["rows"]][:2], [[60, 50.0, "hot"], [45, 37.5, "loading"]],
     "Node: what modules do by themselves is no loading")
shutil.copy(small + "lua-default.out", "lua.out")
with open("loop", "w") as f:
    f.write("events: Ir\nfl=a.c\nfn=main\n1 10\ncfn=find\ncalls=200 1\n7 5000\nfn=find\n9 50\ncfn=read\ncalls=1 1\n8 4950\nfn=read\n20 4950\n")
hot = [4950, 4950 * 100 / 5010, "hot", "top 1 of not $start | where self% >= 20", "read itself, 1 call", "Ir"]
loop = [5000, 5000 * 100 / 5010, "loop", ".run n-plus-one", "find 200 times in main (a.c:7)", "Ir"]
same(overview("loop")["rows"], [loop, hot], "a loop, and what it calls")
r = run("loop", "-q", "--no-index-write", "-c", "overview")
same(" ".join(r.text.split()), "at_most share% finding query value 5,000 99.80% loop .run n-plus-one find 200 times in main (a.c:7) "
     "4,950 98.80% hot top 1 of not $start | where self% >= 20 read itself, 1 call",
     "as a table")
with open("once", "w") as f:
    f.write("version: 1\ncreator: callgrind-3.19.0\ncmd: ./once\npositions: line\nevents: Ir\nob=/lib/ld-linux-x86-64.so.2\nfl=r.c\nfn=_dl_lookup\n1 300\n"
            "fn=_dl_start\n1 10\ncfn=_dl_lookup\ncalls=200 1\n2 300\nfn=0x100\n1 1\ncfn=_dl_start\ncalls=1 1\n1 310\ncob=/w/once\ncfn=(below main)\ncalls=1 1\n1 1010\n"
            "ob=/w/once\nfl=a.c\nfn=(below main)\n1 10\ncfn=main\ncalls=1 1\n1 1000\nfn=main\n1 10\ncfn=run\ncalls=1 1\n2 990\n"
            "fn=run\n1 10\ncfn=prepare\ncalls=2 1\n3 600\ncfn=work\ncalls=1 1\n4 380\n"
            "fn=prepare\n5 20\ncfn=parse\ncalls=2 1\n6 580\nfn=parse\n7 180\ncfn=parse\ncalls=90 1\n7 900\ncfn=add\ncalls=400 1\n8 400\n"
            "fn=add\n9 400\nfn=work\n9 80\ncfn=step\ncalls=30 1\n10 300\nfn=step\n11 300\n")
same([r[:1] + r[2:5] for r in overview("once")["rows"][:3]], [
    [600, "costly call", ".run costly-call", "prepare, 2 calls"], [400, "hot", "top 1 of not $start | where self% >= 20", "add itself, 400 calls"],
    [310, "start", ".run start", "before the program, most by _dl_start"]], "what is prepared, and the start apart")
with open("rec", "w") as f:
    f.write("events: Ir\nfl=a.c\nfn=main\n1 10\ncfn=f\ncalls=1 1\n2 90\nfn=f\n3 90\ncfn=f\ncalls=8 1\n4 80\n")
same([r[:3] + r[4:5] for r in overview("rec")["rows"]], [[90, 90, "hot", "f itself, 9 calls"], [90, 90, "recursion", "1 function, most by f"],
                                                           [None, None, "estimate", "f is 0 to 80; --separate-callers=3 measures it"]], "recursion")
found = {r[2]: r[0] for r in overview(fixtures + "/found/recursion.cg")["rows"]}
ok(found["recursion"] >= 9790, "  no less than is spent below the second activation", found)
same([r[2] for r in overview(fixtures + "/found/recursion.cg")["rows"]], ["hot", "recursion", "estimate"], "  after what can be mended")
with open("xd", "w") as f:
    f.write("version: 1\ncreator: xdebug 3.2.0 (PHP 8.2.0)\ncmd: a.php\npart: 1\npositions: line\n\nevents: Time_(10ns)\n\n")
    for i in range(20):
        f.write("fl=(1)%s\nfn=(2)%s\n5 %d\n\n" % ((" a.php", " slow") if not i else ("", "") + (900 if i == 7 else 10,)) if i else
                "fl=(1) a.php\nfn=(2) slow\n5 10\n\n")
    f.write("fl=(1)\nfn=(1) {main}\n1 100\n" + "".join("cfl=(1)\ncfn=(2)\ncalls=1 0 0\n3 %d\n" % (900 if i == 7 else 10) for i in range(20)) + "\n")
same([r[2:5:2] for r in overview("xd")["rows"] if r[2] != "hot"], [["slow call", "slow once 9.00 us, usual 100 ns, 20 calls"]], "one slow activation")
producers = fixtures + "/producers/"
same([r[:1] + r[2:3] + r[4:] for r in overview(producers + "xtree-memory-massif.kcg")["rows"]],
     [[20688, "allocated", "by get, 38 blocks", "totB"], [678, "kept", "by get, 17 blocks at the end", "curB"]], "memory by valgrind")
same([r[:1] + r[2:3] + r[4:] for r in overview(producers + "xtree-leak-memcheck.kcg")["rows"]], [[580, "lost", "by get, 5 blocks", "DB"]], "leaks")
with open("bytes", "w") as f:
    f.write("creator: xtree-1\nevents: curB totB\nfl=a.c\nfn=main\n1 0 96\ncfn=f\ncalls=1 1\n2 0 4000\nfn=f\n3 0 4000\n")
same([r[:1] + r[2:3] + r[5:] for r in overview("bytes")["rows"]], [[4000, "hot", "totB"]], "bytes without blocks are as any cost")
same([r[:1] + r[2:3] + r[4:] for r in overview(producers + "cachegrind-branch.out")["rows"]][1:],
     [[9234, "hot", "sorted itself", "Ir"], [7250, "line", "free.c:43 in sorted", "Ir"]], "cachegrind, which knows no calls")
found = overview(fixtures + "/callers/inverted.cg")["rows"][0]
ok(found[:4] == [None, None, "doubt", "info"] and "200 Ir (100.0 %)" in found[4], "calls that are returns", found)
with open("flat", "w") as f:
    f.write("events: Ir\n" + "".join("fn=f%d\n1 10\n" % i for i in range(6)))
same(overview("flat")["rows"], [], "nothing stands out")

with open("stripped", "w") as f:
    f.write("creator: callgrind-3.19.0\ncmd: ./x\npositions: line\nevents: Ir\nob=/lib/ld-linux-x86-64.so.2\nfl=r.c\nfn=_dl_start\n1 300\n"
            "fn=0x1ab70\n1 1\ncfn=_dl_start\ncalls=1 1\n1 300\ncob=/w/x\ncfl=???\ncfn=0x4000\ncalls=1 1\n1 700\nob=/w/x\nfl=???\nfn=0x4000\n1 700\n")
same([r[:1] + r[2:3] for r in overview("stripped")["rows"]], [[700, "hot"], [None, "start"]], "a start that is all, as the program has no names, comes last")
with open("klee", "w") as f:
    f.write("creator: klee\npositions: instr line\nevent: Icov : CoveredInstructions\nevent: Forks : Forks\nevent: I : Instructions\nevents: Icov Forks I \n"
            "ob=assembly.ll\nfl=a.c\nfn=main\n1 1 1 0 2\nfn=work\n2 1 1 2 90\n3 2 1 0 8\n")
same([r[:1] + r[2:] for r in overview("klee")["rows"][:1]], [[98, "hot", "top 1 of not $start | where self% >= 20", "work itself", "I"]], "KLEE's instructions, not what it covered")

# ---- where people ask
for how in (("-c", ".overview"), ("overview",), ("-f", "o.q"), ("--safe", "-c", "overview")):
    with open("o.q", "w") as f:
        f.write("overview\n")
    r = run("loop", "-q", "--no-index-write", "--format", "json", *how)
    ok(r.status == 0 and json.loads(r.text)["rows"] == [loop, hot], "by " + " ".join(how), r)
r = run("loop", "-q", "--no-index-write", "-c", ".push focus read", "-c", ".mode csv", "-c", "overview", "-c", "top 1 | show fn")
ok(r.status == 0 and r.text.splitlines()[-1] == "read", "after a filter, and queries after it", r)
r = run("loop", "base=rec", "-q", "--no-index-write", "overview")
ok(r.status == 0 and ".run n-plus-one" in r.text, "as the last word, after two profiles", r)
for word, instead in ("tree", "calltree"), ("diff", "functions vs base"), ("hot", "top"):
    r = run("loop", "base=rec", "-q", "--no-index-write", word)
    ok(r.status == 1 and "here that is: " + instead in r.talk, "  %s: what it is here" % word, r)
r = run("loop", "-q", "--no-index-write", "-c", "overview | take 1")
ok(r.status and "each finding has a query, whose rows stages take" in r.talk, "stages take the rows of a finding", r)
r = run("-q", "-c", "overview")
ok(r.status and "no profile is open" in r.talk, "without a profile", r)
r = run("lua.out", "-q", "--no-index-write", "-c", "overview", "--format", "md")
ok("| `cycle` |" in r.text and "`.run small-hot`" in r.text, "as md", r)
if built():
    client = Client("--no-index-write", "lua.out")
    for query in ("overview", ".overview"):
        answer = client.ask(query)
        ok("39 functions, opened without docall" in answer, "MCP: " + query, answer)
# The program alone has the queries that ship.
os.makedirs("bin")
shutil.copy(quern, "bin/alone")
whole = run("lua.out", "--no-index-write", "-q", "-c", "overview")
r = run("lua.out", "--no-index-write", "-q", "-c", "overview", program=("bin/alone",))
ok(not r.status and ".run" in r.text and r.text == whole.text, "overview by a program that is copied elsewhere", r)
done()
