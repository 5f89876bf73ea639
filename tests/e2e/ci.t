#!/usr/bin/env python3
"""ci.t - the jobs of repl/CI.md, run as far as they go without GitHub and GitLab.

The commands are taken out of the page.  make, git and valgrind are stand-ins: valgrind copies a
profile, of what git has checked out.
"""
import os
import re
import shutil
import subprocess

from e2e import HUNG, build, done, environ, ok, profile, quern, run, same, skip, top, work
from junit import Report

with open(top + "/repl/CI.md", encoding="utf-8") as f:
    page = f.read()
gate, github, gitlab = (re.search("```%s\n(.*?)```" % kind, part, re.S)[1]
                        for kind, part in zip(("quern", "yaml", "yaml"), (page, *page.split("\n## ")[1:])))


def block(lines, at, indent):
    """The lines after `at` that are indented more, without their indent."""
    out = []
    for line in lines[at:]:
        if line.strip() and len(line) - len(line.lstrip()) <= indent:
            break
        out.append(line)
    least = min(len(x) - len(x.lstrip()) for x in out if x.strip())
    return [x[least:] for x in out]


def run_commands(yaml):
    """{name: script} of the steps with `run:`."""
    steps, name = {}, ""
    lines = yaml.splitlines()
    for i, line in enumerate(lines):
        name = line.partition("name: ")[2] or name
        m = re.fullmatch(r"( *)run: (.*)", line)
        if m:
            steps[name] = "\n".join(block(lines, i + 1, len(m[1]))) if m[2] == "|" else m[2]
    return steps


def gitlab_script(yaml):
    lines = yaml.splitlines()
    at = next(i for i, line in enumerate(lines) if line == "  script:")
    return "\n".join(re.fullmatch("- (.*)", line)[1] for line in block(lines, at + 1, 2))


def stub(name, text):
    with open("bin/" + name, "w") as f:
        f.write("#!/bin/sh\n" + text)
    os.chmod("bin/" + name, 0o755)


os.mkdir("bin")
os.symlink(quern, "bin/quern")
stub("make", 'test "$1" = bench\n')
stub("git", 'case "$1 $2 $3" in\n"checkout --quiet this") echo this > tree ;;\n"checkout --quiet origin/main" | "checkout --quiet FETCH_HEAD") echo base > tree ;;\n'
     '"fetch --quiet origin") test "$4" = main ;;\n*) exit 9 ;;\nesac\n')
stub("valgrind", 'test "$1" = --tool=callgrind && test "$3" = ./bench && cp "$(cat tree).profile" "${2#--callgrind-out-file=}"\n')
environ.update(PATH=work + "/bin:" + environ["PATH"], GITHUB_BASE_REF="main", GITHUB_SHA="this", GITHUB_WORKSPACE=work,
               GITHUB_STEP_SUMMARY=work + "/summary.md", CI_MERGE_REQUEST_TARGET_BRANCH_NAME="main", CI_COMMIT_SHA="this", CI="true")
environ.pop("QUERN_PAGER", None)


def bash(script):
    """As the runners do it."""
    p = subprocess.run(["bash", "-eo", "pipefail", "-c", script], env=environ, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                       stderr=subprocess.PIPE, timeout=HUNG)
    return p.returncode, p.stdout.decode("utf-8", "replace"), p.stderr.decode("utf-8", "replace")


def start(slower, script=gate):
    for f in os.listdir("."):
        if f not in ("bin", "bench") and os.path.isfile(f):
            os.remove(f)
    profile("base.profile", [(b"main", 100000), (b"work", 800000), (b"leaf", 100000)])
    profile("this.profile", [(b"main", 100000), (b"work", 800000 + slower), (b"leaf", 100000 - slower)])
    with open("gate.q", "w") as f:
        f.write(script)
    open("tree", "w").write("this\n")


steps = run_commands(github)
same(sorted(steps), ["Compare", "Record", "Summary"], "the steps of the GitHub job")
same(re.findall(r"if: always\(\)\n +run: \|\n.*GITHUB_STEP_SUMMARY", github) != [], True, "the summary is written even so")
for slower, status in ((0, 0), (50000, 4)):
    start(slower)
    got = bash(steps["Record"])
    ok(got[0] == 0 and open("tree").read() == "this\n", "GitHub: Record", got)
    got = bash(steps["Compare"])
    same(got[0], status, "GitHub: Compare, status %d" % status)
    if status:
        ok(re.fullmatch(r"::notice title=new\.out vs base::1\.00 M -> 1\.00 M Ir \(the same\)%0A1 grew by 50,000: .*\n::error file=a\.c,line=2,title=expected no rows%2C found 1::work \(a\.c:2\): delta \+50,000 \(\+6\.25%25\), .*\n", got[1]),
           "the headline and one annotation", got)
        ok(got[2].endswith("\n2 expectations: 1 holds, 1 fails (gate.q:2:%d)\n" % (gate.splitlines()[1].index("expect") + 1)), "the last line counts", got)
    else:
        same(got[1], "", "no annotation")
        ok(got[2].endswith("2 expectations: 2 hold\n"), "the last line counts", got)
    got = bash(steps["Summary"])
    summary = open("summary.md").read() if os.path.exists("summary.md") else ""
    ok(got == (0, "", "") and summary.startswith("**1.00 M -> 1.00 M Ir (the same)**\n\n") and
       "\n\n`functions vs base | where delta != 0 | sort delta | take 20 | show fn, base, self, delta, delta%` (`new.out` vs `base`)\n\n" in summary,
       "GitHub: Summary", (got, summary))
    ok(("| `work` | 800,000 | 850,000 | +50,000 | +6.25% |\n" in summary) == bool(status) and ("no rows" in summary) == (not status), "its table", summary)
start(0, gate.replace("delta% > 5", "dleta% > 5"))
bash(steps["Record"])
got = bash(steps["Compare"])
ok(got[0] == 1 and got[1].startswith("::error file=gate.q,line=2,title=not answered::") and "1 holds; 1 not answered (gate.q:2:" in got[2], "a misspelt gate fails, too", got)

# ---- a checkout that is hostile: names that are commands, files named as what the jobs ask for, a benchmark that crashed
def obeyed(text):
    """Lines with a command of GitHub's runner that is none of ours."""
    return [x for x in text.splitlines() if not re.match("::(error|notice) (file|title)=", x) and re.search(r"##\[|^\s*::", x)]


script = gitlab_script(gitlab)
environ["GITHUB_ACTIONS"] = "true"
start(50000)
for f in ("this.profile", "base.profile"):
    with open(f) as g:
        text = g.read()
    with open(f, "w") as g:
        g.write(text.replace("fn=work", "fl=##[error]a.c\nfn=##[stop-commands]work").replace("fn=leaf", "fl=a.c\nfn=::error::leaf"))
for f in ("base", "quern:gate", "gate", "gate.q.q", "functions", "github", "-c", "##[group]x"):
    with open(f, "w") as g:
        g.write("events ! touch ran\n")
got = bash(steps["Record"]), bash(steps["Compare"]), bash(steps["Summary"])
said = "\n".join(x[1] + x[2] for x in got) + open("summary.md").read()
ok(got[1][0] == 4 and got[1][1].count("::error file=") == 1 and not obeyed(said) and not os.path.exists("ran"), "GitHub: names and files of a hostile checkout", said)
got = bash(script)
ok(got[0] == 4 and not obeyed(got[1] + got[2]) and not os.path.exists("ran"), "GitLab: the same", got)
for left, text in (("a profile that is cut off", lambda t: t[:len(t) * 2 // 3]), ("an empty one", lambda t: ""), ("text that is no profile", lambda t: "Segmentation fault\n")):
    start(0)
    run("this.profile", "--index", "new.out.quern", "-q", "-c", "events")    # of the job before
    with open("this.profile") as g:
        whole = g.read()
    whole = whole if "totals:" in whole else whole + "\ntotals: 1000000\n"
    with open("this.profile", "w") as g:
        g.write(text("version: 1\ncreator: callgrind-3.19.0\npid: 1\ncmd: ./a\npart: 1\n\n" + whole))
    got = bash(steps["Record"]), bash(steps["Compare"]), bash(script)
    ok(got[1][0] not in (0, 1) and got[2][0] not in (0, 1), "a crashed benchmark left %s: both jobs fail" % left, got)
start(0)
os.remove("this.profile")
ok(bash(steps["Record"])[0] and bash(script)[0], "it left nothing: both fail while they record")
del environ["GITHUB_ACTIONS"]

artifact = re.search(r"junit: (\S+)", gitlab)[1]
ok("when: always" in gitlab, "GitLab: the report is kept even so")
for slower, text, status, want in ((0, gate, 0, ["passed", "passed"]), (50000, gate, 4, ["failure", "passed"]),
                                   (50000, gate.replace("cost of main", "cost of nobody"), 1, ["failure", "error"])):
    start(slower, text)
    got = bash(script)
    r = Report(open(artifact, "rb").read())
    ok(got[0] == status and not r.wrong, "GitLab: status %d, and a report" % status, (got, r.wrong))
    same([c[1] for c in r.cases], want, "with the outcome of each gate")
    same(r.cases[1][0] if status != 1 else "", "cost of main vs base | expect delta% <= 2" if status != 1 else "", "by its query")

# ---- a base as text in the repository: the recipe of the page, with git itself
recipe = re.search(r"```sh\n([^`]*git diff --exit-code[^`]*)```", page)[1]
git = shutil.which("git", path="/usr/bin:/bin:" + os.environ["PATH"])


def kept(cost):
    for name, total in (("fast", 10), ("slow", cost)):
        os.makedirs("kept/target/gungraun/%s.case" % name, exist_ok=True)
        for path in ("target/gungraun/%s.case/callgrind.%s.case.out" % (name, name), "bench.out"):
            with open("kept/" + path, "w") as f:
                f.write("events: Ir\nfl=a.c\nfn=work\n1 %d\n" % total)
    return bash("cd kept\nset -e\n" + recipe.replace("git ", git + " "))


if git:
    kept(100)
    set_up = "cd kept && %s init -q . && %s add cost.csv functions.csv && %s -c user.name=a -c user.email=a@b commit -qm base" % (git, git, git)
    ok(bash(set_up)[0] == 0, "a base as text is committed")
    got = kept(100)
    ok(got[0] == 0 and not got[1], "the same counts: nothing differs, status 0", got)
    got = kept(103)
    ok(got[0] == 1 and "-slow,100\n+slow,103\n" in got[1] and "fast" not in re.sub("(?m)^ .*", "", got[1]) and "-work,100,0\n+work,103,0\n" in got[1], "a count that changes fails, and the diff says which", got)
else:
    skip("a base as text", "no git")

with open(top + "/.github/workflows/fuzz.yml") as f:
    night = re.search(r"target: \[(.*)\]", f.read())[1].split(", ")
same(night, sorted(os.path.basename(p) for p in os.listdir(build + "/fuzz")), "each fuzz target runs at night")
done()
