#!/usr/bin/env python3
"""headline.t - a comparison says its result first, with the same words in text, md, github and html."""
import html
import re

from e2e import done, environ, ok, run, same


def profile(path, **functions):
    with open(path, "w") as f:
        f.write("events: Ir\nfl=a.c\n")
        f.writelines("fn=%s\n1 %d\n" % fn for fn in functions.items())


def lines(new, query, *more):
    return run(new, "base=old.out", "--no-index-write", "-q", *more, "-c", query).text.splitlines()


profile("old.out", main=1000, decode=6000000, encode=300000, pad=40000, one=100, two=200, legacy=2000)
profile("new.out", main=1000, decode=3000000, encode=340000, pad=41000, one=90, two=190, fresh=500, __x__=20)
want = ["6.34 M -> 3.38 M Ir (-46.7 %)", "101 %: decode spends less in itself (a.c:1)",
        "4 grew by 41,520: encode +40,000 (+13.3%), pad +1,000 (+2.5%), ...",
        "4 shrank by 3,002,020: decode -3,000,000 (-50.0%), legacy -2,000 (gone), ..."]
for query in ("functions vs base", "functions vs base | where delta > 500 | sort delta", "functions vs base | sum",
              "files vs base", "functions vs base | group by file: sum(delta)"):
    same(lines("new.out", query)[:4], want, "table: " + query)
text = lines("new.out", "functions vs base | as md")
same(text[:5], ["**%s**" % want[0], "", "- " + want[1], "- " + re.sub(r"(encode|pad)", r"`\1`", want[2]),
                "- " + re.sub(r"\b(decode|legacy)", r"`\1`", want[3])], "md")
ok(text[5] == "" and "`new.out` vs `base`" in text[6], "  then what was asked", text[:9])
text = lines("new.out", "functions vs base | where delta > 500 | expect none | as github")
same(text[0].partition("::")[2].partition("::")[2].replace("%0A", "\n").replace("%25", "%").splitlines(), want, "github")
ok(text[0].startswith("::notice file=a.c,line=1,title=new.out vs base::") and all(x.startswith("::error") for x in text[1:]), "  a notice", text)
same(lines("new.out", "functions vs base | sum | expect delta% < 5 | as github"), [], "  none where all holds")
for query in ("functions vs base", "files vs base"):
    page = "\n".join(lines("new.out", query + " | as html"))
    said = html.unescape(re.sub("<[^>]*>", "", page[page.index("</h1>"):].partition('<p class="about"><code>')[0]))
    same(said.split("\n")[1:4], want[:1] + want[2:], "html: " + query)
    first = re.search('<ol class="causes">\n<li>(.*?)</li>', page)
    same(first and re.sub("<[^>]*>", "", re.sub(" <span class=.soft rate.*", "", first[1])), "101 % decode spends less in itself a.c:1 of base", "  the first of the causes")
    ok("compared with base (old.out)" in page, "  with the name of the other file", page[:200])
same(lines("new.out", "functions | take 1")[0].split()[0], "#", "one profile has no headline")
same(run("new.out", "base=old.out", "--no-index-write", "-q", "-c", "functions vs base | take 1", "-c", "_ | where delta > 0").text.count("->"), 1,
     "nor has the last answer, shown again")

# ---- a script says it once; a report of tests has it in each case
with open("gate.q", "w") as f:
    f.write("functions vs base | sum | expect delta% < 5\n\nfunctions vs base | where delta > 500 | expect none\n\nfunctions vs new | sum\n\nfunctions vs base > one.md\n")
r = run("new.out", "base=old.out", "new=new.out", "--no-index-write", "--keep-going", "-q", "-f", "gate.q")
same([x for x in r.text.splitlines() if "->" in x], [want[0], "3.38 M -> 3.38 M Ir (the same)"], "a script says it once for each comparison")
ok(want[0] in open("one.md").read(), "  a file has its own", open("one.md").read()[:200])
text = run("new.out", "base=old.out", "new=new.out", "--no-index-write", "--keep-going", "-q", "-f", "gate.q", "--format", "junit").text
same([x.splitlines()[1:5] == want for x in html.unescape(text).split('type="expect">')[1:]], [True], "junit: a failure")
ok("system-out>\n3.38 M -> 3.38 M Ir (the same)" in html.unescape(text), "  and what passes", text)

# ---- another event that got worse
def events(path, *costs):
    with open(path, "w") as f:
        f.write("events: Ir Bc Bcm DLmr\nfl=a.c\nfn=main\n1 %d %d %d %d\nfn=f\n2 500000 500 500\n" % costs)


worse = "Bcm +18.1 %: why by Bcm"
events("old.events", 1000000, 1000, 1000, 0)
events("new.events", 988600, 1000, 1271, 2)
for query in "why", "functions vs base", "info vs base", "calltree vs base", "functions vs base | sum | expect delta% < 1", "files vs base | as md":
    r = run("new.events", "base=old.events", "--no-index-write", "-q", "-c", query)
    ok(r.text.count(worse) == 1, "another event got worse: " + query, r)
for form in "json", "ndjson", "csv", "tsv":
    r = run("new.events", "base=old.events", "--no-index-write", "-q", "-c", "why | as " + form)
    ok(r.talk.count("note: %s\n" % worse) == 1, "  a note: " + form, r)
r = run("new.events", "base=old.events", "--no-index-write", "-q", "--format", "json", "-c", "functions vs base")
ok(r.text.count(worse) == 1 and worse in r.talk, "  in JSON", r)
r = run("new.events", "base=old.events", "--no-index-write", "-q", "-c", "functions vs base | as html")
ok(worse in html.unescape(r.text), "  in a report", r.text[:900])
r = run("new.events", "base=old.events", "--no-index-write", "-q", "-c", "functions vs base | sum | expect delta% < 1 | as github")
same(r.text.splitlines(), ["::notice title=new.events vs base::" + worse.replace("%", "%25")], "  a gate that holds")
r = run("new.events", "v1=old.events", "--no-index-write", "-q", "-c", "functions vs v1 | take 1", "-c", "why vs v1 by Bcm")
ok("Bcm +18.1 %: why vs v1 by Bcm\n" in r.text and r.status == 0, "  its query, of a base with a name", r)
r = run("old.events", "base=new.events", "--no-index-write", "-q", "-c", "why")
ok("why by" not in r.text + r.talk, "  what got better is not said", r)
events("new.events", 1300000, 1000, 1271, 0)
r = run("new.events", "base=old.events", "--no-index-write", "-q", "-c", "why")
ok("why by" not in r.text + r.talk, "  nor what grew no more than what is asked", r)
events("new.events", 988600, 1000, 1000, 400)
r = run("new.events", "base=old.events", "--no-index-write", "-q", "-c", "why")
ok("DLmr 0 -> 400: why by DLmr\n" in r.text, "  of one that there was none of", r)

# ---- with another unit, with nothing, with names that are hostile
same(lines("old.out", "functions vs base")[0], "6.34 M -> 6.34 M Ir (the same)", "nothing changed")
ok(lines("old.out", "functions vs base")[1].startswith("0 of "), "  and nothing else is said")
profile("near.out", main=1001, decode=6000000, encode=300000, pad=40000, one=100, two=200, legacy=2000)
same(lines("near.out", "functions vs base")[0], "6.34 M -> 6.34 M Ir (+0.000016 %)", "a change is never 0 %")
profile("many.out", main=4000, decode=6003000, encode=303000, pad=43000, one=3100, two=3200, legacy=5000)
ok(not any("spends" in x for x in lines("many.out", "functions vs base")), "no cause stands out: none is named")
same(lines("new.out", "why max 1")[0], want[0], "`why` has the totals")
profile("none.out", main=0)
same(lines("none.out", "functions vs base")[0], "6.34 M -> 0 Ir (-100.0 %)", "all is gone")
profile("bad.out", **{"##[error]x": 900, "\x1b[31m<q>`*": 800})
environ["GITHUB_ACTIONS"] = "true"
for fmt in ("table", "md", "github", "html"):
    text = "\n".join(lines("bad.out", "functions vs base | as " + fmt))
    ok("##[" not in text and "\x1b" not in text and (fmt != "html" or "<q>" not in text), "hostile names: " + fmt, text[:500])
done()
