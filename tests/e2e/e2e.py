"""e2e.py - what the end-to-end tests share: TAP, a directory of their own, running quern.

Why a check failed goes to stderr, which prove shows.

Every test runs in a new directory with its own HOME, so no setting, history or index of the
user is read or written; nor does it matter who starts it: signals that nohup or a job in the
background ignore, descriptors that are closed and variables of the caller are as a terminal has
them.
"""
import atexit
import os
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time

while os.open(os.devnull, os.O_RDWR) <= 2:
    pass
for sig in (signal.SIGHUP, signal.SIGQUIT, signal.SIGTERM, signal.SIGCHLD, signal.SIGTSTP, signal.SIGTTIN, signal.SIGTTOU):
    signal.signal(sig, signal.SIG_DFL)
signal.signal(signal.SIGINT, signal.default_int_handler)
signal.pthread_sigmask(signal.SIG_SETMASK, [])
os.umask(0o022)
top = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
quern = os.path.abspath(os.environ.get("QUERN", top + "/build/release/quern"))
fixtures = top + "/tests/fixtures"
small = fixtures + "/small/"
build = os.path.abspath(os.environ.get("QUERN_BUILD", os.path.dirname(quern)))
started = os.getcwd()
work = tempfile.mkdtemp(prefix="quern-e2e-")
atexit.register(shutil.rmtree, work, ignore_errors=True)
os.chdir(work)
environ = {k: v for k, v in os.environ.items()      # the rest is the caller's own
           if k in ("PATH", "LD_LIBRARY_PATH") or k.endswith("SAN_OPTIONS") or k.startswith(("GCOV_", "LLVM_"))}
environ.update(HOME=work, LC_ALL="C.UTF-8", TERM="xterm-256color", TZ="UTC0", TMPDIR=tempfile.gettempdir())
os.environ.update(LC_ALL=environ["LC_ALL"], TZ=environ["TZ"])
time.tzset()
count = failed = 0
by_chance = ""
variant = os.environ.get("QUERN_VARIANT", "release")
SLOW = 1 if variant in ("release", "static") else 10    # no optimisation, or a sanitizer
PLANTS = "san" not in variant   # planted() works: a sanitizer does not run with another library before it
HUNG = 300 * SLOW   # seconds; nothing asked here takes one, but the machine may be stopped meanwhile
# For a query, too: its usual minute is one by the clock, whatever else the machine does.
PATIENCE = ("--limit", "seconds=%d" % HUNG)


def ok(passed, name, detail=""):
    global count, failed
    count += 1
    failed += not passed
    print("%sok %d - %s" % ("" if passed else "not ", count, name))
    sys.stdout.flush()
    if not passed:
        sys.stderr.write("# %s: not ok %d - %s\n" % (os.path.basename(sys.argv[0]), count, name) + "".join(
            "#   %s\n" % ascii(line)[1:-1][:400] for line in str(detail).splitlines()[:60]))
    return passed


def same(got, want, name):
    return ok(got == want, name, "got  %r\nwant %r" % (got, want))


def note_skip(why):
    """A line for the end of all tests."""
    if os.environ.get("QUERN_SKIPPED"):
        with open(os.environ["QUERN_SKIPPED"], "a", encoding="utf-8") as f:
            f.write("%s: %s\n" % (os.path.basename(sys.argv[0]), why))


def skip(name, why):
    global count
    count += 1
    note_skip(why)
    print("ok %d - %s # SKIP %s" % (count, name, why))


def skip_all(why):
    note_skip(why)
    print("1..0 # SKIP " + why)
    sys.exit(0)


def seed(usual=1):
    """Where inputs by chance begin: SEED= of the environment, or the usual number."""
    global by_chance
    number = int(os.environ.get("SEED") or usual)
    by_chance = ", SEED=%d" % number
    print("#" + by_chance[1:])
    return number


def done():
    print("1..%d" % count, flush=True)
    if failed:
        print("# %s: %d of %d failed%s" % (os.path.basename(sys.argv[0]), failed, count, by_chance), file=sys.stderr)
    sys.exit(1 if failed or not count else 0)


class Ran:
    """stdout and stderr as bytes; text and talk as str."""

    def __init__(self, p):
        self.status, self.out, self.err = p.returncode, p.stdout, p.stderr
        self.text = (p.stdout or b"").decode("utf-8", "replace")
        self.talk = (p.stderr or b"").decode("utf-8", "replace")

    def __str__(self):
        return "status %d\n%s\n%s" % (self.status, self.text[:2000], self.talk[:2000])


def run(*args, stdin=b"", env=(), stdout=subprocess.PIPE, seconds=HUNG, program=(quern,), **more):
    if args[:1] != ("record",) and {"-c", "-f", "--mcp"} & set(args):
        args = PATIENCE + args
    p = subprocess.run(list(program) + list(args), input=stdin, stdout=stdout,
                       stderr=subprocess.PIPE, env=dict(environ, **dict(env)),
                       timeout=seconds, **more)
    return Ran(p)


# A program whose calls fail as tests/crash/fault.c says, as arguments of run(), if FAULT is there.
FAULT = build + "/tests/fault" + ("" if variant == "static" else ".so")
faulty = {"program": (FAULT,), "env": {}} if variant == "static" else {"program": (quern,), "env": {"LD_PRELOAD": FAULT}}


def planted(code, *functions):
    """A program with `code` in place of functions of its libraries, as arguments of run(): by a library before
    them, or linked with it.  In `code` PLANTED(f) is its name, REAL(f) a pointer to what it replaces."""
    linked = variant == "static"
    with open("planted.c", "w") as f:
        f.write("#define _GNU_SOURCE\n#include <dlfcn.h>\n")
        for name in functions:
            f.write("extern char __real_%s[];\n" % name)
        f.write("#define PLANTED(f) %s\n#define REAL(f) %s\n" % (
            ("__wrap_##f", "(void *)__real_##f") if linked else ("f", "dlsym(RTLD_NEXT, #f)")) + code)
    if linked:
        subprocess.run(["gcc", "-O1", "-w", "-fPIC", "-c", "planted.c"], check=True)
        subprocess.run([os.path.dirname(quern) + "/relink", "planted.o"] + ["-Wl,--wrap=" + name for name in functions],
                       check=True, env=dict(os.environ, OUT="./planted"), stderr=subprocess.DEVNULL)
        return {"program": (os.path.abspath("planted"),), "env": {}}
    subprocess.run(["gcc", "-O1", "-w", "-shared", "-fPIC", "-o", "planted.so", "planted.c", "-ldl"], check=True)
    return {"program": (quern,), "env": {"LD_PRELOAD": os.path.abspath("planted.so")}}


def format_names():
    """All formats, in the order of their table."""
    return [line.split()[0] for line in run("-q", "--no-init", "-c", ".help formats").text.splitlines()]


def busy():
    """Seconds of the processor that all children which have ended had: a bound for what a run takes, whatever else
    the machine does."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def protobuf_fields(data):
    """(number, value) of each field of a message: an int or bytes."""
    at = 0

    def varint():
        nonlocal at
        value = shift = 0
        while True:
            byte = data[at]
            at += 1
            value |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                return value
    while at < len(data):
        key = varint()
        if key & 7 == 0:
            yield key >> 3, varint()
        else:
            n = varint()
            at += n
            yield key >> 3, data[at - n:at]


def profile(path, functions, events="Ir"):
    """Write a profile: functions is a list of (name as bytes, self cost)."""
    with open(path, "wb") as f:
        f.write(b"# callgrind format\nversion: 1\ncreator: e2e\nevents: %s\n\n" % events.encode())
        for i, (name, cost) in enumerate(functions):
            f.write(b"fl=a.c\nfn=%s\n%d %d\n\n" % (name, i + 1, cost))
    return path


def many_paths(path):
    """A profile whose `all paths from f0 to f199 depth 60` takes its time."""
    with open(path, "w") as f:
        f.write("version: 1\nevents: Ir\n\n")
        for i in range(200):
            f.write("fl=a.c\nfn=f%d\n1 10\n" % i)
            for j in range(i + 1, min(i + 40, 200)):
                f.write("cfn=f%d\ncalls=1 1\n2 5\n" % j)
            f.write("\n")


def write_bytes(path, content):
    with open(path, "wb") as f:
        f.write(content)
    return path
