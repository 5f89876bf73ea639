#!/usr/bin/env python3
"""recipes.t - every line of .help record: its tool is run, where it is installed, and the profile
answers what the line is for.  The manual has the same lines.

A line without a test here fails.
"""
import glob
import os
import re
import shutil
import signal
import subprocess
import time
import urllib.request

from e2e import environ, ok, done, quern, run, same, skip, top

table = run("-c", ".help record").text.split("\n\n")[2].splitlines()
rows = {}
for line in table:
    label, recipe = line[2:25].strip(), line[25:].rstrip("\\").strip()
    last = label or last
    rows[last] = rows.get(last, "") + (" " if last in rows else "") + recipe

with open("app.c", "w") as f:
    f.write(r"""
#include <pthread.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
static volatile long sum;
static inline __attribute__((always_inline)) void add(int i) { if (i % 3) sum += i; }
__attribute__((noinline)) void f(int n) { for (int i = 0; i < n; i++) add(i); }
static void *work(void *arg) { f(2000); return arg; }
int main(int argc, char **argv)
{
	pthread_t t;
	if (argc > 1 && argv[1][0] == 'c') { if (!fork()) execl(argv[0], argv[0], NULL); wait(NULL); return 0; }
	if (argc > 1 && argv[1][0] == 's') for (;;) { f(10); write(1, "f", 1); usleep(1000); }
	if (argc > 1) for (int i = 0; i < 3000; i++) f(100000);
	pthread_create(&t, NULL, work, NULL);
	pthread_join(t, NULL);
	f(1000); f(1000);
	return getppid() < 0;
}
""")
with open("x.php", "w") as f:
    f.write("<?php function f($n) { return $n < 2 ? $n : f($n - 1) + f($n - 2); } echo f(9);\n")
with open("x.py", "w") as f:
    f.write("def f(n):\n    return n if n < 2 else f(n - 1) + f(n - 2)\nf(9)\n")
with open("x.pl", "w") as f:
    f.write("sub f { my $n = shift; $n < 2 ? $n : f($n - 1) + f($n - 2) } f(9);\n")
with open("x.rb", "w") as f:
    f.write("def f(n)\n  n < 2 ? n : f(n - 1) + f(n - 2)\nend\nf(9)\n")
cc = os.environ.get("CC", "cc")
cc = cc if shutil.which(cc.split()[0]) else None
tested = set()


def sh(command, **env):
    return subprocess.run(["sh", "-c", command], env=dict(environ, **env), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)


def row(label, *tools):
    """The recipe of a line; None, and a skip, if a tool is not here."""
    tested.add(label)
    if not ok(label in rows, label + ": there is such a line", list(rows)):
        return None
    missing = [t for t in tools if not shutil.which(t)]
    if missing:
        skip(label, "%s is not installed" % missing[0])
    return None if missing else rows[label]


def answers(label, query, want, files, said=""):
    r = run(*sorted(files), "--no-index-write", "-q", "-c", query + " | as tsv")
    ok(r.status == 0 and re.search(want, r.text), "%s: %s" % (label, query), "%s\n%s\n%s" % (said, files, r))


plain = row("the usual questions", "valgrind", *(["cc"] if not cc else []))
if plain:
    subprocess.run(cc.split() + ["-O1", "-g", "app.c", "-o", "app", "-lpthread"], check=True)
for label, query, want in (("the usual questions", "callers of f", r"\twork"), ("instrs, asm, inlined", "instrs of f | count", r"\n[1-9]\d*\n"),
                           ("jumps", "jumps of f | count", r"\n[1-9]\d*\n"), ("cache misses", "events", "D1mr"), ("mispredicted branches", "events", "Bcm"),
                           ("threads", "threads | count", r"\n2\n"), ("stacks", "contexts of f | count", r"\n[2-9]\n"),
                           ("stretches, as parts", "parts | count", r"\n\d+\n"), ("calls of f, as parts", "parts | count", r"\n[3-9]\n"),
                           ("what f does, alone", "functions | sort self | take 1 | show fn", r"\nf\n"), ("system calls", "events", "sysTime|sysCount")):
    recipe = row(label)
    if not plain or not recipe:
        skip(label, "valgrind or a compiler is not installed")
        continue
    command = plain.split("  ")[0] if label == "the usual questions" else plain.split("  ")[0].replace("callgrind ", "callgrind %s " % recipe)
    p = sh(command)
    answers(label, query, want, glob.glob("callgrind.out.*"), p.stdout)
    for path in glob.glob("callgrind.out.*"):
        os.unlink(path)
recipe = row("child processes")
if plain:
    p = sh(plain.split("  ")[0].replace("callgrind ", "callgrind %s " % recipe) + " c")
    same(len(glob.glob("out.*")), 2, "child processes: a profile for each")
    answers("child processes", "functions of f | count", r"\n1\n", glob.glob("out.*"), p.stdout)
recipe = row("a server, as it runs", "callgrind_control")
if plain and recipe:
    p = subprocess.Popen(["valgrind", "-q", "--tool=callgrind", "./app", "s"], env=environ, stdout=subprocess.PIPE)
    p.stdout.read(1)            # f has run: before that a dump has nothing
    for _ in range(3000):
        said = sh(recipe.split("; ")[0].replace("PID", str(p.pid))).stdout
        if glob.glob("callgrind.out.*.1"):
            break
        time.sleep(.1)
    os.kill(p.pid, signal.SIGTERM)
    p.communicate()
    answers("a server", "functions of main | count", r"\n1\n", glob.glob("callgrind.out.*.1"), said)

# ---- others
php = shutil.which("php") and "Xdebug" in sh("php -m").stdout.decode()
recipe = row("PHP with Xdebug 3", "php")
if recipe and php:
    sh(recipe.replace("XDEBUG_CONFIG=start_with_request=yes", "XDEBUG_CONFIG='start_with_request=yes output_dir=.'"))
    answers("PHP", "info f | show calls", "109", glob.glob("cachegrind.out.*"))
recipe = row("a request of PHP", "php")
if recipe and php:
    settings = re.findall(r"(xdebug\.[a-z_]+=\w+)", recipe)
    same(len(settings), 2, "a request of PHP: its settings")
    os.mkdir("requests")
    server = subprocess.Popen(["php", "-S", "127.0.0.1:0", "-d", "xdebug.output_dir=requests"] + [a for s in settings for a in ("-d", s)], env=environ,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    address = re.search(rb"http://([\d.:]+)", server.stdout.readline())
    if address:
        for after in ("", "?XDEBUG_TRIGGER=1"):
            urllib.request.urlopen("http://%s/x.php%s" % (address[1].decode(), after)).read()
        same(len(os.listdir("requests")), 1, "a request of PHP: the one that asks for it")
        answers("a request of PHP", "info f | show calls", "109", glob.glob("requests/*"))
    else:
        skip("a request of PHP", "no server: " + repr(address))
    server.kill()
    server.wait()
if not php:
    skip("PHP", "Xdebug is not loaded")
for label, tools, query, want in (("Python", ("python3", "pyprof2calltree"), "info f | show calls", "109"), ("Perl", ("nytprofcg",), "info f | show calls", "109"),
                                  ("Ruby", ("ruby-prof",), "info f | show calls", "109")):
    recipe = row(label, *tools)
    if recipe:
        os.makedirs("FOLDER", exist_ok=True)
        p = sh(recipe.split("; quern")[0])
        answers(label, query, want, ["app.out"] if os.path.exists("app.out") else glob.glob("FOLDER/*"), p.stdout)
        for path in ["app.out"] if os.path.exists("app.out") else glob.glob("FOLDER/*"):
            os.unlink(path)
recipe = row("C++ with gperftools", "google-pprof")
if recipe:
    built = cc and sh(cc + " -g app.c -o app -Wl,--no-as-needed -lprofiler -lpthread").returncode == 0
    if built:
        sh("./app x", CPUPROFILE="cpu.prof")
        p = sh(recipe)
        answers("C++ with gperftools", "functions | where fn = \"f\" | count", r"\n1\n", ["app.out"], p.stdout)
    else:
        skip("C++ with gperftools", "libprofiler is not installed")
recipe = row("Go", "go")
if recipe:
    with open("main.go", "w") as f:
        f.write('package main\n\nimport (\n\t"os"\n\t"runtime/pprof"\n)\n\nvar sum int\n\n//go:noinline\nfunc f(n int) {\n\tfor i := 0; i < n; i++ {\n\t\tsum += i ^ sum\n\t}\n}\n\n'
                'func main() {\n\tout, _ := os.Create("cpu.prof")\n\tpprof.StartCPUProfile(out)\n\tfor i := 0; i < 300; i++ {\n\t\tf(1000000)\n\t}\n\tpprof.StopCPUProfile()\n}\n')
    p = sh("go build -o app main.go && ./app && " + recipe, GOCACHE=os.path.abspath("cache"), GOFLAGS="-mod=mod", GO111MODULE="off")
    answers("Go", "find main.f | count", r"\n1\n", ["app.out"], p.stdout)
for label, tool in (("Rust's gungraun", "gungraun-runner"), ("CodSpeed", "codspeed")):
    if row(label, tool):     # folders of both are asked in ci.t
        ok(rows[label].split("quern ")[1], label)
same(sorted(set(rows) - tested), [], "every line has its test")
done()
