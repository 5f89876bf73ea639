#!/usr/bin/env python3
"""scale.t - what bench/scale measures at full size, small: the answers and the memory.

Profiles are bench/gen's, which writes their totals; the longest of each kind of thing that a
profile can have many of: parts, functions, events, bytes of a name, lines of one function.
"""
import os
import subprocess

from e2e import done, environ, ok, quern, same, skip_all, top

build = os.environ.get("QUERN_BUILD", top + "/build/release")
gen = build + "/bench/gen"
if not os.path.exists(gen):
    skip_all("no bench/gen")
MIB = 1 << 20
variant = os.environ.get("QUERN_VARIANT", "release")


def index(path, *args):
    """What is said of it, and the peak of resident bytes while it was indexed."""
    with open("said", "w+") as said:
        pid = subprocess.Popen([quern, path, "--rebuild", "--no-init"] + list(args), env=environ,
                               stdin=subprocess.DEVNULL, stdout=said, stderr=subprocess.STDOUT)
        _, status, usage = os.wait4(pid.pid, 0)
        pid.returncode = os.waitstatus_to_exitcode(status)
        said.seek(0)
        return pid.returncode, said.read(), usage.ru_maxrss * 1024


def info(text):
    return {line.split(None, 1)[0]: line.split(None, 1)[1].strip()
            for line in text.splitlines() if len(line.split(None, 1)) == 2}


def check(name, options, want, most=None, args=()):
    subprocess.run([gen, "-o", "big.out"] + options.split(), check=True)
    status, said, peak = index("big.out", "-q", "-c", "info", *args)
    told = info(said)
    ok(status == 0 and told.get("totals") == "agree with the sums" and told.get("diagnostics") == "0",
       name + ": sums agree with the totals, nothing was odd", said)
    same({k: told.get(k) for k in want}, want, name + ": all of it is there")
    same(told.get("input_bytes", "").replace(",", ""), str(os.path.getsize("big.out")), name + ": every byte was read")
    if most and variant == "release":
        beyond = peak - os.path.getsize("big.out")
        ok(beyond < most * MIB, "%s: at most %d MiB beyond the profile's own" % (name, most), beyond // MIB)
    status, said, _ = index("big.out", "-q", "--format", "tsv", "-c", "lines | sum | show self",
                            "-c", "functions | sum | show self", "-c", "parts | sum | show self")
    sums = set(line for line in said.splitlines() if line.isdigit())
    same(len(sums), 1, name + ": lines, functions and parts add up to the same")


check("4,000 parts", "--parts 4000 --functions 300 --bytes 12M", {"parts": "4,000", "functions": "300"})
check("30,000 functions", "--functions 30000 --edges 4 --parts 1 --bytes 4M", {"functions": "30,000"})
check("64 events", "--events 64 --functions 200 --bytes 6M", {"functions": "200"})
check("names of 4 KiB", "--name-bytes 4096 --functions 1000 --bytes 6M", {"functions": "1,000"})
# Entries of each thread took 110 MiB (index/tally/tally.c).
check("half a million lines again and again, --mem 32M", "--functions 20000 --edges 2 --parts 5 --bytes 24M",
      {"functions": "20,000", "parts": "5"}, 64, ("--mem", "32M", "--jobs", "2"))
# Entries of such a function took 112 MiB, and do so in the second of two blocks (index/tally/piece.h, index/detail/detail_run.h).
check("a million lines in one function", "--functions 2 --edges 1 --parts 1 --bytes 8M",
      {"functions": "2", "parts": "1"}, 80)
longest = info(index("big.out", "-q", "-c", "info")[1])
ok(int(longest["lines"].replace(",", "")) > 1500000, "there were more than a million", longest["lines"])
subprocess.run([quern, "big.out", "-q", "--no-init", "-c", ".export out csv lines"], env=environ, check=True)
with open("out/lines.csv") as f:
    rows = sum(1 for _ in f) - 1
same("{:,}".format(rows), longest["lines"], "and they are exported one by one")
done()
