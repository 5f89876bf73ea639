#!/usr/bin/env python3
"""many_rows.t - answers of more rows than are held at a time, in every format of rows and stacks."""
import gzip

from e2e import done, ok, protobuf_fields, run, same

# Pairs: an odd function calls the even one before it.  Costs are a permutation, so that the order by cost has nothing to do with that of the index.
N = 270000
STEP = 104729  # prime


def name(i):
    return 'f%06d, "q"' % i if i % 1000 == 1 else "_Z%d%s" % (len("g%06d" % i), "g%06dv" % i) if i % 1000 == 2 else "ns::f%06d(int)" % i


def shown(i):
    return "g%06d()" % i if i % 1000 == 2 else name(i)


def self_cost(i):
    return (i * STEP) % N + 1


with open("many.out", "w") as f:
    f.write("version: 1\nevents: Ir\n")
    for i in range(N):
        f.write("\nob=o%d\nfl=d/%d.c\nfn=%s\n%d %d\n" % (i % 7, i % 100, name(i), i % 50 + 1, self_cost(i)))
        if i % 2:
            f.write("cob=o%d\ncfi=d/%d.c\ncfn=%s\ncalls=%d %d\n60 %d\n" % ((i - 1) % 7, (i - 1) % 100, name(i - 1), i % 3 + 1, (i - 1) % 50 + 1, self_cost(i - 1)))


def ask(query, text=True):
    r = run("many.out", "-q", "-c", query)
    ok(r.status == 0, query, r.talk[:500])
    return r.text if text else r.out


def first_difference(got, want, name):
    """As same(), of long texts: only the first lines that differ are shown."""
    got, want = got.splitlines(), want.splitlines()
    same((len(got), [p for p in zip(got, want) if p[0] != p[1]][:2]), (len(want), []), name)


COLUMNS = "id self incl calls fn file line obj cycle contribution incoming lo hi".split()
number = {i: n for n, i in enumerate(sorted(range(N), key=name))}
order = sorted(range(N), key=self_cost, reverse=True)


def row(i):
    incl = self_cost(i) + (self_cost(i - 1) if i % 2 else 0)
    calls, incoming = (0, 0) if i % 2 else ((i + 1) % 3 + 1, incl)
    return [number[i], self_cost(i), incl, calls, shown(i), "d/%d.c" % (i % 100), i % 50 + 1, "o%d" % (i % 7), "", incl, incoming, incl, incl]


def quoted(cell):
    return '"%s"' % cell.replace('"', '""') if isinstance(cell, str) and "," in cell else str(cell)


def as_json(cell):
    return '"%s"' % cell.replace('"', '\\"') if cell and isinstance(cell, str) else str(cell) or "null"


rows = [row(i) for i in order]
SHOW = "functions | show " + ", ".join(COLUMNS)
for form, cell, between in ("csv", quoted, ","), ("tsv", str, "\t"):
    want = "\n".join(between.join(map(cell, r)) for r in [COLUMNS] + rows)
    first_difference(ask(SHOW + " | as " + form), want, form)
want = ["{%s}" % ",".join('"%s":%s' % (c, as_json(v)) for c, v in zip(COLUMNS, r)) for r in rows]
first_difference(ask(SHOW + " | as ndjson"), "\n".join(want), "ndjson")

# All columns, computed for all rows at once or page by page.
whole = ask("functions | as csv").splitlines()
same(whole[:301], ask("functions | take 300 | as csv").splitlines(), "all rows begin as the first alone")
same(whole[-1], ask("functions | sort self asc | take 1 | as csv").splitlines()[1], "and end as the last alone")
same(len(whole), N + 1, "and are all there")

# Another order, and so many rows that they are not held page by page.
want = sorted(r[9] for r in rows)
same(list(map(int, ask("functions | sort contribution asc | show contribution | as csv").split()[1:])), want, "sorted by contribution")
# No function is in a cycle: none has the first key, whatever its cost is.
for some in "", "take 5 | ":
    got = ask("functions | sort cycle + self, id | %sshow id | as csv" % some).split()[1:]
    same(list(map(int, got)), list(range(N - 1, N - 1 - len(got), -1)), "rows without the first key are in the order of the second")
# Equal first keys: the rows that may be the first ones are all, and not held twice.
r = run("many.out", "-q", "--limit", "memory=16M", "-c", "functions | sort calls * 0, id | take 3 | show id | as csv")
same((r.status, r.text.split()), (0, ["id"] + [str(N - i) for i in (1, 2, 3)]), "the first of many equal rows")
want = [str(r[1]) for r in rows if r[6] < 12]
same(ask("functions | where line < 12 | show self | as csv").split()[1:], want, "a part of the rows")

first_difference(ask("functions | as folded"), "\n".join("%s %d" % (r[4], r[1]) for r in rows), "folded")
fields = list(protobuf_fields(gzip.decompress(ask("functions | as pprof", text=False))))
strings = [v.decode() for k, v in fields if k == 6]
names = [strings[dict(protobuf_fields(v))[2]] for k, v in fields if k == 5]
same((strings[0], names), ("", [r[4] for r in rows]), "pprof: the names")
same(sum(k == 2 for k, _ in fields), N, "pprof: the samples")

with open("again.callgrind", "w") as f:
    f.write(ask("functions | as callgrind"))
# Calls of inlined code have no count, some others 0: what is absent is last, also of the first ones.
with open("absent.out", "w") as f:
    f.write("events: Ir\n")
    for i in range(4000):
        f.write("fl=a.c\nfn=f%d\n1 5\nfi=b.h\n3 7\nfe=a.c\n4 1\n" % i)
        if i >= 3990:
            f.write("cfn=f%d\ncalls=0 1\n5 0\n" % (i * 7 % 3900))
by_calls = [run("absent.out", "-q", "-c", "with inlined | calls | sort calls%s | show calls, caller | as csv" % take).text.splitlines()[1:] for take in ("", " | take 12")]
same(by_calls[1], by_calls[0][:12], "the first by a key that is absent or 0")

few = "functions | sort fn | take 2000 | as csv"
same(run("again.callgrind", "-q", "-c", few).text, ask(few), "callgrind: read again, the same functions")
html = ask("functions | as html")
# A condition that calls cannot meet leaves out their sites unread; "not" hides it.
for source, bounds, hidden in (("callsites", "calls >= 3 and incl > 200000", "not (calls < 3) and not (incl <= 200000)"),
                               ("callsites from /7/ to /8/", "calls > 2 * caller_calls", "not (calls <= 2 * caller_calls)"),
                               ("callsites", "calls > 3", "not (calls <= 3)"), ("callsites to /9/", "incl >= 269000", "not (incl < 269000)")):
    some, same_rows = [ask("%s | where %s | as csv" % (source, c)) for c in (bounds, hidden)]
    same(some, same_rows, "%s | where %s: %d rows" % (source, bounds, some.count("\n")))
ok("Left out: the " in html and shown(order[0]) in html, "html: a report of the costliest")
done()
