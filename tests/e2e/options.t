#!/usr/bin/env python3
"""options.t - --help, the manual page and the completions name the same options and formats.

Each shell's completion is also asked, where the shell is installed.
"""
import os
import pty
import re
import select
import shutil
import signal
import subprocess
import time

from e2e import HUNG, done, environ, ok, run, same, skip, top

repl = top + "/repl/"


def read(path):
    with open(repl + path, encoding="utf-8") as f:
        return f.read()


def sh(argv, **more):
    p = subprocess.run(argv, env=environ, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                       stderr=subprocess.STDOUT, timeout=HUNG, **more)
    return p.returncode, p.stdout.decode("utf-8", "replace")


help_text = run("--help").text
options = sorted(set(re.findall(r"(?<![-\w])--[a-z][a-z-]*|(?<![-\w])-[a-zA-Z](?=, )", help_text)))
formats = run("-q", "-c", ".help formats").text.split("\n")
formats = sorted(line.split()[0] for line in formats if line)
ok(len(options) > 20 and len(formats) > 12, "--help lists options, .help formats", (options, formats))
listed = help_text[help_text.index("--format FORMAT"):help_text.index("; or by")]
same(sorted(listed.split()[2:]), formats, "--help lists the formats")

man = read("quern.1")
items = "\n".join(line for line in man.splitlines() if line.startswith(".It Fl"))
found = ["--" + o for o in re.findall(r"Fl Fl ([a-z-]+)", items)]
found += ["-" + o for o in re.findall(r"Fl ([a-zA-Z])\b(?! Fl)", items) if len(o) == 1]
same(sorted(found), options, "quern.1 has the options")
listed = man[man.index(".It Fl Fl format"):man.index("A query may itself have")]
same(sorted(w for w in re.findall(r"[a-z]{2,}", listed.split("One of")[1])), formats,
     "quern.1 has the formats")
want = sorted(re.findall(r"\b\d+\b", help_text[help_text.index("Exit status"):]))
same(sorted(re.findall(r"^\.It (\d+)$", man, re.M)), want, "quern.1 has the exit statuses")
if shutil.which("mandoc"):
    same(sh(["mandoc", "-T", "lint", "-W", "warning", repl + "quern.1"]), (0, ""), "mandoc has no complaint")
else:
    skip("mandoc has no complaint", "mandoc is not installed")

bash = read("completions/quern.bash")
same(sorted(set(re.findall(r"(?<!\w)--?[a-zA-Z][a-z-]*", bash[bash.index("options='"):bash.index("local formats")]))),
     options, "bash has the options")
same(sorted(bash.split("formats='")[1].split("'")[0].split()), formats, "bash has the formats")
zsh = read("completions/_quern")
same(sorted(set(re.findall(r"(?<=[{,'*])(--?[a-zA-Z][a-z-]*)(?=[,}\[])", zsh))), options, "zsh has the options")
same(sorted(re.search(r":format:\(([^)]*)\)", zsh)[1].split()), formats, "zsh has the formats")
fish = read("completions/quern.fish")
same(sorted(["--" + o for o in re.findall(r" -l ([a-z-]+)", fish)] +
            ["-" + o for o in re.findall(r" -s ([a-zA-Z]) ", fish)]), options, "fish has the options")
same(sorted(re.search(r"-l format -x -a '([^']*)'", fish)[1].split()), formats, "fish has the formats")

open("a.out", "w").close()
open("a.out.quern", "w").close()
if shutil.which("bash"):
    ask = "source %scompletions/quern.bash; _quern quern \"$1\" \"$2\"; echo ${COMPREPLY[@]}" % repl
    same(sh(["bash", "-c", ask, "-", "--no-i", "quern"]), (0, "--no-index-write --no-init\n"), "bash: an option")
    same(sh(["bash", "-c", ask, "-", "se", "--limit"]), (0, "seconds=\n"), "bash: a limit")
    same(sh(["bash", "-c", ask, "-", "sp", "--format"]), (0, "speedscope\n"), "bash: a format")
    same(sh(["bash", "-c", ask, "-", "a", "quern"]), (0, "a.out\n"), "bash: a profile, not its index")
else:
    skip("bash completes", "bash is not installed")


def typed(argv, setup, keys, want):
    """What an interactive shell on a pty makes of keys; True once want is among it."""
    pid, fd = pty.fork()
    if pid == 0:
        os.execvpe(argv[0], argv, dict(environ, PS1="$ ", INPUTRC="/dev/null"))
    got, stage, end = b"", 0, time.time() + HUNG
    os.write(fd, setup.encode() + b"; echo read''y\n")
    while time.time() < end and not (stage and want.encode() in got):
        if select.select([fd], [], [], 0.1)[0]:
            try:
                got += os.read(fd, 65536)
            except OSError:
                break
        if not stage and re.search(rb"[\r\n]ready", got):
            stage, got = 1, b""
            time.sleep(0.2)
            os.write(fd, keys.encode())
    os.kill(pid, signal.SIGKILL)
    os.waitpid(pid, 0)
    os.close(fd)
    return bool(stage) and want.encode() in got, repr(got[-300:])


if shutil.which("bash"):
    done_, got = typed(["bash", "--norc", "-i"], "source %scompletions/quern.bash" % repl, "quern --no-ini\t", "--no-init ")
    ok(done_, "bash: Tab in a real shell", got)
if shutil.which("zsh"):
    same(sh(["zsh", "-n", repl + "completions/_quern"]), (0, ""), "zsh can read it")
    setup = "fpath=(%scompletions $fpath); autoload -U compinit; compinit -u -D" % repl
    for keys, want in (("quern --no-ini\t", "--no-init"), ("quern --format spe\t", "speedscope")):
        done_, got = typed(["zsh", "-f", "-i"], setup, keys, want)
        ok(done_, "zsh: Tab in a real shell, " + want, got)
else:
    skip("zsh can read it", "zsh is not installed")
if shutil.which("fish"):
    ask = "source %scompletions/quern.fish; complete -C 'quern --format sp'" % repl
    status, text = sh(["fish", "-c", ask])
    ok(status == 0 and text.startswith("speedscope"), "fish: a format", text)
else:
    skip("fish completes", "fish is not installed")
done()
