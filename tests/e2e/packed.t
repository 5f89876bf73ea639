#!/usr/bin/env python3
"""packed.t - profiles that are compressed, or come through a pipe.

The same questions get the same answers however the text comes; damage is an error that says
where; nothing but the index is written.
"""
import bz2
import glob
import gzip
import json
import lzma
import os
import resource
import shutil
import subprocess
import threading

from e2e import SLOW, done, fixtures, ok, profile, quern, run, same, skip, small, work

TORTURE = "QUERN_TORTURE" in os.environ      # else each fixture is packed in two ways, and piped in one
QUERIES = ["functions", "calls", "lines", "callsites", "parts | show part, pid, thread, self, functions", "events",
           "info | show functions, edges, total, diagnostics, truncated",
           "jumps"]     # last: most have none, and that ends it


def tool(*argv):
    """Bytes through a program; None when it is not installed."""
    if not shutil.which(argv[0]):
        return None
    return lambda data: subprocess.run(argv, input=data, stdout=subprocess.PIPE, check=True).stdout


PACKERS = {"gz": gzip.compress, "bz2": bz2.compress, "xz": lambda data: lzma.compress(data, preset=0),
           "zst": tool("zstd", "-qc")}
NAMES = {"gz": "gzip", "bz2": "bzip2", "xz": "xz", "zst": "zstd"}


def write(path, data):
    with open(path, "wb") as f:
        f.write(data)
    return path


def ask(path, *more, stdin=b"", queries=QUERIES):
    argv = [path, "-q", "--format", "csv", *more]
    for q in queries:
        argv += ["-c", q]
    return run(*argv, stdin=stdin)


def error(r, status, name, *words):
    ok(r.status == status and all(w in r.talk for w in words) and not r.text, name,
       "want status %d, %r\n%s" % (status, words, r))


lua = open(small + "lua-default.out", "rb").read()

# ------------------------------------------------- every fixture, every way: one answer
wanted = json.load(open(fixtures + "/small/expected.json"))
for i, path in enumerate(sorted(glob.glob(fixtures + "/small/*") + glob.glob(fixtures + "/quirks/*.cg"))):
    if path.endswith((".json", ".md", ".quern")):
        continue
    data, name = open(path, "rb").read(), os.path.basename(path)
    plain = ask(path, "--no-index-write")
    got = {}
    for k, (ext, pack) in enumerate(PACKERS.items()):
        if pack and (TORTURE or (i - k) % len(PACKERS) in (0, 1)):
            got[ext] = ask(write("p." + ext, pack(data)), "--no-index-write")
    if TORTURE or i % 2:
        got["stdin"] = ask("-", stdin=data)
    elif PACKERS["zst"]:
        got["packed stdin"] = ask("-", stdin=PACKERS["zst"](data))
    wrong = [k for k, r in got.items() if (r.status, r.out) != (plain.status, plain.out)]
    ok(not wrong and (plain.status == 3 or plain.text.count("total") > 1), name + ": the same answers: " + " ".join(got),
       "%s\n%s\n%s" % (wrong, got[wrong[0]] if wrong else "", plain))
for ext, pack in PACKERS.items():
    if not pack:
        skip("." + ext, "no program to write it")

# ----------------------------------- lines of single parts: unpacked again up to there
multi = open(small + "tmpl-multipart-combine.out", "rb").read()
parts = ["part 3 | lines", "part 2,6,7 | callsites", "part 1 | lines", "part 7 | lines of main"]
plain = ask(write("parts.out", multi), queries=parts)
ok(plain.status == 0 and plain.text.count("\n") > 1000, "lines of single parts, to compare with", plain)
for ext, pack in PACKERS.items():
    if pack:
        same(ask(write("parts." + ext, pack(multi)), queries=parts).out, plain.out, "lines of single parts: " + ext)
r = run("-", "-q", "-c", "part 3 | lines", stdin=multi)
ok(r.status == 3 and "came through a pipe" in r.talk, "not of a pipe", r)

# ---------------------------------------------------------- its index, fresh, stale, kept
write("a.gz", gzip.compress(lua))
r = run("a.gz", "--rebuild", "-c", "top 1")
ok(r.status == 0 and "a.gz: indexed 195 kB" in r.talk and os.path.exists("a.gz.quern"),
   "the index of a packed profile lies beside it", r)
r = run("a.gz", "-c", "top 1")
ok(r.status == 0 and "indexed" not in r.talk, "and is fresh", r)
os.utime("a.gz", (1, 1))
r = run("a.gz", "-c", "top 1")
ok(r.status == 0 and "indexed" not in r.talk,
   "and fresh when only times changed: the file is hashed, not unpacked", r)
write("a.gz", gzip.compress(lua.replace(b"luaV_execute", b"luaV_EXECUTE"), 1))
r = run("a.gz", "-c", "top 1")
ok("has changed since it was indexed" in r.talk and "luaV_EXECUTE" in r.text, "and stale", r)
r = run("a.gz", "-q", "-c", "info luaV_EXECUTE | show self")
ok(r.status == 0, "its functions are asked for by name", r)

before = os.listdir(".")
r = run("-", "-c", "top 1", stdin=lua)
ok(r.status == 0 and "indexed 195 kB" in r.talk and os.listdir(".") == before,
   "no index of a pipe is left", str(r) + str(os.listdir(".")))
r = run("-", "--index", "kept.quern", "-c", "top 1", stdin=gzip.compress(lua))
ok(r.status == 0 and os.path.exists("kept.quern"), "unless --index says where", r)
r = run("kept.quern", "-c", "top 1")
ok(r.status == 0 and "kept.quern: an index, not compared with its profile" in r.talk and "luaV_execute" in r.text,
   "and the index can be opened itself", r)
r = run("-", "--index", "kept.quern", "-c", "top 1", stdin=open(small + "tmpl-default.out", "rb").read())
ok(r.status == 0 and "_dl_lookup_symbol_x" in r.text, "a pipe is read anew, whatever is there", r)
error(run("kept.quern", "--rebuild", "-c", "top"), 2, "an index is not rebuilt from itself", "give the profile")
write("b.out", lua)
run("b.out", "--rebuild", "-c", "top 1")
write("b.out", lua + b"# more\n")
r = run("b.out.quern", "-c", "top 1")
ok(r.status == 0 and "b.out has changed since it was indexed" in r.talk,
   "an opened index says that its profile changed", r)
r = run("-", "-f", "-", stdin=lua)
ok(r.status == 2 and "cannot both be" in r.talk, "a profile and a script cannot both be stdin", r)
r = run("-", stdin=lua)
ok(r.status == 2 and "give them by -c or -f" in r.talk and not r.text, "nor can there be no script at all", r)

os.mkfifo("fifo")
writer = threading.Thread(target=lambda: write("fifo", gzip.compress(lua)))
writer.start()
r = ask("fifo", queries=["functions"])
writer.join()
same(r.out, ask("b.out", queries=["functions"]).out, "a FIFO")
r = subprocess.run(["bash", "-c", '"$0" <(zcat a.gz) -q -c "top 1"', quern],
                   stdout=subprocess.PIPE, stderr=subprocess.PIPE) if shutil.which("bash") else None
if r:
    ok(r.returncode == 0 and b"luaV_EXECUTE" in r.stdout, "a process substitution", r)
else:
    skip("a process substitution", "no bash")

# ------------------------------------------------------------------------ several members
half = lua.index(b"\nfn=", len(lua) // 2) + 1
plain = ask(write("m.out", lua))
for ext, pack in PACKERS.items():
    if pack:
        same(ask(write("m." + ext, pack(lua[:half]) + pack(lua[half:]))).out, plain.out,
             "two members: " + ext)
        same(ask(write("m." + ext, pack(lua) + bytes(512))).out, plain.out,
             "zeros behind the end: " + ext)
        error(ask(write("m." + ext, pack(lua) + b"trailing garbage that is long enough")), 3,
              "something else behind the end: " + ext,
              "m.%s: behind the end of the %s data, at byte %d," % (ext, NAMES[ext], len(pack(lua))))

# ------------------------------------------------------------------------------- damage
lines = ask("m.out", queries=["lines"])
for ext, pack in PACKERS.items():
    if not pack:
        continue
    whole = pack(lua)
    for cut in (1, 2, len(whole) // 2, len(whole) - 1):
        r = ask(write("d." + ext, whole[:cut]), queries=["top"])
        ok(r.status == 3 and not r.text and (cut < 10 or (
            "d.%s: the %s data is cut off at byte %d (byte " % (ext, NAMES[ext], cut) in r.talk)),
           "%s, cut off at %d: an error that says where" % (ext, cut), r)
    if ext != "bz2":    # bzip2 leaves nothing that looks like text, and maybe no NUL
        error(ask(write("d." + ext, b"?" + whole[1:])), 3, "its first byte is wrong: " + ext,
              "d.%s: neither text nor packed, as its name says: its first bytes are damaged" % ext)
    wrong = []
    for at in range(12, len(whole), len(whole) // 12):
        r = ask(write("d." + ext, whole[:at] + bytes([whole[at] ^ 16]) + whole[at + 1:]),
                queries=["lines"])
        if r.out != lines.out or r.status:      # some bytes are of no matter
            if r.status != 3 or r.out or "data is" not in r.talk:
                wrong.append((at, str(r)))
    same(wrong, [], ext + ", a bit flipped: the answer, or an error that says where")
ok(not [f for f in os.listdir(".") if f.startswith("d.") and "quern" in f],
   "and no index of them", os.listdir("."))

# ------------------------------------------------------------------- archives and bombs
tar = bytearray(512) + b"x" * 512
tar[0:5], tar[257:262] = b"p.out", b"ustar"
error(ask(write("t.gz", gzip.compress(bytes(tar)))), 3, "a tar archive in gzip", "t.gz: a tar archive", "tar xf")
error(ask(write("z.zip", b"PK\3\4" + bytes(100))), 3, "a zip archive", "a zip archive", "unzip")
error(ask(write("2.gz", gzip.compress(gzip.compress(lua)))), 3, "packed twice", "still compressed when unpacked")
error(ask(write("0.gz", gzip.compress(b""))), 3, "nothing in it", "0.gz: empty (0 bytes when unpacked)")
error(ask("-", stdin=b""), 3, "nothing in a pipe", "standard input: empty")
zeros = gzip.compress(bytes((1 << 27) // SLOW))
error(ask(write("bomb.gz", zeros), "--mem", "64M"), 6, "a line without end", "bomb.gz: a line of more than 8 MiB")
newlines = gzip.compress(b"\n" * (1 << 26))
error(ask(write("bomb.gz", newlines * 5), "--mem", "64M"), 3, "newlines without end",
      "bomb.gz: not a Callgrind-format profile", 'no "events:" line')
peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss >> 10
ok(peak < 250 or "san" in os.environ.get("QUERN_VARIANT", ""), "memory stayed bounded", "%d MiB" % peak)
if PACKERS["zst"]:
    long = tool("zstd", "-qc", "-1", "--long=30")(lua * 20)      # a window of 1 GiB
    error(ask(write("w.zst", long), "--mem", "64M"), 6, "zstd wants a large window",
          "w.zst: the zstd data wants more memory than the 32 MiB it may have", "raise --mem", "zstd -d")
    r = ask("w.zst", "--mem", "4G", queries=["info | show total"])
    ok(r.status == 0, "and gets it with --mem", r)
error(ask(write("w.xz", lzma.compress(lua, preset=9)), "--mem", "64M"), 6, "xz wants a large dictionary",
      "the xz data wants more memory than", "xz -dk")
done()
