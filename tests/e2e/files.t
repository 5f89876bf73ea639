#!/usr/bin/env python3
"""files.t - what the files of many producers say, line by line: the right values of small ones.

Each is one of a kind that was read wrongly once.
"""
from e2e import done, ok, run, same, write_bytes


def ask(text, query, *more):
    """The rows of a query, as words of csv."""
    write_bytes("in.cg", text.encode())
    r = run("in.cg", "--no-index-write", "-q", "--format", "csv", *more, "-c", query)
    return r.text.replace("\r", "").split("\n")[1:-1]


# ---- fl= inside a function
KLEE = "creator: klee\npositions: instr line\nevents: I\nob=assembly.ll\n"
for name, text, want in (
        ("fl= inside a function does not end it, and is the file of the next",
         "fl=a.c\nfn=work\n10 5 5\nfl=inl.h\n11 20 3\nfl=a.c\n12 6 2\nfn=other\n20 30 1\n",
         ["work,a.c,10", "other,a.c,1"]),
        ("the next function is in the file that stands last",
         "fl=a.c\nfn=work\n10 5 5\nfl=b.c\n11 20 3\nfn=other\n20 30 1\n", ["work,a.c,8", "other,b.c,1"]),
        ("before and behind fn=: the first is the function's", "fl=a.c\nfn=work\nfl=inl.h\n10 5 5\n", ["work,a.c,5"]),
        ("behind fn= alone it is the function's", "fn=work\nfl=a.c\n10 5 5\nfn=other\nfl=b.c\n11 6 4\n",
         ["work,a.c,5", "other,b.c,4"]),
        ("of a function without lines it is the next one's",
         "fl=a.c\nfn=none\nfl=b.c\nfn=work\n10 5 5\n", ["work,b.c,5"]),
        ("without any fn= each file is one", "fl=a.c\n10 5 5\nfl=b.c\n10 6 4\n", ["???,a.c,5", "???,b.c,4"]),
        ("a function may have no name", "fl=a.c\nfn=\n10 5 5\nfl=b.c\n10 6 4\n", ["???,a.c,9"])):
    same(ask(KLEE + text, "functions | show fn, file, self"), want, name)
same(ask(KLEE + "fl=a.c\nfn=work\n10 5 5\nfl=inl.h\n11 20 3\ncfn=g\ncalls=1 9 9\n12 21 4\nfl=a.c\n13 6 2\nfn=g\n9 9 4\n",
         "lines of work | where self > 0 | show file, line, self"), ["a.c,5,5", "inl.h,20,3", "a.c,6,2"], "each line is in its file")

# ---- functions without lines
HEAD = "version: 1\nevents: ticks\n"
DISPATCH = ("fl=app.Main\nfn=main\n0 10\ncfl=app.Svc\ncfn=dispatch\ncalls=1 0\n0 90\n\n"
            "fl=app.Work\nfn=crunch\n0 90\n")
for name, text, total in (
        ("a writer leaves out functions without own cost: their callees have the lines", DISPATCH, "100"),
        ("so does summary: say", "summary: 100\n" + DISPATCH, "100"),
        ("or summary: says that the lines lack it", "summary: 190\n" + DISPATCH, "190"),
        ("two of them", DISPATCH.replace("0 10\n", "0 10\ncfl=app.Svc\ncfn=other\ncalls=1 0\n0 30\n") +
         "fl=app.Work\nfn=mill\n0 30\n", "130"),
        ("one that has callees with lines, one that has not",
         DISPATCH.replace("0 10\n", "0 10\ncfl=app.Svc\ncfn=native\ncalls=1 0\n0 20\n"), "120"),
        ("functions whose lines are missing", "fl=a\nfn=main\n0 10\ncfl=b\ncfn=sleep\ncalls=1 0\n0 90\n", "100"),
        ("in two threads", "fl=a\nfn=main\n0 10\ncfl=b\ncfn=sleep\ncalls=1 0\n0 40\nfl=c\nfn=thread\n0 60\n", "110"),
        ("pprof's [1/2] is the function itself",
         "fl=a\nfn=main\n0 10\ncfl=b\ncfn=f [1/2]\ncalls=0 0\n0 30\ncfl=b\ncfn=f [2/2]\ncalls=0 0\n0 5\nfl=b\nfn=f\n0 35\n", "45"),
        ("in another object, which is not said",
         "ob=x\nfl=a\nfn=main\n0 10\ncfl=b\ncfn=f\ncalls=0 0\n0 30\nob=y\nfl=b\nfn=f\n0 30\n", "40"),
        ("ErlTrace's f:1 is f/1", "fl=a\nfn=m:main/0\n0 10\ncfl=a\ncfn=m:f:1\ncalls=1 0\n0 1\nfl=a\nfn=m:f/1\n0 30\n", "40")):
    same(ask(HEAD + text, "events | show total"), [total], name)
same(ask(HEAD + "fl=a\nfn=main\n0 10\ncfl=b\ncfn=f [1/2]\ncalls=0 0\n0 30\nfl=b\nfn=f\n0 30\n", "calls | show caller, callee, incl"),
     ["main,f,30"], "its calls are calls of it")
NAMELESS = ("positions: instr line\nevents: cpu(ms)\n\nob=(1) busy\nfl=(1) busy.cpp\nfn=\n0x1000 11 12\n+16 12 30\n\n"
            "ob=(1)\nfl=\nfn=\n0x2000 0 0\ncfl=\ncfn=(4)  [1/4]\ncalls=0 0x3000 0\n* * 42\n\n"
            "ob=(2) libc.so.6\nfl=\nfn=\n0x3000 0 0\ncfl=(1)\ncfn=(3) main\ncalls=0 0x1000 11\n* * 42\n")
same(ask(NAMELESS, "events | show total"), ["42"], "pprof's callees without a name are no cost")
same(ask(NAMELESS, "functions | sort obj asc | show obj, file, self, incl"),
     ["busy,???,0,42", "busy,busy.cpp,42,42", "libc.so.6,???,0,42"], "  they are the blocks at the target")
# Of two objects without names, called from a third; relative addresses begin at the cost line before the caller's, as pprof writes them.
SAME = ("positions: instr line\nevents: cpu(ms)\npart: 1\nob=(1) a\nfl=\nfn=\n0x1000 0 5\nob=(2) b\nfl=\nfn=\n0x9000 0 7\n"
        "ob=(3) c\nfl=(1) c.c\nfn=(1) main\n0x5000 3 1\ncfl=\ncfn=%s\ncalls=0 %s 0\n* * 50\ncfl=\ncfn=%s\ncalls=0 %s 0\n* * 70\n")
for name, text in (
        ("counted", SAME % ("(2) [1/2]", "0x1000", "(3) [2/2]", "0x9000")),
        ("with one number", SAME % ("(2) [1/2]", "0x1000", "(2)", "0x9000")),
        ("without any", SAME % ("", "0x1000", "", "0x9000")),
        ("relative to pprof's base", SAME % ("", "-32768", "", "*")),
        ("relative to the format's", SAME.replace("0x5000 3 1", "0x5000 3 0\n* 3 1") % ("", "-16384", "", "+16384")),
        ("named by the caller alone", SAME % ("(2) f", "0x1000", "(3) g", "0x9000"))):
    same(ask(text, "calls | show callee, incl | sort incl"), ["???,70", "???,50"], "callees without names: " + name)
    same(ask(text, "functions | where fn = \"???\" | show obj, self, incoming | sort self"), ["b,7,70", "a,5,50"], "  are blocks")
two = "positions: instr line\nevents: cpu(ms)\npart: 1\nob=(3) c\nfl=(1) c.c\nfn=(1) main\n0x5000 3 2\n" + SAME.replace(
    "part: 1", "part: 2").replace("(3) c\nfl=(1) c.c\nfn=(1) main", "(3)\nfl=(1)\nfn=(1)") % ("", "0x1000", "", "0x9000")
write_bytes("parts.cg", two.encode())
r = run("parts.cg", "--no-index-write", "-q", "--format", "csv", "-c", "part 2 | callsites | show caller, callee, incl | sort incl",
        "-c", "part 2 | functions | show obj, self | sort self", "-c", "part 1 | functions | show obj, self")
ok(r.status == 0 and [x for x in r.text.split() if "," in x and x[-1].isdigit()] == ["main,???,70", "main,???,50", "b,7", "a,5", "c,1", "c,2"], "  in parts", r)
text = SAME.replace("fl=\nfn=\n", "fl=(2) t.h\nfn=(4) f\n", 1).replace("fl=\nfn=\n", "fl=(2)\nfn=(4)\n", 1).replace("cfl=\n", "cfl=(2)\n").replace("ob=(3) c", "ob=(1)")
same(ask(text % ("(5) f [1/2]", "0x1000", "(6) f [2/2]", "0x9000"), "functions | show fn, obj, self, incoming | sort incoming"),
     ["f,b,7,70", "f,a,5,50", "main,a,1,0"], "one name in two objects, one of them the caller's")
same(ask(SAME % ("", "0x1004", "", "0x9000"), "functions | where fn = \"???\" | show obj, self, incl | sort incl"), ["c,50,50", "b,7,7", "a,5,5"], "no block is there")

# ---- calls that nobody counted
RELI = ("events: Samples\nfl=a\nfn=run\n93 1\ncfl=b\ncfn=line\ncalls=%s\n94 7\nfl=b\nfn=line\n51 7\n"
        "fl=c\nfn=<main>\n3 2\ncfl=a\ncfn=run\ncalls=%s\n4 8\n")
for count in "-1 -1", "? 3", "0.5 3", "-5 10", "1e+06 2":
    same(ask(RELI % (count, count), "calls | sort caller | show caller, callee, calls, incl | sort incl asc"),
         ["run,line,,7", "<main>,run,,8"], "calls=%s is a call" % count)
SAMPLED = "fl=a\nfn=main\n1 2\ncfl=b\ncfn=malloc\ncalls=60 3\n1 60\nfl=b\nfn=malloc\n3 60\n"
for name, head in (("gperftools", "events: Hits\n"), ("stackprof", "creator: stackprof\nevents: Instructions\n"),
                   ("pprof of Go 1.10", "positions: line\nevents: cpu(ms)\n"), ("its objects", "events: alloc_objects(count)\n"),
                   ("Very Sleepy", "event: t : Microseconds Spent Total\nevents: t\n")):
    same(ask(head + SAMPLED, "functions | show fn, calls"), ["malloc,", "main,"], name + ": counts are samples")
    write_bytes("in.cg", (head + SAMPLED).encode())
    r = run("in.cg", "--no-index-write", "-q", "-c", "overview", "-c", "calltree", "-c", "callers of malloc", "-c", "malloc")
    ok(r.status == 0 and "60 call" not in r.text and "0 call" not in r.text and "allocations" not in r.text and
       "quern record" not in r.text and "separate-callers" not in r.text, name + ": overview, trees and cards name no calls", r)
TWICE = "events: %s\nfl=a\nfn=main\n1 10\ncfn=f\ncalls=1 1\n2 90\nfn=f\n3 90\ncfn=f\ncalls=8 1\n4 80\n"
for event, advised in ("Ir", True), ("ns", False):
    write_bytes("in.cg", (TWICE % event).encode())
    r = run("in.cg", "--no-index-write", "-q", "-c", "overview")
    same("separate-callers" in r.text, advised, event + ", by whom is not said: callgrind counts Ir")
same(ask("events: us\nfl=a\nfn=f\n1 2\ncfl=b\ncfn=g\ncalls=3 3\n1 60\ncfl=b\ncfn=h\ncalls=-1 3\n1 5\nfl=b\nfn=g\n3 60\nfn=h\n4 5\n",
         "functions | show fn, calls"), ["g,3", "h,", "f,0"], "one call that was not counted")

# ---- lines
same(ask("events: Hits\nfl=/s/a.cc\nfn=main\n? 40\ncfl=/s/net.cc\ncfn=serve\ncalls=12 ?\n? 12\nfl=/s/net.cc\nfn=serve\n7 12\n",
         "functions | show fn, line, self, incl"), ["main,,40,52", "serve,7,12,12"], "? is an unknown line")
write_bytes("in.cg", b"events: Hits\nfl=\nfn=\n 40\ncfl=b\ncfn=serve\ncalls=12 7\n 12\nfl=b\nfn=serve\n7 12\n")
ok("2 cost line without a cost" in " ".join(run("in.cg", "--no-index-write", "-q", "-c", "info").text.replace("\n", " ").split()) or
   "diagnostics  2" in run("in.cg", "--no-index-write", "-q", "-c", "info").text, "a cost line without a cost is counted",
   run("in.cg", "--no-index-write", "-q", "-c", "info"))
same(ask("positions: line instr\nevents: Cycles\nfl=a.c\nfn=f\n0x8000100 12 7\n0x8000104 13 2\n", "instrs | show instr, line, self"),
     ["134217984,12,7", "134217988,13,2"], "an address in the column of lines")
for name, text, cut in (
        ("Very Sleepy's", "# callgrind format\nevent: t : Microseconds Spent Total\nevents: t ps\ncmd: game.exe\n\nob=(1) game\nfl=(1) a.cpp\nfn=(1) run\n10 600 60\n", False),
        ("another one", "cmd: python x.py\nevents: ns\nfl=a.py\nfn=f\n1 5\n", False),
        ("with calls", "cmd: x\nevents: Ir\nfl=a\nfn=f\n1 5\ncfn=g\ncalls=1 1\n1 3\nfn=g\n1 3\n", False),
        ("cachegrind's", "desc: I1 cache: x\ncmd: x\nevents: Ir\nfl=a\nfn=f\n1 5\n", True)):
    write_bytes("in.cg", text.encode())
    r = run("in.cg", "--no-index-write", "-q", "-c", "functions | where self > 9M | expect none")
    ok((r.status == 4) == cut and ("cut off" in r.talk) == cut, "%s is %s" % (name, "cut off" if cut else "whole"), r)
write_bytes("in.cg", b"events: seconds\nfl=a\nfn=f\n1 0.25\n2 1.5\n3 2\n")
r = run("in.cg", "--no-index-write", "-c", "top")
ok(r.status == 3 and "in.cg:4: costs with fractions (2 lines); the format has whole numbers" in r.talk, "costs with fractions are refused", r)
XTREE = ("# callgrind format\nversion: 1\ncreator: xtree-1\npid: 1\ncmd: ./t\npositions: line\nevent: curB : currently allocated Bytes\n"
         "event: totB : total allocated Bytes\nevents: curB totB totBk\nfl=(1) a.c\nfn=(1) main\n3\ncfi=(1)\ncfn=(2) fill\ncalls=0 9\n"
         "3 0 4096 2\nfl=(1)\nfn=(2)\n9 0 4096 2\n\ntotals: 0 4096 2\n")
write_bytes("in.cg", XTREE.encode())
for query in "overview", "calltree", "top":
    r = run("in.cg", "--no-index-write", "-q", "-c", query)
    ok(r.status == 0 and "totB" in r.text and "4.00 KiB" in r.text, query + ": the first event that is not 0", r)
for creator, said, unsaid in (("xdebug 3.1.3 (PHP 8.1.0)", "request", "callgrind"), ("yappi", "producer", "callgrind"),
                              ("callgrind-3.19", "--trace-children", "request")):
    write_bytes("in.cg", ("version: 1\ncreator: %s\ncmd: x\npart: 1\npositions: line\nevents: Time\n" % creator).encode())
    r = run("in.cg", "--no-index-write", "-q", "-c", "top")
    ok(said in r.talk and unsaid not in r.talk.replace("in.cg", ""), "an empty file of " + creator, r)
for name, said, unsaid in ("cachegrind.out.7", "request", "out.7*"), ("callgrind.out.7", "quern callgrind.out.7*", "request"):
    write_bytes(name, b"")
    r = run(name, "--no-index-write", "-q", "-c", "top")
    ok(r.status == 3 and said in r.talk and unsaid not in r.talk, "no bytes at all: " + name, r)

# ---- units
for event, want in (("microseconds", "1.23 s"), ("Microseconds", "1.23 s"), ("Ns", "1.23 ms"), ("nanos", "1.23 ms"), ("usec", "1.23 s"),
                    ("Time_us", "1.23 s"), ("Time_ns", "1.23 ms"), ("Wall_Sec", "1,234,567 s"), ("Time", "1.23 M"), ("Bonus", "1.23 M")):
    write_bytes("in.cg", ("events: %s\nfl=a\nfn=f\n1 1234567\n" % event).encode())
    r = run("in.cg", "--no-index-write", "-q", "-c", "top")
    ok(want in r.text, event + " is " + want, r)
write_bytes("in.cg", b"events: Cost\nfl=a\nfn=f\n1 1234567\n")
r = run("in.cg", "--no-index-write", "-q", "-c", "top | where self > 1ms")
ok(r.status == 1 and "has no unit: the profile does not say one" in r.talk and "--unit EVENT=us" in r.talk, "the error says what helps", r)
r = run("in.cg", "--no-index-write", "-q", "--unit", "Cost=us", "-c", "top | where self > 1ms", "-c", "f")
ok(r.status == 0 and r.text.count("1.23 s") > 1, "--unit", r)
r = run("in.cg", "--unit", "Cost=parsec", "-c", "top")
ok(r.status == 2 and "--unit takes EVENT=UNIT" in r.talk, "--unit with another word", r)
done()
