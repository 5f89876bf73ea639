"""sources.py - faults of what a profile comes from: files of a set, packed files, pipes."""
import bz2
import gzip
import lzma
import os
import resource
import shutil
import signal
import subprocess
import time

import building
import crash
from building import ACTIONS, Scenes
from crash import (Row, Skip, again, big_profile, calls_of, lawful, leftovers, need_faults, quern, read,
                   run, small, write)

ASK = ("-q", "--format", "csv", "-c", "functions | sort id asc | show fn, self, incl, calls",
       "-c", "parts | show part, self")
LONG_AGO = (1000000000, 1000000000)


# --------------------------------------------------------------------------------- sets

def dump(part, functions=40, salt=0):
    """The dump of a part: a few pages of text, so that cutting it takes mapped pages away."""
    body = big_profile(functions, 8, salt).split(b"\n\n", 1)[1]
    return (b"# callgrind format\nversion: 1\ncreator: crash\npid: 77\ncmd: ./p\npart: %d\nthread: 1\n\n"
            b"desc: Trigger: dump\npositions: line\nevents: Ir Dr\n" % part) + body


# So small a profile gets an index only where one is asked for.
BESIDE, OF_SET = ("--index", "p.out.quern"), ("--index", "s.set.quern")
SET = tuple("s.%d" % k for k in range(1, 71))


def write_set(n, functions=40):
    for k in range(1, n + 1):
        write("s.%d" % k, dump(k, functions + k % 3))
        os.utime("s.%d" % k, LONG_AGO)


def set_scenes():
    """A new file joins an index of the others, all are read at once, or so many that they are
    read in batches."""
    write_set(4)
    run("s.1", "s.2", "s.3", *OF_SET, *ASK)
    three = read("s.set.quern")
    os.makedirs("many", exist_ok=True)
    ask = SET[:4] + OF_SET + ASK
    right = run(*ask)
    assert right.status == 0, right
    return Scenes("s.set.quern", right.out,
                  {"join": ask, "all": ask, "few": ask + ("--mem", "60k", "--jobs", "1")},
                  {"join": three}, sparse=("few",))


def batch_scenes():
    write_set(70, 2)
    ask = SET + OF_SET + ASK
    right = run(*ask)
    assert right.status == 0, right
    return Scenes("s.set.quern", right.out, {"batches": ask}, {}, sparse=("batches",))


# ------------------------------------------------- what somebody else does to a file meanwhile

def packers():
    """(suffix, pack) of every codec that can be written here."""
    found = [(".gz", gzip.compress), (".bz2", bz2.compress), (".xz", lzma.compress)]
    for suffix, program in ((".zst", "zstd"),):
        if shutil.which(program):
            found.append((suffix, lambda text, p=program: subprocess.run(
                [p, "-q", "-c"], input=text, stdout=subprocess.PIPE, check=True).stdout))
    return found


def changed(how, content, other):
    """What is put in the place of a file: None is nothing."""
    return {"gone": None, "swapped": other, "rewritten": other, "cut": content[:len(content) // 3],
            "emptied": b"", "longer": content + other[:len(other) // 2]}[how]


HOWS = ("gone", "swapped", "rewritten", "cut", "emptied", "longer")


class Meddled:
    """A scene: the files, which of them somebody changes, the index before, the arguments."""

    def __init__(self, name, files, others, victim, args, index, before):
        self.name, self.files, self.others, self.victim = name, files, others, victim
        self.args, self.index, self.before, self.calls, self.after = args, index, before, None, {}
        self.put()
        r = run(*args)
        assert r.status == 0, r
        self.right = r.out
        self.put()
        self.calls = calls_of(*args)
        # What an index answers that is written over the one at hand; a longer one is the old one where it was mapped.
        self.foreign = {}
        for how, content in (("swapped", others), ("rewritten", others), ("longer", before)) if victim == index else ():
            write("other.quern", content)
            os.chmod("other.quern", 0o444)
            self.foreign[how] = run("other.quern", *args[-len(ASK):]).out
            os.remove("other.quern")
        for how in HOWS:
            self.put()
            self.change(how)
            r = run(*args)
            self.after[how] = (r.status, r.out)

    def put(self):
        for f in leftovers():
            os.remove(f)
        for f, content in self.files.items():
            if os.path.exists(f):
                os.remove(f)
            write(f, content)
            os.utime(f, LONG_AGO)   # a write in the same tick of the clock would not show
        crash.put_back(self.index, self.before)

    def new(self, how):
        return changed(how, self.files.get(self.victim, self.before), self.others)

    def change(self, how):
        os.remove(self.victim)
        if how != "gone":
            write(self.victim, self.new(how))


def meddled_setup():
    need_faults()
    scenes, lua = [], read(small + "lua-default.out")
    alone = ("-q", "--format", "csv", "-c", "functions | sort id asc | show fn, self, incl, calls")
    text, other = dump(1, 60) + dump(2, 60), dump(1, 50, salt=3) + dump(2, 20)
    write("p.out", text)
    run("p.out", *BESIDE, *ASK)
    there = read("p.out.quern")
    for name, before in (("one", None), ("one, indexed", there)):
        scenes.append(Meddled(name, {"p.out": text}, other, "p.out", ("p.out",) + BESIDE + alone, "p.out.quern", before))
    # Detail of one part is read from the profile itself.
    scenes.append(Meddled("lines of a part", {"p.out": text}, other, "p.out",
                          ("p.out",) + BESIDE + ("-q", "--format", "csv", "-c", "part 1 | lines of function_3"), "p.out.quern",
                          there))
    for suffix, pack in packers():
        f = "p.out" + suffix
        scenes.append(Meddled(f, {f: pack(lua)}, pack(text), f, (f, "--index", f + ".quern") + alone, f + ".quern", None))
    files = {"s.%d" % k: dump(k) for k in (1, 2, 3, 4)}
    for f, content in files.items():
        write(f, content)
        os.utime(f, LONG_AGO)
    run("s.1", "s.2", "s.4", *OF_SET, *ASK)
    three = read("s.set.quern")
    for victim in ("s.1", "s.3", "s.4"):
        for name, before in (("all", None), ("join", three)):
            scenes.append(Meddled("%s of %s, %s" % (victim, " ".join(SET[:4]), name), files,
                                  dump(9, 30, salt=5), victim, SET[:4] + OF_SET + ASK, "s.set.quern", before))
    # And the index itself, by another one.
    write("p.out", dump(1, 60, salt=3) + dump(2, 60, salt=3))
    run("p.out", *BESIDE, *ASK)
    scenes.append(Meddled("the index", {"p.out": text}, read("p.out.quern"), "p.out.quern",
                          ("p.out",) + BESIDE + ASK, "p.out.quern", there))
    for f, content in files.items():
        write(f, content[:-1] + b"1\n")
        os.utime(f, LONG_AGO)
    run("s.1", "s.2", "s.4", *OF_SET, *ASK)
    scenes.append(Meddled("the index of a set that is joined", files, read("s.set.quern"), "s.set.quern",
                          SET[:4] + OF_SET + ASK, "s.set.quern", three))
    cases = [(m, how, kind, k) for m in scenes for how in HOWS
             for kind, step in (("sys", 1), ("mem", 4)) for k in range(1, m.calls[kind == "mem"] + 1, step)]
    return {"cases": cases}


def emptied_setup():
    cases = meddled_setup()["cases"]
    return {"cases": [c for c in cases if c[0].victim == c[0].index and c[1:3] == ("emptied", "mem")]}


def meddled_one(rng, i, s):
    m, how, kind, k = s["cases"][i * 7919 % len(s["cases"])]
    m.put()
    action = {"gone": "gone", "swapped": "swap"}.get(how, "over")
    if how != "gone":
        write(m.victim + ".new", m.new(how))
    r = again(*m.args, fault="%s:%d:%s@%s" % (kind, k, action, m.victim))
    if os.path.exists(m.victim + ".new"):
        os.remove(m.victim + ".new")
    what = "%s: %s %s:%d:%s: " % (m.name, how, kind, k, m.victim)
    left = [f for f in leftovers() if not f.endswith(".lock")]
    if left:
        return what + "left behind: %s\n%s" % (left, r)
    # Nothing is promised to who writes another index over the one that has just been made.
    if r.status == 0 and r.out not in (m.right, m.after[how][1], m.foreign.get(how)):
        return what + "another answer\n%s" % r
    # An index is read as rows go out: what went before the error is right.
    whole = not r.out or m.victim == m.index and m.right.startswith(r.out)
    if r.status and not (whole and "error:" in r.talk):
        return what + str(r)
    if r.status and m.victim not in r.talk and r.status != m.after[how][0]:
        return what + "not named\n%s" % r
    if r.status not in (0, 5 if m.victim == m.index else 3):
        return what + str(r)
    # Threads do not ask for memory equally often each time: there may have been no k-th call.
    changed_it = m.victim == m.index or not os.path.exists(m.victim) or read(m.victim) != m.files[m.victim]
    r = again(*m.args)
    if (r.status, r.out) != (m.after[how] if changed_it else (0, m.right)):
        return what + "asked again\n%s" % r
    return None


# --------------------------------------------------------------------------- packed files

def packed_setup():
    lua, s = read(small + "lua-default.out"), {"right": None, "packed": []}
    write("p.out", lua)
    s["right"] = run("p.out", *ASK).out
    for suffix, pack in packers():
        once = pack(lua)
        s["packed"].append(("p.out" + suffix, once))
        half = len(lua) // 2
        s["packed"].append(("q.out" + suffix, pack(lua[:half]) + pack(lua[half:])))
    return s


def packed_one(rng, i, s):
    """Cut anywhere, a bit or some bytes of it wrong, or something behind its end: the right answer
    or what is wrong, never half."""
    name, whole = s["packed"][i % len(s["packed"])]
    how, bad = ("cut", "flipped", "overwritten", "longer")[i // len(s["packed"]) % 4], bytearray(whole)
    at = rng.randrange(len(bad)) if rng.random() < 0.7 else rng.randrange(64)
    if how == "cut":
        del bad[at:]
    elif how == "flipped":
        bad[at] ^= 1 << rng.randrange(8)
    elif how == "overwritten":
        n = min(rng.randrange(1, 200), len(bad) - at)
        bad[at:at + n] = rng.randbytes(n)
    else:
        bad += rng.choice((rng.randbytes(at + 1), whole[:at + 1], bytes(at + 1)))
    write(name, bytes(bad))
    pipe = rng.random() < 0.3
    if pipe:
        r = run("-", *ASK, stdin=bytes(bad))
    else:
        r = run(name, "--index", name + ".quern", *ASK)
    index = os.path.exists(name + ".quern")
    for f in (name, name + ".quern"):
        if os.path.exists(f):
            os.remove(f)
    what = "%s %s at %d of %d%s: " % (name, how, at, len(whole), " by a pipe" if pipe else "")
    if leftovers():
        return what + "left behind: %s" % leftovers()
    if r.status == 0:
        # A member more is a profile more: two of a kind add up, and only then.
        if r.out == s["right"] or how == "longer" and bad == whole + whole:
            return None
        # Of what begins like nothing that is packed nobody knows that it was, but that it is odd.
        if pipe and bad[:7] != whole[:7] and "odd lines" in run("-", *ASK[1:], stdin=bytes(bad)).talk:
            return None
        return what + "another answer\n%s" % r
    if index:
        return what + "an index of it was kept\n%s" % r
    if r.status not in (3, 6) or r.out or "error:" not in r.talk:
        return what + str(r)
    if not pipe and name not in r.talk:
        return what + "not named\n%s" % r
    return None


def packed_scenes(suffixes=None):
    lua, arguments, right = read(small + "lua-default.out"), {}, None
    for suffix, pack in packers():
        write("p.out" + suffix, pack(lua))
        arguments[suffix] = ("p.out" + suffix, "--index", "p.out%s.quern" % suffix) + ASK
        right = run(*arguments[suffix])
        assert right.status == 0, right
    return arguments, right.out


class Packed(Scenes):
    """As many indexes as there are codecs."""

    def __init__(self):
        arguments, right = packed_scenes()
        self.indexes = {scene: args[0] + ".quern" for scene, args in arguments.items()}
        super().__init__(None, right, arguments, {})

    def set(self, scene):
        self.index = self.indexes[scene]
        super().set(scene)


def opening():
    """The calls up to the first of the decoder; what they fail with is never bad data."""
    s = Packed()
    s.cases = [(".bz2", k, "5") for k in range(1, 46)]
    return s


# ---------------------------------------------------------------- limits of the process

ENOUGH = 64     # MiB of addresses


def at_most(what, n):
    return lambda: resource.setrlimit(what, (n, n))


def loaded():
    """MiB of addresses with which the program is loaded, some kB to spare: less is refused by the
    dynamic linker, and without optimisation that is more."""
    for n in range(4, ENOUGH):
        if run("--version", preexec_fn=at_most(resource.RLIMIT_AS, (n << 20) - (200 << 10))).status in (0, 6):
            return n
    raise Skip("%d MiB of addresses do not load it" % ENOUGH)


def limits_setup():
    if crash.variant != "release" and "san" in crash.variant:
        raise Skip("the %s variant needs terabytes of addresses" % crash.variant)
    arguments, right = packed_scenes()
    write("p.out", read(small + "lua-default.out"))
    arguments["text"] = ("p.out",) + BESIDE + ASK
    arguments = {scene: (args, right) for scene, args in arguments.items()}
    write_set(70, 2)
    ask = SET + OF_SET + ASK
    arguments["set"] = (ask, run(*ask).out)
    limits = [(resource.RLIMIT_AS, n << 20)
              for n in list(range(loaded(), ENOUGH, 2)) + list(range(ENOUGH, 300, 20))]
    limits += [(resource.RLIMIT_NOFILE, n) for n in range(4, 24)]
    return {"cases": [(what, n, *case) for what, n in limits for case in arguments.values()]}


def limits_one(rng, i, s):
    """Few addresses, few descriptors: the index is made, or what was wanting is said."""
    what, n, args, right = s["cases"][i]
    for f in os.listdir("."):
        if f.endswith(".quern"):
            os.remove(f)
    r, addresses = run(*args, preexec_fn=at_most(what, n)), what == resource.RLIMIT_AS
    wrong = lawful(r, right)
    if wrong is None and leftovers():
        wrong = "left behind: %s\n%s" % (leftovers(), r)
    if wrong is None and r.status and (addresses and (r.status != 6 or n >= ENOUGH << 20)):
        wrong = str(r)
    if wrong is None and r.status and not addresses and "Too many open files" not in r.talk:
        wrong = str(r)
    return wrong and "%s %d: %s: %s" % ("addresses" if addresses else "descriptors", n, args[:2], wrong)


# ---------------------------------------------------------------------------- pipes

def stream_setup():
    lua = read(small + "lua-default.out")
    return {"text": lua, "packed": packers(), "size": len(lua), "cut": {}}


def stream_one(rng, i, s):
    """A writer that stops early, is killed, or writes a byte at a time; by standard input, by the
    name of a FIFO."""
    how = ("closed", "killed", "bytes", "interrupted")[i % 4]
    fifo, packed = i // 4 % 2, i // 8 % 3 == 2
    data = s["text"]
    if packed:
        suffix, pack = rng.choice(s["packed"])
        data = pack(data)
    at = rng.choice((0, 1, rng.randrange(64), rng.randrange(len(data)), len(data)))
    if how == "bytes":
        at = min(at, 2000)
    write("whole", data[:at])
    want = run("-", *ASK, stdin=data[:at])
    source = "f" if fifo else "-"
    if fifo:
        if os.path.exists("f"):
            os.remove("f")
        os.mkfifo("f")
    script = "import sys,os,time,signal\nd=open('whole','rb').read()\no=os.open(sys.argv[1],os.O_WRONLY) if len(sys.argv)>1 else 1\n"
    if how == "bytes":
        script += "for b in range(len(d)): os.write(o,d[b:b+1])\n"
    else:
        script += "while d: d=d[os.write(o,d):]\n"
    if how == "killed":
        script += "os.kill(os.getpid(),signal.SIGKILL)\n"
    if how == "interrupted":
        script += "sys.stderr.write('x');sys.stderr.flush();time.sleep(300)\n"
    writer = subprocess.Popen(["python3", "-S", "-E", "-c", script] + (["f"] if fifo else []),
                              stdout=subprocess.DEVNULL if fifo else subprocess.PIPE,
                              stderr=subprocess.PIPE)
    reader = subprocess.Popen([quern, source] + list(ASK), env=crash.environ,
                              stdin=subprocess.DEVNULL if fifo else writer.stdout,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    if writer.stdout:
        writer.stdout.close()
    if how == "interrupted":
        writer.stderr.read(1)       # all is written: the reader waits for more, or soon will
        reader.send_signal(signal.SIGINT)
    out, talk = reader.communicate(timeout=crash.HUNG)
    writer.kill()
    writer.communicate()
    what = "%s after %d of %d bytes%s%s: " % (how, at, len(data), " packed" if packed else "",
                                              " by a FIFO" if fifo else "")
    got = "status %d\n%s\n%s" % (reader.returncode, out[:300], talk[:500])
    if leftovers() or [f for f in os.listdir(".") if f.endswith(".quern")]:
        return what + "left behind: %s" % os.listdir(".")
    if how == "interrupted":
        # What is no profile is refused at once, and Ctrl-C may come before it can be caught.
        good = reader.returncode in (130, -2) or (reader.returncode, out) == (want.status, want.out)
        return None if good and not (out and reader.returncode) else what + got
    if reader.returncode != want.status or out != want.out:
        return what + got + "\nwant %s" % want
    if packed and 0 < at < len(data) and not (reader.returncode == 3 and talk):
        return what + got
    return None


rows = [
    Row("setsys", "the k-th system call for a set fails or is the last", 30, lambda s: len(s.cases),
        building.sys_fails, lambda: set_scenes().each(0, ACTIONS)),
    Row("setmem", "the k-th allocation for a set fails", 60, lambda s: len(s.cases), building.mem_fails,
        lambda: set_scenes().each(1, ("", "+"))),
    Row("batchsys", "the same for 70 files in batches", 16, lambda s: len(s.cases),
        building.sys_fails, lambda: batch_scenes().each(0, ACTIONS)),
    Row("batchmem", "allocations for 70 files in batches", 16, lambda s: len(s.cases), building.mem_fails,
        lambda: batch_scenes().each(1, ("", "+"))),
    Row("meddled", "a file changes at the k-th call", 75, lambda s: len(s["cases"]), meddled_one,
        meddled_setup),
    Row("emptied", "an index is emptied while it is opened and read", 1000, lambda s: len(s["cases"]),
        meddled_one, emptied_setup),
    Row("packed", "packed data is cut, damaged, longer", 40, 20000, packed_one, packed_setup),
    Row("packsys", "the k-th system call for a packed file fails", 60, lambda s: len(s.cases),
        building.sys_fails, lambda: Packed().each(0, ACTIONS)),
    Row("packopen", "each system call of opening a packed file fails", 1000, lambda s: len(s.cases),
        building.sys_fails, opening),
    Row("packmem", "the k-th allocation of a decoder fails", 60, lambda s: len(s.cases),
        building.mem_fails, lambda: Packed().each(1, ("", "+"))),
    Row("limits", "few addresses, few descriptors", 40, lambda s: len(s["cases"]), limits_one,
        limits_setup),
    Row("stream", "a pipe ends early, its writer is killed", 24, 1000, stream_one, stream_setup),
]
