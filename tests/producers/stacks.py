#!/usr/bin/env python3
"""stacks.py - how near `quern record --stacks` comes to the true stacks, program by program.

    tests/producers/stacks.py [-- PROGRAM ARG...]

Without a program: the Perl script and SQLite's driver of tests/fixtures/truth (this if sqlite3.c and
sqlite3.h are in $SQLITE), work/expressions.cc, and cc1 on what the preprocessor makes of work/free.c.
Each runs plainly, twice with --stacks and --size 3x and 10x, and once with --separate-callers=100, which
tells its stacks.  For each: size of the file, overlap of the stacks' costs in a tree of 200,000 frames, what
quern says is proven.  The exit status is 1 if more is said than is true, or functions are not those of
the plain run.
"""
import os
import re
import shutil
import subprocess
import sys
import tempfile

here = os.path.dirname(os.path.abspath(__file__))
top = os.path.dirname(os.path.dirname(here))
sys.path.insert(0, top + "/tests/e2e")
sys.dont_write_bytecode = True
import truth    # noqa: E402

quern = os.path.abspath(os.environ.get("QUERN", top + "/build/release/quern"))
environ = dict(os.environ, PERL_HASH_SEED="0", PERL_PERTURB_KEYS="0")
LIST = "functions | show obj, file, fn, calls, self | sort fn, file, obj | as tsv"
wrong = 0


def sh(*argv, **more):
    return subprocess.run(argv, env=environ, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, **more)


def ask(path, query):
    return sh(quern, path, "--no-index-write", "--no-init", "--raw", "-q", "-c", query, check=True).stdout.decode("utf-8", "surrogateescape")


def measure(name, argv):
    global wrong
    for f in ("true", "plain", "stacks"):
        if os.path.exists(f):
            os.unlink(f)
    sh("setarch", "-R", "valgrind", "-q", "--tool=callgrind", "--callgrind-out-file=true", "--separate-callers=100", *argv)
    true = truth.of_contexts("true")
    sh("setarch", "-R", quern, "record", "-o", "plain", "-q", "--", *argv)
    rows = [("plain", "plain", "")]
    for size in "3x", "10x":
        said = sh("setarch", "-R", quern, "record", "--no-init", "-o", "stacks" + size, "--stacks", "--size", size, "-c", "info", "--", *argv).stderr.decode()
        rows.append((size, "stacks" + size, said))
    for size, path, said in rows:
        figures = truth.Figures(true, truth.stacks(ask(path, "calltree max 200000 | as folded")), direct=False)
        proven = float((re.search(r"([\d.]+) % of the cost is on", said) or [0, 0])[1])    # 0: it is not said of one run
        note = ""
        if len({ask(p, "functions | show self | sum | as tsv") for p in (path, "plain")}) > 1:
            note = ", a run of another cost"
        elif ask(path, LIST) != ask("plain", LIST):
            note = ", OTHER FUNCTIONS"
        if proven > 100 * figures.overlap:
            note += ", MORE PROVEN THAN TRUE"
        wrong |= "OTHER" in note or "MORE" in note
        print("%-12s %-5s x%5.2f  overlap %5.1f %%  frame error %4.1f %%  proven %4.1f %%%s" % (
            name, size, os.path.getsize(path) / os.path.getsize("plain"), 100 * figures.overlap, 100 * figures.frame_error, proven, note), flush=True)


def programs():
    """(name, argv) of those that can be made here."""
    if shutil.which("perl"):
        yield "Perl", ["perl", top + "/tests/fixtures/truth/perl.pl"]
    where = os.environ.get("SQLITE")
    flags = ["-O1", "-g", "-fno-inline"]
    if where and sh("gcc", *flags, "-DSQLITE_THREADSAFE=0", "-DSQLITE_OMIT_LOAD_EXTENSION", "-I" + where, where + "/sqlite3.c",
                    top + "/tests/fixtures/truth/sqlite.c", "-o", "sqlite", "-lm").returncode == 0:
        yield "SQLite", ["./sqlite"]
    if shutil.which("g++") and sh("g++", *flags, here + "/work/expressions.cc", "-o", "expressions").returncode == 0:
        yield "C++", ["./expressions"]
    if shutil.which("gcc"):
        cc1 = sh("gcc", "-print-prog-name=cc1").stdout.decode().strip()
        if os.path.isabs(cc1) and sh("gcc", "-E", here + "/work/free.c", "-o", "free.i").returncode == 0:
            yield "cc1", [cc1, "-quiet", "-O1", "free.i", "-o", "free.s"]


os.chdir(tempfile.mkdtemp(prefix="quern-stacks-"))
for name, argv in [(sys.argv[2], sys.argv[2:])] if sys.argv[1:2] == ["--"] else programs():
    measure(name, argv)
shutil.rmtree(os.getcwd())
sys.exit(1 if wrong else 0)
