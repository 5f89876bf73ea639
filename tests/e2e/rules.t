#!/usr/bin/env python3
"""rules.t - rules of index/lines/PROFILE.md by which a wrong number would be shown without a word.

Each profile is small, and written as its producer writes it; `say` is what is said of it.
"""
from e2e import done, ok, run, same, write_bytes

CSV = ("--no-index-write", "--format", "csv")


def answers(name, text, query, want, *say, args=()):
    """The rows of a query, without the heading; and each of `say` is on stderr."""
    told = run(*CSV, *args, write_bytes("in.out", text.encode()), "-c", query)
    same(told.text.splitlines()[1:], want, name)
    for s in say:
        ok(s in told.talk, "%s: it says %r" % (name, s), told)
    if not say:
        ok("odd lines" not in told.talk, "%s: nothing is odd" % name, told)


# ---- positions: each word is a column ----

QT = """positions: addr line
events: Ir
fn=main
0x10 1 5
+4 +1 7
cfn=f
calls=1 0x40 9
* * 20
fn=f
0x40 9 20
totals: 32
"""
answers("positions: addr is instr", QT, "functions | show fn, self, incl", ["f,20,20", "main,12,32"])
answers("its addresses", QT, "lines of main | sort line asc | show line, self", ["1,5", "2,7"])
answers("a word that is not known is a column", QT.replace("addr", "memAddr"),
        "functions | show fn, self, incl", ["f,20,20", "main,12,32"], "odd lines, skipped or mended: 1")
answers("line before instr", "positions: line instr\nevents: Ir\nfn=f\n7 0x10 3\n+1 +4 4\n",
        "lines of f | sort line asc | show line, self", ["7,3", "8,4"])

# ---- a callee without a block: what flows in is its self cost ----

YAPPI = """version: 1
creator: yappi
pid: 4712
cmd:  worker.py
part: 1

events: Ticks

fl=(0) /app/worker.py
fn=(0) run
fn=(1) decode

fl=(0)
fn=(0)
10 4000
cfl=(0)
cfn=(1)
calls=200 332
10 30000
cfl=(1887)
cfn=(1887)
calls=7 88
10 900000

fl=(0)
fn=(1)
332 30000
"""
answers("a callee that the file does not define", YAPPI, "functions | sort self desc | show fn, calls, self, incl",
        ["(1887),7,900000,900000", "decode,200,30000,30000", "run,0,4000,934000"], "odd lines")
answers("that it is known by calls only can be asked", YAPPI, "functions | where calls_only | show fn, calls_only",
        ["(1887),true"], "odd lines")
answers("a group of functions is none", YAPPI, "collapse by file | functions | where calls_only | count", ["0"], "odd lines")
with open("only.out", "w") as f:
    f.write(YAPPI)
for query, want in (("top", True), ("functions of decode", False), ('info "(1887)"', False)):
    shown = run("only.out", "-q", "-c", query)
    ok(("calls_only" in shown.text) == want and ("known by these calls only" in shown.text) == query.startswith("info"),
       query + ": calls_only where it is true", shown)
answers("it counts in the total", YAPPI, "parts | show self", ["934000"], "odd lines")
answers("and its cost is at no line", YAPPI, "lines | where self > 500000 | show file, line, self",
        ["(1887),,900000"], "odd lines")
PARTS = YAPPI + "part: 2\nfl=(0)\nfn=(0)\n10 1\ncfl=(1887)\ncfn=(1887)\ncalls=1 88\n10 5\n"
answers("in each part", PARTS, "parts | show part, self", ["1,934000", "2,6"], "odd lines")
answers("its lines in a part", PARTS, "part 2 | lines | show file, line, self", ["(1887),,5", "/app/worker.py,10,1"],
        "odd lines")
run("in.out", "--rebuild", "-c", "top")
told = run("in.out", "--verify")
ok(told.status == 0, "the index holds what it says", told)
answers("callgrind's own file has a block for each cost", YAPPI.replace("yappi", "callgrind-3.19.0"),
        "functions | where fn = \"(1887)\" | show self, incl", ["0,0"], "odd lines")
PPROF = """events: Hits
fl=a.cc
fn=main
1 5
cfl=a.cc
cfn=unsigned long fill[inline]
calls=8 3
1 8
fl=a.cc
fn=unsigned
3 8
"""
answers("google-pprof cuts the names of blocks at their first blank", PPROF, "functions | sum | show self", ["13"])

TWO = """events: Ticks
fl=a
fn=f
1 5
fl=b
fn=f
1 7
fl=c
fn=main
1 1
cfn=f
calls=1
2 5
"""
answers("one of two functions", TWO, "functions | show fn, file, self", ["f,b,7", "f,a,5", "main,c,1", "f,c,0"])

# ---- fl= after fn= ----

answers("fl= after fn= is the file of that function",
        "events: Ir\nfl=main.c\nfn=main\n10 7\nfn=build\nfl=b.c\n3 5\n",
        "functions | show fn, file, self", ["main,main.c,7", "build,b.c,5"])
answers("fl= after a line does not end the function", "events: Ir\nfl=a.c\nfn=main\n10 7\nfl=b.c\n3 5\n",
        "functions | show fn, file, self", ["main,a.c,12"])
answers("nor does one after a call", "events: Ir\nfl=a.c\nfn=main\ncfn=f\ncalls=1\n10 7\nfl=b.c\n3 5\n",
        "functions | show fn, file, self", ["f,a.c,7", "main,a.c,5"])
answers("ob= and fl= after fn=", "events: Ir\nob=x\nfl=a.c\nfn=main\n10 7\nfn=g\nob=y\nfl=b.c\n2 9\ncfn=main\ncalls=1\n3 5\n",
        "functions | show fn, file, obj, self", ["g,b.c,y,9", "main,a.c,x,7", "main,b.c,y,5"])

# ---- cfn= without calls= ----

MALT = """version: 1
creator: MALT-1.2.2
positions: line
events: AllocCount AllocSum

ob=/app
fl=a.c
fn=main
5 1 10

cob=/app
cfl=a.c
cfn=make
6 4 400

ob=/app
fl=a.c
fn=make
20 4 400
"""
answers("MALT writes calls without calls=", MALT, "functions by AllocSum | show fn, calls, self, incl",
        ["make,,400,400", "main,,10,410"])
answers("they are calls", MALT, "callsites by AllocSum | show caller, callee, line, incl", ["main,make,6,400"])
answers("beside calls= a cfn= alone is nothing", MALT + "cfn=main\ncalls=2 5\n21 3 30\n",
        "functions by AllocSum | show fn, calls, self", ["main,2,410", "make,0,400"], "odd lines, skipped or mended: 1")
answers("after calls=, too",
        "events: Ir\nfl=a\nfn=main\n1 1\ncfn=f\ncalls=1 9\n2 5\ncfi=b\ncfn=g\n3 7\ncfn=f\ncalls=1 9\n4 2\nfn=f\n9 7\n",
        "functions | show fn, file, calls, self, incl", ["main,a,0,8,15", "f,a,2,7,7"], "odd lines, skipped or mended: 1")

# ---- incomplete files ----

CUT, CACHEGRIND = "cut off", """desc: I1 cache:         32768 B, 64 B, 8-way associative
cmd: python -m pytest
events: Ir Dr
fl=/src/_base.c
fn=inverse_getitem
10 1000000 300000
fn=write
20 500000 100000
summary: 1500000 400000
"""


def whole(name, text, *said):
    told = run(*CSV, write_bytes("in.out", text.encode()), "-c", "info | show truncated")
    same(told.text.splitlines()[1:], ["true" if CUT in said else "false"], name)
    for s in said:
        ok(s in told.talk, "%s: it says %r" % (name, s), told)
    if not said:
        ok(CUT not in told.talk and "add up to" not in told.talk, name + ": it says nothing", told)


whole("cachegrind's summary: is the sum", CACHEGRIND)
whole("cachegrind, an entry is missing", CACHEGRIND.replace("20 500000 100000\n", ""),
      "its summary: says 1,500,000 Ir, its lines add up to 1,000,000")
whole("cachegrind, in the second event", CACHEGRIND.replace("20 500000 100000", "20 500000 99999"),
      "its summary: says 400,000 Dr, its lines add up to 399,999")
whole("cachegrind, cut before its summary:", CACHEGRIND.split("summary:")[0], CUT)
XDEBUG = """version: 1
creator: xdebug 3.2.0 (PHP 8.2.0)
cmd: /srv/app/run.php
part: 1
positions: line

events: Time_(10ns) Memory_(bytes)

fl=(1) php:internal
fn=(1) php::array_pop
63 340 744

fl=(2) /srv/app/run.php
fn=(3) {main}
1 5000 1200
cfl=(1)
cfn=(1)
calls=1 0 0
9 340 744

"""
whole("Xdebug's summary: is no sum", XDEBUG + "summary: 1 2\n")
whole("Xdebug without {main}", XDEBUG.split("fl=(2)")[0], CUT)
whole("Xdebug, the second script without {main}", XDEBUG + "==== NEW PROFILING FILE ====\n"
      + XDEBUG.split("fl=(2)")[0], CUT)
whole("Xdebug, uncompressed", (XDEBUG + "==== NEW PROFILING FILE ====\n" + XDEBUG).replace("(3) ", ""))
BY_HAND = "version: 1\ncreator: callgrind-3.22.0\ncmd: app\npositions: line\nevents: Ir\n%s\nfl=app.c\nfn=main\n1 100\n"
whole("by hand, without totals: and summary:", BY_HAND % "")
whole("by hand, with a summary: that is the sum", BY_HAND % "summary: 100")
whole("callgrind, cut before its totals:", BY_HAND % "summary: 101", CUT)
whole("callgrind, cut after the header of a further part", BY_HAND % "summary: 100" + "totals: 100\npart: 2\nevents: Ir\n", CUT)

# ---- nothing was collected ----

EMPTY = """# callgrind format
version: 1
creator: callgrind-3.19.0
pid: 13255
cmd:  ./a
part: 1

%sdesc: Trigger: Program termination

positions: line
events: Ir
summary: 0


totals: 0
"""
for timerange, said, other in (("desc: Timerange: Basic block 0 - 31001\n", "--toggle-collect", "--trace-children"),
                               ("desc: Timerange: Basic block 0 - 0\n", "--instr-atstart=no", "--toggle-collect"),
                               ("", "--trace-children", "--toggle-collect")):
    told = run(*CSV, write_bytes("in.out", (EMPTY % timerange).encode()), "-c", "top")
    ok("no function has any cost" in told.talk and said in told.talk and other not in told.talk,
       "an empty profile, %r: it says %s" % (timerange, said), told)

# ---- units ----

UNITS = "version: 1\ncreator: %s\npositions: line\nevents: %s\nfl=a.php\nfn=usleep\n7 %s\nfn={main}\n1 %s\n"
for creator, event, costs, total in (
        ("xdebug 2.9.8", "Time", (500000, 4000), "504 ms"),
        ("xdebug 3.0.4 (PHP 8.0.3)", "Time", (50000000, 400000), "504 ms"),
        ("xdebug 3.0.4 (PHP 7.4.15)", "Time_(\u00b5s)", (500000, 4000), "504 ms"),
        ("screeps", "ns", (15700318178, 0), "15.7 s"),
        ("yappi", "Ticks", (500000, 4000), "504 ms"),
        ("xhprof", "Time", (500000, 4000), "504 ms"),
        ("any", "event\nevent: event : time in microseconds", (500000, 4000), "504 ms")):
    path = write_bytes("in.out", (UNITS % ((creator, event) + costs)).encode())
    name = event.split("\n")[0].split("_(")[0]
    told = run("--no-index-write", "-q", path, "-c", "functions | where %s > 10ms | show fn | as csv" % name,
               "-c", "functions | sum | show self | as table")
    ok("usleep" in told.text and "{main}" not in told.text and total in told.text,
       "%s of %s is a time" % (name, creator), told)
for event in ("MemorySize", "Memory_Size_(bytes)"):
    path = write_bytes("in.out", (UNITS % ("memprof", event, 8388608, 3145728)).encode())
    told = run("--no-index-write", "-q", path, "-c", "functions | where self > 4MiB | show fn | as csv", "-c", "top | as table")
    ok("usleep" in told.text and "8.00 MiB" in told.text, event + " are bytes", told)

# ---- a file per thread, without thread: ----

THREAD = """version: 1
creator: %s
pid: 77
cmd:  dvc status
part: 1

events: Ticks

fl=(1) repo.py
fn=(1) status
10 %d
cfn=(2) walk
calls=3 20
10 %d

fn=(2)
20 %d
"""


def threads(creator, *costs):
    return [write_bytes("callgrind.dvc.Thread-%d.out" % i, (THREAD % (creator, cost, 2 * cost, 2 * cost)).encode())
            for i, cost in enumerate(costs)]


for again in "", " again":
    told = run("-q", *threads("yappi", 50, 10, 3), "--format", "csv", "-c", "functions | show fn, calls, self", "-c",
               "parts | show file, self")
    same(told.text.split(), ["fn,calls,self_us", "walk,9,126", "status,0,63", "file,self_us",
                             "callgrind.dvc.Thread-0.out,150", "callgrind.dvc.Thread-1.out,30",
                             "callgrind.dvc.Thread-2.out,9"], "files of one pid are the threads of a run" + again)
told = run("-q", *threads("yappi", 50, 10, 3, 7), "--format", "csv", "-c", "functions | sum | show self")
same(told.text.split(), ["self_us", "210"], "one more is added")
told = run("-q", "--no-index-write", *threads("yappi", 50, 10, 50), "-c", "top")
ok(told.status == 3 and "both hold part 1 of process 77" in told.talk, "but not one of equal contents", told)
told = run("-q", "--no-index-write", *threads("callgrind-3.19.0", 50, 10), "-c", "top")
ok(told.status == 3 and "both hold part 1 of process 77" in told.talk, "nor callgrind's, which numbers its dumps", told)

# ---- Xdebug's negative times ----

WRAPPED = XDEBUG.replace("63 340 744", "63 340 744\n\nfl=(1)\nfn=(9) f\n63 1844674407370955130 0")
told = run("-q", "--no-index-write", write_bytes("in.out", WRAPPED.encode()), "-c", "functions | sum | show self | as csv",
           "-c", "info | show diagnostics | as csv")
same(told.text.split(), ["self_10ns", "5309", "diagnostics", "0"], "(2^64 - n) / 10 is no time of 5,849 years")
done()
