#!/usr/bin/env python3
"""gate.t - --keep-going: every query runs, the last line counts, the worst status wins."""
import os
import shutil

from e2e import done, ok, profile, run, same

profile("new.out", [(b"main", 10), (b"work", 80), (b"leaf", 10)])
profile("old.out", [(b"main", 10), (b"work", 40), (b"leaf", 10)])
HOLDS = "functions vs base | where delta > 1000 | expect none"
FAILS = "functions vs base | where delta > 5 | expect none"
ALSO = "functions vs base | expect delta <= 5"
BOGUS = "functions | bogus"
LIMIT = "calltree | expect some"


def gate(*args, **more):
    """With --keep-going; the last line of stderr."""
    r = run("new.out", "base=old.out", "-q", "--keep-going", *args, **more)
    return r, (r.talk.splitlines() or [""])[-1]


def queries(*texts):
    return [word for text in texts for word in ("-c", text)]


r = run("new.out", "base=old.out", "-q", *queries(FAILS, "top 1"))
ok(r.status == 4 and r.text.count("  work") == 1,
   "without --keep-going nothing runs after an expectation that fails", r)

r, last = gate(*queries(HOLDS, FAILS, ALSO, "top 1"))
same(r.status, 4, "4: an expectation fails")
same(last, "3 expectations: 1 holds, 2 fail (-c 2:1:39, -c 3:1:21)", "the last line counts, and says which")
same(r.talk.count("error: "), 2, "both are told on stderr")
same((r.text.count("  work"), r.text.count("  leaf")), (3, 0), "what breaks them is printed; the query behind them runs")
r, last = gate(*queries(HOLDS, HOLDS))
same((r.status, r.talk), (0, ""), "all hold: --quiet says nothing")
r = run("new.out", "base=old.out", "--keep-going", *queries(HOLDS, "top 1"))
same((r.status, r.talk.splitlines()[-1]), (0, "1 expectation: 1 holds"), "one expectation, one query without")
r = run("new.out", "--keep-going", *queries("top 1"))
same((r.status, r.talk.splitlines()[-1]), (0, "0 expectations"), "none: it is said")

# What cannot be answered never passes, and is worse than what fails.
for text, status, why in ((BOGUS, 1, "a wrong stage"), ("callers of nobody | expect none", 1, "a name that is not there"),
                          ("functions vs other | expect none", 1, "a profile that is not open"),
                          ("functions > no/such/dir.csv", 1, "a file that cannot be written"),
                          (HOLDS + " > no/such/dir.csv", 1, "an expectation that holds, but cannot be written"),
                          (FAILS + " > no/such/dir.csv", 1, "one that fails, and cannot be written"),
                          (".opne x", 2, "a command that is not there"), (".open nothing.out", 3, "a profile that is not there"),
                          (".read nothing.q", 1, "a script that is not there"),
                          ("functions | where " + "(" * 300 + "self" + ")" * 300 + " > 1 | expect none", 6, "a limit")):
    for others in ((), (HOLDS,), (FAILS, HOLDS)):
        r, last = gate(*queries(text, *others))
        held, fails = others.count(HOLDS), others.count(FAILS)
        counts = (": %d holds" % held if held else "") + (", %d fails (-c 2:1:39)" % fails if fails else "")
        got = last.split("; ")
        ok(r.status == status and got[0] == "%d expectation%s" % (held + fails, "" if held + fails == 1 else "s") + counts and
           got[1].startswith("1 not answered (-c 1:1:"), "%d: %s, and %d more" % (status, why, len(others)), r)
r, last = gate("-f", "nothing.q", *queries(HOLDS))
ok(r.status == 1 and last == "1 expectation: 1 holds; 1 not answered (nothing.q:1:1)", "a script of the command line that is not there", r)
r, last = gate("--limit", "rows=2", *queries("functions | expect none", HOLDS, BOGUS, ".opne"))
ok(r.status == 6 and last.startswith("0 expectations; 4 not answered ("), "6: the worst wins", r)

# Several statements in one text.
r, last = gate("-c", "%s; %s;; let x = self / calls; functions | where | expect none; top 1; %s" % (FAILS, HOLDS, ALSO))
ok(r.status == 1 and last.startswith("3 expectations: 1 holds, 2 fail (-c 1:1:39, -c 1:1:%d); 1 not answered (-c 1:1:" % (
    len(FAILS + HOLDS) + 4 + len(" let x = self / calls; functions | where | expect none; top 1; ") + 21)) and r.text.count("  work") == 3,
   "statements separated by ;", r)
ok("  %s; " % FAILS in r.talk, "a message shows its place in the whole text", r)
for text in ("functions | where fn = \"a;b | expect none\n" + FAILS, "functions | where fn ~ /;/ | bogus; " + FAILS,
             "bogus y | x ! echo a; echo b\n" + FAILS, "functions | where\n" + FAILS, "\x01\n" + FAILS, "(;\n" + FAILS):
    r, last = gate("-c", text)
    ok(r.status == 1 and " not answered (" in last and "0 hold" not in last, "a mistake before: " + ascii(text[:30]), r)
r, last = gate("-c", "bogus y | x ! echo a; echo b > made\n" + FAILS)
ok(not os.path.exists("made") and "1 fails (-c 1:2:39); 1 not answered (-c 1:1:1)" in last, "the command behind ! is not taken for a statement", r)
r, last = gate("-c", ";;  -- nothing\n;")
ok(r.status == 0 and last == "", "no statement at all", r)

# Scripts.
with open("gate.q", "w") as f:
    f.write("#!/usr/bin/quern -f\n-- a comment\n%s\n\n%s\n%s; %s\n.opne\nfunctions |\n  where self >\n.timer off\nfunctions |\n  expect none\n"
            % (HOLDS, FAILS, HOLDS, ALSO))
r, last = gate("-f", "gate.q", *queries(HOLDS))
ok(r.status == 2 and last == "6 expectations: 3 hold, 3 fail (gate.q:5:39, gate.q:6:%d, gate.q:12:3); 2 not answered "
   "(gate.q:7:1, gate.q:9:15)" % (len(HOLDS) + 23), "a script", r)
ok("gate.q:5:39: error: " in r.talk, "with file, line and column", r)
r, last = gate(stdin=open("gate.q", "rb").read())
ok(r.status == 2 and "stdin:5:39" in last, "from standard input", r)
with open("outer.q", "w") as f:
    f.write(".read gate.q\n.read nothing.q\n.run gate.q\n%s\n" % HOLDS)
r, last = gate("-f", "outer.q")
ok(r.status == 2 and last.startswith("11 expectations: 5 hold, 6 fail (gate.q:5:39, ") and "; 5 not answered (" in last and
   "outer.q:2:1" in last, "scripts in scripts are counted once", r)
with open("many.q", "w") as f:
    f.write((FAILS + "\n") * 500)
r, last = gate("-f", "many.q")
ok(r.status == 4 and last.startswith("500 expectations: 500 fail (") and last.endswith("many.q:10:39, ...)"), "not all places are named", r)
r, last = gate(*queries(HOLDS, ".quit", FAILS))
same((r.status, last), (0, ""), ".quit ends it")

# A gate that gates nothing is an error: the name, the mode or the format says that it is one.
EMPTY = {"tables.q": "top 1\n", "lets.q": "let $x = main\n", "none.q": "", "quit.q": ".quit\n%s\n" % HOLDS,
         "gate-tables.q": "top 1\n", "comment.q": "# %s\n" % HOLDS}
for name, text in EMPTY.items():
    with open(name, "w") as f:
        f.write(text)
    for how in (["--keep-going"], ["--format", "github"], ["--format", "junit"], []):
        r = run("new.out", "base=old.out", "-q", *how, "-f", name)
        plain = not how and not name.startswith("gate-")
        ok(r.status == (0 if plain else 2) and plain != ("%s: no `expect` was asked" % name in r.talk + r.text),
           "%s %s: %s" % (" ".join(how), name, "a script" if plain else "it gates nothing"), r)
    r = run("new.out", "base=old.out", "-q", "--keep-going", "--accept", "empty", "-f", name)
    same(r.status, 0, "%s: --accept empty" % name)
for name, text in (("holds.q", HOLDS), ("reads.q", ".read holds.q"), ("runs.q", ".run holds.q")):
    with open(name, "w") as f:
        f.write(text + "\n")
    r, last = gate("-f", name)
    same(r.status, 0, "%s: an expectation of its own, or of a script in it" % name)
r, last = gate("-f", "holds.q", "-f", "tables.q")
ok(r.status == 2 and "tables.q" in last, "each file is one", r)
r, last = gate(stdin=b"top 1\n")
ok(r.status == 2 and "stdin" in last, "standard input", r)
r = run("new.out", "-q", stdin=b"top 1\n")
same(r.status, 0, "a script on standard input")

# A folder of benchmarks: nothing that may be one is passed over in silence.
VS = "functions vs base | where delta% > 5 | expect none"


def bench(folder, now, old, name=None):
    os.makedirs(folder)
    for end, cost in ((".out", now), (".out.old", old)):
        if cost:
            profile("%s/callgrind.%s%s" % (folder, name or os.path.basename(folder), end), [(b"main", cost)])


def folder(how, query=VS, more=()):
    """Of two benchmarks, of which b has become dearer, b is no plain folder."""
    shutil.rmtree("S", ignore_errors=True)
    shutil.rmtree("real", ignore_errors=True)
    bench("S/m/a", 5, 5)
    how()
    return run("S", "--keep-going", *more, "-c", query)


def linked():
    bench("real/b", 9000, 5000)
    os.symlink(os.path.abspath("real/b"), "S/m/b")


def linked_file():
    bench("S/m/b", 0, 5000)
    profile("real.out", [(b"main", 9000)])
    os.symlink(os.path.abspath("real.out"), "S/m/b/callgrind.b.out")


def linked_above():
    bench("real/m2/b", 9000, 5000)
    os.symlink("../real/m2", "S/m2")


for how in (linked, linked_file, linked_above):
    r = folder(how)
    ok(r.status == 4 and "1 expectation: 1 fails (-c 1:1:40 in 1 of 2 profiles: " in r.talk, "a link is followed: %s" % how.__name__, r)
for name, how, status, word in (
        ("a link that leads nowhere", lambda: os.symlink("gone", "S/m/b"), 3, "S/m/b: a link that leads nowhere"),
        ("a link to itself", lambda: os.symlink("b", "S/m/b"), 3, "S/m/b: "),
        ("a lock of an editor", lambda: os.symlink("me@here.1", "S/m/.#x"), 0, "1 holds"),
        ("a pipe", lambda: (os.mkdir("S/m/b"), os.mkfifo("S/m/b/callgrind.b.out")), 3, "callgrind.b.out: no regular file"),
        ("a pipe as its base", lambda: (bench("S/m/b", 9000, 0), os.mkfifo("S/m/b/callgrind.b.out.old")), 3, "b.out.old: no regular file"),
        ("a folder as its base", lambda: (bench("S/m/b", 9000, 0), os.mkdir("S/m/b/callgrind.b.out.old")), 3, "b.out.old: a folder in the place of a base"),
        ("a folder of old benchmarks", lambda: bench("S/m.old/b", 5, 5), 0, "1 holds"),
        ("a run that left nothing", lambda: bench("S/m/b", 0, 5000), 4, "1 only in the base: b"),
        ("a folder that was renamed", lambda: bench("S/m/c", 9000, 5000, "b"), 4, "in 1 of 2 profiles: c/callgrind.b.out"),
        ("a link to the folder above", lambda: os.symlink("..", "S/m/up"), 0, "1 holds")):
    r = folder(how)
    ok(r.status == status and word in r.talk, "%s: %d" % (name, status), r)
r = folder(lambda: bench("S/m/b", 0, 5000), "profiles vs base | where delta% > 5 | expect none")
ok(r.status == 4 and "1 only in the base: b" in r.talk, "a run that left nothing, by `profiles`", r)
shutil.rmtree("S")
bench("S/a", 5, 0)
bench("B/a", 0, 5)
bench("B/c", 5, 0)
r = run("S", "base=B", "--keep-going", "--accept", "gone", "-c", VS)
ok(r.status and "no profile of the set has a base" in r.talk, "no benchmark is asked", r)
os.makedirs(".config/quern")
with open(".config/quern/init", "w") as f:
    f.write("bogus\n.mode csv\n")
r, last = gate(*queries(HOLDS))
same(r.status, 0, "the user's init file is none of it")
os.remove(".config/quern/init")
done()
