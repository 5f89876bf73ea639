#!/usr/bin/env python3
"""reports.t - `as junit` and `as github`: one document of all queries; annotations that names cannot forge; `as md`."""
import html
import os
import re
import shutil
import subprocess
from xml.etree import ElementTree

import e2e
from e2e import done, ok, profile, run, same, skip, write_bytes
from junit import Report

NAMES = [b"main", b"work", b"a::b", b"x::error::forged", b"%0A::error::forged", b"a,line=1", b"::error::forged", b"##[error]forged",
         b"]]>", b"<failure>", b"&amp;", b"caf\xe9", b"\x1b[31m", b"a\rb", b"\xe2\x80\xa8", b"\xef\xbf\xbf", b"\x00\x01\x08", b"\xed\xa0\x80",
         b"a`b``c", b"a|b", b"a\\|b", b"`", b"@someone", b"#12", b"<b>", b"[x](http://y)", b"~~a~~", b"n" * 5000]


def strange(path, more=0):
    with open(path, "wb") as f:
        f.write(b"events: Ir\n")
        for i, name in enumerate(NAMES):
            f.write(b"fl=%s/src/%s.c\nfn=%s\n%d %d\n" % (os.getcwd().encode(), name, name, i + 1, 1000 + i + more))


strange("old.out")
strange("new.out", 100)
HOLDS = "functions vs base | where delta > 1000 | expect none"
FAILS = "functions vs base | where delta > 5 | expect none"
BOGUS = "functions | bogus < \"&]]>\x01\""
XSD = e2e.top + "/tests/outputs/junit.xsd"
xmllint = shutil.which("xmllint")
if not xmllint:
    skip("xmllint agrees with the schema", "xmllint is not installed")


def ask(*args, **more):
    return run("new.out", "base=old.out", "-q", *args, **more)


def queries(*texts):
    return [word for text in texts for word in ("-c", text)]


def report(data, name):
    """The document, checked."""
    try:
        r = Report(data)
    except ElementTree.ParseError as e:
        ok(False, name + ": well-formed", "%s\n%s" % (e, data[:2000].decode("utf-8", "replace")))
        return Report(b"<testsuites/>")
    ok(not r.wrong, name + ": well-formed, as the schema wants it", "\n".join(r.wrong))
    if xmllint:
        write_bytes("x.xml", data)
        p = subprocess.run([xmllint, "--noout", "--nonet", "--schema", XSD, "x.xml"], stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        ok(p.returncode == 0, name + ": xmllint agrees", p.stdout.decode("utf-8", "replace"))
    return r


def outcomes(r):
    return [case[1] for case in r.cases]


# The reader finds what is wrong, or its verdicts are worth nothing.
for bad in (b"<testsuite/>", b"<testsuites><testsuite name='a' tests='2' failures='0' errors='0'><testcase name='b'/></testsuite></testsuites>",
            b"<testsuites time='1.2345'/>", b"<testsuites><testcase name='a'/></testsuites>", b"<testsuites>x</testsuites>",
            b"<testsuites><testsuite name='a' tests='1' failures='0' errors='0'><testcase/></testsuite></testsuites>",
            b"<testsuites><testsuite name='a' tests='0' failures='0'/></testsuites>", b"<testsuites colour='red'/>"):
    ok(Report(bad).wrong, "the reader refuses " + bad.decode()[:60])

# One document of all queries, whatever way they come.
ALL = (HOLDS, FAILS, "top 2", BOGUS, "functions | where self < 0 | expect some", "functions | expect self < 0", ".opne x")
WANT = ["passed", "failure", "passed", "error", "failure", "failure", "error"]
r = ask("--keep-going", "--format", "junit", *queries(*ALL))
first = report(r.out, "-c, --keep-going")
same((r.status, outcomes(first)), (2, WANT), "every query is a case, with its outcome")
same([c[0] for c in first.cases[:3]], [HOLDS, FAILS, "top 2"], "its name is the query")
same(first.messages[0], "expected no rows, found 28", "a failure says why")
same(len(first.cases[1][2].strip("\n").split("\n")), 30, "and lists the rows that break it, below the headline")
ok("work (work.c:2): delta +100 (+9.99%), base 1,001, self 1,101 (" in first.cases[1][2], "in words", first.cases[1][2][:300])
ok("work" not in first.cases[0][2] and first.cases[2][2].count("\n") == 3, "what passes has its rows as output", first.cases)
same(first.cases[4][2].strip(), "", "an expectation that wants rows has none")
write_bytes("all.q", "\n".join(ALL).encode())
for name, r in (("-f", ask("--keep-going", "--format", "junit", "-f", "all.q")),
                ("stdin", ask("--keep-going", "--format", "junit", stdin=open("all.q", "rb").read())),
                ("-f and .read", ask("--keep-going", "--format", "junit", "-c", ".read all.q")),
                ("; in one -c", ask("--keep-going", "--format", "junit", "-c", "; ".join(ALL[:-1]), "-c", ALL[-1]))):
    same(outcomes(report(r.out, name)), WANT, name + ": the same document")
r = ask("--keep-going", *queries(*(q + " | as junit" for q in (HOLDS, FAILS, "top 2"))))
got = report(r.out, "as junit in each query")
same((r.status, outcomes(got)), (4, WANT[:3]), "as junit in each query: one document")
same([c[0] for c in got.cases], [HOLDS, FAILS, "top 2"], "and the same names")
r = ask("--format", "junit", *queries(HOLDS, FAILS, "top 2"))
same((r.status, outcomes(report(r.out, "without --keep-going"))), (4, WANT[:2]), "without --keep-going: up to the first that fails")
r = ask("--format", "junit", *queries(HOLDS, BOGUS, "top 2"))
same((r.status, outcomes(report(r.out, "an error"))), (1, ["passed", "error"]), "or that cannot be answered")
r = ask("--keep-going", "--format", "junit", *queries(FAILS + " > rows.csv", HOLDS + " > one.xml", BOGUS + " > none.xml"))
same(outcomes(report(r.out, "rows elsewhere")), ["failure", "passed", "error"], "rows that go elsewhere: the report still has the query")
ok(open("rows.csv").read().startswith("id,self"), "and the rows are there")
same(outcomes(report(open("one.xml", "rb").read(), "> one.xml")), ["passed"], "> one.xml is a document of one case")
r = ask(*queries(FAILS + " > gate.xml"))
same((r.status, r.out, outcomes(report(open("gate.xml", "rb").read(), "> gate.xml"))), (4, b"", ["failure"]), "also if it fails")
ok(not os.path.exists("none.xml"), "a query that cannot be answered writes no file")
r = ask("--keep-going", *queries("top 1 | as junit", ".output many.xml", HOLDS, FAILS, BOGUS, ".output", "top 2 | as junit", "top 1 | as csv"))
at = r.out.index(b"<?xml")
same(outcomes(report(r.out[at:], "standard output")), ["passed"] * 2, ".output between: one document on standard output")
ok(r.out.startswith(b"id,") and b"<?xml" not in r.out[at + 1:], "at its end", r)
same(outcomes(report(open("many.xml", "rb").read(), ".output")), ["passed", "failure", "error"], "and one in the file")
r = ask("--keep-going", "--format", "junit", *queries(".output left.xml", HOLDS, BOGUS))
same((r.out, outcomes(report(open("left.xml", "rb").read(), ".output to the end"))), (b"", ["passed", "error"]), "the file of .output at the end")
r = ask(*queries("functions | take 1", "bogus"))
ok(b"<?xml" not in r.out, "no report that nobody asked for", r)
profile("many.out", [(b"f%d" % i, 1) for i in range(5000)])
r = run("many.out", "-q", "--format", "junit", "-c", "functions | expect none")
ok("\nand 4,900 more\n" in r.text and r.text.count("\n") < 120, "a hundred rows at most", r.text[-300:])
for args in (("--format", "junit", "-c", "top 1"), ("-c", "top 1 | as junit"), ("--keep-going", "--format", "junit", "-c", FAILS)):
    if os.path.exists("/dev/full"):
        with open("/dev/full", "w") as full:
            r = ask(*args, stdout=full)
        ok(r.status == 1 and "standard output: No space left" in r.talk, "/dev/full: " + " ".join(args), r)
read, write = os.pipe()
os.close(read)
p = subprocess.run([e2e.quern, "new.out", "base=old.out", "-q", "--format", "junit", "-c", FAILS], stdout=write, stderr=subprocess.PIPE,
                   stdin=subprocess.DEVNULL, env=e2e.environ)
os.close(write)
same((p.returncode, p.stderr.count(b"\n")), (4, 3), "a reader that left: quiet, and the status is kept")


# ---- github ----

def unescape(text, pairs):
    for code, char in pairs:
        text = text.replace(code, char)
    return text


DATA = [("%0D", "\r"), ("%0A", "\n"), ("%25", "%")]
VALUE = DATA[:2] + [("%3A", ":"), ("%2C", ","), ("%25", "%")]


def command(line):
    """(command, properties, message) as the runner reads a line (ActionCommand.TryParseV2 of actions/runner), or None."""
    line = line.lstrip()
    end = line.find("::", 2)
    if not line.startswith("::") or end < 0:
        return None
    name, _, rest = line[2:end].partition(" ")
    return name, {k: unescape(v, VALUE) for k, _, v in (p.partition("=") for p in rest.split(",") if p)}, unescape(line[end + 2:], DATA)


def commands(data):
    """By every end of a line that a reader might know."""
    return [command(line) for line in data.decode("utf-8").splitlines()]


def text(name):
    """A name as text, see repl/term/emit.h."""
    out = ""
    for part in re.findall(rb"[\x00-\x7f]|[\xc2-\xf4][\x80-\xbf]+|.", name, re.S):
        try:
            char = part.decode("utf-8")
        except UnicodeDecodeError:
            char = "\0"
        out += char if char.isprintable() or char == "\uffff" else "".join("\\x%02X" % b for b in part)
    return out


WS = {"GITHUB_WORKSPACE": os.getcwd()}
r = ask("--format", "github", "-c", FAILS + " | take 40", env=WS)
r = ask("--format", "github", "-c", "functions vs base | where delta > 5 | sort self asc | expect none", env=WS)
said, *got = commands(r.out)
ok(said[:2] == ("notice", {"title": "new.out vs base"}) and said[2].startswith("28.4 k -> 31.2 k Ir (+9.9 %)\n28 grew by 2,800: "), "the headline comes first", said)
same((r.status, len(got), {c and c[0] for c in got}), (4, len(NAMES), {"error"}), "each row that breaks it is an error, and no line more")
same([c[1].get("file") for c in got], ["src/%s.c" % text(n).replace("##[", "##\\x5B") for n in NAMES],
     "its file as the repository has it, whatever the name, but no command")
same([c[1].get("line") for c in got], [str(i + 1) for i in range(len(NAMES))], "its line")
same({c[1].get("title") for c in got}, {"expected no rows, found 28"}, "the title says what was expected")
same({tuple(sorted(c[1])) for c in got}, {("file", "line", "title")}, "nothing else is a property")
ok(not [c for c in got if "\n" in c[2] or "\r" in c[2]], "a name has no end of line")
ok(re.fullmatch(r"work \(work\.c:2\): delta \+100 \(\+9\.99%\), base 1,001, self 1,101 \(\d\.\d\d%\), .*", got[1][2]), "the message", got[1])
for env, want in (({"GITHUB_WORKSPACE": os.getcwd() + "/src"}, "work.c"), ({"GITHUB_WORKSPACE": os.getcwd() + "/src/"}, "work.c"),
                  ({"GITHUB_WORKSPACE": os.getcwd() + "/sr"}, "src/work.c"), ({"GITHUB_WORKSPACE": ""}, "src/work.c"),
                  ({"GITHUB_WORKSPACE": "/"}, "src/work.c"), ({}, "src/work.c")):
    r = ask("-c", 'functions | where fn = "work" | as github', env=env)
    same([(c[0], c[1]["file"]) for c in commands(r.out)], [("notice", want)], "a notice; the workspace is " + repr(env.get("GITHUB_WORKSPACE")))
os.mkdir("elsewhere")
r = run("../new.out", "-q", "-c", 'functions | where fn = "work" | as github', cwd="elsewhere")
same(commands(r.out)[0][1]["file"], os.getcwd() + "/src/work.c", "a file outside stays as recorded")
r = ask("--keep-going", "--format", "github", *queries(HOLDS, BOGUS, "functions | where self < 0 | expect some", ".opne x"))
same([(c[0], c[1]["title"], "file" in c[1]) for c in commands(r.out)],
     [("error", "not answered", False), ("error", "expected rows, found none", False), ("error", "not answered", False)],
     "queries that cannot be answered are annotated")
write_bytes("gate.q", ("-- a comment\n%s\n\n%s\n" % (HOLDS, BOGUS)).encode())
same([(c[1]["file"], c[1]["line"]) for c in commands(ask("--format", "github", "-f", "gate.q").out)], [("gate.q", "4")], "at their line of the script")
NO_CALLS = "note: this profile records no calls, only what each function costs itself; callgrind records calls, cachegrind does not\n"
for query in ("calls | take 3", "callers of work", "files | take 2", "info work", "lines of work", "cost of work", "calltree", "events", "sum", "functions | sum",
              "functions | show self", "objects vs base", "profiles", "parts", "cycles"):
    r = ask("-c", query + " | as github")
    ok(r.status in (0, 1) and None not in commands(r.out) and (r.status == 1 or r.talk in ("", NO_CALLS)), query + " | as github", r)

# ---- md ----

r = ask("-c", "functions vs base | sort self asc | take 27 | as md")
lines = r.text.splitlines()
same(lines[0], "**28.4 k -> 31.2 k Ir (+9.9 %)**", "the headline: totals, event")
ok(lines[1] == lines[3] == "" and lines[2].startswith("- 28 grew by 2,800: `"), "  what grew", lines[:6])
del lines[:4]
same(lines[0], "`functions vs base | sort self asc | take 27` (`new.out` vs `base`)", "the caption: query, profiles")
same((lines[1], lines[-2]), ("", ""), "blank lines about the table")
same(lines[-1], "27 of 28 functions; paired: 100.0 % of Ir here, 100.0 % of base", "the footer")


def cells(line):
    """GFM: a pipe ends a cell unless a backslash is before it; that one goes."""
    return [c.strip().replace("\\|", "|") for c in re.split(r"(?<!\\)\|", line)[1:-1]]


def code(cell):
    """CommonMark: what a cell of only one code span shows."""
    m = re.fullmatch(r"(`+)(?!`)(.*?)(?<!`)\1", cell, re.S)
    if not m or m[1] in re.findall(r"`+", m[2]):
        return None
    return m[2][1:-1] if m[2][:1] == m[2][-1:] == " " and m[2].strip() else m[2]


table = [cells(line) for line in lines[2:-2]]
same({len(row) for row in table}, {len(table[0])}, "every row has every cell")
head = dict(zip(table[0], table[1]))
same({head[k] for k in ("self", "delta", "delta%", "base", "\\#")}, {"---:"}, "numbers are on the right")
same({head[k] for k in ("fn", "file:line", "change")}, {"---"}, "text on the left")
rows = [dict(zip(table[0], row)) for row in table[2:]]
same([code(row["fn"]) for row in rows if code(row["fn"]) is None], [], "every name is in one span of code")
same((rows[1]["base"], rows[1]["self"], rows[1]["delta"], rows[1]["delta%"]), ("1,001", "1,101", "+100", "+9.99%"), "numbers as in a table, with signs")
r = run("old.out", "base=new.out", "-q", "-c", 'functions vs base | where fn = "work" | show delta, delta% | as md')
same(r.text.splitlines()[8], "| -100 | -9.08% |", "what got cheaper")
shown = {code(cells(line)[0]) for line in ask("-c", "functions | show fn | as md").text.splitlines() if line.startswith("| ")}
ok({"a`b``c", "a|b", "a\\|b", "`", "@someone", "<b>", "#12"} <= shown, "names come through ticks, pipes and backslashes", sorted(map(str, shown)))
if shutil.which("cmark-gfm"):
    page = subprocess.run(["cmark-gfm", "-e", "table", "-e", "strikethrough", "-e", "autolink"], stdout=subprocess.PIPE,
                          input=ask("-c", "functions | sort self asc | show file, self | as md").out).stdout.decode()
    same(re.findall("<td><code>(.*?)</code></td>", page), [html.escape("%s/src/%s.c" % (os.getcwd(), text(n)), quote=False).replace('"', "&quot;")
                                                          for n in NAMES[:-1]] + re.findall("<td><code>(.*nnn.c)</code></td>", page),
         "GitHub's own reader of Markdown: every file whole, in code")
    same(set(re.findall("<[^/>]*>", page)), {"<p>", "<code>", "<table>", "<thead>", "<tr>", "<th>", '<th align="right">', "<tbody>", "<td>", '<td align="right">'},
         "and no other element")
else:
    skip("GitHub's own reader of Markdown", "cmark-gfm is not installed")
done()
