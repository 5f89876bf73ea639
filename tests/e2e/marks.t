#!/usr/bin/env python3
"""marks.t - ~ marks the same frames in every format, and none whose cost is proven."""
import json
import re
import xml.etree.ElementTree as tree

from e2e import done, fixtures, ok, run, same, small

QUERIES = "calltree min 3%", "calltree from main depth 5 min 2%", "callers of {} depth 3 min 1%"
PROFILES = (
    (small + "tmpl-default.out", "malloc"), (small + "lua-default.out", "luaV_execute"), (small + "xdebug-small.out", "main"),
    (fixtures + "/truth/sqlite13.out.xz", "malloc"), (fixtures + "/truth/sqlite-parts.out.xz", "malloc"),
    (fixtures + "/truth/perl13.out.xz", "malloc"), (fixtures + "/callers/callers3.out", "leaf"), (fixtures + "/found/turns.cg", "/./"))


def ask(profile, query, form):
    return run(profile, "--index", "marks.quern", "-q", "--raw", "--color", "never", "-c", "%s | as %s" % (query, form)).text


def rows(doc):
    at = {c: i for i, c in enumerate(doc["columns"])}
    for r in doc["rows"]:
        yield {c: r[i] for c, i in at.items()}


def title(text):
    name, cost = text.split("\n")[:2]
    return name, cost.startswith("~")


for profile, fn in PROFILES:
    base = profile.rsplit("/", 1)[1]
    for query in (q.format(fn) for q in QUERIES):
        text = ask(profile, query, "json")
        if not text:
            continue        # it has no such function
        doc = json.loads(text)
        want = [(r["fn"], r["estimated"]) for r in rows(doc) if r["est"] is not None]
        ok(not [r for r in rows(doc) if r["estimated"] and r["lo"] == r["hi"] is not None], base + ": nothing proven is marked: " + query)
        table = ask(profile, query + " | show fn, est", "table").splitlines()
        marks = [bool(re.search(r" ~\S+( [kMGT]|( [num]?s))?$", l)) for l in table[1:1 + len(want)]]
        same(marks, [m for _, m in want], base + ": the table: " + query)
        page = ask(profile, query, "html")
        cells = re.findall(r'<td class="n( e)?" data-v="[^"]*">[^<]*</td><td class="n( e)?(?: w)?" data-v="[^"]*"[^>]*>[\d~.<&lt;]+%', page)
        same([bool(a) for a, _ in cells], [m for _, m in want], base + ": html: " + query)
        svg = tree.fromstring(ask(profile, query, "svg"))
        drawn = set(title(t.text) for t in svg.iter("{http://www.w3.org/2000/svg}title") if "\n" in (t.text or ""))
        same([d for d in drawn if d[0] in {n for n, _ in want} and d not in want], [], base + ": svg marks the same, where no frames are one: " + query)
        stacks = json.loads(ask(profile, query, "speedscope"))
        names = {f["name"] for f in stacks["shared"]["frames"]}
        own = {(r["fn"], r["estimated"]) for r in rows(doc) if r["self"] and r["est"] is not None}
        same([w for w in own if w[0] not in names], [], base + ": speedscope: " + query)

# .explain says what an estimate rests on.
for profile, query, want in (
        (small + "lua-default.out", "calltree", "contexts"), (fixtures + "/truth/sqlite13.out.xz", "calltree", "13 events, contexts"),
        (fixtures + "/truth/sqlite13.out.xz", "collapse by file | calltree", "13 events, contexts"),
        (fixtures + "/truth/sqlite13.out.xz", "collapse by file | path from sqlite3.c to malloc.c", "proportional"),
        (fixtures + "/truth/sqlite13.out.xz", "collapse sqlite3* as db | cost of malloc under db", "proportional"),
        (fixtures + "/truth/sqlite13.out.xz", "hide malloc | calltree", "contexts"),
        (fixtures + "/truth/sqlite-parts.out.xz", "calltree", "33 dumps, contexts"),
        (fixtures + "/truth/sqlite-parts.out.xz", "part 3 | calltree", "contexts"),
        (small + "xdebug-small.out", "calltree", "none, the stacks are measured"),
        (small + "yappi.callgrind", "calltree", "proportional")):
    r = run(profile, "--index", "explained.quern", "-q", "-c", ".explain " + query)
    same(re.findall("estimates: (.*)", r.text), [want], ".explain %s: %s" % (profile.rsplit("/", 1)[1], query))

# Roots have what no call brings, whatever the calls of others say.
for profile in ("sqlite13", "perl13", "sqlite-parts"):
    text = run(fixtures + "/truth/" + profile + ".out.xz", "--index", "roots.quern", "-q", "-c", "calltree max 6").text
    ok(text and "~" not in text, profile + ": the way to main is no estimate", text)

# 100 % after `ignore`, where text has ~.
def whole(profile, query, form):
    return run(profile, "--index", "marks.quern", "-q", "-c", "%s | as %s" % (query, form)).text


for profile, stages, want in (
        ("lua-default.out", "ignore luaD_precall", True), ("lua-default.out", "ignore luaD_precall | hide _dl_relocate_object", True),
        ("lua-default.out", "ignore luaD_precall | whole", False), ("lua-default.out", "focus luaD_precall", False),
        ("lua-default.out", "collapse by object", False), ("xdebug-small.out", "ignore /strrev/", False)):
    query = stages + " | functions"
    same('"total_estimated":true' in whole(small + profile, query, "json"), want, query + ": json")
    same(re.findall(r"^`.*, (\\~)?", whole(small + profile, query, "md"), re.M), ["\\~" if want else ""], query + ": md")
done()
