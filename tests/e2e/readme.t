#!/usr/bin/env python3
"""readme.t - run what README.md and the pages of repl/ show, and compare.

A ```console block is a session in a directory with the fixtures: `$ ` before a command of the
shell, `quern> ` before a query to the profile that the last command opened; then what is
printed, times apart.  Every line of a ```quern block of README.md is answered.  Links of every
page of the tree lead somewhere.

    tests/e2e/readme.t --update    writes today's output into the pages: read the diff
"""
import glob
import os
import re
import shutil
import subprocess
import sys

from e2e import HUNG, done, environ, ok, quern, run, skip, small, top, work

readme = top + "/README.md"
pages = [readme, *sorted(glob.glob(top + "/repl/*.md"))]
prompt = "quern> "
environ["PATH"] = work + "/bin:" + environ["PATH"]
os.mkdir("bin")
os.symlink(quern, "bin/quern")
for folder in (small, top + "/tests/fixtures/pairs/", top + "/tests/fixtures/queries/"):
    for name in (n for n in os.listdir(folder) if n.endswith((".out", ".cg", ".callgrind"))):
        shutil.copy(folder + name, name)


def shell(command):
    p = subprocess.run(["sh", "-c", command], env=environ, stdin=subprocess.DEVNULL,
                       stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=HUNG)
    return p.stdout.decode("utf-8", "replace")


def answer(line, profiles):
    """What is printed after the line of a session."""
    if line.startswith(prompt):
        r = run(*profiles, "-c", line[len(prompt):])
        return re.sub("^quern: .*\n", "", r.talk, flags=re.M) + r.text
    profiles[:] = [word for word in line.split() if word.endswith(".out")]
    return shell(line[2:])


def timeless(text):
    """Times differ from run to run, and an index may have been there."""
    text = re.sub(r"indexed \S+ \S+ in [0-9.]+ m?s|index up to date, [0-9.]+ m?s", "TIME", text)
    return [line.rstrip() for line in text.splitlines()]


def session(text):
    """The session as it runs now."""
    profiles, out, now = [], [], ""
    steps = [m.start() for m in re.finditer(r"^(\$ |quern> )", text, re.M)]
    for start, end in zip(steps, steps[1:] + [len(text)]):
        line, _, want = text[start:end].partition("\n")
        missing = [p for p in ("sqlite3", "duckdb") if line.startswith("$ " + p) and not shutil.which(p)]
        if missing:
            skip(line, missing[0] + " is not installed")
            now += line + "\n" + want
            continue
        got = answer(line, profiles)
        got = "".join(g.rstrip() + "\n" for g in got.splitlines())
        passed = timeless(got) == timeless(want)
        ok(passed or "--update" in sys.argv, line, got)
        now += line + "\n" + (want if passed else got)
    return now


def page(path):
    with open(path, encoding="utf-8") as f:
        return f.read()


def anchors(text):
    """The names that GitHub gives to headings."""
    return {re.sub(r"[^\w -]", "", h.lower()).replace(" ", "-") for h in re.findall(r"^#+ (.*)", text, re.M)}


sessions = 0
for path in pages:
    name, text = path[len(top) + 1:], page(path)
    sessions += text.count("```console\n")
    new = re.sub(r"(?<=```console\n).*?(?=```)", lambda m: session(m[0]), text, flags=re.S)
    if "--update" in sys.argv and new != text:
        with open(path, "w", encoding="utf-8") as f:
            f.write(new)
        print("# updated " + name)
    long = [line for line in text.splitlines() if len(line) > 100 and line[0] not in "|$" and "| " not in line]
    ok(name in ("repl/README.md", "repl/guide.md") or not long, name + " has no long lines", "\n".join(long))
ok(sessions > 5, "there are sessions", sessions)
for line in "".join(re.findall(r"```quern\n(.*?)```", page(readme), re.S)).splitlines():
    r = run("lua-default.out", "-q", "-c", line)
    ok(r.status == 0 and r.text, line, r)

lost, links = [], 0
every = [p for p in glob.glob(top + "/**/*.md", recursive=True) if not p.startswith(top + "/build/")]
for path in every:
    text = re.sub(r"^```.*?^```|`[^`\n]*`", "", page(path), flags=re.S | re.M)
    for link in re.findall(r"\]\(([^)\s]+)\)", text):
        file, _, place = link.partition("#")
        to = os.path.join(os.path.dirname(path), file) if file else path
        links += ":" not in link
        if ":" not in link and not (os.path.exists(to) and (not place or place in anchors(page(to)))):
            lost.append(path[len(top) + 1:] + ": " + link)
ok(len(every) > 10 and links > 40 and not lost, "every link leads somewhere", "\n".join(lost) or links)
for name, most in (("README.md", 1800), ("engine/LANGUAGE.md", 4000)):
    words = len(page(top + "/" + name).split())
    ok(words <= most, "%s is a page: %d words at most" % (name, most), words)
png = top + "/repl/report.png"
ok("](repl/report.png)" in page(readme) and open(png, "rb").read(8) == b"\x89PNG\r\n\x1a\n" and
   os.path.getsize(png) < 150000, "the picture that opens it is there, and small", os.path.getsize(png))
done()
