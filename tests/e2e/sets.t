#!/usr/bin/env python3
"""sets.t - several files that are one profile, and what is not.

The files of a run, however they are given, answer like one file that holds them all.
"""
import glob
import gzip
import os
import re
import shutil

import index_file
from e2e import done, fixtures, ok, profile, run, same, small

QUERIES = ["functions", "calls", "lines", "callsites", "cycles", "events", "files", "threads",
           "parts | show part, pid, thread, self, trigger, functions",
           "info | show functions, edges, total, diagnostics, truncated", "thread 2 | lines",
           "thread 4 | callsites", "part 1 | lines of main", "jumps"]
NEW = "\n==== NEW PROFILING FILE ==============================================\n"


def ask(*paths, queries=QUERIES, more=("--no-index-write",)):
    argv = [*paths, "-q", "--format", "csv", *more]
    for q in queries:
        argv += ["-c", q]
    return run(*argv)


def write(path, text):
    with open(path, "wb") as f:
        f.write(text if isinstance(text, bytes) else text.encode())
    return path


def error(r, status, name, *words):
    ok(r.status == status and all(w in r.talk for w in words) and not r.text, name,
       "want status %d, %r\n%s" % (status, words, r))


def dump_of(index):
    """All of an index but when it was made, and the change times of files: these are 0 where the
    file changed in the same tick of the clock."""
    if not shutil.which("mdb_dump"):
        return None
    tables, _ = index_file.dump(index)
    m, _ = index_file.meta(tables)
    inputs = [(path, stat[:4] + [0] + stat[5:]) + tuple(more) for path, stat, *more in m["inputs"]]
    return sorted(tables.items())[1:], dict(m, built=0, inputs=inputs)


def dump(path, part, thread=1, pid=77, cmd="./prog a", body=(("main", 5), ("work", 7)), events="Ir", more=""):
    text = "# callgrind format\nversion: 1\ncreator: callgrind-3.19.0\npid: %d\ncmd: %s\npart: %d\nthread: %d\n\n" % (
        pid, cmd, part, thread)
    text += "desc: Trigger: dump %d\npositions: line\nevents: %s\n%s\n" % (part, events, more)
    total = 0
    for i, (name, cost) in enumerate(body):
        text += "fl=(1) a.c\nfn=(%d) %s\n%d %d\n" % (i + 1, name, 10 * i + 1, cost)
        if i:
            text += "cfn=(1)\ncalls=2 1\n+1 %d\n" % part
        total += cost
    return write(path, text + "\ntotals: %d\n" % total)


# ------------------------------------------------- real files: threads, parts, the whole
for f in glob.glob(small + "thr-septhreads.out*"):
    shutil.copy(f, ".")
threads = sorted(glob.glob("thr-septhreads.out-*"))
base = "thr-septhreads.out"
one = ask(write("one.out", NEW.encode().join(open(f, "rb").read() for f in threads)))
ok("no jumps" in one.talk and one.text.count("\n") > 1000, "the threads in one file, to compare with", one)
for name, args in [("in order", threads), ("in disorder", threads[::-1]), ("with the empty base", [base] + threads),
                   ("one of them twice", threads + threads[:1])]:
    same(ask(*args).out, one.out, "the set of five files, " + name)
same(ask(base + "*", more=("--no-index-write",)).out, one.out, "BASE*")
same(ask("x=" + base + "-*").out, one.out, "a pattern that the shell left alone")
same(ask(*("x=" + t for t in threads)).out, one.out, "NAME=FILE again and again")
for i, t in enumerate(threads):
    os.mkdir("z") if i == 0 else None
    write("z/p.out-%02d%s" % (i + 1, ".gz" if i % 2 else ""),
          (gzip.compress if i % 2 else bytes)(open(t, "rb").read()))
same(ask("z/p.out*", more=("--no-index-write",)).out, one.out, "some of them packed")
error(run(base, "-c", "top"), 3, "the empty base alone", "empty file", "quern %s*" % base)

# ----------------------------------------------------------------- order, header, events
# Definitions of a file that is added come before those of the files that were there.
os.mkdir("f")
for i, formula in ((1, "X = Ir"), (2, "X = 2 Ir"), (3, "X = Ir + Y"), (4, "Y = 3 Ir")):
    dump("f/f.%d" % i, i, more="event: %s : of %d" % (formula, i))
whole = ask("f/f.1", "f/f.2", "f/f.3", "f/f.4", queries=["events"])
for first, then in (("24", "13"), ("34", "21"), ("23", "41")):
    for f in glob.glob("f/*.quern"):
        os.remove(f)
    ask(*("f/f." + i for i in first), queries=["events"], more=())
    r = ask(*("f/f." + i for i in sorted(first + then)), queries=["events"], more=())
    same(r.out, whole.out, "events of %s, then also %s, as of all at once" % (first, then))

# Nothing of many.
os.mkdir("none")
for name in "abc":
    write("none/" + name, "")
error(run("none/a", "none/b", "none/c", "-c", "top"), 3, "a set of empty files", "none of the 3 files is a profile",
      "left out; and more...")

os.mkdir("d")
dump("d/r.out.2", 2, body=(("work", 4), ("main", 3), ("late", 1)))
dump("d/r.out.10", 10, body=(("main", 100),))
dump("d/r.out.1-02", 1, thread=2, body=(("thread", 6),), events="Dr Ir")
dump("d/r.out.1-01", 1, body=(("main", 9),), events="Ir Dr", more="event: Sum = Ir + Dr : both")
dump("d/r.out", 11, body=(("main", 1000),))
r = ask("d/r.out*", queries=["parts | show part, thread, self, trigger"], more=())
same(r.text.splitlines()[1:], ["1,1,9,dump 1", "1,2,0,dump 1", "2,1,8,dump 2", "10,1,100,dump 10",
                                "11,1,1000,dump 11"], "parts by pid, part and thread")
r = ask("d/r.out*", queries=["parts | show part, file", "parts of main | show part, file"], more=())
same(r.text.split(), 2 * ["part,file", "1,r.out.1-01", "1,r.out.1-02", "2,r.out.2", "10,r.out.10", "11,r.out"],
     "and the file of each")
r = run("d/r.out*", "--rebuild", "-c", "parts")
ok(r.text.splitlines()[0].split()[-1] == "file" and "r.out.1-02" in r.text, "a person sees it, too", r)
r = run("d/r.out", "-q", "--no-index-write", "-c", "parts", "-c", "parts of main")
ok("file" not in r.text and "main" not in r.talk, "of one file there is no such column", r)
os.mkdir("e")
shutil.copy("d/r.out.2", "e/r.out.1-01")
r = run("d/r.out.1-01", "e/r.out.1-01", "-q", "--no-index-write", "--format", "csv", "-c", "parts | show file")
same(r.text.split(), ["file", "d/r.out.1-01", "e/r.out.1-01"], "with the directories that tell them apart")
same(sorted(os.listdir("d")), ["r.out", "r.out.1-01", "r.out.1-02", "r.out.10", "r.out.2", "r.out.set.quern"],
     "one index, named for the base")
r = run("d/r.out*", "-c", "events | show name, total", "--format", "csv")
ok("indexed" not in r.talk, "and fresh", r)
same(r.text.split(), ["name,total", "Ir,1117", "Dr,6", "Sum,1123"], "events by name, in the order of the parts")
r = run(*glob.glob("d/r.out*"), "-c", "top 1")
ok("indexed" not in r.talk, "a pattern that meets the index too", r)
r = run("d/r.out", "--rebuild", "-c", "info | show total", "--format", "csv")
ok(r.text.split() == ["total.Ir", "1000"] and "5 files" not in r.talk, "the base alone is itself", r)
same(sorted(f for f in os.listdir("d") if "quern" in f), ["r.out.quern", "r.out.set.quern"], "with its own index")
r = ask("d/r.out*", queries=["part 1 | functions | show fn, self", "thread 2 | top 1 by Dr | show fn"], more=())
same(r.text.split(), ["fn,self", "main,9", "thread,0", "fn", "thread"], "graph stages over them")
r = ask("d/r.out*", queries=["part 2 | lines | show fn, line, self", "part 10,11 | lines | show fn, line, self"], more=())
same(r.text.split(), ["fn,line,self", "work,1,4", "main,11,3", "late,21,1", "late,22,0", "main,12,0",
                        "fn,line,self", "main,1,1100"],
     "lines of single parts are read from their files")
os.rename("d/r.out.2", "d/gone")
r = run("d/r.out.set.quern", "-q", "-c", "part 2 | lines")
ok(r.status == 3 and "r.out.2: No such file" in r.talk, "one of them gone: it is named", r)
os.rename("d/gone", "d/r.out.2")
write("d/odd.1", "version: 1\npid: 5\npart: 1\nevents: Ir\nfn=f\n1 1\nwhat\n")
write("d/odd.2", "version: 1\npid: 5\npart: 2\nevents: Ir\nfn=(1)\n1 1\n1 2 3\n")
r = run("d/odd.1", "d/odd.2", "-c", "functions | show fn, self", "--format", "csv")
same(r.text.split(), ["fn,self", "(1),3", "f,1"],
     "an id means nothing in another file")
ok("skipped or mended: 3" in r.talk, "odd lines of all files are told", r)
r = run("d/odd.1", "d/odd.2", "-c", "info")
ok("first at line 7 of odd.1: what" in r.talk and "note: 2 files: odd.1 odd.2" in r.talk,
   "with lines of their own file", r)

# ------------------------------------------------------------------------------ staleness
s = ["d/s.1", "d/s.2"]
dump(s[0], 1)
dump(s[1], 2)
r = run(*s, "--rebuild", "-c", "top 1")
ok("d/s: 2 files, indexed" in r.talk, "indexed", r)
os.utime(s[1], (5, 5))
r = run(*s, "-c", "top 1")
ok("indexed" not in r.talk, "other times, the same content: fresh", r)
dump(s[1], 2, body=(("main", 6), ("work", 70)))
r = run(*s, "-c", "info | show total", "--format", "csv")
ok(r.text.split() == ["total.Ir", "88"] and "d/s.2 has changed since it was indexed" in r.talk,
   "one changed: it is named", r)
dump("d/s.3", 3)
r = run(*s, "d/s.3", "-c", "info | show total", "--format", "csv")
ok(r.text.split() == ["total.Ir", "100"] and "d/s.3 was added" in r.talk and
   "3 files, 1 of them read, indexed" in r.talk, "one more: it is named", r)
full = run(*s, "d/s.3", "--rebuild", "--index", "full.quern", "-q", "-c", "top 1")
same(dump_of("d/s.set.quern"), dump_of("full.quern"), "only that one is read, and the index is as if all were")
os.remove("d/s.3")
r = run(*s, "-c", "info | show total", "--format", "csv")
ok(r.text.split() == ["total.Ir", "88"] and "d/s.3 was indexed with them and is not among them now" in r.talk,
   "one less: it is named", r)
error(run(*s, "d/s.3", "-c", "top"), 3, "one is missing", "d/s.3: No such file")
error(run("d/s.1", write("d/s.4", "no profile\n"), "-c", "top"), 3, "one is no profile",
      "d/s.4: not a Callgrind-format profile")
error(run("d/s.1", write("d/s.gz", gzip.compress(open("d/s.2", "rb").read())[:99]), "-c", "top"), 3,
      "one is damaged", "d/s.gz: the gzip data is cut off at byte 99")
error(run("d/s.1", "-", "-c", "top"), 3, "a pipe among them", "cannot be one of several")
r = run(*s, "--index", "kept.quern", "-c", "top 1")
ok(r.status == 0 and os.path.exists("kept.quern"), "--index of a set", r)
error(run("kept.quern", "d/s.1", "--index", "d/s.1", "-c", "top"), 5, "--index is one of them", "that is the profile")
same(ask("kept.quern", queries=["functions"], more=()).out, ask(*s, queries=["functions"]).out,
     "the index opened itself")

# ------------------------- each file as the one that comes last: the index that reading all gives
os.mkdir("g")
odd = "what\n" * 15
formula = "event: Both = Ir + Dr : both\n"
dump("g/r.1", 1, body=(("main", 5), ("a", 2), ("b", 3)), events="Ir Dr")
dump("g/r.2", 2, body=(("b", 4), ("c", 1)), events="Dr Ir", more=odd)
dump("g/r.3", 3, body=(("main", 1),), events="Sys Ir", more=formula + odd[:50])
write("g/r.4", "version: 1\npid: 77\ncmd: ./prog\npart: 4\nevents: Ir\npositions: instr line\nob=(1) lib\nfl=(1) x.c\nfn=(1) j\n"
      "0x10 1 5\njump=3 0x20 7\n0x10 1\njcnd=2/5 0x30 9\n0x14 2\ncfi=(2) a.c\ncfn=(2) main\ncalls=4 1 1\n0x18 3 40\ntotals: 5\n")
dump("g/r.5", 5, body=(("main", 1),), cmd="./prog", more="positions: line\ndesc: again\n")
write("g/r.6", "version: 1\npid: 77\ncmd: ./prog\npart: 6\nevents: Ir\nfl=x.c\nfn=p\n1 1\ncfn=q\ncalls=1 1\n2 5\n"
      "part: 8\nevents: Ir\nfl=x.c\nfn=q\n3 1\n")
write("g/r.7", "version: 1\npid: 77\ncmd: ./prog\npart: 7\nevents: Ir\nfl=y.c\nfn=r\n1 1\ncfn=main\ncalls=1 1\n2 5\n")
for n in (8, 9):
    write("g/r.%d" % n, "version: %d\ncreator: callgrind-3.19.%d\npid: 77\ncmd: ./prog\npart: %d\nthread: %d\ndesc: Trigger: t%d\ndesc: Timerange: Basic block %d - 99\n"
          "desc: else: %d\npositions: instr line\nevents: Ir E%d\nevent: E%d : long %d\nevent: D%d = Ir + E%d : derived %d\nsummary: %d 7\nfl=x.c\nfn=p\n0x10 1 %d 2\ntotals: %d 2\n"
          % ((n,) * 16))
held = "\n".join(open(f).read() for f in glob.glob("g/r.*"))
with open(os.path.dirname(fixtures) + "/../index/lines/decode_line.c") as text:
    lacks = [k for k in re.findall(r'\{STR\("(\w+)"\), KEY_', text.read()) if not re.search("^%s:" % k, held, re.M)]
ok(held and not lacks, "the files have every header line", "they lack: %s" % lacks)
for names, said in [("12", ""), ("134", ""), ("1245", ""), ("1456", ""), ("1489", ""), ("123456", "all"), ("1267", "all"), ("235", "all")]:
    files = ["g/r." + n for n in names]
    run(*files, "--rebuild", "--index", "full.quern", "-q", "-c", "top 1")
    want, wrong, reread = dump_of("full.quern"), [], 0
    asked = ask(*files, queries=QUERIES[:10])
    for f in files:
        if len(files) > 2:
            run(*[x for x in files if x != f], "--rebuild", "--index", "inc.quern", "-q", "-c", "top 1")
        r = run(*files, "--index", "inc.quern", "-c", "top 1")
        reread += "1 of them read" not in r.talk
        now = ask(*files, queries=QUERIES[:10], more=("--index", "inc.quern"))
        if dump_of("inc.quern") != want or now.out != asked.out or now.status:
            wrong.append(f)
    ok(not wrong and (reread > 0) == (said == "all" or len(files) == 2),
       "added last, each of " + names, "wrong %r, all read again %d times\n%s" % (wrong, reread, r))

# ------------------------------------------------------------- not together, or all the same
dump("other", 1, pid=78, cmd="./other b")
r = run("d/s.1", "other", "-c", "top")
ok(r.status == 3 and "d/s.1 is of the program ./prog, other of ./other" in r.talk and "--merge" in r.talk,
   "different programs are refused", r)
# What is long is shown cut, not left out.
os.mkdir("long")
for n, where in ((1, "/a" * 50), (2, "/b" * 90)):
    dump("long/p.%d" % n, n, pid=n, cmd=where + "/prog x")
r = run("long/p.1", "long/p.2", "-c", "top")
ok(r.status == 3 and "/a" * 50 + ", " in r.talk and "/b" * 50 + "\n" in r.talk.replace("/b" * 51, ""),
   "the programs of a set that is none, with long paths", r)
r = run("d/s.1", "other", "--merge", "-q", "-c", "info | show total", "--format", "csv")
same(r.text.split(), ["total.Ir", "24"], "--merge adds them up all the same")
dump("fork", 1, pid=78, cmd="./prog other arguments")
r = run("d/s.1", "fork", "-q", "-c", "parts | show pid, self", "--format", "csv")
same(r.text.split(), ["pid,self", "77,12", "78,12"], "processes of one program belong together")
shutil.copy("d/s.1", "copy.1")
error(run("d/s.1", "copy.1", "-c", "top"), 3, "the same dump twice", "both hold part 1 of process 77", "NAME=FILE")
profile("a.time", [(b"f", 1)], events="Time")
profile("a.ir", [(b"f", 2)])
error(run("a.time", "a.ir", "-c", "top"), 3, "events that have nothing in common", "counts Ir", "counts Time")
r = run("a.ir", "old=d/s.1", "old=d/s.2", "-q", "-c", "in old | info | show total", "--format", "csv")
same(r.text.split(), ["total.Ir", "88"], "a set under a name, beside another profile")
r = run("-q", stdin=b'.open "d/s.[12]"\n.mode csv\ninfo | show total\n.open n=a.ir\nin n | info | show total\n')
same(r.text.split(), ["total.Ir", "88", "total.Ir", "2"], ".open with a pattern")

# ------------------------------------------------------------ two runs, and two tools of one
made = fixtures + "/producers/"
ADDED = "old.out and new.out are of 2 runs, or processes, of ./free: their costs are added up."
os.mkdir("runs")
for i, name in enumerate(["callgrind-plain", "callgrind-jumps", "callgrind-bb", "callgrind-instr"]):
    shutil.copy(made + name + ".out", "runs/r.%d" % i)
shutil.copy(made + "callgrind-plain.out", "old.out")
shutil.copy(made + "callgrind-jumps.out", "new.out")
for how in ("indexed", ""):
    r = run("old.out", "new.out", *(["--rebuild"] if how else []), "-c", "top 1")
    ok(r.status == 0 and ("indexed" in r.talk) == bool(how) and ADDED in r.talk, "two runs, %s: it is said that they are added up" % (how or "fresh"), r)
r = run("old.out", "new.out", stdin=b"top 1\n")
ok(ADDED in r.talk, "to a script from standard input as well", r)
r = run("-c", '.open "runs/r.[01]"')
ok("runs/r.0 and runs/r.1 are of 2 runs" in r.talk, "and when a command opens them", r)
command = re.search(r"To compare them: quern (.*) -c '(.*)'", run("old.out", "new.out", "-c", "top 1").talk)
r = run(*command[1].split(), "-c", command[2])
ok(r.status == 0 and "base" in r.text and "added up" not in r.talk, "the command that it names compares them", r)
r = run("old.out", "new.out", "--merge", "-c", "top 1")
ok(r.status == 0 and "added up" not in r.talk, "--merge: it is meant, nothing is said", r)
r = run("old.out", "new.out", "-q", "-c", "top 1")
ok("added up" in r.talk and r.talk.count("\n") == 1, "--quiet: only what changes the meaning is said", r)
r = run(*sorted(glob.glob("runs/r.?")), "--rebuild", "-c", "top 1")
ok(r.talk.count("added up") == 1 and "these 4 files are of 4 runs" in r.talk and
   "quern runs/r.3 base=runs/r.0 -c" in r.talk, "many runs: one note", r)
r = run("runs/r.set.quern", "-c", "top 1")
ok(r.talk.count("added up") == 1, "their index alone says it, too", r)
r = run("x=runs/r.*", "y=old.out", "y=new.out", "-c", "top 1")
ok(r.talk.count("added up") == 2, "one note for each profile that is several runs", r)
for args in (threads, [base + "*"], ["d/r.out*"], [small + "xdebug-append-different-scripts.out"]):
    r = run(*args, "--no-index-write", "-c", "top 1")
    ok(r.status == 0 and "added up" not in r.talk, "nothing is said of one run: " + os.path.basename(args[0]), r)
cachegrind = made + "cachegrind-default.out"
shutil.copy(cachegrind, "cache.out")
BOTH = "cache.out is written by cachegrind, old.out by callgrind: both count Ir of ./free"
error(run("old.out", "cache.out", "-c", "top"), 3, "what two tools counted", BOTH, "--merge", "base=FILE")
r = run("old.out", "cache.out", "--merge", "-c", "top 1")
ok(r.status == 0 and "added up" not in r.talk, "--merge adds them up all the same", r)
error(run("old.out", "cache.out", "-c", "top"), 3, "also if the index is there already", BOTH)
r = run("old.out", "base=cache.out", "-c", "functions vs base | take 1")
ok(r.status == 0, "side by side they may be compared", r)

# ----------------------------------------------------------------- cachegrind, many, large
cg = small + "cachegrind-lua.out"
shutil.copy(cg, "cachegrind.out.1")
write("cachegrind.out.2", open(cg, "rb").read().replace(b"summary:", b"summary: "))
r = ask("cachegrind.out.1", "cachegrind.out.2", queries=["events | show name, total", "functions | show fn, self"])
single = ask(cg, queries=["events | show name, total", "functions | show fn, self"])
doubled = "".join(re.sub(r"\d+$", lambda m: str(2 * int(m[0])), line) + "\n" if not line.endswith(("total", "self")) else
                  line + "\n" for line in single.text.splitlines())
same(r.text.replace("\r", ""), doubled, "cachegrind files of one program: the sum")
os.mkdir("many")
N = 1100  # so many are not read at once
for i in range(1, N + 1):
    dump("many/r.out.%d" % i, i, body=(("main", i), ("f%d" % (i % 7), 2 * i)))
write("many.out", NEW.join(open("many/r.out.%d" % i).read() for i in range(1, N + 1)))
questions = ["info | show total", "parts | show part | count"] + QUERIES[:4]
whole = ask("many.out", queries=questions).text
same(whole.split()[:4:3] + whole.split()[1:2], ["total.Ir", str(N), str(3 * N * (N + 1) // 2)], "%d parts" % N)
for name, more in (("a thousand", ()), ("64", ("--mem", "64M"))):
    r = ask("many/r.out*", queries=questions, more=("--no-index-write",) + more)
    same(r.text, whole, "%d files, read in batches of %s: as in one file" % (N, name))
write("many/r.out.70", "nothing\n")
for more in ((), ("--mem", "64M")):
    r = run(*glob.glob("many/r.out*"), "--no-index-write", *more, "-c", "top")
    ok(r.status == 3 and "many/r.out.70: not a Callgrind-format profile" in r.talk, "one of many is no profile", r)
done()
