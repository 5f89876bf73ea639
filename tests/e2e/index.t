#!/usr/bin/env python3
"""index.t - read an index as index/FORMAT.md describes it, and compare with quern's answers.

mdb_dump (lmdb-utils) opens the LMDB file; everything above that is read here, without a line
of quern's own code.
"""
import json
import os
import re
import shutil
import struct
import subprocess

from e2e import HUNG, done, environ, ok, run, same, skip_all, small

if not shutil.which("mdb_dump"):
    skip_all("mdb_dump is not installed (lmdb-utils)")

with open(os.path.join(os.path.dirname(__file__), "../../index/FORMAT.md")) as text:
    described = int(re.search(r"^Version (\d+)\.", text.read(), re.M).group(1))


def dump(path):
    """{(table, event): [payload of each block]}, headers checked."""
    p = subprocess.run(["mdb_dump", "-n", path], env=environ, stdout=subprocess.PIPE, timeout=HUNG)
    lines = p.stdout.decode("ascii").split("HEADER=END\n")[1].split("DATA=END")[0].split()
    tables, wrong = {}, 0
    for key, value in zip(lines[::2], lines[1::2]):
        key, value = struct.unpack(">HHI", bytes.fromhex(key)), bytes.fromhex(value)
        magic, table, event, block, rows, size = struct.unpack("<4sHHIIQ", value[:24])
        wrong += magic != b"QURN" or (table, event, block) != key or size > len(value) - 32
        tables.setdefault(key[:2], []).append((rows, value[32:32 + size]))
    return tables, wrong


def unzigzag(z):
    return z >> 1 ^ -(z & 1)


class Packed:
    def __init__(self, data, at=0):
        self.data, self.at = data, at

    def number(self):
        value = shift = 0
        while True:
            byte = self.data[self.at]
            self.at += 1
            value |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                return value

    def signed(self):
        return unzigzag(self.number())

    def sized(self):
        first = self.data[self.at]
        n = first & 7
        bytes_of = self.data[self.at:self.at + 1 + (8 if n == 7 else n)]
        self.at += len(bytes_of)
        return int.from_bytes(bytes_of[1:] if n == 7 else bytes_of, "little") >> (0 if n == 7 else 3)

    def text(self):
        n = self.number()
        self.at += n
        return self.data[self.at - n:self.at]


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


def meta(tables):
    rows, data = tables[(1, 0)][0]
    p = Packed(data)
    m = {"version": rows, "inputs": []}
    for _ in range(p.number()):
        m["inputs"].append((p.text(), [p.number() for _ in range(6)], [p.number() for _ in range(6)],
                           p.text(), [(p.number(), p.text()) for _ in range(p.number())]))
    m["profile"], m["creator"], m["cmd"] = p.text(), p.text(), p.text()
    for name in ("built input_bytes input_lines functions edges cycles members parts objects files names pairs "
                 "lines callsites jumps diagnostics tree contexts activations lost lost_file lost_line lost_many groups events all_events line instr saturated truncated totals summaries levels loose").split():
        m[name] = p.number()
    m["event"] = []
    for _ in range(m["all_events"]):
        event = [p.text(), p.text(), p.text(), p.number(), p.number()]
        factors = [p.signed() for _ in range(m["events"])] if event[4] else None
        m["event"].append((event[0].decode(), factors))
    m["total"] = [p.number() for _ in range(m["events"])]
    return m, p.at == len(data)


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
    r = run(path, "-q", "--format", "json", "-c", query)
    a = json.loads(r.text)
    return [dict(zip(a["columns"], row)) for row in a["rows"]]


for name in ("lua-instr-jumps.out", "tmpl-cachebranch.out", "clreq-combine.out"):
    shutil.copy(small + name, name)
    functions = answer(name, "functions | sort id asc")
    tables, wrong = dump(name + ".quern")
    same(wrong, 0, name + ": every value has its header")
    m, whole = meta(tables)
    ok(whole and m["version"] == described, name + ": meta is read to its end", m)
    same(m["inputs"][0][0].decode(), os.path.abspath(name), name + ": of this profile")
    info = answer(name, "info")[0]
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
    calls = answer(name, "calls | sort caller_id asc, callee_id asc")
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
    want = answer(name, "%s of #%d | show file, line, self" % ("instrs" if m["instr"] else "lines", hot))
    got = lines(tables, m, hot)
    same((sum(c[0] for _, _, _, c in got), sorted((files[f].decode(), line, c[0]) for f, _, line, c in got)),
         (functions[hot]["self"], sorted((w["file"], w["line"], w["self"]) for w in want)), name + ": cost lines")
    for i in range(m["parts"] if m["parts"] > 1 else 0):
        fns, edges = part(tables, m, i)
        want = [(f["id"], f["self"]) for f in answer(name, "part %d | functions | where self > 0 | sort id asc" % (i + 1))]
        same(sorted((f, c[0]) for f, c in fns if c[0]), want, "%s: functions of part %d" % (name, i + 1))
        want = [(c["caller_id"], c["callee_id"], c["calls"], c["incl"]) for c in
                answer(name, "part %d | calls | sort caller_id asc, callee_id asc" % (i + 1))]
        got = [(column(tables, 19)[e], column(tables, 20)[e], *n[:2]) for e, n in sorted(edges)]
        same(got, want, "%s: edges of part %d" % (name, i + 1))
done()
