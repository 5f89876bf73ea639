#!/usr/bin/env python3
"""formats.t - answers parsed back, hostile names in every format, files, pipes, full disks."""
import csv
import io
import json
import os
import re
import resource
import stat
import subprocess

from e2e import HUNG, done, environ, ok, profile, quern, run, same

NAMES = [b"main", b"=1+1", b"+x", b"-x", b"@x", b"'=x", b"'plain", b'say "hi", ok', b"a|b`c*d_e<T>",
         b"\x1b[31mred\x1b[0m", b"bell\x07", b"caf\xe9", b"\xff\xfe", b"\\x:marked", b"App\\Kernel",
         b"\xe6\xbc\xa2\xe5\xad\x97", b"right\xe2\x80\xaeleft", b"c1\xc2\x9b31m", b"del\x7f",
         b"<script>alert(1)</script>", b"&amp;", b"a" * 70000, b"sp ace", b"tab\tin", b"semi;colon",
         b"\xed\xa0\x80", b"\xc0\x80", b"x\xe2\x82", b"%s%n", b"{}[]", b"\xe2\x80\xa8"]
profile("h.out", [(n, 1000 + i) for i, n in enumerate(NAMES)])
ALL = "functions | sort id asc"


def unmark(s):
    """The one rule of repl/term/emit.h."""
    if not s.startswith("\\x:"):
        return s.encode("utf-8")
    return re.sub(rb"\\(x[0-9A-F]{2}|\\)",
                  lambda m: b"\\" if m[1] == b"\\" else bytes([int(m[1][1:], 16)]),
                  s[3:].encode("utf-8"))


def unguard(s):
    return s[1:] if re.match(r"'+[=+@-]", s) else s


def clean(data, allow):
    """No control byte but those allowed, valid UTF-8, nothing that reorders."""
    text = data.decode("utf-8")
    return not [c for c in text if (ord(c) < 32 or 127 <= ord(c) < 160) and c not in allow or
                c in "\u202e\u2028"]


def ask(fmt, *more):
    r = run("h.out", "-q", "--format", fmt, "-c", ALL, *more)
    ok(r.status == 0, fmt + ": answered", r)
    return r


want = sorted((n, 1000 + i) for i, n in enumerate(NAMES))

r = ask("json")
doc = json.loads(r.out.decode("utf-8"))
same(sorted(doc), ["columns", "meta", "rows"], "json: its three members")
ok({"query", "event", "total", "profile", "truncated"} <= set(doc["meta"]), "json: meta", doc["meta"])
same(doc["meta"]["total"], sum(c for n, c in want), "json: the total")
rows = [dict(zip(doc["columns"], row)) for row in doc["rows"]]
same(sorted((unmark(x["fn"]), x["self"]) for x in rows), want, "json: every name and cost comes back")
ok(clean(r.out, "\n"), "json: no control byte")
r.out.decode("utf-8").encode("utf-8")
ok(r"\ud8" not in r.text.lower(), "json: no lone surrogates")

r = ask("ndjson")
rows = [json.loads(line) for line in r.text.splitlines()]
same(sorted((unmark(x["fn"]), x["self"]) for x in rows), want, "ndjson: every name comes back")
ok(clean(r.out, "\n"), "ndjson: no control byte")
columns = list(rows[0])
same(columns[:4], ["id", "self", "incl", "calls"], "columns are a contract")

r = ask("csv")
csv.field_size_limit(1 << 20)
rows = list(csv.DictReader(io.StringIO(r.text, newline="")))
same(list(rows[0]), columns, "csv: the header line")
same(sorted((unmark(unguard(x["fn"])), int(x["self"])) for x in rows), want,
     "csv: every name comes back")
ok(not [x for x in rows if x["fn"][:1] in tuple("=+-@")], "csv: nothing a spreadsheet runs")
ok(clean(r.out, "\n"), "csv: no control byte")
raw = run("h.out", "-q", "--raw", "--format", "csv", "-c", ALL)
ok("=1+1" in [x["fn"] for x in csv.DictReader(io.StringIO(raw.text, newline=""))], "csv --raw")

r = ask("tsv")
lines = [line.split("\t") for line in r.text.split("\n")[:-1]]
ok(len(lines) == len(NAMES) + 1 and {len(x) for x in lines} == {len(columns)}, "tsv: its shape")
at = lines[0].index("fn")
same(sorted(unmark(unguard(x[at])) for x in lines[1:]), sorted(NAMES), "tsv: every name comes back")

for fmt in ("md", "github", "junit", "table", "tree"):
    r = ask(fmt)
    ok(clean(r.out, "\n"), fmt + ": no control byte")
r = run("h.out", "-q", "--format", "md", "-c", ALL)
same({len(re.findall(r"(?<!\\)\|", line)) for line in r.text.splitlines() if line.startswith("|")}, {8},
     "md: every row has every cell")
for args, whole in ((("--wide",), True), ((), False)):
    text = run("h.out", "-q", "--format", "table", *args, "-c", ALL).text
    same(("a" * 70000 in text, len(max(text.splitlines(), key=len)) < 200), (whole, not whole), "table: a pipe gets names of 60 columns, or whole ones: " + " ".join(args))
r = run("h.out", "-q", "--color=always", "-c", "top", env={"LC_ALL": "C"})
ok(r.status == 0, "the C locale", r)

# Files.
for ext, start in [("csv", b"id,"), ("tsv", b"id\t"), ("json", b'{"meta"'), ("ndjson", b'{"id"'),
                   ("md", b"`top 3 > out.md` (`h.out`, "), ("xml", b"<?xml "), ("github", b"::notice "), ("txt", b" ")]:
    r = run("h.out", "-q", "-c", "top 3 > out." + ext)
    got = open("out." + ext, "rb").read() if os.path.exists("out." + ext) else b""
    ok(r.status == 0 and not r.out and got.startswith(start), "> out." + ext, r)
r = run("h.out", "-q", "-c", "top 3 | as csv > out.txt")
ok(open("out.txt", "rb").read().startswith(b"id,"), "`as` is stronger than the extension", r)
r = run("h.out", "-q", "-c", "top 3 > out.xlsx")
ok(r.status == 1 and not os.path.exists("out.xlsx"), "an extension nobody knows", r)
os.chmod("out.csv", 0o640)
os.symlink("out.csv", "link.csv")
run("h.out", "-q", "-c", "top 1 > link.csv")
ok(os.path.islink("link.csv") and len(open("out.csv").readlines()) == 2 and
   stat.S_IMODE(os.stat("out.csv").st_mode) == 0o640, "links are followed, modes are kept")
before = open("out.csv").read()
r = run("h.out", "-q", "-c", "top by Nope > out.csv")
same((r.status, open("out.csv").read()), (1, before), "an error leaves the old file")
r = run("h.out", "-q", "-c", "top 1 > no/such/dir.csv")
ok(r.status == 1 and "no/such/dir.csv" in r.talk, "a directory that is not there", r)
same([f for f in os.listdir(".") if ".tmp." in f], [], "no temporaries are left")
r = run("h.out", "-q", "-c", ".output all.ndjson", "-c", "top 1", "-c", "top 2", "-c", ".output",
        "-c", "top 1 | as csv")
same((len(open("all.ndjson").readlines()), r.text.startswith("id,")), (3, True), ".output")
r = run("h.out", "-q", "-c", "top 3 | as csv ! wc -l")
same(r.text.strip(), "4", "! COMMAND")
r = run("h.out", "-q", "-c", "top 3 ! exit 7")
ok(r.status == 1 and "status 7" in r.talk, "! COMMAND that fails", r)
# --safe: every dot-command is either harmless or refused.
open("other.q", "w").write("top 1\n.quit\n")
profile("other.out", [(b"main", 1)])
REFUSED = ["top 1 > safe.csv", "top 1 ! touch safe.csv", ".output safe.csv", ".save safe.csv top",
           ".pager touch safe.csv", ".edit top", ".open other.out", ".read other.q", ".run other.q", ".limit rows 5",
           ".export safe", ".source-root ."]
HARMLESS = [".use h.out", ".help", ".overview", ".close", ".profiles", ".event", ".mode csv", ".pager off", ".timer on", ".explain top", ".push hide main",
            ".pop all", ".filters", ".limit", ".rename", ".demangle", ".with-source", ".queries", ".sets", ".run recursion", ".overview", ".quit"]
for text in REFUSED:
    r = run("h.out", "-q", "--safe", "-c", text)
    ok(r.status == 1 and "safe" in r.talk and not os.path.exists("safe.csv"), "--safe: " + text, r)
same(os.path.exists("other.out.quern"), False, "--safe: no index of another profile is written")
for text in HARMLESS:
    r = run("h.out", "-q", "--safe", "-c", text, stdin=b"")
    ok(r.status == 0 and "safe" not in r.talk, "--safe: " + text, r)
STEPS = [".down 1", ".up 1", ".back"]   # from an answer
for text in STEPS:
    r = run("h.out", "-q", "--safe", "-c", "top 2", "-c", "top 1", "-c", text, stdin=b"")
    ok(r.status == 0 and "safe" not in r.talk, "--safe: " + text, r)
commands = run("h.out", "-q", "-c", ".help commands").text
same(sorted({t.split()[0] for t in REFUSED + HARMLESS + STEPS if t.startswith(".")}),
     sorted(re.findall(r"^  (\.[a-z-]+)", commands, re.M)), "--safe: no command was forgotten")
open("a.c", "w").write("secret\n" * 40)
ok("secret" not in run("h.out", "-q", "--safe", "-c", "source of main").text, "--safe: no source text without --source-root")
ok("secret" in run("h.out", "-q", "--safe", "--source-root", ".", "-c", "source of main").text, "--safe: with it, text")
os.makedirs(".config/quern", exist_ok=True)
open(".config/quern/init", "w").write(".read other.q\n.mode csv\n")
open("other.q", "w").write(".timer off\n")
r = run("h.out", "-q", "--safe", "-c", "top 1")
ok(r.status == 0 and r.text.startswith("id,"), "--safe: the user's own init file is not meant", r)
os.remove(".config/quern/init")

# Readers and writers that fail.
if os.path.exists("/dev/full"):
    with open("/dev/full", "w") as full:
        for args in (["-c", "top"], ["--format", "json", "-c", ALL]):
            r = run("h.out", "-q", *args, stdout=full)
            ok(r.status == 1 and "standard output: No space left" in r.talk,
               "/dev/full: " + " ".join(args), r)
        same(run("--help", stdout=full).status, 1, "/dev/full: --help")
    r = run("h.out", "-q", "-c", "top > /dev/full")
    ok(r.status == 1 and "No space left" in r.talk, "> /dev/full", r)


# .output: whole answers, or what was there.
profile("many.out", [(b"f%04d" % i, i) for i in range(2000)])
run("many.out", "-q", "--rebuild", "-c", "info")
FEW = "functions | sort fn asc | take 1 | show fn"
for queries, status, want in (((ALL,), 1, "old"), ((FEW, ALL), 1, "fn\nf0000\n"), ((FEW, ALL, ".output"), 1, "fn\nf0000\n"),
                              (("nonsense",), 1, "old"), ((FEW, "nonsense"), 1, "fn\nf0000\n"),
                              ((FEW + " | expect none",), 4, "fn\nf0000\n")):
    with open("kept.csv", "w", newline="") as f:
        f.write("old")
    r = run("many.out", "-q", *(a for q in (".output kept.csv",) + queries for a in ("-c", q)),
            preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096)))
    got = open("kept.csv", newline="").read()
    ok(r.status == status and r.talk and got == want, ".output: " + "; ".join(queries), "%r\n%s" % (got, r))
    same([n for n in os.listdir(".") if ".tmp." in n], [], "and nothing is left")


def closed_pipe(*queries):
    read, write = os.pipe()
    os.close(read)
    args = [x for q in queries for x in ("-c", q)]
    p = subprocess.run([quern, "h.out", "-q"] + args, stdout=write, stdin=subprocess.DEVNULL,
                       stderr=subprocess.PIPE, env=environ, timeout=HUNG)
    os.close(write)
    return p.returncode, p.stderr


same(closed_pipe(ALL, "top"), (0, b""), "a reader that left: quiet")
status, talk = closed_pipe("top", "functions | expect none")
same(status, 4, "and `expect` keeps its exit status")
done()
