#!/usr/bin/env python3
"""tables.t - options, formats, limits, stages, sources, dot-commands, units, sets, queries that
ship, header lines, diagnostics, known events and tables of the index have one table each: every
document that lists them lists what is in the table, and so does the second reader of profiles.

A failure names the document, what it lacks, and what it has that the table does not.
"""
import glob
import os
import re
import shutil
import subprocess

from e2e import done, format_names, ok, profile, run, same, skip, top


def read(path, start="", end=""):
    """The passage of a file from `start` up to `end`."""
    with open(top + "/" + path, encoding="utf-8") as f:
        text = f.read()
    at = text.index(start)
    return text[at:text.index(end, at + len(start))] if end else text[at:]


def told(*args):
    return run("-q", "--no-init", *args).text


def words(text, pattern=r"[a-z]+"):
    return re.findall(pattern, text, re.M)


# ---- the tables, as the program prints them, or as they are written
keywords = read("engine/lang/keywords.c")
help_text = told("--help", "all")
options = set(re.findall(r"(?<![-\w])--[a-z][a-z-]*|(?<![-\w])-[a-zA-Z](?=, )", help_text))
formats = set(format_names())
limits = {n: int(v.replace(",", "")) for n, v in re.findall(r"^(\w+) +([\d,]+)  ", run(stdin=b".limit\n").text, re.M)}
commands = re.findall(r"^  \.([a-z-]+)", told("-c", ".help commands"), re.M)
sources = set(words(keywords, r'^\t\{"([a-z]+)", S_'))
stages = words(keywords, r'^\t\{"(\w+)", (true|false), [GT]_')
graph_stages, table_stages = ({w for w, graph in stages if graph == is_graph} for is_graph in ("true", "false"))
paths = set(re.search(r"path_words\[\] = \{(.*), NULL", keywords)[1].replace('"', "").split(", "))
units = set(re.findall(r'\{"(\w+)", UNIT_', read("index/format/event.c", "} words[]", "};")))
sets = set(re.findall(r"^\$(\w+)", told("-c", ".sets"), re.M))
queries = {os.path.basename(f)[:-2] for f in glob.glob(top + "/repl/queries/*.q")}
accepted = set(re.findall(r"^  ([a-z]+)  +\S", told("-c", ".help accept"), re.M))
statuses = set(re.findall(r"\b\d+\b", help_text[help_text.index("Exit status"):]))
for name, table, least in (("options", options, 40), ("formats", formats, 15), ("limits", limits, 5), ("commands", commands, 25),
                           ("sources", sources, 25), ("graph stages", graph_stages, 10), ("table stages", table_stages, 11), ("paths", paths, 4),
                           ("units", units, 12), ("sets", sets, 6), ("queries", queries, 15), ("exit statuses", statuses, 8), ("words of --accept", accepted, 10)):
    ok(len(table) >= least, "the table of %s is found" % name, table)


# ---- the documents
def lists(document, what, table, found, more=False):
    """A document has what is in the table and, unless `more`, nothing else."""
    lacks, extra = sorted(set(table) - set(found)), [] if more else sorted(set(found) - set(table))
    ok(not lacks and not extra, "%s: %s" % (document, what), "\n".join(
        ["%s lacks: %s" % (document, w) for w in lacks] + ["%s has what is not in the table: %s" % (document, w) for w in extra]))


LANGUAGE, COMPARING, MAN, GUIDE = "engine/LANGUAGE.md", "repl/COMPARING.md", "repl/quern.1", "repl/guide.md"
BASH, ZSH, FISH = ("repl/completions/" + f for f in ("quern.bash", "_quern", "quern.fish"))
man, bash, zsh, fish = read(MAN), read(BASH), read(ZSH), read(FISH)

recorded = set(re.findall(r"^  (--?[a-z-]+)", run("record", "--help").text, re.M))
ok(len(recorded) >= 6, "the words of record are found", recorded)
options |= recorded
items = "\n".join(words(man, r"^\.It Fl .*"))
lists(MAN, "options", options, ["--" + o for o in words(items, r"Fl Fl ([a-z-]+)")] + ["-" + o for o in words(items, r"Fl ([a-zA-Z])\b(?! Fl)") if len(o) == 1])
lists(BASH, "options", options, words(read(BASH, "options='", "local formats"), r"(?<!\w)--?[a-zA-Z][a-z-]*"))
lists(ZSH, "options", options, words(zsh, r"(?<=[{,'*])(--?[a-zA-Z][a-z-]*)(?=[,}\[])"))
lists(FISH, "options", options, ["--" + o for o in words(fish, r" -l ([a-z-]+)")] + ["-" + o for o in words(fish, r" -s ([a-zA-Z]) ")])
members = read("repl/app/options.h", "struct options {", "};")
members = words(re.sub(r"/\*.*?\*/", "", members, flags=re.S), r"(\w+)(?=[,;])")
lists("repl/app/options.c", "members of struct options", set(members) - {"profiles", "nprofiles", "unquoted"}, words(read("repl/app/options.c"), r"(?:AT\(|to->)(\w+)"), True)
used = "".join(read(f[len(top) + 1:]) for f in glob.glob(top + "/repl/**/*.c", recursive=True) if not f.endswith("/options.c"))
lists("what reads the options", "members of struct options", set(members) - {"unquoted"}, words(used, r"\b(?:o|opts|options|given)(?:->|\.)(\w+)"), True)

lists("--help", "formats", formats, words(help_text[help_text.index("--format FORMAT"):help_text.index("; or by")])[1:])
lists(MAN, "formats", formats, words(read(MAN, ".It Fl Fl format", "A query may itself have").split("One of")[1], r"[a-z]{2,}"))
lists(BASH, "formats", formats, words(bash.split("formats='")[1].split("'")[0]))
lists(ZSH, "formats", formats, words(re.search(r":format:\(([^)]*)\)", zsh)[1]))
lists(FISH, "formats", formats, words(re.search(r"-l format -x -a '([^']*)'", fish)[1]))
lists(LANGUAGE, "formats", formats, words(" ".join(words(read(LANGUAGE, "\n## Outputs", "\n## "), r"`[^`\n]*`"))), True)
lists("tests/fuzz/names.c", "formats", formats - {"callgrind", "flame"}, words(read("tests/fuzz/names.c").lower(), r"\{format_(\w+), law_"))

lists("--help", "limits", limits, words(re.search(r"--limit NAME=N +of a query: (.*)", help_text)[1]))
lists("the hint of --limit", "limits", limits, words(re.search(r"hint: (.*):", run("--limit", "nosuch=1").talk)[1]))
lists(".help .limit", "limits", limits, words(told("-c", ".help .limit")), True)
for document, found in ((BASH, bash), (ZSH, zsh), (FISH, fish)):
    lists(document, "limits", limits, words(" ".join(words(found, r"(?:[a-z]+= ?){3,}"))))


def value(name, text):
    number, unit = re.match(r"(\d+) ?(\w?)", text).groups()
    return int(number) * (1024 if name in ("memory", "text") else 1000) ** " kM".index(unit.replace("K", "k") or " ")


for document, found in ((MAN, words(read(MAN, ".It Fl Fl limit", ".It Fl"), r"^\.Cm (\w+)(?:\nof .*)?\n?.*?\((\w+)\)")),
                        (LANGUAGE, words(read(LANGUAGE, "\n## Limits"), r"^\| (\w+) \|.*\| (\d.*) \|$"))):
    lists(document, "limits with their values", limits.items(), [(n, value(n, v)) for n, v in found])

for document, found in ((COMPARING, words(read(COMPARING, "## When `expect`"), r"^\| `([a-z]+)` \|")),
                        (MAN, words(read(MAN, ".It Fl Fl accept", "\n.It"), r"Cm (\w+)")),
                        (BASH, words(re.search(r"compgen -W '(cut [^']*)'", bash)[1])), (ZSH, words(re.search(r"word (cut .*)' ", zsh)[1])),
                        (FISH, words(re.search(r"-l accept -x -a '([^']*)'", fish)[1]))):
    lists(document, "words of --accept", accepted, found)
lists(LANGUAGE, "sources", sources | paths, words(read(LANGUAGE, "\ncompared ", "\ntstage ")), True)
lists(LANGUAGE, "graph stages", graph_stages, words(read(LANGUAGE, "\ngstage ", "\ncompared "), r'"([a-z]+)"'), True)
lists(LANGUAGE, "table stages", table_stages, words(read(LANGUAGE, "\ntstage ", "\nkey "), r'"([a-z]+)"'), True)
for start, table, other in (("Sources:\n", sources, {"paths"}), ("Table stages:\n", table_stages, set()), ("Graph stages:\n", graph_stages, set())):
    lists(MAN, start.lower()[:-2], table - other, words(read(MAN, start, ".Pp").replace(".Cm ", ""), r"(?:^|, )(\w+)")[1:])
r = run("--no-index-write", profile("p.out", [(b"main", 10)]), "-c", "functions | frobnicate")
lists("the hint of a wrong stage", "table stages", table_stages, words(re.search(r"hint: (.*)", r.talk)[1], r"(\w+)(?: by)?"))
lists("tests/evaluator/stages.py", "table stages", table_stages - {"as", "expect"}, words(read("tests/evaluator/stages.py"), r'"([a-z]+)[ "]'), True)
lists(LANGUAGE, "units", units, words(re.search(r"^num .*", read(LANGUAGE), re.M)[0], r'"([A-Za-z]{2,}|[sB])"'))

lists(LANGUAGE, "sets", sets, words(read(LANGUAGE, "\n## Values", "\n## "), r"^\| `\$(\w+)` \|"))
lists(GUIDE, "sets", sets, words(read(GUIDE, "Always there:", "Words"), r"\$(\w+)"))
lists("tests/query/shipped-*.query", "queries", queries, words("".join(read(f[len(top) + 1:]) for f in glob.glob(top + "/tests/query/shipped-*.query")), r"^\.run (\S+)"))
for document, found in ((MAN, words(man, r"^\.It (\d+)$")), (GUIDE, words(read(GUIDE, "\n## Exit status"), r"(?:^|[.:] |\n)(\d+)\s"))):
    lists(document, "exit statuses", statuses, found)
refused = {c for c in commands if re.search("--safe: ", run("--safe", "-c", ".%s a" % c).talk)}
lists(MAN, "commands that --safe refuses", refused, words(read(MAN, "These are refused:", "The prompt keeps"), r"(?<= \.)[a-z-]+"))

# ---- how a profile is read, and how an index is laid out
PROFILE, FORMAT, NAIVE = "index/lines/PROFILE.md", "index/FORMAT.md", "tests/support/naive_head.c"
DECODE, EVENT = read("index/lines/decode_line.c"), read("index/format/event.c")
keys = re.findall(r'\{STR\("(\w+)"\), KEY_\w+, (\w+), (\w+)\}', DECODE)
header = read(PROFILE, "\n## 2. ", "\n## ")
lists(PROFILE, "header lines", [k for k, _, _ in keys], re.search(r"^- Keys: `(.*?)`", header, re.M)[1].split())
lists(PROFILE, "header lines that begin a part", [k for k, begins, _ in keys if begins == "true"], re.search(r"new part begins when any of `(.*?)`", header)[1].split())
lists(PROFILE, "header lines that begin one after totals:", [k for k, _, after in keys if after == "true"],
      re.findall(r"`(\w+):`", re.search(r"`totals:` followed by (.*?) also starts a part", header)[1]))
lists(NAIVE, "header lines", keys, re.findall(r'\{"(\w+):", (\w+), (\w+)\}', read(NAIVE, "bool naive_header_line", "};")))
lists(PROFILE, "diagnostics", re.findall(r'^\t\t\[ODD_\w+\] =\s*"(.*)",', DECODE, re.M),
      [d for row in re.findall(r"^\| (.*?) \|", read(PROFILE, "| it says |", "\n## ").split("|---|---|---|")[1], re.M) for d in row.split("; ")])
lists(PROFILE, "units", [bytes(u, "latin1").decode("unicode_escape").encode("latin1").decode() for u in
                         re.findall(r'\{"(.*?)", UNIT_', EVENT[EVENT.index("} written[]"):EVENT.index("} known[]")])],
      re.search(r"^Units are written `(.*?)`", read(PROFILE), re.M)[1].split())


def event_row(name, long_name, creator, since, below, kind, scale):
    version = " from " + since if since != "0" else " below " + below if below != "0" else ""
    unit = "bytes" if kind == "BYTES" else scale.replace(" *", "").lower()
    return " | ".join([s.replace("NULL", "").strip('" ') for s in (name, long_name, creator)]) + version + " | " + unit


known = [event_row(*row) for row in re.findall(r'\{(NULL|".*?"), (NULL|".*?"), (NULL|".*?"), (\d+), (\d+), UNIT_(\w+), (.*?)\},', EVENT)]
documented = [" | ".join(c.strip() for c in row.split("|")[1:5]) for row in read(PROFILE, "| event | long name").strip().split("\n")[2:]]
lists(PROFILE, "known events", known, documented)
same(documented, known, PROFILE + ": known events in the order in which they are asked")

tables = read("index/format/tables.h")
numbered = words(re.sub(r"/\*.*?\*/", "", tables[tables.index("enum index_table {"):tables.index("\tINDEX_TABLES,")], flags=re.S), r"TABLE_(\w+)")
lists(FORMAT, "tables", range(1, len(numbered) + 1), [int(n) for row in re.findall(r"^\| ([\d ]+) \|", read(FORMAT, "\n| no | table", "\n\n"), re.M) for n in row.split()])
lists(FORMAT, "version", re.findall(r"INDEX_VERSION = (\d+)", tables), re.findall(r"^Version (\d+)\.", read(FORMAT), re.M))

# ---- .help
for topic, about in [(w, "") for w in sorted(sources | graph_stages | table_stages | paths | {"let", "_"})] + [("." + c, "." + c) for c in commands]:
    text = told("-c", ".help " + topic)
    ok(re.search(r"^    " + re.escape(about), text, re.M), ".help %s has an example" % topic, text)
for source in sorted(sources):
    text = told("-c", ".help columns " + source)
    ok(len(text.splitlines()) > 2 and "?" not in text, ".help columns %s: each has its meaning" % source, text)
for topic in ("nosuch", ".nosuch", "nosuchword"):
    same(run("-c", ".help " + topic).status, 2, "no help on " + topic)
overview = told("-c", ".help").splitlines()
ok(max(map(len, overview)) <= 80 and len(overview) <= 23, ".help fits 80 columns and 24 lines", "\n".join(overview))

if shutil.which("mandoc"):
    p = subprocess.run(["mandoc", "-T", "lint", "-W", "warning", top + "/" + MAN], stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    same((p.returncode, p.stdout), (0, b""), "mandoc has no complaint")
else:
    skip("mandoc has no complaint", "mandoc is not installed")
done()
