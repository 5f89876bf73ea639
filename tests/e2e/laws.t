#!/usr/bin/env python3
"""laws.t - what the tree of a report must hold, asked of its own script in Chromium, for many kinds of profiles.

Bounds hold the cost and are no wider than those of the frame below; a frame is no less than the sum of what lies on
it; callers and callees of a function are those of `callers of` and `callees of`; frames of 5 % are those of `calltree`;
own costs are those of `functions`, whose first hundred are there; no share is above 100 %; ~ marks what is estimated.
A picture has the same frames of 5 %, with the same shares and marks.
"""
import csv
import glob
import html
import os
import re

import chromium
from e2e import done, fixtures, ok, run, same, skip_all, small

if not chromium.found:
    skip_all("no chromium that starts")
PROFILES = [small + n for n in (
    "tmpl-default.out", "lua-default.out", "mutual-default.out", "mutual-recs3.out", "thr-septhreads-combine.out", "tmpl-multipart-combine.out",
    "xdebug-small.out", "cachegrind-lua.out", "gopprof-cpu.callgrind", "pyprof2calltree.callgrind", "yappi.callgrind")] + \
    [fixtures + "/truth/" + n for n in ("sqlite.out.xz", "sqlite13.out.xz", "perl3.out.xz", "composer-big.xd.zst")] + \
    sorted(glob.glob(fixtures + "/producers/*.callgrind"))[:8] + [fixtures + "/found/turns.cg"]
with open("around.out", "w") as f:  # f and g call each other 990,000 times
    f.write("events: Ir\nfn=main\n1 10\ncfn=f\ncalls=1 2\n1 990\n\nfn=f\n2 300\ncfn=g\ncalls=5 2\n2 990000690\n\n"
            "fn=g\n3 600\ncfn=f\ncalls=4 2\n3 990000000\ncfn=leaf\ncalls=4 2\n3 90\n\nfn=leaf\n4 90\n")
ASK = """
const w = window.asked, T = w.total(), bad = [], near = [], tops = [], some = Math.max(2, 1e-6 * T);
function check(n, what) {
    let sum = 0;
    const [est, lo, hi] = [n.est[0], n.lo[0], n.hi[0]], say = law => bad.push([what, law, n.f ? n.f.name : '', lo, est, hi, sum]);
    for (const k of n.kids.values()) { sum += k.est[0]; check(k, what); }
    if (n.f && !(lo <= est + some && est <= hi + some)) say('bounds');
    if (n.f && n.on && n.on.f && hi > n.on.hi[0] + some) say('wider than below');
    if (sum > est + some) say('less than what lies on it');
}
const all = w.grow();
check(all, 'all');
(function walk(n, names) {
    const here = n.f ? [...names, n.f.id] : names;
    if (n.f && n.est[0] >= 0.05 * T && !names.includes(n.f.id)) tops.push([here.join(';'), Math.round(n.est[0])]);
    if (!n.f || !names.includes(n.f.id)) for (const k of n.kids.values()) walk(k, here);
})(all, []);
const by = v => [...w.F].sort((a, b) => v(b) - v(a)).slice(0, 6);
for (const f of new Set([...by(f => f.incl[w.event()]), ...by(f => f.self[w.event()]), ...by(f => f.cycle ? f.incl[w.event()] : 0)])) for (const way of ['to', 'from']) {
    w.around(way, f);
    const n = w.grow();
    check(n, way + ' ' + f.name);
    near.push([way, f.id, [...n.kids.values()].map(k => [k.f.id, Math.round(k.est[0]), k.hi[0] - k.lo[0] > 1])]);
}
const every = s => [...document.querySelectorAll(s)], labels = every('#frames .f:not(.rest):not(.up)').filter(f => f.textContent);
return {bad: bad.slice(0, 3), near, tops, T, own: w.F.map(f => [f.id, f.self[w.event()]]),
    above: every('#frames .f, #list td, #where, #graph text, #hot span').map(e => e.textContent).filter(t => (t.match(/[\\d.]+(?=\\s?%)/g) || []).some(n => n > 100)).concat(
        every('#list tr td:nth-child(3)').map(e => e.textContent).filter(t => T && parseFloat(t.replace('~', '')) > 100)),
    frames: labels.filter(f => f.offsetWidth > 0.05 * document.querySelector('#frames').clientWidth).map(f => f.title),
    marks: labels.filter(f => f.textContent.startsWith('~') !== f.title.split('\\n').slice(1).join().startsWith('~')).map(f => [f.textContent, f.title])};
"""


def answers(profile, queries):
    """The rows of each, by one process: its start takes longer than a question."""
    run(profile, "--index", "laws.quern", "-q", *[a for i, query in enumerate(queries) for a in ("-c", "%s > laws.%d.csv" % (query, i))])
    for i, query in enumerate(queries):
        with open("laws.%d.csv" % i, encoding="utf-8", errors="surrogateescape", newline="") as f:
            yield list(csv.DictReader(f))
        os.remove("laws.%d.csv" % i)


def frames(titles):
    """The last function of each frame, its mark, and its share in hundredths of a percent, as far as it has one."""
    for t in (t.split("\n") for t in titles):
        share = re.search(r"([\d.]+)%", t[1])
        if share:
            yield t[0].split(" \u203a ")[-1].replace(" \u21bb", ""), t[1].startswith("~"), round(100 * float(share[1]))


def picture(profile):
    """The titles of frames in the first rows of a picture, and labels without the mark that their title has."""
    run(profile, "--index", "laws.quern", "-q", "-c", "calltree > laws.svg")
    with open("laws.svg", encoding="utf-8", errors="surrogateescape") as f:
        drawn = re.findall(r'<g class="f[^>]* data-w="([\d.]+)" data-d="(\d+)"[^>]*><title>(.*?)</title>.*?<text[^>]*>(.*?)</text>', f.read(), re.S)
    drawn = [(float(w), int(d), html.unescape(t), label) for w, d, t, label in drawn if not t.startswith("+")]
    return [t for w, d, t, _ in drawn if w > 0.05 * 1180 and d < 9], [(t, label) for _, _, t, label in drawn if label and label.startswith("~") != ("\nestimated" in t)]


def cell(row, name):
    return next((row[k] for k in row if re.fullmatch(name + "(_.*)?", k)), "")


browser = chromium.Browser()
for profile in PROFILES + ["around.out"]:
    name = profile.rsplit("/", 1)[-1] + ": "
    run(profile, "--index", "laws.quern", "-q", "-c", "functions > laws.html")
    with open("laws.html", encoding="utf-8", errors="surrogateescape") as f:
        page = f.read()
    end = page.rindex("})();")
    hook = "window.asked = {F, grow, total, event: () => ev, around: (m, f) => { mode = m; subject = f; }};"
    with open("laws.html", "w", encoding="utf-8", errors="surrogateescape") as f:
        f.write(re.sub(r"<meta[^>]*Content-Security-Policy[^>]*>", "", page[:end] + hook + page[end:]))
    browser.open(os.getcwd() + "/laws.html", 1400, 900)
    got = browser.run(ASK)
    same(got["bad"], [], name + "bounds and sums of frames")
    wrong = []
    calltree, by_self, by_incl, *near = answers(profile, ["calltree min 5%", "top 100 by self", "top 100 by incl"] + [
        "%s of #%d" % ("callers" if way == "to" else "callees", fn) for way, fn, _ in got["near"]])
    for (way, fn, kids), answer in zip(got["near"], near):
        want = {int(r["id"]): r for r in answer}
        for of, est, wide in kids:
            r = want.get(of)
            cost = cell(r, "est") if r else "0"
            if cost and abs(est - int(cost)) > max(1, got["T"] * 1e-4) or r and wide and r["estimated"] == "false":
                wrong.append((way, fn, of, est, cost))
    same(wrong[:3], [], name + "callers and callees are those of the query")
    tree, above, joined = {}, [], []
    for r in calltree:
        above[int(r["depth"]) - 1:] = [r["id"]]
        if above[-2:-1] == above[-1:]:  # one frame in a picture
            joined.append(";".join(above[:-1]))
        elif len(set(above)) == len(above):
            tree[";".join(above)] = int(cell(r, "est"))
    drawn = dict(got["tops"])
    same([(p, c, drawn.get(p)) for p, c in tree.items() if not any((p + ";").startswith(j + ";") for j in joined) and abs(drawn.get(p, 0) - c) > max(1, got["T"] * 1e-4)][:3],
         [], name + "frames of 5 % are those of calltree")
    own = dict(got["own"])
    first = {int(r["id"]): cell(r, "self") for r in by_self + by_incl if r.get("id")}
    same([(f, c, own.get(f)) for f, c in first.items() if c and own.get(f) != int(c)][:3], [], name + "own costs, of the first hundred too")
    same((got["above"][:3], got["marks"][:3]), ([], []), name + "no share above 100 %, ~ where it is estimated")
    titles, wrong = picture(profile) if tree else ([], [])
    page, missing = list(frames(got["frames"])), []
    for fn, guess, share in frames(titles):
        near = [p for p in page if p[:2] == (fn, guess) and abs(p[2] - share) <= 1]
        if near:
            page.remove(min(near, key=lambda p: abs(p[2] - share)))
        elif share > 510 and fn != "(other)":
            missing.append((fn, guess, share))
    same((missing[:3], wrong[:3]), ([], []), name + "a picture has the same frames")
    ok(not browser.errors, name + "no error", str(browser.errors[:1]))
browser.close()
done()
