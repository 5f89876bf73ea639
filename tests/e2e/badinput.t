#!/usr/bin/env python3
"""badinput.t - what is not a profile, and places where no index can be written.

Every refusal names the thing and says what to do, has its exit status, and leaves no file.
"""
import atexit
import fcntl
import os
import re
import resource
import shutil
import signal
import socket
import stat
import struct
import subprocess
import threading
import time

from e2e import HUNG, SLOW, done, environ, ok, profile, quern, run, same, skip, small, top, work

lua = open(small + "lua-default.out", "rb").read()
header = lua[:lua.index(b"\n", lua.index(b"\npart:") + 1) + 1]


def write(path, content):
    with open(path, "wb") as f:
        f.write(content)
    return path


def leftovers(top="."):
    return [f for _, _, files in os.walk(top) for f in files
            if ".tmp." in f or f.endswith(".lock")]


def refused(r, status, name, *words):
    said = all(w in r.talk for w in words)
    return ok(r.status == status and said and not r.text and not leftovers(), name,
              "want status %d, %r; leftovers %r\n%s" % (status, words, leftovers(), r))


# ---------------------------------------------------------------- not a profile: exit 3
BODY = b"events: Ir\nfl=a.c\nfn=main\n1 5\n"
png = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR" + bytes(range(256)) * 100
os.mkdir("dir")
os.mkfifo("fifo")
for name, content, words in [
        ("empty", b"", ["empty file", "--separate-threads"]),
        ("image.png", png, ["a PNG image, not a Callgrind-format profile", "events: Ir"]),
        ("program", open(quern, "rb").read(10000), ["a program or library", "valgrind"]),
        ("nuls", b"a\0b\n" * 100, ["binary data"]),
        ("data.json", b'{"a": 1}\n', ["JSON"]),
        ("newline", b"\n", ['no "events:" line']),
        ("text", b"some text\n" * 9, ['no "events:" line', "fn=main"]),
        ("late", b"fl=a.c\nfn=main\n1 5\nevents: Ir\n2 7\n",
         ["late:3: a cost line before any", "header is missing"]),
        ("header", header, ["cut off in its header", "copy it again"]),
        ("gzipped", b"\x1f\x8b\x08" + bytes(100), ["the gzip data is damaged at byte"]),
        ("unreadable", b"events: Ir\nfn=f\n1 x\n2 y\n", ["none of its 2 cost lines", "line 3"])]:
    r = run(write(name, content), "-c", "top")
    refused(r, 3, "3: " + name, "error: " + name, *words)
    ok(not os.path.exists(name + ".quern"), "and no index", os.listdir("."))
refused(run("dir", "-c", "top"), 3, "3: a directory", "error: dir: no profile is there")

# An event said again is one odd thing, whatever stood before: of pairs 4,096 columns have 8 million.
r = run(write("columns", b"events:" + b" e" * 4096 + b"\nfn=f\n1 1 2 3\n"), "--no-index-write", "-c", "events", "--format", "csv")
ok(r.status == 0 and "e,\"\",\"\",6" in r.text and "skipped or mended: 4,095;" in r.talk, "an event named 4,096 times", r)
refused(run("/dev/null", "-c", "top"), 3, "3: a device", "/dev/null: not a regular file")
refused(run("none", "-c", "top"), 3, "3: a missing file", "none: No such file")
refused(run("none", "-c", "top", "--index", "i.quern"), 3, "3: --index is not made for it", "none:")

# ------------------------------------------------- odd, yet a profile: read, and said so
TRUNCATED = "cut off: its end is missing"
for name, content, total, truncated, words in [
        ("cut-line", lua[:100001], 1924692, True, ["skipped or mended: 1;"]),
        ("cut-body", lua[:lua.index(b"\nfn=", 50000)], 461714, True, []),
        ("long-line", BODY + b"x" * (1 << 20) + b"\n2 7\n", 12, False, ["skipped or mended: 1;"]),
        ("long-cmd", b"version: 1\ncmd: " + b"x" * (1 << 20) + b"\n" + BODY, 5, False, []),
        ("no-newline", BODY[:-1], 5, False, []),
        ("names-64k", BODY.replace(b"main", b"n" * 65536) + b"fn=" + b"n" * 65535 + b"m\n3 4\n",
         9, False, []),
        ("nul-names", BODY.replace(b"main", b"a\0b"), 5, False, []),
        ("no-body", b"version: 1\nevents: Ir\ntotals: 0\n", 0, False, [])]:
    write(name, content)
    for talk in ("when it is indexed", "and ever after"):
        r = run(name, "--format", "json", "-c", 'info | show truncated, total')
        want = '[%s,%d]' % (str(truncated).lower(), total)
        ok(r.status == 0 and want in r.text.replace(" ", "") and (TRUNCATED in r.talk) == truncated
           and (talk == "and ever after" or all(w in r.talk for w in words)),
           name + ": " + talk, want + "\n" + str(r))
r = run("long-line", "-q", "-c", "info")
ok(r.status == 0 and len(r.talk) < 2000, "an odd line is not repeated in full", len(r.talk))
r = run("long-line", "-c", "info")
ok("1 x unknown line, skipped, first at line 5: xxx" in r.talk and len(r.talk) < 2000,
   "info shows where it is", r)
r = run("names-64k", "-q", "--format", "csv", "-c", "find " + "n" * 65535 + "m")
ok(r.status in (1, 6) or r.text.count("\n") == 2, "a name of 64 KiB is asked for", r.status)
r = run("names-64k", "-q", "--format", "csv", "-c", "functions | where fn ~ /m$/ | show self")
same(r.text.split(), ["self", "4"], "a name of 64 KiB is told from another")

def lmdb():
    """The file of an LMDB database with one key, as any program makes it."""
    def meta(number, txn):
        trees = struct.pack("<IHHQQQQQ", 4096, 8, 0, 0, 0, 0, 0, 2 ** 64 - 1) + struct.pack("<IHHQQQQQ", 0, 0, 1, 0, 1, 0, 1, 2)
        return (struct.pack("<QHHI", number, 0, 8, 0) + struct.pack("<IIQQ", 0xbeefc0de, 1, 0, 1 << 20) + trees +
                struct.pack("<QQ", 2, txn)).ljust(4096, b"\0")
    leaf = struct.pack("<QHHHH", 2, 0, 2, 18, 4096 - 20) + struct.pack("<H", 4096 - 20)
    node = struct.pack("<HHHH", 7, 0, 0, 5) + b"mykey" + b"mydata!"
    return meta(0, 0) + meta(1, 1) + leaf.ljust(4096 - 20, b"\0") + node


# ------------------------------------------------------- the index has no place: exit 5
p = profile("p.out", [(b"main", 10), (b"work", 90)])
refused(run(p, "-c", "top", "--index", "none/x.quern"), 5, "5: --index below a missing directory",
        "there is no directory none", "--no-index-write")
refused(run(p, "-c", "top", "--index", "dir"), 5, "5: --index is a directory", "dir is there and is not")
refused(run(p, "-c", "top", "--index", "fifo"), 5, "5: --index is a FIFO", "fifo is there")
refused(run(p, "-c", "top", "--index", "text"), 5, "5: --index is another's file",
        "text is there and is not an index")
same(open("text").read(), "some text\n" * 9, "which is as it was")
# Others' databases, whatever they are called: LMDB's magic is not quern's.
p_index = p + ".quern"
for name, text in (("data.mdb", lmdb()), ("data.quern", lmdb()), (p_index, lmdb()), ("text.quern", b"some text\n" * 9), (p_index, b"QURN" * 9000)):
    write(name, text)
    for option in ([], ["--rebuild"]):
        refused(run(p, "-c", "top", *([] if name == p_index else ["--index", name]), *option), 5, "5: %s, %r..., is replaced by nothing" % (name, text[:4]),
                name + " is there and is " + ("an LMDB database of another program" if text == lmdb() else "not an index"), "move it away", "--index PATH")
        same(open(name, "rb").read() == text, True, "which is as it was")
refused(run("data.mdb", "-c", "top"), 3, "3: an LMDB database as a profile", "an LMDB database that quern did not make")
os.remove(p_index)
run(p, "-q", "--rebuild", "-c", "top")
own = open(p_index, "rb").read()
for name, text in (("as it is", own), ("one page", own[:4096]), ("half", own[:len(own) // 2]), ("no head", bytes(9000) + own[9000:]), ("empty", b"")):
    write(p_index, text)
    r = run(p, "--rebuild", "-q", "-c", "top 1")
    ok(r.status == 0 and r.text, "an index of quern's is replaced: " + name, r)
with socket.socket(socket.AF_UNIX) as s:
    s.bind("socket")
refused(run(p, "-c", "top", "--index", "socket"), 5, "5: --index is a socket", "socket is there and cannot be looked at")
ok(stat.S_ISSOCK(os.lstat("socket").st_mode), "which is as it was")
for option in ([], ["--rebuild"]):
    refused(run(p, "-c", "top", "--index", p, *option), 5, "5: --index is the profile itself",
            "that is the profile")
ok(open(p).read().startswith("# callgrind format"), "which is as it was")
ok(run("p.out", "-c", "top", "--index", write("zero", b"")).status == 0, "an empty file may be --index")

# A directory where nothing can be written: the cache; without one, an error.
user = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"]
os.mkdir("closed")
profile("closed/p.out", [(b"main", 10)])
with open("closed/p.out", "a") as f:    # of a size that gets an index
    f.write("# more\n" * 600000)
os.mkdir("home", 0o777)
os.chmod("home", 0o777)
os.chmod(work, 0o755)
shutil.copy(quern, "quern")
program = [work + "/quern"]
os.chmod("closed", 0o555)
if os.getuid() == 0:
    program = user + program
if os.getuid() == 0 and not (shutil.which("setpriv") and
                             run("--version", program=program, env={"HOME": work}).status == 0):
    skip("an unwritable directory", "cannot run as another user: no setpriv")
else:
    r = run("closed/p.out", "-c", "top", program=program, env={"HOME": "/nonexistent"})
    refused(r, 5, "5: nowhere to write", "the directory %s/closed: Permission denied" % work,
            "--no-index-write")
    r = run("closed/p.out", "--no-index-write", "-c", "top", program=program,
            env={"HOME": "/nonexistent"})
    ok(r.status == 0 and "main" in r.text, "--no-index-write answers all the same", r)
    for how in ("indexed", ""):
        r = run("closed/p.out", "-c", "top", program=program, env={"HOME": work + "/home"})
        ok(r.status == 0 and ("indexed" in r.talk) == bool(how) and "main" in r.text, "the cache: " + (how or "fresh"), r)
    r = run("closed/p.out", "-c", "top", program=program, env={"HOME": ""})
    refused(r, 5, "5: no home, so no cache", "the directory %s/closed: Permission denied" % work)
    r = run("closed/p.out", "-c", "top", program=program,
            env={"HOME": work + "/home", "XDG_CACHE_HOME": work + "/home/xdg"})
    ok(r.status == 0 and os.listdir("home/xdg/quern")[0].endswith("-p.out.quern"), "XDG_CACHE_HOME", r)
    for tmp in ("/" + "x" * 4090, "/" + "x" * 5000):
        r = run("closed/p.out", "--no-index-write", "-c", "top", program=program, env={"TMPDIR": tmp})
        ok(r.status == 5 and "hint: name another directory with TMPDIR" in r.talk,
           "a TMPDIR of %d bytes" % len(tmp), r)
    ok(os.listdir("closed") == ["p.out"], "nothing was written beside it", os.listdir("closed"))
    same(os.stat("home/.cache/quern").st_mode & 0o777, 0o700, "the cache is private")
    write("home/private", b"precious")
    os.chmod("home/private", 0o000)
    r = run("closed/p.out", "-c", "top", "--index", "home/private", program=program, env={"HOME": work})
    ok(r.status == 5 and "home/private is there and cannot be looked at" in r.talk, "5: --index cannot be read", r)
    same(os.stat("home/private").st_size, 8, "and is as it was")
    os.chmod("closed", 0o755)
    os.chmod("closed/p.out", 0o000)
    refused(run("closed/p.out", "-c", "top", program=program), 3, "3: no permission to read",
            "closed/p.out: Permission denied")
os.chmod("closed", 0o755)

# Files may not grow: the old index stays.
run("no-body", "-q", "-c", "info")
write("big.out", lua)
before = run("big.out", "-q", "--rebuild", "-c", "top 3").text


def small_files():
    resource.setrlimit(resource.RLIMIT_FSIZE, (100 << 10, 100 << 10))
    signal.signal(signal.SIGXFSZ, signal.SIG_DFL)


r = run("big.out", "--rebuild", "-c", "top 3", preexec_fn=small_files)
refused(r, 5, "5: ulimit -f", "larger than a file may be", "ulimit -f")
r = run("big.out", "-c", "top 3")
ok(r.text == before and "indexed" not in r.talk, "the index of before is still there", r)

# A full disk, at every place where it may fill up.
os.mkdir("disk")
if os.getuid() != 0:
    skip("a full disk", "only root can mount a small tmpfs")
elif subprocess.run(["mount", "-t", "tmpfs", "-o", "size=1m", "quern", "disk"],
                    stderr=subprocess.DEVNULL).returncode:
    skip("a full disk", "a tmpfs cannot be mounted here")
else:
    atexit.register(subprocess.run, ["umount", "-l", work + "/disk"])
    write("disk/p.out", lua)
    wrong, full = [], 0
    for free in range(0, 400 << 10, 20 << 10):
        disk = os.statvfs("disk")
        write("disk/filler", bytes(disk.f_bavail * disk.f_bsize - free))
        r = run("disk/p.out", "--rebuild", "-c", "top 3")
        full += r.status == 5
        said = "disk is full" in r.talk or "No space left" in r.talk
        if leftovers("disk") or not (r.status == 0 and r.text == before or
                                     r.status == 5 and said and not r.text):
            wrong.append("%d KiB free: %s %s" % (free >> 10, leftovers("disk"), r))
        os.remove("disk/filler")
        if os.path.exists("disk/p.out.quern"):
            os.remove("disk/p.out.quern")
    ok(not wrong and full > 5, "a full disk: an error that says so, no file left", "\n".join(wrong))

# A file system that knows only seconds: what is written twice in one looks the same.
os.mkdir("seconds")
write("image", bytes(1 << 20))
if os.getuid() != 0:
    skip("a profile written twice within a second", "only root can mount a file system")
elif not shutil.which("mkfs.ext4"):
    skip("a profile written twice within a second", "mkfs.ext4 is not installed (e2fsprogs)")
elif (subprocess.run(["mkfs.ext4", "-q", "-O", "^has_journal", "-I", "128", "image"], stdout=subprocess.DEVNULL,
                     stderr=subprocess.DEVNULL).returncode or
      subprocess.run(["mount", "-o", "loop", "image", "seconds"], stderr=subprocess.DEVNULL).returncode):
    skip("a profile written twice within a second", "a file cannot be mounted here")
else:
    atexit.register(subprocess.run, ["umount", "-l", work + "/seconds"])
    for cost in range(100, 102):
        with open("seconds/p.out", "r+b" if cost > 100 else "wb") as f:
            f.write(BODY.replace(b"1 5", b"1 %d" % cost))
        r = run("seconds/p.out", "-q", "-c", "functions | show self | as tsv")
        ok(r.status == 0 and r.text.split() == ["self", str(cost)], "written again, its size as before: %d" % cost, r)

# ------------------------------------------------------------- stdout cannot be written: 1
for args in (["-c", "top"], ["-c", "functions | as csv"], ["-c", "info | as json"], ["--help"]):
    with open("/dev/full", "wb") as f:
        r = run("big.out", "-q", *args, stdout=f)
    ok(r.status == 1 and "standard output: No space left on device" in r.talk,
       "1: /dev/full: " + args[-1], r)
with subprocess.Popen([quern, "big.out", "-q", "-c", "lines"], stdout=subprocess.PIPE,
                      stderr=subprocess.PIPE, env=environ) as proc:
    proc.stdout.close()
    talk = proc.stderr.read()
ok(proc.returncode >= 0 and talk == b"", "a closed pipe is quiet", (proc.returncode, talk))

# ------------------------------------------------------------------ locked, damaged, stale
with open("p.out.quern.lock", "w") as lock:
    fcntl.flock(lock, fcntl.LOCK_EX)
    r = run(p, "--rebuild", "--no-wait", "-c", "top")
    ok(r.status == 5 and "another process is building" in r.talk and "--no-wait" in r.talk,
       "5: locked, --no-wait", r)
    lock.write("quern 4711\n77\np.out.quern.tmp.4711.00000000\n")
    lock.flush()
    r = run(p, "--rebuild", "--no-wait", "-c", "top")
    ok(r.status == 5 and "process 4711 is building " + work in r.talk, "5: locked, and by whom", r)
    # What does not get on is said to the one who waits, and who it is once more when he gives up.
    with open("waits.err", "w+") as talk:
        waits = subprocess.Popen([quern, p, "--rebuild", "-c", "top"], env=environ, stdout=subprocess.DEVNULL, stderr=talk)
        begun = time.time()
        while "got no further" not in open("waits.err").read() and waits.poll() is None and time.time() < begun + HUNG:
            time.sleep(0.1)
        waited = time.time() - begun
        waits.send_signal(signal.SIGINT)
        waits.wait()
        said = open("waits.err").read()
    ok("waiting for process 4711, which holds " + work in said and re.search(r"p\.out\.quern\.lock and has got no further for \d\d", said) and waited > 8, "a lock whose holder does nothing is said", said)
    ok(waits.returncode == 130 and "interrupted while waiting for process 4711" in said, "and Ctrl-C ends the wait", said)
write("p.out.quern.lock", b"# yarn lockfile v1\n")
r = run(p, "--rebuild", "-c", "top")
ok(r.status == 5 and "p.out.quern.lock is there and is not quern's" in r.talk and "--index PATH" in r.talk, "5: a lock file of another program", r)
same(open("p.out.quern.lock").read(), "# yarn lockfile v1\n", "which is as it was")
os.remove("p.out.quern.lock")
run(p, "-q", "--rebuild", "-c", "top")
same(leftovers(), [], "the lock file goes with the last builder")

index = open("big.out.quern", "rb").read()
queries = ["-c", "functions", "-c", "calls", "-c", "lines", "-c", "parts"]
right = run("big.out", "-q", "--format", "csv", *queries).text
wrong, told = [], 0
for page in range(2, len(index) // 4096):
    damaged = bytearray(index)
    damaged[page * 4096 + 100] ^= 0x10
    shutil.copy("big.out", "damaged.out")
    shutil.copystat("big.out", "damaged.out")
    write("i.quern", bytes(damaged))
    r = run("big.out", "-q", "--index", "i.quern", "--format", "csv", *queries)
    told += r.status == 5
    if not (r.status == 0 and r.text == right or
            r.status == 5 and "i.quern" in r.talk and "damaged" in r.talk and "--rebuild" in r.talk):
        wrong.append("page %d: %s" % (page, r.talk or "another answer"))
ok(not wrong and told > 10, "5: a damaged index: an error that says so, or the right answer",
   "%d told\n%s" % (told, "\n".join(wrong)))
write("i.quern", index[:len(index) // 2])
r = run("big.out", "--index", "i.quern", "-c", "top 3")
ok(r.status == 0 and "i.quern is damaged" in r.talk and r.text == before,
   "half an index is made anew, with a note", r)
write("i.quern", bytes(damaged))
same(run("big.out", "-q", "--index", "i.quern", "--rebuild", "-c", "top 3").text, before,
     "--rebuild mends")
r = run(p, "--index", "i.quern", "-c", "functions | count")
ok(r.status == 0 and "was of another profile, %s/big.out" % work in r.talk and "2" in r.text,
   "the index of another profile is not used", r)
os.chmod("i.quern", 0o666)
r = run(p, "--index", "i.quern", "-c", "functions | count")
ok(r.status == 0 and "could have been written by others" in r.talk, "nor one that others may write", r)

# ----------------------------------------------------------------- a profile that changes
profile(p, [(b"main", 10), (b"work", 90), (b"more", 7)])
r = run(p, "-c", "functions | count")
ok(r.status == 0 and "has changed since" in r.talk and "3" in r.text, "a changed profile: read again", r)
os.utime(p)
r = run(p, "-c", "functions | count")
ok(r.status == 0 and "indexed" not in r.talk, "touched, but the same: its index serves", r)

block = b"".join(b"fn=f%d\n" % f + b"".join(b"%d %d\n" % (i, i) for i in range(1, 200))
                 for f in range(5000))


def while_writing(change):
    """quern, while another thread changes the file."""
    write("moving.out", BODY + block)
    stop = threading.Event()

    def go():
        while not stop.is_set():
            change()
            time.sleep(0.001)

    writer = threading.Thread(target=go)
    writer.start()
    try:
        return run("moving.out", "--rebuild", "-c", "functions | count")
    finally:
        stop.set()
        writer.join()


def append():
    with open("moving.out", "ab") as f:
        f.write(b"1 1\n")


def cut():
    os.truncate("moving.out", 5000)


for _ in range(100):    # it may be read before the thread had its turn
    r = while_writing(append)
    if r.status:
        break
refused(r, 3, "3: a profile that grows", "moving.out: changed while it was read",
        "wait until the program")
wrong = []
for _ in range(10):
    r = while_writing(cut)
    if r.status not in (0, 3) or (r.status == 3) != ("moving.out" in r.talk and "error:" in r.talk):
        wrong.append(str(r))
ok(not wrong and not leftovers(), "a profile that is cut: an error or an answer", "\n".join(wrong))

# Written anew in place, by one of another length: it ends, whatever the bytes do, and says why.
def profile_of(seed, factor):
    text = "".join("fn=(%d) f%d\n" % (i + 1, i) + "".join("%d %d %d\n" % (k, (k * 7919 + i * seed) % 1000 * factor, k) for k in range(100))
                   for i in range(6000 // SLOW))
    return b"version: 1\npositions: line\nevents: Ir Dr\nfl=(1) a.c\n" + text.encode()


both, turn = (profile_of(1, 1), profile_of(2, 7)), [0]


def anew():
    with open("moving.out", "r+b") as f:
        turn[0] += 1
        f.write(both[turn[0] % 2])
        f.truncate()
    time.sleep(turn[0] % 5 * 0.03)


wrong, statuses = [], set()
for _ in range(600 if os.environ.get("QUERN_TORTURE") else 20):
    r = while_writing(anew)
    statuses.add(r.status)
    # By the reader, or (map.c) by the map where the file was shorter for a moment.
    said = re.search(r"moving\.out(: changed| changed or shrank) while it was read", r.talk)
    if r.status not in (0, 3) or (r.status == 3 and not said):
        wrong.append(str(r))
ok(not wrong and 3 in statuses, "a profile that is written anew in place: it has changed", "%s %s" % (statuses, "\n".join(wrong)))

source = open(top + "/index/lines/decode_line.c").read()
kinds = re.findall(r'\[ODD_[A-Z_]+\] =\s*"([^"]+)"', source)
rules = open(top + "/index/lines/PROFILE.md").read()
ok(len(kinds) > 15, "the kinds of diagnostics are found", kinds)
same([kind for kind in kinds if kind not in rules], [], "index/lines/PROFILE.md says what each diagnostic means")
done()
