#!/usr/bin/env python3
"""index.t - read an index as index/FORMAT.md describes it, and compare with quern's answers.

mdb_dump (lmdb-utils) opens the LMDB file; everything above that is read here and in
index_file.py, without a line of quern's own code.
"""
import hashlib
import json
import os
import re
import shutil
import struct

from e2e import done, ok, run, same, skip_all, small
from index_file import Packed, dump, meta, unzigzag

if not shutil.which("mdb_dump"):
    skip_all("mdb_dump is not installed (lmdb-utils)")

with open(os.path.join(os.path.dirname(__file__), "../../index/FORMAT.md")) as text:
    described = int(re.search(r"^Version (\d+)\.", text.read(), re.M).group(1))


def column(tables, table, event=0):
    """Groups of 64 rows, each with a base and as wide as its rows need."""
    got, narrowest = [], True
    for rows, payload in tables.get((table, event), []):
        words = [w[0] for w in struct.iter_unpack("<Q", payload)]
        groups = (rows + 63) // 64
        for i in range(groups):
            start, width, base = words[i] & 0xffff, words[i] >> 16 & 127, words[i] >> 23
            n = min(64, rows - 64 * i)
            bits = sum(w << 64 * k for k, w in enumerate(words[groups + start:groups + start + width]))
            items = 1
            while 64 // items * width > 64:
                items *= 2
            group = [base + (bits >> k % items * (64 // items * width) + k // items * width & (1 << width) - 1)
                     for k in range(64)]
            narrowest &= (base == min(group[:n]) and width == (max(group) - base).bit_length() and
                          set(group[n:]) <= {base})
            got += group[:n]
    ok(narrowest, "column %d is as wide as it has to be" % table)
    return got


def strings(tables, table):
    out = []
    for rows, data in tables[(table, 0)]:
        offset = struct.unpack("<%dI" % (rows + 1), data[:4 * (rows + 1)])
        out += [data[a:b] for a, b in zip(offset, offset[1:])]
    return out


def costs(p, events):
    """Of a row: all of up to two, else those that a number of bits for each 63 says are not 0."""
    if events <= 2:
        return [p.number() for _ in range(events)]
    got = []
    for first in range(0, events, 63):
        mask = p.number()
        got += [p.number() if mask >> e & 1 else 0 for e in range(min(63, events - first))]
    return got


def lines(tables, m, function):
    """[(file, instr, line, costs)] of a function."""
    place = column(tables, 29)[function]
    p = Packed(tables[(32, 0)][place >> 18][1], place & 0x3ffff)
    out, file, left = [], 0, p.number()
    while left:
        file += p.signed()
        instr = line = 0
        cost = None
        for _ in range(p.number()):
            head = p.data[p.at]
            p.at += 1
            first = p.number() if head >> 2 == 63 else head >> 2
            if m["instr"]:
                instr += first
                line += p.signed() if m["line"] and not head & 2 else 0
            else:
                line += unzigzag(first)
            cost = cost if head & 1 else costs(p, m["events"])
            out.append((file, instr, line, cost))
            left -= 1
    return out


def part_rows(p, width):
    """[(id, numbers)] of a part's functions or edges."""
    ids, at = [], 0
    for _ in range(p.number()):
        at += p.signed()
        ids.append(at)
    end = p.number()
    end += p.at
    got = [(i, [p.sized() for _ in range(width)]) for i in ids]
    same(p.at, end, "a part's numbers are as long as they say")
    return got


def part(tables, m, i):
    """A part's functions and edges."""
    place = column(tables, 39)[i]
    p = Packed(tables[(40, 0)][place >> 18][1], place & 0x3ffff)
    return part_rows(p, m["events"]), part_rows(p, m["events"] + 1)


def answer(path, query):
    r = run(path, "-q", "--rebuild", "--format", "json", "-c", query)
    a = json.loads(r.text)
    return [dict(zip(a["columns"], row)) for row in a["rows"]]


for name in ("lua-instr-jumps.out", "tmpl-cachebranch.out", "clreq-combine.out"):
    shutil.copy(small + name, name)
    functions = answer(name, "contexts | functions | sort id asc")
    tables, wrong = dump(name + ".quern")
    same(wrong, 0, name + ": every value has its header")
    m, whole = meta(tables)
    ok(whole and m["version"] == described, name + ": meta is read to its end", m)
    same(m["inputs"][0][0].decode(), os.path.abspath(name), name + ": of this profile")
    info = answer(name, "contexts | info")[0]
    for key in "functions edges cycles parts lines callsites jumps diagnostics input_bytes input_lines".split():
        same(m[key], info[key], "%s: %s" % (name, key))
    events = answer(name, "events")
    same([e for e, _ in m["event"]], [e["name"] for e in events], name + ": events")
    same([sum(f * t for f, t in zip(factors, m["total"])) if factors else m["total"][i]
          for i, (_, factors) in enumerate(m["event"])], [e["total"] for e in events], name + ": totals")
    names, files, objects = strings(tables, 5), strings(tables, 4), strings(tables, 3)
    for i, table in enumerate((names, files, objects)):
        same(table, sorted(set(table)), name + ": strings are sorted, each once")
    fn_name, fn_file, fn_obj = column(tables, 6), column(tables, 7), column(tables, 8)
    same([(names[a].decode(), files[b].decode(), objects[c].decode()) for a, b, c in zip(fn_name, fn_file, fn_obj)],
         [(f["fn"], f["file"], f["obj"]) for f in functions], name + ": identities")
    same([column(tables, 12), column(tables, 13), column(tables, 11)],
         [[f[k] for f in functions] for k in ("self", "incl", "calls")], name + ": costs and calls")
    same([column(tables, 9)], [[f["cycle"] or 0 for f in functions]], name + ": cycles")
    rank = column(tables, 14)
    same([functions[i]["self"] for i in rank], sorted((f["self"] for f in functions), reverse=True),
         name + ": rank by self cost")
    calls = answer(name, "contexts | calls | sort caller_id asc, callee_id asc")
    same(list(zip(column(tables, 19), column(tables, 20), column(tables, 22), column(tables, 23))),
         [(c["caller_id"], c["callee_id"], c["calls"], c["incl"]) for c in calls], name + ": edges")
    out_first, in_first, in_edge = column(tables, 17), column(tables, 18), column(tables, 21)
    ok(all(column(tables, 19)[e] == f for f in (0, rank[0]) for e in range(out_first[f], out_first[f + 1])) and
       all(column(tables, 20)[in_edge[k]] == f for f in (0, rank[0]) for k in range(in_first[f], in_first[f + 1])) and
       out_first[-1] == in_first[-1] == len(calls), name + ": adjacency")
    cycle, place = column(tables, 9), {f: i for i, f in enumerate(column(tables, 16))}
    ok(all(place[c["caller_id"]] <= place[c["callee_id"]] or c["recursive"] for c in calls),
       name + ": callers come first")
    hot = rank[0]
    want = answer(name, "contexts | %s of #%d | show file, line, self" % ("instrs" if m["instr"] else "lines", hot))
    got = lines(tables, m, hot)
    same((sum(c[0] for _, _, _, c in got), sorted((files[f].decode(), line, c[0]) for f, _, line, c in got)),
         (functions[hot]["self"], sorted((w["file"], w["line"], w["self"]) for w in want)), name + ": cost lines")
    for i in range(m["parts"] if m["parts"] > 1 else 0):
        fns, edges = part(tables, m, i)
        want = [(f["id"], f["self"]) for f in answer(name, "contexts | part %d | functions | where self > 0 | sort id asc" % (i + 1))]
        same(sorted((f, c[0]) for f, c in fns if c[0]), want, "%s: functions of part %d" % (name, i + 1))
        want = [(c["caller_id"], c["callee_id"], c["calls"], c["incl"]) for c in
                answer(name, "part %d | calls | sort caller_id asc, callee_id asc" % (i + 1))]
        got = [(column(tables, 19)[e], column(tables, 20)[e], *n[:2]) for e, n in sorted(edges)]
        same(got, want, "%s: edges of part %d" % (name, i + 1))

# ---- what an index holds changes with its version
# The version, and what indexes of it have for two profiles: no paths, times or numbers of files.
LAYOUT = (25, '227962e6c4c55a85')
with open("some.out", "w") as f:
    f.write("""version: 1
creator: callgrind-3.19
pid: 1
cmd: ./a b
part: 1
thread: 1
desc: Trigger: one
positions: instr line
events: Ir Dr
event: Sum = Ir + 2 Dr : both
summary: 42 9
ob=(1) a
fl=(1) a.c
fn=(1) main
0x10 3 5 1
cfni=g
+4 +1 2
cfni=???
fi=(2) a.h
+4 9 1
fe=(1)
cob=(2) lib
cfi=(3) f.c
cfn=(2) f
calls=2 0x40 7
0x18 4 34 8
jump=3 0x10 3
0x1c 4
jcnd=1/2 0x10 3
0x1c 4

fl=(3)
ob=(2)
fn=(2)
0x40 7 10 3
cfn=(3) f'2
calls=1 0x40 7
0x44 8 24 5

fn=(3)
0x40 7 24 5

totals: 42 9

part: 2
desc: Timerange: Basic block 5 - 9
events: Dr
ob=(1)
fl=(1)
fn=(1)
0x10 3 4
no line
totals: 4
""")
shutil.copy(small + "xdebug-small.out", "trees.out")
kept = []
for name in ("some.out", "trees.out"):
    answer(name, "events")
    tables, _ = dump(name + ".quern")
    m, _ = meta(tables)
    del m["built"], m["profile"]
    m["inputs"] = [(numbers[2], numbers[5], *rest) for _, numbers, *rest in m["inputs"]]
    kept.append((m, sorted(tables.items())[1:]))
held = m["version"], hashlib.sha256(repr(kept).encode()).hexdigest()[:16]
if held[0] == LAYOUT[0]:
    same(held, LAYOUT, "an index of the same version holds the same: else INDEX_VERSION (format/tables.h, FORMAT.md) is one more, "
         "and the line LAYOUT of this test says so")
else:
    same(held, LAYOUT, "a new INDEX_VERSION: the line LAYOUT of this test says what its indexes hold")
done()
