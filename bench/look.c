/*
 * look.c - two lower bounds for the time that an index takes: to look at every number of
 * a profile, and also to store half as many bytes as the profile has.
 *
 *	build/release/bench/look [--tsv] FILE...
 *
 * Cost lines and jumps are read 64 bytes at a time, with AVX-512: a mask for each kind of
 * byte has one bit per byte.  One addition finds the ends of all first numbers, a second
 * addition those of all second numbers: its carry runs through a number and stops at the
 * end of it.
 *
 *	+3 0 2786\n+5 0 2786\n
 *	^          ^		starts
 *	  ^          ^		numbers + starts: ends of the first numbers
 *	    ^          ^	numbers + starts of the second numbers: their ends
 *
 * The numbers after the second one of a line are its costs.  A line of another kind has a
 * bit where these lines have none, and the loop stops there.  Costs are added up;
 * positions are not, and names are not read.  A reader that also finds out what each
 * number means does at least this much work.  A plain loop checks the sum.
 *
 * An index also keeps the lines and finds the function of each.  A second run adds the
 * least work for that: it stores half as many bytes as the lines have (an index has 48 %
 * of the text of a profile of one part, and 70 % with 13 events), and adds 1 to a counter
 * for each id in parentheses.
 */
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "index/base/order.h"

enum {
	RUNS = 9,
	BEHIND = 64,	   /* bytes that may be loaded behind the text */
	PIECE = 256 << 10, /* of the text in memory; lines are shorter */
	IDS = 1 << 16,
};

struct seen {
	uint64_t costs, jumps, others; /* lines; of a jump one of its two */
	uint64_t sum;
	char *kept;    /* where what is kept goes on */
	size_t keeps;  /* all ones, or 0: nothing is kept */
	uint32_t *ids; /* how often each was met; NULL: not looked up */
};

#if defined(__x86_64__)
#include <immintrin.h>
#define TARGET __attribute__((target("avx512f,avx512bw,bmi,bmi2,lzcnt,popcnt")))

/* What each of 64 bytes is. */
struct kinds {
	uint64_t digit, sign, star, blank, newline, j, x, af;
};

static inline TARGET __m512i load(const char *p)
{
	return _mm512_loadu_si512((const void *)p);
}

static inline TARGET void look_at(const char *p, struct kinds *k)
{
	const __m512i v = load(p), digit = _mm512_sub_epi8(v, _mm512_set1_epi8('0'));
	const __m512i af = _mm512_sub_epi8(v, _mm512_set1_epi8('a'));

	k->digit = _mm512_cmple_epu8_mask(digit, _mm512_set1_epi8(9));
	k->sign = _mm512_cmpeq_epi8_mask(v, _mm512_set1_epi8('-')) |
		  _mm512_cmpeq_epi8_mask(v, _mm512_set1_epi8('+'));
	k->star = _mm512_cmpeq_epi8_mask(v, _mm512_set1_epi8('*'));
	k->blank = _mm512_cmpeq_epi8_mask(v, _mm512_set1_epi8(' '));
	k->newline = _mm512_cmpeq_epi8_mask(v, _mm512_set1_epi8('\n'));
	k->j = _mm512_cmpeq_epi8_mask(v, _mm512_set1_epi8('j'));
	k->x = _mm512_cmpeq_epi8_mask(v, _mm512_set1_epi8('x'));
	k->af = _mm512_cmple_epu8_mask(af, _mm512_set1_epi8(5));
}

/* The sum of the numbers, of up to 6 digits, that end in front of `ends`. */
static inline TARGET uint64_t sum_of(const char *p, uint64_t digit, uint64_t ends)
{
	const __m512i x = _mm512_sub_epi8(load(p), _mm512_set1_epi8('0'));
	const uint64_t d0 = digit & ends >> 1, d1 = digit & d0 >> 1, d2 = digit & d1 >> 1;
	const uint64_t d3 = digit & d2 >> 1, d4 = digit & d3 >> 1, d5 = digit & d4 >> 1;
	__m512i w = _mm512_maskz_mov_epi8(d0, _mm512_set1_epi8(1)), sum;

	w = _mm512_mask_mov_epi8(w, d1, _mm512_set1_epi8(10));
	w = _mm512_mask_mov_epi8(w, d2, _mm512_set1_epi8(100));
	sum = _mm512_madd_epi16(_mm512_maddubs_epi16(x, w), _mm512_set1_epi16(1));
	if (d3) {
		w = _mm512_maskz_mov_epi8(d3, _mm512_set1_epi8(1));
		w = _mm512_mask_mov_epi8(w, d4, _mm512_set1_epi8(10));
		w = _mm512_mask_mov_epi8(w, d5, _mm512_set1_epi8(100));
		sum = _mm512_add_epi32(sum, _mm512_madd_epi16(_mm512_maddubs_epi16(x, w),
							      _mm512_set1_epi16(1000)));
	}
	return (uint32_t)_mm512_reduce_add_epi32(sum);
}

/* Ones from each bit of `starts` up to the next separator. */
static inline uint64_t field(uint64_t inside, uint64_t starts)
{
	return inside & ~(inside + starts);
}

/* "jcnd=3/12", "jump=12": the field at bit i of p. */
static inline bool is_jump(const char *p, unsigned i, uint64_t fields, uint64_t digit)
{
	const unsigned n = (unsigned)__builtin_ctzll(~(fields >> i));
	const uint64_t number = (((uint64_t)1 << n) - 1) & ~(uint64_t)0x1f;
	const uint64_t others = ~(digit >> i) & number;
	uint64_t word;

	memcpy(&word, p + i, sizeof(word));
	word &= 0xffffffffff;
	if (word == 0x3d706d756a)
		return number && !others;
	return word == 0x3d646e636a && others && !(others & (others - 1)) &&
	       p[i + (unsigned)__builtin_ctzll(others)] == '/';
}

/* Lines from p on, as long as they are of two positions and a cost, or jumps; where that ends. */
static TARGET const char *look(const char *p, const char *end, struct seen *s)
{
	while (p < end) {
		struct kinds k;
		uint64_t newline, stop;

		look_at(p, &k);
		/* Lines in front of the first that begins with something else. */
		const uint64_t first = k.newline << 1 | 1;

		stop = first & ~(k.digit | k.sign | k.star | k.j);
		newline = k.newline & (stop ^ (stop - 1)) >> 1;
again:
		if (!newline)
			return p;
		const unsigned top = 63 - (unsigned)__builtin_clzll(newline);
		const uint64_t all = UINT64_MAX >> (63 - top);
		const uint64_t starts = first & all, seps = (k.blank | newline) & all;
		const uint64_t inside = ~(k.blank | k.newline);
		const uint64_t jump = starts & k.j, line = starts & ~k.j;
		/* Ends of numbers: of a jump's first line three, each with a blank. */
		const uint64_t j1 = (inside + jump) & seps;
		const uint64_t j2 = (inside + (j1 << 1)) & seps;
		const uint64_t j3 = (inside + (j2 << 1)) & seps;
		const uint64_t c1 = (inside + line) & seps;
		const uint64_t c2 = (inside + (c1 << 1)) & seps;
		const uint64_t c3 = (inside + (c2 << 1)) & seps;
		const uint64_t source = j3 << 2; /* where a jump's second line begins */

		if (source & ~all || j3 << 1 & ~all) {
			newline &= ((uint64_t)1 << (63 - __builtin_clzll(jump))) - 1;
			goto again;
		}
		/* That has no cost, and only that. */
		const uint64_t none = c3 & c2 << 1;
		const uint64_t blanks = c1 | c2 | j1 | j2 | j3;
		const uint64_t costs = seps & ~(blanks | none | j3 << 1);
		const uint64_t places = line | c1 << 1 | j1 << 1 | j2 << 1;
		const uint64_t hex = places & k.digit & k.x >> 1,
			       hexes = field(inside, hex);
		const uint64_t words = field(inside, jump) & all;
		const uint64_t letters =
			~(k.digit | k.sign | k.star | k.blank | k.newline);
		uint64_t bad = blanks & newline, run;

		bad |= j3 << 1 & ~newline;
		bad |= ((~k.newline + source) & newline) ^ none;
		bad |= source & jump;
		bad |= (k.sign | k.star) & ~places;
		bad |= k.sign << 1 & ~k.digit;
		bad |= k.star << 1 & ~seps;
		bad |= (seps & ~(none | j3 << 1)) >> 1 &
		       ~(k.digit | k.star | (k.af & hexes));
		bad |= letters & ~words & ~(hexes & (k.af | hex << 1));
		run = k.digit & ~hexes; /* 7 digits: too many */
		run &= run >> 1;
		bad |= run & run >> 2 & run >> 4 & run >> 5;
		run = hexes; /* as a hexadecimal number, 16 */
		run &= run >> 1;
		run &= run >> 2;
		run &= run >> 4;
		bad |= run & run >> 8;
		for (uint64_t m = jump; m; m &= m - 1) {
			const unsigned i = (unsigned)__builtin_ctzll(m);

			bad |= is_jump(p, i, words, k.digit) ? 0 : m & -m;
		}
		bad &= all;
		if (bad) {
			newline &= (bad & -bad) - 1;
			goto again;
		}
		s->sum += sum_of(p, k.digit, costs);
		const uint64_t n = (uint64_t)__builtin_popcountll(jump);

		s->jumps += n;
		s->costs += (uint64_t)__builtin_popcountll(newline) - 2 * n;
		memcpy(s->kept, p, 32);
		s->kept += (top + 1) / 2 & s->keeps;
		p += top + 1;
	}
	return p;
}

static bool possible(void)
{
	return __builtin_cpu_supports("avx512bw");
}
#else
static const char *look(const char *p, const char *end, struct seen *s)
{
	(void)end;
	(void)s;
	return p;
}

static bool possible(void)
{
	return false;
}
#endif

/* The costs of a line, behind its two positions; 0: it is another line, or there are none. */
static uint64_t cost_of(const char *p, const char *newline)
{
	uint64_t sum = 0, v = 0;
	unsigned blanks = 0;

	if (*p > '9' || *p < '*')
		return 0;
	for (; p < newline; p++) {
		if (*p == ' ') {
			sum += v;
			v = 0;
			blanks++;
		} else if (blanks > 1) {
			v = v * 10 + (uint64_t)(*p - '0');
		}
	}
	return sum + v;
}

/* The id in a line like "cfn=(12) name". */
static void look_up(uint32_t *ids, const char *p)
{
	uint64_t id = 0;

	p += p[0] == 'c' ? 4 : 3;
	if (*p++ != '(')
		return;
	for (; *p >= '0' && *p <= '9'; p++)
		id = id * 10 + (uint64_t)(*p - '0');
	ids[id % IDS]++;
}

/* All lines; plain: one after the other. */
static void look_through(const char *p, size_t n, bool plain, struct seen *s)
{
	const char *end = p + n;

	while (p < end) {
		const char *q = plain ? p : look(p, end, s), *newline;

		if (q == p || *q > '9' || *q < '*') {
			if (q >= end)
				break;
			newline = memchr(q, '\n', (size_t)(end - q));
			newline = newline ? newline : end;
			s->sum += cost_of(q, newline);
			s->others++;
			if (s->ids && *q != '\n')
				look_up(s->ids, q);
			q = newline + 1;
		}
		p = q;
	}
}

static uint64_t count_newlines(const char *p, size_t n)
{
	uint64_t lines = 0;

	for (const char *end = p + n; (p = memchr(p, '\n', (size_t)(end - p))); p++)
		lines++;
	return lines;
}

/* The text read into the same memory again and again, a piece of whole lines at a time; its lines,
 * or 0 when it cannot be read. */
static uint64_t look_at_file(int fd, char *piece, bool plain, struct seen *s)
{
	uint64_t at = 0, lines = 0;
	ssize_t n;

	while ((n = pread(fd, piece, PIECE, (off_t)at)) > 0) {
		const char *newline = memrchr(piece, '\n', (size_t)n);

		if (n == PIECE && newline)
			n = newline + 1 - piece;
		look_through(piece, (size_t)n, plain, s);
		if (plain)
			lines += count_newlines(piece, (size_t)n);
		at += (uint64_t)n;
	}
	return n < 0 ? 0 : plain ? lines : 1;
}

static double now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

static int by_size(const void *a, const void *b)
{
	return order_double(*(const double *)a, *(const double *)b);
}

/* The time of `wc -l`; 0: it failed. */
static double wc(const char *file)
{
	const int nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);
	const double start = now_ms();
	const pid_t pid = fork();
	int status = 1;

	if (pid == 0) {
		if (dup2(nowhere, STDOUT_FILENO) >= 0)
			execlp("wc", "wc", "-l", "--", file, (char *)NULL);
		_exit(1);
	}
	close(nowhere);
	return pid > 0 && waitpid(pid, &status, 0) == pid && !status ? now_ms() - start
								     : 0;
}

/* Written to a file that nobody sees, and on the disk; its time, 0: that cannot be done. */
static double write_out(const char *from, size_t n)
{
	char path[] = "look.XXXXXX";
	const int fd = mkstemp(path);
	const double start = now_ms();
	bool done = fd >= 0 && unlink(path) == 0;

	for (size_t at = 0; done && at < n;) {
		const ssize_t w = write(fd, from + at, n - at);

		done = w > 0;
		at += done ? (size_t)w : 0;
	}
	done = done && fsync(fd) == 0;
	if (fd >= 0)
		close(fd);
	return done ? now_ms() - start : 0;
}

struct times {
	double ms[4][RUNS]; /* by ways[] */
};

/* Each in turn.  0, or -1. */
static int measure_runs(const char *file, int fd, char *piece, size_t size,
			struct times *t, struct seen *s)
{
	uint32_t *ids = calloc(IDS, sizeof(*ids));
	int rc = ids ? 0 : -1;

	for (int i = 0; !rc && i < RUNS; i++) {
		char nowhere[32], *room;
		struct seen kept = {.keeps = SIZE_MAX, .ids = ids};
		double start;

		t->ms[0][i] = wc(file);
		*s = (struct seen){.kept = nowhere};
		start = now_ms();
		rc = look_at_file(fd, piece, false, s) ? 0 : -1;
		t->ms[1][i] = now_ms() - start;
		start = now_ms();
		room = mmap(NULL, size / 2 + BEHIND, PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		if (rc || room == MAP_FAILED) {
			rc = -1;
			break;
		}
		kept.kept = room;
		rc = look_at_file(fd, piece, false, &kept) ? 0 : -1;
		t->ms[2][i] = now_ms() - start;
		t->ms[3][i] = write_out(room, (size_t)(kept.kept - room));
		munmap(room, size / 2 + BEHIND);
	}
	free(ids);
	return rc;
}

static const char *const ways[] = {"wc -l", "every number looked at",
				   "and half as many bytes kept",
				   "these written and synced"};
enum { WAYS = sizeof(ways) / sizeof(ways[0]) };

/* tsv: as bench/parse has it, way, median, least and most ns. */
static void print_times(struct times *t, bool tsv)
{
	double one;

	for (size_t i = 0; i < WAYS; i++)
		qsort(t->ms[i], RUNS, sizeof(*t->ms[i]), by_size);
	one = t->ms[0][RUNS / 2] > 0 ? t->ms[0][RUNS / 2] : 1;
	for (size_t i = 0; i < WAYS; i++) {
		const double *ms = t->ms[i];

		if (tsv)
			printf("%s\t%.0f\t%.0f\t%.0f\n", ways[i], ms[RUNS / 2] * 1e6,
			       ms[0] * 1e6, ms[RUNS - 1] * 1e6);
		else
			printf("  %-28s %8.1f ms  %5.1f x  (median of %d, least %.1f ms)\n",
			       ways[i], ms[RUNS / 2], ms[RUNS / 2] / one, RUNS, ms[0]);
	}
}

/* Lines of two positions, as these loops know them. */
static bool has_two_positions(int fd, char *piece)
{
	const char *word = "\npositions: instr line\n";
	const ssize_t n = pread(fd, piece, PIECE, 0);

	return n > 0 && memmem(piece, (size_t)n, word, strlen(word));
}

static int measure(const char *file, bool tsv)
{
	const int fd = open(file, O_RDONLY | O_CLOEXEC);
	char *piece = calloc(1, PIECE + BEHIND), nowhere[32];
	struct seen s = {0}, plain = {.kept = nowhere};
	struct times t;
	struct stat st;
	uint64_t lines;
	int rc = 1;

	if (fd < 0 || !piece || fstat(fd, &st) || st.st_size == 0) {
		fprintf(stderr, "look: %s: cannot be read\n", file);
		goto out;
	}
	if (!has_two_positions(fd, piece)) {
		fprintf(stderr, "look: %s: only for \"positions: instr line\"\n", file);
		goto out;
	}
	if (measure_runs(file, fd, piece, (size_t)st.st_size, &t, &s)) {
		fprintf(stderr, "look: %s: out of memory, or it cannot be read\n", file);
		goto out;
	}
	lines = look_at_file(fd, piece, true, &plain);
	if (!tsv)
		printf("%s: %llu lines: %llu of costs, %llu jumps, %llu others\n", file,
		       (unsigned long long)lines, (unsigned long long)s.costs,
		       (unsigned long long)s.jumps, (unsigned long long)s.others);
	print_times(&t, tsv);
	rc = s.sum != plain.sum || s.costs + 2 * s.jumps + s.others != lines;
	if (rc)
		fprintf(stderr, "look: %s: the sum is wrong: %llu, not %llu\n", file,
			(unsigned long long)s.sum, (unsigned long long)plain.sum);
out:
	free(piece);
	if (fd >= 0)
		close(fd);
	return rc;
}

int main(int argc, char **argv)
{
	const bool tsv = argc > 1 && strcmp(argv[1], "--tsv") == 0;
	int rc = argc < 2 + tsv;

	if (rc || !possible()) {
		fputs(rc ? "usage: look [--tsv] FILE...\n" : "look: needs AVX-512\n",
		      stderr);
		return 2;
	}
	for (int i = 1 + tsv; i < argc; i++)
		rc |= measure(argv[i], tsv);
	return rc;
}
