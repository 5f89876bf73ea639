#!/usr/bin/env python3
"""pair_memory.t - what pairs two profiles takes no more than --mem, and says what it needs."""
import re

from e2e import done, ok, run, same

N = 60000
for name, first in (("new.out", 1), ("old.out", 2)):
    with open(name, "w") as f:
        f.write("events: Ir\nob=prog\n")
        f.writelines("fl=f%d.c\nfn=some_function_%d\n%d %d\n" % (i % 500, i, i, i + (i == first)) for i in range(N))
query = ("new.out", "base=old.out", "-q", "-c", "functions vs base | where delta != 0 | show fn, delta | as csv")
want = run(*query)
ok(want.status == 0 and "some_function_1,1" in want.text, "with the usual limit", want)
r = run(*query, "--mem", "1M")
needs = re.search(r"takes (\d+) MiB \(the limit is 1 MiB\).*--mem", r.talk, re.S)
ok(r.status == 6 and not r.out and needs, "with 1 MiB: what it takes, and the option", r)
r = run(*query, "--mem", "%dM" % (int(needs.group(1)) + 2))
same((r.status, r.out), (0, want.out), "with what it says and a little more: the answer")
for mem in ("--mem=2M", "--mem=5M"):
    r = run(*query, mem)
    ok(r.status == 6 and "--mem" in r.talk and not r.out, mem + ": refused", r)

# Long texts come on top: names that --rename makes, places.
with open("places.out", "w") as f:
    f.write("events: Ir\n")
    f.writelines("fl=/%s/%d.c\nfn=f\n1 1\n" % ("d" * 40, i) for i in range(N))
r = run("places.out", "base=new.out", "-q", "-c", "functions vs base | count", "--mem", "9M")
ok(r.status == 6 and "comparing takes more than the limit of 9 MiB" in r.talk, "many places", r)
r = run("new.out", "base=old.out", "-q", "--rename", "s/^/%s/" % ("a" * 200), "-c", "functions vs base | count", "--mem", "10M")
ok(r.status == 6 and "comparing takes more" in r.talk, "long names by --rename", r)
done()
