#!/usr/bin/env python3
"""exports.t - pictures and profiles parsed back, with hostile names."""
import gzip
import html.parser
import json
import os
import re
import shutil
import subprocess
import xml.etree.ElementTree as ElementTree

from e2e import done, fixtures, ok, profile, protobuf_fields, run, same, small

HOSTILE = ['<script>alert("x")</script>', "]]>&amp;'", 'quote"back\\slash', "a;b c", "${x}`y`"]
with open("t.out", "w") as f:
    f.write("version: 1\nevents: Ir\n\nfl=a.c\nfn=main\n1 10\n")
    for i, name in enumerate(HOSTILE):
        f.write("cfn=%s\ncalls=%d 1\n2 %d\n" % (name, i + 1, 100 * (i + 1)))
    for i, name in enumerate(HOSTILE):
        f.write("\nfn=%s\n1 %d\n" % (name, 100 * (i + 1) - 50))
        f.write("cfn=leaf\\x1b\ncalls=1 1\n2 50\n")
    f.write("\nfn=leaf\\x1b\n1 %d\n" % (50 * len(HOSTILE)))
    f.write("\nfn=(below main)\n1 1\ncfn=main\ncalls=1 1\n2 1510\n")
TREE = 'calltree from "(below main)" depth all'
SVG = "{http://www.w3.org/2000/svg}"


def ask(query):
    r = run("t.out", "-q", "-c", query)
    ok(r.status == 0, query, r)
    return r.text


# SVG: it parses, names are text, every frame lies on its parent.
text = ask(TREE + " | as svg")
root = ElementTree.fromstring(text)
frames = [(float(g.get("data-x")), float(g.get("data-w")), int(g.get("data-d")),
           g.find(SVG + "title").text) for g in root.iter(SVG + "g")]
names = {part for _, _, _, t in frames for part in t.split("\n")[0].split(" \u203a ")}
ok(set(HOSTILE) <= names, "svg: every name is there", names)
same(len(list(root.iter(SVG + "script"))), 1, "svg: one script, our own")
below = [[(x, w) for x, w, depth, _ in frames if depth == d - 1] for _, _, d, _ in frames]
ok(all(d == 0 or any(px - .01 <= x and x + w <= px + pw + .01 for px, pw in under)
       for (x, w, d, _), under in zip(frames, below)), "svg: frames lie on frames", frames)
for d in range(max(f[2] for f in frames) + 1):
    row = sorted((x, w) for x, w, depth, _ in frames if depth == d)
    if not all(a[0] + a[1] <= b[0] + .01 for a, b in zip(row, row[1:])):
        ok(False, "svg: frames of one level do not overlap", row)
ok("1,511 Ir, 100.00% of all" in text, "svg: costs", text[:500])
with open("small.out", "w") as f:
    f.write("events: Ir\nfn=main\n1 1000000\ncfn=f\ncalls=1 1\n1 100\n\nfn=f\n1 80\ncfn=g\ncalls=1 1\n1 20\n\nfn=g\n1 20\n")
drawn = ElementTree.fromstring(run("small.out", "-q", "-c", "calltree from f | as svg").text)
ok(any("<0.01% of all" in t.text for t in drawn.iter(SVG + "title")), "svg: a share below 0.01 % is escaped")
same(ElementTree.fromstring(ask('calltree from "(below main)" | as icicle')).tag, SVG + "svg", "icicle: it parses")
if shutil.which("node"):
    p = subprocess.run(["node", "--check", "-"], input=root.find(SVG + "script").text.encode(),
                       stderr=subprocess.PIPE)
    ok(p.returncode == 0, "svg: the script is JavaScript", p.stderr.decode())
else:
    print("# node is not installed: the script was not checked")
r = run("t.out", "-q", "-c", "events | as svg")
ok(r.status == 1 and "calltree from main | as svg" in r.talk, "svg of no functions is refused", r)

# Folded: the costs add up, a frame holds no separator.
lines = ask(TREE + " | as folded").splitlines()
same(sum(int(x.rsplit(" ", 1)[1]) for x in lines), 1511, "folded: the sum, the root's own cost too")
same(len([x for x in lines if x.count(";") > 3]), 0, "folded: `;` separates frames only")
ok(any(x.startswith("(below main);main;a:b c ") for x in lines), "folded: names", "\n".join(lines))
ok("(other)" not in "".join(lines), "folded: a whole tree has no (other)", lines)


def cost(lines, frame):
    return sum(int(x.rsplit(" ", 1)[1]) for x in lines if x.rsplit(" ", 1)[0].split(";")[-1] == frame)


# What is no row is nobody's own cost: it stands in "(other)".
for query, other in (('calltree from main depth 1', 5 * 50), ("calltree from main depth all min 400", 600 + 2 * 50),
                     ("calltree from main depth all | where incl > 400", 1000 + 50), ("calltree to /leaf/ depth 1", 250)):
    lines = ask(query + " | as folded").splitlines()
    same((sum(int(x.rsplit(" ", 1)[1]) for x in lines), cost(lines, "(other)")),
         (1510 if "main" in query else 250, other), "folded: " + query)
# Chains of recursion become so cheap that they are no rows. Their cost lies with its functions all the same.
for name in ("mutual-default", "mutual-recs3", "tmpl-default"):
    lines = run(small + name + ".out", "-q", "-c", "calltree | as folded").text.splitlines()
    whole = sum(int(x.rsplit(" ", 1)[1]) for x in lines)
    ok(cost(lines, "(other)") * 2000 < whole, "folded: what is too cheap for a row has its function, " + name, (cost(lines, "(other)"), whole))
# Of several functions what is spent in any of them is the whole; calls between them count once.
with open("nested.out", "w") as f:
    f.write("events: Ir\nfn=main\n1 10\ncfn=app::main\ncalls=1 1\n1 990\n\nfn=app::main\n2 90\ncfn=work\ncalls=3 1\n2 900\n\n"
            "fn=work\n3 900\n")
r = run("nested.out", "-q", "-c", "calltree from main | show fn, share% | as csv", "-c", "calltree from main | as folded")
same(r.text.split(), ["fn,share%", "main,100", "app::main,99", "work,90", "main", "10", "main;app::main", "90", "main;app::main;work", "900"],
     "a tree of two functions begins with them")
# Recursion is in no sum.
with open("rec.out", "w") as f:
    f.write("events: Ir\nfn=main\n1 10\ncfn=fact\ncalls=1 2\n1 100\n\nfn=fact\n2 100\ncfn=fact\ncalls=9 2\n2 900\n")
for query in ("calltree from main", "calltree from fact", "calltree to fact"):
    r = run("rec.out", "-q", "-c", query + " | as folded")
    same(sum(int(x.rsplit(" ", 1)[1]) for x in r.text.splitlines()), 110 if "main" in query else 100, "folded: recursion, " + query)

# Estimated recursion: a function that calls itself is one frame, others stand on a stack five times at
# most, and every function stays as wide as in the raw tree; recursion that is known stays.
with open("mutual.out", "w") as f:
    f.write("events: Ir\nfn=main\n1 10\ncfn=f\ncalls=1 2\n1 990\n\nfn=f\n2 300\ncfn=g\ncalls=5 2\n2 1590\n\n"
            "fn=g\n3 600\ncfn=f\ncalls=4 2\n3 900\ncfn=leaf\ncalls=4 2\n3 90\n\nfn=leaf\n4 90\n")


def wide(stacks, fn):
    return sum(int(cost) for stack, cost in stacks if fn in stack.split(";"))


r = run("mutual.out", "-q", "-c", "calltree | as folded", "-c", "calltree | as flame", "-c", "calltree | as svg")
stacks = [x.rsplit(" ", 1) for x in r.text.splitlines() if re.fullmatch("[a-z;]+ [0-9]+", x)]
raw = [x.rsplit(" ", 1) for x in run("mutual.out", "-q", "--raw", "-c", "calltree | as folded").text.splitlines()]
same((max(x[0].split(";").count("f") for x in stacks), max(x[0].split(";").count("f") for x in raw) > 6), (6, True), "folded: recursion is five deep, and a frame for what lies deeper; --raw: as it is estimated")
same([wide(stacks, fn) for fn in ("main", "f", "g", "leaf")], [wide(raw, fn) for fn in ("main", "f", "g", "leaf")], "folded: every function is as wide as in the raw tree")
same(wide(stacks, "main"), 1000, "folded: all of the cost is there")
ok(re.search(r"^█{24}  100\.0  16\.7  main › f$", r.text, re.M) and re.search(r"; ↻ estimated recursion is 5 deep; \d+\.\d+% of the cost lies deeper;", r.text),
   "flame: bars, shares and names", r)
ok("\n2nd activation" in r.text and "\ndeeper recursion is drawn here: " in r.text, "svg: a repeat, and what lies deeper, are said", r)
r = run(fixtures + "/truth/sqlite.out.xz", "--no-index-write", "-q", "-c", "calltree | as flame", "-c", "calltree | as svg")
ok(re.search(r"; nested is drawn 13\.\d+%, exactly 8\.84%: the estimate puts it on stacks of others; ", r.text) and
   re.search(r"<title>[^<]*nested[^<]*\nof its function is drawn 13\.\d+%, exactly 8\.84%", r.text), "a function drawn otherwise than it is exactly known is named", r)
known = [x.rsplit(" ", 1)[0].split(";") for x in run(small + "xdebug-small.out", "--no-index-write", "-q", "-c", "calltree | as folded").text.splitlines()]
ok(max(x.count("App\\Helpers\\fib") for x in known) > 5, "folded: recursion that is known is as deep as it was")
# sort is on 89 % of the stacks, exactly; run, which recurs through it, took its cost away.
with open("sort.out", "w") as f:
    f.write("events: Ir\nfn=main\n1 10\ncfn=run\ncalls=1 1\n2 990\nfn=run\n1 10\ncfn=sort\ncalls=1 1\n2 890\ncfn=eval\ncalls=1 1\n3 90\n"
            "fn=sort\n1 20\ncfn=call\ncalls=10 1\n2 870\nfn=eval\n1 30\ncfn=call\ncalls=1 1\n2 60\n"
            "fn=call\n1 30\ncfn=run'2\ncalls=11 1\n2 900\nfn=run'2\n1 100\ncfn=work\ncalls=11 1\n2 800\nfn=work\n1 800\n")
r = run("sort.out", "-q", "-c", "calltree | as folded")
same(wide([x.rsplit(" ", 1) for x in r.text.splitlines()], "sort"), 890, "folded: a function between two activations of another keeps its cost")
for query, why in (("functions | as dot", "a call graph needs calls"), ("calltree as icicle > x.svg", "calltree | as icicle")):
    r = run("mutual.out", "-q", "-c", query)
    ok(r.status == 1 and why in r.talk, query + " says what to type", r)

# Whole stacks of deep recursion are the square of its depth: above some depth they are one "(other)".
DEEP = 6000
with open("deep.out", "w") as f:
    f.write("events: Ir\n")
    for i in range(DEEP):
        f.write("fn=f%d\n1 1\ncfn=f%d\ncalls=1 1\n1 %d\n" % (i, i + 1, DEEP - i))
    f.write("fn=f%d\n1 1\n" % DEEP)
for ext in ("folded", "speedscope.json", "pb.gz"):
    r = run("deep.out", "-c", "calltree > deep." + ext)
    ok(r.status == 0 and re.search("of the cost lies deeper than [0-9]+ frames: its functions stand there", r.talk),
       ext + ": a deep stack is cut, and that is said", r)
lines = open("deep.folded").read().splitlines()
same([sum(int(x.split(" ")[-1]) for x in lines), lines[-1].split(";")[-1].split(" ")[0]], [DEEP + 1, "f%d" % DEEP],
     "and nothing is lost of it: what is cut is its functions' own")
same("(other)" in open("deep.folded").read(), False, "nor is it (other)")

# speedscope: indices in range, weights add up.
doc = json.loads(ask(TREE + " | as speedscope"))
p = doc["profiles"][0]
same((len(p["samples"]), sum(p["weights"])), (len(p["weights"]), p["endValue"]), "speedscope: weights")
n = len(doc["shared"]["frames"])
ok(all(0 <= i < n for s in p["samples"] for i in s), "speedscope: frames")
ok(set(HOSTILE) <= {f["name"] for f in doc["shared"]["frames"]}, "speedscope: names")

# dot: quoted strings are closed, edges join declared nodes.
for query in ("calls | as dot", "callsites | as dot", TREE + " | as dot"):
    text = ask(query)
    bare = re.sub(r'"(?:[^"\\]|\\.)*"', "S", text, flags=re.S)
    ok('"' not in bare and "<" not in bare, "dot: every string is closed", bare)
    nodes = set(re.findall(r"^\t(n\d+) \[", bare, re.M))
    ends = set(re.findall(r"\b(n\d+)\b", bare))
    same(ends - nodes, set(), "dot: every end is declared")
# A tree has leaf -> deep twice, of 20 and of 30: one edge with both.
with open("twice.out", "w") as f:
    f.write("events: Ir\n\nfn=main\n1 0\ncfn=a\ncalls=2 1\n2 20\ncfn=b\ncalls=3 1\n3 30\n"
            "\nfn=a\n1 0\ncfn=leaf\ncalls=2 1\n2 20\n\nfn=b\n1 0\ncfn=leaf\ncalls=3 1\n2 30\n"
            "\nfn=leaf\n1 0\ncfn=deep\ncalls=5 1\n2 50\n\nfn=deep\n1 50\n")
for query, want in (
        ("calltree from main", "a-leaf 20 2, b-leaf 30 3, leaf-deep 50 5, main-a 20 2, main-b 30 3"),
        ("calltree to deep", "a-leaf 20 2, b-leaf 30 3, leaf-deep 50 5, main-a 20 2, main-b 30 3"),
        ("calls", "a-leaf 20 2, b-leaf 30 3, leaf-deep 50 5, main-a 20 2, main-b 30 3"),
        ("paths from main to deep", "b-leaf 30 3, leaf-deep 30 5, main-b 30 3")):
    drawn = run("twice.out", "-q", "-c", query + " | as dot").text
    of = dict(re.findall(r'(n\d+) \[label="(\w+)\\nself ', drawn))
    said = re.findall(r'(n\d+) -> (n\d+) \[label="~?(\d+)(?:\\n(\d+) calls)?"', drawn)
    same(", ".join(sorted("%s-%s %s %s" % (of[a], of[b], *n) for a, b, *n in said)), want,
         "dot: the edges of " + query)

# Two functions of one name are two nodes, frames and functions; main is one, though only the base has its call of gone.
def twins(path, b, more=""):
    with open(path, "w") as f:
        f.write("events: Ir\n\nfl=a.c\nfn=(1) main\n1 10\ncfi=a.c\ncfn=(2) run\ncalls=1 1\n2 100\ncfi=b.c\ncfn=(3) run\ncalls=2 1\n3 %d\n"
                "%s\nfn=(2)\n1 100\nfl=b.c\nfn=(3)\n1 %d\n" % (b, more, b))


twins("twins.out", 50)
twins("twins.base", 30, "cfn=gone\ncalls=1 1\n4 7\n\nfn=gone\n1 7\n")
DOT = [("main", "run", "100"), ("main", "run", "50")]
for query, want in (("calls", DOT), ("calls | show caller, callee, incl", DOT), ("calls; _", DOT), ("calltree", DOT), ("calltree to run", DOT), ("callees of main", DOT),
                    ("all paths from main to run", DOT), ("calls | group by caller, callee : sum(incl) as incl", [("main", "run", "150")]),
                    ("calls vs base", [("main", "gone", "7"), ("main", "run", "100"), ("main", "run", "30")]),
                    ("calltree vs base", [("main", "gone", "7"), ("main", "run", "100"), ("main", "run", "30")])):
    drawn = run("twins.out", "base=twins.base", "-q", "-c", query + " | as dot").text.split("digraph")[-1]
    of = dict(re.findall(r'\t(n\d+) \[label="(\w+)', drawn))
    same(sorted((of[a], of[b], n) for a, b, n in re.findall(r'(n\d+) -> (n\d+) \[label="~?(\d+)', drawn)), want, "dot: functions of one name, " + query)
    same(sorted(of.values()).count("main"), 1, "dot: main is one node, " + query)
doc = json.loads(run("twins.out", "-q", "-c", "calltree | as speedscope").text)
for ext, name in ("folded", "folded"), ("speedscope.json", "speedscope"), ("pb.gz", "pprof"):
    same(["without callers; with them: calltree | as " + name in run("twins.out", "-c", source + " > flat." + ext).talk for source in ("functions", "calltree")], [True, False],
         name + ": stacks of one function say so")
same([[f["name"], f.get("file")] for f in doc["shared"]["frames"]], [["main", "a.c"], ["run", "a.c"], ["run", "b.c"]], "speedscope: functions of one name")
run("twins.out", "-q", "-c", "calltree > twins.pb.gz")
fields = list(protobuf_fields(gzip.open("twins.pb.gz").read()))
strings = [v.decode() for k, v in fields if k == 6]
same([(strings[x[2]], strings[x.get(4, 0)]) for x in (dict(protobuf_fields(v)) for k, v in fields if k == 5)], [("main", "a.c"), ("run", "a.c"), ("run", "b.c")],
     "pprof: functions of one name")
drawn = run("twins.out", "-q", "-c", "callers of run | as dot").text
ok('[label="run", tooltip="run"]' in drawn, "dot: a set that a tree begins with has no costs of a function", drawn)

r = run(small + "lua-default.out", "--no-index-write", "-q", "-c", "calls of luaH_getint | as dot", "-c", "info luaH_get | show self, incl | as csv")
self_cost, incl = map(int, r.text.splitlines()[-1].split(","))
total = 2317217
node = re.search(r'label="luaH_get\\nself ([^"\\]*)\\nincl ([^"\\]*)", fontsize=\d+, fillcolor="([\d.]+) ([\d.]+) 0\.970"', r.text)
ok(node and node[1] == "%.2f k (%.2f%%)" % (self_cost / 1000, 100 * self_cost / total) and
   node[2] == "%.1f k (%.2f%%)" % (incl / 1000, 100 * incl / total), "dot: a function has its self and inclusive cost", r)
colours = [tuple(map(float, c)) for c in re.findall(r'fillcolor="([\d.]+) ([\d.]+) 0\.970"', r.text)]
ok(len(colours) == r.text.count("tooltip=") and max(c[1] for c in colours) > min(c[1] for c in colours), "dot: and a colour by what it spends", r)
# The start of a program is one node, as far as nearly all of each function is in the next one, of which it is the only caller.
with open("start.out", "w") as f:
    f.write("events: Ir\nfn=_start\n1 1\ncfn=libc\ncalls=1 1\n1 999\n\nfn=libc\n1 2\ncfn=main\ncalls=1 1\n1 997\n\n"
            "fn=main\n1 97\ncfn=a\ncalls=1 1\n1 500\ncfn=b\ncalls=1 1\n1 400\n\nfn=a\n1 10\ncfn=deep\ncalls=1 1\n1 490\n\n"
            "fn=deep\n1 490\n\nfn=b\n1 400\n")
for query in "calls", "calltree", "calls of main", "callsites":
    drawn = run("start.out", "-q", "-c", query + " | as dot").text
    labels = sorted(re.findall(r'label="([^"\\]*)\\nself (\d+)', drawn))
    start = ("_start \u203a \u2026 \u203a main", "100") if query != "calls of main" else ("libc \u203a main", "99")
    want = [start, ("a", "10"), ("b", "400")] + [("deep", "490")] * (query != "calls of main")
    same(labels, sorted(want), "dot: the start is one node, " + query)
    same(sorted(re.findall(r'-> n\d+ \[label="(\d+)', drawn)), ["400", "490", "500"] if query != "calls of main" else ["400", "500"], "  and its calls are there, " + query)
ok("tooltip=\"_start \u203a libc \u203a main\"" in run("start.out", "-q", "-c", "calls | as dot").text, "  with all names")
# Of two profiles, too; but not where the base has another caller of main, or no such call.
with open("start.out") as f:
    start = f.read()
for base, labels in ((start.replace("1 490", "1 390").replace("1 500", "1 400").replace("1 97\n", "1 197\n"), ["_start \u203a \u2026 \u203a main", "a", "b", "deep"]),
                     (start + "\nfn=late\n1 5\ncfn=main\ncalls=1 1\n1 7\n", ["_start \u203a libc", "a", "b", "deep", "late", "main"]),
                     (start.replace("cfn=main", "cfn=other") + "\nfn=other\n1 997\n", ["_start \u203a libc", "a", "b", "deep", "main", "other"])):
    with open("start.base", "w") as f:
        f.write(base)
    for query in "calls vs base", "calltree vs base":
        drawn = run("start.out", "base=start.base", "-q", "-c", query + " | as dot").text
        same(sorted(re.findall(r'\tn\d+ \[label="([^"\\]*)', drawn)), labels, "dot: the start of two profiles, " + query)
same(run("start.out", "-q", "-c", "calls from _start to libc | as dot").text.count("tooltip="), 2, "  and a call alone stays one")
if shutil.which("dot"):
    p = subprocess.run(["dot", "-Tsvg"], input=text.encode(), stdout=subprocess.PIPE,
                       stderr=subprocess.PIPE)
    ok(p.returncode == 0, "dot: Graphviz reads it", p.stderr.decode())
else:
    print("# dot is not installed: Graphviz did not read the graph")



# HTML: text is text, two scripts at most, both our own.
class Page(html.parser.HTMLParser):
    def __init__(self):
        super().__init__()
        self.tags, self.words, self.last = {}, [], ""

    def handle_starttag(self, tag, attrs):
        self.tags[tag] = self.tags.get(tag, 0) + 1
        self.last = tag
        self.words += [value for name, value in attrs if name == "title" and tag == "td"]

    def handle_data(self, data):
        if self.last != "script":
            self.words.append(data)


for query, heads in ((TREE, 2), ("calls", 1)): # a tree is in the report, which has a table of functions, too
    page = Page()
    page.feed(ask(query + " | as html"))
    same(page.tags.get("script"), 1, "html: only our own scripts")
    same(page.tags.get("tr"), heads + len(ask(query + " | as csv").splitlines()) - 1, "html: every row")
    ok(set(HOSTILE) <= {w.strip() for w in page.words}, "html: every name is there", page.words)


# Pages have the short names of the report, and say the whole ones in titles; alike ones are whole.
text = run(small + "tmpl-default.out", "-q", "-c", "callees of main | take 6 | as html").text
ok('title="operator new(unsigned long)">operator new</td>' in text and '">__cxa_throw</td>' in text, "html: short names", text[-3000:])
profile("alike.out", [(b"f(int)", 5), (b"f(long)", 4), (b"g(int)", 3)])
text = run("alike.out", "-q", "-c", "functions | show fn, self | as html").text
ok(">f(int)</td>" in text and ">f(long)</td>" in text and 'title="g(int)">g</td>' in text, "html: names that differ are shown so", text[-3000:])


class Report(html.parser.HTMLParser):
    """The report's data: lines of fields, by the id of their element."""

    def __init__(self, text):
        super().__init__()
        self.data, self.scripts, self.notes, self.at, self.tag = {}, 0, "", None, None
        self.feed(text)
        for key, value in self.data.items():
            self.data[key] = [x.split("\t") for x in value.split("\n")[1:-1]]

    def handle_starttag(self, tag, attrs):
        self.tag, attrs = tag, dict(attrs)
        self.scripts += tag == "script"
        if tag == "section" or attrs.get("id", "").startswith(("d-", "notes")):
            self.at = attrs.get("id")

    def handle_endtag(self, tag):
        self.tag = None

    def handle_data(self, data):
        if self.tag == "pre":
            self.data[self.at] = self.data.get(self.at, "") + data
        elif self.at == "notes":
            self.notes += data


report = Report(ask("functions | as html"))
rows = {x[0]: [int(n) for n in x[2].split()] for x in report.data["d-functions"]}
same((report.scripts, set(HOSTILE) - set(rows)), (1, set()), "report: one script, every name")
same({n: (x[0], x[1], x[8], x[9]) for n, x in rows.items() if n != "leaf\\x1b"},
     {x[0]: tuple(int(n) for n in x[1:]) for x in json.loads(ask("functions | show fn, id, calls, self, incl | as json"))["rows"]
      if x[0] != "leaf\\x1b"}, "report: the costs")
same(len(report.data["d-calls"]), len(ask("calls | as csv").splitlines()) - 1, "report: every call")
same((report.notes, report.data["d-events"]), ("", [["Ir", "Ir", "Instruction Fetch", "", "1511"]]), "report: nothing to say of a whole one")
listed = [x[6] for x in (r for r in Report(ask("top 2 | as html")).data["d-functions"]) for x in [[int(n) for n in x[2].split()]]]
same((sum(listed), len(listed)), (2, len(rows)), "report: of `top 2` all functions, two of them listed")
report = Report(ask("hide main | functions | as html"))
ok("hide main" in report.notes and "estimates" in report.notes, "report: what stages did is said", report.notes)
same("main" in [x[0] for x in report.data["d-functions"]], False, "report: of the graph that stages left")

# The whole program's tree is in the report: that of all pictures, and of stacks.
for name, stage in ("parts", ""), ("merged", ""):
    profile = fixtures + "/truth/sqlite%s.out.xz" % ("-parts" if name == "parts" else "")

    def asked(query):
        return run(profile, "--index", "tree.quern", "--rebuild", "-q", "-c", query).text

    report = Report(asked(stage + "functions | as html"))
    fns = [x[0] for x in report.data["d-functions"]]
    frames = [[int(n) for n in x[0].split()] for x in report.data["d-tree"][1:]]
    stacks, own, bounds = [], {}, {}
    for i, (back, fn, est, self, *_) in enumerate(frames):
        stacks.append((stacks[i - back] if back else ()) + (fns[fn],))
        own[stacks[i]] = self
        bounds[stacks[i]] = frames[i][4:6]
    told = {}
    for line in asked(stage + "calltree | as folded").splitlines():
        stack, cost = line.rsplit(" ", 1)
        told[tuple(stack.split(";"))] = int(cost)
    same([(s, own.get(s), c) for s, c in told.items() if c > 20000 and own.get(s) != c and "(other)" not in s][:3], [],
         "report: the frames of all stacks, " + name)
    above = []
    for depth, fn, est, lo, hi in json.loads(asked(stage + "calltree depth 4 max 10000 | show depth, fn, est, lo, hi | as json"))["rows"]:
        above[depth - 1:] = [fn]
        if est > 1000000 and len(set(above)) == depth:
            same(bounds.get(tuple(above)), [lo, hi] if lo != hi else [], "report: and their bounds, %s, %s" % (fn, name))

# What does not fit is left out, counted, and said.
for name, long in (("many", 1), ("wide", 150)):
    with open(name + ".out", "w") as f:
        f.write("events: Ir\n")
        for i in range(30000):
            f.write("fn=f%d%s\n1 %d\n" % (i, "x" * long, i + 1))
            if i < 29990:
                f.write("".join("cfn=f%d%s\ncalls=1 1\n1 %d\n" % (i + k, "x" * long, 1 + (i + k) % 7) for k in range(1, 7)))
    r = run(name + ".out", "-q", "-c", "functions > %s.html" % name, "-c", "functions | show fn, self | as csv")
    report = Report(open(name + ".html").read())
    kept, calls = len(report.data["d-functions"]), len(report.data["d-calls"])
    ok(os.path.getsize(name + ".html") < 8 << 20, "report: a few MB at most", os.path.getsize(name + ".html"))
    if name == "many":
        same(kept, 30000, "report: 30,000 functions fit")
        same(r.talk, "", "report: with -q nothing is said of what is left out")
        r = run(name + ".out", "-c", "top 1 > %s.html" % name)
        ok("note: left out of the report: %s of 179,940 calls between functions" % format(179940 - calls, ",")
           in r.talk, "report: what it leaves out is said on stderr, too", r)
        ok("Left out: the %s cheapest of 179,940 calls" % format(179940 - calls, ",") in report.notes and calls > 50000,
           "report: calls left out are said", (calls, report.notes))
rest = sorted((int(x.split(",")[1]) for x in r.text.splitlines()[1:]))
names = {x[0] for x in report.data["d-functions"]}
left = sum(int(x.split(",")[1]) for x in r.text.splitlines()[1:] if x.split(",")[0] not in names)
ok("the %s cheapest of 30,000 functions, with %.2f%% of Ir" % (format(30000 - kept, ","), 100 * left / sum(rest)) in report.notes,
   "report: the functions left out are said", (left, report.notes))
same("incl of 2 rows is above the total" in Report(run(small + "yappi.callgrind", "--no-index-write", "-q", "-c", "functions | as html").text).notes, True,
     "report: the notes of its query are in it")
# dot: a call inside a cycle, which has more than the program costs, is no wider than its ends.
text = run(fixtures + "/truth/sqlite.out.xz", "--index", "dot.quern", "-q", "-c", "calls | as dot").text
wide = [(float(w), cost) for cost, w in re.findall(r'label="([\d.]+ M)[^"]*", penwidth=([\d.]+)', text)]
ok([c for w, c in wide if c == "14.9 M"] and max(w for w, _ in wide) == 4.6 and max(wide)[1] != "14.9 M", "dot: the widest edge is no recursive one", sorted(wide)[-4:])

# What spends most itself is in the page, though 30,000 functions cost more with their calls.
with open("chain.out", "w") as f:
    f.write("events: Ir\n" + "".join("fn=w%d%s\n1 0\ncfn=w%d%s\ncalls=1 1\n1 10000\n" % (i, "x" * 150, i + 1, "x" * 150) for i in range(30000)))
    f.write("fn=w30000%s\n1 0\n" % ("x" * 150) + "".join("cfn=leaf%d\ncalls=1 1\n1 100\n" % i for i in range(100)) + "".join("fn=leaf%d\n1 100\n" % i for i in range(100)))
run("chain.out", "-q", "-c", "functions > chain.html")
names = {x[0] for x in Report(open("chain.html").read()).data["d-functions"]}
same((sum("leaf%d" % i in names for i in range(100)), len(names) < 30000), (100, True), "report: the costliest by themselves are in it")
text = ask("functions | as html")
if shutil.which("node"):
    p = subprocess.run(["node", "--check", "-"], stderr=subprocess.PIPE,
                       input=text[text.index("<script>") + 8:text.rindex("</script>")].encode())
    ok(p.returncode == 0, "html: the script is JavaScript", p.stderr.decode())

# callgrind: opened again, it gives the same answers, but for inclusive costs by Xdebug's stacks, and calls of
# roots: the file has its functions and calls.
for name in ("tmpl-cachebranch.out", "lua-instr-jumps.out", "mutual-default.out", "xdebug-small.out",
             "thr-septhreads-combine.out"):
    r = run(small + name, "-q", "--index", name + ".quern", "-c", "functions > all.callgrind")
    ok(r.status == 0, name + " > callgrind", r)
    functions = "functions | show id, fn, file, line, self" if "xdebug" in name else "functions"
    for query in (functions, "lines", "calls", "callsites", "events",
                  "cycles | show id, functions, self, entry, calls" if "xdebug" in name else "cycles"):
        old = run(small + name, "-q", "--index", name + ".quern", "-c", query + " | as csv").text
        new = run("all.callgrind", "-q", "-c", query + " | as csv").text
        ok(old == new and old, "%s: %s are the same again" % (name, query),
           "\n".join(sorted(set(old.splitlines()) ^ set(new.splitlines()))[:10]))
r = run(small + "lua-default.out", "-q", "--index", "lua.quern", "-c", "functions of obj:libc* > c.callgrind",
        "-c", "functions of obj:libc* | sum | as ndjson")
want = json.loads(r.text)["self"]
same(json.loads(run("c.callgrind", "-q", "-c", "functions | sum | as ndjson").text)["self"], want,
     "callgrind: a part of a profile keeps its costs")
if shutil.which("callgrind_annotate"):
    p = subprocess.run(["callgrind_annotate", "c.callgrind"], stdout=subprocess.PIPE,
                       stderr=subprocess.PIPE)
    total = re.search(rb"([\d,]+)[^\n]*PROGRAM TOTALS", p.stdout)
    ok(p.returncode == 0 and total and int(total[1].replace(b",", b"")) == want,
       "callgrind_annotate reads it", p.stdout.decode()[:800] + p.stderr.decode())
else:
    print("# callgrind_annotate is not installed")
# A changed graph: one line per function, the same costs for every event, calls kept.
os.link(small + "tmpl-cachebranch.out", "cache.out") if not os.path.exists("cache.out") else None
SUMS = "functions | sum | show self | as csv", "calls | sum | show calls | as csv"
# What returns to merged functions the graph below them tells, and that is not written.
COSTS = "functions | sort fn asc, self asc | show fn, self, incl, self.Dr, self.Bim, calls | as csv"
for stage in ("focus main", "hide obj:libc*", "collapse by file", "collapse std::* as std", "with inlined", "cut 1%"):
    costs = COSTS if not stage.startswith(("collapse", "with")) else COSTS.replace("self, incl,", "self,")
    r = run("cache.out", "-q", "-c", "contexts | " + stage + " | functions > g.callgrind", "-c", "contexts | " + stage + " | " + costs)
    got = run("g.callgrind", "-q", "-c", "contexts | " + costs)
    same_costs = re.sub(r",(?=\n)", ",0", r.text) == got.text     # not counted is 0 in the file
    if stage.startswith(("hide", "cut", "focus")):   # incl is exact, or at most the whole; calls in the file are rounded
        ours, theirs = ([re.match(r'(.*),(\d+)((?:,\d+){3})$', x).groups() for x in y.text.split("\n")[1:-1]] for y in (r, got))
        if not stage.startswith("focus"):    # how often a function ran stays; whom hidden ones called, the file does not say
            ours, theirs = ([(a, n, c.rsplit(",", 1)[0]) for a, n, c in y] for y in (ours, theirs))
        same_costs = [(a, c) for a, _, c in ours] == [(a, c) for a, _, c in theirs] and all(
            abs(int(a[1]) - int(b[1])) <= 5 for a, b in zip(ours, theirs))
    ok(r.status == 0 and r.text.count("\n") > 3 and same_costs, "callgrind: %s | functions" % stage, "%s\n%s" % (r, got))
    if shutil.which("callgrind_annotate"):
        p = subprocess.run(["callgrind_annotate", "--auto=no", "g.callgrind"], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        total = re.search(rb"([\d,]+)[^\n]*PROGRAM TOTALS", p.stdout)
        want = sum(int(x.split(",")[-5 if "incl" in costs else -4]) for x in r.text.splitlines()[1:])
        ok(total and int(total[1].replace(b",", b"")) == want, "callgrind_annotate: %s" % stage, p.stderr)


# pprof: the few messages of profile.proto that are used.
def numbers(data):
    value = shift = 0
    for byte in data:
        value |= (byte & 127) << shift
        shift += 7
        if byte < 128:
            yield value
            value = shift = 0


def pprof(path):
    """The strings, and of each stack of (function, file, line), the leaf first, the cost."""
    fields = [(k, v if k in (6, 12) or isinstance(v, int) else dict(protobuf_fields(v))) for k, v in protobuf_fields(gzip.open(path).read())]
    strings = [v.decode() for k, v in fields if k == 6]
    functions = {v[1]: (strings[v[2]], strings[v.get(4, 0)]) for k, v in fields if k == 5}
    lines = {v[1]: dict(protobuf_fields(v[4])) for k, v in fields if k == 4}
    places = {i: functions[v[1]] + (v.get(2, 0),) for i, v in lines.items()}
    stacks = {}
    for v in (v for k, v in fields if k == 2):
        at = tuple(places[i] for i in numbers(v[1]))
        stacks[at] = stacks.get(at, 0) + next(numbers(v[2]))
    return strings, stacks


run("t.out", "-q", "-c", TREE + " > t.pb.gz")
strings, stacks = pprof("t.pb.gz")
same((strings[0], strings[1], sum(stacks.values())), ("", "Ir", 1511), "pprof: event and sum")
ok(any([f[0] for f in s] == [HOSTILE[0], "main", "(below main)"] for s in stacks), "pprof: the leaf stands first", stacks)

# Lines: own cost by line, code of a header in that, a call where it is at one line alone.  pprof has them, others if asked.
with open("lines.out", "w") as f:
    f.write("events: Ir\nfl=m.c\nfn=main\n3 10\n4 20\ncfl=w.c\ncfn=work\ncalls=1 1\n5 60\ncfl=w.c\ncfn=twice\ncalls=1 1\n6 5\ncalls=1 1\n7 5\n\n"
            "fl=w.c\nfn=work\n8 40\nfi=h.h\n2 20\n\nfl=w.c\nfn=twice\n20 10\n")
LINES = {"main:3 10", "main:4 20", "main:5;work:8 40", "main:5;work:2 20", "main;twice:20 10"}
PLAIN = {"main 30", "main;work 60", "main;twice 10"}
for args, query, want in (((), "calltree", PLAIN), (("--with-source",), "calltree", LINES), (("--with-source",), "calltree from main", LINES),
                          (("--with-source",), "hide twice | calltree | where fn != \"work\"", {"main 40", "main;(other) 60"}),
                          (("--with-source",), "calltree to work", {"work 0"})):
    r = run("lines.out", "-q", *args, "-c", query + " | as folded")
    if query == "calltree to work":
        ok(r.status == 0 and ":" not in r.text, "a tree of callers has no lines", r)
    else:
        same(set(r.text.splitlines()), want, "folded: %s %s" % (" ".join(args), query))
run("lines.out", "-q", "-c", "calltree > lines.pb.gz")
same({";".join("%s %s:%d" % f for f in s): n for s, n in pprof("lines.pb.gz")[1].items()},
     {"main m.c:3": 10, "main m.c:4": 20, "work w.c:8;main m.c:5": 40, "work h.h:2;main m.c:5": 20, "twice w.c:20;main m.c:0": 10}, "pprof: lines")
doc = json.loads(run("lines.out", "-q", "--with-source", "-c", "calltree | as speedscope").text)
frame = [(f["name"], f.get("file"), f.get("line")) for f in doc["shared"]["frames"]]
p = doc["profiles"][0]
same({tuple(frame[i] for i in s): n for s, n in zip(p["samples"], p["weights"])},
     {(("main", "m.c", 3),): 10, (("main", "m.c", 4),): 20, (("main", "m.c", 5), ("work", "w.c", 8)): 40, (("main", "m.c", 5), ("work", "h.h", 2)): 20,
      (("main", "m.c", None), ("twice", "w.c", 20)): 10}, "speedscope: lines")
# Of a real profile the sums stay, the lines of each function add up, and files hardly grow.
name = fixtures + "/truth/sqlite.out.xz"
run(name, "--no-index-write", "-q", "-c", "calltree > a.folded", "-c", "calltree > s.pb.gz")
run(name, "--no-index-write", "-q", "--with-source", "-c", "calltree > b.folded")
stacks = pprof("s.pb.gz")[1]
sums = [sum(int(line.rsplit(" ", 1)[1]) for line in open(f)) for f in ("a.folded", "b.folded")] + [sum(stacks.values())]
same(len(set(sums)), 1, "lines: the sums are the same")
ok(os.path.getsize("b.folded") < 2 * os.path.getsize("a.folded"), "lines: the file is no twice as large")
own = {}
for stack, n in stacks.items():
    own[stack[0]] = own.get(stack[0], 0) + n
r = run(name, "--no-index-write", "-q", "-c", "lines | take 300 | show fn, file, line, self | as ndjson")
wrong = [x for x in map(json.loads, r.text.splitlines()) if x["line"] and abs(x["self"] - own.get((x["fn"], x["file"], x["line"]), 0)) > 2e-4 * sums[0]]
same(wrong, [], "pprof: the lines of a function have what they cost")

# Recursion far deeper than a tree has rows: what is left out goes round until it is spent, and is not "(other)".
N, LEAVES = 990000, 20
level = 8 + 2 * LEAVES
called = {"g": sum(5 + (N - 1 - i) * level for i in range(N)), "f": sum((N - i) * level for i in range(1, N))}
leaves = "".join("cfn=l%d\ncalls=%d 9\n2 %d\n" % (k, N, 2 * N) for k in range(LEAVES))
with open("deep.out", "w") as f:
    f.write("events: Ir\nfn=main\n1 7\ncfn=f\ncalls=1 2\n1 %d\nfn=f\n2 %d\n%scfn=g\ncalls=%d 3\n2 %d\nfn=g\n3 %d\ncfn=f\ncalls=%d 2\n3 %d\n" %
            (N * level, 3 * N, leaves, N, called["g"], 5 * N, N - 1, called["f"]) +
            "".join("fn=l%d\n9 %d\n" % (k, 2 * N) for k in range(LEAVES)))
lines = [line.rsplit(" ", 1) for line in run("deep.out", "-q", "-c", "calltree | as folded").text.splitlines()]
same(sum(int(n) for _, n in lines), N * level + 7, "deep recursion: the stacks add up")
ok(sum(int(n) for s, n in lines if "(other)" in s) < .05 * N * level, "deep recursion: its cost has its functions", lines)

for ext, start in (("svg", "<?xml"), ("icicle.svg", "<?xml"), ("folded", "(below main)"), ("speedscope.json", "{"), ("dot", "digraph"),
                   ("html", "<!DOCTYPE html>")):
    run("t.out", "-q", "-c", TREE + " > x." + ext)
    ok(open("x." + ext).read().startswith(start), "> x." + ext)
done()
