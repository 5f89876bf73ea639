#!/usr/bin/env python3
"""doubts.t - an `expect` fails with quern's own warning where profiles are not what, or not like, they seem; --accept.

Each case is a gate that holds without the doubt; every word of --accept has one.
"""
import os
import re
import shutil

from e2e import done, fixtures, ok, run, same, small, top

GATE = "functions vs base | where delta% > 5 | expect none"


def write(path, functions, events="Ir", totals=None, more=""):
    """functions: [(name, "cost cost ...")]"""
    with open(path, "w") as f:
        f.write("# callgrind format\nversion: 1\ncreator: callgrind-3.19.0\n"
                "%spositions: line\nevents: %s\n\nfl=a.c\n" % (more, events))
        f.writelines("fn=%s\n1 %s\n\n" % fn for fn in functions)
        if totals is None:
            totals = " ".join(str(sum(int(c) for c in cost)) for cost in zip(*[c.split() for _, c in functions]))
        f.write("totals: %s\n" % totals if totals else "")


cases = {}


def case(word, why, *args, query=GATE, status=4, accepted=0):
    """Fails by this doubt, in every format; --accept of any other word is not enough."""
    cases[word] = 1
    for more in ((), ("-q",), ("--format", "github"), ("--format", "junit"), ("--format", "json", "-q"),
                 ("--accept", ",".join(w for w in words if w != word))):
        r = run(*args, *more, "--no-index-write", "-c", query)
        ok(r.status == status and why in r.talk and "--accept %s" % word in r.talk,
           "%s: %s %s" % (word, why, " ".join(more)), r)
    r = run(*args, "--format", "github", "--no-index-write", "-c", query)
    ok(r.text.count("::error") == 1 or status == 1, "  one annotation", r)
    r = run(*args, "-q", "--no-index-write", "--accept", word, "-c", query)
    same(r.status, accepted, "  --accept %s" % word)
    r = run(*args, "-q", "--no-index-write", "-c", re.sub(r"\| expect .*", "", query))
    ok(r.status == 0, "  without `expect` it is an answer", r)


r = run("-c", ".help accept")
words = re.findall(r"^  ([a-z]+)  +\S", r.text, re.M)
ok(len(words) >= 10 and words == sorted(set(words), key=words.index), "the words have help", r)
with open(top + "/repl/COMPARING.md", encoding="utf-8") as f:
    page = f.read()
same([w for w in words if "| `%s` |" % w not in page], [], "each is in COMPARING.md")
r = run("x", "--accept", "runs,cats", "-c", "top")
ok(r.status == 2 and "'cats'" in r.talk and all(w in r.talk for w in words),
   "a word that is none is status 2, and names those there are", r)

# ---- a base that is the file itself, whatever it is called
shutil.copy(small + "lua-default.out", "it.out")
os.symlink("it.out", "link.out")
for base in ("it.out", "./it.out", "link.out"):
    case("itself", "it is compared with itself", "it.out", "base=" + base)
case("itself", "'it.out' is the profile that is asked", "it.out", query=GATE.replace("base", "it.out"))
case("itself", "it is compared with itself", "it.out", "base=it.out", query="why vs base | expect none")
shutil.copy("it.out", "copy.out")
same(run("it.out", "base=copy.out", "-q", "-c", GATE).status, 0, "a copy is another file")
same(run("it.out", "base=it.out", "-q", "-c", "part 1 | functions vs base part 1 | expect some").status, 0, "parts that are named may be of one file")
os.makedirs("S/one")
shutil.copy("it.out", "S/one/callgrind.one.out")
for query in (GATE, "profiles vs base | where delta% > 5 | expect none"):
    case("itself", "it is compared with itself", "S", "base=./S", query=query)

# ---- of one profile, on either side, and alone
FIFTY = [("f%d" % i, "100000") for i in range(50)]
write("base.out", FIFTY)
write("same.out", FIFTY)
same(run("same.out", "base=base.out", "-q", "-c", GATE).status, 0, "two that are alike hold")
whole = open("base.out").read()
with open("cut.out", "w") as f:
    f.write(whole[:len(whole) * 7 // 10])
case("cut", "cut.out is cut off", "cut.out", "base=base.out")
case("cut", "base is cut off", "same.out", "base=cut.out", query=GATE.replace("5", "500"), accepted=4)
case("cut", "cut.out is cut off", "cut.out", query="functions | where self > 1M | expect none")
with open(small + "xdebug-small.out") as f:
    xdebug = f.readlines()
for n in (2, 4, 7, 12, 300):
    with open("cut.xdebug", "w") as f:
        f.writelines(xdebug[:-n])
    case("cut", "cut.xdebug is cut off", "cut.xdebug", query="functions | where self > 1G | expect none")
for last in ("cfn=f2", "cfn=f2\n", "cfi=a.c\ncfn=f2\n", "cfi=a.c\n"):
    with open("cut.other", "w") as f:
        f.write("events: Ir\nfl=a.c\nfn=f1\n1 10\ncfn=f2\ncalls=1 2\n1 5\nfn=f2\n2 5\n" + last)
    case("cut", "cut.other is cut off", "cut.other", query="functions | where self > 1G | expect none")
with open("odd.out", "w") as f:
    f.write(whole.replace("fn=f7\n1 100000\n", "fn=f7\n1 100000\n2 1x0000\n"))
case("odd", "odd.out: 1 line with costs skipped or mended", "odd.out", "base=base.out")
case("odd", "odd.out: 1 line with costs skipped or mended", "odd.out", query="info | expect some")
with open("fine.out", "w") as f:
    f.write(whole.replace("fl=a.c\n", "fl=a.c\nzzz of no meaning\n", 1))
same(run("fine.out", "base=base.out", "-q", "-c", GATE).status, 0, "an odd line without a number is none")
write("totals.out", FIFTY, totals="5000001")
case("totals", "totals: say 5,000,001 Ir, its lines add up to 5,000,000", "totals.out", "base=base.out")
case("totals", "totals: say 5,000,001 Ir", "totals.out", query="functions | where self > 1M | expect none")
with open("cachegrind.out", "w") as f:
    f.write("desc: I1 cache: 1 B, 1 B, 1-way associative\ncmd: x\nevents: Ir\nfl=a.c\nfn=main\n1 1000\nsummary: 1510\n")
case("totals", "summary: says 1,510 Ir, its lines add up to 1,000", "cachegrind.out",
     query="functions | where self > 1M | expect none")
run("same.out", "-q", "--rebuild", "-c", "top")
shutil.move("same.out.quern", "left.quern")
case("index", "left.quern is an index", "left.quern", "base=base.out")
same(run("fine.out", "base=left.quern", "-q", "-c", GATE).status, 0, "it may be a base")

# ---- of two
for i in range(5):
    write("old.%d" % i, [("main", "1000000"), ("b", "50000")], more="pid: %d\n" % (10 + i))
    write("new.%d" % i, [("main", "1900000"), ("b", "50000")], more="pid: %d\n" % (20 + i))
case("runs", "1 run here, 2 in the base", "new.0", "base=old.[01]")
for query in ("functions vs base | sum | expect delta% <= 10", "info vs base | expect delta% <= 10",
              "objects vs base | expect delta% <= 5",
              "cost of main vs base | expect delta% <= 2", "calltree vs base | where delta > 0 | expect none",
              "lines vs base | where delta > 0 | expect none",
              "functions vs base | where not noise and delta > 0 | expect none"):
    case("runs", "3 runs here, 5 in the base", "new.0", "new.1", "new.2", "base=old.?", query=query, accepted=4)
r = run("new.0", "new.1", "new.2", "base=old.?", "-q", "-c",
        "functions vs base | where not noise and median > 1.05 * base_median | expect none")
ok(r.status == 4 and "expected no rows, found 1" in r.talk, "medians of unequal numbers are compared", r)
r = run("old.0", "old.1", "old.2", "base=old.?", "-q", "-c",
        "functions vs base | where not noise and median > 1.05 * base_median | expect none")
same(r.status, 0, "and hold")
r = run("old.0", "old.1", "old.2", "base=old.?", "-q", "-c", "functions vs base | where delta > 0", "-c",
        "_ | expect none")
ok(r.status == 4 and "3 runs here, 5 in the base" in r.talk, "a doubt belongs to `_`, too", r)

EVENTS = "Ir Dr Dw I1mr D1mr D1mw ILmr DLmr DLmw"
write("plain.out", [("main", "100000 0 0 100 0 0 0 0 0")], EVENTS)
write("branch.out", [("main", "100000 0 0 100 0 0 0 0 0 5 4 3 2")], EVENTS + " Bc Bcm Bi Bim")
case("formula", "CEst is ", "branch.out", "base=plain.out",
     query="functions by CEst vs base | where delta% > 5 | expect none", status=1)
case("formula", "CEst is ", "plain.out", "base=branch.out",
     query="functions vs base | where delta.CEst > 0 | expect none", status=1)
same(run("branch.out", "base=plain.out", "-q", "-c", GATE).status, 0, "events that are not asked do not matter")
r = run("plain.out", "base=branch.out", "-q", "--event", "Bc", "-c", GATE)
ok(r.status != 0, "an event that one side lacks is an error", r)
r = run("branch.out", "base=plain.out", "-q", "-c", GATE.replace("delta%", "delta%.Bc"))
ok(r.status != 0, "here, too", r)

INLINED = "ob=/bin/app\nfl=a.c\nfn=main\n1 10\nfi=max.h\n%s5 1000\n%sfe=a.c\n2 10\n\ntotals: 1020\n"
for name, cfni in (("named.out", ("cfni=max\n", "cfni=???\n")), ("files.out", ("", ""))):
    with open(name, "w") as f:
        f.write("# callgrind format\nversion: 1\ncreator: callgrind-3.19.0\n"
                "positions: line\nevents: Ir\n\n" + INLINED % cfni)
for new, base in (("named.out", "files.out"), ("files.out", "named.out")):
    r = run(new, "base=" + base, "-q", "--no-index-write", "-c", "with inlined | " + GATE)
    ok(r.status == 0 and "on both, its file tells" in r.talk, "%s: inlined code by what both sides know" % new, r)
r = run("named.out", "base=named.out", "-q", "-c", "with inlined | functions vs base | show fn | as csv")
ok("max (inl)" in r.text and "file tells" not in r.talk, "names that both know are used", r)
case("inlined", "the names of inlined code are known on one side only", "named.out", "base=files.out",
     query="inlined vs base | where delta > 0 | expect none",
     accepted=4)


def parts(path, *triggers):
    with open(path, "w") as f:
        f.write("# callgrind format\nversion: 1\ncreator: callgrind-3.19.0\npid: 7\n")
        for i, t in enumerate(triggers):
            f.write("part: %d\ndesc: Trigger: Client Request: %s\npositions: line\nevents: Ir\nfl=a.c\n"
                    "fn=%s\n1 1000\n\ntotals: 1000\n" % (i + 1, t, t))


parts("two.out", "bench one", "bench two")
parts("three.out", "bench one", "bench two", "bench three")
for i in (1, 2):
    write("thread.%d" % i, [("main", "1000")], more="pid: 7\nthread: %d\n" % i)
PARTS = "parts vs base | where delta% > 5 and delta > 5000 | expect none"
case("parts", "parts without a partner: 0 here, 1 in base; the first: Client Request: bench three", "two.out",
     "base=three.out", query=PARTS)
case("parts", "parts without a partner: 1 here, 0 in base", "three.out", "base=two.out", query=PARTS)
case("parts", "threads without a partner: 1 here, 0 in base", "thread.1", "thread.2", "base=thread.1",
     query=PARTS.replace("parts", "threads"))

write("other.out", [("g%d" % i, "1") for i in range(5)] + [("f0", "1")])
write("few.out", [("h%d" % i, "1") for i in range(5)] + [("f0", "1")])
case("paired", "of the cost is in functions that both profiles have", "few.out", "base=other.out",
     query="functions vs base | where delta% > 5 and delta > 10 | expect none")
case("edges", "returns were taken for calls: 200 Ir (100.0 %)", fixtures + "/callers/inverted.cg", query="functions | expect self > 0")
with open(fixtures + "/callers/inverted.cg") as f:
    inverted = f.read()
# Other leaves and allocators; what may call back is none.
for obj, leaf, want in (
        ("/lib/ld-musl-aarch64.so.1", "free", 1), ("/usr/lib/libjemalloc.so.2", "je_malloc", 1), ("/usr/lib/libtcmalloc_minimal.so.4", "malloc", 1),
        ("/usr/lib/libmimalloc.so.2", "mi_free", 1), ("/usr/lib/libc-2.31.so", "__memcpy_generic", 1), ("/usr/lib/libc.so.6", "__memchr_nosimd", 1),
        ("/usr/lib/libc.so.6", "qsort", 0), ("/usr/lib/libc.so.6", "__libc_start_main", 0), ("/usr/lib/libstdc++.so.6", "operator new(unsigned long)", 0),
        ("/usr/bin/x", "malloc", 0)):
    with open("leaf.cg", "w") as f:
        f.write(inverted.replace("/usr/lib/aarch64-linux-gnu/libc.so.6", obj).replace(") malloc\n", ") %s\n" % leaf))
    same("returns were taken for calls" in run("leaf.cg", "-q", "--no-index-write", "-c", "info").talk, bool(want), "  %s of %s" % (leaf, obj))
same(sorted(set(words) - set(cases)), ["empty", "gone", "unsure"], "each word has a case here, in gate.t, action.t or pairs.t")
# An event that is a sum of others, and a sum of rows, may not fit: they stand at the same end on both sides.
for name, cost in (("sums.old", 10 ** 10), ("sums.new", 2 * 10 ** 10)):
    with open(name, "w") as f:
        f.write("events: Ir\nevent: Nj = 1000000000 Ir : energy\nfl=a.c\nfn=main\n1 %d\n" % cost)
for q in ("functions by Nj vs base | sum | expect delta% <= 2", "functions by Nj vs base | where delta% > 5 | expect none",
          "functions vs base | where delta.Nj > 0 | expect none", "let E = 1000000000 * Ir; functions by E vs base | expect delta <= 0",
          "why by Nj vs base | expect none", "functions by Nj vs base | take 0 | expect none",
          "functions by Nj vs base | group by obj: sum(delta) as d | expect d <= 0",
          "functions vs base | where 1000000000 * self > 1000000000 * base | expect none",
          "functions vs base | add x = 1000000000 * self - 1000000000 * base | where x > 0 | expect none",
          "let $much = -1000000000 * self < -9223372036854775808; functions | where $much | expect none"):
    r = run("sums.new", "base=sums.old", "-q", "--no-init", "-c", q)
    ok(r.status == 4 and "does not fit in 64 bits" in r.talk, "%s is in doubt" % q, r)
with open("whole.out", "w") as f:
    f.write("events: T\nfl=a.c\n" + "".join("fn=%s\n1 %d\n" % x for x in (("f", 6 * 10 ** 18), ("g", 5 * 10 ** 18))))
for q in ("functions of f | expect self% > 60", "ignore g | functions | expect self% > 60"):
    r = run("whole.out", "-q", "--no-init", "--accept", "totals", "-c", q)
    ok(r.status == 4 and "does not fit in 64 bits" in r.talk, "%s: shares of a whole that does not fit" % q, r)
with open("signs.out", "w") as f:
    f.write("events: T\n" + "".join("fl=a.c\nfn=%s\n1 %d\n" % x for x in (("a", 2 ** 63 - 2), ("b", 5), ("c", -5))))
r = run("signs.out", "-q", "--no-init", "-c", "functions | sort fn asc | group by obj: sum(self) as s | expect s < 0")
ok(r.status == 4 and "does not fit in 64 bits" in r.talk, "a sum that leaves 64 bits on its way stays at the end", r)
done()
