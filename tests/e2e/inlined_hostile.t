#!/usr/bin/env python3
"""inlined_hostile.t - objects made to do damage: an answer, maybe a note, in bounded time and memory.

Mutated copies of real objects first; then a library in place of libdw's functions, for what
a child could do whose reader was taken over: run for ever, crash, take all memory, open
files, and write anything.  Last the files that debug information names.
"""
import os
import random
import resource
import shutil
import subprocess

from e2e import HUNG, PLANTS, SLOW, busy, done, ok, planted, same, seed, skip
from inlining import age, build, forget, need, record, restore, rows

need("valgrind", "g++", "objcopy", "readelf")
build("-O2", "-g")
record()
QUERY = "inlined of obj:p | show fn, file, self"
right, _ = rows(QUERY)
total, _ = rows("functions of obj:p | sum | show self")
NOTE = "inlined code is told by its file alone for "
SECONDS = 10 * SLOW     # of processor time, for a question


def by_file(answer, talk, *words):
    return (answer and not any(r[0] for r in answer) and NOTE in talk and all(w in talk for w in words))


# ---- mutated objects


def sections(path):
    """File ranges of the debug sections and of the headers."""
    ranges = [(0, 64)]
    for line in subprocess.run(["readelf", "-SW", path], text=True, capture_output=True).stdout.splitlines():
        w = line.replace("[", " ").replace("]", " ").split()
        if len(w) > 5 and w[0].isdigit() and w[1].startswith(".debug"):
            ranges.append((int(w[4], 16), int(w[5], 16)))
    with open(path, "rb") as f:
        head = f.read(64)
    at, n = int.from_bytes(head[40:48], "little"), int.from_bytes(head[60:62], "little")
    return ranges + [(at, 64 * n)] * 3


def mutate(data, ranges, rng):
    at, size = rng.choice(ranges)
    end = min(at + size, len(data))
    how = rng.randrange(6)
    if how < 3:         # some bytes, often extreme numbers
        for _ in range((1, 4, 60)[how]):
            data[rng.randrange(at, end)] = rng.choice((0, 1, 0x7f, 0x80, 0xff, rng.randrange(256)))
    elif how == 3:      # a word
        where = rng.randrange(at, max(at + 1, end - 8))
        data[where:where + 8] = rng.choice((0, 1, 1 << 31, (1 << 63) - 1, (1 << 64) - 1, len(data))).to_bytes(8, "little")
    elif how == 4:      # a piece of it elsewhere
        n = rng.randrange(1, 200)
        to, come = rng.randrange(at, end), rng.randrange(at, end)
        data[to:to + n] = data[come:come + n][:n].ljust(min(n, len(data) - to), b"\0")
    else:
        del data[rng.randrange(len(data)):]
    return data


bases = []
for i, flags in enumerate((["-gdwarf-5"], ["-gdwarf-4"], ["-gdwarf-5", "-gz"])):
    if i:
        build("-O2", *flags)
        shutil.copy2("p", "p.%d" % i)
    else:
        shutil.copy2("p.built", "p.0")
    with open("p.%d" % i, "rb") as f:
        bases.append((f.read(), sections("p.%d" % i)))
bad, rng = [], random.Random(seed(11))
for i in range(210 * (20 if os.environ.get("QUERN_TORTURE") else 1)):
    whole, ranges = bases[i % len(bases)]
    data = bytearray(whole)
    for _ in range(rng.choice((1, 1, 3))):
        if len(data) > 64:
            data = mutate(data, [r for r in ranges if r[0] + 8 < len(data)], rng)
    with open("p", "wb") as f:
        f.write(data)
    age(-10)
    forget()
    began = busy()
    answer, talk = rows(QUERY)
    took = busy() - began
    if not answer or talk.count("note: ") > 1 or (talk and NOTE not in talk) or took > SECONDS:
        bad.append("%d: %.1f s, %s" % (i, took, talk))
ok(not bad, "mutated objects: rows, at most a note, in bounded processor time", "\n".join(bad[:3]))
peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss >> 10
ok(peak < 600 * SLOW, "and in bounded memory", "%d MiB" % peak)

# ---- a reader that was taken over

TAKEN = r"""
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
static void all_pipes(const void *p, size_t n)
{
	for (int fd = 3; fd < 64; fd++)
		if ((fcntl(fd, F_GETFL) & O_ACCMODE) == O_WRONLY)
			for (size_t done = 0; done < n;) {
				ssize_t w = write(fd, (const char *)p + done, n - done);
				if (w <= 0)
					break;
				done += (size_t)w;
			}
}
int PLANTED(dwarf_get_units)()
{
	static unsigned char b[1 << 16];
	const char *what = getenv("DOES");
	unsigned x = (unsigned)atoi(what + 1) * 2654435761u + 1;
	switch (what[0]) {
	case 'l': for (;;) ;
	case 's': for (;;) pause();
	case 'c': abort();
	case 'm': for (;;) { char *p = malloc(1 << 20); if (!p) _exit(7); memset(p, 1, 1 << 20); }
	case 'w': for (;;) all_pipes(b, sizeof(b));
	case 'o': if (open("/dev/null", O_RDONLY) >= 0) abort(); return 1;
	case 'g':
		for (size_t i = 0; i < sizeof(b); i++) {
			x = x * 1664525 + 1013904223;
			b[i] = (x >> 30) ? (unsigned char)(x >> 20) % 4 : (unsigned char)(x >> 20);
		}
		b[0] = b[1] = 0;
		all_pipes(b, x % sizeof(b));
		_exit(0);
	}
	return 1;
}
"""
if not PLANTS:
    skip("a reader that was taken over", "a sanitizer does not run with another library before it")
else:
    program = planted(TAKEN, "dwarf_get_units")

    def taken(does, *more):
        restore()
        forget()
        answer = rows(QUERY, *more, program=program["program"], env=dict(program["env"], DOES=does))
        forget()
        return answer

    for does, name, word in (("l", "runs for ever", "takes too long"), ("c", "crashes", "cannot be read"),
                             ("m", "takes all memory", "cannot be read"), ("w", "writes for ever", "too much memory")):
        answer, talk = taken(does, "--limit", "seconds=%d" % HUNG)
        ok(by_file(answer, talk, word), "a reader that %s: rows by file, and why" % name, "%s\n%s" % (talk, answer))
    answer, talk = taken("s", "--limit", "seconds=1")
    ok(answer is None and "status 6" in talk, "one that sleeps: the query's time limit", talk)
    answer, talk = taken("o")
    ok(answer and not talk, "it cannot open a file", talk)
    bad = []
    for i in range(60 * (20 if os.environ.get("QUERN_TORTURE") else 1)):
        answer, talk = taken("g%d" % i)
        if not answer or (talk and NOTE not in talk):
            bad.append((i, answer, talk))
    ok(not bad, "one that writes anything: rows", bad[:2])
peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss >> 10
ok(peak < 600 * SLOW, "all of that in bounded memory", "%d MiB" % peak)
restore()
same(rows(QUERY)[0], right, "the object itself, after all of that")
same(rows("functions of obj:p | sum | show self")[0], total, "and what functions cost")
done()
