#!/usr/bin/env python3
"""first_hour.t - the prompt as hands and eyes of other shells expect it, at four widths."""
import os
import shutil

from e2e import done, ok, quern, same, small
from prompting import (PROMPT, at_prompt, clear, expect, last, resize, screen, send, shown, start, terminal, wait, width)

shutil.copy(small + "tmpl-cachebranch.out", "app.out")
shutil.copy(small + "tmpl-default.out", "old.out")
terminal(80, 24)


def typed(text, *more):
    send("-l", text)
    send("Enter", *more)


def fits(columns, name):
    lines = screen()
    ok(all(width(line) <= columns for line in lines), "%s: %d columns" % (name, columns), shown(lines))


lines = start("app.out")
ok(at_prompt(lines), "the prompt", shown(lines))
for columns in (60, 80, 120, 200):
    ok(resize(columns, 24), "%d columns" % columns)
    clear()
    typed(".quit")
    wait(lambda s: last(s).startswith("$"))
    lines = start("app.out")
    said = [line for line in lines if line and not line.startswith(("$", "quern>"))]
    ok(len(said) == 2 or columns < 80, "%d: two lines at the start" % columns, shown(lines))
    ok(said[0].startswith("quern ") and "app.out, 607 functions, 2.86 M Ir" in said[0] and ".help" in said[1] and ".quit" in said[1],
       "%d: what is open, and how to go on" % columns, shown(lines))
    clear()

    # Brackets and pipes over lines.
    typed("find (malloc")
    expect(lambda s: last(s) == "   ...>", "%d: an open bracket goes on" % columns)
    typed("or free)")
    expect(lambda s: at_prompt(s) and any(x.startswith("2 of 2 functions") for x in s), "%d: and is closed in the next line" % columns)
    fits(columns, "its answer")
    clear()
    typed("find (malloc")
    wait(lambda s: last(s) == "   ...>")
    send("Enter")
    expect(lambda s: at_prompt(s) and "this '(' is not closed" in shown(s), "%d: an empty line frees the prompt" % columns)
    clear()
    typed("functions |")
    wait(lambda s: last(s) == "   ...>")
    send("Enter", "Enter")
    expect(lambda s: at_prompt(s) and "a stage is missing after '|'" in shown(s), "%d: after | too" % columns)
    clear()
    typed('find "malloc')
    expect(lambda s: at_prompt(s) and "this quote is not closed" in shown(s), "%d: a quote ends with its line" % columns)
    clear()
    typed("top 3")
    wait(lambda s: any(x.startswith("3 of 607") for x in s))
    typed("| take 1")
    expect(lambda s: at_prompt(s) and "showing 1 of 3" in shown(s), "%d: a line that begins with | goes on from the answer" % columns)
    clear()

    # Help on one screen.
    typed(".help")
    expect(lambda s: at_prompt(s) and any("graph stages | source" in x for x in s) or columns < 80, "%d: .help fits the screen" % columns)
    clear()
    typed("malloc")
    expect(lambda s: at_prompt(s) or "malloc" in shown(s), "%d: a name alone" % columns)
    clear()

    # Tab: values, and the columns that the source has.
    typed("let $heap = malloc or free")
    wait(lambda s: at_prompt(s) and "$heap" in shown(s))
    send("-l", "callers of $h")
    send("Tab")
    expect(lambda s: last(s) == PROMPT + " callers of $heap", "%d: Tab completes a value" % columns)
    clear()
    send("-l", "calls | where callee_")
    send("Tab", "Tab")
    expect(lambda s: "callee_file" in shown(s) and "callee_id" in shown(s), "%d: Tab lists the columns of calls" % columns)
    clear()
    send("-l", "functions | where calle")
    send("Tab")
    expect(lambda s: last(s) == PROMPT + " functions | where calle", "%d: which functions does not have" % columns)
    clear()

    # Ctrl-R.
    typed("find malloc")
    wait(lambda s: any(x.startswith("1 of 1") for x in s))
    typed("top 2 by incl")
    wait(lambda s: any(x.startswith("2 of 607") for x in s))
    clear()
    send("C-r", "find mal")
    expect(lambda s: last(s) == "search: find mal> find malloc", "%d: Ctrl-R shows what it finds" % columns)
    send("Left", "X")
    expect(lambda s: last(s) == PROMPT + " find malloXc", "%d: an arrow edits it" % columns)
    clear()
    send("C-r", "nosuch")
    expect(lambda s: last(s).startswith("not found: nosuch>"), "%d: what is not there is said" % columns)
    send(*["BSpace"] * 6)
    send("by incl")
    expect(lambda s: last(s) == "search: by incl> top 2 by incl", "%d: and another text is found" % columns)
    send("C-g")
    expect(at_prompt, "%d: Ctrl-G gives up" % columns)
    send("half")
    send("C-r", "find")
    wait(lambda s: last(s).startswith("search: find>"))
    send("C-g")
    expect(lambda s: last(s) == PROMPT + " half", "%d: and brings the line back" % columns)
    clear()
    send("C-r", "find mal", "Enter")
    expect(lambda s: at_prompt(s) and any(x.startswith("1 of 1") for x in s), "%d: Enter runs it" % columns)
    fits(columns, "and its answer")
    clear()

resize(80, 24)
clear()
typed(".help")
lines = wait(lambda s: at_prompt(s) and any(".quit" in x for x in s))
ok("A query reads left to right" in shown(lines) and any(x.endswith(".quit") for x in lines), "all of .help is on 80x24", shown(lines))
clear()
typed("\\q")
expect(lambda s: last(s).startswith("$"), "\\q leaves")

# Nothing open: the name of a file opens it.
send("-l", "clear; %s" % quern)
send("Enter")
expect(lambda s: last(s) == "quern>" and "no profile is open" in shown(s), "with nothing open the start says so")
typed("app.out")
expect(at_prompt, "a file's name at an empty prompt")
typed("top 1")
expect(lambda s: at_prompt(s) and any(x.startswith("1 of 607") for x in s), "and it is open")
clear()

# The pager is not in the time.
if shutil.which("less"):
    typed(".timer on")
    typed(".pager less")
    typed("functions")
    wait(lambda s: not at_prompt(s) and any("_dl_lookup_symbol_x" in x for x in s))
    os.system("sleep 1.5")
    send("q")
    lines = wait(lambda s: at_prompt(s) and any(x.endswith(("ms", " s")) and x[0].isdigit() for x in s))
    took = [x for x in lines if x.endswith((" ms", " s")) and x[:1].isdigit()]
    ok(took and (took[-1].endswith("ms") or float(took[-1].split()[0]) < 1.4), ".timer does not count the pager", shown(lines))
    typed(".timer off")
    clear()
typed("exit")
expect(lambda s: last(s).startswith("$"), "exit leaves")
same(os.path.exists("app.out.quern"), False, "nothing is left beside a small profile")

# A folder of benchmarks: all of them are open.
for path in ("b/app/all/one/callgrind.one.out", "b/app/all/one/callgrind.one.out.old", "b/app/all/two/callgrind.two.out"):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    shutil.copy("app.out", path)
for folder, names in (("b", ["one", "two"]), ("b/app/all/one", ["one"])):
    send("-l", "clear; %s -q %s" % (quern, folder))
    send("Enter")
    wait(at_prompt)
    typed("profiles")
    expect(lambda s: at_prompt(s) and [x.lstrip("* ").split()[0] for x in s if x.lstrip("* ").split()[:1] and x.lstrip("* ").split()[0] in ("one", "two", "base")] == names,
           "quern %s: its benchmarks, and those before" % folder)
    typed("exit")
    wait(lambda s: last(s).startswith("$"))
done()
