#!/usr/bin/env python3
"""bombs.t - queries made to take for ever: each is answered or ends with status 6 and says why.

Graphs with 2^200 paths, expressions of repetitions, deep and long queries, rows without end.  None
may hang, die by a signal or give some of the rows without a word.
"""
import os
import resource

from e2e import done, ok, run

BIG = bool(os.environ.get("QUERN_TORTURE"))
# An operator takes more stack in a program that is not optimised, or under a sanitizer: fewer are allowed.
FEW = "operators in one expression" if os.environ.get("QUERN_VARIANT") in ("debug", "coverage", "asan", "tsan") else ""


def diamonds(path, n):
    """v0 calls l0 and r0, both call v1, and so on: 2^n paths."""
    with open(path, "w") as f:
        f.write("events: Ir\nfl=a.c\n")
        for i in range(n):
            f.write("fn=v%d\n1 1\ncfn=l%d\ncalls=1 1\n1 10\ncfn=r%d\ncalls=1 1\n1 10\n" % (i, i, i))
            for k in "lr":
                f.write("fn=%s%d\n1 1\ncfn=v%d\ncalls=1 1\n1 5\n" % (k, i, i + 1))
        f.write("fn=v%d\n1 1\n" % n)


def dense(path, n, cyclic):
    """Everybody calls everybody, or everybody behind them."""
    with open(path, "w") as f:
        f.write("events: Ir\nfl=a.c\n")
        for i in range(n):
            f.write("fn=(%d) f%d\n1 1\n" % (i + 1, i))
            for k in range(0 if cyclic else i + 1, n):
                f.write("cfn=(%d) f%d\ncalls=1 1\n1 %d\n" % (k + 1, k, n - k))


def many(path, names):
    with open(path, "w") as f:
        f.write("events: Ir\nfl=a.c\n")
        for i, name in enumerate(names):
            f.write("fn=%s\n%d %d\n" % (name, i + 1, i * 7919 % 100003))


diamonds("paths", 200)
dense("dag", 400 if BIG else 150, False)
dense("cycle", 200 if BIG else 60, True)
N = 1000000 if BIG else 5000
many("many", ("function_%d_with_a_name_that_is_neither_short_nor_long" % i for i in range(N)))
many("long", ("a" * 20000 + str(i) for i in range(100)))
# One word of 1 MiB four times over, looked through for words as long as a query may have.
many("words", ("a" * (1 << 20) + "_%d" % i for i in range(4)))


def looked_through(depth):
    """A C++ name of A<x, x> of A<x, x> ...: libiberty looks 2^depth times for a pack in it."""
    digits = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"
    refs = ["S" + (digits[k // 36] if k >= 36 else "") + digits[k % 36] + "_E" for k in range(depth)]
    return "_Z1fDp1AI" + "S_I" * (depth - 1) + "S_IiiE" + "".join(refs)


many("substitutions", (looked_through(50) + "'%d" % i for i in range(2, 100)))
# As many sets as two to that power; unit/query_test.c has one that meets its limit of seconds.
DOUBLED = 20 if BIG else 5
doubled = "let $a = * or *; " + " ".join(
    "let $%s = $%s or $%s;" % (chr(98 + i), chr(97 + i), chr(97 + i)) for i in range(DOUBLED)) + " functions of $" + chr(97 + DOUBLED) + " | count"
ROWS, MEMORY, GAVE_UP = "the answer is incomplete", "out of memory", "gave up"

# profile, query, statuses that are right, words of the message when it is not 0
CASES = [
    ("paths", "all paths from v0 to v200", (6,), ROWS),
    ("paths", "hottest 1000000 paths from v0 to v200", (0,), ""),
    ("paths", "shortest 100000 paths from v0 to v200", (0,), ""),
    ("paths", "widest path from v0 to v200", (0,), ""),
    ("paths", "calltree from v0 depth all", (0,), ""),
    ("paths", "calltree to v200 depth all", (0,), ""),
    ("paths", "callers of v200 depth 100000", (0,), ""),
    ("paths", "calltree from v0 depth 5", (0,), ""),
    ("paths", "cost of v200 under v0", (0,), ""),
    ("paths", "cost of v200 under v0 via l7 avoiding r9", (0,), ""),
    ("paths", "hide l* and r* | calltree from v0 depth 4", (0, 1), ""),
    ("dag", "all paths from f0 to f149 depth 12", (0, 6), ""),
    ("dag", "hottest 1000 paths from f0 to f149", (0,), ""),
    ("dag", "calltree from f0 depth all", (0,), ""),
    ("dag", "hide * and not f0 and not f149 | calls", (0,), ""),
    ("cycle", "all paths from f0 to f1", (0, 6), ROWS),
    ("cycle", "calltree from f0 depth all", (0,), ""),
    ("cycle", "hide f1* | calls", (0,), ""),
    ("many", "functions | sort incl | take 18446744073709551615 | count", (0,), ""),
    ("many", "functions | sort fn, self, incl asc, file | take 5", (0,), ""),
    ("many", "functions | group by fn: sum(self), count, avg(incl), min(self), max(self) | take 5", (0,), ""),
    ("many", "functions | where fn ~ /^(a|b|ab)*c/", (0,), ""),
    ("many", "find /(.*)(.*)(.*)(.*)(.*)(.*)(.*)(.*)[xyz]$/", (6,), GAVE_UP),
    ("many", "find /(((a{1,100}){1,100}){1,100})/", (1,), "too large"),
    ("long", "find /(a+)+$/", (6,), GAVE_UP),
    ("long", "functions | where fn ~ /(a|aa)+$/", (6,), GAVE_UP),
    ("long", "find /(?R)/", (6,), GAVE_UP),
    ("long", "find /%s/" % ("(" * 20000), (1,), "too deeply nested"),
    ("many", "functions | add x = " + "(" * 250 + "self" + ")" * 250, (6,), "nested more than 200 deep"),
    ("many", "functions of " + "(" * 250 + "f*" + ")" * 250, (6,), "nested more than 200 deep"),
    ("many", "functions of " + "not " * 10000 + "f*", (6,), "nested more than 200 deep"),
    ("many", "functions | add x = " + "-" * 10000 + "self", (1, 6), ""),
    ("many", "functions | where " + "not " * 10000 + "self > 1", (6,), "nested more than 200 deep"),
    ("many", "functions | add x = " + "self+" * 2000 + "1 | count", (0, 6), MEMORY),
    ("many", "functions | add x = " + "1+" * 32000 + "1", (6,), "operators in one expression"),
    ("many", "functions | take 1 | add a = self / calls" + (" | add a = a" + "+1" * 1500) * 8 + " | show a | sum", (6,), "a quotient made of others"),
    ("many", "functions | where " + "1=1 or " * 5000 + "1=1", (6,), "operators in one expression"),
    ("many", "functions of " + "f," * 32000 + "f", (6,), "operators in one expression"),
    ("many", "functions of " + "#1," * 20000 + "#1", (6 if FEW else 0,), FEW),
    ("many", "lines of " + "file:*," * 9000 + "#1", (6,) if FEW else (0, 1), FEW),
    ("many", "let $a0 = f*; " + "".join("let $a%d = $a%d; " % (i + 1, i) for i in range(400)) + "functions of $a400", (6,), "more than 200 deep"),
    ("many", "functions | where " + " and ".join("self > %d" % i for i in range(1200)), (0, 6), MEMORY),
    ("many", "functions | sort self" + " | sort self" * 2000 + " | count", (0, 6), ""),
    ("many", "functions of " + " or ".join("function_%d*" % i for i in range(50)), (0, 6), ""),
    ("many", doubled, (6 if BIG else 0,), "took longer than its limit" if BIG else ""),
    ("many", "functions | add a = " + "9" * 60 + " | take 1", (0,), ""),
    ("many", "functions | add a = " + "9" * 70 + " | take 1", (1,), "too many digits"),
    ("many", 'functions | where fn = "%s"' % ("x" * 60000), (0,), ""),
    ("many", 'functions | where fn = "%s"' % ("x" * 70000), (6,), "the limit is 65536"),
    ("many", "top 1; " * 9000, (0,), ""),
    ("many", "; " * 30000, (0, 1), ""),
    ("words", "functions of %s | count" % ("a" * 30000), (0,), ""),
    ("words", "functions of *%sb*%s | count" % ("a" * 9999, "a" * 10000), (1,), "no function matches"),
    ("words", "functions of " + "a*" * 10000 + "b | count", (1,), "no function matches"),
    ("substitutions", "find main", (1,), "no function matches"),
    ("substitutions", "functions | take 1 | show self", (0,), ""),
    ("many", "| " * 30000, (1,), "error"),
    ("many", "functions | take 18446744073709551616", (1,), "error"),
    ("many", "functions | show " + ", ".join(["self"] * 8000) + " | take 1", (0, 1, 6), ""),
]
for profile, query, statuses, words in CASES:
    name = "%s: %s" % (profile, query if len(query) < 90 else query[:60] + " ... (%d bytes)" % len(query))
    r = run(profile, "-q", "--no-init", "--format", "csv", "-c", query)
    said = words in r.talk and "error: " in r.talk if r.status else all(line.startswith("note: ") for line in r.talk.splitlines())
    ok(r.status in statuses and said, name, "status %d\n%s" % (r.status, r.talk[:600]))
# Names are looked through 64 KiB at a time where the case differs.
many("across", ["b" * (65536 - k) + "NeedleHere" + "c" * 70000 for k in (-1, 0, 1, 5, 9, 10, 11)] + ["b" * 140000])
for part, found in (("needlehere", 7), ("needle", 7), ("b" * 65000 + "NEEDLE", 7), ("hereneedle", 0)):
    r = run("across", "-q", "--format", "csv", "-c", "functions of %s | count" % part)
    ok(r.text.split() == ["count", str(found)] if found else "no function matches" in r.talk, "in another case: " + part[-10:], (r.text[:99], r.talk[:300]))
with open("far.q", "w") as f:
    f.write("functions | take 1" + " " * 1000000 + "+")
r = run("many", "-q", "--no-init", "--limit", "text=2M", "-f", "far.q")
caret = r.talk.splitlines()[1:3]
ok(r.status == 1 and caret[0].startswith("  ...  ") and caret[0].rstrip("\n").endswith("+") and
   caret[1] == " " * (len(caret[0]) - 1) + "^", "an error far to the right is shown", r)
if os.environ.get("QUERN_VARIANT", "release") == "release":
    used = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss >> 10
    ok(used < 1200, "none took more than its 512 MiB and the maps", "%d MiB" % used)
r = run("paths", "-q", "-c", "calltree from v0 depth all | as svg > tree.svg")
ok(r.status == 0 and open("tree.svg").read().endswith("</svg>\n"), "no picture is too large", r)

# A function that keeps none of the cost that waits there was listed each time it came.
with open("parts", "w") as f:
    f.write("version: 1\n")
    for i in range(1000):
        f.write("part: %d\nevents: Ir Dr\nfl=a.c\nfn=f%d\n1 %d 2\ncfn=f%d\ncalls=1 1\n2 3 4\n\n" % (i + 1, i % 50, i, i * 7 % 50))
for most in (1, 3, 20):
    r = run("parts", "-q", "-c", "calltree max %d | as folded" % most)
    got = sum(int(line.rsplit(" ", 1)[1]) for line in r.text.splitlines())
    ok(r.status == 0 and got == sum(range(1000)), "a circle of many parts, max %d: frames have all of the cost" % most, r)
done()
