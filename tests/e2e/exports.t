#!/usr/bin/env python3
"""exports.t - flame graph, folded stacks, speedscope and dot, parsed back, with hostile names."""
import json
import re
import shutil
import subprocess
import xml.etree.ElementTree as ElementTree

from e2e import done, ok, run, same

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

for ext, start in (("svg", "<?xml"), ("folded", "main"), ("speedscope.json", "{"), ("dot", "digraph")):
    run("t.out", "-q", "-c", TREE + " > x." + ext)
    ok(open("x." + ext).read().startswith(start), "> x." + ext)
done()
