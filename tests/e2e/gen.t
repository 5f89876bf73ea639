#!/usr/bin/env python3
"""gen.t - bench/gen's profiles are right: sums, sizes, shapes, and quern agrees."""
import gzip
import json
import os
import re
import shutil
import subprocess

from e2e import done, ok, run, same, skip_all, top

gen = os.environ.get("QUERN_BUILD", top + "/build/release") + "/bench/gen"
if not os.path.exists(gen):
    skip_all("bench/gen is not built")


def make(path, *options):
    subprocess.run([gen, "-o", path] + [str(o) for o in options], check=True)
    return open(path, "rb").read()


def sums(text):
    """[(self cost per event, totals: or summary:)] of each part, read the simple way."""
    found, own, skip = [], [], 0
    for line in text.split(b"\n"):
        if line.startswith((b"totals:", b"summary:")):
            found.append((own, [int(n) for n in line.split()[1:]]))
        elif line.startswith(b"events:"):
            own = [0] * (len(line.split()) - 1)
        elif line.startswith(b"positions:"):
            positions = len(line.split()) - 1
        elif line.startswith((b"calls=", b"jump=", b"jcnd=")):
            skip = 1
        elif line[:1] in b"+-*0123456789" and line:
            if not skip:
                for e, n in enumerate(line.split()[positions:]):
                    own[e] += int(n)
            skip = 0
    return found


def cost_lines(text):
    """{(file, instr, line): self} of callgrind's: only a cost line moves positions and file."""
    def at(word, base):
        return base if word == b"*" else base + int(word) if word[:1] in b"+-" else int(word, 0)

    files, costs, base, record = {}, {}, [0, 0], False
    here = kept = own = b""
    for line in text.split(b"\n"):
        key, _, value = line.partition(b"=")
        if key in (b"fl", b"fi", b"fe", b"cfi"):
            n, _, name = value.partition(b" ")
            file = files.setdefault(n, name)
            here = here if key == b"cfi" else file
            own = file if key == b"fl" else own
        elif key == b"fn":
            here = kept = own
        elif key in (b"calls", b"jump", b"jcnd"):
            record = True
        elif line.startswith(b"part:"):
            base = [0, 0]
        elif line[:1] in b"+-*0123456789" and line:
            words = line.split()
            place = [at(w, b) for w, b in zip(words, base)]
            if not record:
                base, kept = place, here
                key = here.decode(), *place
                costs[key] = costs.get(key, 0) + int((words + [0])[2])
            here, record = kept, False
    return costs


def padded(costs, n):
    return costs + [0] * (n - len(costs))


def number(text):
    return int(text.split()[0].replace(",", ""))


def info(path):
    r = run(path, "-q", "-c", "info")
    ok(r.status == 0, path + ": info", r)
    pairs = [line.partition(" ") for line in r.text.splitlines()]
    return {key: value.strip() for key, _, value in pairs}


shapes = [
    ("plain", 300, ["--bytes", "300k"]),
    ("instr", 200, ["--bytes", "500k", "--positions", "instr line", "--jumps"]),
    ("parts", 100, ["--bytes", "400k", "--parts", 50, "--events", 3]),
    ("one", 50, ["--bytes", "300k", "--parts", 1, "--positions", "instr line"]),
    ("windows", 400, ["--bytes", "300k", "--parts", 200, "--jumps"]),
    ("events", 100, ["--bytes", "200k", "--events", 15]),
    ("wide", 100, ["--bytes", "200k", "--events", 64, "--edges", 20]),
    ("names", 40, ["--bytes", "400k", "--name-bytes", 4096]),
    ("files", 60, ["--bytes", "100k", "--files", 60]),
    ("xdebug", 200, ["--bytes", "3000k", "--style", "xdebug"]),
    ("full", 200, ["--bytes", "500k", "--positions", "instr line", "--names", "full"]),
    ("crlf", 200, ["--bytes", "500k", "--parts", 8, "--ends", "crlf"]),
    ("few", 2, ["--bytes", "100k", "--edges", 1]),
]
for name, functions, options in shapes:
    path = name + ".out"
    text = make(path, "--functions", functions, *options)
    asked = int(options[1][:-1]) * 1024
    ok(0.5 * asked < len(text) < 2 * asked, name + ": about the size asked",
       "%d of %d bytes" % (len(text), asked))
    wrong = [(own, said) for own, said in sums(text) if own != padded(said, len(own))]
    same(wrong, [], name + ": self costs add up to what is written")
    told = info(path)
    same(number(told["functions"]), functions, name + ": functions")
    same(number(told["input_lines"]), text.count(b"\n"), name + ": all lines are read")
    same(told["diagnostics"], "0", name + ": nothing odd")
    if name != "xdebug":
        same(told["totals"], "agree with the sums", name + ": quern agrees")
        same(number(told["parts"]), len(sums(text)), name + ": parts")
    else:
        same(number(told["total.Time_(10ns)"].split("(")[1]), 10 * sums(text)[0][1][0], name + ": quern agrees")
    if name not in ("parts", "windows"):  # there a function's callers may be in other parts
        r = run(path, "-q", "--format", "csv", "-c",
                "functions | where calls > 0 and incl != incoming | count")
        # A root of an exact tree is called, too, by nothing that has a cost.
        same(r.text.split(), ["count", str(int(name == "xdebug"))], name + ": what calls give is what was spent")

# Calls that were open when a part began have no cost line of their place in front.
dumps = make("dumps.out", "--bytes", "300k", "--functions", 100, "--parts", 20, "--files", 30,
             "--positions", "instr line", "--jumps")
r = run("dumps.out", "-q", "--raw", "--format", "csv", "-c",
        "instrs | group by file, instr, line: sum(self) as self | sort self")
got = {tuple(row.rsplit(",", 3)[:3]): int(row.rsplit(",", 1)[1]) for row in r.text.splitlines()[1:]}
want = {(file, str(instr), str(line)): self for (file, instr, line), self in cost_lines(dumps).items()}
ok(got == want and len(want) > 1000, "lines of dumps stand where callgrind put them",
   sorted(set(got.items()) ^ set(want.items()))[:6])

same(number(info("parts.out")["parts"]), 50, "--parts")
ok(len(run("names.out", "-q", "--raw", "--format", "csv", "-c", "top 1 | show fn").text) > 4096,
   "--name-bytes")
ok(number(info("instr.out")["jumps"]) > 100, "--jumps")
full, crlf = open("full.out", "rb").read(), open("crlf.out", "rb").read()
ok(b"fn=(" not in full and b"fn=main\n" in full, "--names full")
same(crlf.count(b"\r\n"), crlf.count(b"\n"), "--ends crlf")
same(make("a.out", "--bytes", "100k"), make("b.out", "--bytes", "100k"), "the same bytes again")
ok(make("b.out", "--bytes", "100k", "--seed", 2) != open("a.out", "rb").read(), "--seed")
for wrong in (["--bytes", "x"], ["--events", "65"], ["--style", "cg"], ["--functions"], ["-x"]):
    p = subprocess.run([gen] + wrong, capture_output=True)
    ok(p.returncode == 2 and not p.stdout, "usage: " + " ".join(wrong), p.stderr)

# The measuring option, on a profile whose times do not matter.
r = run("--bench-parse", "a.out")
ok(r.status == 0 and "parse, 1 thread" in r.text and "Mcosts/s" in r.text and re.search(r"^wc -l .*^cat ", r.text, re.M | re.S) and ", of shortest" in r.text, "--bench-parse", r)
ok(re.search(r"\neach parse and the index add up to the same: \d+\n", r.text), "  says that all ways did the same work", r)
ok("\nthe file is small: " in r.text, "  says that the file is too small", r)
ok(not os.path.exists("a.out.quern"), "stores nothing")
measured = json.loads(run("--bench-parse", "a.out", "--format", "json").text)
text = open("a.out", "rb").read()
total = int(re.search(rb"^totals: (\d+)", text, re.M)[1])
with gzip.open("a.out.gz", "wb") as f:
    f.write(text)
packed = json.loads(run("--bench-parse", "a.out.gz", "--format", "json").text)
for name, m, ways in (("plain", measured, ["wc -l", "cat"]), ("packed", packed, ["gzip -dc", "igzip -dc" if shutil.which("igzip") else "cat"])):
    same((m["bytes"], m["lines"]), (len(text), text.count(b"\n")), "--bench-parse counts the text: " + name)
    ok(0 < m["cost_lines"] < m["lines"] and m["cost_lines"] == measured["cost_lines"], "and its cost lines: " + name, m["cost_lines"])
    same([w["way"] for w in m["ways"]][:2], ways, "beside it: " + name)
    ok(all(len(w["ns"]) == 9 and w["ns"] == sorted(w["ns"]) and w["median_ns"] == w["ns"][4] > 0 for w in m["ways"]), "all times: " + name, m["ways"])
    ok(all(sorted(w["ns_in_order"]) == w["ns"] for w in m["ways"]), "and in the order of runs: " + name)
    same({w["cost_sum"] for w in m["ways"] if "cost_sum" in w}, {total}, "all ways add up the true costs: " + name)
    same([w["way"].split(",")[0] for w in m["ways"] if "cost_sum" in w][-1], "the index", "the index is one of them: " + name)
    ok(all((w["cycles"] is None) == (w["bytes_per_cycle"] is None) for w in m["ways"]), "cycles, or none: " + name, m["ways"])
    ok(m["version"].startswith("quern") and m["load"] >= 0 and "processor" in m, "on which machine: " + name, m)
same(measured["packed_bytes"], 0, "a plain file is not packed")
same(packed["packed_bytes"], os.path.getsize("a.out.gz"), "bytes of a packed file")
same(run("--bench-parse", "a.out", "--format", "csv").status, 2, "--bench-parse writes no csv")
r = run("--bench-parse", "a.out", "a.out.gz", env={"PATH": "/nowhere"})
ok(r.status == 0 and "not installed" in r.text and "unpack and parse" in r.text, "tools that are not installed", r)
same(run("--bench-parse", "missing.out").status, 3, "--bench-parse: no such profile")
same(run("--bench-parse").status, 2, "--bench-parse: which profile?")
done()
