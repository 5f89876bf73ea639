#!/usr/bin/env python3
"""source_pages.t - pages that hold source: --with-source, `source of f > f.html`, `asm of f > f.html`.

What is in them, what never is, and how much of it.  tests/outputs/browser drives them in Chromium.
"""
import html
import os
import re

from e2e import done, fixtures, ok, run, same, small

PAGE = 6 << 20
TEXT = re.compile(r"line \d+ of [ab]")
os.makedirs("src/sub")
os.chdir("src")
here = os.getcwd()


def page(path):
    with open(path, "rb") as f:
        return f.read().decode("utf-8")


def element(text, name):
    """The lines of a hidden element, as its script reads them."""
    found = re.search(r'<pre id="%s" hidden>\n?(.*?)</pre>' % name, text, re.S)
    return html.unescape(found[1]).splitlines() if found else None


def rows(text, kind="L", bare=False):
    """Of the files that have text; bare: of all."""
    out, told = [], bare
    for line in element(text, "d-source") or []:
        told = bare or not line.split("\t")[2] if line[0] == "F" else told
        out += [line[1:].split("\t")] if told and line[0] == kind else []
    return out


def held(text):
    """The files with text, and how many lines; the page says how many in all."""
    lines, path = {}, None
    for line in element(text, "d-source") or []:
        t = line[1:].split("\t")
        if line[0] == "F":
            path = t[1] if not t[2] else None
        elif line[0] == "L" and path:
            lines[path] = lines.get(path, 0) + 1
    said = re.search(r"holds text of ([\d,]+) files?: ([\d,]+) \w+(?: and ([\d,]+))?", text)
    same([int((n or "0").replace(",", "")) for n in said.groups()] if said else [0, 0, 0],
         [len(lines), sum(lines.values()) - int(((said and said[3]) or "0").replace(",", "")), int(((said and said[3]) or "0").replace(",", ""))], "it says how much it holds")
    return [(path, "{:,}".format(n)) for path, n in lines.items()]


def write(path, data):
    with open(path, "wb") as f:
        f.write(data)


def profile(path, functions):
    """functions: (file, name, {line: (Ir, Dr)}, [(line, callee, calls, incl)])"""
    with open(path, "w") as f:
        f.write("positions: line\nevents: Ir Dr\n")
        for file, name, lines, calls in functions:
            f.write("fl=%s\nfn=%s\n" % (file, name))
            for line, cost in lines.items():
                f.write("%d %d %d\n" % (line, *cost))
            for line, callee, n, incl in calls:
                f.write("cfn=%s\ncalls=%d 1\n%d %d 0\n" % (callee, n, line, incl))


def report(query, *more, out="p.out"):
    return run(out, *more, "-c", query)


# A report holds source only if it is asked for, and only of the functions that it lists.
write("a.c", b"".join(b"line %d of a\n" % i for i in range(1, 60)))
write("b.c", b"".join(b"line %d of b\n" % i for i in range(1, 60)))
write("sub/in.h", b"int twice(int x) { return 2 * x; }\n")
profile("p.out", [("a.c", "main", {5: (10, 1), 30: (100, 0)}, [(30, "work", 3, 900)]), ("b.c", "work", {8: (900, 7)}, []),
                  ("gone.c", "gone", {1: (5, 5)}, [])])
r = report("functions > plain.html")
plain = page("plain.html")
ok(r.status == 0 and not TEXT.search(plain) and "twice" not in plain and not rows(plain), "without the option: no text", r)
same(sorted((line[0], line[1]) for line in rows(plain, bare=True)), [("1", "5 5"), ("30", "100"), ("5", "10 1"), ("8", "900 7")], "  but what lines cost")
r = report("functions > all.html", "--with-source")
text = page("all.html")
same([(line[0], line[2]) for line in rows(text) if line[1]], [("8", "line 8 of b"), ("5", "line 5 of a"), ("30", "line 30 of a")],
     "lines with cost: the costliest function first")
same([line[1] for line in rows(text) if line[1]], ["900 7", "10 1", "100"], "costs of all events")
same(rows(text, "C")[0][2:], ["3", "900"], "a call below its line")
same(element(text, "d-functions")[int(rows(text, "C")[0][1])].split("\t")[0], "work", "its link is the row of the callee")
same(sorted(held(text)), [(here + "/a.c", "18"), (here + "/b.c", "9")], "the page says which files it holds")
ok("No file was found for the source of 1 of 3" in text and "text of 2 files" in r.talk, "and for which functions there is none", r)
report("top 1 > one.html", "--with-source")
same([h[0] for h in held(page("one.html"))], [here + "/b.c"], "only of the functions listed")
report("functions vs old > two.html", "--with-source", "old=p.out")
same(len(held(page("two.html"))), 2, "in a report of two profiles, too")
r = report("hide work | functions > hidden.html", "--with-source")
ok(r.status == 0 and "No source: lines have no costs" in page("hidden.html"), "after a stage that has no lines: it says so", r)
r = report("functions > none.html", "--with-source", "--source-root", "sub")
ok("holds no source" in r.talk and "--source-root" in r.talk and not rows(page("none.html")), "no file below the roots: a note", r)
r = run("p.out", "--safe", "--with-source", "-q", "--format", "html", "-c", "functions")
ok(r.status == 0 and not TEXT.search(r.text), "--safe: no roots, no source", r)

text = page("all.html")

# A listing is the report, opened at the tab of its text and at the function with most cost there.
r = report("source of (main, work) > of.html")
text = page("of.html")
same(len([line for line in rows(text) if line[1]]), 3, "source of f: every line with cost")
same(element(text, "d-functions")[int(rows(text, "C")[0][1])].split("\t")[0], "work", "a call leads to its callee")
opened = re.search(r'data-tab="source" data-open="(\d+)"', text)
same([l.split("\t")[0] for l in element(text, "d-functions") if opened and l.split("\t")[2].split()[0] == opened[1]], ["work"], "it opens at the costliest")
same(len(held(text)), 2, "it says which files it holds")
r = report("source of file:b.c > file.html")
same([h[0] for h in held(page("file.html"))], [here + "/b.c"], "the page of one file")
r = report("source of main | where self > 50 > table.html")
ok(r.status == 0 and "d-source" not in page("table.html") and "line 30 of a" in page("table.html"), "rows that a stage chose are a table", r)
r = report("source of main | as html")
ok(r.status == 0 and "line 30 of a" in r.text, "as html, on standard output")
r = run(small + "lua-instr-jumps.out", "--no-index-write", "-q", "-c", "source of luaH_newkey | as html")
jumps = rows(r.text, "J", bare=True)
ok(len(jumps) > 5 and all(re.fullmatch(r"-> line \d+  [\d,]+( of [\d,]+)? times?", j[2]) for j in jumps) and
   all(j[1] == "0:" + re.search(r"line (\d+)", j[2])[1] for j in jumps), "jumps, with the place that they lead to", jumps[:3])
r = run(small + "lua-instr-jumps.out", "--no-index-write", "-q", "--limit", "rows=1000", "-c", "functions > lua.html", "--with-source")
ok(r.status == 0 and element(page("lua.html"), "d-source") is not None, "the rows of a page are counted, not the places that they are made of", r)
r = run(fixtures + "/quirks/cfni.cg", "--no-index-write", "-q", "-c", "source of main | as html")
ok(len(rows(r.text, "I", bare=True)) > 0 and any(g[0] == "0" for g in rows(r.text, "F", bare=True)), "inlined code is marked, and its files are groups", r)

# The pages load nothing, and run no script but theirs.
for name in ("all.html", "of.html"):
    text = page(name)
    policy = re.search(r'http-equiv="Content-Security-Policy" content="([^"]*)"', text)[1]
    ok("default-src 'none'" in policy and "connect-src" not in policy, name + ": the policy of the page")
    ok(not re.search(r"\b(src|href)=|url\(|@import|https?:", re.sub(r"(?s)<pre.*?</pre>", "", text)), name + ": it names nothing to load")

# Sources of anybody.
SCRIPT = b"</pre></script><script>alert(1)</script><!-- <img src=x onerror=alert(2)>\n"
LONG = b"x" * (1 << 20) + b"\n"
write("h.c", SCRIPT + b"nul \x00 end\n" + b"bad \xff\xfe\xc0\x80 utf\n" + LONG + b"\x1b[31mred\xe2\x80\xae\n" + b"a\ttab\tb\r\n" + b"last")
profile("h.out", [("h.c", "h", {n: (n, 0) for n in range(1, 8)}, [])])
for query, more in (("functions > h.html", ["--with-source"]), ("source of h > h.html", [])):
    r = report(query, *more, out="h.out")
    text = page("h.html")
    got = {line[0]: line[2] for line in rows(text)}
    same(r.status, 0, query + ": hostile text is read")
    same(got.get("1", "") + "\n", SCRIPT.decode(), query + ": markup is text")
    ok(text.count("<script>") == 1 and text.count("</script>") == 1 and "<img" not in text, query + ": and no markup in the page")
    same((got.get("2"), got.get("3")), ("nul \\x00 end", "bad \\xFF\\xFE\\xC0\\x80 utf"), query + ": NUL and invalid UTF-8")
    same(got.get("4"), LONG.decode().rstrip(), query + ": a line of 1 MiB is whole")
    ok("\x1b" not in text and "\u202e" not in text, query + ": escapes and bidirectional controls are not in the page")
    same((got.get("6"), got.get("7")), ("a       tab     b", "last"), query + ": tabs, CR, no newline at the end")

# Files that a profile must not reach.
write("../secret.c", b"secret\n" * 9)
os.symlink("../secret.c", "link.c")
os.symlink("..", "up")
os.symlink("/proc/self/environ", "environ.c")
os.mkfifo("fifo.c")
os.mkdir("dir.c")
os.environ["SECRET"] = "secret"
NAMES = ["../secret.c", "link.c", "up/secret.c", "environ.c", "/proc/self/environ", "/proc/self/maps", "fifo.c", "dir.c", "/dev/zero", "/dev/stdin",
         "sub/../../secret.c"]
profile("out.out", [(name, "f%d" % i, {1: (i + 1, 0)}, []) for i, name in enumerate(NAMES)])
for query, more in (("functions > out.html", ["--with-source"]), ("source of f* > out.html", [])):
    r = report(query, *more, out="out.out")
    text = page("out.html")
    ok(r.status == 0 and not held(text) and not any(line[2] for line in rows(text)), query + ": no relative path out of the roots, no FIFO, no device is read", text[-300:])
profile("away.out", [(here + "/../secret.c", "f", {1: (1, 0)}, [])])
for more in ([], ["--with-source"]):
    report("functions > away.html", *more, out="away.out")
    same("secret" in page("away.html").replace("secret.c", ""), bool(more), "a file where the profile says is in a page that was asked to hold source")
    ok("secret\n" not in text and "root:x:" not in text, query + ": none of it is in the page")

# At most 6 MiB: the costliest lines and functions, whole, and it says what is left out.
def whole(text, path):
    """Are all lines of the page lines of the file?"""
    have = open(path).read().splitlines()
    return all(line[2] == have[int(line[0]) - 1] for line in rows(text))


write("big.c", b"".join(b"%d:%s\n" % (i, b"y" * 1000) for i in range(1, 20001)))
profile("big.out", [("big.c", "big", {n: (20001 - n, 0) for n in range(1, 20001)}, [])])
r = report("source of big > big.html", out="big.out")
text, size = page("big.html"), os.path.getsize("big.html")
got = [int(line[0]) for line in rows(text)]
ok(PAGE * 0.9 < size <= PAGE, "a listing of 20 MB is a page of at most 6 MiB", size)
same(got, list(range(1, len(got) + 1)), "of the costliest lines")
ok(whole(text, "big.c"), "each of them whole")
left = "{:,}".format(20000 - len(got))
ok("Left out: %s of the cheapest lines" % left in text and left in r.talk and any(left in g[0] for g in rows(text, "G")), "how many are left out is said", r.talk)
r = report("functions > big.html", "--with-source", out="big.out")
ok(os.path.getsize("big.html") <= PAGE and [int(line[0]) for line in rows(page("big.html"))] == list(range(1, len(rows(page("big.html"))) + 1)),
   "a report with one such function", r)
profile("many.out", [("big.c", "f%d" % i, {n: (i + 1, 0) for n in range(20 * i + 1, 20 * i + 16)}, []) for i in range(900)])
r = report("functions > many.html", "--with-source", out="many.out")
text, size = page("many.html"), os.path.getsize("many.html")
names = [f.split("\t")[0] for f in element(text, "d-functions")]
blocks = element(text, "d-source")
taken = [names[int(line[1:])] for line, head in zip(blocks, blocks[1:]) if line[0] == "@" and "not in this report" not in head]
ok(PAGE * 0.9 < size <= PAGE, "a report of 20 MB of source is a page of at most 6 MiB", size)
same(taken, ["f%d" % (899 - i) for i in range(len(taken))], "it has the costliest functions")
ok(whole(text, "big.c"), "and whole lines")
left = 900 - len(taken)
ok("Left out: the source of the %d cheapest of 900 listed functions" % left in text and "the source of %d of 900 listed functions" % left in r.talk,
   "how many are left out is said", r.talk)
write("long.c", b"short\n" + b"z" * (7 << 20) + b"\nshort\n")
profile("long.out", [("long.c", "long", {1: (1, 0), 2: (100, 0), 3: (2, 0)}, [])])
r = report("source of long > long.html", out="long.out")
same([line[0] for line in rows(page("long.html"))], ["1", "3"], "a line that does not fit is left out, not cut")

# Instructions: an objdump of our own, started once.
profile("asm.out", [])
with open("asm.out", "w") as f:
    f.write("positions: instr line\nevents: Ir\nob=object\nfl=a.c\nfn=main\n0x401000 1 5\n0x401004 2 6\n"
            "cfn=work\ncalls=2 0x402000 1\n0x401004 2 30\njcnd=1/3 0x401000 1\n0x401004 2\nfn=work\n0x402000 8 30\n")
write("object", b"\x7fELF")
os.mkdir("bin")
write("bin/objdump", b"#!/bin/sh\necho run >> %s/runs\nfor i in 401000 401004 401008 402000; do printf '  %%s:\\tnop </script>\\n' $i; done\n" % here.encode())
os.chmod("bin/objdump", 0o755)
r = run("asm.out", "-q", "-c", "asm of (main, work) > asm.html", env={"PATH": here + "/bin:" + os.environ["PATH"]})
text = page("asm.html")
same([(line[0], line[1], line[2], line[3]) for line in rows(text) if line[1] and len(line) > 3],
     [("402000", "30", "nop </script>", "a.c:8"), ("401000", "5", "nop </script>", "a.c:1"), ("401004", "6", "nop </script>", "a.c:2")],
     "asm of f: instructions with costs and lines")
ok(["401004", "0:401000", "-> 0x401000  1 of 3 times"] in rows(text, "J"), "jumps lead to addresses", rows(text, "J"))
same((len(open("runs").read().split()), sorted(held(text)), 'data-tab="asm"' in text), (1, [(here + "/a.c", "15"), (here + "/object", "8")], True),
     "objdump ran once; the page names the object and the file")
os.remove("runs")
how = {"env": {"PATH": here + "/bin:" + os.environ["PATH"]}}
r = run("asm.out", "--with-asm", "-c", "functions > asm.html", **how)
text = page("asm.html")
blocks = [line for line in element(text, "d-source") if line[0] in "@%"]
same(blocks, ["@1", "%1", "@0", "%0"], "--with-asm: lines and instructions of each function")
same((len(open("runs").read().split()), sorted(held(text))), (1, [(here + "/a.c", "15"), (here + "/object", "8")]), "objdump ran once for all of them")
ok("asmAt" in text and "No instructions" not in text, "and the page shows them", r)
r = run("p.out", "--with-asm", "-q", "-c", "functions > asm.html", **how)
ok("No instructions: the profile has no addresses" in page("asm.html") and rows(page("asm.html")), "a profile without addresses: it says so", r)
r = run("asm.out", "--with-asm", "--safe", "--format", "html", "-c", "functions", **how)
ok(r.status == 1 and "objdump is not run under --safe" in r.talk, "--safe runs no objdump", r)
r = run("p.out", "-q", "-c", ".with-source on", "-c", "top 1 > dot.html", "-c", ".with-source off", "-c", "top 1 > off.html")
ok(len(held(page("dot.html"))) == 1 and not held(page("off.html")), ".with-source", r)
r = run("p.out", "-q", "-c", ".with-source maybe")
ok(r.status == 2 and "on, off or asm" in r.talk, ".with-source maybe", r)
done()
