#!/usr/bin/env python3
"""pairs.t - which functions of two builds `vs` takes for the same, against known truth.

Function k costs 3k + 1 in the new profile and 3k + 2 in the base, so every row tells which
functions it joins.
"""
import json
import os
import random
import re
import shutil
import subprocess

from e2e import SLOW, busy, done, fixtures, ok, run, same, seed, skip

os.environ.pop("QUERN_INIT", None)


def write(path, functions):
    """functions: (object, file, name, cost)"""
    with open(path, "w") as f:
        f.write("# callgrind format\nevents: Ir\n\n")
        for obj, file, name, cost in functions:
            f.write("ob=%s\nfl=%s\nfn=%s\n1 %d\n\n" % (obj, file, name, cost))


def rows(*args, query="functions vs base", status=0):
    r = run("new", "base=old", "-q", "--rebuild", *args, "-c", query + " | as json")
    if not ok(r.status == status, "  " + query, r):
        return []
    answer = json.loads(r.text)
    return [dict(zip(answer["columns"], row)) for row in answer["rows"]]


def judge(what, both, *args, new=(), gone=()):
    """both: (new identity, old identity); identities are (object, file, name)."""
    fns = [(n, o) for n, o in both] + [(n, None) for n in new] + [(None, o) for o in gone]
    write("new", [n + (3 * k + 1,) for k, (n, _) in enumerate(fns) if n])
    write("old", [o + (3 * k + 2,) for k, (_, o) in enumerate(fns) if o])
    wrong, apart, joined = [], [], 0
    for row in rows(*args):
        k = (row["self"] or row["base"]) // 3
        if row["self"] and row["base"]:
            joined += 1
            if row["base"] // 3 != k:
                wrong.append([row[c] for c in ("fn", "was", "file", "obj", "rule", "self", "base")])
        elif k < len(both):
            apart.append(row)
    same(wrong, [], what + ": no wrong pair")
    same([r["fn"] for r in apart][:10], [], what + ": none is new or gone that is not")
    same(joined, len(both), what + ": pairs")


A, LIB = "/build/app", "/usr/lib/libx.so.1"
HASH = ["0123456789abcdef", "fedcba9876543210"]
TEN = [
    ("app::run::h" + HASH[0], "app::run::h" + HASH[1]),
    ("promoted.llvm.123", "promoted.llvm.456"),
    ("constant.constprop.0", "constant.constprop.1"),
    ("scalar.isra.0", "scalar.isra.3"),
    ("part.part.0", "part.part.2"),
    ("unlikely.cold", "unlikely"),
    ("main::{lambda(int)#1}::operator()(int) const", "main::{lambda(int)#2}::operator()(int) const"),
    ("{closure:/srv/a.php:3-9}", "{closure:/srv/a.php:4-10}"),
    ("class@anonymous/srv/a.php:12$0->run", "class@anonymous/srv/a.php:13$0->run"),
    ("same", "same"),
]
judge("the ten functions", [((A, "a.c", n), (A, "a.c", o)) for n, o in TEN])
table = {r["fn"]: r for r in rows(query="functions vs base | sort fn asc")}
same([(table[n]["change"], table[n]["was"]) for n, o in TEN[:-1]], [("renamed", o) for _, o in TEN[:-1]],
     "change says renamed, was the other name")
same((table["same"]["change"], table["same"]["was"], table["same"]["rule"]), ("", "", ""), "and nothing of the one that is equal")
same([table[n]["rule"] for n, _ in TEN[:-1]], ["hash"] + ["clone"] * 5 + ["lambda"] + ["line"] * 2, "rule says which")
r = run("new", "base=old", "-q", "-c", ".explain functions vs base")
ok("pairs: 1 equal; 5 by clone; 1 by hash; 2 by line; 1 by lambda; 0 new, 0 gone" in r.text, ".explain counts them", r.text)
LITTLE = ["new", "base=little"]
write("little", [(A, "a.c", "same", 1), (A, "z.c", "other", 99)])
r = run(*LITTLE, "-c", "functions vs base | take 1 | expect some")
ok(r.status == 4 and "paired" in r.text and "--accept paired" in r.talk, "little is paired: expect fails", r)
r = run(*LITTLE, "-q", "-c", "functions vs base > x.csv", "-c", "_ | where delta > 1000 | expect none")
ok(r.status == 4 and "paired" in r.talk, "so it does of the last result", r)
r = run(*LITTLE, "-c", "functions vs base | take 1 | expect some", "--accept", "paired")
ok(r.status == 0 and "new or gone" in r.talk, "unless it is told otherwise; and it is noted", r)
for gone, instead in (("--pair=exact", "rule"), ("--least-paired=0", "--accept paired"), ("--map-object=a=b", "--rename s/A$/B/"),
                      ("--strip-prefix=a=b", "--rename s,^A/,B/,")):
    r = run("new", "-c", "top", gone)
    ok(r.status == 2 and "quern has no " in r.talk and instead in r.talk, gone + " says what to use", r)

# ---- functions without names ----
FROM, TO = "/build/app-1.0", "/build/app-1.1"
MOVED = [0x1130, 0x1170, 0x1190, 0x2040, 0x2400]
judge("code that moved by one distance", [((A, "???", "0x%x" % (a + 0x30)), (A, "???", "0x%x" % a)) for a in MOVED])
judge("  in an executable that was renamed", [((TO, "a.c", n), (FROM, "a.c", n)) for n in ("main", "f", "g")] +
      [((TO, "???", "0x%x" % a), (FROM, "???", "0x%x" % a)) for a in MOVED[:2]])
judge("  of four or more, where one side has others, too", [((A, "???", "0x%x" % (a + 0x30)), (A, "???", "0x%x" % a)) for a in MOVED],
      new=[(A, "???", "0x1188")], gone=())
judge("  not by several distances", [], new=[(A, "???", "0x%x" % a) for a in (0x100, 0x200, 0x300)],
      gone=[(A, "???", "0x%x" % a) for a in (0x110, 0x210, 0x330)])
r = run("new", "base=old", "-q", "--rebuild", "-c", "functions vs base")
ok("note: which is which of 3 functions without names here and 3 in the base is not known" in r.talk, "    which is said", r)
r = run("new", "base=old", "-q", "--rebuild", "-c", re.search("functions vs base [^\n]*", r.talk).group() + " | as csv")
same(r.text.splitlines()[1:], [A + ",12,42,-30"], "    with a query that has a row for the object")
judge("  not of three objects", [], new=[("???", "???", "0x%x" % a) for a in (0x100, 0x200, 0x300)],
      gone=[("???", "???", "0x%x" % a) for a in (0x110, 0x210, 0x310)])

# ---- objects and files ----
names = ["f%d" % i for i in range(8)]
for now, then in (("/x/app-1.1", "/x/app-1.0"), ("/lib/libstdc++.so.6.0.30", "/lib/libstdc++.so.6.0.28"),
                  ("/lib/libc.so.6", "/lib/libc-2.31.so"), ("/x/server", "/y/old_server")):
    judge("%s and %s" % (now, then), [((now, "a.c", n), (then, "a.c", n)) for n in names])
    o = rows(query="objects vs base")
    same([(r["change"], r["was"]) for r in o], [("renamed", then)], "  the object is one, too")
judge("other libraries", [], new=[("/lib/libone.so", "???", n) for n in names],
      gone=[("/lib/libtwo.so", "???", n.upper()) for n in names])
judge("addresses mean nothing in another version",
      [((("/lib/libv.so.2"), "???", n), ("/lib/libv.so.1", "???", n)) for n in names],
      new=[("/lib/libv.so.2", "???", "0x%016x" % i) for i in range(5)],
      gone=[("/lib/libv.so.1", "???", "0x%016x" % (i + (i > 3))) for i in range(5)])
judge("a source tree that moved",
      [((A, "/home/me/src/%s/x.c" % d, "f"), (A, "/build/src/%s/x.c" % d, "f")) for d in "abc"])
judge("a file renamed", [((A, "new.c", n), (A, "old.c", n)) for n in names])
judge("a version in the path",
      [((A, "/build/lua-5.4.6/src/%s.c" % n, n), (A, "/build/lua-5.4.4/src/%s.c" % n, n)) for n in names])
judge("a qualified name needs no file", [((A, "a.h", "ns::T::f(int)"), (A, "b.h", "ns::T::f(int)")),
                                         ((A, "???", "plain"), (A, "a.c", "plain"))])
judge("files of one base name with nothing in common", [], new=[(A, "net/util.c", n) for n in ("init", "send", "receive")],
      gone=[(A, "gfx/util.c", n) for n in ("draw", "clear", "blit")])
judge("a file alone in another directory", [((A, "/new/place.c", n), (A, "/old/place.c", n)) for n in ("f", "g")])
STD = "/usr/include/c++/12/bits/basic_string.h"
judge("a static function that begins with inlined code of the system",
      [((A, "a.cc", "parse(std::string const&)"), (A, STD, "parse(std::string const&)")), ((A, STD, "get(int)"), (A, "b.cc", "get(int)"))])
judge("  unless there are two", [((A, "a.cc", "f(int)"), (A, "a.cc", "f(int)"))], new=[(A, "b.cc", "g(int)"), (A, "c.cc", "g(int)")],
      gone=[(A, STD, "g(int)")])
judge("static functions of two files are two", [], new=[(A, "a.c", "init")], gone=[(A, "b.c", "init")])
judge("--rename of an object", [(("/x/alpha", "a.c", "f"), ("/y/beta", "a.c", "f"))], "--rename", "s/alpha$/beta/")
judge("--rename", [((A, "a.c", "parse_v2"), (A, "a.c", "parse"))], "--rename", r"s/_v\d$//")
same(rows("--rename", r"s/_v\d$//")[0]["rule"], "rename", "  rule says so")
judge("--rename of a long name", [((A, "a.c", "b" + "a" * 3000), (A, "a.c", "b"))], "--rename", "s/(a|c)*$//")
for rule, why in (("s/(/x/", "missing"), ("parse", "s/RE/TO/"), ("s/a", "s/RE/TO/"), ("s/a/b/x", "s/RE/TO/"),
                  ("s/a/${/", ""), ("s/(a)/$2/", "unknown")):
    r = run("new", "-c", "top", "--rename", rule)
    ok(r.status == 2 and why in r.talk, "--rename '%s' is refused" % rule, r)
judge("parts of a function differ", [], new=[(A, "a.c", "f.part.0")], gone=[(A, "a.c", "f.cold")])
judge("overloads differ", [], new=[(A, "a.cc", "f(long)")], gone=[(A, "a.cc", "f(int)")])
STATIC = ["init(std::string const&)", "void init<std::string>(std::string)", "init(int)::{lambda(int)#1}::operator()(int) const",
          "operator<(ns::A, ns::A)", "class@anonymous/srv/a.php:12$0->run"]
judge("what may be static needs its file", [], new=[(A, "a%d.cc" % i, n) for i, n in enumerate(STATIC)],
      gone=[(A, "b%d.cc" % i, n.replace("a.php:12", "b.php:7")) for i, n in enumerate(STATIC)])
QUALIFIED = ["std::vector<int>::push(int)", "void ns::f<int>(int)", "std::string ns::g<std::a>()", "ns::T::operator<(ns::T)",
             "ns::T::operator bool()", "ns::T::operator->()", "decltype (x(std::a)) ns::h<int>()", "T::~T()",
             "<T as core::fmt::Display>::fmt", "<fn(i32) -> i32 as a::B>::c", "App\\F->run", "{closure:App\\F->run():12}"]
judge("qualified names", [((A, "a.h", n), (A, "b.h", n)) for n in QUALIFIED])
judge("a method named like a hash", [], new=[(A, "a.cc", "C::hdeadbeefdeadbeef(int)")], gone=[(A, "a.cc", "C::hfeedbeefdeadbeef(int)")])
judge("functions of Go named like closures", [], new=[(A, "a.go", "main.func1")], gone=[(A, "a.go", "main.func2")])
judge("two libraries with numbers in their names", [], new=[("/l/libx1.so", "???", n) for n in ("init", "a", "b")],
      gone=[("/l/libx2.so", "???", n) for n in ("init", "c", "d")])
judge("what every object has is no evidence", [], new=[("/l/libone.so", "???", n) for n in ("_init", "_fini", "0x1020")],
      gone=[("/l/libtwo.so", "???", n) for n in ("_init", "_fini", "0x1020")])
same([r["change"] for r in rows(query="objects vs base")], ["gone", "new"], "  these are two objects")
judge("two objects of one base name", [(("/b/libx.so", "???", n), ("/b/libx.so", "???", n)) for n in names],
      new=[("/a/libx.so", "???", n) for n in names])


def nested(k):
    return "f::{lambda()#1}" * 9 + "::{lambda()#%d}::operator()" % k


judge("ten lambdas in a name", [((A, "a.c", nested(k)), (A, "a.c", nested(k))) for k in range(2, 40)], new=[(A, "a.c", nested(1))])


# ---- closures ----
def closures(*spans):
    return [(A, "/srv/a.php", "{closure:/srv/a.php:%d-%d}" % s) for s in spans]


judge("a line above closures of one line", list(zip(closures((4, 4), (5, 5), (6, 6)), closures((3, 3), (4, 4), (5, 5)))))
judge("closures above others", list(zip(closures((3, 9), (14, 14), (20, 31)), closures((3, 9), (12, 12), (18, 29)))))
judge("a closure more, at the end", list(zip(closures((3, 9), (12, 14)), closures((3, 9), (12, 14)))), new=closures((20, 22)))
judge("a closure more, before", list(zip(closures((13, 19), (22, 24)), closures((3, 9), (12, 14)))), new=closures((2, 7)))
judge("what is uncertain stays apart", [], new=closures((4, 4), (5, 5), (6, 6)), gone=closures((5, 5), (7, 7)))

# ---- who is who, and what is not certain ----
SPEEDUPS = "/v%d/site-packages/%s/_speedups.so"
for now, then in ((1, 1), (2, 1)):
    judge("objects of one base name", [((SPEEDUPS % (now, "simplejson"), "???", n), (SPEEDUPS % (then, "simplejson"), "???", n)) for n in ("0x1020", "0x1040")],
          gone=[(SPEEDUPS % (then, "markupsafe"), "???", n) for n in ("0x1020", "0x1040")])
    same(sorted((r["name"], r["change"]) for r in rows(query="objects vs base")), sorted([(SPEEDUPS % (now, "simplejson"), ""), (SPEEDUPS % (then, "markupsafe"), "gone")]),
         "  by the longest end of their paths")
judge("a file that is required", [((A, "/srv/v2/app.php", "%s::/srv/v2/%s" % (k, f)), (A, "/srv/v1/app.php", "%s::/srv/v1/%s" % (k, f)))
                                  for k in ("require", "require_once", "include", "include_once") for f in ("src/Repo.php", "lib/init.php", "src/init.php")])
judge("digits in directories are no versions", [], new=[(A, "/src/sha1/block.c", n) for n in ("one", "two")],
      gone=[(A, "/src/sha256/block.c", n) for n in ("three", "four")])
judge("a closure inserted where another began", list(zip(closures((7, 13), (20, 26), (30, 36)), closures((3, 9), (16, 22), (26, 32)))), new=closures((3, 5)))
LAMBDA = "main::{lambda(int)#%d}::operator()(int) const"
GATE5 = "functions vs base | where delta% > 5 and delta > 1000 | "


def costs(path, names):
    write(path, [(A, "a.cc", n, c) for n, c in names])


for what, name in (("lambdas", LAMBDA), ("clones", "f.constprop.%d"), ("Go's closures", "main.run.func%d")):
    costs("old", [("main", 1000000)] + [(name % (i + 1), c) for i, c in enumerate((120009, 70000, 60009))])
    costs("new", [("main", 1000000)] + [(name % (i + 1), c) for i, c in enumerate((112500, 60009))])    # the first is gone, the second 2.25 times as dear
    r = run("new", "base=old", "-q", "--rebuild", "-c", GATE5 + "expect none")
    ok(r.status == 4 and "hangs on pairs that are not certain" in r.talk and "--accept unsure" in r.talk, "%s: a gate hangs on what is not certain" % what, r)
    r = run("new", "base=old", "-q", "--accept", "unsure", "-c", GATE5 + "expect none")
    same(r.status, 0 if what != "clones" else r.status, "  unless that is accepted")
    same([(x["fn"], x["unsure"]) for x in rows(query="functions vs base | sort fn asc | show fn, unsure")],
         [(n, n != "main") for n in sorted(["main"] + [name % i for i in (1, 2, 3)])], "  a column says which")
    r = run("new", "base=old", "-q", "-c", "functions vs base | where delta% > 5 and delta > 200k | expect none", "-c", "functions vs base | sum | expect delta% <= 5")
    same(r.status, 0, "  one that holds whichever is which passes")
    r = run("new", "base=old", "-q", "-c", "functions vs base | where unsure")
    ok("which is which is not certain" in r.talk and "unsure" in r.text, "  it is noted, and shown", r)
    shutil.copy("new", "old")
    r = run("new", "base=old", "-q", "--rebuild", "-c", "functions vs base | where delta != 0 or unsure | expect none")
    same(r.status, 0, "  the same numbers are certain")

# ---- 10,000 functions, all of it at once ----
dice = random.Random(seed(37))


def chance(p):
    return dice.random() < p


def hexes(n):
    return "".join(dice.choice("0123456789abcdef") for _ in range(n))


both, new, gone = [], [], []
for f in range(500):
    file = ["src/%s/%s.c" % (hexes(4), hexes(6)), "/build/src/m%d/mod.rs" % f, "/srv/m%d/a.php" % f, "src/m%d.cc" % f][f % 4]
    moved = "/home" + file if chance(0.3) else file
    obj, other = ("/x/app-2.0", "/x/app-1.9") if f % 3 else (LIB, LIB)
    shift = dice.randrange(0, 4)
    line = lambdas = 0
    for i in range(20):
        n = "%s_%d" % (hexes(5), i)
        o = n
        if f % 4 == 0:
            n, o = dice.choice([(n, n), (n + ".isra.0", n + ".isra.1"), (n + ".constprop.0", n), (n, n + ".part.0"), (n + ".cold", n)])
        elif f % 4 == 1:
            n, o = "m::%s::h%s" % (n, hexes(16)), "m::%s::h%s" % (n, hexes(16))
        elif f % 4 == 2:
            line += dice.randrange(3, 9)
            size = dice.randrange(0, 3)
            n, o = ("{closure:%s:%d-%d}" % (file, line + shift, line + shift + size),
                    "{closure:%s:%d-%d}" % (moved, line, line + size))
        elif chance(0.5):
            lambdas += 1
            n = o = "f%d::{lambda(int)#%d}::operator()(int) const" % (f, lambdas)
        # Closures that come or go leave no certain order; all else may.
        fate = dice.random() if f % 4 != 2 and "lambda" not in n else 1
        if fate < 0.1:
            new.append((obj, file, n))
        elif fate < 0.2:
            gone.append((other, moved, o))
        else:
            both.append(((obj, file, n), (other, moved, o)))
judge("10,000 functions", both, new=new, gone=gone)

# ---- A with A, A with B, B with A ----
forth = rows()
os.rename("new", "n")
os.rename("old", "new")
os.rename("n", "old")
back = {(r["self"], r["base"]): r["delta"] for r in rows()}
same([r for r in forth if back.get((r["base"], r["self"])) != -r["delta"]], [], "A vs B is -(B vs A)")
shutil.copy("new", "old")
same([r for r in rows() if r["delta"] or r["delta%"] or r["change"] or r["was"] or r["rule"]], [], "A vs A: nothing changed")

# ---- real builds ----
TRUE = {"rust": (0, 0), "php": (0, 0), "cpp": (2, 0)}    # one lambda more is two functions
for name, counts in TRUE.items():
    shutil.copy(fixtures + "/pairs/%s-two.out" % name, "new")
    shutil.copy(fixtures + "/pairs/%s-one.out" % name, "old")
    change = [r["change"] for r in rows()]
    same((change.count("new"), change.count("gone")), counts, name + ": truly new and gone")
    files = [r["change"] for r in rows(query="files vs base")]
    same((files.count("new"), files.count("gone")), (0, 0), name + ": no file is new or gone")
    for query in ("calls vs base", "lines vs base"):
        lost = [r for r in rows(query=query) if r["change"] == "gone" and name == "rust"]
        same(lost, [], "%s: %s" % (name, query))

# ---- names on both sides ----
write("new", [(A, "a.c", "fresh", 10), (A, "a.c", "work.isra.1", 7)])
write("old", [(A, "a.c", "stale", 10), (A, "a.c", "work.isra.0", 5)])
same([(r["fn"], r["self"], r["base"]) for r in rows(query="functions of work.isra.1 vs base")], [("work.isra.1", 7, 5)],
     "a new name finds the old function in the base")
same([(r["fn"], r["self"], r["base"]) for r in rows(query="functions of work.isra.0 vs base")], [("work.isra.1", 7, 5)],
     "an old one the new function")
same([(r["self"], r["base"]) for r in rows(query="focus work.isra.1 | functions vs base")], [(7, 5)], "so does focus")

# ---- the gate ----
GATE = "functions vs base | where delta% > 5 | expect none"
r = run("new", "base=old", "-q", "-c", GATE, "--accept", "paired")
ok(r.status == 4 and "fresh" in r.text and "work.isra.1" in r.text and "new" in r.text, "a new function breaks the gate, a renamed one, too", r)
same([r["fn"] for r in rows(query="functions vs base | sort delta% | take 1")], ["fresh"], "it sorts first")
same([(r["delta%"], r["change"]) for r in rows(query="functions vs base | take 1")], [(None, "new")], "null, with change")
r = run("new", "base=old", "-q", "-c", "functions vs base | take 1 | show fn, delta, delta% | as md")
ok("| +10 | new |" in r.text, "in a review a new row has no sign before `new`", r)
same([r["fn"] for r in rows(query="functions vs base | where delta% - 1 > 5")], ["fresh", "work.isra.1"], "arithmetic keeps it")
same([(r["self"], r["base"], r["delta"], r["delta%"]) for r in rows(query="functions vs base | sum")], [(17, 15, 2, 100 * 2 / 15)],
     "sum is the change of the whole")
same([(r["total"], r["base"], r["delta"], r["delta%"]) for r in rows(query="info vs base")], [(17, 15, 2, 100 * 2 / 15)], "info vs base, too")
r = run("new", "base=old", "-q", "-c", "info vs base | as json")
same(json.loads(r.text)["meta"]["paired"], [100 * 7 / 17, 100 * 5 / 15], "the share paired is in the meta data")

r = run("new", "base=old", "-q", "-c", "functions vs base | expect delta% < 5 | count", "--accept", "paired")
ok(r.status == 1 and "before 'expect'" in r.talk, "an expectation of other rows", r)

# ---- nothing was recorded ----
write("new", [])
for query in ("functions vs base | where delta% > 5 | expect none", "info vs base | expect delta% < 5",
              "cost of work vs base | expect delta% < 5", "events vs base | expect delta% < 5"):
    r = run("new", "base=old", "-q", "--rebuild", "-c", query)
    ok(r.status == 4 and "0.0 %" in r.talk, "a profile of nothing breaks the gate: " + query, r)

# ---- names made to take long ----
LONG = 1 << 20
for what, text in (("classes", "@anonymous"), ("classes and lines", "@anonymous:1"), ("brackets", " [clone .cold")):
    text *= LONG // len(text)
    write("new", [(A, "a.c", text + "x", 1)])
    write("old", [(A, "a.c", text + "y", 1)])
    begin = busy()
    r = run("new", "base=old", "-q", "--rebuild", "-c", "functions vs base | count")
    took = busy() - begin
    ok(r.status == 0 and took < 3 * SLOW, "a name of 1 MiB of " + what, (took, r))
for side, text in (("new", "x.isra.1"), ("old", "x.isra.2")):
    with open(side, "w") as f:
        f.write("# callgrind format\nevents: Ir\n\nob=%s\n" % A)
        for i in range(20000):
            f.write("fl=a%d.c\nfn=(1)%s\n1 1\n\n" % (i, "" if i else " " + text * (LONG // 8)))
begin = busy()
r = run("new", "base=old", "-q", "--rebuild", "--limit", "seconds=1", "-c", "functions vs base | count")
took = busy() - begin
ok(r.status == 6 and took < 6 * SLOW, "many functions of one such name: the time limit holds", (took, r))

# ---- several runs on a side ----
def a_run(path, pid, costs, parts=1):
    with open(path, "w") as f:
        for part in range(parts):
            f.write("# callgrind format\nversion: 1\ncreator: callgrind-3.19.0\npid: %d\ncmd: ./app\npart: %d\nevents: Ir\n\n" % (pid, part + 1))
            for name, cost in costs.items():
                f.write("fl=a.c\nfn=%s\n1 %d\n\n" % (name, cost // parts if part else cost - cost // parts * (parts - 1)))


NOW = [{"steady": 100, "noisy": 90, "slower": 55, "fresh": 5}, {"steady": 100, "noisy": 130, "slower": 60, "fresh": 5},
       {"steady": 100, "noisy": 110, "slower": 70, "fresh": 5}]
THEN = [{"steady": 100, "noisy": 100, "slower": 50, "stale": 7}, {"steady": 100, "noisy": 95, "slower": 54, "stale": 9}]
for i, costs in enumerate(NOW):
    a_run("now.%d" % i, 100 + i, costs, parts=i + 1)
for i, costs in enumerate(THEN):
    a_run("then.%d" % i, 200 + i, costs)


def middle(costs):
    costs = sorted(costs)
    return (costs[(len(costs) - 1) // 2] + costs[len(costs) // 2]) // 2


r = run("now.0", "now.1", "now.2", "base=then.*", "-c", "functions vs base | as json")
answer = json.loads(r.text)
got = {row[answer["columns"].index("fn")]: dict(zip(answer["columns"], row)) for row in answer["rows"]}
for name in ("steady", "noisy", "slower", "fresh", "stale"):
    a, b = ([costs.get(name, 0) for costs in side] for side in (NOW, THEN))
    same([got[name][c] for c in ("least", "median", "most", "base_least", "base_median", "base_most")],
         [min(a), middle(a), max(a), min(b), middle(b), max(b)], "of single runs: " + name)
    same(got[name]["noise"], min(a) <= max(b) and min(b) <= max(a), "  noise")
ok("3 runs here, 2 in the base" in r.talk, "that sums of 3 and 2 runs mean nothing is noted", r.talk)
r = run("now.0", "now.1", "now.2", "base=then.*", "-q", "-c",
        "functions vs base | where not noise and median > 1.05 * base_median | show fn | as csv")
same(r.text.split(), ["fn", "slower", "fresh"], "a gate without noise")

for i in range(2):
    for side, cost in (("now", 200), ("then", 100)):
        with open("%s.%d" % (side, i), "w") as f:
            f.write("# callgrind format\nversion: 1\npid: %d\nevents: Ir\n\nfl=a.c\nfn=main\n1 1\ncfn=work\ncalls=1 1\n1 %d\n\n"
                    "fn=other\n1 5\ncfn=work\ncalls=1 1\n1 2\n\nfn=work\n1 %d\n\n" % (cost + i, cost, cost + 2))
BY_RUN = "functions vs base | where not noise and median > 1.05 * base_median | expect none"
several = ("now.0", "now.1", "base=then.*", "-q", "--rebuild")
for stage, status in (("", 4), ("collapse work | ", 4), ("hide other | ", 1), ("focus main | ", 1)):
    r = run(*several, "-c", stage + BY_RUN)
    ok(r.status == status, "the gate after '%s'" % stage, r)
ok("'noise' is not known" in r.talk, "  what is not known of single runs is an error", r.talk)
ok(run(*several, "-c", "hide other | functions vs base | as json").status == 0, "  all else is answered")

# ---- parts ----
def benchmarks(path, costs):
    with open(path, "w") as f:
        for i, (name, cost) in enumerate(costs):
            f.write("# callgrind format\nversion: 1\npid: 7\npart: %d\n%sevents: Ir\n\nfl=a.c\nfn=main\n1 %d\n\n" %
                    (i + 1, "desc: Trigger: Client Request: %s\n" % name if name else "", cost))


benchmarks("new", [("sort", 10), ("parse", 20), ("extra", 5)])
benchmarks("old", [("parse", 16), ("sort", 10), ("lost", 3)])
same([(r["self"], r["base"], r["change"]) for r in rows(query="parts vs base")],
     [(10, 10, ""), (20, 16, ""), (5, 0, "new"), (0, 3, "gone")], "parts of one name are the same, wherever they stand")
benchmarks("new", [("", 10), ("", 20)])
benchmarks("old", [("", 9), ("", 21)])
same([(r["self"], r["base"]) for r in rows(query="parts vs base")], [(10, 9), (20, 21)], "parts without names: in their order")
same([(r["self"], r["base"]) for r in rows(query="part 2 | functions vs part 1")], [(20, 10)], "one part with another")
same([(r["self"], r["base"]) for r in rows(query="functions vs part 1")], [(30, 10)], "the whole with a part")
same([(r["self"], r["base"]) for r in rows(query="functions vs base part 2")], [(30, 21)], "with a part of the base")
same([(r["self"], r["base"]) for r in rows(query="part 2 | parts vs part 1")], [(20, 10)], "parts vs part")
r = run("new", "base=old", "-q", "-c", "functions vs part 9")
ok(r.status == 1 and "no part of new has the number 9" in r.talk, "a part that is not there", r)

# ---- an object that is not known tells nothing apart ----
FOUND = fixtures + "/found/"
shutil.copy(FOUND + "no-objects.cg", "new")
shutil.copy(FOUND + "objects.cg", "old")
known = [("work", 900, 700, "object"), ("main", 300, 300, "object")]
same([(r["fn"], r["self"], r["base"], r["rule"]) for r in rows(query="functions vs base | sort self")], known,
     "Cachegrind beside Callgrind: no objects on one side")
for old, new in (("app", "???"), ("???", "app")):
    judge("object %s, then %s" % (old, new),
          [((new, "/src/a.c", n), (old, "/src/a.c", o)) for n, o in TEN] +
          [((new, "???", "stripped"), (old, "/src/b.c", "stripped")), ((new, "c.c", "base name"), (old, "/src/c.c", "base name"))],
          new=[(new, "/src/a.c", "two")], gone=[("liba.so", "/src/a.c", "two"), ("libb.so", "/src/a.c", "two")])
judge("two objects that are known", [((A, "a.c", "f"), (A, "a.c", "f"))], new=[(LIB, "a.c", "g")], gone=[("/bin/other", "a.c", "g")])

# ---- a clone, and the piece of its function beside it ----
judge("f.isra.0, then f and f.cold", [((A, "a.c", "f"), (A, "a.c", "f.isra.0")), ((A, "a.c", "g(int)"), (A, "a.c", "g(int) [clone .isra.0]")),
      ((A, "a.c", "h"), (A, "a.c", "h.constprop.1")), ((A, "a.c", "h.cold"), (A, "a.c", "h.constprop.1.cold"))],
      new=[(A, "a.c", "f.cold"), (A, "a.c", "g(int) [clone .cold]")])
judge("  two clones and one: neither is it", [((A, "a.c", "x"), (A, "a.c", "x"))], new=[(A, "a.c", "f"), (A, "a.c", "f.cold")],
      gone=[(A, "a.c", "f.isra.0"), (A, "a.c", "f.constprop.0")])

# ---- instances that differ in a hash alone, without calls: by their cost, which is not certain ----
def instances(path, costs):
    with open(path, "w") as f:
        f.write("events: Ir\nfl=a.rs\n" + "".join("fn=drop::h%016x\n1 %d\n" % (n, cost) for n, cost in costs))


instances("new", enumerate([10, 900, 31, 500, 77]))
instances("old", ((100 + n, cost) for n, cost in enumerate([30, 77, 500, 10])))
same(sorted((r["self"], r["base"], r["rule"], r["unsure"]) for r in rows(query="functions vs base | show self, base, rule, unsure")),
     [(10, 10, "hash", True), (31, 0, "", True), (77, 77, "hash", True), (500, 500, "hash", True), (900, 30, "hash", True)],
     "instances: those of equal cost first")

# ---- cg_diff says the same where it can ----
def cg_diff(new, old):
    """Ir of each (file, function) by Cachegrind's own tool: the new less the old one."""
    text = subprocess.run(["cg_diff", old, new], stdout=subprocess.PIPE, check=True).stdout.decode()
    found, file, at = {}, None, None
    for line in text.splitlines():
        if line.startswith("fl="):
            file = line[3:]
        elif line.startswith("fn="):
            at = (file, line[3:])
        elif re.match(r"\d+ -?\d", line):
            found[at] = found.get(at, 0) + int(line.split()[1])
    return {k: v for k, v in found.items() if v}


if shutil.which("cg_diff"):
    shutil.copy(fixtures + "/producers/cachegrind-default.out", "new")
    shutil.copy(fixtures + "/small/cachegrind-lua.out", "old")
    want = cg_diff("new", "old")
    got = {}
    for row in rows():
        key = (row["file"], row["fn"])
        got[key] = got.get(key, 0) + row["delta"]
    got = {k: v for k, v in got.items() if v}
    same(sum(got.values()), sum(want.values()), "the change of the whole is that of cg_diff")
else:
    skip("cg_diff says the same", "valgrind is not installed")
# ---- contexts of a function are no votes against it ----
shutil.copy(fixtures + "/small/mutual-default.out", "old")
with open("old") as f, open("new", "w") as g:
    g.write(f.read().replace("/build/src/mutual\n", "/build/src/other\n"))
same(rows(query='functions vs base | where change != "" and not fn ~ /^0x/'), [], "an executable with recursion is renamed")
done()
