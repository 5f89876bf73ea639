"""asking.py - faults while an index is asked and answers go out."""
import os
import pty
import random
import re
import resource
import select
import shutil
import signal
import subprocess
import time

import crash
from crash import (Row, Skip, again, calls_of, environ, fixtures, lawful, leftovers, need_faults, quern,
                   read, run, small, timeless, write)

P, BASE = "tmpl-cachebranch.out", "base=tmpl-default.out"
FORMATS = crash.e2e.format_names()


def every_query():
    """Each form of the language, as its transcript has it; answers are indented."""
    with open(crash.e2e.top + "/tests/query/language.answers", encoding="utf-8") as f:
        return [q for q in re.findall(r"^\S.*", f.read(), re.M) if q != "info"]    # that one tells the time


def profiles():
    for name in ("tmpl-cachebranch.out", "tmpl-default.out"):
        write(name, read(small + name))
        r = run(name, "-q", "--rebuild", "-c", "top 1")
        assert r.status == 0, r
    write("text.c", b"int main(void)\n{\n\treturn f();\n}\n")
    write("text.out", b"events: Ir\nfl=text.c\nfn=main\n3 5\ncfi=gone.c\ncfn=f\ncalls=1 1\n3 7\nfl=gone.c\nfn=f\n1 7\n")
    r = run("text.out", "-q", "--rebuild", "-c", "top 1")
    assert r.status == 0, r


def command(query, fmt="csv"):
    return (P, BASE, "-q", "--no-init", "--format", fmt, "-c", query)


def commands():
    """Every form of query, every format, and the dot-commands of scripts."""
    dots = [".profiles", ".event", ".explain top 5", ".mode", ".help", ".help formats", ".filters"]
    return ([command(q) for q in every_query()]
            + [command("calltree from main", f) for f in FORMATS]
            + [command("top 20", f) for f in FORMATS if f not in ("folded", "speedscope")]
            + [command(d) for d in dots]
            + [("text.out", "-q", "--no-init", "--format", "html", *more) for more in (
                ("-c", "source of main"), ("--with-source", "-c", "functions"))])


# ------------------------------------------------------------------ allocations, system calls

COUNTED = {}
MOST = 2000     # allocations of one command: beyond that they are of the same sites


def spread(n):
    return sorted({1 + k * n // MOST for k in range(MOST)}) if n > MOST else range(1, n + 1)


def faults_setup():
    need_faults()
    profiles()
    if COUNTED:
        return COUNTED
    s = {"cases": [], "right": {}, "sys": []}
    for c in commands():
        r = run(*c)
        if r.status not in (0, 4):
            continue
        s["right"][c] = r
        calls, allocations = calls_of(*c)
        s["cases"] += [(c, k, on) for k in spread(allocations) for on in ("", "+")]
        if c[0] == "text.out" or re.match(r"(source|lines|asm) of", c[-1]):     # text that cannot be read is no error: a note says why
            continue
        s["sys"] += [(c, k, e) for k in range(1, calls + 1) for e in ("5", "4", "24", "12", "28")]
    random.Random(0).shuffle(s["cases"])
    random.Random(0).shuffle(s["sys"])
    COUNTED.update(s)
    return s


def judge(s, c, r, statuses):
    right = s["right"][c]
    if r.status == right.status and timeless(r.out) == timeless(right.out):
        return None
    if r.status == right.status and right.status:
        return "another answer\n%s" % r
    if right.status == 4 and r.status == 4:
        return None
    wrong = lawful(r, right.out)
    if wrong is None and r.status not in statuses:
        wrong = "status %d\n%s" % (r.status, r)
    if wrong is None and "damaged" in r.talk:
        wrong = "called damage\n%s" % r
    return wrong


def query_mem(rng, i, s):
    c, k, on = s["cases"][i]
    wrong = judge(s, c, again(*c, fault="mem:%d%s:12" % (k, on)), (6,))
    return wrong and "%s mem:%d%s: %s" % (c[-1], k, on, wrong)


def query_sys(rng, i, s):
    c, k, e = s["sys"][i]
    wrong = judge(s, c, again(*c, fault="sys:%d:%s" % (k, e)), (1, 3, 5, 6))
    return wrong and "%s sys:%d:%s: %s" % (c[-1], k, e, wrong)


# ------------------------------------------------------------------------- files that appear

def file_setup():
    need_faults()
    profiles()
    # A page says which objects and sources can be read; of this machine's one may be just the one that fails.
    write(P, read(P).replace(b" /usr/lib", b" /gone/lib").replace(b" /usr/include", b" /gone/include"))
    s = {"right": {}, "cases": []}
    for name in ("a.csv", "a.html", "a.json", "a.svg"):
        q = "calltree from main > " + name
        if os.path.exists(name):
            os.remove(name)
        assert run(P, "-q", "--rebuild", "-c", q).status == 0
        s["right"][name] = read(name)
        for k in range(1, calls_of(P, "-q", "-c", q)[0] + 1):
            s["cases"] += [(name, k, w) for w in ("28", "5", "kill", "after", "torn")]
    return s


def file_one(rng, i, s):
    """The file is the old one or the new one, whole."""
    name, k, what = s["cases"][i * 7919 % len(s["cases"])]
    for f in os.listdir("."):
        if f.startswith((".a.", "a.")) or ".tmp" in f:
            os.remove(f)
    write(name, b"old")
    r = again(P, "-q", "-c", "calltree from main > " + name, fault="sys:%d:%s" % (k, what))
    now, wrong = read(name), None
    if now not in (b"old", s["right"][name]):
        wrong = "%d bytes of %d are there" % (len(now or b""), len(s["right"][name]))
    elif r.status == 0 and now != s["right"][name]:
        wrong = "success, and the file is the old one"
    elif r.status < 0 and what in ("28", "5"):
        wrong = "a signal"
    elif r.status >= 0 and len([f for f in os.listdir(".") if name in f]) != 1:
        # an unlink() that failed may leave what it was to remove
        if what not in ("28", "5") or "error" not in r.talk:
            wrong = "left behind: %s" % os.listdir(".")
    return wrong and "%s sys:%d:%s: %s\n%s" % (name, k, what, wrong, r)


EXPORT = (P, "-q", "-c", ".export out")


def tree(d):
    return {f: read(d + "/" + f) for f in os.listdir(d)} if os.path.isdir(d) else None


def export_setup():
    need_faults()
    profiles()
    assert run(*EXPORT).status == 0
    s = {"right": tree("out")}
    shutil.rmtree("out")
    s["cases"] = [(k, w) for k in range(1, calls_of(*EXPORT)[0] + 1)
                  for w in ("28", "5", "12", "24", "kill", "after", "torn", "over@" + P + ".quern")]
    s["index"] = read(P + ".quern")
    write(P + ".quern.new", s["index"][:16384])
    shutil.rmtree("out")
    return s


def export_one(rng, i, s):
    """The directory is whole or not there, and the next export removes what is left."""
    k, what = s["cases"][i * 7919 % len(s["cases"])]
    crash.put_back(P + ".quern", s["index"])
    r = again(*EXPORT, fault="sys:%d:%s" % (k, what))
    crash.put_back(P + ".quern", s["index"])
    now, wrong = tree("out"), None
    if now and "@" in what:     # an index that was made anew has another size, another time
        now["profiles.csv"] = s["right"]["profiles.csv"]
    left = [f for f in os.listdir(".") if ".tmp." in f]
    if now not in (None, s["right"]):
        wrong = "not whole: %s" % {f: len(b) for f, b in now.items()}
    elif r.status == 0 and now is None:
        wrong = "success, and there is none"
    elif r.status < 0 and what.isdigit() or r.status > 0 and "error:" not in r.talk:
        wrong = "status %d" % r.status
    elif r.status >= 0 and left and "error:" not in r.talk:
        wrong = "left behind: %s" % left
    shutil.rmtree("out", ignore_errors=True)
    r2 = again(*EXPORT)
    if wrong is None and (r2.status or tree("out") != s["right"]):
        wrong = "afterwards: %s" % r2
    left = [f for f in os.listdir(".") if ".tmp." in f]
    if wrong is None and left:
        wrong = "left behind after another: %s" % left
    for f in left + ["out"]:
        shutil.rmtree(f, ignore_errors=True)
    return wrong and "sys:%d:%s: %s\n%s" % (k, what, wrong, r)


# ------------------------------------------------------------------- outputs nobody can have

def every_setup():
    profiles()
    return {"commands": commands()}


def full_one(rng, i, s):
    c = s["commands"][i]
    right = run(*c)
    with open("/dev/full", "wb") as full:
        r = run(*c, stdout=full)
    # What asks for a file or a command says so there.
    if not right.out:
        return None if r.status == right.status else "%s: status %d" % (c[-1], r.status)
    if r.status != 1 or "No space left on device" not in r.talk:
        return "%s: /dev/full: %s" % (c[-1], r)
    return None


def pipe_one(rng, i, s):
    """A reader that leaves at once, or after some bytes."""
    c = s["commands"][i % len(s["commands"])]
    right = run(*c).status
    with subprocess.Popen([quern] + list(c), stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          env=environ) as p:
        if i >= len(s["commands"]):
            p.stdout.read(rng.randrange(200))
        p.stdout.close()
        talk = p.stderr.read()
        status = p.wait(timeout=crash.HUNG)
    if status != right or b"error" in talk and right == 0:
        return "%s: status %d, %r" % (c[-1], status, talk)
    return None


def interrupt_one(rng, i, s):
    """SIGINT at any time: the answer, or 130; never half an answer that looks whole."""
    c = s["commands"][i % len(s["commands"])]
    right = run(*c)
    build = i >= len(s["commands"])
    args = list(c) + (["--rebuild"] if build else [])
    with subprocess.Popen([quern] + args, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          env=environ) as p:
        time.sleep(rng.random() * (0.03 if build else 0.012))
        p.send_signal(signal.SIGINT)
        out, talk = p.communicate(timeout=crash.HUNG)
    if p.returncode in (130, -2):       # -2: before it could be caught
        return "left behind: %s" % leftovers() if leftovers() else None
    if p.returncode == right.status and (timeless(out) == timeless(right.out) or right.status):
        return None
    return "%s: status %d\n%s\n%s" % (c[-1], p.returncode, talk[:300], out[-300:])


def prompt_setup():
    s = every_setup()
    s["count"] = run(P, "-q", "--format", "tsv", "-c", "functions | count").text.split()[-1].encode()
    return s


class Terminal:
    """quern on a terminal of its own."""

    def __init__(self, *args, program=quern, **env):
        self.pid, self.fd = pty.fork()
        self.seen, self.status = b"", None
        if self.pid == 0:
            os.environ.clear()
            os.environ.update(environ, TERM="dumb", PAGER="cat", HOME=os.getcwd(), **env)
            try:
                os.execv(program, [program] + list(args))
            finally:
                os._exit(127)    # else a second run of this test goes on
        # Keys to a program that has just ended may wait for ever for somebody to read them.
        os.set_blocking(self.fd, False)

    def send(self, what):
        try:
            os.write(self.fd, what)
        except OSError:
            pass

    def read(self, seconds):
        """Take what comes; False at the end."""
        if not select.select([self.fd], [], [], seconds)[0]:
            return True
        try:
            more = os.read(self.fd, 65536)
        except OSError:
            return False
        self.seen += more
        return bool(more)

    def until(self, what, again=b"", seconds=crash.HUNG):
        """What is typed while a query ends may be thrown away: it is sent again."""
        end, alive = time.time() + seconds, True
        while alive and not re.search(what, self.seen) and time.time() < end:
            self.send(again)
            alive = self.read(0.5)
            while alive and select.select([self.fd], [], [], 0.05)[0]:
                alive = self.read(0)
        return re.search(what, self.seen) is not None

    def prompt(self):
        """Wait for the prompt; False at the end, or if it does not come."""
        end = time.time() + crash.HUNG
        while not self.seen.endswith(b"> ") and time.time() < end:
            if not self.read(end - time.time()):
                return False
        return self.seen.endswith(b"> ")

    def leave(self, seconds=crash.HUNG):
        """Ctrl-D leaves at an empty line alone: one that came while a query ran is a key in it."""
        end = time.time() + seconds
        while self.status is None and time.time() < end:
            self.send(b"\x15\x04")
            self.read(0.2)
            done, status = os.waitpid(self.pid, os.WNOHANG)
            if done:
                self.status = os.waitstatus_to_exitcode(status)
        if self.status is None:
            os.kill(self.pid, signal.SIGKILL)
            os.waitpid(self.pid, 0)
        os.close(self.fd)
        return self.status


def prompt_one(rng, i, s):
    """SIGINT at the prompt and in queries: the session goes on and answers."""
    c = s["commands"][i % len(s["commands"])][-1]
    t, wrong = Terminal(P, BASE, "-q", "--no-init"), None
    if not t.until(rb"> $"):
        wrong = "no prompt"
    else:
        t.send(c.encode() + b"\n")
        time.sleep(rng.random() * 0.02)
        t.send(b"\x03")
        time.sleep(0.02)
        t.send(b"\x03\n")
        if not t.until(rb"count\s+" + s["count"] + rb"\s", b"\nfunctions | count\n"):
            wrong = "no answer any more"
    status = t.leave()
    if wrong is None and status not in (0, 1):
        wrong = "it ended with %s" % status
    return wrong and "%s: %s: %r" % (c, wrong, t.seen[-400:])


ASKED = b"functions | count\n"


def asked(s, times, fault=""):
    """Questions at the prompt, with a fault: what is wrong with the last one, behind the fault."""
    t, wrong = Terminal(P, "-q", "--no-init", program=crash.e2e.faulty["program"][0], QUERN_FAULT=fault,
                        QUERN_FAULT_COUNT=os.getcwd() + "/calls", **crash.e2e.faulty["env"]), None
    alive = t.prompt()
    while alive and not wrong and (times > 0 or b"interrupted" in t.seen):
        times -= 1
        t.seen = b""
        t.send(ASKED)
        if not t.prompt():
            wrong = "the prompt does not return"
    if alive and not wrong and (not re.search(rb"count\s+" + s["count"] + rb"\s", t.seen) or b"error" in t.seen):
        wrong = "no answer any more"
    status = t.leave()
    if wrong is None and status not in ((0,) if alive else (-2, 130)):
        wrong = "it ended with %s" % status
    return wrong and "%s: %s: %r" % (fault, wrong, t.seen[-400:])


def typed_setup():
    need_faults()
    s = prompt_setup()
    assert asked(s, 2) is None
    s["calls"] = int(read("calls").split()[0])
    return s


def typed_one(rng, i, s):
    """Ctrl-C at any system call: it is heard at once, and no key after it is lost."""
    return asked(s, 4, "sys:%d:intr" % (i + 1))


# ---------------------------------------------------------------------------- limits, leaks

def memory_setup():
    if crash.variant in ("asan", "tsan"):
        raise Skip("the %s variant needs terabytes of addresses" % crash.variant)
    s = every_setup()
    s["right"] = {}
    return s


def memory_one(rng, i, s):
    """64 MiB of addresses for everything: it is enough.  The page of a tree has the report's trees besides its own 20,000
    rows, and needs 80.  The code that ubsan adds needs 22."""
    c = s["commands"][i]
    room = (64 + 32 * (crash.variant == "ubsan") + 32 * ("html" in c)) << 20

    def little():
        resource.setrlimit(resource.RLIMIT_AS, (room, room))

    right, r = run(*c), run(*c, preexec_fn=little)
    if r.status == right.status and timeless(r.out) == timeless(right.out):
        return None
    return "%s: %s" % (c[-1], r)


def leak_setup():
    profiles()
    return {}


LEAKS = ["top 5", "callers of malloc", "functions | where fn ~ /a.*b/ | count", "parts | count",
         "path from main to malloc", "calltree from main depth 3", "collapse by object | top 3",
         "find m*", "info malloc", "cost of malloc under main", "hide $x | top 3", "let $y = n*",
         "functions vs base | take 3"]


def leak_one(rng, i, s):
    """10,000 queries in one process: no descriptor, and less than 1 MiB."""
    look = ("top 1 ! cat > /dev/null; grep VmRSS /proc/$PPID/status; "
            "echo FDS $(ls /proc/$PPID/fd | wc -l)\n")
    good = LEAKS
    write("warm.q", ("let $x = m*\n" + "\n".join(good) + "\n" + look).encode())
    quarter = 2500 if i else 500     # try 0 is that of a commit
    write("many.q", "".join(rng.choice(good) + "\n" for _ in range(quarter)).encode() + look.encode())
    r = run(P, BASE, "-q", "--no-init", "--format", "csv", "--limit", "seconds=600", "-f", "warm.q",
            *(["-f", "many.q"] * 4), seconds=2 * crash.HUNG)
    seen = [(int(rss), int(fds)) for rss, fds in re.findall(r"VmRSS:\s+(\d+) kB\nFDS (\d+)", r.text)]
    if r.status or len(seen) != 5:
        return "status %d, %d looks\n%s" % (r.status, len(seen), r.talk[:500])
    if seen[-1][1] != seen[1][1]:
        return "descriptors: %s" % seen
    # The first quarter is for caches and the allocator; what leaks goes on after it.
    if seen[-1][0] - seen[1][0] >= 1024 and crash.variant == "release":
        return "memory: %s" % seen
    return None


rows = [
    Row("querymem", "the k-th allocation of a query fails", 150, lambda s: len(s["cases"]), query_mem,
        faults_setup),
    Row("querysys", "the k-th system call of a query fails", 100, lambda s: len(s["sys"]), query_sys,
        faults_setup),
    Row("file", "> FILE is the old file or the new one", 60, lambda s: len(s["cases"]), file_one,
        file_setup),
    Row("export", "an export is whole or not there", 40, lambda s: len(s["cases"]), export_one,
        export_setup),
    Row("devfull", "/dev/full, every command", 1000, lambda s: len(s["commands"]), full_one, every_setup),
    Row("pipe", "a closed pipe, every command", 40, lambda s: 2 * len(s["commands"]), pipe_one,
        every_setup),
    Row("interrupt", "SIGINT in scripts, every command", 60, lambda s: 2 * len(s["commands"]),
        interrupt_one, every_setup),
    Row("prompt", "SIGINT at the prompt, every command", 6, lambda s: len(s["commands"]), prompt_one,
        prompt_setup),
    Row("typed", "Ctrl-C at the k-th system call of the prompt", 60, lambda s: s["calls"], typed_one, typed_setup),
    Row("memory", "64 MiB of addresses, every command", 1000, lambda s: len(s["commands"]), memory_one,
        memory_setup),
    Row("leak", "10,000 queries in one process (2,000 first)", 1, 10, leak_one, leak_setup),
]
