"""crash.py - the fault matrix as rows: a fault, how many ways to try it, and one try.

A row's tries are numbered; try i depends on the seed and i alone, so any can be repeated:
    tests/crash/torture --seed 7 --only kill:123
A .t file runs some of each row (commit()); tests/crash/torture runs all of them, remembers how
far it came, and prints the table.

The law: the old answer, the new answer, or a named error with a status; never wrong, partial
without saying so, hung, or killed by a signal.
"""
import os
import random
import re
import select
import shutil
import signal
import struct
import subprocess
import sys
import time
import traceback

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "e2e"))
import e2e                                                                    # noqa: E402
from e2e import build, environ, fixtures, ok, quern, small, work                     # noqa: E402,F401

variant = os.environ.get("QUERN_VARIANT", os.path.basename(e2e.build))
HUNG = e2e.HUNG


class Skip(Exception):
    """Why a row cannot be tried here."""


class Row:
    def __init__(self, name, what, commit, full, one, setup=None, each=1):
        """one(rng, i, state) -> None or what went wrong; state is what setup() returned.  full may
        be a function of state.  each: faults in one try.  commit 0: a test program of its own
        has them."""
        self.name, self.what, self.commit, self.full, self.one = name, what, commit, full, one
        self.setup, self.state, self.ready, self.each = setup, None, False, each

    def prepare(self):
        if not self.ready:
            os.makedirs(work + "/" + self.name, exist_ok=True)
            os.chdir(work + "/" + self.name)
            self.state = self.setup() if self.setup else None
            if callable(self.full):
                self.full = self.full(self.state)
            self.ready = True
        os.chdir(work + "/" + self.name)

    def attempt(self, seed, i):
        """None or what went wrong."""
        rng = random.Random("%s %d %d" % (self.name, seed, i))
        rng.number = seed
        try:
            return self.one(rng, i, self.state)
        except subprocess.TimeoutExpired as e:
            return "hung: %s" % (e.cmd,)
        except Exception:       # one try that goes wrong must not end all the others
            return traceback.format_exc()


def commit(rows):
    """Some of each row, evenly spread, as one test each."""
    seed = e2e.seed()
    for row in [r for r in rows if r.commit]:
        start = time.time()
        try:
            row.prepare()
        except Skip as why:
            e2e.skip(row.name, str(why))
            continue
        n = min(row.commit, row.full)
        picked = sorted({k * row.full // n for k in range(n)})
        wrong = [(i, row.attempt(seed, i)) for i in picked]
        wrong = ["torture --seed %d --only %s:%d: %s" % (seed, row.name, *w) for w in wrong if w[1]]
        ok(not wrong, "%s: %s: %d of %d" % (row.name, row.what, len(picked), row.full),
           "%d of %d wrong\n%s" % (len(wrong), len(picked), "\n".join(wrong[:5])))
        print("# %.1f s" % (time.time() - start))
    e2e.done()


# ---------------------------------------------------------------- running quern under a fault

def need_faults():
    if not os.path.exists(e2e.FAULT):
        raise Skip("no faults in the %s variant" % variant)


def run(*args, fault="", count="", log="", seconds=HUNG, **more):
    env = dict(more.pop("env", ()))
    if fault or count or log:
        env.update(e2e.faulty["env"], QUERN_FAULT=fault)
        more.setdefault("program", e2e.faulty["program"])
        if count:
            env["QUERN_FAULT_COUNT"] = count
        if log:
            env["QUERN_FAULT_LOG"] = log
    return e2e.run(*args, env=env, seconds=seconds, **more)


class Server:
    """A quern of certain arguments, stopped before main(): each try is a fork of it."""

    def __init__(self, args):
        ask, self.ask = os.pipe()
        self.told, tell = os.pipe()
        self.out, self.err = (os.open(f, os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC)
                              for f in ("served.out", "served.err"))
        os.unlink("served.out")
        os.unlink("served.err")
        env = dict(environ, QUERN_FAULT_SERVER="%d,%d" % (ask, tell), **e2e.faulty["env"])
        self.p = subprocess.Popen(e2e.faulty["program"] + args, env=env, stdin=subprocess.DEVNULL,
                                  stdout=self.out, stderr=self.err, pass_fds=(ask, tell),
                                  start_new_session=True)
        os.close(ask)
        os.close(tell)

    def start(self, fault=""):
        os.write(self.ask, (fault or "none").encode() + b"\n")
        return self

    def finish(self):
        if not select.select([self.told], [], [], HUNG)[0]:
            os.killpg(self.p.pid, signal.SIGKILL)
            raise subprocess.TimeoutExpired(self.p.args, HUNG)
        status = os.waitstatus_to_exitcode(struct.unpack("i", os.read(self.told, 4))[0])
        text = [os.pread(fd, os.fstat(fd).st_size, 0) for fd in (self.out, self.err)]
        return e2e.Ran(subprocess.CompletedProcess(self.p.args, status, *text))

    def close(self):
        for fd in (self.ask, self.told, self.out, self.err):
            os.close(fd)
        self.p.wait()


class Plain:
    """The same where there are no faults: for tries that need no fault."""

    def __init__(self, args):
        self.args = args

    def start(self, fault=""):
        if fault:
            need_faults()
        self.p = subprocess.Popen([quern] + list(self.args), env=environ, stdin=subprocess.DEVNULL,
                                  stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        return self

    def finish(self):
        out, talk = self.p.communicate(timeout=HUNG)
        return e2e.Ran(subprocess.CompletedProcess(self.args, self.p.returncode, out, talk))


servers = {}


def server(*args):
    if not os.path.exists(e2e.FAULT):
        return Plain(args)
    key = (os.getcwd(),) + args
    if key in servers and servers[key].p.poll() is not None:
        servers.pop(key).close()
    if key not in servers:
        while len(servers) >= 200:
            servers.pop(next(iter(servers))).close()
        servers[key] = Server(args)
    return servers[key]


def again(*args, fault=""):
    """run() for the same arguments again and again, several times as fast."""
    return server(*args).start(fault).finish()


def calls_of(*args):
    """How many system calls and allocations a run of quern has."""
    run(*args, count="calls")
    with open("calls") as f:
        return tuple(int(n) for n in f.read().split()[:2])


def leftovers(top="."):
    return sorted(f for f in os.listdir(top) if ".tmp." in f or f.endswith(".lock"))


def read(path):
    try:
        with open(path, "rb") as f:
            return f.read()
    except FileNotFoundError:
        return None


def write(path, content):
    with open(path, "wb") as f:
        f.write(content)
    return path


def put_back(path, content):
    """A file as it was: None is none."""
    if os.path.exists(path):
        os.remove(path)
    if content is not None:
        write(path, content)
        os.chmod(path, 0o444)


STATUS = (0, 1, 3, 5, 6, 130)


def timeless(answer):
    """A report of tests without its times, which differ from run to run; a page without the
    marks of source files that are there: one that cannot be opened is not."""
    if answer.startswith(b"<!DOCTYPE html>"):
        return re.sub(rb"\t1(?=\n)", b"", answer)
    return re.sub(rb' time="[0-9.]+"', b"", answer)


def lawful(r, right, killed=False):
    """None when r is the right answer or a named error (or the kill that was asked for)."""
    if killed and r.status == -9:
        return None
    if r.status < 0:
        return "signal %d\n%s" % (-r.status, r)
    if r.status not in STATUS:
        return "status %d\n%s" % (r.status, r)
    if r.status == 0 and timeless(r.out) != timeless(right):
        return "another answer\n%s" % r
    if r.status and "error:" not in r.talk and "interrupted" not in r.talk:
        return "no word about it\n%s" % r
    return None


def big_profile(functions, lines, salt=0):
    """The bytes of a profile in which every function calls the next."""
    out = [b"# callgrind format\nversion: 1\ncreator: crash\nevents: Ir Dr\n\n"]
    for f in range(functions):
        out.append(b"fl=(%d) f%d.c\nfn=(%d) function_%d\n" % (f % 50, f % 50, f, f))
        out += [b"%d %d %d\n" % (k + 1, (f * 7 + k + salt) % 1000 + 1, k) for k in range(lines)]
        if f + 1 < functions:
            out.append(b"cfn=(%d) function_%d\ncalls=%d 1\n%d %d %d\n"
                       % (f + 1, f + 1, f % 9 + 1, lines, f + salt + 1, f))
    return b"".join(out)
