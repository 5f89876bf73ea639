#!/usr/bin/env python3
"""widths.t - tables on terminals of 60, 80, 120 and 200 columns: nothing is wider, what matters stays, names differ."""
import fcntl
import os
import pty
import re
import struct
import termios
import unicodedata

from e2e import done, environ, ok, profile, quern, run, same, small

WIDTHS = (60, 80, 120, 200)


def on_screen(columns, *args):
    """The lines that a terminal of so many columns gets, before it would wrap them."""
    pid, fd = pty.fork()
    if pid == 0:
        os.dup2(os.open("/dev/null", os.O_WRONLY), 2)    # notes come before the table
        fcntl.ioctl(0, termios.TIOCSWINSZ, struct.pack("HHHH", 50, columns, 0, 0))
        os.execve(quern, [quern, "-q", "--no-init", "--color=never", *args], dict(environ, QUERN_PAGER="cat"))
    data = b""
    while True:
        try:
            more = os.read(fd, 65536)
        except OSError:
            break
        if not more:
            break
        data += more
    os.waitpid(pid, 0)
    return data.decode("utf-8").replace("\r\n", "\n").splitlines()


def width(line):
    return sum(0 if unicodedata.combining(c) else 2 if unicodedata.east_asian_width(c) in "WF" else 1 for c in line)


def titles(lines):
    """The titles of the columns, which follow the headline of a comparison."""
    return next((x.split() for x in lines if "delta" in x.split()), lines[0].split()) if lines else []


TMPL, LUA = small + "tmpl-cachebranch.out", small + "lua-default.out"
TWO = (small + "lua-instr-jumps.out", "base=" + LUA)
# (profile, query, the columns that stay at 60)
ASKED = (
    ((TMPL,), "functions", "fn self"), ((TMPL,), "top 9 by incl.D1mr", "fn self"),
    ((TMPL,), ".run mispredict", "fn self.Bc self.Bcm rate"), ((TMPL,), "top 9 by Bcm / Bc", "fn self.Bc self.Bcm"), ((TMPL,), "find mem*", "fn self"),
    ((TMPL,), "files", "name self"), ((TMPL,), "classes", "name self"), ((TMPL,), "dirs", "name self"),
    ((TMPL,), "lines of main", "file:line self"), ((TMPL,), "callers of malloc", "fn calls incl"),
    ((TMPL,), "callees of main", "fn calls incl"), ((TMPL,), "calltree", "fn est"), ((TMPL,), "calls", "caller callee incl"),
    ((TMPL,), "callsites of main", "callee file:line"), ((TMPL,), "cycles", "# entry"), ((TMPL,), "parts", "part self"),
    ((TMPL,), "path from main to malloc", "fn est"), ((TMPL,), "events", "name total"),
    ((TMPL,), "functions | group by file, obj: sum(self), count, max(calls) as most", "file obj"),
    ((TMPL,), "functions | add x = self / calls | show fn, self, incl, incl.Dr, incl.Dw, incl.D1mr, calls, file, line, obj, x", "fn"),
    (TWO, "functions vs base", "fn base delta delta%"), (TWO, "lines vs base", "file:line base delta delta%"),
    (TWO, "callers of luaH_getint vs base", "fn base delta delta%"), (TWO, "calls vs base", "callee base delta delta%"),
    (TWO, "calltree vs base", "fn delta"), (TWO, "jumps of luaV_execute | take 20", "line to_line executed"),
    (TWO, "asm of luaH_getint", "self text"), ((LUA,), "source of luaH_getint", "self text"),
    ((small + "tmpl-multipart-combine.out",), "parts", "part self"), ((small + "xdebug-small.out",), "functions", "fn self"),
)
for profiles, query, kept in ASKED:
    seen = None
    for columns in WIDTHS:
        lines = on_screen(columns, *profiles, "-c", query)
        same([x for x in lines if width(x) > columns], [], "%d: %s: nothing is wider" % (columns, query))
        first = titles(lines)
        lost = [k for k in kept.split() if k not in first and "%s (all " % k not in " ".join(lines[-3:])]
        same(lost, [], "%d: %s: %s" % (columns, query, kept))
        ok(seen is None or len(first) >= len(seen), "%d: %s: no column less than on a narrower screen" % (columns, query), (first, seen))
        seen = first

# Sentences are not cut: other columns go, from and to together, and the rest stands below.
for side, calls in ("now", 5), ("then", 2):
    with open(side + ".out", "w") as f:
        f.write("events: Ir\nfl=a_file_with_a_long_name.cc\nfn=shop::Order::write_all_items\n3 10\ncfn=shop::log::Writer::append_line\n"
                "calls=%d 1\n4 %d\nfn=shop::log::Writer::append_line\n9 %d\n" % (calls, 1000 * calls, 1000 * calls))
TOLD = "shop::Order::write_all_items calls shop::log::Writer::append_line more often"
for columns in WIDTHS:
    lines = on_screen(columns, "--no-index-write", "now.out", "base=then.out", "-c", "why")
    same([x for x in lines if width(x) > columns], [], "%d: why: nothing is wider" % columns)
    shown = next(x.split() for x in lines if "why" in x)
    ok({"share%", "why", "file:line"} <= set(shown) and ("from" in shown) == ("to" in shown), "%d: why: what stays" % columns, lines)
    at, end = (next(x.index(w) for x in lines if w in x) for w in ("why", "file:line"))
    first = next(i for i, x in enumerate(lines) if "write_all" in x)
    rest = [x[at:end if i == 0 else None].strip() for i, x in enumerate(lines[first:]) if i == 0 or x.startswith(" " * at)]
    same("".join(rest).replace(" ", ""), TOLD.replace(" ", ""), "%d: why: the sentence is whole" % columns)
    text = "\n".join(on_screen(columns, TMPL, "overview"))
    ok(columns < 80 or all(q in text for q in (".run n-plus-one", "top 999 inlined of not $start", "functions | where recursive")), "%d: overview: queries are whole" % columns, text)

# A column that is hidden is named, with what it would have said.
lines = on_screen(60, *TWO, "-c", "lines vs base | sort delta | take 4")
ok("calls_out (all 0)" in " ".join(lines[-4:]) and "change (empty)" in " ".join(lines[-4:]), "columns that say nothing go first", lines)
lines = on_screen(60, TMPL, "-c", "callers of malloc")
ok("est (= incl)" in " ".join(lines[-2:]) and titles(lines) == ["#", "calls", "incl", "share%", "fn"], "one that repeats another goes", lines)
ok(" ".join(lines[-2:]).endswith("; all: --wide, .mode wide"), "and it says how to see it", lines)

# A function that calls itself is marked, also where it is in no cycle; the members of cycles have their column.
PHP = small + "xdebug-small.out"
for columns in WIDTHS[1:]:
    lines = on_screen(columns, PHP, "-c", "top 6")
    ok("recursive" in titles(lines) and [" yes" in x for x in lines if "fib" in x] == [True], "%d: fib is recursive" % columns, lines)
    lines = on_screen(columns, LUA, "-c", "top 6")
    ok("cycle" in titles(lines) and "recursive" not in titles(lines), "%d: a cycle says so itself" % columns, lines)
same(run(PHP, "-q", "--format", "csv", "-c", "functions | where recursive and not cycle > 0 | count").text.split(), ["count", "3"], "where recursive")

for columns in WIDTHS:
    lines = on_screen(columns, LUA, "-c", "info luaV_execute")
    ok(max(width(x) for x in lines) <= columns and "recursive: in cycle 1" in " ".join(lines), "%d: a card fits" % columns, lines)

# Help is folded at blanks, and says the same.
whole = run("-q", "-c", ".help reading").text
for columns in WIDTHS:
    lines = on_screen(columns, "-c", ".help reading")
    ok(max(width(x) for x in lines) <= columns and " ".join(lines).split() == whole.split(), "%d: help fits" % columns, lines)

# Without a screen names and calls are cut, but not with --wide.
r = run(TMPL, "-q", "-c", "cycles")
ok(max(width(x) for x in r.text.splitlines()) < 400 and " -> " in r.text, "cycles: calls are cut", r)
r = run(TMPL, "-q", "--wide", "-c", "cycles")
ok(max(width(x) for x in r.text.splitlines()) > 2000, "--wide: they are whole", r)

# Different names stay different.
NAMES = [b"std::map<%s, std::vector<std::string>, std::less<int> >::%s(%s) const" % (k, f, p)
         for k in (b"int", b"long", b"unsigned long") for f in (b"find", b"find_last_of_all_values") for p in (b"int", b"char const*")]
NAMES += [b"x" * 70 + b"%d" % i + b"y" * 70 for i in range(30)] + [b"/".join([b"dir"] * i) + b"/main" for i in range(20, 30)]
profile("twins.out", [(n, 1000 - i) for i, n in enumerate(NAMES)])
for columns in WIDTHS:
    lines = on_screen(columns, "twins.out", "-c", "functions | show fn, self")[1:len(NAMES) + 1]
    shown = [re.split(r"  +", x)[0] for x in lines]
    same((len(lines), len(set(shown))), (len(NAMES), len(NAMES)), "%d: names that differ are shown so" % columns)

# A name gives up its parameters, its arguments, its scopes and its clone before its last word, and its column ends where
# the longest of what is left does.
profile("clone.out", [(b"void std::__cxx11::basic_string<char, std::char_traits<char> >::_M_construct<char*>(char*, char*) [clone .isra.0]", 10), (b"f", 5)])
for columns, name in ((60, "\u2026::_M_construct<\u2026>(\u2026)\u2026"), (120, "void std::__cxx11::basic_string<\u2026>::_M_construct<\u2026>(\u2026) [clone .isra.0]")):
    lines = on_screen(columns, "clone.out", "-c", "functions | show self, fn, file, obj, calls")
    ok(name in lines[1], "%d: the last word of a name stays" % columns, lines)
    if "file" in lines[0]:
        same(lines[0].index("file") - lines[0].index("fn"), len(name) + 2, "%d: its column is as wide" % columns)
done()
