#!/usr/bin/env python3
"""runner.t - no name, path or query makes a line that GitHub's runner obeys.

The runner takes `##[command]` anywhere in a line of stdout or stderr (ActionCommand.TryParse), and
`::command::` after leading blanks (TryParseV2).  What quern itself says so is ::error and ::notice
with a file or a title.
"""
import csv
import io
import json
import os
import re
import shutil

from e2e import done, ok, run, same

EVIL = ["##[error]FORGED", "::error::FORGED", "  ::stop-commands::FORGED", "a##[stop-commands]FORGED",
        "###[group]FORGED", "#", "f(##[x]FORGED)",
        "::set-output name=x::FORGED", "A::B::f(int)"]
OWN = re.compile(r"::(error|notice) (file=[^,:]*,|title=)")


def obeyed(text):
    return [line for line in text.replace("\r", "\n").split("\n") if "##[" in line or
            (re.match(r"\s*::\S+.*::", line) and not OWN.match(line))]


def write(path, names):
    with open(path, "w") as f:
        f.write("cmd: ##[error]FORGED\nevents: Ir ##[e]F\n")
        for i, n in enumerate(names):
            f.write("ob=%s\nfl=%s\nfn=%s\n1 %d 1\ncfn=%s\ncalls=1 1\n1 5 1\n" % (
                n, n, n, 100000 + i * (path == "p.out") * 50000, names[(i + 1) % len(names)]))


write("p.out", EVIL)
write("base.out", EVIL)
FORMATS = "table tree csv tsv json ndjson md github junit svg flame html folded speedscope dot callgrind".split()
QUERIES = ["functions", "calltree", "functions vs base | where delta > 0 | expect none", "callers of FORGED",
           "find ##[error]FORGED", "top ##[error]x", "info",
           "info /stop.*FORGED/", "lines", "source of /FORGED/", "functions | show fn as \"##[x]FORGED\"",
           "objects vs base | show name", "nothing\n::error::FORGED"]
for env, formats in ((dict(GITHUB_ACTIONS="true"), FORMATS), (dict(), ["github"])):
    wrong = []
    for f in formats:
        for q in QUERIES:
            for args in (("p.out", "base=base.out", "--format", f, "-c", q),
                         ("p.out", "base=base.out", "-c", ".mode " + f, "-c", q)):
                r = run(*args, env=env)
                wrong += ["%s: %s: %s" % (f, q, line) for line in obeyed(r.text) + obeyed(r.talk)]
    ok(not wrong, "no name is obeyed: %s" % " ".join(formats), "\n".join(wrong))
    same([w for f in formats for w in obeyed(run("p.out", "-q", "-c", "functions | as " + f, env=env).text)],
         [], "`as FORMAT`")
r = run("p.out", "-q", "--format", "json", "-c", "functions | show fn", env=dict(GITHUB_ACTIONS="true"))
same(sorted(row[0] for row in json.loads(r.text)["rows"]),
     sorted(run("p.out", "-q", "--format", "tsv", "-c", "functions | show fn").text.split("\n")[1:-1]),
     "json reads as before")
r = run("p.out", "-q", "--format", "csv", "-c", "functions | show fn", env=dict(GITHUB_ACTIONS="true"))
as_csv = run("p.out", "-q", "--format", "csv", "-c", "functions | show fn").text
same(sorted(re.sub(r"^\\x:(.*)", lambda m: m[1].replace("\\x5B", "["), row[0])
            for row in csv.reader(io.StringIO(r.text))),
     sorted(row[0] for row in csv.reader(io.StringIO(as_csv))), "csv by its rule")
r = run("p.out", "-q", "-c", "functions | show fn | as csv")
ok("##[error]FORGED" in r.text and "::error::FORGED" in r.text, "elsewhere names are as they are", r)

# ---- paths, folders, arguments
wrong = []
for name in ("##[error]FORGED.out", "n\n::error::FORGED.out", "n\r::error::FORGED.out", "::error::FORGED.out",
             " ::error::FORGED.out"):
    for text in ("x", "events: Ir\nfn=main\n1 5\n", None):
        if text:
            with open(name, "w") as f:
                f.write(text)
        for args in ((name, "-c", "top"), (name, "base=" + name, "-c", "functions vs base | expect some"),
                     ("p.out", "-f", name), ("p.out", "-c", ".read " + name),
                     ("p.out", "--set", name), ("p.out", "--accept", name), ("p.out", "--" + name),
                     ("p.out", name + "=p.out", "-c", "functions vs base"),
                     ("p.out", "-c", "top > " + name), ("p.out", "--event", name, "-c", "top"),
                     ("--verify", name), ("p.out", "-c", ".open " + name)):
            for env, more in ((dict(GITHUB_ACTIONS="true"), ()), (dict(), ("--format", "github"))):
                r = run(*args, *more, env=env)
                wrong += ["%s: %s" % (args, line) for line in obeyed(r.text) + obeyed(r.talk)]
        for left in (name, name + ".quern"):
            if os.path.exists(left):
                os.remove(left)
ok(not wrong, "no path or argument is obeyed", "\n".join(wrong))
wrong = []
for folder in ("##[stop-commands]x", "n\n::error::FORGED", "::error::FORGED"):
    os.makedirs("G/" + folder)
    for suffix in (".out", ".out.old"):
        shutil.copy("p.out", "G/%s/callgrind.%s%s" % (folder, folder, suffix))
    for crash in (False, True):
        r = run("G", "--format", "github", "-q", "-c", "functions vs base | expect none")
        wrong += ["%s: %s" % (folder, line) for line in obeyed(r.text) + obeyed(r.talk)]
        open("G/%s/callgrind.%s.out" % (folder, folder), "w").close()
    shutil.rmtree("G")
ok(not wrong, "no benchmark's name is obeyed", "\n".join(wrong))
done()
