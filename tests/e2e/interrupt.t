#!/usr/bin/env python3
"""interrupt.t - Ctrl-C while indexing: the temporary file goes, a later run indexes; a quick start."""
import os
import signal
import subprocess
import time

from e2e import HUNG, SLOW, done, environ, ok, quern, run, same

block = b"".join(b"fn=f%d\n%d %d\ncfn=f%d\ncalls=1 1\n%d 5\n\n" % (i, i % 90 + 1, i % 7 + 1, i * 7 % 5000, i % 90 + 1)
                 for i in range(5000))
def write(blocks):
    with open("p.out", "wb") as f:
        f.write(b"# callgrind format\nversion: 1\nevents: Ir\n\nfl=a.c\n")
        for i in range(blocks):
            f.write(block)


# There is an index, but of a profile that has grown since.
write(1)
run("p.out", "-q", "--rebuild", "-c", "top 1")
write(400 // SLOW)
with open("p.out.quern", "rb") as f:
    before = f.read()


def others():
    return [n for n in os.listdir(".") if n.startswith("p.out.") and n != "p.out.quern" and ".lock" not in n]


for attempt in range(100):      # indexing may be over before the signal
    p = subprocess.Popen([quern, "p.out", "--no-init", "--jobs", "1", "-c", "top 1"], env=environ,
                         stdout=subprocess.PIPE, stderr=subprocess.PIPE, stdin=subprocess.DEVNULL)
    while not others() and p.poll() is None:
        time.sleep(.0005)
    p.send_signal(signal.SIGINT)
    out, err = p.communicate(timeout=HUNG)
    if p.returncode == 130:
        break
    with open("p.out.quern", "wb") as f:
        f.write(before)
same((p.returncode, others()), (130, []), "Ctrl-C while indexing: no temporary file is left")
ok(b"interrupted" in err and not out, "Ctrl-C while indexing: it says so", err)
ok(b"hint: the index of before is unchanged; the new one was not kept" in err, "and what became of the index", err)
with open("p.out.quern", "rb") as f:
    ok(f.read() == before, "which is as it was")
r = run("p.out", "-q", "-c", "top 1")
ok(r.status == 0, "the next run indexes", r)
done()
