#!/usr/bin/env python3
"""exports.t - pictures and profiles parsed back, with hostile names."""
import gzip
import html.parser
import json
import re
import shutil
import subprocess
import xml.etree.ElementTree as ElementTree

from e2e import done, ok, run, same, small

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
names = {t.split("\n")[0] for _, _, _, t in frames}
ok(set(HOSTILE) <= names, "svg: every name is there", names)
same(len(list(root.iter(SVG + "script"))), 1, "svg: one script, our own")
below = [[(x, w) for x, w, depth, _ in frames if depth == d - 1] for _, _, d, _ in frames]
ok(all(d == 0 or any(px - .01 <= x and x + w <= px + pw + .01 for px, pw in under)
       for (x, w, d, _), under in zip(frames, below)), "svg: frames lie on frames", frames)
for d in range(max(f[2] for f in frames) + 1):
    row = sorted((x, w) for x, w, depth, _ in frames if depth == d)
    if not all(a[0] + a[1] <= b[0] + .01 for a, b in zip(row, row[1:])):
        ok(False, "svg: frames of one level do not overlap", row)
ok("1510" in text.replace(",", "") and "100.00%" in text or "1,510" in text, "svg: costs", text[:500])
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
same(sum(int(x.rsplit(" ", 1)[1]) for x in lines), 1510, "folded: the sum")
same(len([x for x in lines if x.count(";") > 2]), 0, "folded: `;` separates frames only")
ok(any(x.startswith("main;a:b c ") for x in lines), "folded: names", "\n".join(lines))

# speedscope: indices in range, weights add up.
doc = json.loads(ask(TREE + " | as speedscope"))
p = doc["profiles"][0]
same((len(p["samples"]), sum(p["weights"])), (len(p["weights"]), p["endValue"]), "speedscope: weights")
n = len(doc["shared"]["frames"])
ok(all(0 <= i < n for s in p["samples"] for i in s), "speedscope: frames")
ok(set(HOSTILE) <= {f["name"] for f in doc["shared"]["frames"]}, "speedscope: names")

# dot: quoted strings are closed, edges join declared nodes.
for query in ("calls | as dot", TREE + " | as dot"):
    text = ask(query)
    bare = re.sub(r'"(?:[^"\\]|\\.)*"', "S", text, flags=re.S)
    ok('"' not in bare and "<" not in bare, "dot: every string is closed", bare)
    nodes = set(re.findall(r"^\t(n\d+) \[", bare, re.M))
    ends = set(re.findall(r"\b(n\d+)\b", bare))
    same(ends - nodes, set(), "dot: every end is declared")
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

    def handle_data(self, data):
        if self.last != "script":
            self.words.append(data)


for query, scripts in ((TREE, 2), ("functions", 1)):
    page = Page()
    page.feed(ask(query + " | as html"))
    same(page.tags.get("script"), scripts, "html: only our own scripts")
    same(page.tags.get("tr"), 1 + len(ask(query + " | as csv").splitlines()) - 1, "html: every row")
    ok(set(HOSTILE) <= {w.strip() for w in page.words}, "html: every name is there", page.words)
text = ask("functions | as html")
if shutil.which("node"):
    p = subprocess.run(["node", "--check", "-"], stderr=subprocess.PIPE,
                       input=text[text.index("<script>") + 8:text.index("</script>")].encode())
    ok(p.returncode == 0, "html: the script is JavaScript", p.stderr.decode())

# callgrind: opened again, it gives the same answers.
for name in ("tmpl-cachebranch.out", "lua-instr-jumps.out", "mutual-default.out", "xdebug-small.out",
             "thr-septhreads-combine.out"):
    r = run(small + name, "-q", "--index", name + ".quern", "-c", "functions > all.callgrind")
    ok(r.status == 0, name + " > callgrind", r)
    for query in ("functions", "lines", "calls", "callsites", "events", "cycles"):
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
r = run("t.out", "-q", "-c", "hide main | functions > h.callgrind")
ok(r.status == 1 and "graph stages" in r.talk, "callgrind of a changed graph is refused", r)


# pprof: the few messages of profile.proto that are used.
def fields(data):
    at = 0

    def varint():
        nonlocal at
        value = shift = 0
        while True:
            byte = data[at]
            at += 1
            value |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                return value
    while at < len(data):
        key = varint()
        if key & 7 == 0:
            yield key >> 3, varint()
        else:
            n = varint()
            at += n
            yield key >> 3, data[at - n:at]


def numbers(data):
    value = shift = 0
    for byte in data:
        value |= (byte & 127) << shift
        shift += 7
        if byte < 128:
            yield value
            value = shift = 0


run("t.out", "-q", "-c", TREE + " > t.pb.gz")
profile = list(fields(gzip.open("t.pb.gz").read()))
strings = [v.decode() for k, v in profile if k == 6]
functions = {dict(fields(v))[1]: strings[dict(fields(v))[2]] for k, v in profile if k == 5}
places = {dict(fields(v))[1]: functions[dict(fields(dict(fields(v))[4]))[1]] for k, v in profile if k == 4}
samples = [dict(fields(v)) for k, v in profile if k == 2]
stacks = {tuple(places[i] for i in numbers(x[1])): next(numbers(x[2])) for x in samples}
same((strings[0], strings[1], sum(stacks.values())), ("", "Ir", 1510), "pprof: event and sum")
ok((HOSTILE[0], "main") in stacks, "pprof: the leaf stands first", stacks)

for ext, start in (("svg", "<?xml"), ("folded", "main"), ("speedscope.json", "{"), ("dot", "digraph"),
                   ("html", "<!DOCTYPE html>")):
    run("t.out", "-q", "-c", TREE + " > x." + ext)
    ok(open("x." + ext).read().startswith(start), "> x." + ext)
done()
