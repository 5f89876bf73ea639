"""cachegrind with its options, cg_merge, and cg_diff (refused): cg_annotate's totals."""
import re

from make_callgrind import BUILD
from producer import number, version

VARIANTS = [
    ("default", ""),
    ("branch", "--branch-sim=yes"),
    ("branch-only", "--cache-sim=no --branch-sim=yes"),
    ("instructions", "--cache-sim=no"),    # the default of valgrind 3.21 and later
]
CELL = re.compile(r"[\d,.]+(?= +\(| |$)")


def annotated(text, events):
    """PROGRAM TOTALS, and self costs of the first event by FILE:NAME."""
    totals, selfs, below = {}, {}, False
    for line in text.splitlines():
        if line.startswith("-- "):
            break
        below |= "file:function" in line
        row = re.match(r"^ *([\d,]+(?: +[\d,.]+)*) +(\S.*)$", line)
        if not row:
            continue
        numbers = [number(n) for n in row[1].split()]
        if "PROGRAM TOTALS" in row[2]:
            totals = dict(zip(events, numbers))
        elif below:
            selfs[row[2]] = selfs.get(row[2], 0) + numbers[0]
    return totals, selfs


def report(box, out):
    with open(out) as f:
        events = next(line.split()[1:] for line in f if line.startswith("events:"))
    # One run for every event: the list ends where the first column is complete.
    said = box.run("cg_annotate", "--threshold=0", "--show-percs=no", "--auto=no", out,
                   cwd="/usr")
    return annotated(said, events)


def make(box):
    box.need("valgrind", "valgrind")
    box.need("cg_annotate", "valgrind")
    box.need("gcc", "gcc")
    for source in ("free.c", "free.h", "other.c"):
        box.source(source)
    box.shell(BUILD)
    for name, options in VARIANTS:
        out = box.path("cachegrind-%s.out" % name)
        box.shell("valgrind --tool=cachegrind --cachegrind-out-file=%s %s ./free" % (out, options))
        totals, selfs = report(box, out)
        box.add(out, "valgrind --tool=cachegrind %s ./free" % options, "cg_annotate", totals,
                by="line's file", selfs=selfs)
    out = box.path("cachegrind-merged.out")
    box.run("cg_merge", "-o", out, box.path("cachegrind-default.out"),
            box.path("cachegrind-default.out"))
    totals, selfs = report(box, out)
    box.add(out, "cg_merge of one file twice", "cg_annotate", totals, by="line's file",
            selfs=selfs)
    return version(box.run("valgrind", "--version"))
