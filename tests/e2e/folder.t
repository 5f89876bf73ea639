#!/usr/bin/env python3
"""folder.t - a folder is a table: one that holds the rows which asking each profile alone gives.

The trees are those of bench/make-folder, whose truth.csv says what was planted where, and real
profiles in the layouts of gungraun, CodSpeed and tak, of requests, and among junk.
"""
import csv
import io
import os
import re
import shutil
import subprocess

from e2e import done, fixtures, ok, run, same, small, top

pairs = fixtures + "/pairs/"
subprocess.run([top + "/bench/make-folder", "made", "--benchmarks", "24", "--shared", "8", "--rare", "3", "--noise", "4", "--kb", "4-12", "--requests", "6"], check=True)
with open("made/truth.csv", newline="") as f:
    truth = list(csv.DictReader(f))
for row in truth:
    row["name"] = "{0}/benches/{1}/{2}".format(*row["name"].split("/"))
names = sorted(r["name"] for r in truth)


def place(tree, name):
    return "made/%s/%s.case/callgrind.%s.case.out" % (tree, name, name.split("/")[-1])


def rows(text):
    return list(csv.reader(io.StringIO(text)))


def table(*args, fails=0):
    r = run(*args, "-q", "--format", "csv")
    if r.status != fails:
        ok(False, "status %d: %r" % (fails, args), r)
    return rows(r.text)


# ---- members
r = run("made/new", "-c", "info | show profile, total | as csv")
same([row[0] for row in rows(r.text)[1:]], names, "a member is called by its path without what all share")
ok("quern: 24 profiles\n" in r.talk, "they are counted", r)
same({row[0]: row[1] for row in rows(r.text)[1:]}, {row["name"]: row["now"] for row in truth}, "each with its own total")

# ---- the law: all rows, and no others
QUERIES = ["functions", "functions | show fn, self, incl%, passed_most, lo", "files", "lines of decode", "calls", "callsites of run", "callers of memcpy", "events",
           "info", "parts", "cost of decode", "functions of /step_00/", "calltree from decode", "path from main to memcpy", "find memcpy", "focus decode | functions",
           "functions vs base", "functions vs base | where delta > 0", "calls vs base | where delta != 0", "files vs base", "info vs base", "lines of decode vs base",
           "functions | where profile ~ \"small\" and self > 1000", "let $x = memcpy or decode; functions by Ir | where fn in $x or self > 5000", "cost of memcpy vs base"]
some = [n for i, n in enumerate(names) if i % 4 == 0]
for tree in ("new", "old"):
    for n in some:
        os.makedirs(os.path.dirname(place(tree, n).replace("made", "some")), exist_ok=True)
        shutil.copy(place(tree, n), place(tree, n).replace("made", "some"))


APART = ("under", "built_unix_s")   # numbers of rows are those of the table; when it was indexed
asked = {row[0] for row in table("some/new", "-c", "info | show profile")[1:]}
short = {n: next(a for a in asked if n.endswith(a)) for n in some}
for q in QUERIES:
    name = "functions of the folder" if q == "functions" else q
    all_rows = table("some/new", "base=some/old", "-c", q)
    want, header = [], None
    for n in some:
        if "profile ~" in q and "small" not in short[n]:
            continue
        one = run(place("new", n), "base=" + place("old", n), "-q", "--format", "csv", "-c", q.replace("profile ~ \"small\" and ", ""))
        got = rows(one.text)
        header = header or [h for h in got[0] if h != "profile"]
        columns = [got[0].index(h) if h in got[0] else None for h in all_rows[0][1:] if h not in APART]
        want += [[short[n]] + [row[c] if c is not None else "" for c in columns] for row in got[1:]]
    have = [[c for c, h in zip(row, all_rows[0]) if h not in APART] for row in all_rows[1:]]
    ok(all_rows[0][0] == "profile" and sorted(have) == sorted(want) and (want or "delta != 0" in q), "%s: %d rows" % (name, len(want)),
       "\n".join(str(x) for x in [all_rows[0], *[w for w in want if w not in have][:4], "--", *[h for h in have if h not in want][:4]]))

# ---- the stages see all rows
all_rows = [row for row in table("some/new", "-c", "functions")[1:]]
best = sorted((int(row[2]) for row in all_rows), reverse=True)
same([int(row[1]) for row in table("some/new", "-c", "functions | sort self | take 7 | show self")[1:]], best[:7], "sort, take: of the whole table")
same([int(row[2]) for row in table("some/new", "-c", "functions")[1:]], best, "without a sort the costliest come first")
each = table("some/new", "-c", "top 2 each | show self")[1:]
same((len(each), {row[0] for row in each}), (2 * len(some), set(short.values())), "top 2 each: of each profile")
same(len(table("some/new", "-c", "functions | sort incl | take 1 each | skip 2")[1:]), len(some) - 2, "a stage before each is of each, one behind it of all")
same(table("some/new", "-c", "functions | sum | show self")[1], [str(sum(best))], "sum")
same(sum(int(row[1]) for row in table("some/new", "-c", "functions | sum each | show self")[1:]), sum(best), "sum each")
groups = dict(table("some/new", "-c", "functions | group by profile: sum(self)")[1:])
same({k: int(v) for k, v in groups.items()}, {short[r["name"]]: int(r["now"]) for r in truth if r["name"] in some}, "group by profile")
same(table("some/new", "-c", "functions | where fn = \"decode\" | count")[1], [str(len(some))], "count")
r = run("some/new", "base=some/old", "-q", "-c", "functions vs base | sum | expect delta% <= 2")
ok(r.status == 1 and "sum each" in r.talk, "a sum of all would hide one: refused", r)
r = run("some/new", "-q", "-c", "functions | take 3", "-c", "| sort fn | show fn", "--format", "csv")
ok(r.status == 0 and "fn\n" in r.text, "_ is the last answer", r)

# ---- every format has the name, a machine's one header
for form in ("csv", "tsv", "json", "ndjson", "md", "table"):
    r = run("some/new", "-q", "-c", "functions | take 3 | show fn, self | as %s" % form)
    ok(r.status == 0 and len(re.findall(r"\bprofile\b", r.text)) == {"json": 2, "ndjson": 3}.get(form, 1) and r.text.count("codec/benches/large/bench_004") == 3,
       "%s has the column" % form, r)
r = run("some/new", "-q", "-c", "calltree from decode")
ok(all("%s:\n" % a in r.text for a in asked), "a tree is told below the name of its profile", r)
r = run("some/new", "base=some/old", "-q", "-c", "in %s | functions vs base | show fn, base | as csv" % min(asked))
ok(r.status == 0 and rows(r.text)[0] == ["fn", "base"], "in NAME asks one", r)
for picture in ("calltree from decode > x.svg", "functions > x.html", "functions | as callgrind > x.out", "calltree | as folded"):
    r = run("some/new", "-q", "-c", picture)
    ok(r.status == 1 and "is of one profile, and this answer is of 6" in r.talk and "in NAME | " in r.talk, "refused: " + picture, r)
    r = run("some/new", "-q", "-c", "in %s | %s" % (min(asked), picture))
    ok(r.status == 0, "  of one it is made", r)
for command in ("overview", ".export out", ".open made", ".close"):
    r = run("some/new", "-q", "-c", command)
    ok(r.status == 1 and "is of single profiles, and a folder is open" in r.talk, "refused: " + command, r)
r = run("some/new", "-q", "-c", "functions of nosuch")
ok(r.status == 1 and "no function matches 'nosuch'" in r.talk, "a name that none has", r)
shutil.copytree("some/new", "odd/new")
shutil.copy(small + "lua-default.out", "odd/new/callgrind.out.1")
r = run("odd/new", "-c", "functions of luaV_execute | show fn | as csv")
ok(r.status == 0 and len(rows(r.text)) == 2 and "6 of 7 profiles have no function of this name" in r.talk, "a name that some have", r)

# ---- profiles: a row a member
got = {row[0]: dict(zip(header, row)) for header, *body in [table("made/new", "base=made/old", "-c", "profiles vs base")] for row in body}
WHY = {"decode": "each decode calls memcpy more often, at a new line", "encode": "encode spends more in itself", "startup": "startup spends", "": ""}
same({n: (r["total"], r["base"], int(r["delta"])) for n, r in got.items()},
     {r["name"]: (r["now"], r["before"], int(r["now"]) - int(r["before"])) for r in truth}, "profiles vs base: totals and their difference")
ok(all(got[r["name"]]["why"].startswith(WHY[r["cause"]]) and bool(got[r["name"]]["why"]) == bool(r["cause"]) for r in truth), "the cause that was planted", got)
order = [float(row[-4]) for row in table("made/new", "base=made/old", "-c", "profiles vs base")[1:]]
same(order, sorted(order, reverse=True), "worst first")
info = {row[0]: row[1:] for row in table("some/new", "-c", "info | show functions, parts, creator, cmd")[1:]}
same({row[0]: row[1:] for row in table("some/new", "-c", "profiles | show functions, parts, creator, command")[1:]}, info, "what is seen without an index is what the index has")
grew = [sum(sign * (int(r["now"]) - int(r["before"])) > 0 for r in truth) for sign in (1, -1)]
r = run("made/new", "base=made/old", "-q", "-c", "profiles vs base | take 3")
ok("3 of 24 profiles shown; %d grew, %d shrank, %d the same; new 0, gone 0; geometric mean +0." % (*grew, 24 - sum(grew)) in r.text, "the line below", r)
r = run("made/new", "base=made/old", "-q", "--keep-going", "-c", "profiles vs base | where delta% > 0.1 | expect none")
ok(r.status == 4 and " of 24 profiles: " in r.talk, "a gate of profiles names them", r)
shutil.copytree("some", "odd2")
shutil.rmtree(os.path.dirname(place("new", some[0])).replace("made", "odd2"))
shutil.rmtree(os.path.dirname(place("old", some[1])).replace("made", "odd2"))
r = table("odd2/new", "base=odd2/old", "-c", "profiles vs base | where change != \"\" | show change, total, base")
same(sorted((row[1], bool(row[2]), bool(row[3])) for row in r[1:]), [("gone", False, True), ("new", True, False)], "new and gone")

# ---- why: equal causes are joined, and add up
header, *body = table("made/new", "base=made/old", "-c", "why vs base")
causes = [dict(zip(header, row)) for row in body]
delta = sum(int(r["now"]) - int(r["before"]) for r in truth)
same(sum(int(c["delta"]) for c in causes), delta, "the rows of why add up to the difference of all")
same([(c["profiles"], c["fn"]) for c in causes][:2], [("8", "decode"), ("3", "encode")], "how many, and how much")
same(sorted(causes[0]["names"].split(", ")), sorted(r["name"] for r in truth if r["cause"] == "decode"), "whose it is")
deltas = [int(r["now"]) - int(r["before"]) for r in truth if r["cause"] == "decode"]
same((int(causes[0]["least"]), int(causes[0]["most"]), int(causes[0]["delta"])), (min(deltas), max(deltas), sum(deltas)), "from the least to the most")
r = run("made/new", "base=made/old", "-q", "-c", "why vs base | where profiles > 5 | show profiles, delta, why | as md")
ok("| 8 | +%s | `%s` |" % (format(sum(deltas), ","), WHY["decode"]) in r.text, "as md", r)
os.makedirs("real/old")
os.makedirs("real/new")
for one in ("cpp", "rust"):
    for side, tree in (("one", "old"), ("two", "new")):
        shutil.copy("%s%s-%s.out" % (pairs, one, side), "real/%s/%s.out" % (tree, one))
got = table("real/new", "base=real/old", "-c", "why vs base | sum | show delta")
want = table("real/new", "base=real/old", "-c", "profiles vs base | sum | show delta")
same(got[1:], want[1:], "of real profiles, too")

# ---- gates name those that broke
r = run("made/new", "base=made/old", "--keep-going", "-q", "-c", "info vs base | expect delta% < 900", "-c", "functions of decode vs base | expect delta <= 0", "-c", "functions of memcpy vs base | expect delta <= 0")
broken = [row["name"] for row in truth if row["cause"] == "decode"]
ok(r.status == 4 and "3 expectations: 2 hold, 1 fails (-c 3:1:31 in 8 of 24 profiles: %s, %s, +6)" % tuple(broken[:2]) in r.talk, "the last line says which", r)
r = run("made/new", "base=made/old", "-q", "-c", "functions of memcpy vs base | expect delta <= 0 | take 2", "--format", "junit")
same((r.text.count("<testcase"), r.text.count("<failure"), [n for n in names if 'classname="%s"' % n in r.text]), (24, 8, names), "JUnit has a case for each profile")
r = run("made/new", "base=made/old", "-q", "-c", "functions of memcpy vs base | expect delta <= 0", "--format", "github")
same(sorted(line.split("title=")[1].split("%3A")[0] for line in r.text.splitlines()), sorted(broken), "GitHub's annotations have the name")

# ---- accepted by name
GATE = ("made/new", "base=made/old", "-q", "--keep-going", "-c", "profiles vs base | where delta > 800 | expect none")
dear = [r["name"] for r in truth if int(r["now"]) - int(r["before"]) > 800]
r = run(*GATE, *[word for n in dear for word in ("--accept", "profile:" + n)])
ok(r.status == 0 and "accepted by name: %d rows" % len(dear) in r.talk and "accepted by name" in r.text, "--accept profile:NAME, which is said", r)
r = run(*GATE, *[word for n in dear[1:] for word in ("--accept", "profile:" + n)])
ok(r.status == 4 and " in 1 of 24 profiles: %s)" % dear[0] in r.talk, "another one still breaks it", r)
r = run("made/new", "base=made/old", "-q", "--accept", "fn:memcpy", "-c", "functions vs base | where delta% > 8 | expect none")
ok(r.status == 4 and r.text.count("encode") >= 1 and "memcpy" not in r.text, "--accept fn:NAME", r)
r = run(place("new", broken[0]), "base=" + place("old", broken[0]), "-q", "--accept", "fn:memcpy", "-c", "functions vs base | where delta% > 8 | expect none")
ok(r.status == 0 and "accepted by name: 1 row" in r.talk, "  of one profile, too", r)

# ---- nothing is left beside small profiles; an index that lies there is used
left = [f for tree in ("some", "odd2", "real") for d, _, files in os.walk(tree) for f in files if ".quern" in f]
same(left, [], "no index beside the profiles of a folder")

# ---- dumps of a run, copies, links, junk
os.mkdir("mixed")
for name in ("", "-01", "-02", "-03", "-04", "-05"):
    shutil.copy(small + "thr-septhreads.out" + name, "mixed/callgrind.out.7" + name)
shutil.copy(small + "lua-default.out", "mixed/lua.out")
shutil.copy(small + "lua-default.out", "mixed/lua.out.1")
os.symlink("lua.out", "mixed/link.out")
for name, text in (("notes.txt", "notes\nevents: none of them\n"), ("a.yaml", "version: 1\nname: x\n"), ("x.svg", "<svg/>"), ("empty", "")):
    with open("mixed/" + name, "w") as f:
        f.write(text)
r = run("mixed", "-c", "profiles | show profile, parts | as csv")
same(rows(r.text)[1:], [["callgrind.out.7", "5"], ["link.out", "1"], ["lua.out.1", "1"]], "threads of a run are one, copies are two, a link is no third")
ok("quern: 3 profiles; left out: 5 other files, 1 duplicate" in r.talk, "junk is counted in one line", r)
with open("mixed/cut.out", "w") as f:
    f.write("version: 1\ncreator: callgrind-3\n")
r = run("mixed", "-q", "-c", "profiles | show profile")
ok(r.status == 3 and "cut.out: cut off in its header" in r.talk and "lua.out.1" in r.text, "a member that cannot be read: the others are told, status 3", r)
os.makedirs("tak/decode")
for name, side in (("base", "one"), ("fast", "two"), ("same", "one")):
    shutil.copy(pairs + "cpp-%s.out" % side, "tak/decode/%s.cachegrind.out" % name)
r = run("tak", "-q", "-c", "profiles vs base | show profile, delta | as csv")
same(rows(r.text)[1:], [["fast", "3310"], ["same", "0"]], "tak: base.* is the base of the others")
shutil.copytree("tak", "tak2")
for name in ("fast", "same"):
    os.rename("tak2/decode/%s.cachegrind.out" % name, "tak2/decode/%s.old.out" % name)
os.mkdir("other")
r = run("some/new", "base=tak", "-q", "-c", "profiles vs base | where change = \"gone\" | count | as csv", "-c", "functions vs base | take 1")
ok(r.status == 1 and "no profile of the set has a base" in r.talk, "a base that has none of the members", r)
for n, name in enumerate(("a|b`c", "<b>&\"", "n\nl", "=1+2", "##[error]x", "::error::x")):
    os.makedirs("hostile/" + name)
    shutil.copy(place("new", some[n % len(some)]), "hostile/%s/callgrind.out.%d" % (name, n))
for form in ("md", "junit", "github", "csv", "json", "table"):
    r = run("hostile", "-q", "-c", "profiles | show profile, total | expect total < 0", "--format", form, env=dict(GITHUB_ACTIONS="true"))
    ok(r.status == 4 and not re.search(r"^(::error::|##\[)", r.text, re.M) and "<b>" not in r.text.replace("<b>&", "") or form in ("csv", "json", "table"), "hostile names: " + form, r)

# ---- the newest, and commands among queries
os.mkdir("here")
os.chdir("here")
r = run("-c", "top 1")
ok(r.status == 1 and "no profile is open" in r.talk, "nothing lies here", r)
for name, age in (("callgrind.out.5", 500), ("callgrind.out.6", 0), ("cachegrind.out.7", 900)):
    shutil.copy("../" + place("new", some[0]), name)
    os.utime(name, (1700000000 - age, 1700000000 - age))
r = run("-c", "info | show profile | as csv")
ok(r.status == 0 and "callgrind.out.6" in r.text and "quern: callgrind.out.6, the newest of 3 profiles here: quern . asks all" in r.talk, "the newest profile of the folder", r)
ok(run("functions | take 1").status == 0, "a query alone")
ok("no profile is open" in run("-c", "functions | expect some").talk, "a gate asks for a name")
ok("no profile is open" in run("--safe", "-c", "functions").talk, "--safe looks at no folder")
r = run("-q", "-c", "overview; top 1 | show fn; .mode csv; top 1 | show fn")
ok(r.status == 0 and r.text.endswith("fn\n%s\n" % r.text.splitlines()[-1]), "a ; behind overview and dot-commands", r)
done()
