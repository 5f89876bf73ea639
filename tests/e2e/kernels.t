#!/usr/bin/env python3
"""kernels.t - --safe and --mcp on a kernel without Landlock, without seccomp, and without either.

A filter that each run inherits answers the system calls as such a kernel would.  The answers are the same, a note
names what the kernel does not see to, what the other of the two sees to is held (confined.t has the whole list), and
what the program itself refuses is refused.
"""
import ctypes
import errno
import os
import platform
import shutil
import struct

from e2e import PLANTS, done, ok, planted, run, same, skip_all, small, variant

CALLS = {"x86_64": (317, 157), "aarch64": (277, 167)}       # seccomp, prctl
LANDLOCK = (444, 445, 446)
PR_SET_NO_NEW_PRIVS, PR_SET_SECCOMP, FILTER = 38, 22, 2
RETURN, LOAD, IF_EQUAL, ALLOW, ERROR = 0x06, 0x20, 0x15, 0x7fff0000, 0x00050000
NR, ARG0 = 0, 16

# What somebody does who got hold of the program: with a file and with a socket.
PLANTED = """
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>
void *PLANTED(pcre2_compile_8)(void *a, size_t b, unsigned c, int *d, size_t *e, void *f)
{
	void *(*real)(void *, size_t, unsigned, int *, size_t *, void *) = REAL(pcre2_compile_8);
	static int once;
	if (!once++) {
		int file = open(getenv("OUT"), O_WRONLY | O_CREAT, 0600) < 0 ? errno : 0;
		int plug = socket(AF_INET, SOCK_STREAM, 0) < 0 ? errno : 0;
		dprintf(atoi(getenv("TELL")), "%d %d", file, plug);
	}
	return real(a, b, c, d, e, f);
}
"""

if platform.machine() not in CALLS:
    skip_all("the numbers of the calls are not known here")
if not PLANTS or variant == "coverage" or not shutil.which("gcc"):
    skip_all("needs a plain build, and gcc")
libc = ctypes.CDLL(None, use_errno=True)
seccomp, prctl = CALLS[platform.machine()]


def filter_of(calls):
    """A program that refuses each (call, first argument or None, error) and allows the rest."""
    steps = [(LOAD, 0, 0, NR)]
    for call, arg, error in calls:
        refuse = [(RETURN, 0, 0, ERROR | error)]
        if arg is not None:
            refuse = [(LOAD, 0, 0, ARG0), (IF_EQUAL, 0, 1, arg), *refuse, (LOAD, 0, 0, NR)]
        steps += [(IF_EQUAL, 0, len(refuse), call), *refuse]
    return b"".join(struct.pack("HBBI", *s) for s in steps + [(RETURN, 0, 0, ALLOW)]), len(steps) + 1


def without(calls):
    code, n = filter_of(calls)
    buffer = ctypes.create_string_buffer(code)
    program = struct.pack("HxxxxxxQ", n, ctypes.addressof(buffer))

    def begin():
        if libc.prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) or libc.prctl(PR_SET_SECCOMP, FILTER, program, 0, 0):
            os._exit(99)
        buffer                # lives as long as this does
    return begin


no_landlock = [(call, None, errno.ENOSYS) for call in LANDLOCK]
no_seccomp = [(seccomp, None, errno.ENOSYS), (prctl, PR_SET_SECCOMP, errno.EINVAL)]
for folder in ("out", "profiles", "tmp"):       # only the last two may be written
    os.mkdir(folder)
profile = shutil.copy(small + "lua-default.out", "profiles/p.out")
program = planted(PLANTED, "pcre2_compile_8")
QUERY = ("--safe", "-c", "functions of /lua[DV]_/ | take 3 | as csv")


def ask(begin):
    """The answer, the notes, and the errors that the file and the socket had."""
    told, tell = os.pipe()
    env = {"OUT": os.getcwd() + "/out/written", "TMPDIR": os.getcwd() + "/tmp", "TELL": str(tell)}
    r = run(profile, *QUERY, program=program["program"], env=dict(env, **program["env"]), pass_fds=(tell,), preexec_fn=begin)
    os.close(tell)
    with os.fdopen(told) as f:
        text = f.read()
    if os.path.exists("out/written"):
        os.remove("out/written")
    return r, [int(e) for e in text.split()]


want, tried = ask(None)
ok(want.status == 0 and "luaV_execute" in want.text, "--safe on this kernel", want)
here = {"files": "no Landlock" not in want.talk, "calls": "no seccomp" not in want.talk}
for name, calls in (("Landlock", no_landlock), ("seccomp", no_seccomp), ("either", no_landlock + no_seccomp)):
    name = "without " + name
    begin = without(calls)
    r, tried = ask(begin)
    same((r.status, r.out), (0, want.out), name + ": the same answer")
    files, plugs = here["files"] and calls == no_seccomp, here["calls"] and calls == no_landlock
    same(("no Landlock" in r.talk, "no seccomp" in r.talk), (not files, not plugs), name + ": a note says what is not held")
    same([e != 0 for e in tried], [files, plugs], name + ": the file and the socket that a planted library asks for")
    r = run(profile, "-q", *QUERY, preexec_fn=begin)
    same((r.status, r.out, r.talk), (0, want.out, ""), name + ": --quiet has no note")
    r = run(profile, "-q", "--safe", "-c", "top 1 > written", preexec_fn=begin)
    ok(r.status != 0 and "--safe" in r.talk and not os.path.exists("written"), name + ": --safe itself writes no file", r)
done()
