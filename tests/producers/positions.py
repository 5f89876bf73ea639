#!/usr/bin/env python3
"""positions.py - one run written with positions as differences and in full is one profile.

    tests/producers/positions.py [--fixtures]

callgrind writes a position as its difference to the last cost line (--compress-pos=yes) or in
full (no).  In the dumps of a run many lines have no cost line of their place in front of them, so a
reader that takes another line for the last one is wrong there, and nothing else tells it so.
Each pair is work/dumps.c with other options; every table of the two has to be the same, byte
for byte.  --fixtures keeps the pairs of KEPT in tests/fixtures/positions, which
tests/e2e/positions.t compares on every run.

Needs valgrind and gcc.
"""
import lzma
import os
import re
import shutil
import subprocess
import sys
import tempfile

from producer import Box, Skip

top = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
FIXTURES = top + "/tests/fixtures/positions"

PROGRAM = "gcc -g -O1 -fno-optimize-sibling-calls -fno-stack-protector -nostdlib -static -o dumps dumps.c"
PAIRS = {
    "plain": "",
    "jumps": "--collect-jumps=yes",
    "instr-jumps": "--dump-instr=yes --collect-jumps=yes",
    "instr-only": "--dump-instr=yes --dump-line=no --collect-jumps=yes",
    "bb": "--dump-bb=yes",
    "bb-instr": "--dump-bb=yes --dump-instr=yes",
    "cache": "--dump-instr=yes --cache-sim=yes --branch-sim=yes",
    "callers": "--separate-callers=3",
    "callers-jumps": "--separate-callers=2 --collect-jumps=yes",
    "mangled": "--separate-callers=3 --compress-mangled=yes",
    "recs": "--separate-recs=10",
    "recs-callers": "--separate-recs=3 --separate-callers=2",
    "strings": "--compress-strings=no",
    "zero": "--zero-before=odd",
    "before": "--dump-before=leaf",
    "after": "--dump-after=deep --collect-jumps=yes",
    "toggle": "--toggle-collect=even",
    "skip": "--fn-skip=even --skip-direct-rec=yes",
}
KEPT = ["before", "jumps", "instr-jumps", "cache", "callers-jumps", "recs-callers", "zero"]
TABLES = "events functions edges lines callsites part_functions part_edges".split()
PARTS = 4    # of each profile, whose lines are read again one by one


def tables(quern, path):
    """Every table of the profile, by its name or query: sorted lines of CSV, or why there are none."""
    with tempfile.TemporaryDirectory() as tmp:
        def ask(query):
            # A name of its own: it stands in every row of an export.
            done = subprocess.run([quern, "-q", "--no-init", "--index", tmp + "/i.quern", "p=" + path,
                                   "--format", "csv", "-c", query], stdin=subprocess.DEVNULL,
                                  stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=300)
            return done.stdout.splitlines()

        told = {"export": ask(".export %s/all csv %s" % (tmp, " ".join(TABLES)))}
        for name in TABLES:
            with open("%s/all/%s.csv" % (tmp, name), "rb") as f:
                told[name] = sorted(re.sub(rb"^p,r\w+,", b"p,", line) for line in f)    # without the run
        parts = [line.split(b",")[0].decode() for line in ask("parts")[1:]]
        for part in [""] + ["part %s | " % p for p in parts[:PARTS]]:
            for rows in ("lines", "callsites", "jumps"):
                told[part + rows] = sorted(ask("contexts | " + part + rows))
    return told


def differences(a, b):
    """Where two profiles' tables differ: lines of text."""
    said = []
    for name in a:
        if a[name] != b[name]:
            one, other = [x for x in a[name] if x not in b[name]], [x for x in b[name] if x not in a[name]]
            said.append("%s: %d of %d rows" % (name, max(len(one), len(other)), len(a[name])))
            said += ["  %s" % line for line in one[:2] + other[:2]]
    return said


def keep(name, variant, path):
    """A copy with the directory it was made in written as /build."""
    with open(path, "rb") as f:
        text = f.read().replace(os.path.dirname(path).encode(), b"/build")
    with lzma.open("%s/%s-%s.out.xz" % (FIXTURES, name, variant), "wb") as f:
        f.write(text)


def main():
    box, wrong = Box(tempfile.mkdtemp(prefix="quern-positions-")), 0
    quern = os.path.abspath(os.environ.get("QUERN", top + "/build/release/quern"))
    try:
        box.need("valgrind", "valgrind")
        box.need("gcc", "gcc")
        for source in ("dumps.c", "dumps.h"):
            box.source(source)
        box.shell(PROGRAM)
    except Skip as why:
        sys.exit("positions: %s" % why)
    for name, options in PAIRS.items():
        told = []
        for variant in ("yes", "no"):
            path = box.path("%s-%s.out" % (name, variant))
            box.shell("valgrind --tool=callgrind --combine-dumps=yes --compress-pos=%s %s "
                      "--callgrind-out-file=%s ./dumps" % (variant, options, path))
            told.append(tables(quern, path))
            if "--fixtures" in sys.argv and name in KEPT:
                keep(name, variant, path)
        said = differences(*told)
        print("%-14s %6d lines  %s" % (name, len(told[0]["lines"]) - 1, "WRONG" if said else "the same"))
        print("".join("    %s\n" % line for line in said), end="")
        wrong += bool(said)
    shutil.rmtree(box.dir)
    sys.exit(wrong > 0)


if __name__ == "__main__":
    main()
