#!/usr/bin/env python3
"""parts.t - line detail inside single parts, read again from the profile.

The parts add up to the whole, a thread is its parts, and a profile that changed or went away
since it was indexed is named.
"""
import json
import os
import shutil

from e2e import FAULT, done, faulty, fixtures, ok, run, same, skip, small, work

MULTI = ["tmpl-multipart-combine.out", "thr-septhreads-combine.out",
         "thr-septhreads-combine-bb.out", "clreq-combine.out", "xdebug-append-different-scripts.out"]


def ask(path, *queries):
    r = run(path, "-q", "--format", "ndjson", *[a for q in queries for a in ("-c", q)])
    if r.status:
        raise SystemExit("%s: %s" % (path, r))
    return [json.loads(line) for line in r.text.splitlines()]


def total(rows, key, values):
    sums = {}
    for row in rows:
        k = tuple(row[c] for c in key)
        sums[k] = [a + b for a, b in zip(sums.get(k, [0] * len(values)), (row[v] for v in values))]
    return {k: v for k, v in sums.items() if any(v)}


SHAPES = [("lines", ("fn", "file", "line"), ("self", "calls_out", "incl_out")),
          ("callsites", ("caller", "callee", "file", "line"), ("calls", "incl")),
          ("jumps", ("fn", "file", "line", "to_file", "to_line", "conditional"), ("executed", "taken"))]

for name in MULTI:
    shutil.copy(small + name, name)
    numbers = sorted({(p["thread"], p["part"]) for p in ask(name, "parts")})
    for source, key, values in SHAPES:
        if source == "jumps" and not ask(name, "info")[0].get("jumps"):
            continue
        parts = ask(name, *["thread %d | part %d | %s" % (t, p, source) for t, p in numbers])
        same(total(parts, key, values), total(ask(name, source), key, values),
             "%s: %s of %d parts are those of the whole" % (name, source, len(numbers)))
    for thread, part in numbers[:3]:
        stages = "thread %d | part %d | " % (thread, part)
        lines, functions = ask(name, stages + "lines"), ask(name, stages + "functions")
        same(total(lines, ("fn",), ("self",)), total(functions, ("fn",), ("self",)),
             "%s: the lines of thread %d, part %d add up to its functions" % (name, thread, part))

# A part that brings an event comes while the call sites of the one before are still open.
with open("events.out", "w") as f:
    f.write("part: 1\nevents: Ir\nfn=a\n1 1\ncfn=b\ncalls=3 5\n1 30\n" + "fn=a\n2 1\ncfn=b\ncalls=2 5\n2 20\n" * 2 +
            "\npart: 2\nevents: Ir Dr\nfn=c\n1 1 1\n\npart: 3\nevents: Ir Dr\nfn=c\n1 1 1\n")
same([(r["line"], r["calls"], r["incl"]) for r in ask("events.out", "part 1-2 | callsites | sort line asc")],
     [(1, 3, 30), (2, 4, 40)], "call sites of a part before an event that is new")

# ---------------------------------------------------------------- not what was indexed any more
text = open(small + MULTI[0], "rb").read()


def later(shell):
    """Line detail of a part after `shell` ran in the same session."""
    shutil.rmtree("p", ignore_errors=True)
    for f in ("p", "p.quern", "q"):
        if os.path.exists(f):
            os.unlink(f)
    with open("p", "wb") as f:
        f.write(text)
    return run("p", "-q", "-c", "top 1 ! cat >/dev/null; " + shell, "-c", "part 2 | lines | count")


# Trees are added up part by part, in memory for the largest of them.
with open("many.out", "w") as f:
    f.write("events: Ir\n")
    for i in range(5000):
        f.write("part: %d\nevents: Ir\nfl=a.c\nfn=a\n1 1\ncfn=b\ncalls=1 2\n1 3\ncfn=c\ncalls=1 3\n1 1\nfn=b\n2 3\nfn=c\n3 1\n\n"
                % (i + 1))
run("many.out", "-c", "top")
for query in ("calltree", "calltree from (a or b)", "callers of (b or c)", "path from a to b", "cost of b under a"):
    r = run("many.out", "-q", "--limit", "memory=16M", "-c", query + " | as csv")
    ok(r.status == 0 and r.text, "5000 parts: " + query, r)


def refused(r, what, name):
    ok(r.status == 3 and what in r.talk and "hint:" in r.talk and not r.text, name, r)


fine = later("true")
same((fine.status, fine.talk), (0, ""), "a profile that is as indexed")
refused(later("printf x | dd of=p conv=notrunc 2>/dev/null"), "p: changed since it was indexed",
        "changed in place")
refused(later("head -c 1000 p >q; mv q p"), "p: changed since it was indexed", "shorter")
refused(later("echo >>p"), "p: changed since it was indexed", "longer")
refused(later("rm p"), "p: No such file or directory", "gone")
refused(later("rm p; mkdir p"), "a directory", "a directory now")
again = later("touch p")
same((again.status, again.text), (0, fine.text), "only its times changed: the content decides")
again = later("cp p q; mv q p")
same((again.status, again.text), (0, fine.text), "a copy of the same content")

# ---------------------------------------------------------------- --safe reads what is named only
def parts(*args):
    return run(*args, "-q", "-c", "part 2 | lines | count")


def fresh(*names):
    for f in names:
        if os.path.exists(f):
            os.unlink(f)


fresh("p", "p.quern", "q")
with open("p", "wb") as f:
    f.write(text)
run("p", "-q", "--index", "i.quern", "-c", "top 1")
os.symlink("p", "link")
same(parts("i.quern").text, fine.text, "an index alone: the profile that it records is read")
refused(parts("i.quern", "--safe"), "not named", "--safe, an index alone")
same(parts("p", "--index", "i.quern", "--safe").text, fine.text, "--safe, the profile")
same(parts("link", "--index", "i.quern", "--safe").text, fine.text, "--safe, the profile by another name")
os.rename("p", "q")
same(parts("q", "--index", "i.quern", "--safe").text, fine.text, "--safe, the profile elsewhere")
with open("p", "w") as f:
    f.write("else")
says = "p has changed since it was indexed"
ok(says in run("i.quern", "-c", "top 1").talk, "an index says that the profile changed")
ok(says not in run("i.quern", "--safe", "-c", "top 1").talk, "--safe: it does not look there")
fresh("p", "q", "link", "i.quern")
with open("p", "wb") as f:
    f.write(text)
r = run("p", "-q", "--safe", "--index", "i.quern", "-c", "top 1", "-c", "part 2 | lines | count")
ok(r.status == 0 and r.text.endswith(fine.text.splitlines()[-1] + "\n"), "--safe, indexed at once", r)

# Files of a set have each their own.
for i in range(2):
    with open("set.%d" % (i + 1), "w") as f:
        f.write("pid: 1\npart: %d\nevents: Ir\nfl=a\nfn=f\n1 %d\n" % (i + 1, i + 1))
r = run("set.1", "set.2", "--safe", "-q", "-c", "part 2 | lines", "--format", "csv")
ok(r.status == 0 and "a,1,2," in r.text, "--safe, a set of files", r)

# Between parts of one profile nothing is paired: a function is itself.
r = run(small + "tmpl-multipart-combine.out", "--no-index-write", "-c", "functions vs part 2", "-c", ".explain functions vs part 2")
ok(r.status == 0 and "paired:" not in r.text + r.talk and "pairs: each function with itself" in r.text, "the whole against a part", r)

# A comparison of parts asks for one function after another on both sides: each side is read once.
query = "part 1 | functions vs part 2 | count"
if os.path.exists(FAULT):
    r = run(fixtures + "/truth/sqlite-parts.out.xz", "--no-index-write", "-q", "-c", query, program=faulty["program"],
            env=dict(faulty["env"], QUERN_FAULT_COUNT=work + "/calls"))
    with open("calls") as f:
        calls = int(f.read().split()[0])
    ok(r.status == 0 and calls < 1000, "two sets of parts, read once each", "%d calls of the system\n%s" % (calls, r))
else:
    skip("two sets of parts, read once each", "no faults in this variant")
done()
