#!/usr/bin/env python3
"""hostile.t [COUNT] - random hostile names through every format, each read back.

Names of functions, files and objects are made of escape sequences, markup, quotes, formulas,
bytes of no encoding and characters that reorder text.  Every reader here is Python's own or
written from the format's description, and knows nothing of quern: names come back whole from
the formats for programs, and as the escaped text of repl/term/emit.h from those for people.  500 names;
10,000 with QUERN_TORTURE=1.
"""
import csv
import fcntl
import gzip
import html.parser
import io
import json
import os
import pty
import random
import re
import shutil
import struct
import subprocess
import sys
import termios
import xml.etree.ElementTree as ElementTree

from e2e import done, environ, ok, protobuf_fields, quern, run, seed

COUNT = int(sys.argv[1]) if len(sys.argv) > 1 else 10000 if os.environ.get("QUERN_TORTURE") else 500
SEED = seed()
ROUND = 500    # names of one profile: more would be too narrow for a picture
csv.field_size_limit(1 << 24)

PIECES = [b"\x1b[31m", b"\x1b]0;pwned\x07", b"\x1b[2J", b"\x1bP1;2q", b"\x9b31m", b"\xc2\x9b31m", b"\x07", b"\x08", b"\r",
          b"\x00", b"\x7f", b"\x0e", b"\x85", b"\xc2\x85", b"\t", b"\x0b", b"\x0c", b"\xff", b"\xfe", b"\xc0\x80", b"\xed\xa0\x80",
          b"\xf4\x90\x80\x80", b"\xe2\x80\xae", b"\xe2\x80\xa8", b"\xe2\x80\xa9", b"\xe2\x81\xa6", b"\xd8\x9c", b"\xe2\x80\x8f",
          b"\xef\xbb\xbf", b"\xef\xbf\xbe", b"\xef\xbf\xbf", b"\xe6\xbc\xa2", b"\xf0\x9f\x98\x80", b"e\xcc\x81", b"\xe2\x80\x8b",
          b'"', b'""', b"'", b"\\", b"\\\\", b"\\x:", b"\\x1B", b"\\N", b"\\l", b"\\u0000", b"\\\"", b"=1+1", b"@SUM(A1)", b"+1", b"-1",
          b"=cmd|' /C calc'!A0", b"<script>alert(1)</script>", b"</script>", b"</title>", b"</style>", b"<!--", b"-->", b"]]>",
          b"<![CDATA[", b"<?xml ?>", b"&amp;", b"&#39;", b"&", b"<", b">", b'" onload="alert(1)', b"<b>", b";", b" 7", b",", b"|", b"`",
          b"*", b"_", b"[x](javascript:alert(1))", b"![](x)", b"~~", b"{", b"}", b"];", b"n1 -> n2", b"label=<b>", b"(1)", b"(99) x",
          b" ", b"???", b"'2", b"%s%n%d", b"${x}", b"$(id)", b"`id`", b"#", b"fn=x", b"==== NEW PROFILING FILE ====", b"a" * 300,
          b"std::vector<int>::push_back", b"operator<<", b"(anonymous namespace)::f", b"main", b"f", b"0", b"\xe9"]


def name(rng):
    while True:
        s = b"".join(rng.choice(PIECES) if rng.random() < 0.85 else bytes([rng.randrange(256)])
                     for _ in range(rng.choice((1, 1, 2, 3, 4, 6))))
        s = s.replace(b"\n", b"").strip(b" \t\r")
        if s and not re.fullmatch(rb"\(\d+\)('\d+|'\(\d+\))+", s):
            return s


def escaped(s):
    """Name as text, by the words of repl/term/emit.h."""
    out, i = "", 0
    while i < len(s):
        n = 1 if s[i] < 0x80 else 2 if s[i] < 0xe0 else 3 if s[i] < 0xf0 else 4
        try:
            c = s[i:i + n].decode("utf-8")
        except UnicodeDecodeError:
            c, n = "", 1
        o = ord(c) if c else 0
        bad = not c or o < 32 or 127 <= o < 160 or o in (0x61c, 0x200e, 0x200f) or \
            0x2028 <= o <= 0x202e or 0x2066 <= o <= 0x2069
        out += "".join("\\x%02X" % b for b in s[i:i + n]) if bad else c
        i += n
    return out


def in_xml(s):
    """XML has no U+FFFE and U+FFFF: they are shown as bytes."""
    return escaped(s).replace("\ufffe", "\\xEF\\xBF\\xBE").replace("\uffff", "\\xEF\\xBF\\xBF")


def unmark(s):
    if not s.startswith("\\x:"):
        return s.encode("utf-8")
    return re.sub(rb"\\(x[0-9A-F]{2}|\\)",
                  lambda m: b"\\" if m[1] == b"\\" else bytes([int(m[1][1:], 16)]), s[3:].encode("utf-8"))


def unguard(s):
    return s[1:] if re.match(r"'+[=+@-]", s) else s


def clean(data, allow):
    """UTF-8 with no other control character and nothing that reorders."""
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as e:
        return str(e)
    bad = [c for c in text if c not in allow and
           (ord(c) < 32 or 127 <= ord(c) < 160 or c == "\u061c" or c in "\u200e\u200f" or
            "\u2028" <= c <= "\u202e" or "\u2066" <= c <= "\u2069")]
    return "" if not bad else "control characters %r" % set(bad)


class Page(html.parser.HTMLParser):
    """Scripts and elements of a page, and the text of the cells of functions."""

    def __init__(self, text):
        super().__init__(convert_charrefs=True)
        self.tags, self.attributes, self.cells, self.scripts, self.at = {}, set(), [], [], None
        self.feed(text)
        self.close()

    def handle_starttag(self, tag, attrs):
        self.tags[tag] = self.tags.get(tag, 0) + 1
        self.attributes |= {k for k, _ in attrs}
        self.at = "cell" if tag == "pre" and ("id", "d-functions") in attrs else tag
        if tag == "script":
            self.scripts.append("")

    def handle_endtag(self, tag):
        self.at = None

    def handle_data(self, data):
        if self.at == "cell":
            self.cells += [x.split("\t")[0] for x in data.strip("\n").split("\n")]
        if self.at == "script":
            self.scripts[-1] += data


def pprof_names(data):
    """The names of functions."""
    fields = list(protobuf_fields(data))
    strings = [value.decode("utf-8") for field, value in fields if field == 6]
    return [strings[dict(protobuf_fields(value))[2]] for field, value in fields if field == 5]


def on_terminal(*args, keys=(), rows=50, columns=132):
    """All that a terminal is sent by quern with args, as it is."""
    pid, fd = pty.fork()
    if pid == 0:
        fcntl.ioctl(0, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
        os.execve(quern, [quern] + list(args), dict(environ, NO_COLOR="1", PAGER="cat"))
    for k in keys:
        os.write(fd, k)
    got = b""
    while True:
        try:
            more = os.read(fd, 65536)
        except OSError:
            break
        if not more:
            break
        got += more
    os.close(fd)
    return os.waitpid(pid, 0)[1], got


def write_profile(path, names, files):
    with open(path, "wb") as f:
        f.write(b"version: 1\ncreator: hostile\ncmd: %s\ndesc: Trigger: %s\nevents: Ir\n" % (names[0], names[-1]))
        f.write(b"ob=(1) %s\nfl=(1) main.c\nfn=(1) root_of_all\n1 1\n" % files[0])
        for i in range(len(names)):
            f.write(b"cob=(%d) %s\ncfi=(%d) %s\ncfn=(%d) %s\ncalls=%d 1\n2 1000\n" % (
                i + 2, files[-1 - i], i + 2, files[i], i + 2, names[i], i + 1))
        for i in range(len(names)):
            f.write(b"ob=(%d)\nfl=(%d)\nfn=(%d)\n1 1000\n" % (i + 2, i + 2, i + 2))


def check(number, problems):
    rng = random.Random(SEED * 1000003 + number)
    names = set()
    while len(names) < min(ROUND, COUNT - number * ROUND):
        names.add(name(rng))
    names = sorted(names)
    files = [name(rng) for _ in names]
    write_profile("h.out", names, files)
    want = sorted(names + [b"root_of_all"])
    texts, xmls = sorted(escaped(n) for n in want), sorted(in_xml(n) for n in want)

    def bad(what, detail=""):
        problems.append("round %d: %s: %s" % (number, what, str(detail)[:600]))

    def ask(query, *more, allow=None, status=0):
        r = run("h.out", "-q", *more, "-c", query)
        if r.status != status:
            bad(query, r)
        why = clean(r.out, allow) if allow is not None else ""
        if why:
            bad(query, why)
        return r.out.decode("utf-8", "replace") if allow is not None else r.out

    def equal(what, got, wanted):
        if sorted(got) != sorted(wanted):
            bad(what, "%r instead of %r, %d of %d" % (
                sorted(set(got) - set(wanted))[:3], sorted(set(wanted) - set(got))[:3], len(got), len(wanted)))

    rows = list(csv.DictReader(io.StringIO(ask("functions | as csv", allow="\r\n"), newline="")))
    equal("csv", [unmark(unguard(r["fn"])) for r in rows], want)
    equal("csv: files", [unmark(unguard(r["file"])) for r in rows], files + [b"main.c"])
    equal("csv: objects", [unmark(unguard(r["obj"])) for r in rows], files + [files[0]])
    if [r for r in rows for v in r.values() if v[:1] in tuple("=+@")]:
        bad("csv", "a formula")
    lines = [x.split("\t") for x in ask("functions | as tsv", allow="\t\n").split("\n")[:-1]]
    equal("tsv", [unmark(unguard(x[lines[0].index("fn")])) for x in lines[1:]], want)
    doc = json.loads(ask("functions | as json", allow="\n"))
    at = doc["columns"].index("fn")
    equal("json", [unmark(x[at]) for x in doc["rows"]], want)
    equal("ndjson", [unmark(json.loads(x)["fn"]) for x in ask("functions | as ndjson", allow="\n").splitlines()], want)
    doc = json.loads(ask("calltree from root_of_all depth 1 | as speedscope", allow="\n"))
    frames = [unmark(f["name"]) for f in doc["shared"]["frames"]]
    equal("speedscope", set(frames) | {b"root_of_all"}, set(want))

    text = [x for x in ask("functions | as md", allow="\n").splitlines() if x.startswith("|")]
    if {len(re.findall(r"(?<!\\)\|", x)) for x in text} != {text[0].count("|")} or len(text) != len(want) + 2:
        bad("md", "a row has not every cell")
    if [x for x in text if re.search(r"(?<!\\)[<`\[*]", re.sub(r"(?<!`)(`+)(?!`).*?(?<!`)\1(?!`)", "", x))]:
        bad("md", "markup")
    for line in ask("functions | expect none", "--format", "github", allow="\n", status=4).splitlines():
        if not re.fullmatch(r"::error (file=[^:,%]*(?:%(?:25|3A|2C)[^:,%]*)*,)?(line=\d+,)?title=expected no rows%2C found \d+"
                            r"::(?:[^%]|%25)*", line):
            bad("github", line)
    root = ElementTree.fromstring(ask("functions | expect none", "--format", "junit", allow="\n", status=4))
    if [e.tag for e in root.iter()] != ["testsuites", "testsuite", "testcase", "failure"]:
        bad("junit", "elements")
    said = ask("functions | take 90 | expect none", "--format", "junit", allow="\n", status=4)
    if ElementTree.fromstring(said).find(".//failure").text.count("\n") != min(len(want), 90) + 1:
        bad("junit", "lines")
    for fmt in ("table", "tree"):
        text = ask("functions | show fn", "--wide", "--format", fmt, allow="\n").splitlines()
        equal(fmt, [x.rstrip() for x in text[1:1 + len(want)]], [x.rstrip() for x in texts])

    page = Page(ask("functions | as html", allow="\t\n"))
    plain = Page(harmless)
    equal("html", page.cells, xmls)
    if set(page.tags) - set(plain.tags) or page.attributes - plain.attributes or page.scripts != plain.scripts:
        bad("html", "elements %s, attributes %s" % (set(page.tags) - set(plain.tags), page.attributes - plain.attributes))
    svg, titles = "{http://www.w3.org/2000/svg}", set()
    for i in range(0, len(names), 250):     # a picture draws 400 frames
        write_profile("some.out", names[i:i + 250], files[i:i + 250])
        r = run("some.out", "-q", "-c", "calltree from root_of_all depth 1 | as svg")
        if clean(r.out, "\n"):
            bad("svg", clean(r.out, "\n"))
        root = ElementTree.fromstring(r.out.decode("utf-8", "replace"))
        titles |= {t.text.split("\n")[0] for t in root.iter(svg + "title")}
    if {in_xml(n) for n in names} - titles:
        bad("svg", "missing %r" % list({in_xml(n) for n in names} - titles)[:3])
    if [s.text for s in root.iter(svg + "script")] != flame_scripts:
        bad("svg", "scripts")

    seen = set()
    for skip in range(0, len(names), 24):
        text = ask("calls | skip %d | take 24 | as dot" % skip, allow="\t\n")
        strings = re.findall(r'"((?:[^"\\]|\\.)*)"', text)
        rest = re.sub(r'"(?:[^"\\]|\\.)*"', "", text)
        if not re.fullmatch(r"[A-Za-z0-9_ \t\n{}\[\];,=.>-]*", rest):
            bad("dot", rest)
        seen |= {re.sub(r"\\(.)", r"\1", s) for s in strings}
    if set(texts) - seen:
        bad("dot", "missing %r" % list(set(texts) - seen)[:3])
    if dot_program:
        p = subprocess.run(["dot", "-Tcanon"], input=text.encode(), stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        if p.returncode or p.stderr:
            bad("Graphviz", p.stderr)
    stacks = ask("calltree from root_of_all depth 1 | as folded", allow="\n").splitlines()
    equal("folded", {re.fullmatch(r"([^;]*;)?([^;]*) \d+", x)[2] for x in stacks} | {"root_of_all"},
          {escaped(n).replace(";", ":") for n in want})
    ask("calltree from root_of_all depth 1 > x.pb.gz")
    equal("pprof", set(pprof_names(gzip.open("x.pb.gz").read())) | {"root_of_all"}, set(texts))

    ask("functions > again.callgrind")
    again = run("again.callgrind", "-q", "--index", "again.quern", "--rebuild", "-c", "functions | show fn, file, obj, self, incl, calls | as ndjson")
    if again.text != ask("functions | show fn, file, obj, self, incl, calls | as ndjson", allow="\n"):
        bad("callgrind", "another answer: " + again.talk)

    for args in (["-c", "functions"], ["-c", "calls"], ["-c", "calltree from root_of_all depth 1"], ["-c", "info"],
                 ["-c", "find /./ | take 50"], ["-c", "info root_of_all"]):
        status, got = on_terminal("h.out", "-q", "--no-init", *args)
        why = clean(got.replace(b"\r\n", b"\n"), "\n")
        if status or why or not got:
            bad("terminal: %s" % args, "status %d, %s" % (status, why))
    keys = [b"info \t\t", b"\x15functions of \t\t", b"\x15.quit\r"]
    status, got = on_terminal("h.out", "-q", "--no-init", keys=keys)
    for hostile in (b"\x1b]0;", b"\x1b[31m", b"\x1b[2J\x1b", b"\xc2\x9b", b"\xe2\x80\xae", b"\xff", b"\x00", b"\xc2\x85"):
        if hostile in got:
            bad("prompt, Tab", "%r in %r" % (hostile, got[max(0, got.find(hostile) - 40):][:120]))


write_profile("plain.out", [b"a", b"b"], [b"x", b"y"])
harmless = run("plain.out", "-q", "-c", "functions | as html").text
flame_scripts = [s.text for s in ElementTree.fromstring(run("plain.out", "-q", "-c", "calltree from root_of_all depth 1 | as svg").text)
                 .iter("{http://www.w3.org/2000/svg}script")]
dot_program = shutil.which("dot")
problems = []
for number in range((COUNT + ROUND - 1) // ROUND):
    check(number, problems)
ok(not problems, "%d names in csv, tsv, json, ndjson, speedscope, md, github, junit, tables, html, svg, dot, folded, pprof, callgrind, "
   "on a terminal and completed" % COUNT, "\n".join(problems))
done()
