#!/usr/bin/env python3
"""inlined.t - inlined functions by debug information: for every address what addr2line says.

A C++ program is built with -O2 -g, and a Rust one, if rustc is there, and recorded with
addresses.  Then the object is stripped and rebuilt: a wrong name must never be shown.
"""
import os
import platform
import shutil
import subprocess

from addr2line import differences
from e2e import done, ok, run, same, skip
from inlining import age, build, forget, need, out, record, restore, rows, source

need("valgrind", "g++", "addr2line", "objcopy")
build("-O2", "-g")
record()

# ---- what addr2line says


def compare(path, profile=out):
    """Addresses of an object, inlined ones, and those where we say anything else."""
    answer, talk = rows("instrs of obj:%s | show instr, inlined, inlined_at" % path, profile=profile)
    said = {a: (names or "", places or "") for a, names, places in answer}
    return len(said), sum(bool(s[0]) for s in said.values()), differences(said, path)


n, inlined, wrong = compare("p")
ok(n > 300 and inlined > 200, "addresses, most of them inlined", (n, inlined))
same(wrong[:2], [], "for each address what addr2line says: names and places of the calls")

if shutil.which("rustc"):
    subprocess.run(["rustc", "-O", "-g", "-o", "rust", source + "inlined.rs"], check=True)
    subprocess.run(["valgrind", "-q", "--tool=callgrind", "--dump-instr=yes", "--callgrind-out-file=rust.out", "./rust"],
                   capture_output=True)
    age(-10, "rust", "rust.out")
    n, inlined, wrong = compare("rust", "rust.out")
    ok(n > 1000 and inlined > 500, "a Rust program: addresses, many of them inlined", (n, inlined))
    same(wrong[:2], [], "for each of them what addr2line says")
    answer, talk = rows("inlined of work | where fn ~ /weigh/ | show fn", profile="rust.out")
    ok(["<i64 as inlined::deep::Weigh>::weigh"] in answer, "names with their modules", answer)
else:
    skip("a Rust program", "rustc is not installed")

# ---- the source `inlined`

answer, talk = rows("inlined of work | show fn, into, file, self, lines")
ok(any(r[0] == "Sum<int>::add(int)" and r[1].startswith("work(") and r[2].endswith("/clamp.h")
       for r in answer), "a method that is inlined: its name, file and function", answer)
answer, talk = rows("inlined of obj:p | sum | show self")
costs, talk = rows("instrs of obj:p | where inlined != \"\" | sum | show self")
same(answer[0][0], costs[0][0], "the rows add up to the cost of all inlined instructions")
answer, talk = rows("inlined of main | where fn = \"local\" | show into, self")
ok(len(answer) == 1 and answer[0][1] > 500, "a function of the same file", answer)
answer, talk = rows("lines of work | where inlined = \"Sum<int>::add(int)\" | show file, line")
ok(answer and all(r[0].endswith("/clamp.h") for r in answer), "lines of it", answer)

# ---- beside the text

answer, talk = rows("source of main | where kind = \"inlined\" | show text", "--source-root", source, "--source-root", ".")
ok("-- inlined: local --" in [r[0] for r in answer], "source of: a row where inlined code begins", answer)


def calling(fn, *more, profile=out):
    """Costs by the line that called inlined code: of the addresses, and of `source of`."""
    by_line, said = {}, {}
    for at, cost, incl in rows("instrs of %s | where inlined_at != \"\" | show inlined_at, self, incl_out" % fn, profile=profile)[0]:
        line = at.rsplit(" in ", 1)[-1]
        by_line[line] = by_line.get(line, 0) + cost + incl
    for file, line, incl, text in rows("source of %s | where kind = \"inlined\" and incl >= 0 | show file, line, incl, text" % fn, *more, profile=profile)[0]:
        line = "%s:%d" % (os.path.basename(file), line)
        said[line] = said.get(line, 0) + incl
        ok(text.startswith("=> ") and text.endswith(", inlined"), "source of: " + text)
    return by_line, said


by_line, said = calling("main", "--source-root", source)
same(said, by_line, "source of: the lines that call inlined code have what it costs")
ok(max(by_line.values()) > 1000, "and that is much", by_line)
answer, talk = rows("asm of work | show kind, instr, text")
told, chain, seen = {}, None, set()
for kind, instr, text in answer:
    if kind == "inlined":
        chain = text[len("-- inlined: "):-len(" --")] if text.startswith("-- inlined: ") else None
    elif kind == "line" and instr not in seen:
        told[instr] = chain
        seen.add(instr)
chains, talk = rows("instrs of work | show instr, inlined")
wrong = [(hex(a), c, told.get(a)) for a, c in chains if told.get(a) != c]
ok(len(chains) > 20 and not wrong, "asm of: the rows say which code is inlined", wrong[:2])
os.mkdir("bin")
with open("bin/objdump", "w") as f:
    f.write("#!/bin/sh\necho >>starts\nexec %s \"$@\"\n" % shutil.which("objdump"))
os.chmod("bin/objdump", 0o755)
r = run(out, "-q", "-c", "asm of obj:p | count", env={"PATH": os.path.abspath("bin") + ":" + os.environ["PATH"]})
same((r.status, os.path.getsize("starts")), (0, 1), "objdump is started once for all functions of a program")

# ---- objects that are not what was measured


def by_file(name, *words):
    """No names, a note with these words, and rows by file."""
    forget()
    answer, talk = rows("inlined of work or main | show fn, file")
    ok(answer and not any(r[0] for r in answer) and any(r[1].endswith("/clamp.h") for r in answer)
       and all(w in talk for w in words), name, "%s\n%s" % (talk, answer))


restore(+10)
by_file("an object newer than the profile", "newer than the profile")
build("-O1", "-g")
by_file("rebuilt", "newer than the profile")
age(-10)
by_file("rebuilt, with an older time", "lines are not those of the profile")
os.remove("p")
by_file("not there", "not found")
restore()
subprocess.run(["objcopy", "--strip-debug", "p"], check=True)
age(-10)
by_file("stripped", "no debug information")
restore()
forget()
answer, talk = rows("inlined of work | show fn", "--safe", "--source-root", ".")
ok(answer and not any(r[0] for r in answer) and "--safe" in talk, "no object is read under --safe", talk)

# ---- people read short names in listings, programs whole ones

restore()
forget()
for form, whole in (("table", False), ("csv", True)):
    r = run(out, "-q", "--format", form, "-c", "asm of work")
    ok(r.status == 0 and "<work" in r.text and whole == ("<work(std::vector<int" in r.text), form + ": targets of jumps", r.text[:2000])

# ---- debug information in another file

restore()
subprocess.run(["objcopy", "--only-keep-debug", "p", "p.debug"], check=True)
subprocess.run(["objcopy", "--strip-debug", "--add-gnu-debuglink=p.debug", "p"], check=True)
age(-10)
answer, talk = rows("inlined of work | where fn = \"Sum<int>::add(int)\" | count")
same(answer, [[1]], "the file that .gnu_debuglink names")
os.makedirs(".debug")
os.rename("p.debug", ".debug/p.debug")
answer, talk = rows("inlined of work | where fn = \"Sum<int>::add(int)\" | count")
same(answer, [[1]], "the same in .debug")
build("-O2", "-g", "-DOTHER", "-fno-inline")
subprocess.run(["objcopy", "--only-keep-debug", "p", ".debug/p.debug"], check=True)
shutil.copy2("p.built", "p")
subprocess.run(["objcopy", "--strip-debug", "--add-gnu-debuglink=.debug/p.debug", "p"], check=True)
age(-10)
by_file("debug information of another object", "no debug information")
shutil.rmtree(".debug")

# ---- functions whose first instruction is inlined, files of one name, text included in a body

for path, text in (("a/at.h", "__attribute__((always_inline)) inline int mix(int x)\n{\n    x ^= x >> 3;\n    return x * 17 ^ x >> 5;\n}\n"),
                   ("b/at.h", "\n" * 9 + "__attribute__((noinline)) int own(int x)\n{\n    int v = mix(x);\n    return v + mix(v) / 3;\n}\n"),
                   ("body.inc", "v += mix(v) % 7;\n"),
                   ("at.cc", "#include \"a/at.h\"\n#include \"b/at.h\"\n__attribute__((noinline)) int body(int v)\n{\n    v = mix(v) / 3;\n#include \"body.inc\"\n"
                    "    return v;\n}\nint main(int argc, char **)\n{\n    return own(argc) + body(argc) == 1;\n}\n")):
    os.makedirs(os.path.dirname(path) or ".", exist_ok=True)
    with open(path, "w") as f:
        f.write(text)
# Ubuntu's compiler begins each function with an instruction of its own (endbr64).
PLAIN = ["-fcf-protection=none"] if platform.machine() == "x86_64" else []
subprocess.run(["g++", "-O2", "-g", *PLAIN, "-o", "at", "at.cc"], check=True)
subprocess.run(["valgrind", "-q", "--tool=callgrind", "--dump-instr=yes", "--callgrind-out-file=at.out", "./at"], capture_output=True)
run("at.out", "-q", "--rebuild", "-c", "events")
age(-10, "at", "at.out")
for fn, lines in (("own", ["at.h:12", "at.h:13"]), ("body", ["at.cc:5", "body.inc:1"])):
    by_line, said = calling(fn, profile="at.out")
    same((said, sorted(by_line)), (by_line, lines), "source of %s: callgrind's file is that of its first instruction" % fn)
answer, talk = rows("source of own | where kind = \"inlined\" and incl >= 0 | show file", profile="at.out")
ok(answer and all(r[0].endswith("/b/at.h") for r in answer) and "not in the text" not in talk, "a line of the file that called it", (answer, talk))

# ---- with inlined: such a function is in the file of its own code, as far as that is known


def places(query="functions of own, body", *more):
    answer, talk = rows("with inlined | %s | where not fn ~ /inl/ | sort fn asc | show fn, file, line" % query, *more, profile="at.out")
    return [[r[0].split("(")[0], "/".join(r[1].split("/")[-2:]), r[2]] for r in answer], talk


at = os.path.basename(os.getcwd()) + "/at.cc"
recorded = [[r[0].split("(")[0], "/".join(r[1].split("/")[-2:]), r[2]]
            for r in rows("functions of own, body | sort fn asc | show fn, file, line", profile="at.out")[0]]
same([r[:2] for r in recorded], [["body", "a/at.h"], ["own", "a/at.h"]], "recorded is the file of the first instruction")
same(places()[0], [["body", at, 5], ["own", "b/at.h", 12]], "the file and line that called what is inlined")
same([[r[:2] for r in places("functions of file:%s" % f)[0]] for f in ("at.cc", "/b/at.h", "/a/at.h")],
     [[["body", at], ["main", at]], [["own", "b/at.h"]], []], "of file: takes that")
same([r[0] for r in places("functions | where file ~ \"/at.cc\"")[0]], ["body", "main"], "and so does where")
totals = [rows(q + "files | sum | show self", profile="at.out")[0] for q in ("", "with inlined | ")]
same(totals[0], totals[1], "files add up to the same")
answer, talk = rows("with inlined | functions of own, body vs base | show fn, self, base, change", "base=at.out", profile="at.out")
ok(len(answer) == 2 and not any(r[3] for r in answer), "paired as recorded", answer)
shutil.copy2("at", "at.built")


def as_recorded(name, *more):
    if os.path.lexists("at.out.quern.inlines"):
        os.remove("at.out.quern.inlines")
    same(places("functions of own, body", *more)[0], recorded, "%s: as recorded" % name)


as_recorded("--safe", "--safe")
subprocess.run(["objcopy", "--strip-debug", "at.built", "at"], check=True)
age(-10, "at", "at.out")
as_recorded("stripped")
with open("at.built", "rb") as f, open("at", "wb") as g:
    g.write(f.read()[:5000])
age(-10, "at", "at.out")
as_recorded("cut off")
shutil.copy2("at.built", "at")
age(+10, "at", "at.out")
as_recorded("newer than the profile")
os.remove("at")
as_recorded("not there")

# ---- a long listing: people see the line that called what costs most

with open("long.h", "w") as f:
    f.write("__attribute__((always_inline)) inline int many(volatile int *s)\n{\n    for (int i = 0; i < 999; i++)\n        *s += i;\n    return 0;\n}\n")
with open("long.cc", "w") as f:
    f.write("#include \"long.h\"\nint main(int argc, char **)\n{\n    volatile int s = argc;\n" + (19 * "\n" + "    s = s * 3 ^ s / 7 ^ s << 1;\n") * 40 +
            19 * "\n" + "    return many(&s);\n}\n")
subprocess.run(["g++", "-O2", "-g", "-o", "long", "long.cc"], check=True)
subprocess.run(["valgrind", "-q", "--tool=callgrind", "--dump-instr=yes", "--callgrind-out-file=long.out", "./long"], capture_output=True)
age(-10, "long", "long.out")
r = run("long.out", "-q", "-c", "source of main")
ok(" rows\n" in r.text and "=> many, inlined" in r.text, "a long listing is cut, but not that line", r.text)

# ---- a member of which the linker has no name: its template has a lambda

with open("member.cc", "w") as f:
    f.write("""namespace shop { struct Book {
    int n;
    template <class F> int fold(F f) const { int s = 0; for (int i = 0; i < n; i++) s += f(i); return s; }
}; }
int main(int argc, char **) { return shop::Book{argc + 99}.fold([](int i) { return i ^ 5; }) == 1; }
""")
subprocess.run(["g++", "-O1", "-g", "-o", "member", "member.cc"], check=True)
subprocess.run(["valgrind", "-q", "--tool=callgrind", "--dump-instr=yes", "--callgrind-out-file=member.out", "./member"], capture_output=True)
age(-10, "member", "member.out")
answer, talk = rows("with inlined | find shop::Book::fold | show fn", profile="member.out")
ok(answer and len(answer) == 1 and answer[0][0].startswith("shop::Book::fold<main"), "its class is told by the debug information", (answer, talk))
answer, talk = rows("with inlined | functions | where fn ~ /operator/ and fn ~ /lambda/ | show fn", profile="member.out")
same(answer, [["main::{lambda}::operator() (inl)"]], "a lambda has the function that it is in")
answer, talk = rows("find Book::fold", profile="member.out")
ok(answer is None and "it is only inlined: with inlined | find Book::fold" in talk, "  and a name with the class finds it", talk)

done()
