#!/usr/bin/env python3
"""first_words.t - what users of other tools type first, and the answer that each gets.

first_words.txt is a table: the tool and what is typed, and below it what quern says, of an
answer its first lines.  --update writes the answers anew; a person reads the difference.
"""
import os
import re
import shutil
import sys

from e2e import done, ok, run, same, small, top

TABLE = top + "/tests/e2e/first_words.txt"
LINES, WIDTH = 4, 96
shutil.copy(small + "tmpl-cachebranch.out", "app.out")
run("app.out", "-c", "info")


def answer(typed):
    """The first lines of what a user sees, without trailing blanks."""
    r = run("app.out", "-q" if typed.startswith(".") else "--no-init", "-c", typed)
    lines = (r.talk + r.text).splitlines()
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
ok(len(entries) >= 40, "forty and more", len(entries))

# What is answered with a query is a query.
for tool, typed, want in entries:
    for query in re.findall(r"here that is: (?!\||\.|the keys?)(.*)", want):
        r = run("app.out", "--no-index-write", "-q", "-c", re.sub(r" > \S+", "", query))
        ok(r.status in (0, 1) and not re.search("missing|expected here|called '(?!\\w+')|another tool", r.talk), "%s: %s runs" % (typed, query), r)

# Each column of each source has its meaning.
for source in ("functions", "files", "lines", "instrs", "calls", "callsites", "jumps", "cycles", "parts", "threads", "events",
               "profiles", "callers", "calltree", "path", "cost", "source", "asm", "info"):
    r = run("app.out", "-q", "-c", ".help columns " + source)
    ok(r.status == 0 and len(r.text.splitlines()) > 2 and "?" not in r.text, ".help columns " + source, r)
same([line for line in run("app.out", "-q", "-c", ".help").text.splitlines() if len(line) > 80], [], ".help is 80 columns wide")
ok(len(run("app.out", "-q", "-c", ".help").text.splitlines()) <= 23, "and fits 24 lines")
done()
