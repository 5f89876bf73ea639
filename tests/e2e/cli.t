#!/usr/bin/env python3
"""cli.t - options, scripts, where errors point, exit statuses."""
import os
import re
import shlex
import shutil
import signal
import subprocess

from e2e import HUNG, done, environ, ok, profile, quern, run, same, small, top

lua = small + "lua-default.out"
profile("p.out", [(b"main", 10), (b"work", 80), (b"leaf", 10)])
r = run("p.out", "--quiet", "-c", "top 1")
same(r.status, 0, "a query is answered")
ok("work" in r.text and "leaf" not in r.text, "with the right function", r)
same(r.talk, "", "--quiet: nothing on stderr")
r = run("p.out", "-c", "top 1")
same(r.talk, "", "nothing is said of an index that is up to date")
r = run("p.out", "--rebuild", "-c", "top 1")
ok("indexed" in r.talk, "--rebuild", r)
r = run("--version")
ok(r.status == 0 and r.text.startswith("quern "), "--version", r)
r = run("--help")
ok(r.status == 0 and "--no-index-write" in r.text and "callers of malloc" in r.text, "--help", r)
listed = [len(re.findall(r"^  -", text, re.M)) for text in (r.text, run("--help", "all").text)]
ok(listed[0] <= 25 < listed[1], "--help lists what a person needs, --help all the rest", listed)

for args, want in [
        (["--fromat", "csv"], "did you mean '--format'?"),
        (["--format"], "--format needs a value"),
        (["--format", "xml"], "--format takes"),
        (["--jobs", "0"], "--jobs takes a number"),
        (["--mem", "12Q"], "--mem takes a size"),
        (["--rebuild=1"], "--rebuild takes no value"),
        (["-z"], "there is no option '-z'"),
        (["--index", "x", "a", "b=b"], "--index names one index"),
        (["--color", "blue"], "auto, always or never")]:
    r = run(*args)
    ok(r.status == 2 and want in r.talk and not r.text, "usage: " + " ".join(args), r)

# Exit statuses.
same(run("p.out", "-c", "nonsense").status, 1, "1: a wrong query")
same(run("p.out", "-c", "callers of no_such_function").status, 1, "1: nothing matched")
r = run("missing.out", "-c", "top")
ok(r.status == 3 and "missing.out" in r.talk, "3: no such profile", r)
open("text.out", "w").write("this is no profile\n" * 100)
same(run("text.out", "-c", "top").status, 3, "3: not a profile")
same(run("p.out", "-c", "functions | expect none").status, 4, "4: expect failed")
same(run("p.out", "-c", "functions | where self > 1M | expect none").status, 0, "0: expect held")
same(run("-c", "top").status, 1, "1: no profile is open")
same(run("p.out", "--event", "Zz", "-c", "top").status, 1, "1: no such event")
same(run("p.out", "-f", "missing.q").status, 1, "1: no such script")


# A query without quotes is several words, after the profile or before it.
for words in (["top", "5"], ["callers", "of", "work"], ["top", "5", "by", "incl"], ["functions", "|", "take", "1"]):
    want = run("p.out", "-q", " ".join(words))
    ok(want.status == 0 and want.text, "quoted: " + " ".join(words), want)
    for args in (["p.out", "-q"] + words, ["-q"] + words + ["p.out"], ["p.out"] + words + ["-q"]):
        same((run(*args).text, run(*args).status), (want.text, 0), "unquoted: " + " ".join(args))
same(run("top", "p.out").text, run("p.out", "top").text, "the query first")
for words, hint in ((["report", "p.out"], "top"), (["annotate", "main", "p.out"], "source of"), (["p.out", "perf", "report"], "top")):
    r = run("-q", *words)
    ok(r.status == 1 and "here that is: " + hint in r.talk, " ".join(words) + ": what to type instead", r)
for words in (["missing.out"], ["missing.out", "top"]):
    r = run("p.out", *words)
    ok(r.status == 3 and "quote it" not in r.talk, "no query: " + " ".join(words), r)

# Options of other tools: the hint is the whole command line, and it answers.
open("e.out", "w").write("events: Ir Dr\nfn=work\n1 80 9\n")
for args, want in ((["top", "--sort", "Dr", "e.out"], "e.out 'top by Dr'"), (["top", "--by=object", "e.out"], "e.out 'top objects'"),
                   (["e.out", "top", "--inclusive"], "e.out 'top by incl'"), (["top", "-n", "100", "--csv", "-q", "e.out"], "--format csv -q e.out 'top 100'"),
                   (["e.out", "-c", "top", "--json"], "e.out -c top --format json"), (["e.out", "top 5", "--json"], "e.out --format json 'top 5'"),
                   (["callers", "work", "--per-call", "e.out"], "e.out 'callers of work | sort incl / calls'"),
                   (["e.out", "top", "--ignore", "work", "--wide"], "e.out --wide 'ignore work | top'"),
                   (["e.out", "top", "--threads"], "e.out 'top threads'"), (["e.out", "-o", "x.csv", "top"], None), (["e.out", "-qz", "work"], None)):
    r = run(*args)
    told = re.findall("hint: here that is: quern (?:--limit seconds=\\d+ )?(.*)", r.talk)
    same((r.status, told), (2, [want] if want else []), "an option of another tool: " + " ".join(args))
    if want:
        r = run(*shlex.split(want))
        ok(r.status == 0 and r.text, "  it answers", r)

# One argument with blanks is a query, though it names a file.
for query, hint in (("flamegraph > f.svg", "calltree > f.svg"), ("select fn from functions where self/2 = 3", "where self/2 = 3")):
    r = run("p.out", query)
    ok(r.status == 1 and "here that is: " in r.talk and hint in r.talk, "a query: " + query, r)
same(run("p.out", "no/file top").status, 3, "no query: the first word is a path")

# A name alone is a query, as at the prompt, unless it looks like a file or more is asked.
r = run("p.out", "work")
ok(r.status == 0 and r.text.startswith("work\n"), "a name alone", r)
r = run("p.out", "wrok")
ok(r.status == 1 and "wrok" in r.talk, "a name that is not there", r)
r = run("p.out", "work", "-c", "top")
ok(r.status == 3 and "work: No such file" in r.talk, "a file that is missing, beside a query", r)

# Errors point at the token.
r = run("p.out", "-q", "-c", "top by D1Mr")
lines = r.talk.splitlines()
ok(len(lines) >= 3 and lines[0].startswith("error: ") and lines[1] == "  top by D1Mr" and
   lines[2] == "         ^~~~", "the caret stands under the token", r)
open("s.q", "w").write("top 1\n-- a comment\n\nfunctions |\n  take 1\ntop by D1Mr\ntop 2\n")
r = run("p.out", "-q", "-f", "s.q")
ok(r.status == 1 and r.talk.startswith("s.q:6:8: error: "), "a script names file:line:col", r)
same(r.text.count("functions ="), 2 if "functions =" in r.text else 0,
     "and stops at the first error")
r = run("p.out", "-q", stdin=b"top 1\n\n  bogus\n")
ok(r.status == 1 and "stdin:3:3: error:" in r.talk, "stdin is a script", r)
r = run("p.out", "-q", "-c", ".event Nope")
ok(r.status == 1 and "\n  .event Nope\n         ^~~~" in r.talk, "after a dot-command too", r)
r = run("p.out", "-q", "-c", ".push bogus x")
ok(r.status == 1 and "\n  .push bogus x\n        ^~~~~" in r.talk, "and in its stage", r)
r = run("p.out", "-q", "-c", "top 1 " + "x" * 3000 + " by D1Mr")
ok(max(len(line) for line in r.talk.splitlines()) < 4000, "long lines are cut", r)
r = run("p.out", "-q", "-c", "top by \x1b[31mD\tx\x07")
ok(r.status == 1 and b"\x1b" not in r.err and b"\x07" not in r.err,
   "an error shows control bytes, it does not send them", r)

# Scripts.
open("open.q", "w").write("#!/usr/bin/env -S quern -f\n.open p.out\ntop 1\n")
r = run("-q", "-f", "open.q")
ok(r.status == 0 and "work" in r.text, "a script opens its profile; #! is skipped", r)
open("a.q", "w").write(".read b.q\n")
open("b.q", "w").write("top 1\n")
ok("work" in run("p.out", "-q", "-f", "a.q").text, ".read")
open("loop.q", "w").write(".read loop.q\n")
same(run("p.out", "-q", "-f", "loop.q").status, 6, "6: a script that reads itself")
r = run("p.out", "-q", "-c", "top 1", "-f", "b.q", "-c", ".mode csv", "-c", "top 1")
same((r.text.count("work  a.c"), r.text.count(",work,a.c")), (2, 1), "-c and -f run in the order given")
open("hot.q", "w").write("callers of ${FUNC} | take ${N}\n")
r = run("p.out", "-q", "-c", ".run hot.q FUNC=no_such_thing N=3")
ok(r.status == 1 and "no_such_thing" in r.talk and r.talk.startswith("hot.q:1:"),
   ".run fills in values", r)
r = run("p.out", "-q", "-c", ".run hot.q FUNC=work")
ok(r.status == 1 and "nothing is called $N" in r.talk, ".run: a value is missing", r)
r = run("p.out", "-q", "-c", ".run hot.q FUNC=work N=1 M=2")
ok(r.status == 1 and "no $M" in r.talk, ".run: a value too many", r)
same(run("p.out", "-q", "-c", "top 1", "-c", ".quit", "-c", "bogus").status, 0, ".quit")
r = run("p.out", "-q", "-c", ".opne x")
ok(r.status == 2 and "did you mean '.open'?" in r.talk, "an unknown dot-command", r)

# Profiles by name.
profile("p2.out", [(b"main", 10), (b"work", 80), (b"leaf", 10)])
profile("old.out", [(b"main", 10), (b"work", 40)])
r = run("p.out", "base=old.out", "-q", "-c", ".profiles")
ok(r.status == 0 and "base" in r.text and "old.out" in r.text, "NAME=PROFILE", r)
r = run("p.out", "base=old.out", "-q", "--format", "csv", "-c", "functions vs base | where fn = \"work\"")
ok(r.status == 0 and "40" in r.text, "vs", r)
gate = "functions vs base | where delta% > 5 | expect none"
same([run("p.out", "base=" + b, "-q", "-c", gate).status for b in ("p2.out", "old.out")], [0, 4],
     "a gate: 0 when nothing grew, 4 when something did")

os.mkdir("d")
profile("d/p.out", [(b"other", 1)])
r = run("-q", stdin=b".open p.out\n.open d/p.out\n.profiles\n")
ok(r.status == 0 and r.text.count("p.out") == 4, "two profiles of one base name", r)
r = run("-q", stdin=b".open p.out\n.open x=p.out\n.open x=d/p.out\n")
ok(r.status == 1 and "already open" in r.talk, "two profiles of one name", r)

# The init file.
os.makedirs(".config/quern")
open(".config/quern/init", "w").write(".mode csv\n")
ok(run("p.out", "-q", "-c", "top 1").text.startswith("id,self"), "the init file is read")
ok(not run("p.out", "-q", "--no-init", "-c", "top 1").text.startswith("id,"), "--no-init")
ok(run("p.out", "-q", "--format", "json", "-c", "top 1").text.startswith("{"),
   "--format is stronger than the init file")
open(".config/quern/init", "w").write("let Cost = 3 * Ir\n")
r = run("p.out", "q=p.out", "-q", "--event", "Cost", "-c", "functions vs q | sum | show self, base", "-c", ".open r=p.out", "-c", "in r | top 1 by Cost", "--format", "csv")
ok(r.status == 0 and "Cost" not in r.talk, "a cost of the init file is an event, also of what is opened later", r)
os.makedirs("benches/one")
for name in ("callgrind.one.out", "callgrind.one.out.old"):
    shutil.copy("p.out", "benches/one/" + name)
for more in ((), ("--event", "Cost")):
    r = run("benches", "--no-index-write", "-q", *more, "-c", "functions by Cost vs base | sum each | show self, base", "--format", "csv")
    ok(r.status == 0 and "error" not in r.talk and "profile,self,base" in r.text, "  and of a folder of benchmarks", r)
os.remove(".config/quern/init")
os.mkfifo(".config/quern/init")
r = run("p.out", "-q", "-c", "top 1")
ok(r.status == 0 and r.text.startswith("#") and "init: not a regular file" in r.talk,
   "nobody waits for an init file that is a FIFO", r)
os.remove(".config/quern/init")

# Colour.
ok("\x1b[" not in run("p.out", "-q", "-c", "top").text, "no colour in a pipe")
ok("\x1b[" in run("p.out", "-q", "--color=always", "-c", "top").text, "--color=always")
ok("\x1b[" not in run("p.out", "-q", "--color=always", "--format", "csv", "-c", "top").text,
   "csv has no colour")

# ~/ is the home directory, which is this one.
os.makedirs("d", exist_ok=True)
shutil.copy("p.out", "d/home.out")
os.chdir("d")
r = run("home.out", "-q", "-c", ".open h=~/p.out", "-c", "in h | top 1 > ~/d/x.csv", "-c", "top 1 > ~/d/y.csv",
        "-c", ".save ~/d/z.q top 1", "-c", ".run ~/d/z.q", "-c", ".read ~/d/z.q", "-c", ".output ~/d/o.txt", "-c", "top 1", "-c", ".output")
ok(r.status == 0 and {"x.csv", "y.csv", "z.q", "o.txt"} <= set(os.listdir(".")), "~/ in every place for a file", r)
os.chdir("..")

# What would tell more depends on who wrote the profile.
for creator, hint in (("callgrind-3.19.0", "from this profile: quern record --stacks -- PROGRAM\n"), ("xdebug 3.2.0", "from this profile\n")):
    with open("wide.out", "w") as f:
        f.write("creator: %s\nevents: Ir\n" % creator + "".join("fn=%s\n1 %d\n%s\n" % (fn, own, "".join(
            "cfn=%s\ncalls=9 1\n1 %d\n" % call for call in calls)) for fn, own, calls in (
                ("main", 10, [("a", 500), ("b", 500)]), ("a", 10, [("w", 490)]), ("b", 10, [("w", 490)]),
                ("w", 100, [("x", 440), ("y", 440)]), ("x", 440, []), ("y", 440, []))))
    r = run("wide.out", "--no-index-write", "-c", "path from a to x")
    ok(r.text.endswith("1 of 3 rows (~) cannot be known " + hint), "wide bounds, " + creator, r)

# Help that is run: every example of every topic.
shutil.copy(small + "lua-instr-jumps.out", "instr.out")
shutil.copy(lua, "base.out")
shutil.copy(small + "xdebug-small.out", "calls.out")
topics = run("p.out", "-q", "-c", ".help").text
ok("Topics" in topics and ".explain" in topics, ".help")
names = topics[topics.index("Topics"):topics.index("Commands")].split("\n", 1)[1].split()
for name in names:
    r = run("p.out", "-q", "-c", ".help " + name)
    if not ok(r.status == 0 and r.text.startswith("  "), ".help " + name, r):
        continue
    for line in r.text.splitlines():
        if re.match(r" {4}\S", line) and line.strip() and name != "formats":
            profile_of = "calls.out" if name in ("activations", "timeline") else "instr.out"
            r = run(profile_of, "base=base.out", "-q", "-c", line.strip())
            ok(r.status == 0, "example: " + line.strip(), r)

# Every word of the language has help: the form, then an example.
with open(top + "/engine/lang/keywords.c", encoding="utf-8") as f:
    language = set(re.findall(r'"([a-z]\w+)"', f.read().split("nearest_of")[0]))
ok(len(language) > 70 and {"asm", "via", "hottest", "p90", "basename", "not"} <= language, "the words of the language", language)
without = [w for w in sorted(language) + ["~", "'2", "#", "%", "est", "k", "ms", "KiB", "units"]
           if not re.search(r"^(  column .*\n\n)?(  \S.*\n)+\n {4}\S", run("-c", ".help " + w).text)]
same(without, [], "each has help, with examples first")
for word, form in (("switch", ".use NAME"), ("use", ".use NAME"), ("callsites", "column callsites"), ("pairs", "calls|callsites [of"), ("diff", "SOURCE vs"), ("flame", "calltree ["), ("what-if", "cost of"), ("open", ".open [NAME=]"),
                   ("gate", "| expect"), (".run", ".run FILE"), ("misses", ".help record has this word:")):
    r = run("-q", "-c", ".help " + word)
    ok(r.text.startswith("  " + form), ".help %s: by another word" % word, r)
r = run("-q", "-c", ".help nothing")
ok(r.status == 2 and "no help on 'nothing'" in r.talk, "a word that is everywhere is no topic", r)
r = run("instr.out", "base=base.out", "-c", ".use base\ninfo | take 1\ntop 1\n.use nosuch")
ok("base.out" in r.text + r.talk and r.status == 1 and "no profile is open under the name 'nosuch'" in r.talk, ".use", r)
r = run("base.out", "-q", "-c", "use base.out; .open b=instr.out\nuse b\ninstrs | count")
ok(r.status == 0 and r.text == " count\n32,684\n", "use NAME: queries ask it", r)
r = run("base.out", "-c", ".open b=instr.out\n.save kept.q top 3")
ok("open as b: in b | top, functions vs b; use b: queries ask it" in r.talk and "wrote kept.q: .run kept.q asks it" in r.talk, ".open and .save say what they did", r)
r = run("base.out", "-c", "calltree min 1%; calltree from luaV_execute\ncalltree from main\ncalltree from main", env={"COLUMNS": "200"})
same(r.text.count("min 0 lists all"), 1, "what stands below a tree is said in full once")
columns = re.findall(r"^  (\S+)  ", run("-c", ".help columns").text, re.M)
same([c for c in columns if run("-c", ".help " + c).status], [], "each column has help")
reading = run("-c", ".help reading").text
ok(reading.count("\n") < 24, ".help reading and the prompt are one screen", reading)

# A file's name is one line, whatever it holds.
shutil.copy("p.out", "two\nquern: lines.out")
r = run("two\nquern: lines.out", "--no-index-write", "--rebuild", "-c", ".profiles")
ok(r.status == 0 and r.text.count("\n") == r.talk.count("\n") == 1 and "two\\x0Aquern" in r.text and
   "two\\x0Aquern" in r.talk, "a newline in the name of a file", r)

# Interrupting a script.
open("many.q", "w").write("functions | sort self\n" * 200000)
p = subprocess.Popen([quern, "p.out", "-q", "-f", "many.q"], stdout=subprocess.PIPE,
                     stderr=subprocess.PIPE, stdin=subprocess.DEVNULL, env=environ)
p.stdout.readline()
p.send_signal(signal.SIGINT)
try:
    talk = p.communicate(timeout=HUNG)[1]
    same(p.returncode, 130, "130: Ctrl-C ends a script")
except subprocess.TimeoutExpired:
    p.kill()
    ok(False, "130: Ctrl-C ends a script", "still running")
done()
