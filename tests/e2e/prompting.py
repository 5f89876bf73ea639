"""prompting.py - what the tests of the prompt share: a terminal (tmux), its screen, typing."""
import atexit
import fcntl
import os
import shutil
import struct
import subprocess
import termios
import time
import unicodedata

from e2e import HUNG, environ, ok, quern, skip_all, work

if not shutil.which("tmux"):
    skip_all("tmux is not installed")
socket = work + "/tmux"
environ.pop("TMUX", None)
environ.update(QUERN_PAGER="", PS1="$ ", XDG_STATE_HOME=work + "/state")


def tmux(*args):
    p = subprocess.run(["tmux", "-S", socket, "-f", "/dev/null"] + list(args), env=environ,
                       stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=HUNG)
    return p.stdout.decode("utf-8", "replace")


def screen():
    """Lines on the screen; wide characters count once, as they do for tmux."""
    return [line.rstrip() for line in tmux("capture-pane", "-p").splitlines()]


def wait(test, seconds=HUNG):
    """The screen once test(lines) holds, or as it is when time is up."""
    end = time.time() + seconds
    while True:
        lines = screen()
        if test(lines) or time.time() > end:
            return lines
        time.sleep(0.05)


def last(lines):
    return ([line for line in lines if line] or [""])[-1]


def shown(lines):
    return "\n".join(line for line in lines if line)


def of_terminal(ask, test):
    """Wait until what the terminal is asked for passes the test; whether it does."""
    fd = os.open(tmux("display-message", "-p", "#{pane_tty}").strip(), os.O_RDONLY | os.O_NOCTTY)
    end = time.time() + HUNG
    try:
        while not test(ask(fd)) and time.time() < end:
            time.sleep(0.005)
        return test(ask(fd))
    finally:
        os.close(fd)


def editing(wanted):
    """Wait for the line editor to have the keyboard, which it gives back while a query runs."""
    return of_terminal(termios.tcgetattr, lambda mode: bool(mode[3] & termios.ICANON) != wanted)


def of_size(lines, columns):
    return of_terminal(lambda fd: struct.unpack("HHHH", fcntl.ioctl(fd, termios.TIOCGWINSZ, bytes(8)))[:2],
                       lambda size: size == (lines, columns))


def send(*keys):
    tmux("send-keys", *keys)


def expect(test, name):
    lines = wait(test)
    return ok(test(lines), name, shown(lines))


def start(args="-q p.out", before=""):
    """quern in the shell, at its prompt; before: what the shell makes of its environment."""
    send("clear; %s%s %s" % (before, quern, args), "Enter")
    return wait(at_prompt)


def width(line):
    return sum(2 if unicodedata.east_asian_width(c) in "WF" else 1 for c in line)


PROMPT = "quern>"


def at_prompt(lines):
    return last(lines) == PROMPT


def clear():
    send("C-u", "C-l")
    wait(at_prompt)


def terminal(columns=100, lines=30):
    """A new terminal of that size, with a shell in it."""
    tmux("new-session", "-d", "-x", str(columns), "-y", str(lines), "sh")
    atexit.register(tmux, "kill-server")
    send("PS1='$ '", "Enter")


def resize(columns, lines):
    tmux("resize-window", "-x", str(columns), "-y", str(lines))
    return of_size(lines, columns)
