"""callgrind with its options, on work/free.c: callgrind_annotate's totals and self costs."""
import os
import re

from producer import Skip, number, version

BUILD = ("gcc -g -O1 -fno-optimize-sibling-calls -fno-stack-protector -nostdlib -static "
         "-o free free.c other.c")
# name, options; all but the threads are of the program without libc.
VARIANTS = [
    ("plain", ""),
    ("instr", "--dump-instr=yes"),
    ("no-line", "--dump-instr=yes --dump-line=no"),
    ("no-positions", "--dump-line=no"),
    ("jumps", "--collect-jumps=yes"),
    ("instr-jumps", "--dump-instr=yes --collect-jumps=yes"),
    ("bb", "--dump-bb=yes"),
    ("cache", "--cache-sim=yes"),
    ("cache-wb-hw", "--cache-sim=yes --simulate-wb=yes --simulate-hwpref=yes"),
    ("cacheuse", "--cacheuse=yes"),
    ("branch", "--branch-sim=yes"),
    ("all-events", "--cache-sim=yes --branch-sim=yes --collect-bus=yes --collect-systime=yes"),
    ("systime-nsec", "--collect-systime=nsec"),
    ("bus", "--collect-bus=yes"),
    ("callers2", "--separate-callers=2"),
    ("callers-fn", "--separate-callers2=sorted --separate-callers3=next"),
    ("recs0", "--separate-recs=0"),
    ("recs1", "--separate-recs=1"),
    ("recs10", "--separate-recs=10"),
    ("recs-fn", "--separate-recs4=fib"),
    ("skip-direct-rec", "--skip-direct-rec=yes"),
    ("fn-skip", "--fn-skip=a --fn-skip=c"),
    ("fn-group", "--fn-group1=a --fn-group1=b --fn-group1=c"),
    ("no-compress", "--compress-strings=no --compress-pos=no"),
    ("no-compress-strings", "--compress-strings=no"),
    ("no-compress-pos", "--compress-pos=no --dump-instr=yes"),
    ("compress-mangled", "--separate-callers=3 --compress-mangled=yes"),
    ("nodemangle", "--demangle=no"),
    ("toggle", "--toggle-collect=sorted"),
    ("dump-before", "--combine-dumps=yes --dump-before=fib"),
    ("dump-after", "--combine-dumps=yes --dump-after=work"),
    ("dump-after-instr", "--combine-dumps=yes --dump-after=work --dump-instr=yes --collect-jumps=yes"),
    ("zero-before", "--zero-before=c"),
    ("every-bb", "--combine-dumps=yes --dump-every-bb=1000"),
    ("every-bb-nocompress", "--combine-dumps=yes --dump-every-bb=1000 --compress-strings=no"),
    ("instr-atstart-no", "--instr-atstart=no"),
    ("collect-atstart-no", "--collect-atstart=no"),
    ("threads-combine", "--separate-threads=yes --combine-dumps=yes"),
]
ROW = re.compile(r"^ *([\d,.]+(?: +[\d,.]+)*) +(\S.*)$")


def annotated(text):
    """Self cost of the first event by "FILE:NAME", all that it lists."""
    selfs, below = {}, False
    for line in text.splitlines():
        row = ROW.match(line)
        if line.startswith("-- "):
            break
        below |= "file:function" in line
        if row and below:
            key = re.sub(r" \[[^\]]*\]$", "", row[2])
            selfs[key] = selfs.get(key, 0) + number(row[1].split()[0])
    return selfs


def once(by_key):
    """By function's name, where it is of one file."""
    names = [key.rpartition(":")[2] for key in by_key]
    return {name: cost for name, cost in zip(names, by_key.values()) if names.count(name) == 1}


def written(path):
    """The sums of the file's own totals: lines by event, and whether some call has count 0."""
    sums, events, open_calls = {}, [], False
    with open(path, errors="surrogateescape") as f:
        for line in f:
            key, _, rest = line.partition(":")
            if key == "events":
                events = rest.split()
            elif key == "totals":
                for event, cost in zip(events, rest.split()):
                    sums[event] = sums.get(event, 0) + int(cost)
            open_calls |= line.startswith("calls=0 ")
    return sums, open_calls


def one(box, name, options):
    out = box.path("callgrind-%s.out" % name)
    program = "./thr" if name.startswith("threads") else "./free"
    command = "valgrind --tool=callgrind %s %s" % (options, program)
    box.shell("%s" % command.replace("callgrind ", "callgrind --callgrind-out-file=%s " % out, 1))
    if not os.path.exists(out) or not os.path.getsize(out):
        raise Skip("it wrote nothing")
    totals, open_calls = written(out)
    report, selfs, incl, note = "totals: lines", {}, {}, ""
    if open_calls:
        note = "callgrind_annotate takes the cost of a calls=0 for self cost"
    elif "compress-mangled" in options:
        note = "callgrind_annotate shows such names unresolved"
    else:
        # Away from the profiled directory, which it would cut off the names.
        annotate = ["callgrind_annotate", "--threshold=100", "--show-percs=no", "--auto=no", out]
        said = box.run(*annotate, cwd="/usr", check=False)
        selfs = annotated(said)
        incl = once(annotated(box.run(*annotate, "--inclusive=yes", cwd="/usr", check=False)))
        report += ", callgrind_annotate"
        if name.startswith("threads"):
            incl, note = {}, "callgrind_annotate loses calls of the second header in a file"
        if not selfs and "ERROR" in said.upper() or "too many" in said:
            note = "callgrind_annotate: " + said.strip().splitlines()[-1]
    box.add(out, command, report, totals, by="line's file", selfs=selfs, incl=incl,
            note=note)


def make(box):
    box.need("valgrind", "valgrind")
    box.need("callgrind_annotate", "valgrind")
    box.need("gcc", "gcc")
    for source in ("free.c", "free.h", "other.c", "thr.c"):
        box.source(source)
    box.shell(BUILD)
    box.shell("gcc -g -O1 -o thr thr.c -lpthread")
    for name, options in VARIANTS:
        try:
            one(box, name, options)
        except Skip as why:
            box.skip(name, why)
    return version(box.run("valgrind", "--version"))
