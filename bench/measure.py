"""measure.py - what the bench scripts share: running, timing, memory, tables.

Nothing but the standard library.  Times are wall times of whole processes unless said
otherwise; the process is started by posix_spawn, so that the size of this interpreter does
not matter.
"""
import os
import platform
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time

top = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
build = os.environ.get("QUERN_BUILD", top + "/build/release")
quern = os.environ.get("QUERN", build + "/quern")
MIB = 1 << 20


def program(name):
    path = build + "/bench/" + name
    if not os.path.exists(path):
        sys.exit("%s is not there: run `scons bench`, which builds it" % path)
    return path


class Times:
    """Seconds of several runs: wall, and processor time where it is known."""

    def __init__(self, runs, cpu=None):
        self.runs = sorted(runs)
        self.cpu = sorted(cpu)[len(cpu) // 2] if cpu else None
        self.median, self.least, self.most = (
            self.runs[len(self.runs) // 2], self.runs[0], self.runs[-1])

    def __str__(self):
        return seconds(self.median)

    def spread(self):
        if len(self.runs) == 1:
            return "one run"
        return "%s .. %s" % (seconds(self.least), seconds(self.most))


def seconds(s):
    if s >= 100:
        return "%.0f s" % s
    if s >= 0.1:
        return "%.2f s" % s
    if s >= 1e-3:
        return "%.1f ms" % (s * 1e3)
    return "%.0f us" % (s * 1e6)


def size(n):
    for unit in ("B", "kB", "MB"):
        if n < 1000:
            return "%.3g %s" % (n, unit)
        n /= 1000
    return "%.2f GB" % n


def spawn(argv, out=os.devnull, env=None):
    actions = [(os.POSIX_SPAWN_OPEN, 0, os.devnull, os.O_RDONLY, 0),
               (os.POSIX_SPAWN_OPEN, 1, out, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o666),
               (os.POSIX_SPAWN_OPEN, 2, os.devnull, os.O_WRONLY, 0)]
    return os.posix_spawnp(argv[0], argv, dict(os.environ, **(env or {})), file_actions=actions)


def timed(argv, out=os.devnull, most=None):
    """(seconds, exit status, processor seconds) of one run; killed, with status None, after
    `most` seconds."""
    start = time.monotonic()
    pid = spawn(argv, out)
    killer = None
    if most:
        killer = threading.Timer(most, os.kill, (pid, signal.SIGKILL))
        killer.start()
    _, status, usage = os.wait4(pid, 0)
    status = os.waitstatus_to_exitcode(status)
    took = time.monotonic() - start
    if killer:
        killer.cancel()
    return (took, None if status == -signal.SIGKILL else status,
            usage.ru_utime + usage.ru_stime)


def alternate(commands, runs):
    """Times of each command, run in turn, so that a slow moment hits them all."""
    took = {name: [] for name in commands}
    cpu = {name: [] for name in commands}
    for _ in range(runs):
        for name, argv in commands.items():
            s, status, busy = timed(argv)
            if status:
                sys.exit("%s: exit status %s" % (" ".join(argv), status))
            took[name].append(s)
            cpu[name].append(busy)
    return {name: Times(took[name], cpu[name]) for name in commands}


def peak_memory(argv, own):
    """Peak bytes resident beyond the pages of the file `own`: (anonymous, other files').

    Sampled every few milliseconds; mappings of other files (the index as it is written)
    are looked at less often, because walking them stops the process for a moment."""
    pid = spawn(argv)
    anon = other = turn = 0
    own = os.path.realpath(own)
    while os.waitpid(pid, os.WNOHANG)[0] == 0:
        try:
            status = open("/proc/%d/status" % pid).read()
            anon = max(anon, sum(int(n) for n in re.findall(
                r"^Rss(?:Anon|Shmem):\s+(\d+)", status, re.M)) * 1024)
            if turn % 50 == 0:
                other = max(other, mapped_beside(pid, own))
        except OSError:
            pass
        turn += 1
        time.sleep(0.002)
    return anon, other


def mapped_beside(pid, own):
    total = 0
    name = ""
    for line in open("/proc/%d/smaps" % pid):
        if re.match(r"[0-9a-f]+-[0-9a-f]+ ", line):
            name = line.split(None, 5)[5].strip() if len(line.split(None, 5)) > 5 else ""
        elif line.startswith("Rss:") and name.startswith("/") and name != own:
            total += int(line.split()[1]) * 1024
    return total


def ask(profile, index, query, form="tsv"):
    """Rows of a query, as lists of strings, without the header."""
    p = subprocess.run([quern, profile, "--index", index, "-q", "--no-init", "--raw",
                        "--format", form, "-c", query],
                       stdin=subprocess.DEVNULL, capture_output=True)
    if p.returncode:
        sys.exit("%s: %s\n%s" % (profile, query, p.stderr.decode("utf-8", "replace")))
    return [line.split("\t") for line in p.stdout.decode("utf-8", "replace").split("\n")[1:-1]]


def info(profile, index):
    """What `info` says, by key."""
    p = subprocess.run([quern, profile, "--index", index, "-q", "--no-init", "-c", "info"],
                       stdin=subprocess.DEVNULL, capture_output=True)
    found = {}
    for line in p.stdout.decode("utf-8", "replace").splitlines():
        key, _, value = line.partition(" ")
        found[key] = value.strip()
    return found


def index_command(profile, index, *more):
    return [quern, profile, "--index", index, "--rebuild", "-q", "--no-init"] + list(more)


def tsv(argv):
    p = subprocess.run(argv, stdin=subprocess.DEVNULL, capture_output=True)
    if p.returncode:
        sys.exit("%s\n%s" % (" ".join(argv), p.stderr.decode("utf-8", "replace")))
    return [line.split("\t") for line in p.stdout.decode("utf-8", "replace").splitlines()]


def gen(path, *options):
    """Write a profile unless it is there."""
    if not os.path.exists(path):
        subprocess.run([program("gen"), "-o", path + ".part"] + [str(o) for o in options],
                       check=True)
        os.rename(path + ".part", path)
    return path


def newlines(path):
    out = subprocess.run(["wc", "-l", path], capture_output=True, check=True).stdout
    return int(out.split()[0])


def machine():
    cpu = memory = ""
    for line in open("/proc/cpuinfo"):
        if line.startswith("model name"):
            cpu = line.split(":", 1)[1].strip()
            break
    for line in open("/proc/meminfo"):
        if line.startswith("MemTotal"):
            memory = "%.0f GiB" % (int(line.split()[1]) / MIB)
            break
    flags = open("/proc/cpuinfo").read()
    wide = [f for f in ("avx512vbmi2", "avx512_vbmi2", "avx2") if f in flags]
    return "%s, %d cores, %s, %s, Linux %s, load %.1f" % (
        cpu or platform.machine(), os.cpu_count(), wide[0] if wide else "no avx2", memory,
        platform.release(), os.getloadavg()[0])


def version():
    p = subprocess.run(["git", "-C", top, "describe", "--always", "--dirty", "--tags"],
                       capture_output=True, text=True)
    return p.stdout.strip() or "unknown"


class Table:
    """Rows that are printed as they come, or as markdown."""

    def __init__(self, columns, widths, markdown=False):
        self.columns, self.widths, self.markdown = columns, widths, markdown
        self.row(*columns)
        if markdown:
            print("|" + "|".join("---" for _ in columns) + "|")

    def row(self, *cells):
        cells = [str(c) for c in cells] + [""] * (len(self.columns) - len(cells))
        if self.markdown:
            print("| " + " | ".join(c.replace("|", "\\|") for c in cells) + " |")
        else:
            print("  ".join(c.ljust(w) if w > 0 else c.rjust(-w)
                            for c, w in zip(cells, self.widths)).rstrip())
        sys.stdout.flush()


class Workdir:
    """DIR, kept; or a temporary directory, gone at the end."""

    def __init__(self, path=None):
        self.kept = path
        if path:
            os.makedirs(path, exist_ok=True)
        self.path = path or tempfile.mkdtemp(prefix="quern-bench-")

    def __enter__(self):
        return self.path

    def __exit__(self, *_):
        if not self.kept:
            shutil.rmtree(self.path, ignore_errors=True)
