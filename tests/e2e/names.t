#!/usr/bin/env python3
"""names.t - the settings about names: .demangle, --no-demangle, --rename."""
import csv
import re
import shutil
import subprocess

from e2e import build, done, fixtures, ok, run, same

shutil.copy(fixtures + "/names/shapes-cpp.out", "p")
shutil.copy(fixtures + "/moved/new.cg", "new")
shutil.copy(fixtures + "/moved/old.cg", "old")
PUSH, MANGLED = "geo::Vec<int>::push(int const&)", "_ZN3geo3VecIiE4pushERKi"


def ask(*args):
    r = run("p", "-q", "--format", "csv", *args)
    return r.text.splitlines()[1:] if r.status == 0 else [r.status, r.talk]


FIND = 'find "%s" | show fn' % MANGLED
same(ask("-c", FIND), [PUSH], "names are demangled")
same(ask("--no-demangle", "-c", FIND), [MANGLED], "--no-demangle leaves them")
same(ask("-c", ".demangle off", "-c", FIND), [MANGLED], ".demangle off, too")
same(ask("--no-demangle", "-c", ".demangle on", "-c", FIND), [PUSH], ".demangle on is the last word")
r = run("p", "-q", "-c", ".demangle maybe")
ok(r.status == 2 and "on or off" in r.talk, ".demangle maybe", r)
r = run("p", "-q", "-c", ".demangle")
ok(r.status == 0 and "demangle is on" in r.talk + r.text, ".demangle alone tells", r)
r = run("p", "-q", "-c", "functions > out.callgrind")
ok(r.status == 0 and MANGLED.encode() in open("out.callgrind", "rb").read(), "a callgrind file keeps them as recorded", r)
r = run("out.callgrind", "-q", "--format", "csv", "-c", FIND)
same(r.text.splitlines()[1:], [PUSH], "and quern reads it")
shutil.copy("p", "other")
r = run("-q", "--format", "csv", "-c", ".demangle off", "-c", ".open other", "-c", FIND)
same(r.text.splitlines()[1:], [MANGLED], "a profile opened later, too")

GONE = 'functions vs base | where change != "" | show fn'
r = run("new", "base=old", "-q", "--format", "csv", "--rename", "s,^/home/me/app/,/build/app-1.0/,", "--rename",
        "s,^/home/me/deps/lib/,/build/lib-2/,", "-c", GONE)
same(r.text.splitlines()[1:], ["new_only", "old_only"], "--rename joins files, too")

# Names are sorted: those that begin as no match does are skipped together, whichever these are.
subprocess.run([build + "/bench/gen", "--functions", "3000", "--bytes", "1M", "-o", "many"], check=True)
names = [next(csv.reader([line]))[0] for line in run("many", "-q", "--format", "csv", "-c", "functions | show fn").text.splitlines()[1:]]
for regex in ("^app::", "^(?:app::[c-f]|main)", "^(?!app::w)", "^z", "^(?:app::)?widget", "^$", "^[^a]|^app::a", "^\\w+::v(?=i)"):
    want = sum(re.search(regex, n) is not None for n in names)
    told = [run("many", "-q", "--format", "csv", "-c", q % regex).text.split()[-1:] for q in
            ("functions | where fn ~ /%s/ | count", "functions | where not (fn !~ /%s/) | count",
             "functions of /%s/ or #0 | where fn ~ /./ and not (id = 0 and fn !~ /" + regex + "/) | count")]
    same(told, [[str(want)]] * 3, "/%s/" % regex)
done()
