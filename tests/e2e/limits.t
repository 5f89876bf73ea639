#!/usr/bin/env python3
"""limits.t - what a query may take: each limit is an error that names it, never a short list.

And each can be raised, by --limit or .limit.
"""
import shutil

from e2e import done, ok, run, same, small

shutil.copy(small + "lua-default.out", "p")


def refused(args, *words, partial=False):
    r = run("p", "-q", *args)
    ok(r.status == 6 and "hint:" in r.talk and all(w in r.talk for w in words) and (partial or not r.text),
       "%s is a limit" % " ".join(a[:40] for a in args), r)


def answered(args, text):
    r = run("p", "-q", "--format", "csv", *args)
    same((r.status, r.text.splitlines()[1] if r.status == 0 else r.talk), (0, text),
         "%s is answered" % " ".join(a[:40] for a in args))


deep = "functions | where %sself > 1M%s | count" % ("(" * 210, ")" * 210)
nots = "find %smain" % ("not " * 210)
long = "functions | where fn in (%s) | count" % ", ".join('"name %d"' % i for i in range(6000))
refused(["-c", "functions | count", "--limit", "rows=100"], "more than 100 rows", "--limit rows=")
refused(["-c", "lines", "--limit=rows=1000"], "more than 1,000 rows")
refused(["-c", "calltree from main depth all", "--limit", "rows=20"], "rows")
refused(["-c", "all paths from main to malloc", "--limit", "rows=20"], "rows")
refused(["-c", "lines", "--limit", "memory=1M"], "out of memory", "limit is 1 MiB")
refused(["-c", deep], "nested more than 200 deep", "--limit nesting=")
refused(["-c", nots], "nested more than 200 deep")
refused(["-c", long], "the limit is 65536", "--limit text=")
refused(["-c", ".limit rows 5", "-c", "functions"], "more than 5 rows")
answered(["-c", deep, "--limit", "nesting=300"], "0")
answered(["-c", long, "--limit", "text=1M"], "0")
answered(["-c", ".limit nesting=300", "-c", deep], "0")
answered(["-c", ".limit rows 5", "-c", "cycles | count"], "3")
answered(["-c", ".limit rows 5", "-c", ".limit rows 1k", "-c", "functions | count"], "692")
answered(["--limit", "nesting=1000", "-c",
          "functions | where %sself > 1M%s | count" % ("(" * 990, ")" * 990)], "0")

r = run("p", "-q", stdin=b".limit\n")
same([line.split()[0] for line in r.text.splitlines()], "rows seconds memory text nesting".split(), ".limit lists them")
same([line.split()[1] for line in r.text.splitlines()], ["10,000,000", "60", "536,870,912", "65,536", "200"],
     "the defaults")
for wrong, what in (("foo=3", "rows seconds memory"), ("rows=0", "from 1 to"), ("rows=x", "from 1 to"),
                    ("rows", "from 1 to"), ("nesting=1001", "to 1000"), ("rows=-1", "from 1"), ("", "rows seconds")):
    r = run("p", "-q", "--limit", wrong, "-c", "top 1")
    ok(r.status == 2 and what in r.talk, "--limit %s is refused" % wrong, r)
done()
