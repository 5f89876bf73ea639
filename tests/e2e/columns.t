#!/usr/bin/env python3
"""columns.t - each column that there is, asked of each source, in whole profiles and behind stages.

A source has the column, or the error says that it has not; nothing ends the program.
"""
import re

from e2e import done, ok, run

columns = re.findall(r"^  (\S+)  +\S", run("-c", ".help columns").text, re.M)
ok(len(columns) > 60, "the columns are found", columns)
SOURCES = ("functions", "calls", "callers of {f}", "callees of {f}", "callsites of {f}", "lines of {f}", "source of {f}", "instrs of {f}",
           "jumps of {f}", "calltree from {f}", "paths to {f}", "path from {m} to {f}", "cost of {f}", "cost of {f} under {m}", "contexts", "causes of {f}",
           "parts", "parts of {f}", "threads", "objects", "files", "dirs", "classes", "cycles", "events", "activations of {f}", "timeline", "inlined of {f}",
           "info {f}", "info", "profiles", "why", "functions vs base", "calls vs base", "lines of {f} vs base", "events vs base")
STAGES = {"callgrind": ("hide {f} | ", "focus {f} | ", "part 1 | ", "collapse by object | "),
          "xdebug": ("hide {f} | ", "between 10% and 60% | ", "activation 1 of {f} | ", "focus {f} | ")}
CALLGRIND = """creator: callgrind-3.20.0
positions: instr line
events: Ir Dr
ob=/bin/p
fl=a.c
fn=main
0x10 1 5 1
cfn=work
calls=3 0x40 7
0x14 2 90 9
jcnd=1/3 0x10 1
0x18 2
fn=work
0x40 7 60 6
cfn=work
calls=2 0x40 7
0x44 8 50 5
cfn=leaf
calls=4 0x60 12
0x48 9 30 3
fn=leaf
0x60 12 30 3
part: 2
fn=main
0x10 1 5 1
"""
XDEBUG = """version: 1
creator: xdebug 3.2.0 (PHP 8.2.35)
cmd: /a.php
part: 1
positions: line

events: Time_(10ns) Memory_(bytes)

fl=(1) /a.php
fn=(1) leaf
3 10 0

fl=(1)
fn=(2) work
2 20 8
cfl=(1)
cfn=(1)
calls=1 0 0
5 10 0

fl=(1)
fn=(2)
2 20 8

fl=(1)
fn=(3) {main}
1 50 0
cfl=(1)
cfn=(2)
calls=1 0 0
6 30 8
cfl=(1)
cfn=(2)
calls=1 0 0
7 20 8

summary: 100 16
"""
for kind, text, m in (("callgrind", CALLGRIND, "main"), ("xdebug", XDEBUG, '"{main}"')):
    with open(kind + ".out", "w") as f:
        f.write(text)

    def ask(queries):
        r = run(kind + ".out", "base=" + kind + ".out", "-q", "--keep-going", "--format", "ndjson", stdin="\n".join(queries).encode())
        return r, [line.split(":", 1)[0] for line in r.text.splitlines() if line[:1] == "{"]

    has = {}
    for source in SOURCES:
        asked = source.format(f="work", m=m)
        has[source] = []
        r, _ = ask("%s | show %s | take 1" % (asked, c) for c in columns)
        said = re.findall(r"^  .* \| show (\S+) \| take 1$", r.talk, re.M)
        has[source] = [c for c in columns if c not in said]
        ok(r.status in (0, 1), "%s: %s: each column" % (kind, asked), "status %d\n%s" % (r.status, r.talk[-600:]))
    for stage in STAGES[kind]:
        r, _ = ask((stage + source + " | show " + ", ".join(has[source])).format(f="work", m=m) for source in SOURCES if has[source])
        ok(r.status in (0, 1), "%s: %sall of all sources" % (kind, stage), "status %d\n%s" % (r.status, r.talk[-600:]))
    lacks = set(columns) - set(sum(has.values(), []))
    ok(len(lacks) < len(columns) / 4, "%s: most columns are asked" % kind, sorted(lacks))
done()
