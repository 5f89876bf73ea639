#!/usr/bin/env python3
"""watchdog.t [QUERIES] - every query ends within its limits, and by Ctrl-C within a second, on profiles made to be hard.

The queries are those of tests/query and generated ones: 500 here, 12,500 with QUERN_TORTURE=1.  Seconds are of the
processor: what else the machine does, no query can help.  What is right is for other tests to say.
"""
import concurrent.futures
import glob
import os
import random
import signal
import subprocess
import sys
import threading
import time

from e2e import HUNG, SLOW, done, environ, format_names, ok, quern, run, same, seed, top

BIG = bool(os.environ.get("QUERN_TORTURE"))
QUERIES = int(sys.argv[1]) if len(sys.argv) > 1 else 12500 if BIG else 500 // SLOW
SEED = seed()
LIMIT = 1           # seconds that a query may take, by the clock of the engine
OVER = 2 * SLOW     # and what a start and a table may take
THREADS = os.cpu_count() or 1
TICKS = os.sysconf("SC_CLK_TCK")
SCALE = 20 if BIG else 1


def put(name, head, functions):
    with open(name, "w") as f:
        f.write("version: 1\n%s\nfl=(1) a.c\n" % head)
        for fn, calls in functions:
            f.write("fn=%s\n1 1\n" % fn)
            for k, callee in enumerate(calls):
                f.write("cfn=%s\ncalls=%d %d\n%d 5\n" % (callee, k + 1, k % 3 + 1, k + 2))


def f(i):
    return "(%d) f%d" % (i + 1, i)


N = 5000 * SCALE
put("deep", "events: Ir", ((f(i), [f(i + 1)] if i < N else []) for i in range(N + 1)))
put("wide", "events: Ir", ((f(i), [f(k) for k in range(1, N)] if i == 0 else [f(N)] if i < N else []) for i in range(N + 1)))
put("names", "events: Ir", (("%s%d" % ("a<b<c," * 300, i), ["%s%d" % ("a<b<c," * 300, i + 1)] if i < 299 else []) for i in range(300)))
put("events", "events: " + " ".join("E%d" % i for i in range(64)), ((f(i), [f((i * 7 + 1) % 500), f((i * 3 + 2) % 500)]) for i in range(500)))
put("cycle", "events: Ir", ((f(i), [f(k) for k in range(80)]) for i in range(80)))
put("ring", "events: Ir", ((f(i), [f((i + 1) % N), f((i * 31 + 7) % N)]) for i in range(N)))
put("self", "events: Ir", ((f(i), [f(i), f(i // 2)]) for i in range(N)))
put("paths", "events: Ir", ((f(i), [f(i - i % 3 + k) for k in (3, 4, 5)]) for i in range(300)))
with open("parts", "w") as p:
    p.write("version: 1\n")
    for i in range(1000 * SCALE):
        p.write("part: %d\nthread: %d\nevents: Ir Dr\nfl=(1) a.c\nfn=%s\n1 %d 2\ncfn=%s\ncalls=1 1\n2 3 4\n\n" % (i + 1, i % 7 + 1, f(i % 50), i, f(i * 7 % 50)))
PROFILES = ["deep", "wide", "names", "events", "cycle", "ring", "self", "paths", "parts"]
for name in PROFILES:
    r = run(name, "-q", "--no-init", "-c", "events | count")
    ok(r.status == 0, "%s is indexed" % name, r)

KEPT = [case.split("\n---\n")[0].strip() for path in sorted(glob.glob(top + "/tests/query/*.query"))
        for case in open(path, errors="replace").read().split("\n===\n")[1:]]
KEPT = [q for q in KEPT if q and ">" not in q.split("|")[-1] and "!" not in q and not q.startswith(".")]
UNITS = "functions files objects dirs classes lines instrs calls callsites jumps cycles parts threads events profiles".split()
FORMATS = format_names()


def one_of(rng, *choices):
    c = rng.choice(choices)
    return c() if callable(c) else c


def a_set(rng, deep=0):
    atom = one_of(rng, "f0", "f1", "f7", "f299", "f4999", "f*", "*1*", "/f.*9$/", "/(f|f1|f2)+[0-9]*$/", "#1", "#17", "*", "file:a.c", "cycle:1", '"f3"')
    if deep > 2 or rng.random() < 0.6:
        return atom
    return one_of(rng, "not %s" % a_set(rng, deep + 1), "(%s or %s)" % (a_set(rng, deep + 1), a_set(rng, deep + 1)),
                  "(%s and %s)" % (a_set(rng, deep + 1), a_set(rng, deep + 1)))


def an_expression(rng, deep=0):
    if deep > 2 or rng.random() < 0.4:
        return one_of(rng, "self", "incl", "calls", "self%", "1", "2.5k", "depth", "id", "line", "fn", '"f1"')
    return "(%s %s %s)" % (an_expression(rng, deep + 1), rng.choice("+ - * / < > = !=".split() + ["and", "or"]), an_expression(rng, deep + 1))


def a_query(rng):
    q = []
    for _ in range(rng.choice((0, 0, 0, 1, 1, 2))):
        q.append(one_of(rng, lambda: rng.choice("focus ignore hide collapse".split()) + " " + a_set(rng), "with inlined", "cut 1%", "cut 0.01%", "part 1",
                        "part 1-700", "thread 2", "collapse by " + rng.choice(("file", "object", "class", "dir"))))
    q.append(one_of(
        rng, lambda: "top %d" % rng.choice((1, 10, 100000)), lambda: rng.choice(UNITS), lambda: rng.choice(UNITS) + " of " + a_set(rng),
        lambda: "%s of %s depth %s" % (rng.choice(("callers", "callees")), a_set(rng), rng.choice(("1", "5", "50", "all"))),
        lambda: "calltree %s %s depth %s" % (rng.choice(("from", "to")), a_set(rng), rng.choice(("3", "20", "all"))), "calltree",
        lambda: "%s %s paths from %s to %s" % (rng.choice(("shortest", "hottest", "widest", "all")), rng.choice(("", "1", "1000", "1000000")) if rng.random() < 0.7
                                               else "", a_set(rng), a_set(rng)),
        lambda: "all paths from %s to %s depth %d" % (a_set(rng), a_set(rng), rng.choice((3, 10, 100))),
        lambda: "path from %s to %s via %s" % (a_set(rng), a_set(rng), a_set(rng)),
        lambda: "cost of %s under %s avoiding %s" % (a_set(rng), a_set(rng), a_set(rng)),
        lambda: "source of " + a_set(rng), lambda: "find " + a_set(rng), lambda: "info " + a_set(rng), "info"))
    for _ in range(rng.choice((0, 0, 1, 1, 2, 3))):
        q.append(one_of(rng, lambda: "where " + an_expression(rng), lambda: "sort " + an_expression(rng), "take 10", "skip 5", "count", "sum",
                        lambda: "add x = " + an_expression(rng), lambda: "group by fn: sum(self), count, avg(incl)", lambda: "where fn ~ /(a|b|f)*[0-9]+$/",
                        "show self, incl, fn"))
    if rng.random() < 0.4:
        q.append("as " + rng.choice(FORMATS))
    return " | ".join(q)


def busy(p):
    """Seconds of the processor that a process has had."""
    with open("/proc/%d/stat" % p.pid) as stat:
        return sum(int(n) for n in stat.read().rpartition(")")[2].split()[11:13]) / TICKS


def ask(profile, query, interrupt):
    """What was wrong, or None.  interrupt: by Ctrl-C after so many seconds of the processor; None: by the limit."""
    args = [quern, profile, "-q", "--no-init", "--limit", "seconds=%d" % (600 if interrupt is not None else LIMIT), "--mem", "256M", "-c", query]
    with open(profile + ".said.%d" % threading.get_ident(), "w+b") as said:
        p = subprocess.Popen(args, env=environ, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=said)
        hung, before, how = time.time() + HUNG, 0, ""
        while os.waitid(os.P_PID, p.pid, os.WEXITED | os.WNOWAIT | os.WNOHANG) is None:
            now = busy(p)
            if interrupt is not None and not how and now >= interrupt:
                os.kill(p.pid, signal.SIGINT)  # not p.send_signal(): that one reaps a child that has ended
                before, how = now, " after Ctrl-C"
            elif time.time() > hung or now - before > 5 * (LIMIT + OVER) * THREADS:
                os.kill(p.pid, signal.SIGKILL)
            time.sleep(0.003)
        _, status, used = os.wait4(p.pid, 0)
        p.returncode = -(status & 127) or status >> 8
        said.seek(0)
        said = said.read()
    took = used.ru_utime + used.ru_stime - before
    if took > (LIMIT + (OVER / 2 if how else OVER)) * THREADS:
        return "%s: %s: took %.1f s of the processor%s" % (profile, query, took, how)
    # -SIGINT: it had not begun.
    if p.returncode not in (0, 1, 4, 6) and not (p.returncode in (130, -signal.SIGINT) and interrupt is not None):
        return "%s: %s: status %d %s" % (profile, query, p.returncode, said[-300:])
    return None


# Each call of the top looked at all others.
HUB = 100000 // SLOW
put("hub", "events: Ir", ((f(i), [f(k) for k in range(1, HUB)] if i == 0 else [f(HUB)] if i < HUB else []) for i in range(HUB + 1)))
run("hub", "-q", "--no-init", "-c", "events | count")
for interrupt in (None, 0.2):
    same(ask("hub", "callees of f0 depth 5", interrupt), None, "callees of a function that calls all%s" % (", interrupted" if interrupt else ""))
# The events of each function's calls say which belong together: ten seconds for all of them.
with open("web", "w") as p:
    p.write("events: Ir Dr\nfl=a.c\n")
    for i in range(400):
        p.write("fn=f%d\n1 3 1\n" % i + "".join("cfn=f%d\ncalls=2 1\n2 50 9\n" % k for k in range(0, 400, 3)))
run("web", "-q", "--no-init", "-c", "events | count")
same(ask("web", "all paths from f0 to f99 depth 50", None), None, "events that tell calls apart")
asked = [0, 0]
with concurrent.futures.ThreadPoolExecutor(2) as pool:
    def one(i):
        mine = random.Random("%d/%d" % (SEED, i))
        query = mine.choice(KEPT) if mine.random() < 0.15 else a_query(mine)
        interrupt = mine.random() ** 3 * 0.3 if i % 4 == 3 else None
        asked[interrupt is not None] += 1
        return ask(mine.choice(PROFILES), query, interrupt)
    wrong = [w for w in pool.map(one, range(QUERIES)) if w]
same(wrong[:20], [], "%d queries ended, %d of them to be interrupted" % (sum(asked), asked[1]))
done()
