#!/usr/bin/env python3
"""confined.t - what the kernel forbids under --safe, --mcp and in the child that reads an object.

A library is put in place of a function that runs when everything is dropped: it tries to start
a program, to write, to remove, to connect, as a fault in a parser could, and tells how each
ended.  What is needed goes on: an index is made, also anew, beside the profile or elsewhere.
"""
import errno
import json
import os
import shutil
import subprocess

from e2e import PLANTS, done, ok, planted, quern, run, same, skip, skip_all, small, variant
from inlining import build, need

PLANTED = r"""
#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <sys/xattr.h>
#include <unistd.h>
static int to;
static void tell(const char *what, long rc) { dprintf(to, "%s %d\n", what, rc < 0 ? errno : 0); }
#define TRY(what, call) (errno = 0, tell(what, (long)(call)))
static const char *in(const char *dir, const char *name)
{
	static char path[4][4096];
	static int n;
	char *p = path[n++ % 4];
	snprintf(p, 4096, "%s/%s", getenv(dir), name);
	return p;
}
static int execs(void)
{
	int s;
	pid_t pid = vfork();
	if (pid < 0) return -1;
	if (!pid) { execl("/bin/true", "true", (char *)0); _exit(errno); }
	waitpid(pid, &s, 0);
	errno = WEXITSTATUS(s);
	return errno ? -1 : 0;
}
static void planted(void)
{
	struct open_how how = {.flags = O_WRONLY | O_CREAT, .mode = 0600};
	char *args[] = {"/bin/true", 0};
	to = atoi(getenv("TELL"));
	TRY("exec", execs());
	TRY("execve", getenv("CHILD") ? execve(args[0], args, args + 1) : execs());
	TRY("create", open(in("OUT", "new"), O_WRONLY | O_CREAT, 0600));
	TRY("creat", creat(in("OUT", "new"), 0600));
	TRY("write", open(in("OUT", "there"), O_WRONLY));
	TRY("read and write", open(in("OUT", "there"), O_RDWR));
	TRY("truncate by open", open(in("OUT", "there"), O_RDONLY | O_TRUNC));
	TRY("truncate", truncate(in("OUT", "there"), 0));
	TRY("nameless", open(getenv("OUT"), O_TMPFILE | O_RDWR, 0600));
	TRY("openat2", syscall(SYS_openat2, AT_FDCWD, in("OUT", "new"), &how, sizeof(how)));
	TRY("unlink", unlink(in("OUT", "there")));
	TRY("rename", rename(in("OUT", "there"), in("OUT", "moved")));
	TRY("link", link(in("OUT", "there"), in("OUT", "linked")));
	TRY("symlink", symlink("there", in("OUT", "symbolic")));
	TRY("mkdir", mkdir(in("OUT", "dir"), 0700));
	TRY("rmdir", rmdir(in("OUT", "empty")));
	TRY("mkfifo", mkfifo(in("OUT", "fifo"), 0600));
	TRY("chmod", chmod(in("OUT", "there"), 0777));
	TRY("chown", chown(in("OUT", "there"), getuid(), getgid()));
	TRY("setxattr", setxattr(in("OUT", "there"), "user.x", "y", 1, 0));
	TRY("TCP socket", socket(AF_INET, SOCK_STREAM, 0));
	TRY("UDP socket", socket(AF_INET, SOCK_DGRAM, 0));
	TRY("Unix socket", socket(AF_UNIX, SOCK_STREAM, 0));
	TRY("socketpair", socketpair(AF_UNIX, SOCK_STREAM, 0, (int[2]){0, 0}));
	TRY("ptrace", ptrace(PTRACE_SEIZE, atoi(getenv("VICTIM")), 0, 0));
	TRY("io_uring", syscall(SYS_io_uring_setup, 1, (char[512]){0}));
	TRY("kill", kill(atoi(getenv("VICTIM")), 0));
	if (getenv("CHILD")) {
		TRY("read", open(in("OUT", "there"), O_RDONLY));
		TRY("list", open(getenv("OUT"), O_RDONLY | O_DIRECTORY));
		TRY("read /proc", open("/proc/self/mem", O_RDONLY));
		TRY("write the index", open(in("INDEX", "x"), O_WRONLY | O_CREAT, 0600));
		TRY("fork", fork());
		TRY("read below the root", -!!(open(in("ROOT", "p"), O_RDONLY) < 0));
	} else {
		TRY("write beside the index", open(in("INDEX", "x"), O_WRONLY | O_CREAT, 0600));
		TRY("remove there", unlink(in("INDEX", "x")));
		TRY("read elsewhere", open(in("OUT", "there"), O_RDONLY));
	}
}
#define PLANT(name, ...) \
	long PLANTED(name)(long a, long b, long c, long d, long e, long f) { \
		static int once; \
		long (*real)(long, long, long, long, long, long) = REAL(name); \
		if (getenv("PLANT") && !strcmp(getenv("PLANT"), #name) && !once++) planted(); \
		return real(a, b, c, d, e, f); \
	}
PLANT(mdb_env_open)
PLANT(elf_begin)
PLANT(pcre2_compile_8)
"""
ALLOWED = {"write beside the index", "remove there", "read elsewhere", "read below the root"}
FILES = {"create", "creat", "write", "read and write", "truncate by open", "truncate", "nameless", "openat2", "unlink", "rename", "link",
         "symlink", "mkdir", "rmdir", "mkfifo"}

need("gcc")
if not PLANTS:
    skip_all("a sanitizer does not run with another library before it")
if variant == "coverage":
    skip_all("a process that counts what it reaches writes that anywhere")
for d in ("out/empty", "profiles", "tmp", "index"):
    os.makedirs(d)
os.symlink(small + "lua-default.out", "profiles/link.out")
profile = shutil.copy(small + "lua-default.out", "profiles/p.out")
program = planted(PLANTED, "mdb_env_open", "elf_begin", "pcre2_compile_8")
victim = subprocess.Popen(["sleep", "1000"])
notes = run(profile, "--safe", "-c", "top 1").talk
held = {"files": "no Landlock" not in notes, "calls": "no seccomp" not in notes}
here = os.getcwd()


def try_all(plant, *args, child=False, stdin=b"", index="profiles"):
    """What was tried, and how it ended: the number of the error."""
    with open("out/there", "w") as f:
        f.write("here")
    told, tell = os.pipe()
    env = {"TELL": str(tell), "OUT": here + "/out", "INDEX": here + "/" + index, "PLANT": plant,
           "TMPDIR": here + "/tmp", "VICTIM": str(victim.pid), "ROOT": here + "/root"}
    env = dict(env, **program["env"], **({"CHILD": "1"} if child else {}))
    r = run(*args, stdin=stdin, program=program["program"], env=env, pass_fds=(tell,))
    os.close(tell)
    with os.fdopen(told) as f:
        tried = {line.rsplit(" ", 1)[0]: int(line.rsplit(" ", 1)[1]) for line in f.read().splitlines()}
    return tried, r


def judge(name, tried, r):
    ok(len(tried) > 25, name + ": all was tried", r)
    for what, error in sorted(tried.items()):
        if what in ALLOWED:
            same(error, 0, "%s: %s goes on" % (name, what))
        elif what in FILES and not held["files"] and "child" not in name:
            skip("%s: %s" % (name, what), "this kernel has no Landlock")
        elif what not in FILES and not held["calls"] and what not in ("exec", "execve"):
            skip("%s: %s" % (name, what), "no seccomp")
        elif what == "kill" and error == 0 and "child" not in name:
            skip("%s: %s" % (name, what), "this kernel's Landlock knows no signals")
        else:
            ok(error in (errno.EPERM, errno.EACCES, errno.ENOSYS, errno.EXDEV), "%s: %s is refused" % (name, what), os.strerror(error))
    same((os.listdir("out/empty"), sorted(os.listdir("out")), open("out/there").read()), ([], ["empty", "there"], "here"),
         name + ": nothing has changed")


REQUESTS = b"".join(json.dumps(dict({"jsonrpc": "2.0"}, **m)).encode() + b"\n" for m in (
    {"id": 1, "method": "initialize", "params": {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}}},
    {"method": "notifications/initialized"},
    {"id": 2, "method": "tools/call", "params": {"name": "query", "arguments": {"query": "top 1 | show fn"}}}))
mcp = b"luaV_execute" in run("--mcp", profile, stdin=REQUESTS).out
plain, r = try_all("mdb_env_open", profile, "-q", "-c", "top 1")
ok(plain.get("exec") == 0 and plain.get("create") == 0 and plain.get("TCP socket") == 0, "without --safe all of this works", plain)
for path in os.listdir("out"):
    if path != "empty":
        (os.rmdir if os.path.isdir("out/" + path) else os.remove)("out/" + path)
os.makedirs("out/empty", exist_ok=True)
for name, args, stdin in (("--safe", ("-q", "--safe", "--rebuild", "-c", "top 1"), b""), ("--safe, a script", ("-q", "--safe", "--rebuild"), b"top 1\n"),
                          ("--safe --index", ("-q", "--safe", "--index", "index/i", "-c", "top 1"), b""), ("--mcp", ("--mcp", "--rebuild"), REQUESTS)):
    if name == "--mcp" and not mcp:
        skip("--mcp", "quern was built without jansson")
        continue
    for f in (profile + ".quern", "index/i"):
        if os.path.exists(f):
            os.remove(f)
    tried, r = try_all("mdb_env_open", profile, *args, stdin=stdin, index="index" if "--index" in args else "profiles")
    judge(name, tried, r)
    ok("luaV_execute" in r.text and os.path.exists("index/i" if "--index" in args else profile + ".quern"), name + ": an index is made", r)

# ---- with the user's settings, after them ----
os.makedirs(".config/quern")
os.mkdir("other")
shutil.copy(small + "tmpl-default.out", "other/o.out")
with open("other/o.out", "a") as f:   # of a size that gets an index
    f.write("# more\n" * 600000)
with open(".config/quern/init", "w") as f:
    f.write(".open o=other/o.out\n")
tried, r = try_all("pcre2_compile_8", profile, "-q", "--safe", "-c", "functions of /lua[DV]_/ | take 1")
ok(os.path.exists("other/o.out.quern"), "the user's own settings open a profile that the command line does not name", r)
judge("--safe after settings", tried, r)
os.remove(".config/quern/init")

# ---- indexes ----
os.chmod("profiles", 0o555)
for args, where in ((("profiles/link.out",), None), (("--no-index-write", profile), None), (("x=" + profile,), None), (("profiles/p.*",), None), (("-",), None)):
    r = run(*args, "-q", "--safe", "-c", "top 1 | show fn", stdin=open(profile, "rb").read() if args == ("-",) else b"")
    ok(r.status == 0 and "luaV_execute" in r.text, "--safe: a profile is opened: " + " ".join(args), r)
os.chmod("profiles", 0o755)
if mcp:
    p = subprocess.Popen([quern, "--mcp", profile], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    p.stdin.write(REQUESTS)
    p.stdin.flush()
    lines = [p.stdout.readline() for _ in range(2)]
    with open(profile, "w") as f:
        f.write("events: Ir\nfn=made_anew\n1 5\n")
    p.stdin.write(REQUESTS.splitlines(True)[2].replace(b'"id": 2', b'"id": 3'))
    p.stdin.close()
    ok(b"made_anew" in p.stdout.read(), "--mcp: a profile made anew is read", lines)
    p.wait()

# ---- the child ----
if shutil.which("valgrind") and shutil.which("g++") and "without libdw" not in run(profile, "-q", "-c", "asm of main").talk:
    from inlining import forget, out, record
    build("-O2", "-g")
    record()
    os.mkdir("root")
    shutil.copy2("p.built", "root/p")
    os.utime("root/p", (1, 1))
    with open(out) as f:
        text = f.read()
    with open("q.out", "w") as f:
        f.write(text.replace(here + "/p\n", here + "/root/p\n"))
    tried, r = try_all("elf_begin", "q.out", "-q", "--source-root", "root", "-c", "inlined | take 1", child=True)
    judge("the child", tried, r)
else:
    skip("the child", "no valgrind, no g++ or no libdw")
victim.kill()
done()
