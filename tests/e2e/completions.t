#!/usr/bin/env python3
"""completions.t - each shell's completion is asked, where the shell is installed.

What the completions list is compared in tables.t.
"""
import os
import pty
import re
import select
import shutil
import signal
import subprocess
import termios
import time

from e2e import HUNG, done, environ, ok, quern, same, skip, top

repl = top + "/repl/"


def sh(argv, **more):
    p = subprocess.run(argv, env=environ, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                       stderr=subprocess.STDOUT, timeout=HUNG, **more)
    return p.returncode, p.stdout.decode("utf-8", "replace")


open("a.out", "w").close()
open("a.out.quern", "w").close()
if shutil.which("bash"):
    ask = "source %scompletions/quern.bash; _quern quern \"$1\" \"$2\"; echo ${COMPREPLY[@]}" % repl
    same(sh(["bash", "-c", ask, "-", "--no-i", "quern"]), (0, "--no-index-write --no-init\n"), "bash: an option")
    same(sh(["bash", "-c", ask, "-", "se", "--limit"]), (0, "seconds=\n"), "bash: a limit")
    same(sh(["bash", "-c", ask, "-", "sp", "--format"]), (0, "speedscope\n"), "bash: a format")
    same(sh(["bash", "-c", ask, "-", "a", "quern"]), (0, "a.out\n"), "bash: a profile, not its index")
    # The names of query files are somebody's: nothing in them is run or expanded.
    os.makedirs(".config/quern/queries")
    os.makedirs("bin")
    os.symlink(os.path.abspath(quern), "bin/quern")
    evil = ["$(touch${IFS}ran).q", "`touch${IFS}ran`.q", "*.q", "~.q", "a'b.q", 'a"b.q', "${HOME}.q", "$((x=1)).q"]
    for name in evil:
        with open(".config/quern/queries/" + name, "w") as f:
            f.write("# %s\ntop 3\n" % name)
    each = "PATH=$PWD/bin:$PATH; " + ask.replace("echo ${COMPREPLY[@]}", "printf '%s\\n' \"${COMPREPLY[@]}\"")
    status, got = sh(["bash", "-c", each, "-", "", "-f"])
    same([n for n in evil if n[:-2] not in got.split("\n")], [], "bash: the names of query files, as they are")
    ok(not os.path.exists("ran"), "bash: nothing in them is run", got)
    same(sh(["bash", "-c", each, "-", "gate-", "-f"]), (0, "gate-calls\ngate-instructions\ngate-region\ngate-time\n"), "bash: those that begin so")
    shutil.rmtree(".config")
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
            while termios.tcgetattr(fd)[3] & termios.ICANON and time.time() < end:     # till its editor has the keyboard
                time.sleep(0.01)
            stage, got = 1, b""
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
