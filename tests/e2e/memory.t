#!/usr/bin/env python3
"""memory.t - small packed files that would take all memory: --mem bounds them, or they are refused and --mem is named.

A kilobyte of zstd or gzip may hold a gigabyte of text.  Lines are spilled; one function's lines, and what stays in
memory (names, functions, calls, parts), have limits.  Nothing is left behind.
"""
import gzip
import itertools
import os
import signal
import subprocess
import time

from e2e import SLOW, done, environ, ok, quern, run, same

BIG = bool(os.environ.get("QUERN_TORTURE"))
BYTES = (1000 if BIG else 30) * 1000000
HEAD = "events: Ir\nfl=a.c\nfn=(1) main\n1 1\n"


def again(text):
    return itertools.repeat(text * (65536 // len(text) + 1))


def functions(lines):
    for i in itertools.count(2):
        yield "fn=(%d) f%d\n" % (i, i) + "+1 1\n" * lines


def calls():
    n = 3000
    yield "".join("fn=(%d) f%d\n1 1\n" % (i, i) for i in range(2, n))
    for i in itertools.cycle(range(2, n)):
        yield "fn=(%d)\n" % i + "".join("cfn=(%d)\ncalls=1 1\n1 1\n" % k for k in range(2, n))


LINES, KEPT = "of main take more than 4 MiB", "names, functions, calls and parts take more than 64 MiB"
# name, what comes again and again, words of the refusal (None: it is answered)
BOMBS = [
    ("lines", again("+1 1\n"), LINES),
    ("call sites", again("cfn=(2) g\ncalls=1 1\n+1 1\n"), LINES),
    ("jumps", again("jump=1 +1\n+1\n"), LINES),
    ("the same lines", again("+1 1\n-1 2\n"), None),
    ("parts", again("part: 1\n\nfn=(1) main\n1 1\n"), KEPT),
    ("parts by their events", again("events: Ir\nfn=(1) main\n1 1\n"), KEPT),
    ("a description", again("part: 1\ndesc: something\n" + "desc: something long enough\n" * 9000), KEPT),
    ("formulas", again("event: x = 2 Ir\n"), KEPT),
    ("functions", functions(1), KEPT),
    ("functions of many lines", functions(400000), None),
    ("calls", calls(), KEPT),
    ("odd lines", again("garbage\n"), None),
    ("calls without a callee", again("calls=1 1\n+1 1\n"), None),
]


def bomb(path, text, some=BYTES):
    left = some
    with gzip.open(path, "wb", 1) as f:
        f.write(HEAD.encode())
        while left > 0:
            left -= f.write(next(text).encode())


def measured(*args):
    """Status, what was said, MiB at most."""
    with open("talk", "w+b") as talk:
        p = subprocess.Popen([quern] + list(args), env=environ, stdin=subprocess.DEVNULL, stdout=talk, stderr=subprocess.STDOUT)
        _, status, usage = os.wait4(p.pid, 0)
        p.returncode = os.waitstatus_to_exitcode(status)
        talk.seek(0)
        return p.returncode, talk.read().decode("utf-8", "replace"), usage.ru_maxrss >> 10


for i, (name, text, words) in enumerate(BOMBS):
    bomb("bomb.gz", text, BYTES if BIG or name != "calls" else 2 * BYTES)
    for jobs in ("1", "2") if BIG else "12"[i % 2]:
        status, said, mib = measured("bomb.gz", "-q", "--no-init", "--mem", "32M", "--jobs", jobs, "-c", "info | show lines")
        right = words in said and "--mem" in said and status == 6 if words else status == 0
        ok(right, "%s, %s threads" % (name, jobs), "status %d\n%s" % (status, said))
        # What is mapped counts, too: the packed file, and what was spilled.
        if SLOW == 1:
            ok(mib < (1600 if BIG else 250), "and no more memory", "%d MiB" % mib)
        same(sorted(n for n in os.listdir(".") if n.startswith("bomb.gz.") and n != "bomb.gz.quern"), [], "and nothing is left")
        if words:
            same(os.path.exists("bomb.gz.quern"), False, "nor an index")
        else:
            os.remove("bomb.gz.quern")
with open("long", "wb") as f:
    f.write(HEAD.encode() + b"x" * 60000000 + b"\n")
r = run("long", "-q", "--mem", "32M", "-c", "info")
ok(r.status == 6 and "long: a line of more than 4 MiB" in r.talk and "--mem" in r.talk, "a line, not packed", r)
r = run("long", "-q", "--mem", "1G", "-c", "info | show lines")
same((r.status, r.text.split()), (0, ["lines", "1"]), "with more memory it is read")

# Ctrl-C is heeded while the lines of one function are put in order.  Processor time is compared: other programs do not change it much.
def ordering(after):
    """Status and processor time in seconds of a run that gets Ctrl-C after so many seconds (None: never)."""
    p = subprocess.Popen([quern, "bomb.gz", "-q", "--no-init", "--mem", "4G", "--jobs", "1", "--index", "bomb.quern", "-c", "info"], env=environ,
                         stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    if after is not None:
        time.sleep(after)
        p.send_signal(signal.SIGINT)
    _, status, usage = os.wait4(p.pid, 0)
    p.returncode = os.waitstatus_to_exitcode(status)
    if os.path.exists("bomb.quern"):
        os.remove("bomb.quern")
    return p.returncode, usage.ru_utime + usage.ru_stime


bomb("bomb.gz", again("+1 1\n-3 1\n+1 2\n+9 1\n"))
status, whole = ordering(None)
same(status, 0, "the lines of one function, not in order")
for part in (0.1, 0.3, 0.5):
    status, after = 0, 2 * part * whole
    while status == 0:      # now the machine is faster: it was over before
        after /= 2
        status, spent = ordering(after)
    ok(status == 130 and spent < 0.9 * whole, "Ctrl-C after %d %% of it" % (100 * part), "%d, %.1f s of %.1f s" % (status, spent, whole))
done()
