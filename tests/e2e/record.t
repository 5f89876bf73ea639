#!/usr/bin/env python3
"""record.t - quern record: what it runs, how it ends, which files it makes.

Most of it is asked of a valgrind made here, which notes its arguments, writes a small
profile and runs the program; the rest of the real one, of a Perl script with known stacks, and of Xdebug,
where they are installed.
"""
import os
import pty
import re
import select
import shlex
import shutil
import signal
import subprocess

import truth
from e2e import HUNG, done, environ, fixtures, ok, profile, quern, run, same, skip

# A job in the background of a shell is not told of these; what is recorded here must be.
for number in (signal.SIGINT, signal.SIGQUIT, signal.SIGHUP):
    signal.signal(number, signal.default_int_handler if number == signal.SIGINT else signal.SIG_DFL)

FAKE = r"""#!/bin/sh
printf '%s\0' "$@" >>"$ARGS"
for arg; do
	shift
	case $arg in
	--callgrind-out-file=*) out=$(printf '%s' "${arg#*=}" | sed "s/%%/\x01/g; s/%p/$$/; s/\x01/%/g") ;;
	--) break ;;
	esac
done
[ -n "$EMPTY" ] || cat "$PROFILE" >"$out"
exec "$@"
"""


def program(path, text):
    with open(path, "w") as f:
        f.write(text)
    os.chmod(path, 0o755)
    return os.path.abspath(path)


os.mkdir("bin")
program("bin/valgrind", FAKE)
profile("made", [(b"main", 70), (b"leaf", 30)])
fake = {"PATH": os.path.abspath("bin") + ":" + environ["PATH"], "ARGS": os.path.abspath("args"), "PROFILE": os.path.abspath("made")}


def record(*args, env=(), **more):
    """Run it under the valgrind of ours; .args: the arguments of each run of that."""
    open("args", "w").close()
    r = run("record", *args, env=dict(fake, **dict(env)), **more)
    with open("args", "rb") as f:
        given = f.read().decode("utf-8", "surrogateescape").split("\0")[:-1]
    r.args, starts = [], [i for i, a in enumerate(given) if a == "--tool=callgrind"] + [None]
    for at, end in zip(starts, starts[1:]):
        r.args.append(given[at:end])
    return r


def files():
    return sorted(f for f in os.listdir(".") if f.startswith(("out", "callgrind.out")) and not f.endswith(".quern"))


def clean():
    for f in os.listdir("."):
        if f.startswith(("out", "callgrind.out")):
            os.unlink(f)


# ---- what is run
odd = ["a b", "it's", 'say "x"', "new\nline", "", "$HOME", "`id`", "*", "\\", "-c", "--", "é", "\x1b[31m"]
show = program("show", '#!/bin/sh\nprintf "%s\\0" "$@" >shown\n')
r = record("-o", "out", "-q", "-c", "top 1 | show fn, self | as tsv", "--", show, *odd)
ok(r.status == 0 and r.text == "fn\tself\nmain\t70\n", "the profile is asked", r)
with open("shown", "rb") as f:
    same(f.read().split(b"\0")[:-1], [a.encode() for a in odd], "every argument is the program's, whatever is in it")
same(files(), ["out"], "one file")
for words, options in (((), []), (("--lines",), ["--dump-instr=yes", "--collect-jumps=yes"]),
                       (("--cache", "--threads"), ["--cache-sim=yes", "--branch-sim=yes", "--separate-threads=yes", "--combine-dumps=yes"])):
    r = record("-oout", *words, "--", "true")
    same(r.args, [["--tool=callgrind", "-q"] + options + ["--callgrind-out-file=./out.%p", "--", "true"]],
         "options of valgrind: %s" % " ".join(words))
    printed = [line for line in r.talk.splitlines() if line.startswith("valgrind ")]
    same([shlex.split(line)[1:] for line in printed], r.args, "  what is printed is what is run")
clean()
r = record("--dry-run", "-o", "out", "--", show, *odd)
ok(r.status == 0 and not r.args and not files(), "a dry run runs nothing", r)
back = subprocess.run(["bash", "-c", "valgrind() { printf '%s\\0' \"$@\"; }; " + r.text], stdout=subprocess.PIPE).stdout
same(back.split(b"\0")[-len(odd) - 1:-1], [a.encode() for a in odd], "  and prints what a shell understands")
ok(r.text.isascii() and r.text.count("\n") == 1, "  in one line of ASCII", r)

# ---- how it ends
for text, status, said in (("exit 0", 0, ""), ("exit 3", 3, "exit status 3"), ("exit 126", 126, "exit status 126"), ("exit 127", 127, "exit status 127"),
                           ("kill -TERM $$", 143, "ended by signal 15"), ("kill -KILL $$", 137, "ended by signal 9"), ("kill -SEGV $$", 139, "ended by signal 11")):
    r = record("-o", "out", "-c", "functions | count | as tsv", "--", "sh", "-c", text)
    ok(r.status == status and said in r.talk and r.text == "count\n2\n", text, r)
r = record("-o", "out", "-c", "functions | expect none", "--", "true")
same(r.status, 4, "of a program that ends well, the status is that of the questions")
r = record("-o", "out", "--", "sh", "-c", "cat; echo said >&2", stdin=b"top\n")
ok(r.status == 0 and r.text == "top\n" and "said\n" in r.talk, "input, output and messages are the program's; nothing is asked if nothing asks", r)
r = record("-o", "out", "-c", "functions | count | as tsv", "--", "sh", "-c", "exec <&- >&- 2>&-; sleep 0 &")
same((r.status, r.text), (0, "count\n2\n"), "a program that closes what it has, and leaves a child")
before = files()
r = record("--")
ok(r.status == 2 and "record needs a program after --" in r.talk, "no program", r)
r = run("record", "--", "true", env={"PATH": os.path.dirname(program("empty/true", "") if os.makedirs("empty") is None else "")})
ok(r.status == 127 and "valgrind: No such file or directory" in r.talk and "apt install valgrind" in r.talk, "no valgrind", r)
same(files(), before, "  no file is left")
for path in ("dir:bin:" + environ["PATH"], ":" + fake["PATH"], fake["PATH"] + ":"):
    os.makedirs("dir/valgrind", exist_ok=True)
    r = record("-q", "-o", "out", "-c", "functions | count | as tsv", "--", "true", env={"PATH": path})
    same((r.status, r.text), (0, "count\n2\n"), "a PATH with folders of the name, or empty parts")
r = record("-o", "out", "--", "true", env={"EMPTY": "1"})
ok(r.status == 3 and "callgrind wrote no profile" in r.talk and files() == ["out"], "an empty profile is none, and the one of before stays", r)

# ---- files
clean()
r = record("-q", "-c", "functions | count | as tsv", "--", "true")
ok(r.status == 0 and len(files()) == 1 and re.match(r"callgrind\.out\.\d+$", files()[0]), "without -o: callgrind.out.PID", files())
clean()
for name in ("out=1", "out %p%%", ".out", "~out", "-out", "out\nx", "out'q", ".help", "out[1]*"):
    r = record("-q", "-o", name, "-c", "functions | count | as tsv", "--", "true")
    ok(r.status == 0 and r.text == "count\n2\n" and os.path.exists(name), "a file of any name: %r" % name, r)
    os.unlink(name)
clean()
with open("text", "w") as f:
    f.write("precious\n")
os.mkfifo("fifo")
os.symlink("text", "link")
for name, said in (("text", "is no profile"), ("link", "not a regular file"), ("fifo", "not a regular file"), ("bin", "not a regular file"), ("/dev/null", "not a regular file"),
                   ("nodir/out", "No such file"), ("text/out", "Not a directory"), ("/proc/out", "No such file"), ("o" * 300, "too long"), ("", "not a regular file")):
    r = record("-o", name, "--", "touch", "ran")
    ok(r.status in (1, 2) and said in r.talk and not os.path.exists("ran") and not r.args, "-o %.20s: said before anything runs" % name, r)
with open("text") as f:
    same(f.read(), "precious\n", "no file of another kind is touched")
open("out1", "w").close()
r = record("-q", "-o", "out1", "--", "true")
ok(r.status == 0 and os.path.getsize("out1") == os.path.getsize("made"), "an empty file is replaced", r)
r = record("-o", "out", "-c", "functions", "--", "sh", "-c", "for f in out.[0-9]*; do head -c 30 made >$f; done")
ok("cut off" in r.talk, "a disk that filled up: the profile is cut off, and that is said", r)
clean()

# ---- refused, and what is no record
for args, said in ((("--safe",), "not under --safe"), (("--mcp",), "not under --mcp"), (("--size", "2x"), "for --stacks"),
                   (("--stacks", "--size", "0x"), "1x to 1000x"), (("--stacks", "--size=3y"), "1x to 1000x"), (("--nosuch",), "no option '--nosuch'"),
                   (("-o",), "needs a value")):
    r = record(*args, "--", "touch", "ran")
    ok(r.status == 2 and said in r.talk and not os.path.exists("ran"), "refused: %s" % " ".join(args), r)
for query in (".record -- true", "record -- true"):
    r = run("made", "--no-index-write", "-c", query)
    ok(r.status != 0, "no query: " + query, r)
r = run("record", "./prog")
ok(r.status == 2 and "after --" in r.talk, "the -- is wanted", r)
shutil.copy("made", "record")
r = run("record", "--no-index-write", "-q", "-c", "functions | count | as tsv")
same(r.text, "count\n2\n", "a file of this name is a profile")
os.unlink("record")
r = run("record", "--help")
ok(r.status == 0 and "usage: quern record" in r.text and max(map(len, r.text.splitlines())) <= 100, "help", r)

same(run("help", "record").text, run("-c", ".help record").text, "quern help record")
ok(run("help", "nosuch").status == 2, "quern help nosuch")

# ---- signals
def signalled(text, *sent):
    """Start it with a program that says when it is ready, send signals to quern."""
    p = subprocess.Popen([quern, "record", "-q", "-o", "out", "--", "sh", "-c", text], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                         stderr=subprocess.PIPE, env=dict(environ, **fake))
    first = p.stdout.readline()
    for number in sent:
        os.kill(p.pid, number)
    return p, first + p.communicate(timeout=HUNG)[0]


for name in ("TERM", "HUP", "USR1", "USR2", "INT", "QUIT", "ALRM"):
    p, text = signalled("trap 'echo got; exit 7' %s; echo ready; while :; do sleep .01; done" % name, getattr(signal, "SIG" + name))
    same((p.returncode, text), (7, b"ready\ngot\n"), "SIG%s is passed on" % name)
p, text = signalled("echo ready; exec sleep 1000", signal.SIGTERM)
same(p.returncode, 143, "a program that a signal ends")
p, text = signalled("trap 'n=1' TERM; echo ready; kill -TERM $PPID; sleep .1; echo ${n:-none}; exit 5")
same((p.returncode, text), (5, b"ready\nnone\n"), "what the program sends us is not sent back, and does not end us")
p, text = signalled("trap 'echo got; exit 7' TERM; echo ready; while :; do sleep .01; done", signal.SIGSTOP, signal.SIGTERM, signal.SIGCONT)
same((p.returncode, text), (7, b"ready\ngot\n"), "stopped, and continued")
p, text = signalled("kill -KILL $PPID; echo ready; sleep .1")
ok(p.returncode == -9 and [f for f in files() if re.match(r"out\.\d+$", f)], "a program that kills us: its profile stands in FILE.PID", files())
clean()
p = subprocess.run(["sh", "-c", "trap '' INT; exec %s record -q -o out -- sh -c 'kill -INT $$; exit 6'" % shlex.quote(quern)], env=dict(environ, **fake), stderr=subprocess.PIPE)
same(p.returncode, 6, "an ignored signal stays ignored, as under nohup")

# ---- twice
clean()
def crossing(path, more=""):
    """a and b call both, which calls x and y: whose calls go where, nobody knows."""
    calls = {"main": ("a 5 500", "b 5 500"), "a": ("both 5 400",), "b": ("both 5 400",), "both": ("x 10 300", "y 10 300"), "x": (), "y": ()}
    numbers, text = {}, "events: Ir\n"

    def name(fn):
        known = fn in numbers
        return "(%d)%s" % (numbers.setdefault(fn, len(numbers)), "" if known else " %s%s" % (fn, more))
    for fn, own in zip(calls, (10, 100, 100, 200, 300, 300)):
        text += "\nfn=%s\n1 %d\n" % (name(fn), own)
        for call in calls[fn]:
            callee, n, cost = call.split()
            text += "cfn=%s\ncalls=%s 1\n1 %s\n" % (name(callee), n, cost)
    with open(path, "w") as f:
        f.write(text)


crossing("crossing")
r = record("-o", "out", "--stacks", "-c", "functions | count | as tsv", "--", "sh", "-c", "echo $$ >>runs", env={"PROFILE": "crossing"})
ok(r.status == 0 and len(r.args) == 2 and files() == ["out"], "it runs twice, and one profile is left", files())
apart = [a for a in r.args[1] if a not in r.args[0]]
ok(apart and all(a.startswith("--separate-callers") for a in apart), "the second time with callers", apart)
ok("1.0 times the plain profile; 20.7 % of the cost is on proven stacks, plainly 20.7 %" in r.talk, "what is proven: main, a and b themselves, 210 of 1010", r)
long = "<%s>(char*, V const&)" % ("T, " * 90)
crossing("crossing", long)
r = record("-o", "out", "--stacks", "--size", "1x", "--", "true", env={"PROFILE": "crossing"})
same([a for a in r.args[1] if "separate" in a], ["--separate-callers4=both" + long], "of little room: the most ambiguous function alone")
r = record("-o", "out", "--stacks", "--", "cat", env={"PROFILE": "crossing"}, stdin=b"")
same(len(r.args), 2, "with input from a pipe")
with open("input", "w") as f:
    f.write("line\n")
with open("input") as f:
    p = subprocess.run([quern, "record", "-q", "-o", "out", "--stacks", "--", "cat"], stdin=f, stdout=subprocess.PIPE, env=dict(environ, **fake))
same(p.stdout, b"line\nline\n", "a file as input is read twice")
r = record("-o", "out", "--stacks", "-c", "functions | count | as tsv", "--", "sh", "-c", "kill -TERM $$")
ok(len(r.args) == 1 and r.status == 143 and r.text == "count\n2\n", "what a signal ended does not run again", r)
r = record("-o", "out", "--stacks", "-c", "functions | count | as tsv", "--", "sh", "-c", "[ ! -f once ] || { sed -i 's/70/77/' made; exit 2; }; touch once")
ok(r.status == 0 and "ended otherwise when it ran again: 0, then 2" in r.talk, "a second run that ends otherwise", r)
profile("made", [(b"main", 70), (b"leaf", 30)])
os.unlink("once")
r = record("-o", "out", "--stacks", "--", "sh", "-c", "[ -f once ] || { sed -i 's/70/77/' made; touch once; }")
ok("the two runs differ: 100 and 107 Ir; the profile is the second" in r.talk, "runs that differ", r)
clean()

# ---- the terminal
raw = program("raw", "#!/usr/bin/env python3\nimport fcntl, os, tty\ntty.setraw(0)\nfcntl.fcntl(0, fcntl.F_SETFL, os.O_NONBLOCK)\nprint('set', flush=True)\n")


def at_terminal(*args, first=b""):
    """What the terminal shows until .quit has ended it, and the status; `first` is typed when it says ready."""
    child, fd = pty.fork()
    if child == 0:
        os.execve(quern, [quern, "record", "--no-init", "-o", "out"] + list(args), dict(environ, **fake))
    shown, typed = b"", False
    while select.select([fd], [], [], HUNG)[0]:
        try:
            data = os.read(fd, 4096)
        except OSError:
            break
        if not data:
            break
        shown += data
        if first and b"ready" in shown:
            os.write(fd, first)
            first = b""
        if b"quern>" in shown and not typed:
            os.write(fd, b"functions | count | as tsv\n.quit\n")
            typed = True
    os.close(fd)
    return shown.decode("utf-8", "replace"), os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


shown, status = at_terminal("--", "sh", "-c", "exit 3")
ok(status == 3 and "count\r\n2\r\n" in shown, "at a terminal the prompt opens; the status is the program's", shown)
shown, status = at_terminal("--", "sh", "-c", "printf rea; echo dy; exec sleep 1000", first=b"\x03")
ok(status == 130 and "count\r\n2\r\n" in shown, "Ctrl-C ends the program, not us", shown)
shown, status = at_terminal("--", raw)
ok(status == 0 and "set" in shown and "count\r\n2\r\n" in shown, "a terminal that the program left raw is set right", shown)
clean()

# ---- Xdebug
program("php8.4", "#!/bin/sh\nprintf 'events: Time\\nfn=main\\n1 5\\n' | gzip >out.$$.gz\n")
r = record("-q", "-o", "out", "-c", "functions | show fn, self | as tsv", "--", "./php8.4")
ok(r.status == 0 and r.text == "fn\tself\nmain\t5\n" and "out" in files(), "an Xdebug that packs its profile", r)
clean()
php = shutil.which("php")
if php and "Xdebug" in subprocess.run([php, "-m"], stdout=subprocess.PIPE, text=True).stdout:
    with open("x.php", "w") as f:
        f.write("<?php function f($n) { return $n < 2 ? $n : f($n - 1) + f($n - 2); } echo f(5), $argv[1], \"\\n\"; exit(3);\n")
    r = record("-q", "-o", "out%", "-c", "info f | show calls | as tsv", "--", "php", "x.php", "a b")
    ok(r.status == 3 and r.text.startswith("5a b\n") and "15" in r.text and os.path.exists("out%"), "PHP: Xdebug's profile", r)
    r = record("--dry-run", "-o", "/tmp/x%", "--", "/usr/bin/php8.2", "a b")
    same(r.text, "XDEBUG_MODE=profile XDEBUG_CONFIG='start_with_request=yes output_dir=/tmp/ profiler_output_name=x%%.%p use_compression=0' /usr/bin/php8.2 'a b'\n",
         "its recipe")
    r = record("--cache", "--", "php", "x.php")
    ok(r.status == 2 and "--cache is not for PHP" in r.talk, "PHP has no caches", r)
    os.mkdir("dir b")
    r = record("-o", "dir b/out", "--", "php", "x.php", "")
    ok(r.status == 1 and "no path with blanks" in r.talk, "Xdebug takes no blanks", r)
    r = record("-o", "out", "--", "php", "-n", "x.php", "")
    ok(r.status == 3 and "Xdebug wrote no profile" in r.talk, "PHP without Xdebug", r)
    clean()
else:
    skip("PHP: Xdebug's profile", "php with Xdebug is not installed")

# ---- the real one
if not shutil.which("valgrind"):
    skip("the real valgrind", "valgrind is not installed")
    done()


def real(*args, **more):
    return run("record", "--no-init", *args, env={"PERL_HASH_SEED": "0", "PERL_PERTURB_KEYS": "0"}, **more)


with open("text2", "w") as f:
    f.write("x\n")
for name, status, said in (("./nosuch", 127, "No such file"), ("nosuch-program", 127, "command not found"), ("./text2", 126, "Permission denied"), ("", 127, "")):
    r = real("-o", "out", "-c", "functions", "--", name)
    ok(r.status == status and said in r.talk and "callgrind wrote no profile" in r.talk and not files(), "no such program: '%s'" % name, r)
for name in "a b", "-x", "$(touch ran)":
    program(name, "#!/bin/sh\nexit 5\n")
    r = real("-o", "out", "-c", "functions | count | as tsv", "--", "./" + name)
    ok(r.status == 5 and r.text.startswith("count"), "a program of any name: " + name, r)
clean()
r = real("-o", "out", "-c", "functions | count | as tsv", "--", "sh", "-c", "exec true")
ok(r.status == 3 and "callgrind wrote no profile" in r.talk and "exec" in r.talk, "a program that runs another in its place", r)
r = real("-o", "out", "-c", "functions | count | as tsv", "--", "sh", "-c", "ls >/dev/null; exit 9")
ok(r.status == 9 and "started other processes" in r.talk, "one that starts others", r)
cc = os.environ.get("CC", "cc").split()
if shutil.which(cc[0]):
    program("kid.c", "#include <sys/wait.h>\n#include <unistd.h>\nint main(void) { if (fork()) wait(0); return 0; }\n")
    subprocess.run(cc + ["-O0", "-g", "kid.c", "-o", "kid"], check=True)
    r = real("-o", "out", "--lines", "--cache", "--threads", "-c", "events | count | as tsv", "-c", "instrs of main | count | as tsv", "--", "./kid")
    ok(r.status == 0 and r.text.startswith("count\n") and len(files()) == 2, "a child has its own profile, by its number; all words together", "%s\n%s" % (r, files()))
    clean()


def functions(r):
    return sorted(r.text[r.text.index("fn\tobj"):].splitlines())


perl = shutil.which("perl")
script = fixtures + "/truth/perl.pl"
if perl:
    r = subprocess.run(["setarch", "-R", "valgrind", "-q", "--tool=callgrind", "--callgrind-out-file=true", "--separate-callers=100", perl, script],
                       env=dict(environ, PERL_HASH_SEED="0", PERL_PERTURB_KEYS="0"), stdout=subprocess.PIPE)
    true = truth.of_contexts("true")
    plain = real("-o", "out0", "-q", "-c", "functions | show fn, obj, self, calls | as tsv", "--", perl, script)
    for size, most, least in (("3x", 4.5, .95), ("10x", 12, .97)):
        r = real("-o", "out", "--stacks", "--size", size, "-c", "functions | show fn, obj, self, calls | as tsv", "--", perl, script)
        times, proven = map(float, re.search(r"([\d.]+) times the plain profile; ([\d.]+) %", r.talk).groups())
        shown = run("out", "--raw", "-q", "-c", "calltree max 200000 | as folded").text
        figures = truth.Figures(true, truth.stacks(shown), direct=False)
        print("# Perl, --size %s: %.1f times the file, %.1f %% proven, %s" % (size, times, proven, figures))
        ok(figures.overlap >= least and times <= most, "Perl, --size %s: its stacks" % size, figures)
        ok(proven <= 100 * figures.overlap, "  no more is said to be proven than is true", (proven, figures))
        if "the two runs differ" not in r.talk:
            same(functions(r), functions(plain), "  functions are those of a plain run")
else:
    skip("Perl: its stacks", "perl is not installed")
done()
