#!/usr/bin/env python3
"""one_page.t - trees, timelines and causes are the report, opened where the question was asked; in Chromium.

The timeline has each call once, where it stood: all spans of a partition add up to the whole, by function, and each
function's own cost is that of `functions`.  A comparison has both sides in rows, card and graph.
"""
import csv
import os
import re

import chromium
from e2e import done, fixtures, ok, run, same, skip_all, small

if not chromium.found:
    skip_all("no chromium that starts")
browser = chromium.Browser()
SEEN = """
const $ = s => document.querySelector(s), all = s => [...document.querySelectorAll(s)], seen = e => !!e && !!e.offsetParent;
"""
PLACE = SEEN + """
return [all('#tabs button[aria-pressed=true]').map(b => b.textContent).join(), $('#name').textContent, all('#answer tbody tr').length, all('#why li').filter(seen).length];
"""


def page(name, *args):
    r = run(*args[:-1], "--no-index-write", "-q", "-c", "%s > %s.html" % (args[-1], name))
    ok(r.status == 0, "%s: the page is written" % args[-1], r)
    browser.open(os.getcwd() + "/%s.html" % name, 1400, 900)
    return browser.run(PLACE)


def rows(*args, query):
    return list(csv.DictReader(run(*args, "--no-index-write", "-q", "-c", query).text.splitlines()))


def answers(*args):
    return len(run(*args[:-1], "--no-index-write", "-q", "-c", args[-1] + " | as csv").text.splitlines()) - 1


lua, two = small + "lua-default.out", (fixtures + "/pairs/cpp-two.out", "base=" + fixtures + "/pairs/cpp-one.out")
same(page("callers", lua, "callers of luaH_get"), ["Callers and callees", "luaH_get", answers(lua, "callers of luaH_get"), 0], "  its callers, and the rows")
same(page("from", lua, "calltree from luaV_execute depth 3"), ["Callers and callees", "luaV_execute", answers(lua, "calltree from luaV_execute depth 3"), 0], "  what it calls")
got = page("tree", lua, "calltree min 1%")
same(got[:1] + got[2:], ["Flame", answers(lua, "calltree min 1%"), 0], "  a tree of the whole")
got = page("why", *two, "why vs base")
same(browser.run(SEEN + "return all('header .rate').filter(seen).map(e => e.textContent.trim());"), ["2 \u2192 3 times a call", "1 \u2192 2 times a call"], "  each with its counts")
same(browser.run(SEEN + "return [document.documentElement.scrollHeight <= innerHeight, seen($('footer')), $('h1').textContent];"), [True, True, "app-1.1"], "  all on one screen")
same([got[0], got[3]], ["What changed", answers(*two, "why vs base")], "  the causes, as many")
same(browser.run(SEEN + "return all('#why li b').filter(seen).map(b => b.dataset.by.includes('-')).includes(true);"), False, "  one kind of minus")
ok(browser.run(SEEN + "return $('#name').textContent === $('.causes [data-f]').closest('li').textContent.split(' ').find(w => w === $('#name').textContent.split('(')[0]) || !!$('#name').textContent;"),
   "  a function is selected")
browser.run(SEEN + "$('#all').click();")
same(browser.run(SEEN + "return seen($('#frames')) && !seen($('#why'));"), True, "  the flame graph is a click away")
ok("the first 1,000 of" in run(lua, "--no-index-write", "-q", "-c", "calltree depth all | as html").text, "a long answer says how to get all of it")
same(browser.errors, [], "no error")

# ---- both sides ----
page("sides", *two, "functions vs base")
want = {r["fn"]: r for r in rows(*two, query="functions vs base | show fn, self, base, calls, base_calls, incl, base_incl | as csv")}
got = browser.run(SEEN + "return all('#list tbody tr').filter(r => r.dataset.i).slice(0, 12).map(r => [r.querySelector('.fn').title, r.cells[0].title, r.cells[3].title, r.cells[4].title]);")
for fn, own, incl, calls in got:
    numbers = lambda s: [int(w.replace(",", "").lstrip("~")) for w in s.replace(":", " ").split() if w.replace(",", "").lstrip("~").isdigit()]
    r = want[fn]
    same((numbers(own)[:2], numbers(incl)[:2]), ([int(r["base"]), int(r["self"])], [int(r["base_incl"]), int(r["incl"])]), "  own cost, and with calls: " + fn)
    a, b = int(r["base_calls"]), int(r["calls"])
    same(numbers(calls.replace("\u2192", " ")), [a, b] if a != b else [b], "  calls: " + fn)
with open("had.out", "w") as f:
    f.write("events: Ir\nfn=main\n1 5\ncfn=lost\ncalls=7 2\n1 900\n\nfn=lost\n2 900\n")
with open("has.out", "w") as f:
    f.write("events: Ir\nfn=main\n1 5\n")
page("gone", "has.out", "base=had.out", "functions vs base")
gone = browser.run(SEEN + "const row = all('#list tbody tr').find(r => r.cells[2] && r.cells[2].textContent === 'gone'); row.click(); return [$('#where').textContent, all('#graph .n').length];")
ok("gone" in gone[0] and "7 \u2192 0 calls" in gone[0] and "900 \u2192 0" in gone[0] and gone[1] == 2, "what is gone has the card of the base", gone)
for args in (), ("--with-source",):
    with open("lost.c", "w") as f:
        f.write("int main;\nint lost;\n")
    with open("had.out", "w") as f:
        f.write("events: Ir\nfl=%s/lost.c\nfn=main\n1 5\ncfn=lost\ncalls=7 2\n1 900\n\nfn=lost\n2 900\n" % os.getcwd())
    page("gone", *args, "has.out", "base=had.out", "functions vs base")
    got = browser.run(SEEN + "all('#list tbody tr').find(r => r.cells[2] && r.cells[2].textContent === 'gone').click(); const hot = all('#hot .share').map(d => d.textContent); $('#showsource').click(); return [hot, all('.code .l').map(r => [r.querySelector('.s'), r.querySelector('.n'), r.querySelector('.x')].map(e => e.textContent))];")
    text = "int lost;" if args else ""
    same(got, [["900 \u2192 0lost.c:2" + text], [["900 \u2192 0", "2", text]]], "  and its lines" + " with their text" * len(args))

# A cause that shrank names a line of the base.  Levels of recursion are one function, as in other pages.
for name, n in ("levels-was", 9), ("levels-now", 2):
    with open(name + ".out", "w") as f:
        f.write("creator: callgrind-3.19.0\nevents: Ir\nfl=a.c\nfn=main\n1 5\ncfn=f\ncalls=1 2\n%d %d\n\nfn=f\n2 %d00\ncfn=f'2\ncalls=1 2\n3 %d00\n\nfn=f'2\n2 %d00\n" % (n, 200 * n, n, n, n))
FUNCTIONS = SEEN + "return [$('#d-functions').textContent.trim().split('\\n').map(l => l.split('\t')[0]), $('.causes button') && $('.causes button').dataset.f, $('.causes .soft') && $('.causes .soft').textContent];"
page("levels", "levels-now.out", "base=levels-was.out", "functions vs base")
as_functions = browser.run(FUNCTIONS)
page("levels-why", "levels-now.out", "base=levels-was.out", "why vs base")
same((browser.run(FUNCTIONS), as_functions[0]), (as_functions, ["f", "main"]), "why has the functions of the report, and leads to the same")
same(as_functions[2], "a.c:2 of base", "a cause that shrank names a line of the base")

# ---- lines of both sides ----
with open("both.c", "w") as f:
    f.write("".join("line %d\n" % i for i in range(1, 40)))
for name, at, costs in ("was", 10, (7, 100, 60)), ("now", 14, (7, 300, 0)):
    with open(name + ".out", "w") as f:
        f.write("events: Ir\nfl=%s/both.c\nfn=work\n%d %d\n%d %d\n" % (os.getcwd(), at, costs[0], at + 2, costs[1]) + ("%d %d\n" % (at + 5, costs[2]) if costs[2] else "") +
                "cfn=sub\ncalls=%d 1\n%d %d\n\nfn=sub\n1 %d\n" % (at, at + 3, 10 * at, 10 * at))
LINES = SEEN + "return all('.code .l').filter(r => r.querySelector('.s').title || r.querySelector('.c').title).map(r => [r.querySelector('.n'), r.querySelector('.s'), r.querySelector('.c'), r.querySelector('.x')].map(e => e.textContent));"
page("lines", "now.out", "base=was.out", "--with-source", "functions vs base")
browser.run(SEEN + "all('#list tbody tr').find(r => r.querySelector('.fn') && r.querySelector('.fn').title === 'work').click(); $('#showsource').click();")
same(browser.run(LINES), [["14", "7", "", "line 14"], ["16", "100 \u2192 300", "", "line 16"], ["17", "", "100 \u2192 140", "line 17"], ["19", "60 \u2192 0", "", "line 19"]],
     "lines of a function that moved, base and here, with calls")
same(browser.run(SEEN + "return all('.code .d .x').map(e => e.textContent);"), ["\u21d2 sub  10 \u2192 14\u00d7"], "  and their calls")
card = [["100 \u2192 300", "both.c:16"], ["60 \u2192 0", "both.c:19"], ["100 \u2192 140", "both.c:17"]]
HOT = SEEN + "return all('#hot .share').map(d => [d.children[0].textContent, d.children[1].textContent]);"
same(browser.run(HOT), card, "  the card has those that changed most")
page("hot", "now.out", "base=was.out", "functions vs base")
browser.run(SEEN + "all('#list tbody tr').find(r => r.querySelector('.fn') && r.querySelector('.fn').title === 'work').click();")
same(browser.run(HOT), card, "  without their text, too")
r = run("now.out", "base=was.out", "--no-index-write", "-q", "-c", browser.run(SEEN + "return $('#hot code').textContent;"))
same((r.status, browser.errors), (0, []), "  and the query that it tells runs")
got = page("listing", "now.out", "source of work")
same((got[:2], browser.run(SEEN + "return [seen($('.code')), $('.code .at .n').textContent];")), (["Source", "work"], [True, "16"]), "source of f: the report at its tab, at the costliest line")

# ---- one sentence, one name, one function in all threads, calls of an edge ----
page("sentence", lua, "functions")
said = browser.run(SEEN + "return [$('#sentence').textContent, all('#sentence button').map(b => all('#frames .f').find(f => f.title.split('\\n')[0].split(' \u203a ')[0] === b.textContent).title.split('\\n')[1])];")
ok(said[0].startswith("93.25% is below main: docall ~69.36%") and len(said[1]) == 3 and all(t[0] == "~" and t.split(", ")[1].split("%")[0] + "%" in said[0] for t in said[1]), "the widest frames below main, as they are drawn", said)
same(browser.run(SEEN + "$('#sentence button').click(); return $('#name').textContent;"), "docall", "  each is a link")
with open("alone.out", "w") as f:
    f.write("events: Ir\nfn=main\n1 1\ncfn=f\ncalls=1 1\n1 99\n\nfn=f\n1 96\ncfn=g\ncalls=1 1\n1 3\n\nfn=g\n1 3\n")
page("alone", "alone.out", "functions")
same(browser.run(SEEN + "return $('#sentence').textContent.trim();"), "100.00% is below main: f 99.00%", "  or the one that spends most itself")
page("sentence", lua, "functions")
ENTER = SEEN + "const q = $('#q'); q.value = '%s'; q.dispatchEvent(new Event('input')); q.dispatchEvent(new KeyboardEvent('keydown', {key: 'Enter', bubbles: true})); return $('#name').textContent;"
same([browser.run(ENTER % q) for q in ("luaH_get", "^luaV_")], ["luaH_get", "luaV_execute"], "Enter selects that name, or the costliest")
found = browser.run(SEEN + "all('#frames .f').find(f => f.textContent.includes('luaB_pcall') || f.title.includes('docall')).click(); const q = $('#q'); q.value = 'luaH_get'; q.dispatchEvent(new Event('input')); return $('#hits').textContent;")
whole, part = (re.findall(r"~([\d.]+)%", found) + ["", ""])[:2]
ok("of what is shown" in found and 0 < float(whole) < float(part), "what the search finds is a share of all, and of what is shown, and marked", found)
browser.run(ENTER % "^luaV_")
calls = {r["fn"]: r["calls"] for r in rows(lua, query="callees of luaV_execute | show fn, calls | as csv")}
drawn = browser.run(SEEN + "return [all('#graph .n:not(.me) text:first-of-type').map(t => t.textContent), all('#graph .t').map(t => t.textContent)];")
same(drawn[1][-6:], ["{:,}\xd7".format(int(calls[f])) for f in drawn[0][-6:]], "how often it calls each")
threads = small + "thr-septhreads-combine.out"
page("threads", threads, "functions")
browser.run(SEEN + "$('#showparts').click();")
same(browser.run(ENTER % "Worker::work(int)"), "Worker::work(int)", "Enter: a name is no expression")
shares = {t.strip().rsplit(" ", 1)[0]: t.strip().rsplit(" ", 1)[1] for t in browser.run(SEEN + "return $('#partof').textContent;").split("itself: ")[1].split(", ")}
costs = {n: rows(threads, query="thread %d | functions | where fn = \"Worker::work(int)\" | show self | as csv" % n) for n in range(1, 5)}
costs = {"thread %d" % n: int(r[0]["self"]) for n, r in costs.items() if r}
same(shares, {t: "%.2f%%" % (100 * c / sum(costs.values())) for t, c in costs.items()}, "which threads run the chosen function")

# ---- names ----
with open("named.out", "w") as f:
    f.write("events: Ir\nob=/lib/ld-linux.so\nfn=0x000000000001ab70\n0 10\ncob=/bin/x\ncfn=a::b::~b()\ncalls=1 0\n0 990\n\nob=/bin/x\nfn=a::b::~b()\n0 990\n")
page("named", "named.out", "functions")
same((browser.run(SEEN + "return all('#frames .f').map(f => f.textContent.split(' ')[0]);"), browser.errors), (["ld-linux.so+0x1ab70"], []),
     "an address is a place in its object")
same(browser.run(SEEN + "all('#list tbody tr').find(r => r.textContent.includes('1ab70')).click(); return $('#name').textContent;"), "ld-linux.so+0x1ab70", "  in the card, too")
run("named.out", "--no-index-write", "-q", "-c", "calltree > named.svg")
with open("named.svg") as f:
    ok(">ld-linux.so+0x1ab70 \u203a " in f.read(), "  and in a picture")
ok("+0x1ab70 \u203a " in run("named.out", "--no-index-write", "-q", "-c", "calltree | as flame").text, "  and in one of text")
browser.run(SEEN + "document.body.style.width = '130px'; window.dispatchEvent(new Event('resize'));")
ok(not [s for s in browser.run(SEEN + "return all('#frames .f, #list .fn').map(f => f.textContent);") if s.startswith("~")], "a destructor has no mark of an estimate")

# ---- the timeline ----
page("timed", small + "xdebug-small.out", "functions")
told = browser.run(SEEN + "$('#showrun').click(); all('#list tbody tr')[3].click(); return [all('#runabout code').map(c => c.textContent), all('#list tr.on .fn')[0].title];")
same([run(small + "xdebug-small.out", "--no-index-write", "-q", "-c", q).status for q in told[0]], [0, 0], "a report of a run says how to ask for its timeline, and for the slowest calls")
SUMS = SEEN + """
const at = %s, r = $('#runframes').getBoundingClientRect(), y = r.top + 5;
const go = (type, x) => $('#runframes').dispatchEvent(new PointerEvent(type, {clientX: r.left + x * r.width, clientY: y, pointerId: 1, bubbles: true}));
$('#runframes').setPointerCapture = () => {};
go('pointerdown', at[0]); go('pointermove', at[1]); go('pointerup', at[1]);
return [$('#span code').textContent, $('#span p').textContent, all('#span .share').map(d => d.children[1].title)];
"""
fiber = fixtures + "/truth/xdebug/fiber.xd"
page("run-fiber", fiber, "timeline min 0")
whole = browser.run(SUMS % "[0, 1]")
ok("100.00%" in whole[1] and "one request after" not in browser.run(SEEN + "return $('#runabout').textContent;"), "fibers beside each other are one request", whole)
shares = browser.run(SEEN + "return all('#span .share span').map(e => parseFloat(e.textContent.replace('~', '')));")
ok(sum(shares) <= 100.5, "  whose functions add up", shares)
for name, profile in ("small", small + "xdebug-small.out"), ("requests", small + "xdebug-append-different-scripts.out"):
    got = page("run-" + name, profile, "timeline min 0")
    same(got[0], "Timeline", name + ": it opens there")
    asked = rows(profile, query="timeline min 0 | show depth, incl, self, calls, fn | as csv")
    data = [tuple(map(int, l.split())) for l in browser.run(SEEN + "return $('#d-run').textContent.trim();").splitlines()]
    names = browser.run(SEEN + "return $('#d-functions').textContent;").splitlines()
    same([(d, names[f].split("\t")[0] if f >= 0 else "", w, own, n) for d, f, _, w, own, n in data],
         [(int(r["depth"]), r["fn"] if not r["fn"].startswith("(") or "call" not in r["fn"] else "", int(r[[k for k in r if k.startswith("incl")][0]]), int(r[[k for k in r if k.startswith("self")][0]]), int(r["calls"])) for r in asked],
         "  each frame of the answer")
    whole = browser.run(SUMS % "[0, 1]")
    total = sum(own for _, _, _, _, own, _ in data)
    ends = [i for i, d in enumerate(data) if d[2] == 0 and d[0] == data[0][0]] + [len(data)]
    requests = [sum(d[4] for d in data[a:b]) for a, b in zip(ends, ends[1:])]
    if len(requests) == 1:
        same(whole[0], "between 0 and %d | functions" % total, "  the whole run is a span")
    else:
        ok("ask each" in whole[1], "  each request has an axis of its own", whole)
        second = browser.run(SUMS % ("[%f, %f]" % ((requests[0] + 1) / total, (requests[0] + requests[1] - 1) / total)))
        got = run(profile, "--no-index-write", "-q", "-c", second[0] + " | sum | as csv").text.splitlines()
        ok(second[0].startswith("part 2 | between ") and abs(int(got[1].split(",")[0]) - requests[1]) < total / 500, "  its query answers with what the span cost", [second, got])
    ok(whole[2] and "100.00%" in whole[1], "  which has all of the cost", whole)
    same(browser.errors, [], "  no error")
done()
