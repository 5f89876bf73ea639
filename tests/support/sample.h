/* sample.h - a small profile with something of everything: objects, a cycle, jumps, inlined
 * code, a derived event, parts of different events, a line that nobody knows. */
#ifndef QUERN_TESTS_SAMPLE_H
#define QUERN_TESTS_SAMPLE_H

#define SAMPLE_HEAD                                                            \
	"version: 1\ncreator: callgrind-3.19.0\npid: 7\ncmd: ./x y\npart: 1\n" \
	"desc: Trigger: Program termination\ndesc: Timerange: 0 - 9\n"         \
	"positions: instr line\nevents: Ir Dr\nevent: X = 2 Ir + Dr : Ex\n"    \
	"ob=(1) /bin/x\nfl=(1) a.c\nfn=(1) main\n0x10 1 1 1\n"                 \
	"cfn=(2) A\ncalls=2 0x20 2\n0x12 2 10\n"                               \
	"fn=(2)\n0x20 3 3\ncfn=(3) B\ncalls=1 0x30 6\n0x22 4 7\n"              \
	"fn=(3)\n0x30 6 5\ncfi=(2) a.h\ncfn=(2)\ncalls=1 0x20 3\n0x32 6 1\n"   \
	"cob=(2) /lib/h\ncfi=(2)\ncfn=(4) H\ncalls=1 0x90 9\n0x34 7 2\n"       \
	"jcnd=1/4 0x30 6\n0x36 8\n"
/* More functions, 5 and up, go between them. */
#define SAMPLE_TAIL                                                             \
	"totals: 9 1\n"                                                         \
	"part: 2\nevents: Ir Dw\nob=(2)\nfl=(2)\nfn=(4)\n0x90 9 2 4\n+1 +1 1\n" \
	"what\nsummary: 3 4\n"

#endif
