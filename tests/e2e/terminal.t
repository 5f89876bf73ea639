#!/usr/bin/env python3
"""terminal.t - the bytes that reach a terminal (a pty): hostile names, colour, widths, Ctrl-C while indexing.

prompt.t looks at the screen that tmux makes of them; here it is the bytes that count.
"""
import fcntl
import os
import pty
import re
import select
import shutil
import signal
import struct
import termios
import time
import unicodedata

from e2e import HUNG, SLOW, done, environ, format_names, ok, profile, quern, same, write_bytes

HOSTILE = {
    "title": b"\x1b]0;owned\x07", "clear": b"\x1b[2J\x1b[H", "sgr": b"\x1b[8mhidden", "c1": b"\xc2\x9b2J", "raw c1": b"\x9b2J",
    "dcs": b"\x1bP+q\x1b\\", "override": b"\xe2\x80\xaeevil", "isolate": b"\xe2\x81\xa6evil", "back": b"x\x08\x08\x08y",
    "cr": b"safe\rEVIL", "tab": b"a\tb", "not utf-8": b"\xff\xfe\xc0\x80", "cut utf-8": b"\xe6\xbc", "del": b"a\x7fb",
    "answer": b"\x1b[6n\x05\x1b[c", "separator": b"a\xe2\x80\xa8b", "cjk": "\u6f22\u5b57\u95a2\u6570".encode() * 30,
    "emoji": "\U0001f525hot".encode(), "combining": "e\u0301e\u0301".encode(), "long": b"n" * 3000,
}
profile("h.out", [(b"h_" + name, 1000 - i) for i, name in enumerate(HOSTILE.values())])


class Terminal:
    def __init__(self, *args, columns=80, rows=24, env=()):
        self.got = b""
        self.pid, self.fd = pty.fork()
        if self.pid == 0:
            fcntl.ioctl(0, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
            os.execve(quern, [quern] + list(args), dict(dict(environ, QUERN_PAGER=""), **dict(env)))

    def read(self, until, seconds=HUNG):
        """All bytes up to now, once the pattern is among those that were new."""
        end, start = time.time() + seconds, len(self.got)
        while time.time() < end and not re.search(until, self.got[start:]):
            if select.select([self.fd], [], [], 0.1)[0]:
                try:
                    more = os.read(self.fd, 65536)
                except OSError:
                    break
                if not more:
                    break
                self.got += more
        return self.got[start:]

    def ready(self):
        """Wait until the editor has the keyboard, which it takes when the prompt is there: what is
        typed before that is the terminal's to edit, and may be lost."""
        end = time.time() + HUNG
        while termios.tcgetattr(self.fd)[3] & termios.ICANON and time.time() < end:
            time.sleep(0.01)

    def ask(self, text):
        self.ready()
        os.write(self.fd, text + b"\r")
        return self.read(rb"\n[\s\S]*quern(\[[^\n]*\])?> (\x1b\[K)?$")

    def close(self):
        end, again = time.time() + HUNG, 0
        while time.time() < end:
            # What comes before the editor has the keyboard is lost.
            if time.time() > again:
                again = time.time() + 2
                try:
                    os.write(self.fd, b"\x15\x04")
                    self.read(rb"never", 0.5)
                except OSError:
                    pass
            pid, status = os.waitpid(self.pid, os.WNOHANG)
            if pid:
                return os.waitstatus_to_exitcode(status) if hasattr(os, "waitstatus_to_exitcode") else status >> 8
            time.sleep(0.05)
        os.kill(self.pid, 9)
        os.waitpid(self.pid, 0)
        return None


OURS = re.compile(rb"\x1b\[[0-9;]*[mKJABCDGPX@]|\x1b\[\?[0-9]+[hl]|\x1b[>=]")


def unclean(data):
    """What reached the terminal and is neither text nor one of the line editor's and our sequences."""
    text = OURS.sub(b"", data).decode("utf-8", "surrogateescape")
    return sorted({"%04x" % ord(c) for c in text if c not in "\r\n\a\b" and (
        unicodedata.category(c) in ("Cc", "Cs", "Zl", "Zp") or unicodedata.bidirectional(c) in ("LRE", "RLE", "LRO", "RLO", "PDF",
                                                                                               "LRI", "RLI", "FSI", "PDI"))})


def width(line):
    return sum(0 if unicodedata.combining(c) else 2 if unicodedata.east_asian_width(c) in "WF" else 1 for c in line)


PROMPT = rb"quern> "
for columns in (40, 80, 200):
    t = Terminal("h.out", columns=columns, rows=60)
    first = t.read(PROMPT)
    ok(unclean(first) == [] and first, "%d columns: the opening" % columns, first)
    for query in (b"top 30", b"find /^h_/", b"functions | show fn | as csv | take 30", b"callers of h_nosuch", b"info #3"):
        got = t.ask(query)
        ok(unclean(got) == [] and len(got) > 20, "%d columns: %s holds no control byte of a name" % (columns, query.decode()),
           "%s %r" % (unclean(got), got[:300]))
        ok(not re.search(rb"owned\x07|\x1b\[2J|\x1b\]|\x9b2J|\x1b\[6n|\x1b\[8m", got), "%d columns: and no sequence" % columns, got)
        wide = [x for x in OURS.sub(b"", got).decode("utf-8", "replace").splitlines()[:-1] if width(x) > columns and not re.match("not on|20 of", x)] if query[:3] in (b"top", b"cal") else []
        same([(width(x), x) for x in wide], [], "%d columns: nothing is wider" % columns)
    t.ready()
    os.write(t.fd, b"callers of \"h_\t\t")
    listed = t.read(rb"quern> callers of \"h_")
    ok(unclean(listed) == [], "%d columns: neither is there in what Tab lists" % columns, "%s %r" % (unclean(listed), listed[:300]))
    # Ctrl-C while Tab still lists: the line is dropped now, not with the next key.
    os.write(t.fd, b"\x03")
    t.read(rb"\^C\s+" + PROMPT)
    t.ask(b".push hide /^h_safe/")
    got = t.ask(b".filters")
    ok(unclean(got) == [] and re.search(rb"quern\[[^\n\]]*hide", got), "%d columns: nor in the prompt with a filter" % columns, got)
    same(t.close(), 0, "%d columns: Ctrl-D leaves" % columns)

name = b"evil\x1b[31m\xe2\x80\xaename.out"
shutil.copyfile(b"h.out", name)
t = Terminal(name)
got = t.read(PROMPT)
# ^V quotes the escape, which would be a key.
got += t.ask(b".profiles") + t.ask(b".close nosuch\x16\x1b") + t.ask(b"nosuch")
ok(unclean(got) == [] and b"\x1b[31mname" not in got, "the name of a file is escaped too", repr(got))
t.close()

# The name of an event and a filter stand in the prompt, whose bytes the line editor must be able to read.
write_bytes("event.out", b"events: Ir\xff\xc2\x9b31m\xe2\x80\xae\nfl=a.c\nfn=main" + "\u6f22".encode() * 90 + b"\n1 10\n")
for locale in ("C.UTF-8", "C"):
    t = Terminal("event.out", "-q", "--event", "Ir\udcff\udcc2\udc9b31m\u202e", columns=400, env=(("LC_ALL", locale),))
    got = t.read(rb"]> $")
    ok(unclean(got) == [] and rb"quern[Ir\xFF\xC2" in got, "%s: an event of odd bytes in the prompt" % locale, repr(got))
    for i in range(3):      # cut in the middle of a character, somewhere
        got = t.ask(b".push hide /^" + b"x" * i + "\u6f22".encode() * 110 + b"|main/")
        ok(unclean(got) == [] and b" hide:/^" in got, "%s: and a filter that is too long" % locale, repr(got))
        t.ask(b".pop")
    same(t.close(), 0, "%s: the prompt goes on" % locale)

# Colour: on a terminal, unless it is said not to.
for env, args, want in (((), (), True), ((("NO_COLOR", "1"),), (), False), ((("TERM", "dumb"),), (), False),
                        ((), ("--color=never",), False), ((("NO_COLOR", "1"),), ("--color=always",), True)):
    t = Terminal("h.out", *args, env=env)
    t.read(PROMPT)
    got = t.ask(b"top 2") + t.ask(b"top by Nope")
    same(bool(re.search(rb"\x1b\[[0-9;]+m", got)), want, "colour with %s %s" % (dict(env), " ".join(args)))
    t.close()

# A pager that cannot show anything.
for command, why in (("false", b"'false' ended with status 1"), ("kill -9 $$", b"was ended by signal 9"), ("head -3", None)):
    t = Terminal("h.out", rows=12, env=(("QUERN_PAGER", command),))
    t.read(PROMPT)
    got = t.ask(b"functions")
    ok(why in got and b".pager off" in got if why else b"the pager" not in got, "the pager " + command, repr(got))
    t.close()

# A long answer reaches the terminal by way of the pager: formats that hold names as they are do not.
profile("raw.out", [(b"\x1b]0;owned%d\x07\x1b[31mn" % i, 10) for i in range(40)])
with open("raw.c", "w") as f:
    f.write("x\x1b]0;owned\x07\x1b[2Jy\n" * 60)
write_bytes("listed.out", b"events: Ir\nfl=raw.c\nfn=main\n" + b"".join(b"%d 10\n" % (i + 1) for i in range(60)))
FORMATS = format_names()
ok(len(FORMATS) >= 15 and "callgrind" in FORMATS, "all formats are known", FORMATS)
ASKED = [("raw.out", q + " | as " + f) for f in FORMATS for q in (("functions", "functions | take 3") if f in ("callgrind", "pprof") else ("functions",))]
for name, query in ASKED + [("listed.out", "source of main"), ("listed.out", "lines of main"), ("raw.out", "functions | as callgrind > /dev/tty")]:
    t = Terminal("-q", "--no-init", "--no-index-write", name, "-c", query, rows=12, env=(("QUERN_PAGER", "cat -; echo paged"),))
    got = t.read(rb"never", 30) if select.select([t.fd], [], [], HUNG)[0] else b""
    t.close()
    refused = b"is not for a terminal" in got
    same((unclean(got.replace(b"\t", b" ")), refused, refused and b"paged" in got), ([], query.split()[-1] in ("callgrind", "pprof", "/dev/tty"), False), "the pager: %s, %s" % (name, query))

# A history that nobody reads.
os.makedirs("state/quern")
os.mkfifo("state/quern/history")
t = Terminal("h.out", env=(("XDG_STATE_HOME", os.path.abspath("state")),))
t.read(PROMPT)
ok(b"h_" in t.ask(b"top 1"), "a FIFO for the history is left alone")
same(t.close(), 0, "and the prompt goes on")

# --safe: neither the line editor's own commands nor Tab run, read or write what queries may not.
os.makedirs("safe/home/bin")
with open("safe/home/bin/ed", "w") as f:
    f.write("#!/bin/sh\necho ran > %s/safe/ran\n" % os.getcwd())
os.chmod("safe/home/bin/ed", 0o755)
with open("safe/home/.editrc", "w") as f:
    f.write("bind ^X vi-histedit\nbind -s ^Y \"top 4\"\n")
os.makedirs("safe/home/state/quern")
with open("safe/home/state/quern/history", "w") as f:
    f.write("_HiStOrY_V2_\nfind\\040kept\n")
os.makedirs("safe/home/config/quern/queries")
open("safe/home/config/quern/queries/zeal.q", "w").close()
HOME = os.path.abspath("safe/home")
ENV = (("HOME", HOME), ("EDITOR", HOME + "/bin/ed"), ("VISUAL", HOME + "/bin/ed"), ("QUERN_PAGER", HOME + "/bin/ed"), ("XDG_STATE_HOME", HOME + "/state"),
       ("XDG_CONFIG_HOME", HOME + "/config"))


def typed(t, keys):
    """What the editor shows for the keys; the line is dropped afterwards."""
    t.ready()
    slave = os.open("/proc/%d/fd/0" % t.pid, os.O_RDWR | os.O_NOCTTY)
    for key in keys:
        os.write(t.fd, key)
        end = time.time() + HUNG
        while struct.unpack("i", fcntl.ioctl(slave, termios.FIONREAD, bytes(4)))[0] and time.time() < end:
            time.sleep(0.002)
    os.close(slave)
    start = len(t.got)
    os.write(t.fd, b"\x0c\x0c")     # when all before is done, the editor clears the screen; one may end a key that ^X begins
    t.read(rb"\x1b\[2J")
    os.write(t.fd, b"\x03")
    t.read(rb"\^C\s+" + PROMPT)
    return t.got[start:].split(b"\x1b[H")[0]


def ran():
    """Whether the editor or the pager ran; the next one is found, too."""
    there = os.path.exists("safe/ran")
    if there:
        os.remove("safe/ran")
    return there


ESCAPES = {"M-x": [b"\x1b", b"x"], "M-X": [b"\x1b", b"X"], "M-x at once": [b"\x1bx"], "Latin-1 M-x": [b"\xf8"], "Latin-1 M-X": [b"\xd8"]}
DOORS = [b".open /et", b".read /et", b".run ze", b".output /et", b".save /et", b".export /et", b"top 1 > /et", b".op", b".sav"]
for locale in ("C.UTF-8", "C"):
    for safe in (True, False):
        name = "%s, %s: " % (locale, "--safe" if safe else "as usual")
        t = Terminal("h.out", "-q", *["--safe"] * safe, rows=12, env=ENV + (("LC_ALL", locale),))
        t.read(PROMPT)
        same(b"find kept" in typed(t, [b"\x10"]), not safe, name + "what was entered in another session")
        answers = {k: (typed(t, [b"top 1"] + v + [b"bind ^X vi-histedit\r", b"\x18"]), ran()) for k, v in ESCAPES.items()}
        same({k: v[1] for k, v in answers.items() if safe and v[1]}, {}, name + "the editor's commands are not there")
        ok(safe or answers["M-x"][1], name + "or they are", answers)
        # The listing, or what was put in: more than what was typed.
        offers = {d: typed(t, [d + b"\t", b"\t"]) for d in DOORS}
        more = [d for d, got in offers.items() if len(OURS.sub(b"", got).replace(b"\a", b"").strip()) > len(d) + 2]
        same(len(more), 0 if safe else len(DOORS), name + "Tab offers nothing that is refused")
        ok(b"ons" in typed(t, [b"functi\t"]) and b"lters" in typed(t, [b".fi\t"]), name + "Tab offers the rest")
        same(b"top 4" in typed(t, [b"\x19"]), not safe, name + "the user's .editrc")
        got = t.ask(b"functions")
        same(ran(), not safe, name + "the pager")
        t.ask(b"find h_safe")
        t.close()
        same("h_safe" in open("safe/home/state/quern/history").read(), not safe, name + "the history on disk")
        with open("safe/home/state/quern/history", "w") as f:
            f.write("_HiStOrY_V2_\nfind\\040kept\n")
t = Terminal("h.out", "-q", "--safe")
t.read(PROMPT)
ok("h_\u00f8\u00d8".encode() in typed(t, ["find h_\u00f8\u00d8".encode()]), "--safe: letters that are Meta's in Latin-1 can be typed")
t.close()
same(sorted(os.listdir("safe")), ["home"], "--safe: nothing was written")

# What ends it leaves the terminal as it was.
for sig in (signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT):
    t = Terminal("h.out")
    t.read(PROMPT)
    slave = os.open("/proc/%d/fd/0" % t.pid, os.O_RDWR | os.O_NOCTTY)
    t.ready()
    os.kill(t.pid, sig)
    same(os.waitpid(t.pid, 0)[1] & 127, sig, "%s ends it" % sig.name)
    mode = termios.tcgetattr(slave)[3]
    ok(mode & termios.ICANON and mode & termios.ECHO, "and the terminal is as it was", mode)
    os.close(slave)

# In the background the terminal is another's: it ends all the same, and is not stopped.
pid, fd = pty.fork()
if pid == 0:
    signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGUSR1])
    signal.signal(signal.SIGTTOU, signal.SIG_IGN)
    job = os.fork()
    if job == 0:
        os.setpgid(0, 0)
        os.tcsetpgrp(0, os.getpid())
        for sig in (signal.SIGTTOU, signal.SIGTERM):
            signal.signal(sig, signal.SIG_DFL)
        os.execve(quern, [quern, "h.out"], environ)
    signal.sigwait([signal.SIGUSR1])
    os.tcsetpgrp(0, os.getpgrp())
    os.kill(job, signal.SIGTERM)
    os.kill(job, signal.SIGCONT)
    status = os.waitpid(job, os.WUNTRACED)[1]
    if os.WIFSTOPPED(status):
        os.kill(job, signal.SIGKILL)
    os._exit(os.WTERMSIG(status) if os.WIFSIGNALED(status) else 100)
t = Terminal.__new__(Terminal)
t.got, t.pid, t.fd = b"", pid, fd
t.read(PROMPT)
t.ready()
os.kill(pid, signal.SIGUSR1)
same(os.WEXITSTATUS(os.waitpid(pid, 0)[1]), signal.SIGTERM, "SIGTERM ends it in the background")

# Ctrl-C at the prompt, twice in a row, leaves the shell as it was.
t = Terminal("h.out")
t.read(PROMPT)
for i in range(3):
    t.ready()
    os.write(t.fd, b"half a li\x03")
    t.read(PROMPT)
ok(b"h_" in t.ask(b"top 1"), "Ctrl-C three times, then a query")
same(t.close(), 0, "and it leaves in good order")

# Ctrl-C while a second profile is indexed: the shell stays, no file is left, .open works afterwards.
block = b"".join(b"fn=f%d\n%d %d\ncfn=f%d\ncalls=1 1\n%d 5\n\n" % (i, i % 90 + 1, i % 7 + 1, i * 7 % 5000, i % 90 + 1) for i in range(5000))
with open("big.out", "wb") as f:
    f.write(b"# callgrind format\nversion: 1\nevents: Ir\n\nfl=a.c\n" + block * (400 // SLOW))


def temporaries():
    return [n for n in os.listdir(".") if n.startswith("big.out.") and ".lock" not in n]


stopped, attempt = False, 0
t = Terminal("h.out", "--jobs", "1")
t.read(PROMPT)
while not stopped and attempt < 100:    # indexing may be over before the key
    attempt += 1
    t.ready()
    os.write(t.fd, b".open b%d=big.out\r" % attempt)
    end = time.time() + HUNG
    while not temporaries() and time.time() < end:
        time.sleep(.0005)
    os.write(t.fd, b"\x03")
    got = t.read(rb"\n[^\n]*" + PROMPT)
    stopped = b"interrupted" in got
    if stopped:
        break
    if os.path.exists("big.out.quern"):
        os.remove("big.out.quern")
    t.ask(b".close b%d" % attempt)
same((stopped, temporaries()), (True, []), "Ctrl-C while indexing at the prompt: no temporary file is left")
ok(b"h_" in t.ask(b"top 1"), "and the shell goes on")
ok(b"indexed" in t.ask(b".open again=big.out") and b"f0" in t.ask(b"in again | functions of f0"), "and .open works afterwards")
t.close()
# ---- a size that nobody has ----


def memory(t):
    """The most that the program had, in MiB."""
    with open("/proc/%d/status" % t.pid) as f:
        return int(re.search(r"VmHWM:\s*(\d+)", f.read())[1]) >> 10


LARGE = 300 * (1 if SLOW == 1 else 4)
t = Terminal("h.out", "--no-init", columns=65535, rows=65535)
t.read(b"too large to edit lines")
os.write(t.fd, b"top 1 | show self\r\x04")
got = t.read(rb"1,?000\D")
ok(b"1,000" in got or b"1000" in got, "65,535 lines of 65,535 columns: queries are read without an editor", got[-300:])
t.close()
t = Terminal("h.out", "--no-init")
t.read(b"> ")
t.ask(b"top 1 | show self")
fcntl.ioctl(t.fd, termios.TIOCSWINSZ, struct.pack("HHHH", 65535, 65535, 0, 0))
os.kill(t.pid, signal.SIGWINCH)
os.write(t.fd, b"top 1 | show self\r")
t.read(b"too large to edit lines")
most = memory(t)
os.write(t.fd, b"top 1 | show self\r\x04")
got = t.read(rb"\n1,000")
ok(b"1,000" in got and most < LARGE, "a terminal that becomes so large: the program stays small", (most, got[-300:]))
t.close()
t = Terminal("h.out", "--no-init", columns=65535, rows=2)
t.read(b"> ")
got = t.ask(b"top 1")
ok(b"h_" in got and memory(t) < LARGE, "65,535 columns", (memory(t), got[-300:]))
t.close()
done()
