#!/usr/bin/env python3
"""grows.t - a file that has grown: its new end alone is read, and the index is that of the whole.

Parts of real files are appended to the parts before them; the index is compared with one that is
made at once, byte by byte.  Where the old end has changed, or the new one begins in the middle of a
part, the file is read from its start.
"""
import os
import re
import shutil

import index_file
from e2e import done, ok, run, same, skip_all, small

if not shutil.which("mdb_dump"):
    skip_all("mdb_dump is not installed (lmdb-utils)")

NEW = b"==== NEW PROFILING FILE ==============================================\n"


def write(path, data, how="wb"):
    with open(path, how) as f:
        f.write(data)


def index(path):
    """What an index of the file says, and whether the start of the file was kept."""
    r = run(path, "-c", "info | show parts")
    tables, _ = index_file.dump(path + ".quern")
    m, _ = index_file.meta(tables)
    inputs = [(name, stat[:3] + stat[5:]) + tuple(more) for name, stat, *more in m["inputs"]]
    return (sorted(tables.items())[1:], dict(m, built=0, inputs=inputs)), "its new end alone" in r.talk, r


def forget(path):
    for name in (path + ".quern",):
        if os.path.exists(name):
            os.unlink(name)


def grown(name, pieces, kept=True):
    """Index the first pieces, append the others one by one."""
    write("p.out", pieces[0])
    forget("p.out")
    run("p.out", "-q", "-c", "top 1")
    for i, piece in enumerate(pieces[1:], 1):
        write("p.out", piece, "ab")
        got, was_kept, r = index("p.out")
        ok(was_kept == (kept if isinstance(kept, bool) else kept[i - 1]), "%s, piece %d: what is kept" % (name, i), r)
        forget("p.out")
        want, _, _ = index("p.out")
        same(got, want, "%s, piece %d: the index of the whole" % (name, i))


def cut(data):
    """The first two parts, then each one."""
    at = [m.end() for m in re.finditer(rb"(?m)^totals: .*\n", data)][1:-1]
    return [data[a:b] for a, b in zip([0] + at, at + [len(data)])]


# ------------------------------------------------- real files
for name in ("clreq-combine.out", "tmpl-multipart-combine.out", "thr-septhreads-combine.out", "thr-septhreads-combine-bb.out"):
    data = open(small + name, "rb").read()
    pieces = cut(data)
    if len(pieces) > 1:
        grown(name, pieces)
data = open(small + "xdebug-append-different-scripts.out", "rb").read()
at = [m.start() for m in re.finditer(rb"(?m)^==== NEW", data)]
grown("Xdebug's append mode", [data[:at[-1]], data[at[-1]:]])

# ------------------------------------------------- by hand
HEAD = b"version: 1\ncreator: callgrind-3.19.0\npid: 1\ncmd: ./a\npart: 1\npositions: line\nevents: Ir Dr\n\n"
FIRST = HEAD + b"fl=(1) a.c\nfn=(1) main\n1 5 1\ncfn=(2) f\ncalls=1 7\n2 9 2\nfn=(2)\n7 9 2\ntotals: 14 3\n"
SECOND = b"part: 2\n\nfl=(1)\nfn=(2)\n7 1 1\n8 2 2\ntotals: 3 3\n"
THIRD = b"part: 3\nfl=(1)\nfn=(3) g\n9 4 4\ncfn=(1)\ncalls=2 1\n9 3 3\nfn=(1) renamed\n1 2 2\ntotals: 6 6\n"
BOTH = FIRST + b"\n" + SECOND
grown("ids of parts before", [BOTH, THIRD, THIRD.replace(b"part: 3", b"part: 4")])
grown("blank lines between", [BOTH, b"\n\n" + THIRD])
grown("another event", [BOTH, b"part: 3\nevents: Dr Ir Dw\nfl=(1)\nfn=(2)\n7 1 2 3\ntotals: 1 2 3\n"])
grown("other columns before the end", [BOTH + b"part: 3\nevents: Dr Ir\nfl=(1)\nfn=(2)\n7 1 2\n", THIRD], False)
grown("an event: line before", [b"event: A B : x\n" + BOTH, b"part: 3\nevents: A B\nfl=(1)\nfn=(2)\n7 1\ntotals: 1\n"])
grown("an event: line behind", [BOTH, b"part: 3\nevent: A B : x\nevents: A B\nfl=(1)\nfn=(2)\n7 1\ntotals: 1\n"])
grown("other positions", [BOTH, b"part: 3\npositions: instr line\nfl=(1)\nfn=(2)\n0x10 7 1 1\ntotals: 1 1\n"])
grown("without its totals:", [BOTH, b"part: 3\nfl=(1)\nfn=(2)\n7 1 1\n"], False)
grown("more of the same part", [BOTH, b"fn=(1)\n1 2 2\n"], False)
grown("cut off in a part", [BOTH[:-25], BOTH[-25:] + THIRD], False)
grown("a header line without its part", [BOTH, b"desc: x\npart: 3\nfl=(1)\nfn=(2)\n7 1 1\n"], False)
grown("a part that cannot be read", [BOTH, b"part: 3\nfl=(1)\nfn=(2)\nx y z\n7 1 1\ntotals: 1 1\n"])
grown("one part", [FIRST, b"\n" + SECOND], False)
MANY = b"part: 2\n\nfl=(1)\nfn=(2)\n" + b"7 1 1\n" * 3000000 + b"totals: 3000000 3000000\n"
grown("18 MB, which two threads hash", [FIRST + b"\n" + MANY, THIRD])

# ------------------------------------------------- what was there has changed
write("p.out", BOTH)
forget("p.out")
run("p.out", "-q", "-c", "top 1")
write("p.out", BOTH.replace(b"1 5 1", b"1 6 1") + THIRD)
got, was_kept, r = index("p.out")
ok(not was_kept, "a changed byte before the old end: all is read", r)
r = run("p.out", "-q", "--format", "csv", "-c", "lines of main | where line = 1 | show line, Ir")
ok("1,6" in r.text, "and the changed cost is there", r)
LARGE = FIRST + b"\n" + MANY
for at in (len(LARGE) // 3, len(LARGE) - 60):
    write("p.out", LARGE)
    forget("p.out")
    run("p.out", "-q", "-c", "top 1")
    at = LARGE.index(b"7 1 1", at)
    write("p.out", LARGE[:at] + b"8 1 1" + LARGE[at + 5:] + THIRD)
    got, was_kept, r = index("p.out")
    ok(not was_kept, "a changed byte at %d of 18 MB" % at, r)
done()
