#!/usr/bin/env python3
"""library.t - libquern: what it exports, its examples in C and Python, rows, errors, options."""
import ctypes
import importlib.util
import json
import os
import re
import shutil
import subprocess

from e2e import done, environ, fixtures, ok, quern, run, same, skip, skip_all, small, top, work

if os.environ.get("QUERN_VARIANT", "release") not in ("release", "debug", "coverage"):
    skip_all("a sanitizer does not go into a program that is built without it")
build, api = os.path.dirname(quern), top + "/engine/api"
if not os.path.exists(build + "/libquern.so.2"):
    skip_all("libquern.so is not built: scons")
for name in ("lua-default.out", "tmpl-cachebranch.out", "xdebug-small.out", "mutual-default.out",
             "tmpl-default.out"):
    shutil.copy(small + name, ".")
shutil.copy(fixtures + "/quirks/v_names.cg", ".")

N = 300000
with open("many.out", "w") as f:
    f.write("events: Ir\n")
    f.writelines("fn=f%06d\n1 %d\n" % (i, i * 104729 % N + 1) for i in range(N))

# ---- what it exports ----
with open(api + "/quern.h", encoding="utf-8") as f:
    header = f.read()
declared = set(re.findall(r"\b(quern_[a-z_]+)\(", re.sub(r"/\*.*?\*/", "", header, flags=re.S)))
if shutil.which("nm"):
    p = subprocess.run(["nm", "-D", "--defined-only", build + "/libquern.so.2"], stdout=subprocess.PIPE, text=True)
    exported = {line.split()[-1].split("@")[0] for line in p.stdout.splitlines() if " A " not in line}
    same(exported, declared, "the library exports what quern.h declares, and nothing else")
else:
    skip("what the library exports", "nm is not installed")

# ---- C, by pkg-config ----
# As `scons install` puts them, but links.
os.makedirs("prefix/lib/pkgconfig")
os.makedirs("prefix/include")
for path, to in ((build + "/libquern.so.2", "lib/libquern.so.2"), (build + "/libquern.so", "lib/libquern.so"),
                 (api + "/quern.h", "include/quern.h")):
    os.symlink(path, "prefix/" + to)
with open(api + "/quern.pc.in") as f:
    text = f.read().replace("@PREFIX@", work + "/prefix").replace("@LIBDIR@", "lib").replace("@VERSION@", "0")
with open("prefix/lib/pkgconfig/quern.pc", "w") as f:
    f.write(text)
lib = {"LD_LIBRARY_PATH": build}
HOT = "functions | sort self | take 10 | show self, fn"
want = run("lua-default.out", "-q", "--format", "tsv", "-c", HOT).text.split("\n", 1)[1]
cc = os.environ.get("CC", "cc").split()
if shutil.which(cc[0]) and shutil.which("pkg-config"):
    flags = subprocess.run(["pkg-config", "--cflags", "--libs", "quern"], stdout=subprocess.PIPE, text=True,
                           env=dict(environ, PKG_CONFIG_PATH=work + "/prefix/lib/pkgconfig")).stdout.split()
    p = subprocess.run(cc + ["-Wall", "-Wextra", "-Werror", api + "/examples/hot.c", "-o", "hot"] + flags,
                       stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if ok(p.returncode == 0, "the example in C is built by pkg-config", p.stdout):
        r = run("lua-default.out", HOT, program=["./hot"], env=lib)
        ok(r.status == 0 and not r.err, "and runs, without a word on stderr", r)
        same(r.text, want, "it has the rows of the program")
        r = run("nothing.out", program=["./hot"], env=lib)
        ok(r.status == 3 and "nothing.out: No such file" in r.talk, "a missing file has the exit status 3", r)
    fault = build + "/tests/fault.so"

    def faults(path, query, chosen):
        """Allocations fail, each in turn: the program ends by itself, and says why."""
        want = run(path, query, program=["./hot"], env=lib).text
        preload = dict(lib, LD_PRELOAD=fault)
        run(path, query, program=["./hot"], env=dict(preload, QUERN_FAULT_COUNT=work + "/count"))
        with open("count") as f:
            n = int(f.read().split()[1])
        wrong, failed = [], 0
        for k in sorted(set(chosen(n))):
            r = run(path, query, program=["./hot"], env=dict(preload, QUERN_FAULT="mem:%d:12" % k))
            failed += r.status == 6
            if r.status not in (0, 6) or (r.status == 6) != ("memory" in r.talk) or (r.status == 0 and r.text != want):
                wrong.append("%d: %s" % (k, r))
        ok(not wrong and failed > 2, "%s: %d of %d allocations fail" % (path, failed, n), "\n".join(wrong[:3]))
    if os.path.exists("hot") and os.path.exists(fault):
        faults("lua-default.out", HOT, lambda n: [*range(1, min(n, 80)), *range(1, n, n // 60 + 1)])
        faults("many.out", "functions | show self, fn", lambda n: range(n - 12, n + 1))
    else:
        skip("allocations fail", "tests/fault.so is not built")
else:
    skip("the example in C", "no C compiler or no pkg-config")
if shutil.which("c++"):
    with open("is.cc", "w") as f:
        f.write('#include <quern.h>\nint main() { return quern_version()[0] == 0; }\n')
    p = subprocess.run(["c++", "-Wall", "-Wextra", "-Werror", "-I" + api, "is.cc", "-o", "is", build + "/libquern.so.2"],
                       stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    ok(p.returncode == 0 and run(program=["./is"], env=lib).status == 0, "C++ takes the header, too", p.stdout)
else:
    skip("C++ takes the header, too", "no C++ compiler")

# ---- Python: each row is that of `as json` ----
r = run("lua-default.out", HOT, program=["python3", "-B", api + "/examples/hot.py"], env=lib)
ok(r.status == 0 and not r.err, "the example in Python runs", r)
same([list(eval(line).values()) for line in r.text.splitlines()],
     [[int(w.split("\t")[0]), w.split("\t")[1]] for w in want.splitlines()], "it has the rows of the program, too")

ctypes.CDLL(build + "/libquern.so.2")     # so the name is known to the loader
spec = importlib.util.spec_from_file_location("hot", api + "/examples/hot.py")
hot = importlib.util.module_from_spec(spec)
spec.loader.exec_module(hot)
lib = hot.quern


def unmarked(cell):
    """A text of json as the bytes that it stands for."""
    if not isinstance(cell, str):
        return cell
    if not cell.startswith("\\x:"):
        return cell.encode()
    return re.sub(rb"\\(\\|x(..))", lambda m: bytes([int(m[2], 16)]) if m[2] else b"\\", cell[3:].encode())


def as_json(path, query, *options):
    document = json.loads(run(path, "-q", *options, "-c", query + " | as json").text)
    return document["columns"], [[unmarked(c) for c in row] for row in document["rows"]]


def raw(kind, values, i):
    """Texts as bytes: they need not be UTF-8."""
    return ctypes.string_at(values[i].bytes, values[i].length) if kind == 3 else value(kind, values, i)


value, hot.value = hot.value, raw
QUERIES = ["functions", "calls", "lines", "callsites", "parts", "events", "cycles", "files", "info",
           "functions | where self > 100 | sort calls, fn | show fn, self%, incl / calls as per",
           "calltree depth 4", "collapse by object | functions", "functions | group by obj: sum(self) as self, count",
           "functions | take 0"]
for path in ("lua-default.out", "tmpl-cachebranch.out", "xdebug-small.out", "v_names.cg"):
    wrong = []
    run(path, "-q", "--rebuild", "-c", "events")    # so that `info` says one time
    for q in QUERIES:
        columns, rows = as_json(path, q)
        got = list(hot.ask(path, q))
        if [list(row) for row in got] != [columns] * len(rows) or [list(r.values()) for r in got] != rows:
            wrong.append("%s: %s" % (q, [p for p in zip(got, rows) if list(p[0].values()) != p[1]][:2]))
    ok(not wrong, "%s: every row equals `as json`" % path, "\n".join(wrong))

# ---- errors ----
err = hot.Error()


class Options(ctypes.Structure):
    _fields_ = [("size", ctypes.c_size_t), ("index", ctypes.c_char_p), ("flags", ctypes.c_uint),
                ("threads", ctypes.c_uint), ("seconds", ctypes.c_uint), ("rows", ctypes.c_uint64),
                ("memory", ctypes.c_uint64), ("cancel", ctypes.POINTER(ctypes.c_int))]


NO_WRITE, NO_BUILD, RAW_NAMES = 1, 2, 16
lib.quern_add.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_char_p, ctypes.c_void_p, ctypes.POINTER(hot.Error)]
lib.quern_rows.restype, lib.quern_rows.argtypes = ctypes.c_uint64, [ctypes.c_void_p]
lib.quern_note.restype, lib.quern_note.argtypes = ctypes.c_char_p, [ctypes.c_void_p, ctypes.c_size_t]
lib.quern_open.argtypes = [ctypes.c_char_p, ctypes.c_void_p, ctypes.POINTER(hot.Error)]


def opened(path, **options):
    o = Options(size=ctypes.sizeof(Options), **options)
    return lib.quern_open(path.encode(), ctypes.byref(o), err)


def fails(query, profile, status, message, place, name):
    a = lib.quern_query(profile, query.encode(), err)
    same((a, err.status, (err.at, err.length)), (None, status, place), name)
    ok(message in err.message.decode(), name + ": the message", err.message.decode())
    lib.quern_free(a)


lua = opened("lua-default.out")
fails("functions | where slef > 1", lua, 1, "slef", (18, 4), "a wrong query has its place")
fails("callers of nothing_like_it", lua, 1, "no function matches", (11, 15), "no such function")
fails("functions; lines", lua, 1, "more than one query", (0, 0), "an answer is of one query")
fails("let $x = 1", lua, 1, "no query", (0, 0), "a let alone has no answer")
fails("", lua, 1, "", (0, 0), "no text")
fails("functions > out.csv", lua, 1, "", (12, 7), "the library writes no file")
ok(not os.path.exists("out.csv"), "there is none")
fails("asm of main", lua, 1, "", (0, 3), "and starts no program")
a = lib.quern_query(lua, b"functions | take 2 | expect none", err)
same((err.status, lib.quern_rows(a), lib.quern_load(a, 0, None)), (4, 2, 2), "what breaks an `expect` is the answer")
lib.quern_free(a)
same(lib.quern_query(lua, b"let $x = 3; functions | take $x", None) and 1, 1, "a let before a query; no error is asked for")
for args in ((None, b"top"), (lua, None)):
    same((lib.quern_query(*args, err), err.status), (None, 2), "a profile or query that is NULL")
same((opened("nothing.out"), err.status), (None, 3), "no such profile")
same((opened("-"), err.status), (None, 2), "standard input is no profile of a library")
same([size for size in [*range(100), 4096]
      if lib.quern_open(b"lua-default.out", ctypes.byref(Options(size=size)), err) or err.status != 2],
     [ctypes.sizeof(Options)], "options of another version are refused")
same(lib.quern_add(None, b"x", b"lua-default.out", None, err), 2, "a second profile without a first")
same(lib.quern_add(lua, b"x", None, None, err), 2, "or without a path")
same((lib.quern_rows(None), lib.quern_columns(None), lib.quern_load(None, 0, err), err.status), (0, 0, 0, 2), "an answer that is NULL has nothing")
ok(not any(f(None, 0) for f in (lib.quern_column_at, lib.quern_note, lib.quern_uints, lib.quern_ints, lib.quern_reals, lib.quern_texts,
                                lib.quern_bools, lib.quern_absent, lib.quern_estimated)), "nor its columns")
lib.quern_free(None)
lib.quern_close(None)
os.mkfifo("fifo")
for name, o in (("fifo", {}), ("/dev/zero", {}), (".", {}), ("lua-default.out", {"index": b"fifo"}), ("fifo*", {})):
    p = opened(name, **o)
    ok(p is None and err.status in (3, 5), "regular files only: %s %s" % (name, o), (err.status, err.message))
a = lib.quern_query(lua, b"path from main to luaV_execute", err)
ok(b"showing 1 path" in (lib.quern_note(a, 0) or b"") and lib.quern_note(a, 9) is None, "notes are there")
lib.quern_free(a)

# ---- options ----
shutil.copy("mutual-default.out", "grown.out")
with open("grown.out", "a") as f:
    f.write("# more\n" * 600000)
same((opened("grown.out", flags=NO_BUILD), err.status), (None, 5), "an index is not made if that is refused")
ok(not os.path.exists("grown.out.quern"), "there is none")
lib.quern_close(opened("mutual-default.out", flags=NO_BUILD))
ok(err.status == 0, "a small profile needs none", err.message)
ok(not os.path.exists("mutual-default.out.quern"), "there is none")
lib.quern_close(opened("mutual-default.out", flags=NO_WRITE))
ok(err.status == 0 and not os.path.exists("mutual-default.out.quern"), "nor kept if that is refused", err.message)
lib.quern_close(opened("mutual-default.out", index=b"elsewhere.quern"))
ok(os.path.exists("elsewhere.quern") and not os.path.exists("mutual-default.out.quern"), "an index elsewhere")
p = opened("mutual-default.out", index=b"elsewhere.quern", flags=NO_BUILD)
ok(p, "it is opened from there", err.message)
lib.quern_close(p)
flag = ctypes.c_int(1)
same((opened("mutual-default.out", cancel=ctypes.pointer(flag)), err.status), (None, 130), "making an index is interrupted")
flag.value = 0
p = opened("lua-default.out", cancel=ctypes.pointer(flag), rows=100)
fails("functions", p, 6, "more than 100 rows", (0, 9), "a limit of rows")
flag.value = 1
fails("calltree", p, 130, "interrupted", (0, 8), "a query is interrupted")
lib.quern_close(p)
ok(b"--" not in err.hint, "a hint names no option of the program", err.hint)
for limit, query in (({"rows": 10}, "functions"), ({"memory": 1 << 16}, "functions | sort fn"), ({}, "functions in nowhere"), ({}, "functions of $nothing"),
                     ({}, "(" * 300), ({}, "asm of main")):
    p = opened("lua-default.out", **limit)
    same(lib.quern_query(p, query.encode(), err), None, "an error: " + query[:30])
    ok(not re.search(rb"--[a-z]|[ `(]\.[a-z]", err.hint.replace(b"callgrind with --dump-instr", b"")), "its hint names no option or command of the program", err.hint)
    lib.quern_close(p)
p = opened("lua-default.out", memory=1 << 16)
fails("functions | sort fn", p, 6, "memory", (0, 19), "a limit of memory")
lib.quern_close(p)
p = opened("tmpl-cachebranch.out")
same(lib.quern_add(p, b"base", b"tmpl-default.out", None, err), 0, "a second profile is added")
same(lib.quern_add(p, b"base", b"tmpl-default.out", None, err), 1, "not twice under a name")
a = lib.quern_query(p, b"functions vs base | show fn, self, base", err)
same([list(r.values()) for r in hot.rows(a)],
     as_json("tmpl-cachebranch.out", "functions vs base | show fn, self, base", "base=tmpl-default.out")[1],
     "two profiles are compared")
lib.quern_close(p)
ok(list(hot.rows(a)), "an answer outlives the caller's handle of its profile")
lib.quern_free(a)
os.mkdir("many")
for n in (1, 2, 3):
    with open("many/p.out.%d" % n, "w") as f:
        f.write("version: 1\npid: 7\npart: %d\nevents: Ir\nfn=main\n1 %d\n" % (n, 10 ** n))
same(list(hot.ask("many/p.out.*", "functions | show fn, self")), [{"fn": b"main", "self": 1110}],
     "a pattern is one profile")

lib.quern_estimated.restype, lib.quern_estimated.argtypes = ctypes.POINTER(ctypes.c_uint8), [ctypes.c_void_p, ctypes.c_size_t]
p = opened("lua-default.out")
a = lib.quern_query(p, b"contexts | functions | show incl, fn", err)
n = lib.quern_load(a, 0, err)
same([bool(lib.quern_estimated(a, 0)[i]) for i in range(n)],
     [row[0] for row in as_json("lua-default.out", "contexts | functions | show estimated")[1]], "estimates are flagged")
ok(not lib.quern_estimated(a, 1) and not lib.quern_estimated(a, 9) and not lib.quern_absent(a, 9) and not lib.quern_column_at(a, 9)
   and not lib.quern_uints(a, 0) and not lib.quern_ints(a, 1) and not lib.quern_texts(a, 9), "other columns, other types")
lib.quern_free(a)
a = lib.quern_query(p, b"functions vs in base | show delta", None) or lib.quern_query(p, b"functions vs lua-default.out | show fn, delta", err)
if ok(a, "a profile beside itself", err.message):
    same([r["delta"] for r in hot.rows(a)], [0] * lib.quern_rows(a), "signed numbers")
lib.quern_free(a)
lib.quern_close(p)


def told(path, query, least, step=40):
    """Limits of memory: an error of it, or the rows."""
    wrong, failed, whole, memory = [], 0, 0, least
    while whole < 3:
        p = opened(path, memory=memory)
        a = lib.quern_query(p, query.encode(), err)
        rows, row = lib.quern_rows(a) if a else -1, 0
        while a and (n := lib.quern_load(a, row, err)):
            row += n
        if err.status not in (0, 6) or (err.status == 0) != (row == rows):
            wrong.append("%d: status %d, %d of %d rows: %s" % (memory, err.status, row, rows, err.message.decode()))
        failed += err.status == 6
        whole += err.status == 0
        lib.quern_free(a)
        lib.quern_close(p)
        memory += memory // step + 60
    ok(not wrong and failed > 3, "%s: %s, in too little memory" % (path, query), "\n".join(wrong[:5]))


told("lua-default.out", "functions", 1 << 15)
told("lua-default.out", "events", 1 << 9, 80)
told("lua-default.out", "collapse by file | functions | show fn, self", 1 << 16)

# ---- many rows: a page at a time ----
p = opened("many.out")
a = lib.quern_query(p, b"functions | show self, fn", err)
other = lib.quern_query(p, b"functions | sort fn desc | show fn", err)
pages, texts, sum_, row = 0, [], 0, 0
while (n := lib.quern_load(a, row, err)):
    self, fn = lib.quern_ints(a, 0), lib.quern_texts(a, 1)
    sum_ += sum(self[:n])
    texts += [(self[i], raw(3, fn, i)) for i in (0, n - 1)]
    same(lib.quern_load(other, row, err) > 0 and raw(3, lib.quern_texts(other, 0), 0), b"f%06d" % (N - 1 - row),
         "another answer is read between")
    same(lib.quern_query(p, b"functions | where slef", None), None, "and a query fails between")
    row, pages = row + n, pages + 1
same((row, sum_), (N, N * (N + 1) // 2), "all rows, in %d pages" % pages)
ok(pages > 1 and texts == sorted(texts, reverse=True), "in their order", texts)
same([b"f%06d" % next(i for i in range(N) if i * 104729 % N + 1 == s) for s, _ in texts], [t for _, t in texts],
     "texts belong to their rows")
told("many.out", "functions | show fn, self", 5 << 20)
for key in ("incl", "fn"):
    told("many.out", "functions | sort %s | take %d | show fn" % (key, N - 1), 1 << 16, 80)
# The index is cut under the reader: an error, in this thread, and the process goes on.
os.truncate("many.out.quern", 8192)
same((lib.quern_load(a, 0, err), err.status), (0, 5), "an index that is cut while it is read is an error")
ok(b"many.out.quern" in err.message and err.hint, "which names it", err.message)
lib.quern_free(a)
lib.quern_free(other)
lib.quern_close(p)
run("lua-default.out", "-q", "--rebuild", "-c", "events")
with open("lua-default.out.quern", "r+b") as f:
    data = f.read()
    f.seek(0)
    f.write(data[:20000] + bytes(len(data) - 20000))
q = opened("lua-default.out", flags=NO_BUILD)
a = q and lib.quern_query(q, b"functions", err)
ok(not a and err.status == 5, "a damaged index is an error", err.message)
done()
