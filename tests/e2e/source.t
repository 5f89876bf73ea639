#!/usr/bin/env python3
"""source.t - source of, lines of and asm of: text beside the costs, read only where allowed.

A small program is compiled, measured and listed; callgrind_annotate lists the same file, and
every line's cost must be the same.
"""
import csv
import io
import os
import re
import shutil
import subprocess
import time

from e2e import done, ok, run, same, skip

os.makedirs("proj/sub")
os.chdir("proj")
with open("sub/inline.h", "w") as f:
    f.write("/* inlined */\nstatic inline int square(volatile int x)\n{\n\treturn x * x;\n}\n")
with open("p.c", "w") as f:
    f.write("""#include <stdlib.h>
#include "sub/inline.h"

static __attribute__((noinline)) int fib(int n)
{
\tif (n < 2)
\t\treturn n;
\treturn fib(n - 1) + fib(n - 2);
}







/* far from any cost */







static int cmp(const void *a, const void *b)
{
\treturn square(*(const int *)a) - square(*(const int *)b);
}

int main(void)
{
\tint v[64];

\tfor (int i = 0; i < 64; i++)
\t\tv[i] = (i * 37) % 64;
\tqsort(v, 64, sizeof(int), cmp);
\treturn fib(12) == v[3];
}
""")
TEXT = open("p.c").read().splitlines()


def ask(query, *more, **how):
    return run("p.out", "-q", *more, "-c", query, **how)


def rows(query, *more, **how):
    return list(csv.DictReader(io.StringIO(ask(query + " | as csv", "--raw", *more, **how).text)))


# A profile by hand: what needs no valgrind.
here = os.getcwd()
with open("p.out", "w") as f:
    f.write("version: 1\npositions: line\nevents: Ir\n\nfl=%s/p.c\nfn=main\n32 10\n35 200\nfi=%s/sub/inline.h\n"
            "4 50\nfe=%s/p.c\n38 5\ncfn=fib\ncalls=2 5\n38 900\n99 1\n\nfn=fib\n8 900\n\n"
            "fl=gone.c\nfn=gone\n7 1\n\nfl=../up.c\nfn=up\n1 1\n\nfl=link.c\nfn=link\n1 1\n\n"
            "fl=fifo.c\nfn=fifo\n1 1\n\nfl=/etc/passwd\nfn=passwd\n1 1\n\nfl=/else/where/proj/sub/inline.h\nfn=moved\n4 1\n"
            % (here, here, here))
open("../up.c", "w").write("secret\n")
os.symlink("/etc/passwd", "link.c")
os.mkfifo("fifo.c")
got = rows("source of main")
lines = {(r["file"], r["line"]): r for r in got if r["kind"] == "line"}
ok(all(r["text"] == TEXT[int(n) - 1].expandtabs() for (f, n), r in lines.items()
       if f.endswith("p.c") and int(n) <= len(TEXT)), "source: the text of each line", got)
same(lines[(here + "/p.c", "35")]["self"], "200", "source: the cost of a line")
same(lines[(here + "/p.c", "34")]["self"], "", "source: context has no cost, not 0")
same([(r["line"], r["calls"], r["incl"], r["callee"]) for r in got if r["kind"] == "call"],
     [("38", "2", "900", "fib")], "source: a call line with callee and inclusive cost")
same(lines[(here + "/sub/inline.h", "4")]["self"], "50", "source: inlined files")
same([r["file"] for r in got if r["kind"] == "file"], [here + "/p.c", here + "/sub/inline.h"],
     "source: the function's own file first")
same(lines[(here + "/p.c", "99")]["text"], "(the file ends before this line)", "source: a line behind the end")
ok("1 place is not in the text" in run("p.out", "-c", "source of main").talk, "source: and a note")
ok("... " in ask("source of (main, fib)").text, "source: far lines are a gap")
r = ask("lines of main")
ok("v[i] = (i * 37) % 64;" in r.text or "for (int i = 0" in r.text, "lines: the text", r)
same(ask("lines of main | as csv").text.splitlines()[0], "file,line,self,calls_out,incl_out,fn",
     "lines: the columns of programs are as before")

# Only below the roots, only regular files.
for fn, why in (("gone", "not found"), ("up", "leaves the source root"), ("link", "leaves the source root"),
                ("fifo", "not a regular file")):
    r = run("p.out", "-c", "source of " + fn)
    ok(r.status == 0 and why in r.text and "root:" not in r.text and "secret" not in r.text and "--source-root" in r.talk,
       "source of %s: %s" % (fn, why), r)
    same(len([x for x in rows("source of " + fn) if x["self"] == "1"]), 1, "source of %s: its cost stands without text" % fn)
r = run("p.out", "-q", "-c", "source of moved")
ok("return x * x" not in r.text, "a tree that moved is not guessed")
r = run("p.out", "-q", "--source-root", here, "-c", "source of moved")
ok("return x * x" in r.text, "a tree that moved is found below --source-root", r)
r = run(here + "/p.out", "-q", "-c", "source of main", cwd="/")
ok("for (int i" in r.text, "the current directory is the root by default", r)
os.mkdir("empty")
r = run(here + "/p.out", "-q", "--source-root", "empty", "-c", "source of main")
ok("for (int i" in r.text, "--source-root does not hide what is where the profile says", r)
r = run(here + "/p.out", "-q", "--safe", "--source-root", "empty", "-c", "source of main")
ok("for (int i" not in r.text and "no text" in r.text, "but nothing else is read under --safe", r)

# A path is followed as it stands, if the file is regular, and the user's or root's; under --safe it is not.
os.makedirs("away/real")
for name in ("own.c", "real/up.c", "real/other.c"):
    with open("away/" + name, "w") as f:
        f.write("a secret line\n")
os.symlink("own.c", "away/link.c")
os.mkfifo("away/fifo.c")
as_root = os.geteuid() == 0
if as_root:
    os.chown("away/real/other.c", 12345, 12345)
FOLLOWED = [("own", here + "/away/own.c", ""), ("dots", here + "/away/real/../own.c", ""), ("link", here + "/away/link.c", ""),
            ("nothing", here + "/away/none.c", "not found there, nor below the source roots"),
            ("fifo", here + "/away/fifo.c", "not a regular file"), ("folder", here + "/away/real", "not a regular file"),
            ("device", "/dev/null", "not a regular file"), ("kernel", "/proc/self/environ", "the kernel makes it"),
            ("magic", "/proc/self/exe", "not a regular file"), ("relative", "away/own.c", "not found below the source roots")]
FOLLOWED += [("other", here + "/away/real/other.c", "it belongs to another user")] * as_root
os.makedirs("elsewhere/deep")
with open("elsewhere/deep/f.out", "w") as f:
    f.write("events: Ir\n" + "".join("fl=%s\nfn=%s\n1 5\n" % (path, fn) for fn, path, _ in FOLLOWED))
for fn, path, why in FOLLOWED:
    r = run("f.out", "-c", "source of " + fn, cwd="elsewhere/deep")
    if why:
        ok(r.status == 0 and why in r.text and why in r.talk and "--source-root" in r.talk and path in r.talk and "secret" not in r.text,
           "%s: %s" % (fn, why), r)
    else:
        ok(r.status == 0 and "a secret line" in r.text and "note" not in r.talk.replace("indexed", ""), fn + ": followed", r)
    r = run("f.out", "-c", "source of " + fn, "--safe", cwd="elsewhere/deep")
    ok(r.status == 0 and "secret" not in r.text and "no text" in r.text, "--safe: %s is not" % fn, r)
os.rename("away", "moved")
with open("script.q", "w") as f:
    f.write("source of own\n.source-root ../../moved\n.source-root\nsource of own\n")
r = run("f.out", "-q", "-f", "../../script.q", cwd="elsewhere/deep")
ok(r.text.count("no text") == 1 and "../../moved\n" in r.text and "a secret line" in r.text, ".source-root finds a tree that moved", r)
r = run("f.out", "-q", "--safe", "-f", "../../script.q", cwd="elsewhere/deep")
ok(r.status and "--safe" in r.talk and "secret" not in r.text, ".source-root is refused under --safe", r)
r = run("f.out", "-q", "-c", ".source-root nowhere", cwd="elsewhere/deep")
ok(r.status and "source root nowhere" in r.talk, ".source-root of no folder", r)
r = run("p.out", "--source-root", "nowhere", "-c", "top")
same((r.status, "nowhere" in r.talk), (2, True), "--source-root that is not there")
later = time.time() + 100
os.utime("p.c", (later, later))
r = run("p.out", "-c", "source of main")
ok("p.c is newer than the profile" in r.talk, "source newer than the profile: a warning", r)
r = run("p.out", "-c", "lines of main")
ok("p.c is newer than the profile" in r.talk, "lines: the same warning", r)
os.utime("p.c", (1, 1))
ok("newer" not in run("p.out", "-c", "source of main").talk, "and none when it is older")
with open("p.c", "ab") as f:
    f.truncate(40 << 20)
ok("larger than 32 MiB" in ask("source of main").text, "a huge file is not read")
with open("p.c", "w") as f:
    f.write("\n".join(TEXT) + "\n")
with open("h.c", "wb") as f:
    f.write(b"\x1b[31mred \xff\x00 nul\r\n" * 3)
with open("h.out", "w") as f:
    f.write("events: Ir\nfl=h.c\nfn=h\n2 1\n")
r = run("h.out", "-q", "-c", "source of h")
ok(b"\x1b" not in r.out and b"\\x1B[31mred \\xFF\\x00 nul" in r.out and b"\r" not in r.out,
   "text with escapes is escaped", r.out)
r = ask("asm of main")
ok(r.status == 1 and "--dump-instr=yes" in r.talk, "asm without addresses is an error", r)

# An objdump of all kinds.
with open("fake.out", "w") as f:
    f.write("positions: instr line\nevents: Ir\nob=object\nfl=p.c\nfn=main\n0x401000 1 5\n0x402f00 2 6\n")
shutil.copy("fake.out", "object")
os.mkdir("fake")
for script, why in (("exec /usr/bin/yes '  401000:\tnop'", "objdump writes too much"),
                    ("echo '  401000:\tnop'; exit 3", "objdump cannot read it"),
                    ("kill -9 $$", "objdump cannot read it"),
                    ("echo Disassembly of section .text:", "objdump finds no instructions there"),
                    ("exec /bin/sleep 100", "took longer than its limit"),
                    (None, "Permission denied")):
    with open("fake/objdump", "w") as f:
        f.write("#!/bin/sh\n%s\n" % script)
    os.chmod("fake/objdump", 0o755 if script else 0o644)
    r = run("fake.out", *["--limit", "seconds=1"] * ("sleep" in str(script)), "-c", "asm of main",
            env={"PATH": here + "/fake"})
    ok(r.status == (6 if "limit" in why else 0) and why in r.talk, "asm: an objdump that does '%s'" % script, r)
with open("fake/objdump", "w") as f:
    f.write("#!/bin/sh\ni=0\nwhile [ $i -lt 3000 ]; do printf '  %x:\\tnop %d\\n' $((0x401000 + i * 4)) $i; i=$((i + 1)); done\n")
os.chmod("fake/objdump", 0o755)
r = run("fake.out", "-q", "--format", "csv", "-c", "asm of main | where self > 0 | show text", env={"PATH": here + "/fake"})
same(r.text.splitlines()[1:3], ["nop 0", "nop 1984"], "asm: thousands of instructions")

missing = [t for t in ("valgrind", "callgrind_annotate", "objdump") if not shutil.which(t)]
cc = os.environ.get("CC", "gcc").split()
if missing or not shutil.which(cc[0]):
    skip("the same numbers as callgrind_annotate", " ".join(missing or cc) + " is not installed")
    done()
subprocess.run(cc + ["-g", "-O1", "-o", "p", "p.c"], check=True)
for out, more in (("p.out", ["--dump-instr=yes", "--collect-jumps=yes"]), ("line.out", [])):
    p = subprocess.run(["valgrind", "--tool=callgrind", "--callgrind-out-file=" + out] + more + ["./p"],
                       stderr=subprocess.PIPE)
    if not os.path.exists(out):
        skip("the same numbers as callgrind_annotate", "valgrind cannot run here: " + repr(p.stderr[-80:]))
        done()
p = subprocess.run(["callgrind_annotate", "--auto=yes", "--show-percs=no", "line.out", "p.c", "sub/inline.h"],
                   stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
theirs, name = {}, ""
for line in p.stdout.splitlines():
    m = re.match(r"-- (?:Auto|User)-annotated source: (.*)", line)
    if m:
        name, seen = os.path.basename(m[1]), {}
    m = re.match(r" *([\d,]+)  (?!=>)(?! *\*)(.*)", line)
    if name in ("p.c", "inline.h") and m and not m[2].endswith("events annotated"):
        # What clang gives no line stands behind all lines there, before them here.
        unknown = m[2] == "<counts for unidentified lines in %s>" % name
        theirs.setdefault(name, []).insert(0 if unknown else len(theirs.get(name, [])),
                                           (int(m[1].replace(",", "")), "(line not known)" if unknown else m[2].strip()))
for name in ("p.c", "inline.h"):
    got = run("line.out", "-q", "--raw", "-c", "source of (main, fib, cmp) | as csv")
    ours = [(int(r["self"]), r["text"].strip()) for r in csv.DictReader(io.StringIO(got.text))
            if r["kind"] == "line" and r["self"] and os.path.basename(r["file"]) == name]
    same(ours, theirs.get(name), name + ": line by line what callgrind_annotate --auto=yes says")

# From another directory, whether -c asks or the prompt.
for args, found in ((("-c",), True), (("--source-root", ".", "-c"), True), (("--safe", "-c"), False), (("--safe", "--source-root", ".", "-c"), False)):
    r = run("../line.out", "-q", *args, "source of fib", cwd="elsewhere")
    same((r.status, "return fib(n - 1)" in r.text), (0, found), "source of, in another directory: " + " ".join(args))
r = run("../line.out", "--safe", "-c", "source of (main, cmp)", cwd="elsewhere")
notes = [line for line in r.talk.splitlines() if line.startswith("note:")]
ok(len(notes) == 1 and re.search(r"note: 2 of 2 files have no text: \S*p\.c, \S*inline\.h; see --source-root", notes[0]),
   "files without text are one note", r.talk)

got = rows("asm of (main, fib)")
costs = rows("instrs of (main, fib)")
same(sum(int(r["self"] or 0) for r in got), sum(int(r["self"]) for r in costs), "asm: every cost is there")
ok(any(r["text"].startswith(("ret", "mov", "ldr", "stp")) for r in got), "asm: the instructions", got)
ok(not any("no instruction starts here" in r["text"] for r in got), "asm: costs lie on instructions", got)
ok(any(r["kind"] == "call" and r["callee"].startswith("fib") for r in got), "asm: calls", got)
ok(any(r["kind"] == "jump" and "times" in r["text"] for r in got), "asm: jumps", got)
r = ask("asm of main", "--safe")
ok(r.status == 1 and "--safe" in r.talk, "asm is refused under --safe", r)
r = run("p.out", "-c", "asm of main", env={"PATH": "/nowhere"})
ok(r.status == 0 and "objdump is not installed" in r.talk, "asm without objdump says so", r)
r = run("p.out", "-c", "asm of _dl*")
said = re.search(r"all: \| take (\d+)", r.talk)
ok(r.status == 0 and said and 24 < len(r.text.splitlines()) < 300 and "rows\n" in r.text, "asm of many instructions is short", r)
r = run("p.out", "-c", "asm of _dl* | take " + said[1])
same(len(r.text.splitlines()), int(said[1]) + 2, "asm: the word that shows all")
for verb in ("source", "asm"):
    r = run("p.out", "-c", verb + " of (main, fib) | sort self | take 2")
    ok(len(re.findall(r"p\.c:\d+ ", r.text)) == 2, verb + ": rows that leave their order say the file", r)
    r = run("p.out", "-c", verb + " of (main, fib) | sort self | show line")
    ok("p.c" not in r.text, verb + ": show has the last word", r)
os.rename("p.c", "q.c")
for query in ("source of fib", "lines of fib"):
    r = run("p.out", "-c", query)
    same(len(re.findall(r"note: \S*p\.c: not found there, nor below the source roots; see --source-root", r.talk)), 1, query + ": no text is said once")
r = run("p.out", "-c", "lines of fib | sum")
ok(r.status == 0 and "note" not in r.talk, "lines of fib | sum: nobody misses the text", r)
os.rename("p", "q")
r = run("p.out", "-c", "asm of main")
ok(r.status == 0 and "not found there, nor below the source roots" in r.talk, "asm without the object says so", r)
done()
