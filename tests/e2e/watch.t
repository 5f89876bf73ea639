#!/usr/bin/env python3
"""watch.t - quern --watch: dumps as they come, what changed since the one before, the end.

Waiting is for lines to appear, never for a time; what does not come fails after a minute.
"""
import os
import queue
import re
import shutil
import signal
import subprocess
import sys
import threading

from e2e import HUNG, done, environ, ok, quern, run, same, skip

children = []


class Watch:
    def __init__(self, *args):
        self.p = subprocess.Popen([quern, "--watch", *args], stdin=subprocess.DEVNULL, env=environ,
                                  stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.lines, self.all = queue.Queue(), {"out": [], "err": []}
        self.readers = [threading.Thread(target=self.read, args=pipe, daemon=True)
                        for pipe in (("out", self.p.stdout), ("err", self.p.stderr))]
        for reader in self.readers:
            reader.start()

    def read(self, name, pipe):
        for line in pipe:
            self.all[name].append(line.decode())
            self.lines.put((name, line.decode()))

    def until(self, text):
        """Wait for a line with the text in it."""
        try:
            while text not in self.lines.get(timeout=HUNG)[1]:
                pass
            return True
        except queue.Empty:
            return False

    def end(self, sig=None):
        if sig:
            self.p.send_signal(sig)
        status = self.p.wait(timeout=HUNG)
        for reader in self.readers:
            reader.join(HUNG)
        return status

    def __str__(self):
        return "".join(self.all["out"] + self.all["err"])


def process():
    p = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(300)"])
    children.append(p)
    return p


def dump(base, suffix, pid, part, costs, thread=1):
    text = "# callgrind format\nversion: 1\ncreator: callgrind-3.19.0\npid: %d\ncmd: ./p\npart: %d\nthread: %d\n" % (
        pid, part, thread)
    text += "\ndesc: Trigger: dump by hand\npositions: line\nevents: Ir\n"
    for i, (name, cost) in enumerate(costs.items()):
        text += "fl=(1) a.c\nfn=(%d) %s\n%d %d\n" % (i + 1, name, i + 1, cost)
    with open(base + suffix, "w") as f:
        f.write(text + "totals: %d\n" % sum(costs.values()))


p = process()
base = "callgrind.out.%d" % p.pid
w = Watch(base)
ok(w.until("waiting for dumps of " + base), "it waits for the first", w)
dump(base, ".1", p.pid, 1, {"main": 10, "work": 200, "calm": 7})
ok(w.until("part 1 of process %d: 217 Ir (dump by hand)" % p.pid), "the first dump", w)
dump(base, ".2", p.pid, 2, {"main": 15, "work": 1200, "calm": 7})
ok(w.until("part 2 of process %d: 1,222 Ir (dump by hand)" % p.pid) and
   w.until("part 1: 217 -> part 2: 1.22 k Ir (+463.1 %)") and
   w.until("+1,000  1,200   200  work  a.c:2") and w.until("    +5     15    10  main"), "the second: top by delta", w)
ok("calm" not in str(w).split("part 2 of")[1], "what has not changed is not shown", w)
dump(base, ".3-02", p.pid, 3, {"thread": 30}, thread=2)
dump(base, ".3-01", p.pid, 3, {"main": 5})
ok(w.until("part 3 of process %d (2 threads): 35 Ir" % p.pid) and w.until("part 2: 1.22 k -> part 3: 35 Ir") and
   w.until("-1,200     0  1,200  work"), "the threads of a dump together", w)
status = w.end(signal.SIGINT)
ok("of them read" in str(w), "only the new files were read", w)
ok(status == 130 and "error" not in str(w), "Ctrl-C leaves", "%s\n%s" % (status, w))
ok(not [f for f in os.listdir(".") if ".tmp." in f or f.endswith(".lock")], "nothing is left behind", os.listdir("."))
ok(all(ord(c) >= 32 or c == "\n" for c in "".join(w.all["out"])), "plain lines where there is no terminal")

w = Watch(base)
ok(w.until("part 3 of process") and "part 2 of" not in str(w), "begun later: only the last is shown", w)
p.kill()
p.wait()
dump(base, "", p.pid, 4, {"main": 6})
ok(w.until("part 4 of process") and w.until("process %d has ended" % p.pid) and w.end() == 0,
   "the process ends: its last part, and the end", w)

p = process()
base = "x.out.%d" % p.pid
w = Watch(base, "-q", "--format", "csv", "-c", "info | show parts, total", "-c", "parts | where self > 20 | expect none")
dump(base, ".1", p.pid, 1, {"main": 10})
ok(w.until("1,10"), "queries of one's own", w)
with open(base + ".2", "w") as f:
    f.write("no profile\n")
ok(w.until("not a Callgrind-format profile"), "a file that is none is said", w)
dump(base, ".2", p.pid, 2, {"main": 30})
ok(w.until("2,40") and w.end() == 4, "and it goes on; a query that fails ends it", w)
p = process()
base = "k.out.%d" % p.pid
w = Watch(base, "-q", "--keep-going", "--format", "csv", "-c", "parts | where self > 20 | expect none", "-c", "info | show parts, total")
dump(base, ".1", p.pid, 1, {"main": 30})
ok(w.until("1,30"), "--keep-going: a query that fails does not end it", w)
dump(base, ".2", p.pid, 2, {"main": 10})
ok(w.until("2,40"), "nor does it at the next dump", w)
p.kill()
p.wait()
ok(w.until("2 expectations: 2 fail (-c 1:1:27, -c 1:1:27)") and w.end() == 4, "they are counted at the end", w)
p = process()
base = "y.out.%d" % p.pid
dump(base, ".1", p.pid, 1, {"main": 10})
w = Watch(base)
ok(w.until("part 1 of"), "another run", w)
with open(base + ".2", "w") as f:
    f.write("no profile\n")
ok(w.until("not a Callgrind-format profile"), "its last dump is none", w)
dump(base, ".3", p.pid, 2, {"main": 20})
os.utime(base + ".3", (1e9, 1e9))
os.replace(base + ".3", base + ".2")
ok(w.until("part 2 of process %d: 20 Ir" % p.pid), "then one comes in its place", w)
p2 = process()
base2 = "z.out.%d" % p2.pid
w2 = Watch(base2, "-q", "--format", "csv", "-c", "info | show total")
for cost in (20, 30):       # the same size, the same time
    dump(base2, ".new", p2.pid, 1, {"main": cost})
    os.utime(base2 + ".new", (1e9, 1e9))
    os.replace(base2 + ".new", base2 + ".1")
    ok(w2.until("%d" % cost), "a file of the same size and time in the place of another: %d" % cost, w2)
w2.end(signal.SIGINT)
with open(base + ".2", "w") as f:
    f.write("no profile\n")
ok(w.until("not a Callgrind-format profile"), "and is none in the end", w)
p.kill()
p.wait()
ok(w.until("process %d has ended" % p.pid) and w.end() == 3, "the end: no success when the last could not be read", w)
ok(run("--watch", "-c", "top").status == 2 and run("--watch", "a", "b").status == 2, "usage")
ok(run("--watch", "nowhere/x.out.1").status == 3, "no such directory")

source = """
#include <valgrind/callgrind.h>
#include <unistd.h>
static volatile long sink;
__attribute__((noinline)) void work(int n) { for (int i = 0; i < n; i++) sink += i; }
int main(void) { for (int i = 1; i < 4; i++) { work(i * 10000); CALLGRIND_DUMP_STATS; usleep(700000); } return 0; }
"""
if not shutil.which("valgrind"):
    skip("a run of valgrind", "no valgrind")
elif not shutil.which(os.environ.get("CC", "gcc")):
    skip("a run of valgrind", "no compiler")
else:
    open("p.c", "w").write(source)
    built = subprocess.run([os.environ.get("CC", "gcc"), "-g", "-O1", "p.c", "-o", "prog"], stderr=subprocess.PIPE)
    if built.returncode:
        skip("a run of valgrind", "no valgrind/callgrind.h")
    else:
        v = subprocess.Popen(["valgrind", "-q", "--tool=callgrind", "./prog"], stderr=subprocess.DEVNULL)
        children.append(v)
        w = Watch("callgrind.out.%d" % v.pid)
        v.wait()
        ok(w.until("has ended") and w.end() == 0, "a run of valgrind is followed to its end", w)
        r = run("--all-parts", "callgrind.out.%d" % v.pid, "-q", "--format", "csv", "-c", "parts | show part, trigger")
        ok(r.text.split("\r\n")[1:3] == ["1,Client Request", "2,Client Request"] and "Program termination" in r.text,
           "all its parts in order", r)
        ok("of process %d: " % v.pid in str(w) and re.search(r"\+60,000 .* work +\S*p\.c:5", str(w)), "work changed", w)
for p in children:
    p.kill()
    p.wait()
done()
