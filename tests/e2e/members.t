#!/usr/bin/env python3
"""members.t - a folder whose files are odd, hostile, many or changing: no gate holds in silence, no row is lost, no name breaks a format."""
import csv
import errno
import gzip
import io
import json
import os
import re
import shutil
import socket
import threading
import xml.etree.ElementTree as ET

from e2e import PLANTS, done, ok, planted, run, same, skip, small


def profile(total=100, fn="work", events="Ir", more="", cmd="./bench", end=None, pid=0):
    return ("# callgrind format\nversion: 1\ncreator: callgrind-3.19.0\n" + ("pid: %d\n" % pid if pid else "") +
            "cmd: %s\npart: 1\npositions: line\nevents: %s\n%sfl=a.c\nfn=%s\n1 %d\n" % (cmd, events, more, fn, total) +
            ("totals: %d\n" % total if end is None else end))


def put(path, text):
    os.makedirs(os.path.dirname(path) or ".", exist_ok=True)
    with open(path, "w", newline="") as f:
        f.write(text)
    return path


def pair(folder, name, before, now, **how):
    put(folder + "/old/" + name, profile(before, **how))
    put(folder + "/new/" + name, profile(now, **how))


def ask(folder, *queries, form=None, gate=True, more=(), **how):
    args = [folder + "/new", "base=" + folder + "/old", "-q", *(("--keep-going",) if gate else ()), *more]
    for q in queries:
        args += ["-c", q]
    return run(*args, *(("--format", form) if form else ()), **how)


GATES = ("functions vs base | where delta% > 5 | expect none", "info vs base | expect delta% <= 5", "profiles vs base | where delta% > 5 | expect none")


def breaks(folder, who, why, what, more=()):
    """Each gate fails, names the member and says why; JUnit and GitHub put it on that member alone."""
    for q in GATES:
        r = ask(folder, q, more=more)
        ok(r.status == 4 and why in r.talk and who in r.talk.splitlines()[-1], "%s: %s" % (what, q.split(" |")[0]), r)
    r = ask(folder, GATES[1], form="junit", more=more)
    cases = {c.get("classname"): c.find("failure") for c in ET.fromstring(r.text).iter("testcase")}
    same([n for n, f in cases.items() if f is not None], [who], "  JUnit: the case of this member alone fails")
    ok(why in cases[who].get("message") and len(cases) > 1, "  and says why", r)
    r = ask(folder, GATES[1], form="github", more=more)
    ok(r.text.count("::error ") == 1 and "title=%s%%3A" % who in r.text, "  GitHub: one annotation, of this member", r)


# ---- what hides a member from a gate
def scene(folder):
    for name in ("ant", "bee", "cat"):
        pair(folder, name + ".out", 100, 100)
    r = ask(folder, *GATES)
    ok(r.status == 0 and "3 expectations: 3 hold" in run(folder + "/new", "base=" + folder + "/old", "--keep-going", "-c", GATES[0], "-c", GATES[1], "-c", GATES[2]).talk, folder + ": holds before", r)


scene("cut")
put("cut/new/bee.out", profile(100)[:-9].replace("1 100", "1 1"))
put("cut/new/bee.out", profile(100, end="fn=late\ncalls=1 "))
breaks("cut", "bee", "cut off", "a member that is cut")
scene("odd")
put("odd/new/bee.out", profile(100, more="").replace("1 100\n", "1 100\n2 x9999\n"))
breaks("odd", "bee", "skipped or mended", "a line that is none")
scene("says")
put("says/new/bee.out", profile(100, end="totals: 9999\n"))
breaks("says", "bee", "totals: say 9,999", "totals that lie")
scene("event")
put("event/new/bee.out", profile(9999, events="Zz"))
breaks("event", "bee", "it has no Ir", "the event is called otherwise")
scene("half")
put("half/old/bee.out", profile(100, events="Dr"))
put("half/new/bee.out", profile(9999, events="Ir Dr").replace("1 9999\n", "1 9999 100\n").replace("totals: 9999", "totals: 9999 100"))
r = ask("half", GATES[0])
ok(r.status == 1 and "error: bee: 'base' has no event 'Ir'" in r.talk, "the base lacks the event: which one is said", r)
r = ask("half", GATES[2])
ok(r.status == 4 and "bee" in r.talk.splitlines()[-1], "  profiles: it is doubted", r)
scene("gone")
os.remove("gone/new/bee.out")
breaks("gone", "bee", "only the base has it", "a benchmark that is gone")
r = ask("gone", *GATES, more=("--accept", "gone"))
ok(r.status == 0, "  --accept gone", r)
scene("alone")
os.remove("alone/new/bee.out")
put("alone/new/bee.out.old", profile(100))
r = run("alone/new", "-q", "--keep-going", "-c", GATES[1])
ok(r.status == 1 and "no profile of the set has a base" in r.talk, "only .old is left, and no base elsewhere", r)
put("alone/new/ant.out.old", profile(100))
r = run("alone/new", "-q", "--keep-going", "-c", GATES[1])
ok(r.status == 4 and "bee" in r.talk.splitlines()[-1], "only .old is left: it is gone", r)
put("alone/new/bee.out", profile(9999))
put("alone/new/bee.out.old", "")
r = run("alone/new", "-q", "--keep-going", "-c", GATES[1])
ok(r.status == 3 and "bee.out: its profile is empty" in r.talk, "an empty .old is no base", r)
scene("paired")
put("paired/new/bee.out", profile(100, fn="elsewhere", more="fl=b.c\n"))
r = ask("paired", "functions vs base | where delta% > 5 and base > 0 | expect none")
ok(r.status == 4 and "bee" in r.talk.splitlines()[-1], "little is paired in one: as of it alone", r)
scene("renamed")
os.rename("renamed/new/bee.out", "renamed/new/bug.out")
put("renamed/new/bug.out", profile(9999, cmd="./other"))
r = ask("renamed", *GATES)
ok(r.status == 4 and "bee" in r.talk, "a benchmark that is renamed is new, and one is gone", r)


def lambdas(*costs):
    return profile(1000000, end="") + "".join("fn=main::{lambda(int)#%d}::operator()(int) const\n1 %d\n" % (i + 1, c) for i, c in enumerate(costs))


scene("unsure")
put("unsure/old/bee.out", lambdas(120009, 70000, 60009))
put("unsure/new/bee.out", lambdas(112500, 60009))
SURE, GATES = GATES, ("functions vs base | where delta% > 5 and delta > 1000 | expect none",) * 3
breaks("unsure", "bee", "it hangs on pairs that are not certain", "pairs of one that are not certain")
r = ask("unsure", GATES[0], more=("--accept", "unsure"))
ok(r.status == 0, "  --accept unsure", r)
GATES = SURE

# ---- what cannot be read
scene("junk")
os.mkfifo("junk/new/callgrind.out.1")
sock = socket.socket(socket.AF_UNIX)
sock.bind("junk/new/callgrind.out.2")
os.symlink("/dev/zero", "junk/new/callgrind.out.3")
os.symlink("/nowhere/at/all", "junk/new/dead")
os.symlink("..", "junk/new/loop")
os.symlink("ant.out", "junk/new/again.out")
put("junk/new/callgrind.out.4", "no profile\n")
put("junk/new/notes.txt", "events: of the week\n")
r = run("junk/new", "base=junk/old", "-c", "profiles | show profile, total | as csv")
same([row[0] for row in csv.reader(io.StringIO(r.text))][1:4], ["again.out", "bee.out", "cat.out"], "links and what is no file: the members are told")
ok(r.status == 3 and r.talk.count("no regular file") == 3 and "a link that leads nowhere" in r.talk and "none by its text" in r.talk, "and what may be one is an error", r)
# What the system refuses is refused to root, too: the nth call for a path that ends so fails.
REFUSE = r"""
#include <errno.h>
#include <dirent.h>
#include <stdlib.h>
#include <string.h>
static int refused(const char *path, const char *call)
{
	static int n;
	const char *of = getenv("REFUSE");
	size_t at = of ? strlen(of) : 0;
	if (!of || strcmp(getenv("CALL"), call) || strlen(path) < at || strcmp(path + strlen(path) - at, of) || ++n < atoi(getenv("FROM")))
		return 0;
	errno = atoi(getenv("WHY"));
	return 1;
}
int PLANTED(open)(const char *path, int flags, int mode)
{
	int (*real)(const char *, int, int) = REAL(open);
	return refused(path, "open") ? -1 : real(path, flags, mode);
}
int PLANTED(openat)(int dir, const char *path, int flags, int mode)
{
	int (*real)(int, const char *, int, int) = REAL(openat);
	return refused(path, "open") ? -1 : real(dir, path, flags, mode);
}
DIR *PLANTED(opendir)(const char *path)
{
	DIR *(*real)(const char *) = REAL(opendir);
	return refused(path, "opendir") ? NULL : real(path);
}
struct dirent *PLANTED(readdir)(DIR *d)
{
	struct dirent *(*real)(DIR *) = REAL(readdir);
	return getenv("REFUSE") && refused(getenv("REFUSE"), "readdir") ? NULL : real(d);
}
"""
if PLANTS:
    scene("shut")
    put("shut/new/sub/dog.out", profile(9999))
    plant = planted(REFUSE, "open", "openat", "opendir", "readdir")
    for call, path, why, said, start in (("open", "new/bee.out", errno.EACCES, "bee.out: Permission denied", 1), ("open", "old/bee.out", errno.EIO, "bee.out: Input/output error", 1),
                                         ("open", "new/bee.out", errno.ENOENT, "bee.out: No such file", 2), ("open", "old/bee.out", errno.EACCES, "bee.out: Permission denied", 2),
                                         ("opendir", "new/sub", errno.EACCES, "sub: Permission denied", 1), ("readdir", ".", errno.EIO, "Input/output error", 3)):
        for q in (*GATES, "profiles | sum | show total", "why vs base"):
            if path == "old/bee.out" and start == 2 and "vs" not in q:
                continue
            r = ask("shut", q, program=plant["program"], env=dict(plant["env"], CALL=call, REFUSE=path, FROM=str(start), WHY=str(why)))
            ok(r.status == 3 and said in r.talk, "%s of %s fails at call %d: %s: %s" % (call, path, start, os.strerror(why), q.split(" |")[0]), r)
else:
    skip("what the system refuses", "a sanitizer does not run with another library before it")
for i in range(300):
    os.symlink("../gone/%d" % i, "junk/old/link%d" % i)
    os.symlink("ant.out", "cut/old/link%d.out" % i)
r = run("junk/new", "base=junk/old", "-q", "-c", "profiles | count | as csv")
ok(r.status == 3 and "and 295 more that cannot be looked at" in r.talk and r.talk.count("\n") < 20, "300 dead links are five lines", r)
r = run("cut/old", "-c", "profiles | count | as csv")
ok(r.status == 0 and r.text == "count\n3\n" and "300 duplicates" in r.talk, "300 links to a profile are no profiles", r)

# Twelve folders that link to each other are more ways than could be gone; each file has its own path.
for i in range(12):
    os.makedirs("knot/d%d" % i)
    for j in range(12):
        os.symlink("../d%d" % j, "knot/d%d/a%d" % (i, j))
put("knot/d7/p.out", profile(7))
put("outside/q.out", profile(8))
os.symlink("../../outside", "knot/d3/out")
os.symlink("../../outside", "knot/d5/out")
r = run("knot", "-c", "profiles | show total | as csv")
same(r.text, "profile,total\nd3/out/q,8\nd7/p,7\n", "links among folders: each is listed once, one outside by its first link")
os.makedirs("deep" + "/abcdefghij" * 300)
put("deep/p.out", profile(1))
r = run("deep", "-c", "profiles | count | as csv")
ok(r.text == "count\n1\n", "a deep folder", r)

# ---- a folder that changes
scene("changes")
r = run("changes/new", "base=changes/old", "-c", "profiles | count | as csv", "-c", "functions | count ! rm changes/new/bee.out; cat > got", "-c", GATES[1], "-c", "functions | count | as csv")
ok(r.status == 3 and "bee" in r.talk, "a member that vanishes between two queries", r)
for side in ("new", "old"):
    for first, then in (("functions | count", "info vs base | count"), ("profiles vs base | count", "profiles vs base | count"), ("profiles | count", "functions vs base | count")):
        shutil.rmtree("pipe", ignore_errors=True)
        scene("pipe")
        r = run("pipe/new", "base=pipe/old", "--keep-going", "-q", "-c", "%s ! rm pipe/%s/bee.out; mkfifo pipe/%s/bee.out; cat > got" % (first, side, side), "-c", then + " | as csv")
        ok(r.status == 3 and "bee.out: not a regular file" in r.talk and r.text == "count\n2\n", "one of %s that becomes a pipe keeps nobody waiting: %s" % (side, then), r)
# Somebody writes, renames and removes all the while: whatever is seen of it is a profile as it was at some time.
scene("churn")
stop = threading.Event()


def churn():
    n = 0
    while not stop.is_set():
        n += 1
        put("churn/tmp", profile((100, 900)[n % 2], more="fn=pad\n" + "1 0\n" * (n % 50)))
        os.replace("churn/tmp", "churn/new/%s.out" % ("ant", "bee")[n % 2])
        for name in ("cat", "dog"):
            if n % 3:
                put("churn/new/%s.out" % name, profile(900))
            elif os.path.exists("churn/new/%s.out" % name):
                os.remove("churn/new/%s.out" % name)


writer = threading.Thread(target=churn)
writer.start()
seen = []
for i in range(12):
    for q in ("profiles vs base | show total", "functions | where fn = \"work\" | show self", "why vs base | show delta"):
        r = run("churn/new", "base=churn/old", "-q", "--format", "csv", "-c", q)
        body = list(csv.reader(io.StringIO(r.text)))[1:]
        if r.status not in (0, 1, 3) or (r.status == 1 and "error:" not in r.talk) or ("why" not in q and (len({row[0] for row in body}) < len(body) or {row[1] for row in body} - {"100", "900", "1", "9", "90", "10", ""})):
            seen.append((q, r))
stop.set()
writer.join()
ok(not seen, "a folder that changes all the while: each row is a profile as it was at some time, or its error is said", seen[:2])
put("changes/new/bee.out", profile(100))
r = run("changes/new", "base=changes/old", "--keep-going", "-c", "functions | count ! printf 'fn=more\\n1 900\\n' >> changes/new/bee.out; cat > got", "-c", "functions vs base | where delta% > 5 | expect none")
ok(r.status in (3, 4) and "bee" in r.talk, "one that grows between two queries", r)

# ---- names
HOSTILE = ["a|b`c", "<b>&\"'", "n\nl", "=1+2", "-1", "##[error]x", "::error::x", "%0A::error::y", "\x1b[31mred", "q\"uo,te", "x" * 200, "$(id)", "base", "*", "..."]
for name in HOSTILE:
    pair("names", name + "/p.out", 100, 900)
put("names/plain.txt", "x")
for form in ("csv", "tsv", "json", "ndjson", "md", "junit", "github", "table"):
    for q in ("functions vs base | show base, delta | expect none", "profiles vs base | show total | expect none", "why vs base | show profiles, names | expect none"):
        r = ask("names", q, form=form, env=dict(GITHUB_ACTIONS="true"))
        ok(r.status == 4 and "\x1b" not in r.text + r.talk and not re.search(r"^(::error::|##\[)", r.talk + (r.text if form in ("md", "junit", "github", "table") else ""), re.M),
           "hostile names: %s: %s" % (form, q.split(" |")[0]), r)
        got = (len(list(csv.reader(io.StringIO(r.text)))) - 1 if form == "csv" else len(r.text.splitlines()) - 1 if form == "tsv" else
               len(json.loads(r.text)["rows"]) if form == "json" else len([json.loads(x) for x in r.text.splitlines()]) if form == "ndjson" else
               len(list(ET.fromstring(r.text).iter("testcase"))) if form == "junit" and "names" not in q else None)
        if got is not None:
            same(got, 1 if "names" in q else len(HOSTILE), "  each is one row")
for name in ("a|b`c", "<b>&\"'", "=1+2", "q\"uo,te"):
    r = ask("names", "in %s | functions | show self | as csv" % json.dumps(name).replace("\\n", "\n"), gate=False)
    ok(r.status == 0 and r.text == "self\n900\n", "in NAME, quoted: %r" % name, r)
r = ask("names", 'in "n\\x0Al" | functions | show self | as csv', gate=False)
ok(r.status == 0 and r.text == "self\n900\n", "in NAME, with a newline as answers show it", r)
for name, status in (("$(id)", 0), ("n\\x0Al", 0), ("nobody", 1)):
    r = ask("names", 'in "%s" | overview; profiles | count | as csv' % name, gate=False)
    ok(r.status == status and ("work itself" in r.text) == (not status) and r.text.endswith("count\n%d\n" % len(HOSTILE)) == (not status), "in NAME | overview, and what follows is of all: %s" % name, r)
r = ask("names", "overview", gate=False)
ok(r.status == 1 and "in NAME | overview is of one" in r.talk, "of all it is refused, with that hint", r)
r = ask("names", "profiles vs base | expect delta <= 0", more=[w for n in HOSTILE for w in ("--accept", "profile:" + n)])
ok(r.status == 0, "each is accepted by name", r)

pair("called", "base", 100, 900)
pair("called", "other", 100, 900)
r = ask("called", *GATES)
ok(r.status == 4 and r.talk.splitlines()[-1].count("in 2 of 2 profiles: base, other") == 3, "a member that is called as its base is", r)

# ---- pages of a set
r = run("names/new", "base=names/old", "-c", "functions vs base > pages/")
page = open("pages/index.html").read()
links = re.findall(r'href="([^"]*)"', page)
same(sorted(links + ["index.html"]), sorted(os.listdir("pages")), "> DIR/: a page of each, and one that links them")
ok("<b>" not in page and "&lt;b&gt;" in page and "wrote %d profiles to pages/index.html" % len(HOSTILE) in r.talk and page.count("<td>900<td>100<td>800") == len(HOSTILE), "with their totals, and names as text", r)
r = run("names/new", "base=names/old", "-q", "-c", "profiles vs base > list.html")
page = open("list.html").read() if r.status == 0 else ""
ok(page.count("<tr>") == 1 + len(HOSTILE) and "<b>" not in page.partition("<table")[2], "profiles > x.html: a page of all, with a row for each", r)
r = run("names/new", "-q", "-c", "calltree | as svg > flames/")
ok(r.status == 0 and len([f for f in os.listdir("flames") if f.endswith(".svg")]) == len(HOSTILE), "in another format", r)
ok(run("names/new", "--safe", "-c", "functions > safe/").status == 1 and not os.path.exists("safe"), "--safe writes none")

# ---- CodSpeed: a part of PID.out, or of its dumps, that has a name is a member; other numbers are names
def codspeed(folder, price, pid=42, apart=False, benches=("bench.mjs::fib 12", "bench.mjs::sort #2", "bench.mjs::fib 12", "b/x.rs::<T as \"X\">::a|b"), pack=False):
    head = "# callgrind format\nversion: 1\ncreator: callgrind-3.19.0\npid: %d\ncmd: node bench\n" % pid
    parts = []
    for n, name in enumerate(("Metadata: codspeed-node 5.7.1",) + tuple(benches) + (None,)):
        cost = price * n if name in benches else 0
        parts.append("part: %d\n\ndesc: Timerange: Basic block 0 - 1\ndesc: Trigger: %s\n\npositions: line\nevents: Ir\nfl=(1) a.c\nfn=(1) main\n1 %d\ncfn=(2) work\ncalls=%d 2\n1 %d\n\nfn=(2)\n2 %d\n\ntotals: %d\n\n" %
                     (n + 1, "Client Request: " + name if name else "Program termination", 7 if cost else 0, n + 1, cost - 7 if cost else 0, cost - 7 if cost else 0, cost))
    for n, text in enumerate(parts if apart else ["".join(parts)]):
        path = put("%s/s/%d.out%s" % (folder, pid, ".%d" % (n + 1) if apart and n + 1 < len(parts) else ""), head + text)
        if pack:
            with gzip.open(path + ".gz", "wt") as f:
                f.write(head + text)
            os.remove(path)


BENCHES = ["bench.mjs::fib 12", "bench.mjs::sort #2", "b/x.rs::<T as \"X\">::a|b"]
for layout, how in (("in one file", {}), ("in dumps", dict(apart=True)), ("packed", dict(pack=True))):
    shutil.rmtree("speed", ignore_errors=True)
    codspeed("speed/old", 100, pid=9)
    codspeed("speed/new", 110, **how)
    r = run("speed/new", "base=speed/old", "--format", "csv", "-c", "profiles vs base | show total, base, why")
    got = {row[0]: row[1:] for row in csv.reader(io.StringIO(r.text))}
    same(got, {"profile": ["total", "base", "why"], **dict(zip(BENCHES, ([str(t), str(t // 11 * 10), "work spends more in itself"] for t in (440, 220, 440))))},
         "CodSpeed, %s: a row for each benchmark, parts of one name together" % layout)
    ok(re.search(r"quern: 3 profiles; left out: 2 unnamed parts\n", r.talk), "  what is none is counted", r)
r = ask("speed", "why vs base | show profiles, delta, why | as csv", gate=False)
same(r.text, "profiles,delta,why\n3,100,work spends more in itself\n", "  why: one cause of three benchmarks, which adds up")
r = ask("speed", "functions vs base | where delta% > 5 | sort delta | take 9 | expect none")
ok(r.status == 4 and r.talk.splitlines()[-1].endswith("in 3 of 3 profiles: b/x.rs::<T as \"X\">::a|b, bench.mjs::fib 12, +1)"), "  a gate names them", r)
r = ask("speed", "in %s | overview" % json.dumps(BENCHES[1]), gate=False)
ok(r.status == 0 and "work itself, 3 calls" in r.text, "  in NAME asks one", r)
r = run("speed/new/s/42.out.gz#bench.mjs::sort #2", "base=speed/old/s/9.out#bench.mjs::sort #2", "-q", "-c", "info vs base | show base, total | as csv")
same((r.status, r.text), (0, "base,total\n200,220\n"), "  FILE#NAME is one, without a folder")
r = run("speed/old/s/9.out#nobody", "-q", "-c", "info")
ok(r.status == 3 and "9.out: no part is called 'nobody'" in r.talk, "  of which there is none", r)
codspeed("speed/new", 50, pid=43, benches=BENCHES[:1])
codspeed("speed/new", 5, pid=44, benches=())
r = ask("speed", "profiles vs base | show total, base | as csv", gate=False)
same((BENCHES[0] + ",490,400\n" in r.text, len(r.text.splitlines())), (True, 4), "  what two processes have is one, a process without any is none")
codspeed("speed/new", 110, benches=BENCHES[:2])
for name in os.listdir("speed/new/s"):
    if not name.startswith("42.out") or name.endswith(".gz"):
        os.remove("speed/new/s/" + name)
r = ask("speed", GATES[2])
ok(r.status == 4 and "b/x.rs::<T as \"X\">::a|b" in r.talk.splitlines()[-1], "  a benchmark that is gone breaks a gate", r)
r = run("speed/old", "base=speed/old", "-q", "--keep-going", "-c", GATES[2])
ok(r.status == 4 and "compared with itself" in r.talk, "  and so does one that is its own base", r)

# Names of benchmarks are whatever somebody wrote; `base` is no base of the others, as it is in a folder of tak.
odd = tuple(sorted({n.strip() for n in HOSTILE if "\n" not in n})) + ("base.rs::x", "x.rs::x", "../../up", "/", "#", "part: 2", "fib", "fib.1", "events: Ir")
codspeed("oddnames/old", 100, pid=9, benches=odd)
codspeed("oddnames/new", 900, benches=odd)
for form in ("csv", "json", "md", "junit", "github", "table"):
    r = ask("oddnames", "profiles vs base | show total | expect none", form=form, env=dict(GITHUB_ACTIONS="true"))
    ok(r.status == 4 and "\x1b" not in r.text + r.talk and not re.search(r"^(::error::|##\[)", r.talk + (r.text if form in ("md", "junit", "github") else ""), re.M), "names of benchmarks: " + form, r)
    got = (len(list(csv.reader(io.StringIO(r.text)))) - 1 if form == "csv" else len(json.loads(r.text)["rows"]) if form == "json" else len(list(ET.fromstring(r.text).iter("testcase"))) if form == "junit" else None)
    same(got, None if form in ("md", "github", "table") else len(odd), "  each is one row")
for name in odd:
    r = ask("oddnames", "in %s | functions | sum | show self | as csv" % json.dumps("s/base" if name == "base" else name).replace("\\u001b", "\\x1B"), gate=False)
    same((r.status, r.text), (0, "self\n%d\n" % (900 * (odd.index(name) + 1))), "  in NAME asks it: %s" % name.replace("#", "(number)"))
r = run("oddnames/new", "base=oddnames/old", "-q", "-c", "functions vs base > oddpages/")
same(len([f for f in os.listdir("oddpages") if f != "index.html"]), len(odd), "  each has a page, in that folder")
with open("oddnames/new/s/42.out") as f:
    text = f.read()
put("oddnames/new/s/42.out", text[:text.rindex("totals:", 0, text.index("Program termination"))].rsplit("\n2 ", 1)[0])
r = ask("oddnames", GATES[2])
ok(r.status == 4 and "cut off" in r.talk, "  the last one is cut: it breaks a gate", r)

# Real dumps of callgrind, whose names begin anew in each part: what `part N` says of the file.
put("real/s/6666.out", open(small + "clreq-combine.out").read())
for name, part in (("phase: one = (1)", 1), ("after zero", 3)):
    for q in ("functions | show fn, file, self, incl, calls", "calls | show caller, callee, calls, incl", "lines of main | show line, self, incl_out", "callsites of main | show line, callee, calls, incl",
              "calltree | show depth, fn, incl, self", "files | show name, self", "cost of main | show incl", "callers of main | show fn, calls, incl"):
        got = [run(f, "-q", "-c", "%s | %s | as csv" % (of, q)) for f, of in (("real", 'in "%s"' % name), ("real/s/6666.out", "part %d" % part))]
        ok(got[0].status == got[1].status == 0 and sorted(got[0].text.splitlines()) == sorted(got[1].text.splitlines()), "%s: %s as of part %d" % (name, q.split(" |")[0], part), "%s\n--\n%s" % (got[0], got[1]))
for d, _, files in os.walk("speed"):
    for f in files:
        if f.endswith(".quern"):
            os.remove(d + "/" + f)

for n in (1, 2):
    put("numbers/%d.out" % n, profile(n, pid=40 + n, cmd="./b%d" % n))
same(run("numbers", "-q", "-c", "profiles | show total | as csv").text, "profile,total\n1,1\n2,2\n", "1.out and 2.out of other processes are two")

# ---- requests of Xdebug: an activation says of which it is, whether each has a file or all have one
for n in (1, 2):
    with open(small + "xdebug-small.out") as f:
        put("requests/r%d.xt" % n, f.read())
shutil.copy(small + "xdebug-append-different-scripts.out", "requests.xt")
r = run("requests", "-q", "-c", "activations of {main} | show start, incl | as csv")
same([row[0] for row in csv.reader(io.StringIO(r.text))], ["profile", "r1", "r2"], "activations of a folder of requests: profile says which")
r = run("requests.xt", "-q", "--no-index-write", "-c", "activations of {main} | show part, file | as csv")
same([row[0] for row in csv.reader(io.StringIO(r.text))], ["part", "1", "2", "3"], "of one file with three: part does")

# ---- one name for two, and none for many
put("twins/x.out", profile(100))
put("twins/x.out.old", profile(50))
put("twins/x", profile(7))
with gzip.open("twins/x.out.gz", "wt") as f:
    f.write(profile(200))
r = run("twins", "-q", "-c", "profiles | show total | as csv")
rows = list(csv.reader(io.StringIO(r.text)))[1:]
same((sorted(int(row[1]) for row in rows), len({row[0] for row in rows})), ([7, 100, 200], 3), "a packed copy beside it: two names")
scene("others")
r = run("others/new", "base=twins", "-q", "--keep-going", "-c", GATES[1])
ok(r.status in (1, 4) and ("no profile of the set has a base" in r.talk), "a base with none of the members", r)

# ---- limits are of each member, or of the answer, and never cut in silence
for limit in ("rows=2", "memory=1k", "text=2"):
    r = ask("names", "functions | take 100", gate=False, more=("--limit", limit))
    ok(r.status in (1, 2, 6) and not r.text.strip(), "--limit %s is said" % limit, r)

# ---- sums
pair("huge", "a.out", 1, 9 * 10 ** 18)
pair("huge", "b.out", 1, 9 * 10 ** 18)
r = ask("huge", "profiles | sum | show total", gate=False)
ok("64 bits" in r.talk, "a sum that does not fit is said", r)

# ---- many
for i in range(2000):
    put("many/d%d/r.out" % (i % 50) + str(i), profile(i + 1))
    put("many/d%d/n%d.txt" % (i % 50, i), "x\n")
r = run("many", "-c", "profiles | count | as csv", "-c", "profiles | sum | show total | as csv", "-c", "functions | sum | show self | as csv")
same(r.text.split(), ["count", "2000", "total", str(2000 * 2001 // 2), "self", str(2000 * 2001 // 2)], "2,000 profiles among 2,000 other files")
ok("2,000 profiles; left out: 2,000 other files" in r.talk, "  which are counted", r)
same([f for d, _, files in os.walk(".") for f in files if ".quern" in f], [], "nothing is left beside small profiles")

# ---- CI: several events in one file, a cost per unit, a baseline as text
def two(ir, llm):
    return profile(0, events="Ir LLm").replace("1 0\n", "1 %d %d\n" % (ir, llm)).replace("totals: 0", "totals: %d %d" % (ir, llm))


for name, now in (("fast", (1010, 108)), ("slow", (1030, 100)), ("miss", (1000, 120))):
    put("events/old/%s.out" % name, two(1000, 100))
    put("events/new/%s.out" % name, two(*now))
put("gate.q", "info by Ir vs base | expect delta% <= 2\ninfo by LLm vs base | expect delta% <= 10\n")
r = run("events/new", "base=events/old", "-q", "--keep-going", "-f", "gate.q")
ok(r.status == 4 and "gate.q:1:22 in 1 of 3 profiles: slow" in r.talk and "gate.q:2:23 in 1 of 3 profiles: miss" in r.talk, "Ir 2 %, LLm 10 % in one file", r)
put("unit.q", "functions of work | expect self / ${N:=3000} < 700\n")
for n, status in (("1", 4), ("3000", 0)):
    r = run("events/new", "-q", "--keep-going", "-f", "unit.q", "--set", "N=" + n)
    ok(r.status == status, "a cost per unit of work: N=%s" % n, r)
texts = [run(f, "-q", "-c", "profiles | sort profile | show total | as csv").text for f in ("events/old", "events/old", "events/new")]
ok(texts[0] == texts[1] != texts[2] and texts[0] == "profile,total\nfast,1000\nmiss,1000\nslow,1000\n", "a baseline as text: the same run gives the same bytes", texts)
done()
