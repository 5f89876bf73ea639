#!/usr/bin/env python3
"""growth.t - four times as much of it takes some four times the work, not sixteen times.

Work is instructions as Valgrind counts them, the same on a busy machine; bench/growth has the
table of all questions.  Here is what once grew as the square: each profile is made of n things
that all meet n others.
"""
import os
import re
import shutil
import subprocess

from e2e import done, environ, ok, quern, skip_all

if not shutil.which("valgrind") or os.environ.get("QUERN_VARIANT", "release") != "release":
    skip_all("no valgrind, or not its program")


def write(path, calls):
    """Functions of a cost of 10 each, numbered callers first: calls[f] are their callees.  Those
    that the first does not call are h1, h2, ..."""
    incl = [10] * len(calls)
    for f in reversed(range(len(calls))):
        incl[f] += sum(incl[to] for to in calls[f])
    name = ["%s%d" % ("f" if f <= len(calls[0]) else "h", f) for f in range(len(calls))]
    with open(path, "w") as out:
        out.write("version: 1\nevents: Ir\n\nfl=a.c\n")
        for f, of in enumerate(calls):
            out.write("fn=%s\n1 10\n" % name[f])
            for to in of:
                out.write("cfn=%s\ncalls=1 1\n2 %d\n" % (name[to], incl[to]))


def chain(n, first=0):
    return [[first + f + 1] if f + 1 < n else [] for f in range(n)]


def fan(n):
    """f0 calls n functions, each of which calls the first of a chain of n, and it a leaf of f0."""
    calls = [list(range(1, n + 2))] + [[n + 2]] * n + [[]] + chain(n, n + 2)
    calls[n + 2].append(n + 1)
    return calls


def steps(path, query):
    run = subprocess.run(["valgrind", "--tool=cachegrind", "--cache-sim=no",
                          "--cachegrind-out-file=/dev/null", quern, path, "-q", "--no-init",
                          "--jobs", "1", "-c", query], env=environ, stdin=subprocess.DEVNULL,
                         stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    count = re.search(r"I\s+refs:\s+([\d,]+)", run.stderr)
    return int(count[1].replace(",", "")) if count and run.returncode == 0 else 0


def again(path, query):
    """What was asked is kept for the next question."""
    once = steps(path, query)
    twice, first = steps(path, query + "; " + query), once - steps(path, "functions | count")
    ok(0 < twice - once < first / 3, query + ": again a third of the work, or less",
       "%d and %d instructions" % (first, twice - once))


def grows(name, make, n, query):
    path, work = [name + "-1.out", name + "-4.out"], []
    for times, p in zip((1, 4), path):
        write(p, make(times * n))
        subprocess.run([quern, p, "-q", "-c", "top 1"], stdout=subprocess.DEVNULL,
                       stderr=subprocess.DEVNULL, env=environ)
        work.append(steps(p, query) - steps(p, "functions | count"))
    ok(0 < work[1] < 6 * work[0], "%s, %s: four times is four times" % (name, query),
       "%d and %d instructions" % tuple(work))


# Each visible caller walked all hidden functions, though they lead to no visible one.
grows("fan", fan, 500, "hide h* | top 5")
grows("chain", chain, 1000, "calltree | as svg")
again("fan-4.out", "cost of h* under f5")
again("fan-4.out", "causes of h* | take 3")
again("fan-4.out", "callers of h* | count")
again("fan-4.out", "hide h* | top 5")
done()
