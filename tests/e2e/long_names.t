#!/usr/bin/env python3
"""long_names.t - the work that a name makes grows with its length, and no faster.

800 names of pieces of every grammar, some of them long, are functions, files and objects of a
profile.  Each question may take so much processor time: of what grows with the square, one such
name alone takes longer.
"""
import os
import random
import resource
import signal
import subprocess
import time

from e2e import HUNG, SLOW, done, environ, ok, quern, run, same

NAMES, LONG, BYTES = (2000, 100, 16384) if "QUERN_TORTURE" in os.environ else (800, 50, 16384)
SECONDS = 4 * SLOW       # of processor time for one question: a quarter of a second is usual
DEEP = 190000            # pieces of one name: a stack of 8 MB ends before, and the square of it takes minutes

PIECES = """< ( [ { > ) ] } << >> :: -> . .. \\ / : # operator operator< operator() operator|new <<T|as| <impl| |as|X>:: |for|
' '2 @ @@ | || ,| |const |[clone|.part.0] |[clone| |[1/2] |(discriminator|3) .part.0 .1 .1a .constprop {lambda(int)#1}
{closure:/a.php:1-2} {closure:/ @anonymous :1$0 $_0 'lambda0' .func1 .gowrap1 17h ::h0123456789abcdef [abcdef0123456 Cs1a_
(anonymous|namespace) (*T) decltype|( a foo std::vector<int,|std::allocator<int>|> " ` C:\\a\\ /usr/lib/x.so x.c:12 |t.py:24 <module>
-[A|b:] \u00e9 \u202e ~ * ... \u2026 ;| |->| => <=> && $ camlA__b_1 caml $$ ! /1 lists:map/2 fun@ type..eq. block|in| |in| rescue|
<method|'a'|of|' __ANON__[ BEGIN@ guard|variable|for| -@ %2e _Z _ZN3fooE _RN""".split()
PIECES = [p.replace("|", " ") for p in PIECES]
QUERIES = """functions
top 300
functions | show short(fn)
functions | show short, class, fn
classes
dirs
files
objects
find a
find "operator"
find foo::a
find std::*
find "a::b"
find /a+<b/
find /A+<B/i
find "nothing like it"
find mispelledname
functions of class:foo
functions of file:a
callers of *
calltree from *
calltree from * depth 3
path from #1 to #5
calls
callsites
lines
functions | group by short(fn): sum(self)
functions | group by dirname(file)
functions | where fn ~ "operator"
functions | where fn ~ /operator.*</
functions | where short ~ "a"
functions vs base
calltree from * vs base
files vs base
functions vs base | where change = "new"
info #7
collapse by file | calltree from *
collapse by class | functions
hide foo | functions
with inlined | functions""".splitlines()
EACH = ["functions", "calltree from * depth 3", "calls of *", "functions vs base"]


def a_name(r, size):
    """Few pieces over and over, or all; or a first half of brackets that a second one closes."""
    few = [r.choice(PIECES) for _ in range(r.choice((1, 1, 2, 2, 3)))] if r.random() < 0.8 else PIECES
    out, length = [], 0
    while length < size:
        out.append(r.choice(few) if few is PIECES else few[len(out) % len(few)])
        length += len(out[-1])
    if r.random() < 0.3:
        out = out[:len(out) // 2] + ["a"] + [p.translate(str.maketrans("<({[", ">)}]")) for p in out[len(out) // 2::-1]]
    return "".join(out).replace("\n", "")


def profile(path, names, new=""):
    n = len(names)
    with open(path, "w", encoding="utf-8") as f:
        f.write("events: Ir\n")
        for i, name in enumerate(names):
            f.write("ob=%s\nfl=%s\nfn=%s%s\n%d %d\n" % (names[(i * 7 + 1) % n], names[(i * 3 + 2) % n], name, new, i + 1, 1000 + i))
            if i:
                k = i - 1 if i % 10 else 0
                f.write("cob=%s\ncfi=%s\ncfn=%s%s\ncalls=1 1\n%d 500\n" %
                        (names[(k * 7 + 1) % n], names[(k * 3 + 2) % n], names[k], new, i + 1))


def processor_seconds(args):
    """What it took, or None: it is at twice the bound, and was stopped."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    limit = int(2 * SECONDS)
    p = subprocess.run([quern] + args, env=environ, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, timeout=HUNG,
                       preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CPU, (limit, limit + 1)))
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return (after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime,
            p.returncode if p.returncode >= 0 or p.returncode == -signal.SIGXCPU else "signal %d" % -p.returncode, p.stderr[-300:])


def check(names, asked):
    slow = []
    for form, query in asked:
        took, status, talk = processor_seconds(["p.out", "base=b.out", "-q", "--no-init", "--limit", "seconds=600",
                                                "--format", form, "-c", query])
        if took > SECONDS or isinstance(status, str) or status in (5, 6, 7):
            slow.append((form, query, "%.1f s" % took, status, talk))
    same(slow, [], names)


r = random.Random(11)
names = [a_name(r, r.randrange(10, 150)) for _ in range(NAMES - LONG)] + [a_name(r, BYTES) for _ in range(LONG)]
r.shuffle(names)
profile("p.out", names)
profile("b.out", names, "x")
for file in ("p.out", "b.out"):
    ok(run(file, "-q", "-c", "events").status == 0, "%s: indexed" % file)
check("%d questions about %d names" % (len(QUERIES), NAMES), [("table", q) for q in QUERIES])
formats = [line.split()[0] for line in run("-q", "-c", ".help formats").text.split("\n") if line]
check("every format", [(f, q) for i, f in enumerate(formats) if f != "table" for q in (EACH if "QUERN_TORTURE" in os.environ else EACH[i % 2::2])])

# One name: nothing takes a stack frame for each of its brackets, and an interrupt is heard.
deep = ["operator <", "x<operator <", "std::operator <(", "<<T as ", "->", "<", "(", "a b ", "a::", "::/", "lists:map/", "#a", "block in ",
        "a::<", "@anonymous", " [clone "]
for piece in deep:
    for file, new in ("d.out", ""), ("b.out", "x"):
        profile(file, [piece * DEEP, "g"], new)
        run(file, "-q", "-c", "events")
    slow = []
    for form, query in (("table", "functions | show short(fn), fn"), ("svg", "calltree from *"), ("html", "functions"),
                        ("csv", "functions vs base")):
        took, status, talk = processor_seconds(["d.out", "base=b.out", "-q", "--no-init", "--limit", "seconds=600", "--format", form, "-c", query])
        if took > SECONDS or status not in (0, 1):
            slow.append((form, query, "%.1f s" % took, status, talk))
    same(slow, [], "%r, %d times" % (piece, DEEP))
done()
