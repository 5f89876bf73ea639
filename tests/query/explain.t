#!/usr/bin/env python3
"""explain.t - what .explain says: for every query of the tests and of the transcript that is
answered, an expansion that runs and gives the same answer.
"""
import glob
import os
import re
import shutil
import subprocess
import sys
import tempfile
import zlib

os.chdir(os.path.dirname(os.path.abspath(__file__)) + "/../..")
quern = os.path.abspath(os.environ.get("QUERN", "build/release/quern"))
work = tempfile.mkdtemp(prefix="quern-explain-")
environ = dict(os.environ, HOME=work, XDG_CONFIG_HOME=work, XDG_STATE_HOME=work)
count = failed = 0


def cases():
    """(profiles, options, query) of everything that may be asked."""
    with open("tests/query/language.answers", encoding="utf-8") as f:
        for line in re.findall(r"^\S.*", f.read(), re.M):
            yield ["small/tmpl-cachebranch.out", "base=small/tmpl-default.out"], [], line
    for path in sorted(glob.glob("tests/query/*.query")):
        with open(path, encoding="utf-8") as f:
            head, *tests = re.split(r"^===\n", f.read(), flags=re.M)
        profiles = re.search(r"^profile: *(.*)$", head, re.M)[1].split()
        args = (re.search(r"^args: *(.*)$", head, re.M) or ["", ""])[1].split()
        args = [a for i, a in enumerate(args) if a != "--format" and args[i - 1] != "--format"]
        for test in tests:
            yield profiles, args, test.split("\n---\n")[0]


def local(profile):
    name, _, path = profile.rpartition("=")
    to = work + "/" + os.path.basename(path)
    if not os.path.exists(to):
        shutil.copy("tests/fixtures/" + path, to)
    return (name + "=" if name else "") + to


def ask(profiles, args, *queries):
    argv = [quern, "--limit", "seconds=3600", *map(local, profiles), "-q", "--format", "csv", "--safe", *args]
    for q in queries:
        argv += ["-c", q]
    p = subprocess.run(argv, env=environ, stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=3600)
    # The times in a report of tests differ from run to run.
    return p.returncode, re.sub(r' time="[0-9.]+"', "", p.stdout.decode("utf-8", "replace"))


def fail(query, why, *lines):
    global failed
    failed += 1
    print("not ok %d - %s: %s" % (count, why, query))
    for line in ("explain.t: %s: %s" % (why, query), *lines):
        print("#   " + line[:200], file=sys.stderr)


# What stands between two answers of one process.
BETWEEN = ask([], [], ".help accept")[1]
groups, seen = {}, set()
for profiles, args, query in cases():
    key = (tuple(profiles), tuple(args), query)
    if key in seen or "\n" in query or re.search(r"(^|\| *|; *)_( |$)|[!>] *[./\w]+$|^\.|as (md|junit)$", query):
        continue
    seen.add(key)
    if zlib.crc32(query.encode()) % 2 and "QUERN_TORTURE" not in os.environ:
        continue        # half of them
    # Where two statements stand, the last is the one compared; what is before it is only let.
    *lets, last = re.split(r"; (?=[^;\"]*$)", query)
    if ";" in last or last.startswith("--") or last == "overview" or not all(x.startswith("let ") for x in lets):
        continue
    groups.setdefault((key[:2], tuple(lets)), []).append(last)
for ((profiles, args), lets), queries in groups.items():
    # All of a profile are explained by one process.
    told = ask(profiles, [*args, "--keep-going"], *lets, *[q for last in queries for q in (".explain " + last, ".help accept")])[1].split(BETWEEN)
    assert len(told) == len(queries) + 1, (profiles, args)
    for query, text in zip(queries, told):
        lines = text.rstrip("\n").split("\n")
        for more in "pairs: ", "estimates: ":
            if lines and lines[-1].startswith(more):
                lines.pop()
        expansion = lines[-1] if lines and not lines[-1].startswith("error: ") else None
        # Both answers by one process; one alone when they are not the same.
        status, both = ask(profiles, args, *lets, query, *[expansion] * bool(expansion))
        half = len(both) // 2
        same = expansion and status == 0 and both[:half] == both[half:]
        if not same:
            status, want = ask(profiles, args, *lets, query)
            if status not in (0, 4):
                continue
        count += 1
        asked = "; ".join((*lets, query))
        if not expansion:
            fail(asked, "not explained", *lines)
        elif not same and ask(profiles, args, *lets, expansion) != (status, want):
            fail(asked, "the expansion answers otherwise", expansion)
        else:
            print("ok %d - %s" % (count, asked.replace("#", "\\#")))
shutil.rmtree(work, ignore_errors=True)
print("1..%d" % count)
sys.exit(1 if failed or count < 150 else 0)
