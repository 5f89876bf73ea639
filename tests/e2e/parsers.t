#!/usr/bin/env python3
"""parsers.t - PARSERS.md: each line answers what is wanted, and the script it warns of is wrong.

A file is made for each row.  What it holds is known, since it is written here; the script reads it
with the one mistake that the row names.
"""
import csv
import io
import re

from e2e import done, ok, run, same, top

HEAD = "# callgrind format\nversion: 1\ncreator: callgrind-3.19.0\npid: 1\ncmd: ./app\npart: 1\npositions: line\nevents: %s\n"
with open(top + "/repl/PARSERS.md", encoding="utf-8") as f:
    page = f.read()
rows = {cells[1].strip(): cells[2:4] for cells in (re.split(r"(?<!\\)\|", line) for line in page.splitlines() if line.startswith("| ") and "`quern " not in line)}
tested = set()


def reads(text, wrong):
    """What a script of a dozen lines finds, without mistakes or with one of the page's."""
    names, base, fn, file, fl, called, events, callee = {}, 0, None, None, None, None, [], None
    got = {"wrong": wrong, "total": 0, "self": {}, "incl": {}, "calls": {}, "edges": {}, "lines": {}, "self_of": {}}

    def name(text, defines=True):
        m = re.match(r"(\(\d+\))(?: (.*))?$", text)
        if not m:
            return text
        if m[2] and defines and not (wrong == "several dumps, threads" and m[1] in names):
            names[m[1]] = m[2]
        return names.get(m[1], m[1])

    for line in text.splitlines():
        key, _, value = line.partition("=")
        if line.startswith("events: ") and not (wrong == "several dumps, threads" and events):
            events = line.split()[1:]
        elif line.startswith("part: "):
            base = 0
        elif key in ("fl", "fi", "fe"):
            file = name(value)
            fl = file if key == "fl" else fl
        elif key == "fn":
            fn, file = name(value), fl
        elif key == "cfi" and wrong == "who calls it":
            file = name(value)
        elif key == "cfn":
            callee = name(value, wrong != "names")
        elif key == "calls":
            called = int(value.split()[0])
        elif re.match(r"[-+*\d]", line):
            words = line.split()
            number = base if words[0] == "*" else base + int(words[0]) if words[0][0] in "+-" else int(words[0])
            costs = [int(w) for w in words[1:]]
            cost = costs[-1] if wrong == "another event" else dict(zip(events, costs)).get(EVENT, 0)
            if not called or wrong == "lines":
                base = number
            if called and wrong not in ("the total", "cost of each function"):
                if fn != callee or wrong == "inclusive cost":
                    got["incl"][fn] = got["incl"].get(fn, 0) + cost
                got["calls"][callee] = got["calls"].get(callee, 0) + (1 if wrong == "how often" else called)
                edge = (file, fn, callee)
                got["edges"][edge] = got["edges"].get(edge, 0) + called
            else:
                got["total"] += cost
                got["self"][fn] = got["self"].get(fn, 0) + cost
                got["self_of"][fn, file] = got["self_of"].get((fn, file), 0) + cost
                got["incl"][fn] = got["incl"].get(fn, 0) + cost
                got["lines"][fn, number] = got["lines"].get((fn, number), 0) + cost
            called = None
    return got


def row(what, events, body, answer, of, **names):
    """answer(rows of the page's query) is what of(what the script finds) should be."""
    global EVENT
    tested.add(what)
    EVENT = names.pop("event", events.split()[0])
    if not ok(what in rows, what + ": there is such a row", sorted(rows)):
        return
    text = HEAD % events + body
    with open("app.out", "w") as f:
        f.write(text)
    for query in re.findall(r"`([^`]*)`", rows[what][0].replace("\\|", "|")):
        args = ["app.out"] + ["base=old.out"] * (" vs base" in query)
        r = run(*args, "--no-index-write", "-q", "--format", "csv", "-c", query)
        if not ok(r.status == 0, "%s: %s" % (what, query), r):
            return
        got = list(csv.DictReader(io.StringIO(r.text)))
        want, mistaken = of(reads(text, None)), of(reads(text, what))
        ok(answer(got) == want, "  as one who reads it without mistakes finds", "got  %r\nwant %r\n%s" % (answer(got), want, r))
        ok(answer(got) != mistaken, "  and not as the script", mistaken)


CALL = "fl=a.c\nfn=(1) main\n1 10\ncfn=(2) work\ncalls=31 5\n2 90\n\nfn=(2)\n5 90\n"
row("the total", "Ir", CALL, lambda r: int(r[0]["total.Ir"]), lambda g: g["total"])
row("cost of each function", "Ir", CALL + "fi=b.h\n7 5\nfe=a.c\n6 1\n", lambda r: {x["fn"]: int(x["self"]) for x in r}, lambda g: g["self"])
with open("app.out", "w") as f:
    f.write(HEAD % "Ir" + CALL + "fi=b.h\n7 5\nfe=a.c\n6 1\n")
r = run("app.out", "--no-index-write", "-q", "-c", "functions | where fn = \"work\" | show self | as csv")
same((r.text, len([k for k in reads(open("app.out").read(), None)["self_of"] if k[0] == "work"])), ("self\n96\n", 2), "  by file and name the script has work twice, here it is one of 96")
row("names", "Ir", CALL, lambda r: {x["fn"]: int(x["self"]) for x in r}, lambda g: g["self"])
row("inclusive cost", "Ir", "fl=a.c\nfn=(1) main\n1 10\ncfn=(2) fib\ncalls=1 5\n2 90\n\nfn=(2)\n5 90\ncfn=(2)\ncalls=14 5\n6 80\n", lambda r: {x["fn"]: int(x["incl"]) for x in r}, lambda g: g["incl"])
row("how often", "Ir", "fl=a.c\nfn=(1) main\n1 10\n" + "".join("cfn=(2) f\ncalls=%d 5\n%d 9\n" % (n, n) for n in (1, 2, 4, 8, 16)) + "\nfn=(2)\n5 45\n", lambda r: int(r[0]["calls"]), lambda g: g["calls"]["f"])
row("who calls it", "Ir", "fl=a.c\nfn=(1) main\n1 10\ncfi=b.c\ncfn=(2) f\ncalls=3 5\n2 30\ncfn=(2)\ncalls=4 9\n3 40\n\nfl=b.c\nfn=(2)\n5 30\n\nfl=a.c\nfn=(2)\n9 40\n",
    lambda r: sorted((x["file"], x["fn"], int(x["calls"])) for x in r), lambda g: sorted((of, fn, n) for (of, fn, callee), n in g["edges"].items() if callee == "f"))
row("lines", "Ir", "fl=a.c\nfn=(1) main\n1 10\n\nfn=(2) f\n5 20\ncfn=(3) g\ncalls=1 50\n+20 30\n+1 7\n* 1\n-2 3\n\nfn=(3)\n50 30\n", lambda r: {int(x["line"]): int(x["self"]) for x in r if int(x["self"])}, lambda g: {n: c for (fn, n), c in g["lines"].items() if fn == "f"})
row("another event", "Ir D1mr DLmr", "fl=a.c\nfn=(1) main\n1 10 4\n2 20\n3 30 5 6\n", lambda r: {x["fn"]: int(x["self"]) for x in r}, lambda g: g["self"], event="D1mr")
row("several dumps, threads", "Ir Dr", "fl=a.c\nfn=(1) main\n1 10 4\ntotals: 10 4\npart: 2\nthread: 1\nevents: Dr Ir\nfl=a.c\nfn=(1) other\n1 7 20\ntotals: 7 20\n",
    lambda r: sum(int(x["self"]) for x in r), lambda g: g["total"])
r = run("app.out", "--no-index-write", "-q", "-c", "functions by Ir | sort fn | show fn, self | as csv")
EVENT = "Ir"
same((r.text, reads(open("app.out").read(), "several dumps, threads")["self"]), ("fn,self\nmain,10\nother,20\n", {"main": 17}), "  names of the second part are its own; the script has one function for two")
with open("old.out", "w") as f:
    f.write(HEAD % "Ir" + "fl=a.c\nfn=main::{lambda(int)#1}::operator()(int) const\n3 70\nfn=main\n1 10\ncfn=main::{lambda(int)#1}::operator()(int) const\ncalls=1 3\n2 70\n")
BEFORE = reads(open("old.out").read(), None)["self"]


def compared(g):
    """By name; without mistakes the number of a lambda is none of its name."""
    plain = (lambda n: n) if g["wrong"] else (lambda n: re.sub(r"#\d+", "", n))
    now, was = [{plain(n): cost for n, cost in of.items()} for of in (g["self"], BEFORE)]
    return sorted(d for d in (now.get(n, 0) - was.get(n, 0) for n in {*now, *was}) if d)


row("is it worse?", "Ir", "fl=a.c\nfn=main::{lambda(int)#2}::operator()(int) const\n3 75\nfn=main\n1 10\ncfn=main::{lambda(int)#2}::operator()(int) const\ncalls=1 3\n2 75\n",
    lambda r: sorted(int(x["delta"]) for x in r if int(x["delta"])), compared)
same(sorted(set(rows) - tested - {"wanted"}), [], "every row has its test")
same(len(tested), 10, "they are ten")
done()
