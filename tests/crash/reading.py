"""reading.py - faults of the input, of indexes, and of who may read and write them."""
import fcntl
import os
import shutil
import stat
import subprocess
import threading
import time

import crash
from crash import (Row, Skip, big_profile, build, lawful, leftovers, put_back, quern, read, run, small,
                   work, write)

# ------------------------------------------------------------- an input that changes under us

SUMS = ("-q", "--format", "csv", "-c", "functions | sort id asc | show fn, self, incl, calls")
LONG_AGO = (1000000000, 1000000000)


def moving_setup():
    s = {"text": big_profile(1500, 30), "right": {}}
    write("p.out", s["text"])
    took = []
    for _ in range(2):
        start = time.time()
        s["answer"] = run("p.out", "--rebuild", *SUMS).out
        took.append(time.time() - start)
    s["took"] = min(took)
    return s


def moving_one(rng, i, s):
    """Somebody cuts, overwrites, replaces or goes on writing the profile while it is read."""
    how = i % 4
    if os.path.exists("p.out"):
        os.remove("p.out")
    write("p.out", s["text"])
    os.utime("p.out", LONG_AGO)     # a write in the same tick of the clock would not show
    if os.path.exists("p.out.quern"):
        os.remove("p.out.quern")
    at = rng.randrange(len(s["text"]))

    def change():
        time.sleep(rng.random() * s["took"])
        if how == 0:
            os.truncate("p.out", at)
        elif how == 1:
            with open("p.out", "r+b") as f:
                f.seek(at)
                f.write(b"\n7 7 7\n" * 100)
        elif how == 2:
            write("other", big_profile(300, 9, salt=i))
            os.replace("other", "p.out")
        else:
            with open("p.out", "ab") as f:
                f.write(b"fn=new\n1 5 5\n")

    changer = threading.Thread(target=change)
    changer.start()
    r = run("p.out", "--index", "p.out.quern", *SUMS)
    changer.join()
    if leftovers():
        return "left behind: %s" % leftovers()
    shutil.copy("p.out", "copy.out")
    after = run("copy.out", "--rebuild", *SUMS)
    if r.status == 3 and "error:" in r.talk and "p.out" in r.talk and not r.out:
        wrong = None
    elif r.status == 0 and r.out in (s["answer"], after.out):
        wrong = None
    else:
        wrong = "%s: status %d\n%s" % (("cut", "overwritten", "replaced", "appended to")[how], r.status,
                                       r.talk)
    again = run("p.out", "--index", "p.out.quern", *SUMS)
    if wrong is None and (again.status != after.status or again.out != after.out):
        wrong = "asked again: %s" % again
    return wrong


# ------------------------------------------------------------------------------ boundaries

HEAD = b"events: Ir\n"
U64, I64 = (1 << 64) - 1, (1 << 63) - 1


def padded(size):
    body = HEAD + b"fn=f\n1 5\n"
    return body[:11] + b"#" + b"x" * (size - len(body) - 2) + b"\n" + body[11:]


def long_names():
    names = [b"n" * n for n in (509, 510, 511, 512, 513, 65535, 65536)]
    return HEAD + b"".join(b"fn=%s\n1 %d\n" % (n, len(n)) for n in names)


def ids(*numbers):
    return HEAD + b"".join(b"fn=(%d) name%d\n1 %d\n" % (n, k, k + 1) for k, n in enumerate(numbers)) + \
        b"".join(b"fn=(%d)\n2 %d\n" % (n, 10 * (k + 1)) for k, n in enumerate(numbers))


def many_events(n):
    return b"events: %s\nfn=f\n1 %s\n" % (b" ".join(b"E%d" % k for k in range(n)),
                                          b" ".join(b"%d" % (k + 1) for k in range(n)))


def many_parts(n):
    return b"version: 1\n" + b"".join(
        b"part: %d\nevents: Ir\nfn=(1) f\n1 %d\ntotals: %d\n" % (k + 1, k % 5, k % 5) for k in range(n))


def sparse(path):
    """More than 4 GiB, nearly all holes: comments of 16 MiB, as a line may have 32."""
    with open(path, "wb") as f:
        f.write(HEAD + b"fn=f\n1 5\n")
        for at in range(16 << 20, (4 << 30) + 1, 16 << 20):
            f.write(b"#")
            f.seek(at)
            f.write(b"\n")
        f.write(b"fn=g\n1 7\n")


def long_line(path):
    """A line of 130 MiB, nearly all a hole."""
    with open(path, "wb") as f:
        f.write(HEAD + b"fn=f\n1 5\nz")
        f.seek(130 << 20)
        f.write(b"\n2 7\n")


def tsv(*rows):
    return ("\n".join(rows) + "\n").replace(",", "\t").encode()


SELF = "functions | sort id asc | show fn, self"
BOUNDARIES = [
    # name, content (bytes or a writer), query, answer or (status, words of the error)
    ("0 B", b"", SELF, (3, "empty file")),
    ("1 B", b"e", SELF, (3, 'no "events:" line')),
    ("page - 1", padded(4095), SELF, tsv("fn,self", "f,5")),
    ("page", padded(4096), SELF, tsv("fn,self", "f,5")),
    ("page + 1", padded(4097), SELF, tsv("fn,self", "f,5")),
    ("16 pages", padded(65536), SELF, tsv("fn,self", "f,5")),
    ("no last newline at a page's end", padded(4097)[:-1], SELF, tsv("fn,self", "f,5")),
    ("> 4 GiB, sparse", sparse, SELF, tsv("fn,self", "f,5", "g,7")),
    ("a line of 130 MiB", long_line, SELF, (6, "a line of more than 32 MiB")),
    ("a line of 1 MiB", HEAD + b"fn=f\n1 5\n" + b"z" * (1 << 20) + b"\n2 7\n", SELF, tsv("fn,self", "f,12")),
    ("a name of 1 MiB", HEAD + b"fn=" + b"m" * (1 << 20) + b"\n1 5\n", "functions | show self",
     tsv("self", "5")),
    ("names of 509 to 64 KiB", long_names(), "functions | sort self asc | show self",
     tsv("self", "509", "510", "511", "512", "513", "65535", "65536")),
    ("a name of 512 is found", long_names(), 'functions | where fn = "%s" | show self' % ("n" * 512),
     tsv("self", "512")),
    ("a name of 64 KiB is found", long_names(), "functions | where fn ~ /^n{512}/ | count",
     tsv("count", "4")),
    ("ids around 2^32", ids(0, 1, (1 << 32) - 2, (1 << 32) - 1, 1 << 32, (1 << 32) + 1), SELF,
     tsv("fn,self", "name0,11", "name1,22", "name2,33", "name3,44", "name4,55", "name5,66")),
    ("ids around 2^64", ids(U64 - 1, U64), SELF, tsv("fn,self", "name0,11", "name1,22")),
    ("64 events", many_events(64), "functions | show fn, self, self.E63", tsv("fn,self,self.E63",
                                                                               "f,1,64")),
    ("65 events", many_events(65), "functions | show fn, self.E64", tsv("fn,self.E64", "f,65")),
    ("100,000 parts", many_parts(100000), "parts | count", tsv("count", "100000")),
    ("the sum of 100,000 parts", many_parts(100000), SELF, tsv("fn,self", "f,200000")),
    ("the largest cost", HEAD + b"fn=f\n1 %d\n" % I64, SELF, tsv("fn,self", "f,%d" % I64)),
    ("the largest sum", HEAD + b"fn=f\n1 %d\n2 8\n3 1\n" % (I64 - 9), SELF, tsv("fn,self", "f,%d" % I64)),
    ("a sum beyond it", HEAD + b"fn=f\n1 %d\n2 %d\n3 9\n" % (I64, I64), SELF, tsv("fn,self", "f,%d" % I64)),
    ("a cost beyond it", HEAD + b"fn=f\n1 %d\n" % (U64 + 1), "functions | count", None),
    ("the largest line", HEAD + b"fn=f\n%d 5\n" % U64, "lines | show line, self", tsv("line,self",
                                                                                  "%d,5" % U64)),
    ("a chain of 20,000 calls", big_profile(20000, 1), "functions | count", tsv("count", "20000")),
    ("a path through 20,000 calls", big_profile(20000, 1),
     "path from function_0 to function_19999 | count", tsv("count", "20000")),
]


def boundary_one(rng, i, s):
    name, content, query, want = BOUNDARIES[i]
    if callable(content):
        content("b.out")
    else:
        write("b.out", content)
    try:
        r = run("b.out", "-q", "--rebuild", "--format", "tsv", "-c", query)
        talk = run("b.out", "-c", "info").talk if "beyond" in name else ""
    finally:
        for f in ("b.out", "b.out.quern"):
            if os.path.exists(f):
                os.remove(f)
    if isinstance(want, tuple):
        good = r.status == want[0] and want[1] in r.talk and not r.out
    elif want is None:
        good = lawful(r, r.out) is None
    else:
        good = r.status == 0 and r.out == want
    if "beyond" in name and r.status == 0 and "clamped" not in talk:
        return "%s: nothing is said of it: %s" % (name, talk)
    return None if good else "%s: %s" % (name, r)


# ---------------------------------------------------------------------- other users, modes

NOBODY, OTHER = 65534, 65533


def users_setup():
    if os.getuid():
        raise Skip("only root can be other users")
    if not shutil.which("setpriv"):
        raise Skip("setpriv is not installed")
    os.chmod(work, 0o755)
    shutil.copy(quern, work + "/quern-for-all")
    here = os.getcwd()
    os.chmod(here, 0o755)
    if run("--version", program=as_user(NOBODY)).status:
        raise Skip("cannot run as another user here")
    write("p.out", big_profile(20, 3))
    right = run("p.out", "--rebuild", *SUMS)
    return {"right": right.out, "index": read("p.out.quern"), "here": here}


def as_user(uid):
    return ["setpriv", "--reuid=%d" % uid, "--regid=%d" % uid, "--clear-groups", work + "/quern-for-all"]


# (owner, mode of the index, directory's mode, --trust) -> said about the index
USERS = [(owner, mode, directory, trust) for owner in (0, NOBODY, OTHER)
         for mode in (0o444, 0o644, 0o664, 0o646, 0o400) for directory in (0o755, 0o1777, 0o555)
         for trust in (False, True)]


def users_one(rng, i, s):
    """Whose index is used by user 65534: its own and root's, unless others may write it."""
    owner, mode, directory, trust = USERS[i]
    d = "d%d" % i
    os.mkdir(d)
    home = d + "/home"
    os.mkdir(home)
    os.chown(home, NOBODY, NOBODY)
    shutil.copy2("p.out", d + "/p.out")
    run(d + "/p.out", "-q", "--rebuild", "-c", "top 1")
    os.chown(d + "/p.out.quern", owner, owner)
    os.chmod(d + "/p.out.quern", mode)
    os.chmod(d, directory)
    r = run(d + "/p.out", *(a for a in SUMS if a != "-q"), *(["--trust"] if trust else []),
            program=as_user(NOBODY), env={"HOME": os.getcwd() + "/" + home})
    os.chmod(d, 0o755)
    beside = stat.S_IMODE(os.stat(d + "/p.out.quern").st_mode)
    shutil.rmtree(d)
    readable = owner == NOBODY or mode & 0o004
    own = owner in (0, NOBODY) and not mode & 0o022
    used = bool(readable and (own or trust))
    what = "%d %o in %o%s: " % (owner, mode, directory, " --trust" if trust else "")
    if r.status or r.out != s["right"]:
        # Nowhere to write is the only excuse, and the cache is always there.
        return what + str(r)
    if used != ("indexed" not in r.talk):
        return what + "used: %s\n%s" % (not used, r.talk)
    if readable and not used and "could have been written by others" not in r.talk:
        return what + "not said why: %s" % r.talk
    if owner != NOBODY and directory != 0o1777 and beside != mode:
        return what + "the index of another was replaced"
    return None


def foreign_one(rng, i, s):
    """What others put in our way in a directory for all: a lock, a temporary, links."""
    os.makedirs("tmp", exist_ok=True)
    os.chmod("tmp", 0o1777)
    shutil.copy2("p.out", "tmp/p.out")
    os.chown("tmp/p.out", NOBODY, NOBODY)
    write("target", b"precious")
    os.chown("target", NOBODY, NOBODY)
    mine = ("lock", "link", "dangling", "fifo", "held")[i % 5]
    path = "tmp/p.out.quern.lock" if mine in ("lock", "held") else "tmp/p.out.quern"
    held = None
    if mine in ("lock", "held"):
        write(path, b"")
        os.chmod(path, 0o600 if mine == "lock" else 0o666)
        if mine == "held":      # for ever
            held = open(path)
            fcntl.flock(held, fcntl.LOCK_EX)
    elif mine == "fifo":
        os.mkfifo(path)
    else:
        os.symlink(s["here"] + "/target" + ("x" if mine == "dangling" else ""), path)
    os.chown(path, OTHER, OTHER, follow_symlinks=False)
    named = ["--index", path[:-5]] if i >= 5 and mine in ("lock", "held") else ["--rebuild"]
    r = run("tmp/p.out", *SUMS, *named, program=as_user(NOBODY), env={"HOME": s["here"] + "/tmp"})
    if held:
        held.close()
    precious, made = read("target"), os.path.exists("targetx")
    shutil.rmtree("tmp")
    if precious != b"precious" or made:
        return "%s: another file was written" % mine
    if r.status == 0 and r.out == s["right"]:
        return None
    if r.status == 5 and "error:" in r.talk and "p.out.quern" in r.talk and "hint:" in r.talk:
        return None
    return "%s: %s" % (mine, r)


# ------------------------------------------------------------------------- damage_test's rows

def batch(row, n):
    def one(rng, i, s):
        p = subprocess.run([build + "/tests/damage_test", row, str(rng.number), str(i * n), str(n)],
                           stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=600, cwd=crash.e2e.top)
        out = p.stdout.decode().splitlines()
        wrong = [line for line in out if line.startswith(("try", "not ok"))]
        if p.returncode or out[-1:] != ["done"]:
            wrong.append("damage_test: status %d" % p.returncode)
        return "; ".join(wrong) or None
    return one


# ------------------------------------------------------------------ forged number by number

def forged(n):
    def some(rng, i, s):
        p = subprocess.run([build + "/tests/forging_test", str(rng.number), str(i * n), str(n)],
                           stdout=subprocess.PIPE, timeout=1200, cwd=crash.e2e.top)
        out = p.stdout.decode().splitlines()
        wrong = [line for line in out if line.startswith("try")]
        if p.returncode or out[-1:] != ["done"]:
            wrong.append("forging_test: status %d" % p.returncode)
        return "; ".join(wrong) or None
    return some


# ------------------------------------------------------------------------ a second reader

SEEDS = 850     # of which some 2,500 indexes are made


def generated(rng, i, s):
    """Generated profiles, indexed in several ways, against the simple reader (naive.h)."""
    first = rng.number * 10 ** 8 + i * SEEDS
    p = subprocess.run([build + "/tests/generated_test", str(first), str(SEEDS)],
                       stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=600, cwd=crash.e2e.top)
    out = p.stdout.decode(errors="replace").splitlines()
    wrong = [line for line in out if line.startswith("not ok") or ", seed " in line]
    if p.returncode and not wrong:
        wrong.append("generated_test: status %d" % p.returncode)
    return "; ".join(wrong) or None


# ------------------------------------------------------------------------- true stacks

CHAINS = 20000


def simulated(rng, i, s):
    """Answers about random programs against what their stacks really were (simulate.h)."""
    first = rng.number * 10 ** 8 + i * CHAINS
    p = subprocess.run([build + "/tests/simulate_test", str(first), str(CHAINS)],
                       stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=600, cwd=crash.e2e.top)
    out = p.stdout.decode(errors="replace").splitlines()
    wrong = [line for line in out if line.startswith("not ok") or ": seed " in line]
    if p.returncode and not wrong:
        wrong.append("simulate_test: status %d" % p.returncode)
    return "; ".join(wrong) or None


rows = [
    Row("naive", "generated profiles against a simple reader", 0, 4000, generated, each=2500),
    Row("stacks", "answers against true stacks", 0, 50, simulated, each=CHAINS),
    Row("input", "the profile is cut, written or replaced", 25, 1000, moving_one, moving_setup),
    Row("boundary", "boundaries", 100, len(BOUNDARIES), boundary_one),
    Row("users", "whose index is used", 24, len(USERS), users_one, users_setup),
    Row("foreign", "locks, links and FIFOs of others in /tmp", 10, 10, foreign_one, users_setup),
    Row("damaged", "a damaged index, 24 queries", 0, 1000, batch("damaged", 100), each=100),
    Row("forged", "damage under a right checksum", 0, 100, batch("forged", 100), each=100),
    Row("forger", "forged number by number, six questions", 0, 120, forged(100), each=100),
    Row("live", "an index is damaged while it is read", 0, 100, batch("live", 100), each=100),
    Row("swaps", "rebuilt under six live readers", 0, 50, batch("swaps", 200), each=200),
]
