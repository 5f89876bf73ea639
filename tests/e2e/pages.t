#!/usr/bin/env python3
"""pages.t - answers of many rows: they go out page by page, so that memory stays bounded.

A page is 16,384 rows; answers of more than 262,144 rows are not held as a whole.
"""
import csv
import io
import json
import os
import subprocess

from e2e import done, environ, ok, run, same, skip_all, top

gen = os.environ.get("QUERN_BUILD", top + "/build/release") + "/bench/gen"
if not os.path.exists(gen):
    skip_all("bench/gen is not built")
subprocess.run([gen, "--functions", "5000", "--bytes", "4M", "--events", "2", "-o", "p"], check=True, env=environ)


def ask(query, *args):
    r = run("p", "-q", "--format", "csv", *args, "-c", query)
    if r.status:
        return [r.status, r.talk]
    return list(csv.reader(io.StringIO(r.text, newline="")))


rows = ask("lines")
head, rows = rows[0], rows[1:]
n = int(ask("lines | count")[1][0])
ok(n > 263000 and len(rows) == n, "every row of %d is written" % n, len(rows))
self = head.index("self")
same(sum(int(r[self]) for r in rows), int(ask("functions | sum")[1][0]), "they add up to the whole")
ok(all(int(a[self]) >= int(b[self]) for a, b in zip(rows, rows[1:])), "the costliest first, across pages")
same(ask("lines | take 70000")[1:], rows[:70000], "a part of it is the same rows")
for at in (65530, 262140, n - 5):
    same(ask("lines | skip %d | take 10" % at)[1:], rows[at:at + 10], "rows from %d on" % at)
more = ask("lines | add twice = 2 * self | where line > 0 | show line, twice, self")[1:]
ok(len(more) > 263000 and all(int(r[1]) == 2 * int(r[2]) for r in more), "columns of stages are paged, too")
line = head.index("line")
same([(r[0], r[2]) for r in more], [(r[line], r[self]) for r in rows if r[line] not in ("", "0")], "with the same rows")
r = run("p", "-q", "-c", "lines | as json")
answer = json.loads(r.text)
same((answer["columns"], len(answer["rows"]), [[str(v) for v in row if v is not None] for row in answer["rows"][::97]]),
     (head, n, [[v for v in row if v] for row in rows[::97]]), "json")

for query in "lines", "lines | sort fn, line, self asc", "callsites":
    both = [run("p", "-q", "--jobs", jobs, "--format", "tsv", "-c", query).text for jobs in "12"]
    ok(both[0] == both[1] and len(both[0]) > 10000, "%s: one thread and two write the same" % query)
little = ask("lines", "--mem", "44M")
ok(len(little) == n + 1 and little[1:] == rows, "44 MiB are enough for %d rows of csv" % n, little[:2])
r = run("p", "-q", "--mem", "44M", "-c", "lines | as table")
ok(r.status == 6 and "as csv" in r.talk, "a table has to hold them all, and says what does not", r)
r = run("p", "-q", "--format", "csv", "-c", "lines", "-c", "_ | count")
ok(r.status == 6 and "too many to keep" in r.talk, "so many rows are not kept as _", r.talk)
# A function that has more than all: said of a result that is not held as a whole, too.
with open("above", "w") as f:
    f.write("events: Ir\nfn=main\n1 1\ncfn=f0\ncalls=1 1\n1 900000\n")
    f.writelines("fn=f%d\n1 1\n" % i for i in range(270000))
r = run("above", "--format", "csv", "-c", "functions")
ok("note: incl of 1 row is above the total" in r.talk, "a row above the total is said", r.talk)
r = run("above", "--format", "csv", "-c", "functions | show fn, self")
ok("above the total" not in r.talk, "but not where it is not shown", r.talk)

done()
