#!/usr/bin/env python3
"""inlined_file.t - inlined calls kept beside the index: the same answers, and never wrong ones.

The object is overwritten, removed, rebuilt, touched and stripped between two questions; the
file is damaged, replaced by others' files, or cannot be written.
"""
import concurrent.futures
import os
import random
import resource
import subprocess

from e2e import done, ok, run, same, seed
from inlining import age, build, forget, kept, need, out, record, restore, rows

need("valgrind", "g++", "objcopy")
build("-O2", "-g", "-Wl,--build-id")
record()
WORK = "inlined of work | show fn, file, self, lines"


def ask(query=WORK, *more):
    return rows(query, *more)


def content(path=kept):
    with open(path, "rb") as f:
        return f.read()


def unnamed(name, *words):
    answer, talk = ask()
    ok(answer and not any(r[0] for r in answer) and all(w in talk for w in words), name, "%s\n%s" % (talk, answer))


right, talk = ask()
ok(right and any(r[0] == "Sum<int>::add(int)" for r in right) and os.path.exists(kept),
   "the first question makes the file", talk)
first = content()
ok(first.startswith(b"quern inlines 3\n") and os.stat(kept).st_mode & 0o777 == 0o444, "it says what it is")
ok(not [n for n in os.listdir(".") if ".tmp." in n or n.endswith(".lock")], "and nothing else is left", os.listdir("."))

# ---- the object

when = os.stat("p").st_mtime_ns
with open("p", "r+b") as f:
    f.write(b"x" * os.path.getsize("p"))
os.utime("p", ns=(when, when))
same(ask(), (right, ""), "the second question opens no object")
os.remove("p")
same(ask(), (right, ""), "nor does it need one")
main, talk = ask("inlined of main | show fn, self")
ok(main and not any(r[0] for r in main) and "not found" in talk, "what was not asked before is not known", talk)
same(ask(WORK, "--safe"), (right, ""), "under --safe what was read before is known")
main, talk = ask("inlined of main | show fn, self", "--safe")
ok(main and not any(r[0] for r in main) and "--safe" in talk, "and nothing else", talk)
restore()
main, talk = ask("inlined of main | show fn, self")
ok(main and any(r[0] == "local" for r in main) and len(content()) > len(first), "it is added", talk)
os.remove("p")
same(ask()[0], right, "to what was there")
build("-O1", "-g", "-Wl,--build-id")
unnamed("rebuilt: nothing is used, and that is said", "built anew since")
age(-10)
unnamed("the same with an older time", "built anew since")
restore()
same(ask(), (right, ""), "the object that was measured is back: so are the names")
restore(+1000)
same(ask(), (right, ""), "a newer copy of it is the same by its build-id")
both = content()
with open("p", "r+b") as f:
    f.seek(5000)
    f.write(b"x" * 5000)
age(+1000)
same(ask(), (right, ""), "and was noted as that")
subprocess.run(["objcopy", "--strip-debug", "p.built", "p"], check=True)
same(ask(), (right, ""), "so is a stripped one")
build("-O2", "-g", "-Wl,--build-id=none")
unnamed("one without a build-id is not", "built anew since")

# ---- several at once

restore()
forget()
with concurrent.futures.ThreadPoolExecutor(6) as pool:
    answers = list(pool.map(lambda i: ask(), range(6)))
os.remove("p")
same(answers + [ask()], [(right, "")] * 7, "six sessions at once: one of them leaves a whole file")

# ---- other questions about inlined code, and the costs

restore()
forget()
FRAMES = "with inlined | functions | show fn, self, incl"
frames, talk = ask(FRAMES)
ok(frames and any(r[0] == "Sum<int>::add(int) (inl)" for r in frames) and os.path.exists(kept), "inlined functions as functions", talk)
asm, _ = ask("instrs of obj:p | show instr, inlined, inlined_at, self")
os.remove("p")
same(ask(FRAMES)[0], frames, "the same from the file")
same(ask("instrs of obj:p | show instr, inlined, inlined_at, self")[0], asm, "so are the chains of each instruction")
costs = [ask(q + "functions | sum | show self")[0] for q in ("", "with inlined | ")]
forget()
costs += [ask(q + "functions | sum | show self")[0] for q in ("", "with inlined | ")]
same(costs[1:], costs[:1] * 3, "and the sum of all costs, with and without")

# ---- the file

restore()


def as_first(name, damaged=True):
    """The same answer, and if the file was damaged, a sound one is written."""
    restore()
    before = content() if not os.path.isdir(kept) else None
    answer = ask()
    ok(answer == (right, ""), name, answer)
    if damaged:
        os.remove("p")
        same(ask(), (right, ""), name + ": written anew")
    else:
        ok(os.path.isdir(kept) or content() == before, name + ": left as it is")
    forget()


rng = random.Random(seed(3))
wrong = []
for i in range(40 * (20 if os.environ.get("QUERN_TORTURE") else 1)):
    data = bytearray(both)
    for _ in range(rng.choice((1, 3, 40))):
        data[rng.randrange(len(data))] ^= rng.choice((1, 0x80, 0xff, rng.randrange(1, 256)))
    if i % 4 == 3:
        data = data[:rng.randrange(len(data))]
    forget()
    with open(kept, "wb") as f:
        f.write(data)
    restore()
    answer = ask()
    if answer != (right, ""):
        wrong.append((i, answer))
ok(not wrong, "damaged and cut off: the same answers", wrong[:2])
for name, data in (("empty", b""), ("of another version", first.replace(b"inlines 2", b"inlines 9", 1)), ("cut off", first[:20])):
    forget()
    with open(kept, "wb") as f:
        f.write(data)
    as_first(name)
for name, data in (("a file of somebody else", b"my notes\n"), ("an index", content(out + ".quern")[:4096])):
    with open(kept, "wb") as f:
        f.write(data)
    as_first(name, False)
os.mkdir(kept)
as_first("a directory", False)
os.symlink("elsewhere", kept)
answer = ask()
ok(answer == (right, "") and not os.path.exists("elsewhere") and os.path.islink(kept), "a symbolic link is not followed", answer)
forget()
os.mkfifo(kept)
answer = ask()
ok(answer == (right, ""), "a FIFO", answer)
forget()
with open(kept, "wb") as f:
    f.write(first)
os.chmod(kept, 0o666)
os.remove("p")
unnamed("a file that others could have written is not used", "not found")
same(ask(WORK, "--trust"), (right, ""), "with --trust it is")
os.chmod(kept, 0o644)
same(ask(), (right, ""), "nor is there a doubt about one of ours")

# ---- when it is not written, and what it is of

restore()
for name, flag in (("--no-index-write", "--no-index-write"), ("--safe", "--safe")):
    forget()
    answer, talk = ask(WORK, flag)
    ok(answer and not os.path.exists(kept), name + " writes nothing", talk)
os.remove(out + ".quern")
ask(WORK, "--index", "elsewhere.index")
ok(os.path.exists("elsewhere.index.inlines") and not os.path.exists(kept), "it lies beside the index, wherever that is")
run(out, "-q", "--rebuild", "-c", "events")
ask()
ask(WORK, "--no-demangle")
answer, talk = ask(WORK, "--no-demangle")
ok(any(r[0].startswith("_ZN3Sum") for r in answer or ()), "names as recorded with --no-demangle", answer)
same(ask(), (right, ""), "and demangled without, whatever was kept")
with open(out, "a") as f:
    f.write("\nfn=more\n1 1\n")
os.remove("p")
unnamed("the file of another profile is not used", "not found")
r = run(*sorted(n for n in os.listdir(".") if n.startswith("p.out")), "-q", "-c", "top 1")
ok(r.status == 0, "p.out* is the profile alone", r)

# ---- bounded by --mem ----
restore()
forget()
wanted, _ = ask()
data = content()
os.chmod(kept, 0o644)
with open(kept, "wb") as f:     # a sound head, and 2 GiB of nothing
    f.write(data)
    f.truncate(2 << 30)
os.chmod(kept, 0o444)
before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
same(ask(WORK, "--mem", "64M"), (wanted, ""), "a huge file is not read")
peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
ok(peak <= max(before, 400 << 10), "nor takes memory", "%d KiB, before %d" % (peak, before))
# Two profiles with as many names as --mem has room for only once.
N = 150000
for name in ("a", "b"):
    with open(name + ".out", "w") as f:
        f.write("events: Ir\n")
        f.writelines("fn=function_%s_%06d\n1 %d\n" % ("x" * 20, i, i % 9 + 1) for i in range(N))
r = run("a.out", "base=b.out", "-q", "--mem", "3M", "-c", "functions vs base | take 1 | show fn")
ok(r.status == 6 and "memory" in r.talk and "--mem" in r.talk, "pairing is bounded, too", r)
r = run("a.out", "base=b.out", "-q", "-c", "functions vs base | take 1 | show fn")
ok(r.status == 0, "and works with the usual limit", r)
done()
