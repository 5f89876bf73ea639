"""KCachegrind's op2calltree and memprof2calltree, whose profilers Debian has no more: on reports
written by hand in their format (work/opreport.txt, work/memprof.txt), whose sums are known.

Not here: pprof2calltree (PHP's APD), which PHP 8 no longer runs.
"""
import re


def opreport(path):
    """Samples of both events by function and in all: the lines below each symbol."""
    totals, selfs, name = [0, 0], {}, None
    for line in open(path):
        row = re.match(r"( *)[0-9a-f]{8} +(\d+) +[\d.]+ +(\d+) +[\d.]+ +(.*)$", line)
        if row and not row[1]:
            name = row[4].split()[-1]
        elif row:
            totals = [totals[0] + int(row[2]), totals[1] + int(row[3])]
            selfs[name] = selfs.get(name, 0) + int(row[2])
    return totals, selfs


def memprof(path):
    selfs, name = {}, None
    for line in open(path):
        if not line.startswith(" "):
            name = line.strip()
        elif line.startswith("  self:"):
            selfs[name] = int(line.split()[1])
    return selfs


def make(box):
    box.need("op2calltree", "kcachegrind-converters")
    box.source("opreport.txt")
    box.source("memprof.txt")
    box.shell("op2calltree <opreport.txt")
    box.shell("mv oprof.out.app op2calltree.out")
    (cycles, misses), selfs = opreport(box.path("opreport.txt"))
    box.add(box.path("op2calltree.out"), "op2calltree", "the report it converts",
            {"CPU_CLK_UNHALTED": cycles, "L2_MISS": misses}, selfs=selfs)
    out = box.path("memprof2calltree.out")
    box.shell("memprof2calltree memprof.txt >%s" % out)
    selfs = memprof(box.path("memprof.txt"))
    box.add(out, "memprof2calltree", "the report it converts",
            {"Allocated": sum(selfs.values())}, selfs=selfs)
    return box.shell("dpkg-query -W -f '${Version}' kcachegrind-converters")
