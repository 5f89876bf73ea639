#!/usr/bin/env python3
"""late.t - while an answer is written, the time of its query is over: at any look at the clock it ends.

The clock jumps ahead by hours at one look (fault.c), so nothing here depends on how fast the machine is.  How often
each format looks says that its long loops ask: over rows, functions, frames and the lines of a function.
"""
from crash import e2e, need_faults, run, Skip, timeless, write

LINES, WIDE, EVERY = 20000, 3000, 16
FORMATS = e2e.format_names()


def profiles():
    write("long.out", b"events: Ir\nfl=a.c\nfn=main\n" + b"".join(b"%d 1\n" % (3 * i) for i in range(LINES)))
    calls = b"".join(b"cfn=f%d\ncalls=2 1\n%d %d\n" % (i, i + 1, 9 + i % 7) for i in range(WIDE))
    write("wide.out", b"events: Ir\nfl=a.c\nfn=main\n1 5\n" + calls
          + b"".join(b"fn=f%d\n%d %d\n" % (i, i + 1, 9 + i % 7) for i in range(WIDE)))
    for p in ("long.out", "wide.out"):
        e2e.run(p, "-q", "--no-init", "-c", "top 1")


def looks(*args):
    r = run(*args, count="calls")
    with open("calls") as f:
        return r, int(f.read().split()[2])


def late(name, least, *args):
    """At some of the looks, evenly spread, it is late: the error, or the answer."""
    args += ("-q", "--no-init", "--limit", "seconds=3600")
    whole, n = looks(*args)
    e2e.ok(whole.status == 0 and n >= least, "%s: looks at the clock %d times or more" % (name, least),
           "%d times\n%s" % (n, whole))
    wrong, ended = [], 0
    for k in sorted({1 + i * n // 6 for i in range(6)} | {n - n // 50}):
        r = run(*args, fault="clk:%d:1" % k)
        ended += r.status == 6 and "took longer than its limit of 3600 s" in r.talk
        if not (r.status == 6 and "took longer" in r.talk) and (r.status, timeless(r.out)) != (0, timeless(whole.out)):
            wrong.append((k, str(r)[:300]))
    e2e.ok(not wrong and ended > 3, "%s: late at any of them, it ends" % name, "%d ended\n%s" % (ended, wrong[:3]))


try:
    need_faults()
except Skip as why:
    e2e.skip_all(str(why))
profiles()
for f in FORMATS:
    source = ("--with-source",) if f in ("folded", "speedscope") else ()
    if f in ("pprof", "folded", "speedscope", "html", "callgrind"):
        late("%s, one function of %d lines" % (f, LINES), LINES // EVERY, "long.out", *source, "-c",
             ("functions | as " if f in ("html", "callgrind") else "calltree | as ") + f)
    late("%s, %d functions" % (f, WIDE), WIDE // EVERY, "wide.out", *source, "-c",
         ("functions | as " if f in ("html", "callgrind") else "calltree | as ") + f)
e2e.done()
