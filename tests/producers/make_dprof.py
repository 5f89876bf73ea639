"""Perl's Devel::DProf through KCachegrind's dprof2calltree, beside dprofpp."""
import re

from producer import Skip


def make(box):
    box.need("dprof2calltree", "kcachegrind-converters")
    box.need("dprofpp", "libdevel-dprof-perl")
    box.source("work.pl")
    box.run("perl", "-d:DProf", "work.pl")
    box.run("dprof2calltree", "-f", "tmon.out")
    box.shell("mv cachegrind.out.tmon.out dprof.callgrind")
    said = box.run("dprofpp", "-O", "1000", "-r", "tmon.out", check=False)
    calls = {row[1].removeprefix("main::"): int(row[0]) for row in
             re.findall(r"^ *\S+ +\S+ +\S+ +(\d+) +\S+ +\S+ +(\S+)$", said, re.M)}
    if not calls:
        raise Skip("dprofpp said " + said[:200])
    box.add(box.path("dprof.callgrind"), "perl -d:DProf work.pl; dprof2calltree", "dprofpp",
            {}, calls={k: n for k, n in calls.items() if k not in ("run", "BEGIN")},
            note="its clock is too coarse for costs; calls from outside subs are not in the file")
    return re.search(r"[\d.]+", box.run("dprofpp", "-V"))[0]
