"""building.py - faults while an index is made and published."""
import fcntl
import glob
import os
import resource
import shutil
import signal
import subprocess
import threading
import time

import crash
from crash import (Row, Skip, again, big_profile, calls_of, lawful, leftovers, need_faults, put_back, quern,
                   read, run, server, small, work, write)

# So small a profile gets an index only where one is asked for.
BESIDE = ("--index", "p.out.quern")
ASK = ("-q", "--format", "csv", "-c", "contexts | top 5", "-c", "contexts | callers of luaD_precall'2")
# EIO ENOSPC EINTR EMFILE ENOMEM EDQUOT, and the end of the process
ACTIONS = ("5", "28", "4", "24", "12", "122", "kill", "after", "torn")
CACHE = work + "/.cache/quern"


class Scenes:
    """What is asked and which index is there before, by the scene's name; spilling makes the same
    calls for ever, so there each of 8 will do."""

    def __init__(self, index, right, arguments, there, sparse=("spill",)):
        need_faults()
        self.index, self.right, self.arguments, self.there = index, right, arguments, there
        os.environ["TMPDIR"] = crash.environ["TMPDIR"] = os.getcwd()
        self.calls, self.sparse, self.cases = {}, sparse, []
        for scene in arguments:
            self.set(scene)
            self.calls[scene] = calls_of(*arguments[scene])

    def set(self, scene):
        for f in leftovers():
            os.remove(f)
        # An index that went there, for its directory seemed not to be writable, would be used.
        shutil.rmtree(CACHE, ignore_errors=True)
        put_back(self.index, self.there.get(scene))

    def each(self, kind, per_site):
        """Fill cases: (scene, k, which) of every site of every scene."""
        self.cases = [(scene, k, w) for scene in self.arguments
                      for k in range(1, self.calls[scene][kind] + 1, 8 if scene in self.sparse else 1)
                      for w in per_site]
        return self

    def after(self, scene, r, killed):
        """The law, and what the fault may have left behind."""
        wrong = lawful(r, self.right, killed)
        left = leftovers() + (leftovers(CACHE) if os.path.isdir(CACHE) else [])
        # A lock that could not be had or removed is left, and does no harm.
        left = [f for f in left if not f.endswith(".lock")]
        # Nor can a kill leave a temporary index, which has no name.
        if wrong is None and left and not (killed and r.status == -9 and scene != "unkept"):
            wrong = "left behind: %s\n%s" % (left, r)
        index = read(self.index)
        for other in glob.glob(CACHE + "/*.quern"):
            v = run(other, "--verify")
            if wrong is None and v.status:
                wrong = "an index in the cache is not sound\n%s\n%s" % (r, v)
        if wrong is None and index not in (None, *self.there.values()):
            v = run(self.index, "--verify")
            if v.status:
                wrong = "a published index is not sound\n%s\n%s" % (r, v)
        if wrong is None and index is None and self.there.get(scene):
            wrong = "the old index is gone\n%s" % r
        # And the next one finds everything well.
        if wrong is None and (killed or r.status):
            r = again(*self.arguments[scene])
            if r.status or r.out != self.right or [f for f in leftovers() if ".tmp." in f]:
                wrong = "afterwards: %s\n%s" % (leftovers(), r)
        return wrong


def scenes():
    """The index is not there, of an older content, up to date, not kept; or so little memory that
    first blocks go to a file."""
    lua = read(small + "lua-default.out")
    old = lua.replace(b"desc: Timerange", b"desc: Timerenge", 1)
    write("p.out", old)
    ask = ("p.out",) + BESIDE + ASK
    run(*ask)
    stale = read("p.out.quern")
    write("p.out", lua)
    right = run(*ask)
    assert right.status == 0, right
    return Scenes("p.out.quern", right.out,
                  {"none": ask, "stale": ask, "fresh": ask, "unkept": ("p.out", "--no-index-write") + ASK,
                   "spill": ask + ("--mem", "60k", "--jobs", "1")},
                  {"stale": stale, "fresh": read("p.out.quern")})


def thread_scenes():
    """So many lines that threads read and pack them, from memory or from a temporary file."""
    write("q.out", big_profile(300, 150))
    ask = ("q.out", "--index", "q.out.quern") + ASK[:-2] + ("--jobs", "4")
    right = run(*ask)
    assert right.status == 0, right
    return Scenes("q.out.quern", right.out, {"threads": ask, "few": ask + ("--mem", "400k")}, {},
                  sparse=("few",))


def parts_profile(parts, functions, events):
    """The bytes of a profile of parts."""
    out = [b"# callgrind format\nversion: 1\ncreator: crash\n"]
    for part in range(parts):
        out.append(b"part: %d\nevents: %s\n\n" % (part + 1, events))
        for f in range(functions):
            out.append(b"fl=(%d) f%d.c\nfn=(%d) function_%d\n" % (f % 50, f % 50, f, f))
            out.append(b"%d %d %d\n" % (f + 1, (f * 7 + part) % 1000 * 999983, part))
            if f + 1 < functions:
                out.append(b"cfn=(%d) function_%d\ncalls=%d 1\n%d %d\n"
                           % (f + 1, f + 1, part + 1, f + 1, f * 999983))
    return b"".join(out)


def part_scenes():
    """Costs of parts that grow; those of a second file, with its events in another order, are
    added up, not copied."""
    write("r1.out", parts_profile(6, 120, b"Ir Dr"))
    write("r2.out", parts_profile(6, 150, b"Dr Ir"))
    ask = ("r1.out", "r2.out", "--index", "r.quern") + ASK[:-2] + ("--jobs", "1")
    right = run(*ask)
    assert right.status == 0, right
    return Scenes("r.quern", right.out, {"parts": ask}, {})


def sys_setup():
    return scenes().each(0, ACTIONS)


def mem_setup():
    return scenes().each(1, ("", "+"))


def sys_fails(rng, i, s):
    # Neighbours in number are far apart in kind, so that a few tries see all of them.
    scene, k, action = s.cases[i * 7919 % len(s.cases)]
    s.set(scene)
    r = again(*s.arguments[scene], fault="sys:%d:%s" % (k, action))
    wrong = s.after(scene, r, killed=not action.isdigit())
    if wrong is None and action != "12" and "out of memory" in r.talk:
        wrong = "called want of memory\n%s" % r
    if wrong is None and "damaged" in r.talk:
        wrong = "called damage\n%s" % r
    return wrong and "%s sys:%d:%s: %s" % (scene, k, action, wrong)


def mem_fails(rng, i, s):
    scene, k, on = s.cases[i * 7919 % len(s.cases)]
    s.set(scene)
    r = again(*s.arguments[scene], fault="mem:%d%s:12" % (k, on))
    wrong = s.after(scene, r, killed=False)
    if wrong is None and r.status not in (0, 6):
        wrong = "status %d for want of memory\n%s" % (r.status, r)
    if wrong is None and "damaged" in r.talk:
        wrong = "want of memory is called damage\n%s" % r
    return wrong and "%s mem:%d%s: %s" % (scene, k, on, wrong)


def words(rng, i, s):
    """Where writing fails for want of room, that is what is said."""
    k, e = i // 2 + 1, ("28", "122")[i % 2]
    s.set("none")
    r = again(*s.arguments["none"], fault="sys:%d:%s" % (k, e))
    want = {"28": "the disk is full", "122": "your disk quota is used up"}[e]
    if r.status == 0 or want in r.talk or "write" not in r.talk:
        return None
    return "sys:%d:%s: not said so: %s" % (k, e, r)


# ------------------------------------------------------------------------------ kill -9

def kill_setup():
    write("p.out", big_profile(400, 10))
    took = []
    for _ in range(5):
        start = time.time()
        r = run("p.out", "--rebuild", *ASK)
        took.append(time.time() - start)
    r = run("p.out", "-q", "--format", "csv", "-c", "top 7", "-c", "calls | sum")
    assert r.status == 0, r
    s = {"right": r.out, "took": min(took), "wrong": [], "asked": 0}
    return s


def kill_one(rng, i, s):
    """A builder is killed while three readers ask; all must be right."""
    asked = ("p.out",) + BESIDE + ("-q", "--format", "csv", "-c", "top 7", "-c", "calls | sum")
    if i % 10 == 9 and os.path.exists("p.out.quern"):
        os.remove("p.out.quern")
    builder = subprocess.Popen([quern, "p.out", "--rebuild", "-q", "-c", "top 1"], env=crash.environ,
                               stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    time.sleep(rng.random() * s["took"] * 1.2)
    reader = server(*asked).start()
    time.sleep(rng.random() * 0.003)
    builder.kill()
    r = reader.finish()
    builder.wait()
    if r.status or r.out != s["right"]:
        return "a reader beside it: %s" % r
    r = again(*asked)
    if r.status or r.out != s["right"]:
        return "a reader after it: %s" % r
    if i % 10 == 0:
        r = run("p.out", "--rebuild", "-q", "-c", "top 1")
        if r.status or leftovers():
            return "not cleaned up: %s %s" % (leftovers(), r)
    return None


# ----------------------------------------------------------------------- two at a time

def race_setup():
    write("p.out", big_profile(800, 30))
    r = run("p.out", *BESIDE, *ASK[:-2])
    return {"right": r.out}


def race_one(rng, i, s):
    """Several indexers of one profile; one of them is told not to wait."""
    os.remove("p.out.quern")
    many = [subprocess.Popen([quern, "p.out"] + list(BESIDE + ASK[:-2]) + (["--no-wait"] if k == 2 else [])
                             + (["--rebuild"] if rng.random() < 0.3 else []), env=crash.environ,
                             stdout=subprocess.PIPE, stderr=subprocess.PIPE) for k in range(3)]
    for k, p in enumerate(many):
        out, talk = p.communicate(timeout=crash.HUNG)
        locked = k == 2 and p.returncode == 5 and b" is building " in talk
        if not locked and (p.returncode or out != s["right"]):
            return "indexer %d: status %d\n%s\n%s" % (k, p.returncode, out[:300], talk[:500])
    if leftovers():
        return "left behind: %s" % leftovers()
    r = run("p.out", "--verify")
    return str(r) if r.status else None


def catches(process, signal):
    """True when the program is that far."""
    with open("/proc/%d/status" % process.pid) as f:
        caught = [line.split()[1] for line in f if line.startswith("SigCgt:")]
    return bool(int(caught[0], 16) >> (signal - 1) & 1)


def lock_one(rng, i, s):
    """A lock held by another process: --no-wait leaves at once, the others wait, and nobody but
    its holder removes the lock file."""
    with open("p.out.quern.lock", "w") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        for _ in range(2):
            r = run("p.out", "--rebuild", "--no-wait", "-c", "top")
            if r.status != 5 or "another process is building" not in r.talk:
                return "--no-wait: %s" % r
            if not os.path.exists("p.out.quern.lock"):
                return "--no-wait removed the lock of another process"
        waits = subprocess.Popen([quern, "p.out", "--rebuild"] + list(ASK[:-2]), env=crash.environ,
                                 stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        time.sleep(0.1)
        if waits.poll() is not None:
            return "it did not wait: %s" % (waits.communicate(),)
        gives_up = subprocess.Popen([quern, "p.out", "--rebuild", "-c", "top"], env=crash.environ,
                                    stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        while gives_up.poll() is None and not catches(gives_up, signal.SIGINT):
            time.sleep(0.01)
        gives_up.send_signal(signal.SIGINT)
        out, talk = gives_up.communicate(timeout=crash.HUNG)
        if gives_up.returncode != 130 or out or not os.path.exists("p.out.quern.lock"):
            return "interrupted while it waits: %d %s" % (gives_up.returncode, talk)
        fcntl.flock(held, fcntl.LOCK_UN)
        out, talk = waits.communicate(timeout=crash.HUNG)
    if waits.returncode or out != s["right"]:
        return "after the wait: %d %s" % (waits.returncode, talk)
    return "left behind: %s" % leftovers() if leftovers() else None


# --------------------------------------------------------------------------- disk full

def changed(profile):
    """The index of an older content, and the right answers of the one that is there now."""
    lua = read(small + "lua-default.out")
    write(profile, lua.replace(b"desc: Timerange", b"desc: Timerenge", 1))
    ask = (profile, "--index", profile + ".quern") + ASK
    run(*ask)
    s = {"old": read(profile + ".quern")}
    write(profile, lua)
    s["right"] = run(*ask).out
    return s


def disk_setup():
    if os.getuid():
        raise Skip("only root can mount a small tmpfs")
    os.makedirs("disk", exist_ok=True)
    if not os.path.ismount("disk") and subprocess.run(
            ["mount", "-t", "tmpfs", "-o", "size=2m", "quern", "disk"],
            stderr=subprocess.DEVNULL).returncode:
        raise Skip("a tmpfs cannot be mounted here")
    crash.e2e.atexit.register(subprocess.run, ["umount", "-l", os.path.abspath("disk")])
    s = changed("disk/p.out")
    s["most"] = len(s["old"]) + 64 * 1024
    return s


def disk_one(rng, i, s):
    """Room from none to enough, in 150 steps; the old index stays when there is too little."""
    put_back("disk/p.out.quern", s["old"])
    disk = os.statvfs("disk")
    room = s["most"] * i // 150
    write("disk/filler", bytes(max(0, disk.f_bavail * disk.f_bsize - room)))
    r = run("disk/p.out", "--index", "disk/p.out.quern", *ASK)
    os.remove("disk/filler")
    if leftovers("disk"):
        return "left behind: %s\n%s" % (leftovers("disk"), r)
    if r.status == 0 and r.out == s["right"]:
        return None
    if r.status != 5 or "disk is full" not in r.talk or r.out:
        return "%d bytes of room: %s" % (room, r)
    return None if read("disk/p.out.quern") == s["old"] else "the old index is gone"


def limit_setup():
    return changed("p.out")


def limit_one(rng, i, s):
    """No file may grow beyond a limit."""
    put_back("p.out.quern", s["old"])
    limit = (len(s["old"]) + 64 * 1024) * i // 150
    if crash.variant == "tsan":
        limit = max(limit, 1)   # it writes a file of its own before main(), where SIGXFSZ still kills

    def small_files():
        resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))
        signal.signal(signal.SIGXFSZ, signal.SIG_DFL)

    r = run("p.out", *BESIDE, *ASK, preexec_fn=small_files)
    if leftovers():
        return "left behind: %s\n%s" % (leftovers(), r)
    if r.status == 0 and r.out == s["right"]:
        return None
    # Nor may the answer, here a file too.
    if r.status != 5 or r.out or "larger than a file may be" not in r.talk and "too large" not in r.talk:
        return "limit %d: %s" % (limit, r)
    return None if read("p.out.quern") == s["old"] else "the old index is gone"


# ------------------------------------------------------------------ the order on the disk

def order_setup():
    need_faults()
    names = sorted(n for n in os.listdir(small) if read(small + n)[:200].find(b"\nevents:") > 0
                   or b"events:" in read(small + n)[:3000])
    return {"names": names, "strace": bool(shutil.which("strace"))}


def out_of_order(events, index, directory):
    """What is wrong with [(call, path)] of one build, or None."""
    temp, synced, moved, dir_synced = None, False, False, False
    for call, path in events:
        of_temp = path.startswith(index + ".tmp.")
        if call == "create" and of_temp:
            temp = path
        elif call in ("open-write", "write", "map-write", "create") and path == index:
            return "the index itself is written: %s" % call
        elif call == "map-write" and of_temp:
            return "the new index is mapped to be written"
        elif call == "write" and of_temp:
            if moved:
                return "written after it was renamed"
            synced = False
        elif call == "fsync" and of_temp:
            synced = True
        elif call == "rename" and path == index:
            if not temp or not synced:
                return "renamed before it was synced"
            moved = True
        elif call == "fsync" and path == directory and moved:
            dir_synced = True
    return None if dir_synced else "no rename and sync of the directory seen"


def from_log(directory):
    events = []
    for line in read("log").decode("utf-8", "replace").splitlines():
        call, rest = line.split(" ", 1)
        path, result = rest.rsplit(" ", 1)
        if int(result) >= 0:
            events.append((call, path if path.startswith("/") else directory + "/" + path))
    return events


def from_strace(directory):
    """The same of what the kernel saw: strace -f -y."""
    import re
    events = []
    fd = re.compile(r"\d+<([^>]*)>")
    for line in read("strace").decode("utf-8", "replace").splitlines():
        m = re.match(r"(?:\d+ +)?(\w+)\((.*)\) += (\d+)", line)
        if not m:
            continue
        call, rest, _ = m.groups()
        files = [f for f in fd.findall(line)]
        if call == "openat" and ("O_WRONLY" in rest or "O_RDWR" in rest) and files:
            events.append(("create" if "O_EXCL" in rest else "open-write", files[-1]))
        elif call in ("write", "pwrite64", "writev", "pwritev", "ftruncate") and files:
            events.append(("write", files[0]))
        elif call in ("fsync", "fdatasync") and files:
            events.append(("fsync", files[0]))
        elif call.startswith("rename"):
            names = re.findall(r'"([^"]*)"', rest)
            events.append(("rename", names[-1] if names[-1].startswith("/")
                           else directory + "/" + names[-1]))
        elif call == "mmap" and "PROT_WRITE" in rest and "MAP_SHARED" in rest and files:
            events.append(("map-write", files[0]))
    return events


def order_one(rng, i, s):
    directory = os.getcwd()
    name = s["names"][i % len(s["names"])]
    shutil.copy(small + name, name)
    index = directory + "/" + name + ".quern"
    for again in range(2):      # a first index, and one in the place of another
        args = (name, "--rebuild", "-q", "-c", "info")
        if s["strace"] and i >= len(s["names"]):
            subprocess.run(["strace", "-f", "-y", "-o", "strace", "-e",
                            "trace=openat,write,pwrite64,writev,pwritev,ftruncate,fsync,fdatasync,"
                            "rename,renameat,renameat2,mmap", quern] + list(args),
                           env=crash.environ, stdout=subprocess.DEVNULL, timeout=crash.HUNG)
            events = from_strace(directory)
        else:
            run(*args, log="log")
            events = from_log(directory)
        wrong = out_of_order(events, index, directory)
        if wrong:
            return "%s: %s\n%s" % (name, wrong, "\n".join("%s %s" % e for e in events[-30:]))
    os.remove(index)
    os.remove(name)
    return None


rows = [
    Row("kill", "kill -9 while indexing, readers alive", 50, 10000, kill_one, kill_setup),
    Row("syscall", "the k-th system call fails or is the last", 150, lambda s: len(s.cases),
        sys_fails, sys_setup),
    Row("malloc", "the k-th allocation of a build fails", 100, lambda s: len(s.cases), mem_fails,
        mem_setup),
    Row("threadsys", "a system call of threads that index fails", 16, lambda s: len(s.cases), sys_fails,
        lambda: thread_scenes().each(0, ACTIONS)),
    Row("threadmem", "an allocation of threads that index fails", 16, lambda s: len(s.cases), mem_fails,
        lambda: thread_scenes().each(1, ("", "+"))),
    Row("partmem", "an allocation for the costs of parts fails", 1000, lambda s: len(s.cases), mem_fails,
        lambda: part_scenes().each(1, ("",))),
    Row("words", "a full disk and a used up quota are called so", 60,
        lambda s: 2 * s.calls["none"][0], words, scenes),
    Row("disk", "a disk with little room", 20, 150, disk_one, disk_setup),
    Row("filesize", "RLIMIT_FSIZE", 20, 150, limit_one, limit_setup),
    Row("order", "synced, renamed, directory synced, never written", 8,
        lambda s: len(s["names"]) * (2 if s["strace"] else 1), order_one, order_setup),
    Row("race", "three indexers of one profile", 50, 1000, race_one, race_setup),
    Row("lock", "the lock of another process", 2, 50, lock_one, race_setup),
]
