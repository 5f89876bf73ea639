#!/usr/bin/env python3
"""first_screen.t - what a reader sees first of a report, at 1400x900 and 420x800, light and dark, in Chromium.

Frames are wide enough to be seen, most of their width says what it is, the table and the card are on the screen,
no text is small or pale, and what is selected is selected everywhere.  Pictures of all are left in $QUERN_PICTURES
when that names a directory.
"""
import os
import re

import chromium
from e2e import done, fixtures, ok, run, same, skip_all, small

if not chromium.found:
    skip_all("no chromium that starts")
truth, pairs = fixtures + "/truth/", fixtures + "/pairs/"
with open("many.out", "w") as f:
    f.write("events: Ir\nfn=main\n1 5\n" + "".join("cfn=f%d\ncalls=1 1\n1 %d\n" % (i, 10 * (1 + i % 700)) for i in range(17000)))
    for i in range(17000):
        f.write("\nfn=f%d\n1 %d\n" % (i, 10 * (1 + i % 700)))
with open("empty.out", "w") as f:
    f.write("events: Ir\n")
PAGES = {
    "cpp": [small + "tmpl-default.out"], "perl": [truth + "perl.out.xz"], "xdebug": [small + "xdebug-small.out"], "parts": [truth + "sqlite-parts.out.xz"],
    "threads": [small + "thr-septhreads-combine.out"], "cachegrind": [small + "cachegrind-lua.out"], "many": ["many.out"], "empty": ["empty.out"],
    "two": [pairs + "cpp-two.out", "base=" + pairs + "cpp-one.out"],
}
SEEN = """
const $ = s => document.querySelector(s), all = s => [...document.querySelectorAll(s)];
const shown = e => { const r = e.getBoundingClientRect(); return r.width > 0 && r.height > 0 && r.top < innerHeight && r.bottom > 0 && r.left < innerWidth; };
const rgb = s => { const m = s.match(/[\\d.]+/g).map(Number); return m.length > 3 && !m[3] ? null : m; };
const light = c => { const [r, g, b] = c.map(v => (v /= 255) <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4); return 0.2126 * r + 0.7152 * g + 0.0722 * b; };
const behind = e => { for (let a = e; a; a = a.parentElement) { const c = rgb(getComputedStyle(a).backgroundColor); if (c) return c; } return [255, 255, 255]; };
"""
LOOK = SEEN + """
const out = {}, frames = all('#frames .f'), wide = e => e.getBoundingClientRect().width;
out.thin = frames.filter(f => wide(f) < 3).length;
const sum = list => list.reduce((n, f) => n + wide(f), 0);
out.labelled = frames.length ? sum(frames.filter(f => f.textContent.length > 1)) / sum(frames) : 1;
out.rows = new Set(frames.map(f => f.offsetTop)).size;
out.table = all('#list tbody tr').filter(shown).length;
out.card = shown($('#card .head')) && shown($('#name'));
out.fits = document.documentElement.scrollWidth <= innerWidth;
const texts = [], walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
for (let n; (n = walk.nextNode());) { const e = n.parentElement; if (n.data.trim() && !/^(SCRIPT|STYLE|OPTION|TITLE|NOSCRIPT|PRE)$/i.test(e.tagName) && shown(e)) texts.push(e); }
out.small = texts.filter(e => parseFloat(getComputedStyle(e).fontSize) < 11).map(e => e.textContent.slice(0, 30)).slice(0, 3);
const contrast = e => {
    const s = getComputedStyle(e), svg = e instanceof SVGElement, ink = rgb(svg ? s.fill : s.color);
    const box = svg && e.parentElement.querySelector && e.parentElement.querySelector(':scope > rect'), under = box ? rgb(getComputedStyle(box).fill) : behind(e);
    const o = parseFloat(s.opacity), mixed = ink.slice(0, 3).map((v, i) => v * o + under[i] * (1 - o)), [a, b] = [light(mixed), light(under.slice(0, 3))].sort((x, y) => y - x);
    return (a + 0.05) / (b + 0.05);
};
out.pale = texts.filter(e => !e.closest(':disabled') && contrast(e) < 4.5).map(e => e.textContent.slice(0, 30) + ' ' + contrast(e).toFixed(1) + ' ' + e.className).slice(0, 4);
const stops = e => [e, ...e.querySelectorAll('*')].filter(x => x.tabIndex >= 0 && !x.disabled && x.offsetParent).length;
out.stops = [stops($('#flame')), stops($('#list tbody')), stops($('#graph'))].join();
const upper = frames.flatMap(f => [...f.title.matchAll(/ and ([\\d,]+)\\)/g)]).map(m => +m[1].replaceAll(',', ''));
out.bounds = upper.filter(n => n > Math.max(...$('#d-events').textContent.split('\\n').flatMap(l => l.split('\\t').slice(4).map(Number))));
out.loaded = performance.getEntriesByType('resource').length;
return out;
"""
ACT = SEEN + """
const out = {}, wait = () => new Promise(done => setTimeout(done, 20)), key = (on, key) => on.dispatchEvent(new KeyboardEvent('keydown', {key, bubbles: true}));
const frames = () => all('#frames .f[class*=" c"], #frames .f.s, #frames .f[class*=" m"], #frames .f[class*=" l"]'), q = $('#q');
const first = frames().find(f => f.getBoundingClientRect().width < $('#frames').clientWidth * 0.6 && f.textContent) || frames().at(-1), name = first.title.split('\\n')[0].split(' \\u203a ').at(-1);
const before = frames().length;
first.click();
out.selected = [$('#name').textContent === name, $('#list tr.on .fn').title === name, all('#frames .sel').length > 0, !!$('#graph .me')].join();
const top = all('#frames .f')[1];
out.zoomed = before === 1 || Math.abs(top.getBoundingClientRect().width - $('#frames').clientWidth) < 2 && /z=/.test(location.hash);
out.high = $('#frames').clientHeight;
key(document.body, 'Escape');
out.back = frames().length === before && !/z=/.test(location.hash) && $('#frames').clientHeight === out.high;
const row = all('#list tbody tr[data-i]')[1];
row.click();
out.row = [$('#name').textContent === all('#list tr.on .fn')[0].title, $('#graph .me title').textContent.split('\\n')[0] === $('#name').textContent].join();
const cost = s => (/(?:calls|here) ([\\d,.]+)|^([\\d,.]+)/m.exec(s) || []).slice(1).join(''), card = $('#graph .me title').textContent;
$('#from').click();
const self = all('#frames .f').filter(f => f.title.startsWith($('#name').textContent)).map(f => f.title.split('\\n')[1]);
out.sandwich = card.includes('~') || self.some(t => cost(t) === cost(card.split('\\n')[1])) || [self, card];
$('#all').click();
const near = $('#graph .n:not(.me)');
if (near) near.dispatchEvent(new MouseEvent('click', {bubbles: true}));
out.near = !near || $('#list tr.on .fn').title === $('#name').textContent;
q.value = name.slice(0, 6).replace(/[^\\w]/g, '.'); q.dispatchEvent(new Event('input'));
const share = s => (s.match(/[\\d.]+%|[\\d.,]+(.k)? \u2192 [\\d.,]+/) || [''])[0];
out.search = share($('#hits').textContent) === share($('#shown').textContent) || [$('#hits').textContent, $('#shown').textContent];
out.outlined = all('#frames .hit').length > 0;
q.value = ''; q.dispatchEvent(new Event('input'));
const part = $('#comp button');
if (part) { part.click(); out.filter = q.value.startsWith('in:') && share($('#shown').textContent) === share(part.title); part.click(); out.unfiltered = q.value === ''; }
$('#frames').focus();
key($('#frames'), 'ArrowDown'); key($('#frames'), 'ArrowDown');
out.arrows = all('#frames .at').length === 1 && $('#frames').getAttribute('aria-activedescendant') === $('#frames .at').id;
$('#list button[data-k=name]').click();
out.sorted = /o=/.test(location.hash);
return out;
"""
browser = chromium.Browser()
pictures = os.environ.get("QUERN_PICTURES")
for name, args in PAGES.items():
    r = run(*args, "--no-index-write", "-q", "-c", "functions%s > %s.html" % (" vs base" if len(args) > 1 else "", name))
    ok(r.status == 0, name + ": the report is written", r)
    for width, height, dark in ((1400, 900, False), (420, 800, False), (1400, 900, True), (420, 800, True)):
        page = "%s, %dx%d%s: " % (name, width, height, ", dark" if dark else "")
        browser.open(os.getcwd() + "/" + name + ".html", width, height, dark)
        got = browser.run(LOOK)
        same((got["thin"], got["small"], got["pale"], got["fits"], got["loaded"]), (0, [], [], True, 0), page + "frames are wide, texts large and dark enough")
        ok(got["labelled"] >= 0.7 and got["rows"] <= 14, page + "frames say what they are", got)
        ok(got["table"] > (0 if name == "empty" else 3) and got["card"], page + "the table and the card are on the screen", got)
        same(got["bounds"], [], page + "no frame may cost more than the program")
        same(got["stops"], "1,1,0", page + "one stop of Tab each")
        if pictures:
            browser.picture("%s/%s-%d%s.png" % (pictures, name, width, "-dark" if dark else ""))
        if name != "empty" and not dark:  # what it does is no matter of colours
            got = browser.run(ACT)
            got.pop("high")
            same({k: v for k, v in got.items() if v is not True and v not in ("true,true", "true,true,true,true")}, {}, page + "selection, zoom, search, filter, keys")
        same(browser.errors, [], page + "no error")
# Estimated recursion is five deep, however often they call each other, and each has its own cost: here f and g do 990,000 times.
with open("mutual.out", "w") as f:
    f.write("events: Ir\nfn=main\n1 10\ncfn=f\ncalls=1 2\n1 990\n\nfn=f\n2 300\ncfn=g\ncalls=5 2\n2 990000690\n\n"
            "fn=g\n3 600\ncfn=f\ncalls=4 2\n3 990000000\ncfn=leaf\ncalls=4 2\n3 90\n\nfn=leaf\n4 90\n")
run("mutual.out", "-q", "-c", "functions > mutual.html")
browser.open(os.getcwd() + "/mutual.html", 1400, 900)
same(browser.run("return [...document.querySelectorAll('#frames .f')].map(f => f.title.split(/\\n| Ir/).slice(0, 2).join(' '))"),
     ["main" + " \u203a f \u203a g" * 5 + " 1,000", "f ~300", "leaf ~90"], "recursion of any depth is five deep")
# The callers of the selected function stand above it, the nearest next to it, and what it calls below.
with open("near.out", "w") as f:
    f.write("events: Ir\nfn=main\n1 10\ncfn=a\ncalls=1 2\n1 120\ncfn=b\ncalls=1 3\n1 40\n\nfn=a\n2 60\ncfn=x\ncalls=1 4\n2 60\n\nfn=b\n3 10\ncfn=x\ncalls=1 4\n3 30\n\n"
            "fn=x\n4 10\ncfn=x\ncalls=1 4\n4 20\ncfn=y\ncalls=2 5\n4 80\n\nfn=y\n5 80\n")
run("near.out", "-q", "-c", "functions > near.html")
SANDWICH = SEEN + "return all('#frames .f').map(f => [Math.round(f.offsetTop / 20), f.textContent.replace(/ *[\\d.]+%$/, '')]).sort((a, b) => a[0] - b[0]).map(f => f.join(' '));"
for width, height in (1400, 900), (420, 800):
    browser.open(os.getcwd() + "/near.html", width, height)
    browser.run(SEEN + "all('#list tbody tr').find(r => r.querySelector('.fn').title === 'x').click(); $('#from').click();")
    both = browser.run(SANDWICH)
    same(both, ["0 a \u2039 main", "0 b \u2039 main", "1 x \u21bb", "2 y"], "callers and callees at once")
    ok("recursive" in browser.run("return document.querySelector('#where').textContent"), "the card says that it is recursive")
    browser.run(SEEN + "all('#frames .f').find(f => f.textContent.includes('a \u2039')).click();")
    same(browser.run(SANDWICH), ["0 a ‹ main", "1 ↓ x"], "a click zooms to a caller, which stays above")
    ok(re.match("Zoomed to a, calls that reach x: 60 Ir", browser.run(SEEN + "return $('#status').textContent;")), "the line below says what is shown", browser.run(SEEN + "return $('#status').textContent;"))
    browser.run("document.body.dispatchEvent(new KeyboardEvent('keydown', {key: 'Escape', bubbles: true}));")
    same(browser.run(SANDWICH), both, "Escape shows both again")
    same(browser.run(SEEN + "return all('#graph .h').map(e => e.textContent);"), ["callers, % of it", "% of the total", "callees, % of it"], "shares say of what")
    same(browser.errors, [], "no error")
# Calls that nobody counted are no inlined code.
run(small + "../found/uncounted.cg", "--no-index-write", "-q", "-c", "functions > uncounted.html")
browser.open(os.getcwd() + "/uncounted.html", 1400, 900)
browser.run(SEEN + "$('#more').open = true; all('#list tbody tr').find(r => r.querySelector('.fn').title === 'f').click();")
same(browser.run(SEEN + "return all('#callers td').map(e => [e.textContent, e.title]).filter((e, i) => i % 3 === 2);"),
     [["\u2013", "calls not counted"], ["3\u00d7", "3 calls"]], "calls that were not counted say so")
# The graph of the selected function has two levels each side where there is room; each share is one of its neighbour.
browser.open(os.getcwd() + "/near.html", 1400, 900)
NEAR = SEEN + "return [...$('#graphs svg').querySelectorAll('.n')].map(e => [...e.querySelectorAll('text')].map(t => t.textContent).join(' ')).sort();"
browser.run(SEEN + "all('#list tbody tr').find(r => r.querySelector('.fn').title === 'y').click(); $('#showgraphs').click();")
same((browser.run(NEAR), browser.run(SEEN + "return location.hash.includes('t=graphs') && !shown($('#frames'));")),
     (["a 67%", "b 33%", "x 100%", "x \u21bb", "y 47%"], True), "callers of callers")
browser.run(SEEN + "[...$('#graphs svg').querySelectorAll('.n')].find(e => e.textContent.includes('b33')).dispatchEvent(new MouseEvent('click', {bubbles: true}));")
same(browser.run(NEAR), ["b 24%", "main 100%", "x 75%", "x \u21bb", "y 89%"], "a click goes on in the graph")
browser.run(SEEN + "$('#all').click();")
same((browser.run(SEEN + "return shown($('#frames')) && !shown($('#graphs'));"), browser.errors), (True, []), "and back")
# Each thread says its name and its share; what grew a hundredfold does so in a word.
browser.open(os.getcwd() + "/threads.html", 1400, 900)
got = browser.run(SEEN + "$('#showparts').click(); return all('#bars .names span').map(e => e.textContent);")
ok(len(got) > 1 and all("%" in g and "thread" in g for g in got), "parts say their names and shares", got)
CHOOSE = SEEN + """
const box = $('#bars .bars'), r = box.getBoundingClientRect(), n = box.children.length, at = i => { const c = box.children[i].getBoundingClientRect(); return (c.left + c.right) / 2; }, say = () => $('#chosen').textContent;
const point = (type, i) => box.dispatchEvent(new PointerEvent(type, {clientX: at(i), clientY: r.top + 5, buttons: 1, pointerId: 1, bubbles: true}));
box.setPointerCapture = () => 0;
const press = (key, shiftKey) => box.dispatchEvent(new KeyboardEvent('keydown', {key, shiftKey, bubbles: true}));
point('pointerdown', 1);
const clicked = all('#chosen code').map(c => c.textContent);
point('pointermove', 2);
const dragged = say();
press('ArrowLeft'); press('ArrowRight', true);
return [dragged === say(), all('#bars i.in').length, all('#chosen code').map(c => c.textContent), n, clicked];
"""
for page, word in ("threads", "thread"), ("parts", "part"):
    browser.open(os.getcwd() + "/" + page + ".html", 1400, 900)
    browser.run(SEEN + "$('#showparts').click();")
    same_keys, bars, queries, n, clicked = browser.run(CHOOSE)
    same((same_keys, bars, len(queries)), (True, 2, 2), page + ": a drag, or keys, choose parts")
    same(clicked, [word + " 2 | functions", word + " 2 | functions vs %s 1,3-%d" % (word, n)], page + ": a click chooses one as a drag does")
    r = run(*PAGES[page], "--no-index-write", "-q", "-c", queries[0] + " | sum | show self | as csv", "-c", queries[1] + " | count")
    says = browser.run(SEEN + "return $('#chosen').textContent;")
    top = browser.run(CHOOSE.split("const clicked")[0] + "return all('#chosen .share').map(e => [parseFloat(e.textContent), e.querySelector('b').title]);")
    want = run(*PAGES[page], "--no-index-write", "-q", "-c", word + " 2 | top 8 | show self%, fn | as csv").text.splitlines()[1:]
    same([[round(share), fn] for share, fn in top], [[round(float(w.split(",", 1)[0])), w.split(",", 1)[1].strip('"')] for w in want], page + ": the functions of one part")
    ok(r.status == 0 and "{:,}".format(int(r.text.split()[1])) in says, page + ": the query that it tells has the cost that it tells", [says, r.text, r.talk])
# A part is as wide as it ran long, where the profile says so of all.
for name, range_of in ("timed", lambda i: "desc: Timerange: Basic block %d - %d\n" % (100 * i * i, 100 * (i + 1) ** 2)), ("untimed", lambda i: ""):
    with open(name + ".out", "w") as f:
        f.write("events: Ir\n" + "".join("part: %d\n%sfn=f\n1 %d\n\n" % (i + 1, range_of(i), 10 + i) for i in range(3)))
    run(name + ".out", "-q", "-c", "functions > %s.html" % name)
    browser.open(os.getcwd() + "/%s.html" % name, 1400, 900)
    wide = browser.run(SEEN + "$('#showparts').click(); const w = all('#bars .bars i').map(e => e.getBoundingClientRect().width); return w.map(x => Math.round(x / w[0]));")
    same(wide, [1, 3, 5] if name == "timed" else [1, 1, 1], name + ": widths of parts")
    same("as they ran long" in browser.run("return document.querySelector('#partsabout').textContent"), name == "timed", "  and it says so")
for name, cost in ("before", 5), ("after", 900):
    with open(name + ".out", "w") as f:
        f.write("events: Ir\nfn=main\n1 100\ncfn=a\ncalls=1 2\n1 %d\n\nfn=a\n2 %d\n" % (cost, cost))
run("after.out", "base=before.out", "-q", "-c", "functions vs base > ratio.html")
browser.open(os.getcwd() + "/ratio.html", 1400, 900)
same(browser.run(SEEN + "return all('#list tbody tr')[0].cells[2].textContent;"), "\u00d7180", "a hundredfold cost")
# Its names have room, whatever the window.
pairs = fixtures + "/pairs/php-%s.out"
run(pairs % "two", "base=" + pairs % "one", "--no-index-write", "-q", "-c", "functions vs base > names.html")
for width in 420, 1000, 1200, 1310, 1400, 1610, 1900:
    browser.open(os.getcwd() + "/names.html", width, 900)
    got = browser.run(SEEN + "const e = $('#list [data-k=name]').parentNode; return e.clientWidth;")
    ok(got >= 110, "%d px: names of a comparison" % width, got)
# A comparison begins with its causes, two at most, and says what asks for the others; each leads to its function.
with open("causes.base", "w") as b, open("causes.out", "w") as h:
    for f, more in (b, 0), (h, 1):
        f.write("events: Ir\nfn=main\n1 100\n" + "".join("cfn=f%d\ncalls=1 1\n%d %d\n" % (i, i + 2, 500 + more * 100 * i) for i in range(1, 8)))
        for i in range(1, 8):
            f.write("\nfn=f%d\n1 %d\n" % (i, 500 + more * 100 * i))
run("causes.out", "base=causes.base", "-q", "-c", "functions vs base > causes.html")
for width, height in (1400, 900), (420, 800):
    browser.open(os.getcwd() + "/causes.html", width, height)
    got = browser.run(SEEN + "return all('.causes li').filter(shown).map(e => e.textContent.trim());")
    same(([g.split(" spends")[0] for g in got], got[-1]), (["%d %% f%d" % (round(100 * i / 28), i) for i in (7, 6)] + [got[-1]], "and 5 more: why vs base"), "the causes in the heading")
    same(browser.run(SEEN + "all('.causes li')[1].click(); return $('#name').textContent;"), "f6", "a cause leads to its function")
    browser.run(SEEN + "all('.causes li')[2].click();")
    same((browser.run(SEEN + "return all('#why li').filter(shown).length;"), browser.errors), (7, []), "all of them")
with open("gone.out", "w") as f:
    f.write("events: Ir\nfn=main\n1 5\n")
run("gone.out", "base=before.out", "-q", "-c", "functions vs base > gone.html")
browser.open(os.getcwd() + "/gone.html", 1400, 900)
browser.run(SEEN + "all('#list tbody tr').find(r => r.querySelector('.fn').title === 'a').click(); $('#from').click();")
same((browser.run(SANDWICH), browser.errors), (["0 main", "1 a"], []), "callers of what is gone")
# The costliest lines say their files.
with open("line.c", "w") as f:
    f.write("int main(void)\n{\n\treturn 7;\n}\n")
with open("line.out", "w") as f:
    f.write("events: Ir\nfl=%s/line.c\nfn=main\n2 1\n3 9\n\nfl=/no/such/gone.c\nfn=gone\n3 1\n" % os.getcwd())
for args, says in ((), "Its costliest lines, with what they call; all: lines of #1; with their text, in a report written with --with-source81.82%line.c:39.09%line.c:2"), (("--with-source",), "81.82%line.c:3return 7;"):
    run("line.out", *args, "-q", "-c", "functions > line.html")
    browser.open(os.getcwd() + "/line.html", 1400, 900)
    ok(browser.run("return document.querySelector('#hot').textContent").startswith(says), "the card has the lines, or says how to get them")
    browser.run(SEEN + "all('#list tbody tr').find(r => r.querySelector('.fn').title === 'gone').click();")
    same((browser.run("return document.querySelector('#hot').textContent"), browser.errors), ("Its costliest lines, with what they call; all: lines of #09.09%gone.c:3", []), "it promises no text where there is no file")
# A name is searched as it is shown, without the types of its arguments; of a chain, a click selects what the search
# found.  Bars reach the largest row.  A place keeps its line.  What is too narrow is marked where it is hidden.
with open("names.out", "w") as f:
    f.write("events: Ir Dr\nfl=/src/%s.c\nfn=main\n1 1 1\ncfn=ns::walk(hash<int>*)\ncalls=1 2\n1 2892 10\n\nfn=ns::walk(hash<int>*)\n94354 1 1\ncfn=ns::make_hash(int)\ncalls=1 3\n2 2891 9\n\n"
            "fn=ns::make_hash(int)\n3 2890 8\ncfn=tiny(int)\ncalls=1 4\n3 1 1\n\nfn=tiny(int)\n4 1 1\n" % ("long" * 9))
run("names.out", "-q", "-c", "functions > names.html")
browser.open(os.getcwd() + "/names.html", 1400, 900)
NAMES = SEEN + """
const q = $('#q'), find = s => { q.value = s; q.dispatchEvent(new Event('input')); return all('#list .fn').map(e => e.title.replace(/\\(.*/, '')).sort().join(); }, out = [];
for (const s of ['hash', 'name:hash', 'hash<int', 'in:nothing']) out.push(find(s));
find('walk');
const f = $('#frames .hit');
f.click();
out.push($('#name').textContent, q.value, $('#list tr.on .fn').title);
const bar = $('#list td.b'), most = bar.querySelector('.with').getBoundingClientRect().width;
out.push(Math.round(bar.clientWidth - 12 - most), $('th.b').textContent, /Zoomed/.test($('#status').textContent));
const place = $('#list tr.on bdi').getBoundingClientRect(), cell = $('#list tr.on td:last-child').getBoundingClientRect();
out.push(place.right <= cell.right + 1 && place.left < cell.left);
find('');
all('#list tbody tr').find(r => r.querySelector('.fn').title === 'tiny(int)').click();
out.push(all('#frames .within, #frames .sel').map(e => e.className.split(' ').pop()).join());
const top = $('#scroll').getBoundingClientRect().top, at = () => $('#scroll').getBoundingClientRect().top >= top;
$('#showgraphs').click(); out.push(at()); $('#all').click(); out.push(at());
$('#event').value = 1; $('#event').dispatchEvent(new Event('change'));
out.push(at(), $('#total').textContent, $('#legend').textContent.split(' \u00b7 ')[0]);
return out;
"""
got = browser.run(NAMES)
same((got, browser.errors), (["ns::make_hash", "ns::make_hash", "ns::walk", "", "ns::walk(hash<int>*)", "walk", "ns::walk(hash<int>*)", 0, "0 \u2013 100 %", True, True,
                               "within", True, True, True, "11 Dr", "no estimates: all stacks are measured"], []), "names, bars, places and heights")
# Code inlined from other files is said by file, in parts of what the function spends: no line of its own called that alone.
with open("lib.h", "w") as f:
    f.write("static int a;\nstatic int b;\n")
with open("inl.out", "w") as f:
    f.write("events: Ir\nfl={0}/line.c\nfn=main\n2 10\nfi={0}/lib.h\n1 60\n2 10\nfi=/no/such/x.h\n7 20\n".format(os.getcwd()))
run("inl.out", "--with-source", "-q", "-c", "functions > inl.html")
browser.open(os.getcwd() + "/inl.html", 1400, 900)
same((browser.run("return document.querySelector('#hot p').textContent"), browser.errors),
     ("Of what it spends itself, 90 % is inlined code: lib.h 70 %, x.h 20 %. The profile does not say which of its lines called that.", []), "inlined code, by file")
# What a line calls back into its own function is the cost of other lines: none has more than the function.
with open("again.out", "w") as f:
    f.write("events: Ir\nfl=%s/line.c\nfn=main\n1 10\ncfn=f\ncalls=1 2\n1 100\n\nfn=f\n2 100\ncfn=f\ncalls=9 2\n3 900\n" % os.getcwd())
for args in (), ("--with-source",):
    run("again.out", *args, "-q", "-c", "functions > again.html")
    browser.open(os.getcwd() + "/again.html", 1400, 900)
    same((browser.run("return [document.querySelector('#name').textContent, ...[...document.querySelectorAll('#hot span')].map(e => e.textContent)]"), browser.errors),
         (["f", "90.91%"], []), "lines of a recursive function")
# Calls of itself are no part of a function, in the graph as in the flame graph: what it calls has one share in both.
with open("loop.out", "w") as f:
    f.write("events: Ir Dr\nfl=/no/loop.c\nfn=main\n1 0 0\ncfn=f\ncalls=1 2\n1 1000 10\n\nfn=f\n2 700 7\ncfn=f\ncalls=9 2\n3 900 9\ncfn=g\ncalls=10 4\n4 300 3\n\nfn=g\n4 300 3\n")
run("loop.out", "-q", "-c", "functions > loop.html")
browser.open(os.getcwd() + "/loop.html", 1400, 900)
LOOP = SEEN + """
$('#from').click();
return [all('#graph .n text').map(e => e.textContent).join(' '), all('#frames .f').map(f => f.title.split('\\n').slice(0, 2).join(' ').replace(/;.*/, '')), all('#graph .h').map(e => e.textContent).join('; ')];
"""
same((browser.run(LOOP), browser.errors), (["main 100% f \u21bb f \u21bb g 30% f 100%", ["main 1,000 Ir, 100.00%", "f 1,000 Ir, 100.00%", "g 300 Ir, 30.00%"],
                                                "callers, % of it; % of the total; callees, % of it"], []), "calls of a recursive function")
# A line that calls into the cycle of its function has what that call is of its cost: here an interpreter's, which is recorded.
run(small + "lua-default.out", "-q", "-c", "functions > lua.html")
browser.open(os.getcwd() + "/lua.html", 1400, 900)
browser.run(SEEN + "all('#list tbody tr').find(r => r.querySelector('.fn').title === 'luaV_execute').click();")
same((browser.run("return [...document.querySelectorAll('#hot .share')].map(e => e.textContent)[0]"), browser.errors),
     ("60.38%lvm.c:1638own 0.17%\u2192 luaD_precall 518\u00d7", []), "the costliest line with what it calls in its cycle")
browser.open(os.getcwd() + "/loop.html", 1400, 900)
# The lines are those of the query's event: for another one the card says what to ask, and that runs.
browser.run(SEEN + "$('#event').value = 1; $('#event').dispatchEvent(new Event('change'));")
query = browser.run(SEEN + "return $('#hot code').textContent;")
r = run("loop.out", "-q", "-c", query)
ok(r.status == 0 and re.fullmatch(r"lines of #\d+ \| sort Dr", query), "the lines of another event", [query, r.text])
# An address is anybody's: what names no view is the first one.
for view in "#o=__proto__", "#o=-hasOwnProperty", "#e=__proto__&f=__proto__&from=constructor&z=toString&s=__proto__", "#q=(((&%E0%A4%A":
    browser.open(os.getcwd() + "/mutual.html", 1400, 900, view=view)
    same((browser.run("return document.querySelectorAll('#frames .f').length"), browser.errors), (3, []), "the address " + view)
browser.close()
done()
