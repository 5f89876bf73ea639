#!/usr/bin/env python3
"""beside.t - one dump of a run is opened: the others that lie beside it are told.

The other side of it: nothing else is said, nothing that is no file is opened, and --safe
does not look.
"""
import bz2
import glob
import gzip
import os
import shutil

from e2e import done, fixtures, ok, quern, run, same, small

HEAD = "# callgrind format\nversion: 1\ncreator: callgrind-3.19.0\npid: %d\ncmd:  ./prog a\npart: %d\n"
SAID = "dumps.out: 48 more dumps of this run lie beside it: quern dumps.out* reads all\n"


def dump(path, part, pid=77, pack=bytes):
    text = HEAD % (pid, part) + "\npositions: line\nevents: Ir\nfl=a.c\nfn=main\n1 %d\ntotals: %d\n" % (part, part)
    with open(path, "wb") as f:
        f.write(pack(text.encode()))


def total(*args):
    return run(*args, "--no-index-write", "-c", "info | show total", "--format", "csv")


def silent(r, name):
    ok(r.status == 0 and "beside" not in r.talk, name, r)


for i in range(1, 49):
    dump("dumps.out.%d" % i, i)
dump("dumps.out", 49)
for how in ((), ("--rebuild",), ()):
    r = run("dumps.out", *how, "-c", "top 1")
    ok(r.status == 0 and ("indexed" in r.talk) == bool(how) and SAID in r.talk, "48 more dumps" + "".join(how), r)
r = run("dumps.out", stdin=b"top 1\n")
ok(SAID in r.talk, "a script from standard input", r)
r = run(stdin=b".open dumps.out\ntop 1\n")
ok(SAID in r.talk, "opened by a command", r)
r = run("dumps.out", "base=dumps.out.1", "-c", "functions vs base")
ok(r.talk.count("beside it") == 1, "with another profile", r)
r = total("dumps.out*")
silent(r, "all by a pattern: nothing is said")
same(r.text.split()[-1:], [str(49 * 50 // 2)], "and all are read")
silent(total("dumps.out", "dumps.out.1"), "nor when several are named")
silent(total("dumps.out.1"), "nor when one of the numbered ones is named")
silent(total("dumps.out", "--safe"), "--safe does not look")
silent(run("dumps.out.quern", "-c", "top 1"), "an index is what it is")
same(run("dumps.out", "-q", "-c", "top 1").talk, "", "--quiet")
with open("dumps.out", "rb") as f:
    silent(run("-", "-c", "top 1", stdin=f.read()), "standard input lies nowhere")
if shutil.which("strace"):
    r = run(program=("strace", "-f", "-e", "trace=openat,getdents64", "-o", "trace",
                     quern, "dumps.out", "--safe", "-q", "-c", "top 1"))
    text = open("trace").read()
    if r.status == 0:
        ok("dumps.out.1\"" not in text and "getdents64" not in text, "--safe reads neither them nor the directory", text)

os.mkdir("packed")
for i, (end, pack) in enumerate([(".gz", gzip.compress), ("", bytes), (".bz2", bz2.compress)]):
    dump("packed/p.out.%d%s" % (i + 1, end), i + 1, pack=pack)
dump("packed/p.out.gz", 4, pack=gzip.compress)
r = total("packed/p.out.gz")
ok("p.out.gz: 3 more dumps of this run lie beside it: quern packed/p.out* reads all" in r.talk, "packed ones", r)
same(total("packed/p.out*").text.split()[-1:], ["10"], "all of them by that name")

# A run before this one left more dumps.
os.mkdir("stale")
dump("stale/s.out", 2)
dump("stale/s.out.1", 1)
dump("stale/s.out.2", 2, pid=76)
r = total("stale/s.out")
ok("1 more dump of this run lies beside it, among other files of such names: name them as well" in r.talk,
   "with dumps of another run", r)

# Nothing is opened that could block, or has side effects.
os.mkdir("odd")
dump("odd/o.out", 1)
os.mkfifo("odd/o.out.1")
os.symlink("o.out.1", "odd/o.out.2")
os.symlink("/dev/zero", "odd/o.out.3")
os.symlink("nowhere", "odd/o.out.4")
os.mkdir("odd/o.out.5")
open("odd/o.out.6", "w").close()
silent(total("odd/o.out"), "a FIFO, devices, directories, dead links, empty files")
if os.getuid():
    dump("odd/o.out.7", 7)
    os.chmod("odd/o.out.7", 0)
    silent(total("odd/o.out"), "a file that cannot be read")

# A name may hold anything.
os.mkdir("n")
name = "n/a\x1b[31m b\n.out"
dump(name, 2)
dump(name + ".1", 1)
r = total(name)
ok("1 more dump" in r.talk and "\x1b[31m" not in r.talk, "escaped like every name", r)

# What belongs together: nothing is said of the real files of one dump.
for f in sorted(glob.glob(small + "*") + glob.glob(fixtures + "/producers/*")):
    if f.endswith((".md", ".json")) or os.path.getsize(f) == 0:
        continue
    r = run(f, "--no-index-write", "-c", "top 1")
    if "beside it" in r.talk:
        ok(False, "nothing lies beside " + os.path.basename(f), r)
ok(True, "the fixtures have nothing beside them")
done()
