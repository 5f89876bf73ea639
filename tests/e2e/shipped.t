#!/usr/bin/env python3
"""shipped.t - the queries that ship, on every fixture; how they are found; the sets.

Their answers are in tests/query/shipped-*.query.
"""
import glob
import os
import re
import shutil

from e2e import done, fixtures, ok, profile, quern, run, same, small, top, work

shipped = top + "/repl/queries/"
names = sorted(os.path.basename(f)[:-2] for f in glob.glob(shipped + "*.q"))
ok(len(names) >= 15, "there are queries that ship", names)

# ---- each of them on each fixture: an answer, or what is missing
MISSING = re.compile("|".join([
    r"no event '\w+'; this profile has ",
    r"no profile is open under the name 'base'; open: ",
    r"this profile does not hold its call tree",
    r"(in \$OF = \$program: )?this profile has no function of \$\w+ \(",
    r"in \$\w+ = /\./: this profile has no functions$",
    r"1 of 1 row does not meet est% >= 90$",     # of gate-region: the profile is of another program
]))
for folder in ("producers", "small", "quirks", "truth", "queries"):
    wrong = []
    for path in sorted(glob.glob("%s/%s/*" % (fixtures, folder))):
        if path.endswith((".json", ".md", ".c", ".folded.xz", ".quern", ".pl", ".sh")) or not os.path.getsize(path) or os.path.isdir(path) or re.search(r"-0\d$", path):
            continue
        r = run(path, "--no-index-write", "--keep-going", *[w for n in names for w in ("-c", ".run " + n)])
        errors = dict(re.findall(r"^([a-z-]+)\.q:\d+:\d+: error: (.*)$", r.talk, re.M))
        others = [e for e in re.findall(r"^.*error: .*$", r.talk, re.M) if not re.match(r"[a-z-]+\.q:\d+:", e)]
        bad = {n: e for n, e in errors.items() if not MISSING.match(e)}
        if r.status not in (0, 1) or bad or others or (r.status == 1) != bool(errors):
            wrong.append("%s: %d %r %r" % (os.path.basename(path), r.status, bad, others))
    ok(not wrong, "every query answers, or says what is missing: " + folder, "\n".join(wrong))
COMPARED = ["regressions", "new-code", "gate-instructions", "gate-time", "gate-calls"]
wrong = []
for path in sorted(glob.glob(fixtures + "/producers/*.*[a-z]")):
    if not path.endswith(".json") and os.path.getsize(path):
        r = run(path, "base=" + path, "--no-index-write", "--accept", "itself", "--keep-going", *[w for n in COMPARED for w in ("-c", ".run " + n)])
        errors = dict(re.findall(r"^([a-z-]+)\.q:\d+:\d+: error: (.*)$", r.talk, re.M))
        uncounted = r.talk.count("hint: calls has no value there: nobody counted the calls of this profile")
        if "does not meet calls" in errors.get("gate-calls", "") and uncounted == 2:
            del errors["gate-calls"]
        empty = "no function has any cost" in r.talk
        if {e for e in errors.values() if not re.match(r"(no event '(Ir|Time)'; this profile has |.*: this profile has no function of \$allocations )", e)} > ({"1 of 1 row does not meet delta% <= ${TOTAL:=2}"} if empty else set()) or (
                "regressions" in errors or "new-code" in errors):
            wrong.append("%s: %r" % (os.path.basename(path), errors))
ok(not wrong, "compared with itself, no profile has become dearer", "\n".join(wrong))
for n in names:
    text = open(shipped + n + ".q").read()
    ok(re.match(r"-- \S.{20,90}\n", text) and not re.search(r"[|>]\s*[\"\w./]+\.\w+\s*$|! ", text) and "\nlet " not in text,
       n + ": a line about it; it writes nothing and leaves no value behind", text)

# ---- how they are found
profile("p.out", [(b"main", 10), (b"work", 80), (b"malloc", 10)])
r = run("p.out", "-q", "-c", ".queries")
same(re.findall(r"^([a-z]\S+)  ", r.text, re.M), names, ".queries lists them by name")
ok(re.search(r"^n-plus-one +\S.*\n +CALLS=100 EACH=10 TO=\. N=20$", r.text, re.M), "with what they answer and their parameters", r)
r = run("p.out", "-q", "-c", ".queries memory")
same(re.findall(r"^([a-z]\S+)  ", r.text, re.M), ["alloc-churn", "allocated", "copies", "kept", "lost"], ".queries WORD: those about it")
r = run("p.out", "-q", "-c", ".queries percent")
ok({"gate-instructions", "gate-time"} <= set(re.findall(r"^([a-z]\S+)  ", r.text, re.M)), "or with such a parameter", r)
r = run("p.out", "-q", "-c", ".queries xyzzy")
ok(r.status == 1 and "no query is about 'xyzzy'" in r.talk, "none is about it", r)
BY_LAYER = "layer  self  self%"


def of(text):
    return [w for w in ("shipped", "user", "here") if w in text] or text


ships = run("p.out", "-q", "-c", ".run dumps-over-time")
ok(ships.status == 0 and ships.text.startswith("part  thread  self"), "a query that ships", ships)
r = run("p.out", "-c", ".run timeline")
ok(r.text == ships.text and "dumps-over-time now" in r.talk, "its former name finds it, and that is said", r)
for where in (".run dumps-over-time", ".run dumps-over-time.q"):
    same(run("p.out", "-q", "-c", where).text, ships.text, where)
same(run("p.out", "-q", "-f", "dumps-over-time").text, ships.text, "-f NAME finds it if there is no such file")
r = run("p.out", "-q", "--set", "COST=incoming", "-f", "dumps-over-time")
ok(r.text.startswith("part  thread  incoming"), "--set gives its parameters", r)
os.makedirs(".config/quern/queries")
with open(".config/quern/queries/dumps-over-time.q", "w") as f:
    f.write('-- my own\nfunctions | take ${K:=1} | show fn, self as user\n')
r = run("p.out", "-q", "-c", ".run dumps-over-time")
same(of(r.text), ["user"], "one of the user's of that name comes first")
ok(re.search("^quern: \\S+/dumps-over-time.q is run, not the query that ships: that is quern:dumps-over-time$", r.talk, re.M), "which is said", r)
same(run("p.out", "-q", "-c", ".run quern:dumps-over-time").text, ships.text, "quern:NAME is the one that ships")
same(run("p.out", "-q", "-f", "quern:dumps-over-time").text, ships.text, "for -f, too")
same(of(run("p.out", "-q", "-f", "dumps-over-time").text), ["user"], "for -f, too")
r = run("p.out", "-q", "-c", ".queries own")
same(r.text, "dumps-over-time  my own (yours)\n                 K=1\n", "and is listed instead")
same(run("p.out", "-q", "--safe", "-c", ".run dumps-over-time").text, ships.text, "--safe: only what ships")
same(run("p.out", "-q", "--safe", "-c", ".queries own").status, 1, "also in the list")
with open("dumps-over-time", "w") as f:
    f.write('functions | take 1 | show fn, self as here\n')
same(of(run("p.out", "-q", "-c", ".run dumps-over-time").text), ["user"], "before one in this directory")
os.rename(".config/quern/queries/dumps-over-time.q", ".config/quern/queries/mine.q")
os.rename("dumps-over-time", "quern:dumps-over-time")
for here in ("dumps-over-time", "dumps-over-time.q", "quern:dumps-over-time.q"):
    shutil.copy("quern:dumps-over-time", here)
    for more in ((), ("--safe",)):
        for args in (("-f", "dumps-over-time"), ("-c", ".run dumps-over-time"), ("-f", "quern:dumps-over-time"), ("-c", ".run quern:dumps-over-time")):
            r = run("p.out", "-q", *more, *args)
            ok(r.text == ships.text and ("dumps-over-time is the query that ships, not dumps-over-time" in r.talk) == (
                "quern:" not in args[1] and not more and "quern:" not in here), "a file here does not hide it: %s %s" % (here, args), r)
    os.remove(here)
for args in (("-f", "quern:none"), ("-c", ".run quern:none")):
    open("quern:none", "w").write("top 1\n")
    r = run("p.out", "-q", *args)
    ok(r.status == 1 and not r.text, "quern: is never a file's name", r)
with open("dumps-over-time.q", "w") as f:
    f.write('functions | take 1 | show fn, self as here\n')
r = run("p.out", "-q", "-f", "dumps-over-time.q")
ok(of(r.text) == ["here"] and "not the query that ships: that is quern:dumps-over-time.q" in r.talk, "a file that is named as such is run, and said", r)
same(of(run("p.out", "-q", "-f", "./dumps-over-time.q").text), ["here"], "or by its path")
for name in ("dumps-over-time.q", "quern:dumps-over-time", "quern:none"):
    os.remove(name)
os.remove(".config/quern/queries/mine.q")

# ---- --set of what no query has
with open("outer.q", "w") as f:
    f.write(".run dumps-over-time\n.read inner.q\n")
with open("inner.q", "w") as f:
    f.write("functions | take ${ROWS:=2}\n")
for args, status in ((("-f", "dumps-over-time", "--set", "COST=self"), 0), (("-f", "dumps-over-time", "--set", "COTS=self"), 2), (("-c", "top $N", "--set", "N=1"), 0),
                     (("-c", "top 1", "--set", "N=1"), 2), (("-f", "outer.q", "--set", "COST=self", "--set", "ROWS=1"), 0),
                     (("-f", "outer.q", "--set", "COST=self", "--set", "ROW=1"), 2), (("-c", ".run dumps-over-time", "--set", "cost=self"), 2)):
    for more in ((), ("--keep-going", "--format", "github", "--accept", "empty"), ("--safe",)):
        if "outer.q" in args and more == ("--safe",):
            continue
        r = run("p.out", "-q", *args, *more)
        ok(r.status == status and (not status or "no query has $" in r.talk) and (not status or "github" not in more or "::error" in r.text),
           "--set: %s %s" % (args, more), r)
r = run("p.out", "-q", "-f", "dumps-over-time", "--set", "COTS=self")
ok("--set COTS=self: no query has $COTS" in r.talk and re.search("the parameters are:.* COST", r.talk), "with those there are", r)
r = run("p.out", "-q", "-c", "top ${ROWS_MAX:=1}", "-c", "top ${ROWS:=2}", "-c", "top ${ROWS:=2}", "--set", "ROW=1")
ok(r.talk.strip().endswith("the parameters are: ROWS_MAX ROWS"), "one that begins like another", r)
r = run("p.out", "-q", "-c", ".run no-such")
ok(r.status == 1 and "no-such: no such file, and no query has that name" in r.talk and ".queries" in r.talk, "a name of nothing", r)
r = run("p.out", "-q", "-f", "no-such")
ok(r.status == 1 and "No such file" in r.talk, "-f: the same", r)
with open("secret.q", "w") as f:
    f.write("top 1\n")
for name in ("secret", "secret.q", "./secret.q", work + "/secret.q", "../" + os.path.basename(work) + "/secret.q"):
    r = run("p.out", "-q", "--safe", "-c", ".run " + name)
    ok(r.status == 1 and "--safe: no query that ships is called" in r.talk and not r.text, "--safe: .run " + os.path.basename(name), r)

# ---- parameters
PARAMS = "functions | take ${N:=2} | show fn; functions | take $N | show self\n"
with open("a.q", "w") as f:
    f.write(PARAMS + "\nfunctions of ${OF:=work or main} | where fn in $OF and self > ${MIN:=5} | count\n")
r = run("p.out", "-q", "-c", ".mode csv", "-c", ".run a")
same(r.text.split(), ["fn", "work", "main", "self", "80", "10", "count", "2"], "defaults hold in all of the script")
r = run("p.out", "-q", "-c", ".mode csv", "-c", '.run a N=1 OF="work or malloc" MIN=50')
same(r.text.split(), ["fn", "work", "self", "80", "count", "1"], "values of .run instead")
r = run("p.out", "-q", "-c", ".run a N=1", "-c", "top $N")
ok(r.status == 1 and "nothing is called $N" in r.talk, "which end with it", r)
r = run("p.out", "-q", "-c", "let $N = 3", "-c", ".mode csv", "-c", ".run a N=1 MIN=50", "-c", "functions | take $N | show fn")
same(r.text.split()[-4:], ["fn", "work", "main", "malloc"], "and do not change those of before")
r = run("p.out", "-q", "-c", "let $N = 1", "-c", ".mode csv", "-c", ".run a")
same(r.text.split()[:4], ["fn", "work", "self", "80"], "a value that is there is no default's")
r = run("p.out", "-q", "--keep-going", "-c", ".run a M=1", "-c", ".run a N")
ok("the script has no $M\n" in r.talk and "its parameters: N OF MIN" in r.talk and "'N' is not NAME=VALUE" in r.talk, "a parameter that it does not have", r)
for text, why in (("top ${N:=}", "are missing after ':='"), ("top ${N:=3", "are missing after ':='"), ("top ${N=3}", "is not closed"), ("top ${:=3}", "a name is missing after $")):
    r = run("p.out", "-q", "-c", text)
    ok(r.status == 1 and why in r.talk, text, r)
r = run("p.out", "-q", "-c", ".push focus ${X:=main}", "-c", "top 1", "-c", ".pop", "-c", "let $y = ${Z:=work} or malloc", "-c", "functions of $y | count")
ok(r.status == 0 and r.text.split()[-1] == "2", "defaults in a filter and in a let", r)
r = run("p.out", "-q", "--format", "csv", "-c", "functions | where fn ~ /^m${RE:=a{1}in|alloc}/ | show fn")
same(r.text.split(), ["fn", "main", "malloc"], "in a regular expression, with braces")
r = run("p.out", "-q", "-c", ".explain top ${N:=3}")
ok(r.status == 0 and "take 3" in r.text, ".explain", r)

# ---- gate-calls: what a wrapper asks for is one allocation
for name, own in (("old", 1), ("same", 1), ("more", 4)):
    with open(name + ".alloc", "w") as f:
        f.write("events: Ir\nfl=a.c\nfn=main\n1 10\ncfn=operator new(unsigned long)\ncalls=100 1\n1 300\ncfn=malloc\ncalls=%d 1\n1 2\n\n"
                "fn=operator new(unsigned long)\n2 100\ncfn=malloc\ncalls=100 1\n2 200\n\nfn=malloc\n3 202\n" % own)
for name, status in (("same", 0), ("more", 4)):
    r = run(name + ".alloc", "base=old.alloc", "-q", "--keep-going", "-f", "gate-calls")
    ok(r.status == status and r.talk.count("error: ") == status // 4, "gate-calls: %s, status %d" % (name, status), r)

# ---- gate-time: runs that overlap are noise
for name, costs in (("old", (100, 112)), ("same", (108, 114)), ("slow", (150, 160))):
    for i, cost in enumerate(costs):
        profile("%s.%d" % (name, i), [(b"main", 500), (b"work", cost)], events="Time")
for name, status in (("same", 0), ("slow", 4)):
    r = run(name + ".0", name + ".1", "--merge", "base=old.0", "base=old.1", "-q", "-f", "gate-time", "--set", "PERCENT=5")
    ok(r.status == status and ("\nwork" in r.text) == bool(status) and (status or "added up" in r.talk or "no rows" in r.text), "gate-time: %s, status %d" % (name, status), r)

# ---- a program that is copied, alone
os.makedirs("alone")
shutil.copy(quern, "alone/quern")
r = run("p.out", "-q", "-c", ".run dumps-over-time", program=("alone/quern",))
same(r.text, ships.text, "the queries that ship are in the program")
shutil.rmtree(".config")

# ---- the sets
IN = {
    "alloc": ["malloc", "free", "calloc", "realloc@@GLIBC_2.2.5", "malloc'2", "malloc'main", "posix_memalign", "operator new(unsigned long)",
              "operator new[](unsigned long, std::align_val_t)", "operator delete(void*, unsigned long)", "_Znwm", "_ZdlPvm", "free [clone .part.0]",
              "je_malloc", "_rjem_sdallocx", "je_mallocx", "tc_malloc", "tc_new", "tc_deletearray", "mi_malloc", "mi_zalloc_small", "mi_new",
              "g_malloc0", "g_free", "g_slice_alloc", "_emalloc", "_emalloc_56", "_safe_emalloc", "_efree", "PyObject_Malloc", "_PyObject_Free", "PyMem_RawMalloc",
              "__rust_alloc", "__rust_realloc", "__rdl_dealloc", "__rustc::__rust_alloc", "__rustc[1234]::__rust_dealloc", "alloc::alloc::dealloc",
              "alloc[8d2c]::alloc::exchange_malloc", "alloc::alloc::Global::alloc_impl::h0123456789abcdef",
              "<alloc::alloc::Global as core::alloc::Allocator>::deallocate", "runtime.mallocgc", "runtime.newobject", "runtime.growslice"],
    "copies": ["memcpy", "__memmove_avx_unaligned_erms", "memcpy@@GLIBC_2.14", "mempcpy", "strdup", "strncpy", "__memcpy_chk", "Vec::Vec(Vec const&)",
               "geo::Vec<int, 3>::Vec(geo::Vec<int, 3> const&)", "Vec::operator=(Vec const&)", "int* std::copy<int*>(int*)",
               "<alloc::string::String as core::clone::Clone>::clone", "core::ptr::copy_nonoverlapping", "runtime.memmove", "deepcopy", "_deepcopy_dict",
               "<method 'copy' of 'dict' objects>", "zend_array_dup"],
    "stl": ["std::sort<int*>(int*, int*)", "void std::vector<int>::push_back(int const&)", "__gnu_cxx::new_allocator<int>::allocate(unsigned long)",
            "core::ptr::drop_in_place", "alloc::vec::Vec<T,A>::push", "<alloc::vec::Vec<T> as core::ops::drop::Drop>::drop", "std::io::stdio::_print",
            "<std::io::Stdout as std::io::Write>::write", "core[12ab]::fmt::write"],
    "locks": ["pthread_mutex_lock", "pthread_mutex_unlock@@GLIBC_2.2.5", "__pthread_mutex_lock", "___pthread_mutex_lock", "pthread_cond_wait", "pthread_rwlock_rdlock",
              "sem_wait", "__lll_lock_wait", "std::mutex::lock()", "std::unique_lock<std::mutex>::lock()", "std::condition_variable::wait(int)", "g_mutex_lock",
              "std::sys::sync::mutex::futex::Mutex::lock_contended", "parking_lot::raw_mutex::RawMutex::lock_slow", "sync.(*Mutex).Lock", "sync.(*Mutex).lockSlow",
              "sync.(*RWMutex).RLock", "runtime.lock2", "<method 'acquire' of '_thread.lock' objects>"],
    "autoload": ["Composer\\Autoload\\ClassLoader->loadClass", "Composer\\Autoload\\{closure:/a/ClassLoader.php:575-577}", "ComposerAutoloaderInit1a::getLoader",
                 "php::spl_autoload_call", "spl_autoload_call", "__autoload", "Symfony\\Component\\ErrorHandler\\DebugClassLoader->loadClass",
                 "Zend\\Loader\\StandardAutoloader->autoload", "Kernel#require", "Kernel::require_relative", "Module._load",
                 "require_once::/srv/a.php", "include::/srv/b.php"],
}
OUT = {
    "alloc": ["my_malloc", "malloc_stats", "_int_malloc", "freeze", "Pool::free", "luaM_free_", "emalloc_count", "alloc::vec::Vec<T,A>::push", "runtime.mallocinit",
              "tcmalloc::ThreadCache::Scavenge", "Memory->malloc"],
    "copies": ["copy", "memcmp", "my_memcpy", "Vec::Vec(int)", "Vec::Vec(Vec&&)", "Vec::operator==(Vec const&)", "strcmp", "Copier->copy"],
    "stl": ["stdx::sort(int)", "foo(std::vector<int> const&)", "core::Engine::run()", "alloc::Pool::get()", "standard", "std::vector<int> make<int>(int)"],
    "locks": ["pthread_create", "lock_count", "unlock", "db::Lock::lock()", "clock", "std::chrono::now()", "block", "pthread_mutex_init"],
    "autoload": ["load", "App\\Loader\\Csv->read", "required::/srv/a.php", "autoload_map", "Kernel#puts"],
}
for kind in sorted(IN):
    wanted, others = IN[kind], OUT[kind]
    profile(kind + ".out", [(n.encode(), 10) for n in wanted + others])
    r = run(kind + ".out", "-q", "--no-demangle", "-c", "functions of $%s | sort fn | show fn" % kind, "--format", "tsv", "--raw")
    got = {line.replace("\\x:", "").replace("\\\\", "\\") for line in r.text.splitlines()[1:]}
    ok(got == set(wanted), "$%s matches what producers call it" % kind, "lacks %r\nhas also %r" % (sorted(set(wanted) - got), sorted(got - set(wanted))))
with open("libc.out", "w") as f:
    f.write("version: 1\nevents: Ir\n")
    for obj in ("/lib/x86_64-linux-gnu/libc.so.6", "/lib/libc-2.31.so", "/lib/ld-musl-x86_64.so.1", "/lib/libm.so.6", "/lib/libpthread-2.31.so",
                "/lib/libcrypto.so.3", "/lib/libcurl.so.4", "/usr/bin/libc", "/opt/mylibc.so.6"):
        f.write("ob=%s\nfl=a.c\nfn=in_%s\n1 1\n" % (obj, os.path.basename(obj)))
r = run("libc.out", "-q", "-c", "functions of $libc | sort fn | show fn", "--format", "csv")
same(r.text.split()[1:], ["in_ld-musl-x86_64.so.1", "in_libc-2.31.so", "in_libc.so.6", "in_libm.so.6", "in_libpthread-2.31.so"], "$libc matches objects")
r = run(small + "pyprof2calltree.callgrind", "--no-index-write", "-q", "-c", "functions of $autoload | show fn", "--format", "csv")
ok("_find_and_load" in r.text and "<built-in method marshal.loads>" not in r.text, "$autoload matches Python's import by its file", r)

RUST = "malloc free realloc __rustc::__rdl_alloc __rustc::__rdl_realloc __rustc::__rust_alloc __rustc::__rdl_dealloc __rustc::__rust_dealloc __rustc::__rust_realloc"
for path, kind, want in (
        ("pairs/rust-one.out", "alloc", RUST), ("names/shapes-rust-v0.out", "alloc", RUST), ("names/shapes-rust-legacy.out", "alloc", RUST),
        ("producers/go-cpu.callgrind", "alloc", "runtime.mallocgc runtime.makeslice"), ("producers/go-cpu.callgrind", "copies", "runtime.memmove"),
        ("producers/go-mutex.callgrind", "locks", "sync.(*Mutex).Unlock"), ("producers/gperftools-cpu.callgrind", "copies", "__memcpy_avx512_unaligned_erms"),
        ("producers/xtree-memory-massif.kcg", "alloc", None), ("producers/node-time.callgrind", "autoload", "Module._compile Module._load Module.load"),
        ("queries/shop.cg", "autoload", "Composer\\Autoload\\ClassLoader->findFile Composer\\Autoload\\ClassLoader->loadClass "
         "Composer\\Autoload\\{closure:/shop/vendor/composer/ClassLoader.php:575-577} "
         "include::/shop/src/List.php include::/shop/src/Repo/Prices.php include::/shop/src/View.php require::/shop/vendor/autoload.php")):
    r = run(fixtures + "/" + path, "--no-index-write", "-q", "-c", "functions of $%s | show fn" % kind, "--format", "csv")
    ok(r.status == (0 if want else 1) and sorted(r.text.split()[1:]) == sorted((want or "").split()), "$%s in %s" % (kind, path), r)

r = run("p.out", "-q", "-c", ".sets")
same(re.findall(r"^\$(\w+) ", r.text, re.M), ["alloc", "allocations", "copies", "libc", "stl", "locks", "autoload", "start", "program", "vendor", "app"], ".sets lists them")
r = run("p.out", "-q", "-c", ".sets alloc", "-c", ".sets $alloc")
ok(r.status == 0 and r.text.count(" = /^(?:") == 2, ".sets NAME shows what it matches", r)
r = run("p.out", "-q", "--set", "alloc=work", "-c", "functions of $alloc | show fn", "-c", ".sets alloc")
same(r.text.split(), ["fn", "work", "$alloc", "=", "work"], "a value that the user gives wins, and is listed instead")
r = run("p.out", "-q", "-c", "let $alloc = $alloc or work", "-c", "functions of $alloc | count")
ok(r.status == 6 and "deep" in r.talk, "one that contains itself is an error as for any value", r)
r = run("p.out", "-q", "-c", "let $mine = $alloc or work; functions of $mine | count")
same(r.text.split(), ["count", "2"], "other values may contain it")
r = run("p.out", "-q", "-c", "functions of $locks")
ok(r.status == 1 and "this profile has no function of $locks (locks and waiting: " in r.talk and "`.sets locks` shows the names" in r.talk,
   "a profile without any: an error that says what the set is", r)
r = run("p.out", "-q", "-c", "functions of $locks or $alloc | show fn")
ok(r.status == 0 and "malloc" in r.text, "beside others it may be absent", r)
r = run("p.out", "-q", "-c", ".sets nosuch")
ok(r.status == 1 and "nothing is called $nosuch" in r.talk, "a name of no set", r)
for query in ("functions | take ${N:=20}", "functions | where self > $N", "calltree depth $N", "functions | show self + $N"):
    r = run("p.out", "-q", "--set", "N=", "-c", query)
    ok(r.status == 1 and not r.text and ("number" in r.talk), "an empty value is no number: " + query, r)
done()
