#!/usr/bin/env python3
"""first_words.t - what users of other tools type first, and the answer that each gets.

first_words.txt is a table: the tool and what is typed, and below it what quern says, of an
answer its first lines.  --update writes the answers anew; a person reads the difference.
"""
import os
import re
import sys

from e2e import done, ok, profile, run, same, small, top, write_bytes

TABLE = top + "/tests/e2e/first_words.txt"
LINES, WIDTH = 4, 96
# Whose lines have no text, whatever headers are installed here.
with open(small + "tmpl-cachebranch.out", "rb") as f:
    write_bytes("app.out", f.read().replace(b"/usr/include/", b"/old/include/"))
run("app.out", "-c", "info")


def answer(typed):
    """The first lines of what a user sees, without trailing blanks."""
    r = run("app.out", "-q" if typed.startswith(".") else "--no-init", "-c", typed)
    # On a busy machine it is said how long opening took.
    lines = [line for line in (r.talk + r.text).splitlines() if "index up to date" not in line]
    more = len(lines) - LINES
    shown = [line[:WIDTH].rstrip() for line in lines[:LINES]]
    return shown + (["[%d more lines]" % more] if more > 0 else []), r.status


with open(TABLE, encoding="utf-8") as f:
    entries = re.findall(r"^(\S+) +(.*)\n((?:    .*\n)*)", f.read(), re.M)
out = []
for tool, typed, want in entries:
    got, status = answer(typed)
    text = "".join("    %s\n" % line for line in got)
    out.append("%-11s %s\n%s" % (tool, typed, text))
    if "--update" not in sys.argv:
        same(text, want, "%s: %s" % (tool, typed))
        ok(status in (0, 1, 2) and (status == 0 or "hint:" in text), "  an answer, or what to type instead", text)
if "--update" in sys.argv:
    with open(TABLE, "w", encoding="utf-8") as f:
        f.write("".join(out))
    sys.exit(0)
ok(len(entries) >= 132, "twice the first table", len(entries))

# What is answered with a query is a query: of the table above, and of each word in habits.txt,
# alone, before a name, before other words and before the name of a file.
write_bytes("words.out", b"events: Ir\nfl=a.c\nfn=_start\n9 1\ncfn=main\ncalls=1 1\n9 100\nfn=main\n1 10\ncfn=malloc\ncalls=2 2\n1 90\nfn=malloc\n2 80\ncfn=free\ncalls=1 3\n2 10\nfn=free\n3 10\n")


# A hint is the query, or what it would be of a profile that has what it is about, or an example where words say more.
HINT = r"(?:here that is|it would be|for example|there is no what-if, ask): (.*?)(?: -- .*)?$"
WORDS = "words.out", "base=words.out", "malloc=words.out", "--no-index-write", "-q"


def hints_of(asked, at=WORDS):
    """The hint of each (typed, it is a stage), all asked by one process, and one that explains them."""
    r = run(*at, "--keep-going", *[a for typed, _ in asked for a in ("-c", typed)])
    told = re.split(r"^error: ", r.talk, flags=re.M)[1:]
    hints = [(re.findall(HINT, t, re.M) or [""])[0] for t in told]
    same([typed for (typed, _), hint in zip(asked, hints) if not hint], [], "each has a hint: %s to %s" % (asked[0][0], asked[-1][0]))
    if not same(len(hints), len(asked), "  and each is an error"):
        hints = [hint for one in asked for hint in hints_of([one])] if len(asked) > 1 else [""]
    queries = [hint.split(";")[0] for hint in hints if not re.match(r"\.|the keys?", hint)]
    r = run(*at, "--keep-going", *[a for q in queries or ["top"] for a in ("-c", ".explain " + q)])
    ok(r.status == 0, "  which is a query", r.talk)
    return hints


def hint_of(typed, stage):
    return hints_of([(typed, stage)])[0]


hints_of([(typed, "here that is: |" in want) for tool, typed, want in entries
          if re.search(HINT, want, re.M) and not typed.startswith((".", "\\"))], ("app.out", "base=app.out", "--no-index-write", "-q"))
with open(top + "/engine/lang/habits.txt", encoding="utf-8") as f:
    tables = dict(re.findall(r"^\[(\w+)\]\n(.*?)(?:\n\n|\Z)", f.read(), re.S | re.M))
same(list(tables), ["sql", "rewrites", "words", "verbs", "said", "commands"], "the tables of habits.txt are found")
words = [word for row in re.findall(r"^([^#].*?) =>", tables["words"], re.M) for word in row.split("|") if word]
ok(len(words) > 500 and not [w for w in words if w != w.lower() or "  " in w], "%d words" % len(words))
same([w for w in sorted(set(words)) if words.count(w) > 1], [], "  each is there once")
for form in ("%s", "which functions %s malloc", "top %s of malloc in main"):
    r = run(*WORDS, "--keep-going", *[a for w in words for a in ("-c", form % w)])
    queries = sorted({q for q in re.findall(r"^  hint: (?:here that is|for example): ([^.\n].*)", r.talk, re.M) if not q.startswith("the key")})
    r = run(*WORDS, "--keep-going", *[a for q in queries for a in ("-c", q)])
    ok(r.status == 0 and len(queries) > 20, "  '%s': %d hints answer" % (form, len(queries)), r.talk)

# A hint is a query that answers.
for typed, want in (("top malloc", "top of malloc"), ("top by inclusive", "top by incl"), ("count functions", "functions | count"),
                    ("show functions", "functions"), ("sort calls", "top by calls"), ("top 3 by self desc", "top 3 by self"),
                    ("malloc | callers", "callers of malloc"), ("calltree as folded", "calltree | as folded"),
                    ("functions where self > 5", "functions | where self > 5"), ("main -> malloc", "path from main to malloc"),
                    ("callers", "callers of malloc"), ("find", "find malloc"), ("cost under main", "cost of malloc under main"),
                    ("callers of malloc|main", "callers of malloc or main"), ("main vs base", "info main vs base")):
    same(hint_of(typed, False), want, typed)
    r = run("words.out", "base=words.out", "-q", "--no-index-write", "-c", want)
    ok(r.status == 0, "  it answers", r)
for name in ("lua-default", "tmpl-cachebranch", "xdebug-small", "mutual-default"):
    for query in ("cycles", "cycles of *a*"):
        told = run(small + name + ".out", "--no-index-write", "-c", query).talk
        for n, lists in re.findall(r"(\d+) functions? calls? only .*?; (.*) lists ", told):
            r = run(small + name + ".out", "-q", "--no-index-write", "--format", "csv", "-c", lists + " | count")
            same(r.text.split()[1:], [n], "%s: %s: the note counts what it names" % (name, query))
r = run("words.out", "-q", "--no-index-write", "-c", 'functions | where fn ~ "mall|free"')
ok("/mall|free/" in r.talk, "a text that looks like a regular expression, and is nowhere, is noted", r)
r = run("words.out", "-q", "--no-index-write", "regressions")
ok(r.status and ".run regressions" in r.talk, "the name of a query that ships", r)
r = run("words.out", "-q", "--no-index-write", "main -> malloc")
ok(r.status == 1 and "path from main to malloc" in r.talk, "a path without its verb is no file", r)
for word in ("help", ".help vs"):
    r = run(word)
    ok(r.status == 0 and r.text.count("\n") > 5, "quern '%s' needs no profile" % word, r)
r = run("./.help")
ok(r.status == 3 and "No such file" in r.talk, "a file that is missing is none", r)

# An example that a profile lacks becomes a function that it has, and a hint names no function that is not there.
at = [small + "xdebug-small.out", "-q", "--no-init", "--no-index-write", "-c"]
for typed in ("bt", "sandwich", "break", "peek", "list", "info functions Fib", "who calls buidl"):
    for hint in re.findall(HINT, run(*at, typed).talk, re.M) or ["none"]:
        r = run(*at, hint)
        ok(r.status == 0, "%s: %s answers" % (typed, hint), r)
r = run(*at, "list nosuch")
ok(r.status == 1 and r.talk.endswith("hint: nothing here is called 'nosuch'\n"), "a name that is nowhere is in no query", r)

# A name in a hint is a name, whatever stands in it: nothing of it is written, and no command is run.
write_bytes("library.out", b"events: Ir D1mr;top>e\nob=/lib/libone.so ! touch a\nfl=/src/parser.c; top > b\nfn=main\n1 9 9\n"
                           b"fn=gather_all>c\n2 8 8\n")
at = ("-q", "--no-init", "--no-index-write", "-c")
for typed, want in (("info libone", 'info obj:"libone.so ! touch a"'), ("list parser", 'source of file:"parser.c; top > b"'),
                    ("info gather_ale", 'did you mean "gather_all>c"?'), ("top by D1m", "did you mean 'D1mr;top>e'?")):
    r = run("library.out", *at, typed)
    ok(want in r.talk.split("hint: ")[-1], "%s: names in its hint are names" % typed, r)
    for hint in re.findall(HINT, r.talk, re.M):
        r = run("library.out", *at, hint)
        ok(r.status == 0 and not any(map(os.path.exists, "abc")), "  it answers", r)
os.rename("library.out", "new ! touch d.out")
r = run("new ! touch d.out", *at, "functions vs new")
ok(r.talk.endswith("hint: did you mean 'new ! touch d.out'?\n"), "nor is the name of a profile more than one", r)

# The heading of each column can be typed where a column may stand; of "#", which begins a comment, the hint is the query.
SOURCES = ["top", "functions", "files", "objects", "dirs", "classes", "lines", "inlined", "calls", "callsites", "cycles", "contexts", "parts",
           "threads", "events", "profiles", "callers of F", "callees of M", "callers of F depth 2", "calltree", "path from M to F",
           "find F", "lines of M", "instrs of M", "jumps", "activations of F", "source of M", "functions vs base", "calltree vs base",
           "callers of F vs base"]
for name, main, f in (("tmpl-cachebranch", "main", "malloc"), ("lua-instr-jumps", "main", "luaV_execute"), ("xdebug-small", "{main}", "App\\\\Fib->run")):
    at = [small + name + ".out", "base=" + small + name + ".out", "-q", "--no-init", "--no-index-write"]
    asked, numbers = [], []
    for source in SOURCES:
        query = re.sub(r"\bF\b", lambda _: f, re.sub(r"\bM\b", lambda _: main, source))
        r = run(*at, "-c", query + " | take 3", env={"COLUMNS": "400"})
        lines = [line for line in r.text.splitlines() if " -> " not in line]
        if r.status or len(lines) < 3:
            continue
        for heading in re.split(r"  +", lines[0].strip()):
            if heading == "#":
                numbers += ["%s | sort #" % query, "%s | where # > 0" % query]
            elif not heading.endswith("cum%"):
                asked += ["%s | sort %s" % (query, heading)]
                asked += [] if heading == "file:line" else ["%s | where %s = %s" % (query, heading, heading)]
    r = run(*at, "--keep-going", *[a for q in asked for a in ("-c", ".explain " + q)])
    ok(r.status == 0 and len(asked) > 100, "%s: %d headings in sort and where" % (name, len(asked)), r.talk)
    r = run(*at, "--keep-going", *[a for q in numbers for a in ("-c", q)])
    same(re.findall(r"here that is: (.*)", r.talk), [q.replace("#", "id") for q in numbers], "  # is id")
for typed, want in (("inclpercall", "incl / calls"), ("self_per_call", "self / calls"), ("libraries", "obj"), ("directory", "dir"), ("dsos", "obj")):
    r = run(small + "lua-default.out", "-q", "--no-index-write", "-c", "functions | sort " + typed)
    ok("did you mean '%s'?" % want in r.talk, "a column of other tools: %s" % typed, r)
r = run(small + "lua-default.out", "-q", "--no-index-write", "--format", "tsv", "-c", "callers of malloc | show incl/call, incl / calls as x | where incl/call != x | count")
same(r.text, "count\n0\n", "incl/call is incl / calls")
with open("moved.out", "w", encoding="utf-8") as f:
    f.write("events: Ir\nfl=b.c\nfn=main\n1 10\ncfi=c.c\ncfn=work\ncalls=2 1\n1 90\nfl=c.c\nfn=work\n2 90\n")
with open("there.out", "w", encoding="utf-8") as f:
    f.write("events: Ir\nfl=b.c\nfn=main\n1 10\ncfn=work\ncalls=2 1\n1 80\nfl=b.c\nfn=work\n2 80\n")
r = run("moved.out", "base=there.out", "-q", "--no-index-write", "--format", "tsv", "-c", "why | where from/call < to/call | sort to/call | show why, to/call, to")
same(r.text.splitlines()[1:], ["main calls work, which moved to c.c\t2\t2"], "a file is new, not the parameters; from/call is from")

# Where the rest says what is meant, the hint keeps it.
for typed, want in (("who calls malloc", "callers of malloc"), ("flamegraph > x.svg", "calltree > x.svg"),
                    ("flamegraph main > x.svg", "calltree from main > x.svg"),
                    ("compare part 3 with part 2", "part 3 | functions vs part 2"),
                    ("diff part 2 part 3", "part 3 | functions vs part 2"), ("compare with base", "functions vs base"),
                    ("call sites of malloc", "callsites to malloc"),
                    ("functions | filter calls > 3", "functions | where calls > 3"),
                    ("functions | grep -i alloc > x.csv", "functions | where fn ~ /alloc/ > x.csv"),
                    ("functions | head -5", "functions | take 5"), ("functions | head -n 5", "functions | take 5")):
    same(hint_of(typed, False), want, typed)

# Each rule of habits.txt is asked at least once: what is typed, and the query that does it.
RULES = """
show what changed => functions vs base
top 5 by delta => functions vs base | sort delta | take 5
functions | where delta > 0 | sort delta => functions vs base | where delta > 0 | sort delta
functions | vs base => functions vs base
functions vs thread 1, thread 2 => thread 1 | functions vs thread 2
top 3 of part 1 => part 1 | top 3
functions vs base by incl => functions vs base | sort incl
functions vs base top 5 by incl => functions vs base | sort incl | take 5
all callees of main => callees of main
all callers malloc => callers of malloc
all functions => functions
from main | top => top of main
from functions | take 3 => functions | take 3
malloc under main => cost of malloc under main
malloc in main => cost of malloc under main
malloc avoiding main => cost of malloc avoiding main
cost of malloc per call => functions of malloc | show fn, calls, self / calls, incl / calls
instructions per call => top by incl / calls
percentile => functions | group by "all": median(self), p90(self), p99(self)
functions limit 5 => functions | take 5
malloc | callers => callers of malloc
callers of malloc | top 3 => callers of malloc | take 3
top functions 5 => top 5
functions top => top
top 5 object => top 5 objects
top object => top objects
hottest lines => top lines
top by incl desc => top by incl
top 5 self => top 5 by self
top 5 called => top 5 by calls
top 5 by directories => top 5 dirs
top 5 modules => top 5 objects
top 5 methods => top 5
top 5 instructions => top 5 instrs
callees of main by line => callsites of main
callers of malloc by line => callsites to malloc
cost of malloc by caller => callers of malloc
cost of main by callee => callees of main
functions by file => files
functions by library => objects
functions group by obj => objects
functions | group by thread => threads
functions by class => classes
callers of malloc<*> => callers of malloc
calltree from main to malloc => path from main to malloc
calltree main => calltree from main
callers => callers of malloc
callers of malloc|main => callers of malloc or main
callers of malloc + main => callers of malloc or main
where self > 5 => functions | where self > 5
functions sort self => functions | sort self
functions | sort # => functions | sort id
functions | where self between 1 and 2 => functions | where self >= 1 and self <= 2
functions | where fn like "mal%" => functions | where fn ~ "mal"
functions of malloc | sum incl => cost of malloc
functions | sum self => functions | group by "all": sum(self)
functions | group by obj: count, max self => functions | group by obj: count, max(self)
functions | group by obj, sum self => functions | group by obj: sum(self)
functions | max => functions | group by "all": max(self)
functions | count self => functions | count
functions | show fn self => functions | show fn, self
functions | group file => functions | group by file
functions | less => functions ! less
functions | sort -n | head => functions | sort self | take 10
info functions => functions
select self, fn from functions where fn <> 'x' order by 1 => functions | where fn != "x" | sort self | show self, fn
select obj, count(*), sum(self) from prof group by obj having sum(self) > 3 order by 3 desc limit 2 => \
functions | group by obj: count, sum(self) | where sum(self) > 3 | sort sum(self) desc | take 2
select sum(self) from functions where calls > 3 => functions | where calls > 3 | group by "all": sum(self)
select distinct obj from functions => functions | group by obj
select fn, incl/calls from functions order by 2 desc => functions | sort incl/calls desc | show fn, incl/calls
select fn, self as x from functions order by x => functions | sort self | show fn, self as x
calls where callee ~ malloc => calls | where callee ~ /malloc/
what is in this file => info
what is slow => top
where does the time go => top
what calls malloc => callers of malloc
how often is malloc called => functions of malloc | show fn, calls
select a from b join c on d => .export x.db, and in it any SQL: sqlite3 x.db
select self, sum(self) over () from functions => .export x.db, and in it any SQL: sqlite3 x.db
select fn, incl/calls c from functions order by c limit 3 => functions | sort incl/calls | take 3 | show fn, incl/calls as c
select fn, sum(self) s from functions group by fn having s > 3 => functions | group by fn: sum(self) | where sum(self) > 3
select c.caller, sum(c.incl) from calls c group by c.caller => calls | group by caller: sum(incl)
select fn, self*100.0/(select sum(self) from functions) pct from functions => functions | show fn, self% as pct
select fn, round(incl/calls, 1) from functions => functions | show fn, incl/calls
select * from functions where fn ilike '%ALL%' => functions | where fn ~ /ALL/i
select * from functions where fn like 'mal%' => functions | where fn ~ /^mal/
select * from functions where fn not like 'mal%' => functions | where fn !~ /^mal/
select * from functions where fn like '%loc' => functions | where fn ~ /loc$/
select * from functions where self between 1 and 2 => functions | where self >= 1 and self <= 2
select caller from calls where callee = 'malloc' => calls to malloc | show caller
select callee from calls where caller = 'main' => calls from main | show callee
from main to malloc => path from main to malloc
calls where callee = malloc => calls to malloc
calls | where caller = main | take 3 => calls from main | take 3
functions | where thread = 2 | top 5 => thread 2 | top 5
functions where thread = 2 => thread 2 | functions
functions where self > 5 and thread = 2 => thread 2 | functions | where self > 5
top where part = 1 => part 1 | top
functions by thread 2 => thread 2 | functions
event types => events
callers malloc per-call => callers of malloc | sort incl / calls
callees of main focus malloc => focus malloc | callees of main
focus main => focus main | top
focus on main | functions => focus main | functions
under main | top => focus main | top
top under main => focus main | top
top 5 below main => focus main | top 5
lines of malloc under main => focus main | lines of malloc
callees main below main => focus main | callees of main
cost of malloc in main => cost of malloc under main
sum of malloc and main => cost of malloc or main
sum of malloc => cost of malloc
sum malloc inclusive => cost of malloc
malloc callers => callers of malloc
top by object => top objects
top -5 => top 5
top n 5 => top 5
top sort calls => top by calls
top 5 sort by calls => top 5 by calls
top inclusive 5 => top 5 by incl
top all => top
top 5 csv => top 5 | as csv
top 5 | json => top 5 | as json
top o x.csv => top > x.csv
export sql => .export x.db
export csv => .export DIR
perf annotate -s main => source of main
perf diff => functions vs base
perf report --sort dso => top objects
perf report -g caller malloc => callers of malloc
perf stat => info
perf list => events
caller map of malloc => callers of malloc
callee map of main => callees of main
callee map => callees of main
info functions mal => functions of mal
x/20i main => asm main
calltree of main depth 3 => calltree from main depth 3
calltree under main => calltree from main
callers tree of malloc depth 3 => calltree to malloc depth 3
top callers of malloc => callers of malloc
biggest 2 callers of malloc => callers of malloc | take 2
callers of malloc recursively => callers of malloc depth all
callers of malloc | depth 2 => callers of malloc depth 2
top of m* --format json => top of m* | as json
callers of malloc --depth 3 => callers of malloc depth 3
top 2 --event Ir => top 2 by Ir
top --limit 3 => top 3
top --sort incl => top by incl
`top 2` => top 2
"top 2" => top 2
-c 'top 2' => top 2
quern app.out -c 'top 2' => top 2
quern app.out top 2 => top 2
top mal* => top of mal*
what is the hottest function => top
which functions are called most often => top by calls
functions called more than 1 times => functions | where calls > 1 | sort calls
how much of malloc is under main => cost of malloc under main
how much of main is malloc => cost of malloc under main
export top to csv => top | as csv
functions | where fn startswith "mal" => functions | where fn ~ /^mal/
functions | where fn endswith 'loc' => functions | where fn ~ /loc$/
functions | where fn ilike "MAL%" => functions | where fn ~ /MAL/i
functions | where fn ~ /mal/gi => functions | where fn ~ /mal/i
functions | where fn = 'malloc' => functions | where fn = "malloc"
functions | where calls > "1" => functions | where calls > 1
functions | where calls == 1 and self <> 3 => functions | where calls = 1 and self != 3
functions | where calls > 0 && self > 1 || fn = "x" => functions | where calls > 0 and self > 1 or fn = "x"
functions | where cycle != null => functions | where cycle > 0
functions | where line:a.c:2 => functions of line:a.c:2
callers of 1 => callers of #1
SELECT fn, SUM(self) FROM functions GROUP BY fn ORDER BY 2 DESC => functions | group by fn: sum(self) | sort sum(self) DESC
compare main => info main vs base
top calls 5 => top 5 calls
how much time is spent in main but not in malloc => ignore malloc | cost of main
callers and callees of malloc => callers of malloc; callees of malloc
distance from main to malloc => shortest path from main to malloc
call graph of main depth 2 => calltree from main depth 2 > calls.svg
functions nobody calls => functions | where calls = 0
by how much => info vs base
who calls malloc the most => callers of malloc | sort calls
callees of main sorted by cost => callees of main
export everything to sqlite => .export x.db
what does main spend its time on => callees of main
callgrind_annotate --tree=calling main => callees of main
speedup malloc 2x => cost of malloc; ignore malloc | top
"""
for rule in RULES.replace("\\\n", "").strip().split("\n"):
    typed, want = rule.split(" => ")
    same(hint_of(typed, False), want, typed)

with open("words.out", "rb") as f:
    write_bytes("before.out", f.read().replace(b"3 10", b"3 12"))
same(hints_of([("expect total < 2%", False)], ("words.out", "base=before.out", "--no-index-write", "-q")), ["functions vs base | sum | expect delta% < 2%"],
     "a gate that can hold")

# A hint that would fail, or have no rows, is none; one that this profile lacks something for says what.
for typed, hint in (("calltree of nosuch", "its form: calltree"), ("expect incl < 2%", "functions | expect none|some|EXPR"),
                    ("top thread 2", "it would be: thread 2 | top -- no thread has the number 2"), ("callees free", "")):
    r = run("words.out", "-q", "--no-index-write", "-c", typed)
    ok(hint in r.talk and "here that is" not in r.talk, "%s: %s" % (typed, hint), r)

# A word that changes nothing in a query is not left out: there is no hint.
for typed in ("which functions write the most", "functions without recursion", "the longest path from main to malloc", "cost relative to parent",
              "functions that call malloc but not free", "where does the time before main go", "functions called only by main", "who calls malloc first",
              "search malloc in main", "static call graph", "functions with the most callers", "how often is free called by main", "time in json"):
    r = run("words.out", "base=before.out", "-q", "--no-index-write", "-c", typed)
    ok(r.status == 1 and not re.search(HINT, r.talk, re.M), "%s: no hint" % typed, r.talk)

r = run("words.out", "--no-index-write", "-c", "calltree from main min 5; calltree from main min 5%")
same(r.talk.count("note: min 5 is a cost; a share is min 5%"), 1, "min 5 is a cost")

# A place is no function: its functions are meant.  An event goes by its long name, or by what it is of.
for name, typed, want in (("tmpl-cachebranch", "top 5 in libc", "top 5 of obj:libc.so.6"), ("tmpl-cachebranch", "class:std", "functions of class:std"),
                          ("tmpl-cachebranch", "callers of std::__detail::_Compiler<…>::_M_atom()", "callers of std::__detail::_Compiler::_M_atom"),
                          ("tmpl-cachebranch", "callers of …::__detail::_Compiler<…>::_M_insert_bracket_matcher<…>(…) | take 2",
                           "callers of __detail::_Compiler::_M_insert_bracket_matcher | take 2"), ("lua-default", "lines of lapi", "lines of file:lapi.c"),
                          ("gopprof-cpu", "top in decode.go", "top of file:decode.go"), ("tmpl-cachebranch", "libc", "functions of obj:libc.so.6"),
                          ("tmpl-cachebranch", "top by time", "top by CEst"), ("xdebug-small", "top by time", "top by Time"),
                          ("tmpl-cachebranch", "top by cycles", "top by CEst"), ("cachegrind-lua", "top misses", "top by D1mr + D1mw"), ("pyprof2calltree", "top by time", "top by ns"),
                          ("tmpl-cachebranch", "select fn, Dr/Ir as rate from functions where self > 3 order by rate desc limit 5",
                           "functions | where self > 3 | sort Dr/Ir desc | take 5 | show fn, Dr/Ir as rate"),
                          ("tmpl-cachebranch", "top by LL misses", "top by DLmr + DLmw"),
                          ("tmpl-cachebranch", "top by cache-misses", "top by DLmr + DLmw"),
                          ("tmpl-cachebranch", "top by L1-dcache-load-misses", "top by D1mr + D1mw"),
                          ("tmpl-cachebranch", "top by branch-misses", "top by Bcm + Bim"), ("tmpl-cachebranch", "LL miss rate", "functions | where Dr + Dw > 1000 | sort (DLmr + DLmw) / (Dr + Dw) | take 10"),
                          ("tmpl-cachebranch", "cycle estimation", "top by CEst"),
                          ("tmpl-cachebranch", "event Dr | top 3", "top 3 by Dr"),
                          ("lua-default", "top 3 by instructions", "top 3 by Ir"), ("xdebug-small", "top by memory", "top by Memory"),
                          ("tmpl-cachebranch", "how often is malloc called?", "functions of malloc | show fn, calls"), ("tmpl-cachebranch", "tree to malloc", "calltree to malloc"),
                          ("tmpl-cachebranch", "show me the callers of malloc", "callers of malloc"), ("tmpl-cachebranch", "list all libraries", "objects"),
                          ("tmpl-cachebranch", "D1 misses per function", "functions | sort D1mr + D1mw"), ("tmpl-cachebranch", "leaf functions", "functions | where incl = self"),
                          ("tmpl-cachebranch", "percentage of time in malloc", "cost of malloc"), ("tmpl-cachebranch", "functions called once", "functions | where calls = 1"),
                          ("tmpl-cachebranch", "top functions by inclusive cost", "top by incl"),
                          ("tmpl-cachebranch", "how much of the time is spent in malloc?", "cost of malloc"), ("tmpl-cachebranch", "time per library", "objects"),
                          ("tmpl-cachebranch", "where is malloc called from", "callsites to malloc"), ("tmpl-cachebranch", "how is malloc reached", "path from main to malloc"),
                          ("tmpl-cachebranch", "bottom-up tree of malloc", "calltree to malloc"), ("tmpl-cachebranch", "callers of malloc order by calls", "callers of malloc | sort calls"),
                          ("tmpl-cachebranch", "path from main to malloc max 3", "hottest 3 paths from main to malloc"),
                          ("tmpl-cachebranch", "functions with more than 1000 calls", "functions | where calls > 1000 | sort calls"),
                          ("xdebug-small", "slowest single calls", "top activations by incl"), ("xdebug-small", "memory usage by function", "functions by Memory"),
                          ("tmpl-cachebranch", "hottest function", "top"), ("tmpl-cachebranch", "who is calling free", "callers of free"),
                          ("tmpl-cachebranch", "tree of main 3 levels", "calltree from main depth 3"), ("tmpl-cachebranch", "functions starting with mem", "functions | where fn ~ /^mem/"),
                          ("tmpl-cachebranch", "inclusive cost of malloc", "cost of malloc"),
                          ("tmpl-cachebranch", "how much does malloc cost under main", "cost of malloc under main"),
                          ("tmpl-cachebranch", "malloc cost per call", "functions of malloc | show fn, calls, self / calls, incl / calls"),
                          ("tmpl-cachebranch", "average cost of malloc", "functions of malloc | show fn, calls, self / calls, incl / calls"),
                          ("tmpl-cachebranch", "cost of allocation", "cost of $alloc"), ("tmpl-cachebranch", "time in locking", "cost of $locks"),
                          ("tmpl-cachebranch", "who calls malloc most often", "callers of malloc | sort calls"),
                          ("tmpl-cachebranch", "branch mispredictions", "top by Bcm + Bim"), ("tmpl-cachebranch", "total instructions", "info"),
                          ("tmpl-cachebranch", "functions over 5%", "functions | where self > 5%"), ("tmpl-cachebranch", "inlined functions", "inlined"),
                          ("lua-instr-jumps", "hottest instructions", "top instrs"), ("tmpl-cachebranch", "functions in malloc.c", "functions of file:malloc.c"),
                          ("cachegrind-lua", "miss rate of main", "functions of main | show fn, Dr, Dw, (D1mr + D1mw) / (Dr + Dw) as miss")):
    at = (small + name + (".callgrind" if name[0] in "gp" else ".out"), "-q", "--no-index-write")
    same(re.findall("here that is: (.*)", run(*at, "-c", typed).talk), [want], "%s: %s" % (name, typed))
    r = run(*at, "-c", want)
    ok(r.status == 0 and r.text.count("\n") > 1, "  it answers", r)
for name, typed, note in (("tmpl-cachebranch", "calls from main to malloc", "path from main to malloc"),
                          ("lua-default", "callsites from main to malloc", "path from main to malloc"),
                          ("tmpl-cachebranch", 'functions | where obj = "libc"', 'where obj ~ "libc"'),
                          ("lua-default", "top | where fn ~ /zz/", "of all rows: functions | where ... | sort ... | take 10"),
                          ("lua-default", 'functions | where self > 0 and file = "api.c"', 'lapi.c": where file ~ "api.c"'),
                          ("xdebug-small", 'functions | where file = "no.php"', 'one has "')):
    r = run(small + name + ".out", "--no-index-write", "-c", typed)
    ok(r.status == 0 and note in r.talk, "%s: %s: no row, but what it may be" % (name, typed), r)

done()
