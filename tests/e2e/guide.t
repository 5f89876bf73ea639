#!/usr/bin/env python3
"""guide.t - `quern --guide`, and the SKILL.md that is made of it.

Every query of a ```quern block is run: X and Y are functions of the profile, FILE one of its files.
The columns and the exit statuses are those that the program itself names.
"""
import re
import shutil

from e2e import done, ok, run, same, small, top

with open(top + "/repl/guide.md", encoding="utf-8") as f:
    skill = f.read()
_, front, text = re.split(r"^---\n", skill, maxsplit=2, flags=re.M)
r = run("--guide")
same((r.status, r.talk), (0, ""), "--guide")
same(r.text, text.lstrip("\n"), "--guide is the SKILL.md without its front matter")
ok(len(r.out) <= 5700, "it has at most 1,700 tokens, of some 3.3 bytes", len(r.out))
fields = dict(line.split(": ", 1) for line in front.splitlines())
same(sorted(fields), ["description", "name"], "the front matter of a skill")
ok(fields["name"] == "quern" and 100 < len(fields["description"]) <= 1024 and ": " not in fields["description"],
   "its name and its description", fields)

PROFILES = {"C": ("lua-default.out", "lua-instr-jumps.out", "luaM_free_", "main"),
            "C++": ("tmpl-cachebranch.out", "tmpl-default.out", "malloc", "main")}
queries = [q for block in re.findall(r"^```quern\n(.*?)^```", text, re.M | re.S)
           for line in block.splitlines() if line[0] != "#" for q in line.split("; ")]
ok(len(queries) > 50, "it has examples", len(queries))
for name, (here, base, x, y) in PROFILES.items():
    for n in (here, base):
        shutil.copy(small + n, n)
    unanswered = []
    for query in queries:
        asked = re.sub(r"\bY\b", y, re.sub(r"\bX\b", x, query))
        r = run(here, "base=" + base, "--safe", "--no-init", "--budget", "20k", "-c", asked)
        holds = r.status == 0 or (r.status == 4 and "| expect" in query)
        if not holds or len(r.out) > 20480 or not (r.text or "expect" in query):
            unanswered.append("%s\n%s" % (asked, r))
    same(unanswered, [], name + ": every example of the guide is answered")

# The same of queries within sentences; those with events and files are of the second profile.
spans = re.findall(r"`([^`\n]+)`", text[text.index("Names: "):text.index("## Columns")] + text[text.index("## When"):])
asked = [re.sub("lvm", "malloc", re.sub("PART", "alloc", re.sub("push_back", "_M_realloc_insert", re.sub(r"\b[XY]\b", "malloc", q)))) for q in spans]
asked = ["find " + q if re.match(r'["/#]|mem|_M_|(file|obj|class|line):', q) else q for q in asked]
asked = [q for q in asked if re.match(r"(find|top|inlined|cycles|parts|part|functions|let|events)\b", q)]
failed = [str(r) for r in (run(here, "--budget", "20k", "-c", q.replace("malloc.c:12", "malloc.c:1338")) for q in asked) if r.status]
ok(len(asked) > 15 and not failed, "queries within its sentences", "\n".join(asked + failed))

recipes = text[text.index("## Recipes"):text.index("## When an answer")]
same(len(re.findall(r"^# .*\?$", recipes, re.M)), 10, "ten recipes")
code = " ".join(re.findall(r"`([^`\n]+)`", text))
for word in ("--safe", "--budget", "--format", "-c", "--limit"):
    ok(word in code and word in run("--help", "all").text, "the guide names " + word)
listed = set(re.findall(r"^  (\S+)", run("lua-default.out", "-c", ".help columns").text, re.M)) | {"#"}
table = text[text.index("## Columns"):text.index("Numbers sort")]
columns = [c for row in re.findall(r"^\| (`.*?) \|", table, re.M) for c in re.findall(r"`([^`]+)`", row)]
ok(len(columns) > 20, "it has columns", columns)
same([c for c in columns if c not in listed], [], "the columns that it explains exist")
status = dict(re.findall(r"(\d+) ", text[text.index("## Exit status"):]) and
              re.findall(r"\b(\d+) ([a-z`].*?)[.:]", text[text.index("## Exit status"):].replace("\n", " ")))
helped = re.findall(r"(\d+) ", run("--help").text.split("Exit status:")[1])
same(sorted(status), sorted(helped), "its exit statuses are those of --help")

# What the guide says when there is something to do.
for args, status, said in (
        (["lua-default.out", "-c", "top by Foo"], 1, "hint:"),
        (["lua-default.out", "-c", "functions | count | expect none"], 4, "expected no rows"),
        (["nothing.out", "-c", "top"], 3, "nothing.out"),
        (["lua-default.out", "--nope"], 2, "--nope"),
        (["lua-default.out", "--limit", "rows=1", "-c", "functions"], 6, "limit")):
    r = run(*args)
    ok(r.status == status and said in r.talk, "status %d: %s" % (status, args[-1]), r)
done()
