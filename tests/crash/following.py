"""following.py - faults while dumps are followed (--watch)."""
import os
import shutil
import signal
import subprocess
import sys
import time

import crash
import reading
from crash import Row, calls_of, fault_so, leftovers, need_faults, quern, run, work, write
from sources import dump

SHOW = ("-q", "--format", "csv", "-c", "info | show parts, total")
LONG_AGO = (1000000000, 1000000000)


class Watch:
    """quern --watch, with what it says in files."""

    def __init__(self, base, program=(quern,), env=(), more=()):
        self.out, self.err = open("watch.out", "w+b"), open("watch.err", "w+b")
        self.p = subprocess.Popen([*program, "--watch", base, *SHOW, *more], stdin=subprocess.DEVNULL,
                                  stdout=self.out, stderr=self.err, env=dict(crash.environ, **dict(env)))

    def said(self, f):
        return os.pread(f.fileno(), 1 << 20, 0).decode("utf-8", "replace")

    def lines(self):
        return [line for line in self.said(self.out).splitlines() if not line.startswith("parts")]

    def until(self, what):
        """True when it became so; False when the watcher is gone or does nothing for ever."""
        end = time.time() + crash.HUNG
        while time.time() < end:
            if what():
                return True
            if self.p.poll() is not None:
                return what()
            time.sleep(0.02)
        return False

    def end(self, how=None):
        if how:
            self.p.send_signal(how)
        status = self.p.wait(timeout=crash.HUNG)
        self.shown = self.lines()
        said = "status %d\n%s\n%s" % (status, self.said(self.out)[-600:], self.said(self.err)[-600:])
        self.out.close()
        self.err.close()
        return status, said


def catches(process, signal):
    """True when the program is that far."""
    with open("/proc/%d/status" % process.pid) as f:
        caught = [line.split()[1] for line in f if line.startswith("SigCgt:")]
    return bool(int(caught[0], 16) >> (signal - 1) & 1)


def process():
    return subprocess.Popen([sys.executable, "-S", "-E", "-c", "import time; time.sleep(86400)"],
                            stdin=subprocess.DEVNULL)


def put(base, suffix, part, salt):
    """Dumps are written beside and renamed, or in place: at rest before they are read."""
    write(base + suffix, dump(part, 20 + salt % 7, salt))
    os.utime(base + suffix, LONG_AGO)


# ---------------------------------------------------------- at each system call of the watcher

def sys_setup():
    need_faults()
    s = {"calls": 0, "last": None}
    one(s, 1 << 30, "5")
    with open("calls") as f:
        calls = int(f.read().split()[0])
    s["cases"] = [(k, what) for k in range(1, calls + 1) for what in ("5", "12", "24", "28", "kill", "after")]
    return s


def one(s, k, what):
    """Two dumps are there and their process ends when they have been shown."""
    writer = process()
    base = "w.out.%d" % writer.pid
    try:
        put(base, ".1", 1, 1)
        put(base, ".2", 2, 2)
        want = run("--all-parts", base, "--no-index-write", *SHOW)
        assert want.status == 0, want
        line = want.text.splitlines()[-1]
        w = Watch(base, env={"LD_PRELOAD": fault_so, "QUERN_FAULT": "sys:%d:%s" % (k, what),
                             "QUERN_FAULT_COUNT": os.getcwd() + "/calls"})
        seen = w.until(lambda: line in w.lines() or "error:" in w.said(w.err))
        writer.kill()
        writer.wait()
        status, said = w.end()
        lines = w.shown
        left = [f for f in leftovers() if ".tmp." in f]
        if status == -9 and what in ("kill", "after"):
            pass
        elif [x for x in lines if x != line]:
            return "another answer\n" + said
        elif status == 0 and not (seen and line in lines):
            return "success without an answer\n" + said
        elif status not in (0, 1, 3, 5, 6) or status and "error:" not in said:
            return said
        elif left:
            return "left behind: %s\n%s" % (left, said)
        r = run("--all-parts", base, *SHOW)
        if (r.status, r.out) != (0, want.out) or [f for f in leftovers() if ".tmp." in f]:
            return "afterwards: %s\n%s\n%s" % (leftovers(), said, r)
    finally:
        writer.kill()
        writer.wait()
        for f in os.listdir("."):
            if f.startswith(base):
                os.remove(f)
    return None


def sys_one(rng, i, s):
    k, what = s["cases"][i * 7919 % len(s["cases"])]
    wrong = one(s, k, what)
    return wrong and "sys:%d:%s: %s" % (k, what, wrong)


# ------------------------------------------------- what others do to the files, and to it

def move_setup():
    s = {"writer": process(), "program": (quern,), "env": {}}
    crash.e2e.atexit.register(s["writer"].kill)
    if os.getuid() == 0 and shutil.which("setpriv"):
        os.chmod(work, 0o755)
        os.chmod(".", 0o755)
        shutil.copy(quern, work + "/quern-for-all")
        user = reading.as_user(reading.NOBODY)
        if run("--version", program=user).status == 0:
            s["program"] = user
    return s


def change(rng, d, base, there, how, salt):
    """One of them vanishes, shrinks, is another or is written anew; one is added."""
    if how == "add" or not there:
        n = max(there, default=0) + 1
        there[n] = True
        put(base, ".%d" % n, n, salt)
        return
    n = rng.choice(sorted(there))
    path = "%s.%d" % (base, n)
    if how == "gone":
        os.remove(path)
        del there[n]
    elif how == "cut":
        os.truncate(path, rng.randrange(200, max(201, os.path.getsize(path))))
    elif how == "swapped":
        put(d + "/other", "", n, salt)
        os.replace(d + "/other", path)
    elif how == "rewritten":
        write(path, dump(n, 20 + salt % 7, salt))
    elif how == "closed":
        os.chmod(d, 0o555)
    elif how == "open":
        os.chmod(d, 0o777)


def move_one(rng, i, s):
    d = "d%d" % i
    os.mkdir(d)
    os.chmod(d, 0o777)
    base, there = "%s/w.out.%d" % (d, s["writer"].pid), {}
    os.mkdir(d + "/home")
    os.chmod(d + "/home", 0o777)
    user = {"program": s["program"], "env": dict.fromkeys(("HOME", "TMPDIR"), os.getcwd() + "/" + d + "/home")}
    done, lawful, w = [], set(), None
    try:
        for step in range(4):
            how = rng.choice(("add", "add", "gone", "cut", "swapped", "rewritten", "closed", "open"))
            done.append(how)
            change(rng, d, base, there, how, i * 10 + step)
            want = run("--all-parts", base, "--no-index-write", *SHOW, **user)
            line = want.text.splitlines()[-1] if want.status == 0 else None
            lawful.add(line)
            if w and rng.random() < 0.3:
                done.append("killed")
                time.sleep(rng.random() * 0.6)
                w.end(signal.SIGKILL)
                w = None
            w = w or Watch(base, **user)
            if line:
                good = w.until(lambda: w.lines()[-1:] == [line])
            else:
                good = w.until(lambda: "error:" in w.said(w.err) if there else catches(w.p, signal.SIGINT))
            if not good:
                said, w = w.end(signal.SIGKILL)[1], None
                return "%s: %s is not shown\n%s" % (done, line, said)
        status, said = w.end(signal.SIGINT)
        lines, w = w.shown, None
        if status != 130 or set(lines) - lawful:
            return "%s: %s of %s\n%s" % (done, lines, lawful, said)
        os.chmod(d, 0o777)
        r = run("--all-parts", base, "--rebuild", *SHOW, **user)
        if (r.status, r.out) != (want.status, want.out) or want.status == 0 and leftovers(d):
            return "%s: afterwards: %s\n%s" % (done, os.listdir(d), r)
    finally:
        if w:
            w.end(signal.SIGKILL)
        shutil.rmtree(d)
    return None


rows = [
    Row("watchsys", "a system call of --watch fails, or is the last", 4, lambda s: len(s["cases"]), sys_one,
        sys_setup),
    Row("watched", "dumps change, the watcher is killed", 2, 300, move_one, move_setup),
]
