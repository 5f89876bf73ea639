/*
 * look.c - what it takes only to look at every number of a profile: a floor for parse.
 *
 *	build/release/bench/look FILE...
 *
 * Cost lines and jumps are taken 64 bytes at a time, as masks of what each byte is (AVX-512).  An
 * addition finds where all first numbers end, the next one the second ones: a carry goes through
 * a number and stops at its end.
 *
 *	+3 0 2786\n+5 0 2786\n
 *	^          ^		starts
 *	  ^          ^		numbers + starts: ends of the first
 *	    ^          ^	numbers + what is behind these: of the second
 *
 * What is no such line is a bit in the wrong place, and the costs are added by their digits.  Nothing
 * is kept, no position is added up, no name is looked at, so a reader that knows what stands where
 * does all of this, or something instead of it, and more.  A plain loop has to find the same sum.
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

enum { RUNS = 9, BEHIND = 64 };

struct seen {
	uint64_t costs, jumps, others; /* lines; of a jump one of its two */
	uint64_t sum;
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
		const uint64_t places = line | c1 << 1 | j1 << 1 | j2 << 1;
		const uint64_t hex = places & k.digit & k.x >> 1,
			       hexes = field(inside, hex);
		const uint64_t words = field(inside, jump) & all;
		const uint64_t letters =
			~(k.digit | k.sign | k.star | k.blank | k.newline);
		uint64_t bad = blanks & newline, run;

		bad |= ((c3 & newline) | j3 << 1) ^ newline;
		bad |= ((blanks | c3) & ~newline) ^ (k.blank & all);
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
		s->sum += sum_of(p, k.digit, c3);
		const uint64_t n = (uint64_t)__builtin_popcountll(jump);

		s->jumps += n;
		s->costs += (uint64_t)__builtin_popcountll(newline) - 2 * n;
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

/* The number that a line of costs ends with; 0: it is another line, or there is none. */
static uint64_t cost_of(const char *p, const char *newline)
{
	uint64_t v = 0, ten = 1;

	if (*p > '9' || *p < '*')
		return 0;
	for (; newline > p && newline[-1] >= '0' && newline[-1] <= '9'; newline--) {
		v += ten * (uint64_t)(newline[-1] - '0');
		ten *= 10;
	}
	return v;
}

/* All lines; plain: one after the other. */
static struct seen look_through(const char *p, size_t n, bool plain)
{
	const char *end = p + n;
	struct seen s = {0};

	while (p < end) {
		const char *q = plain ? p : look(p, end, &s), *newline;

		if (q == p || *q > '9' || *q < '*') {
			if (q >= end)
				break;
			newline = memchr(q, '\n', (size_t)(end - q));
			newline = newline ? newline : end;
			s.sum += cost_of(q, newline);
			s.others++;
			q = newline + 1;
		}
		p = q;
	}
	return s;
}

static uint64_t count_newlines(const char *p, size_t n)
{
	uint64_t lines = 0;

	for (const char *end = p + n; (p = memchr(p, '\n', (size_t)(end - p))); p++)
		lines++;
	return lines;
}

static double now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

static int by_size(const void *a, const void *b)
{
	const double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
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

static int measure(const char *file)
{
	const int fd = open(file, O_RDONLY | O_CLOEXEC);
	double looked[RUNS], counted[RUNS];
	struct seen s = {0}, plain;
	struct stat st;
	uint64_t lines;

	if (fd < 0 || fstat(fd, &st) || st.st_size == 0) {
		fprintf(stderr, "look: %s: cannot be read\n", file);
		return 1;
	}
	const size_t n = (size_t)st.st_size;
	/* 64 bytes are loaded wherever a line begins. */
	char *room = mmap(NULL, n + 2 * BEHIND * 64, PROT_READ,
			  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (room == MAP_FAILED)
		return 1;
	for (int i = 0; i < RUNS; i++) {
		double start;

		counted[i] = wc(file);
		start = now_ms();
		if (mmap(room, n, PROT_READ, MAP_PRIVATE | MAP_FIXED, fd, 0) != room)
			return 1;
		s = look_through(room, n, false);
		munmap(room, n);
		looked[i] = now_ms() - start;
	}
	if (mmap(room, n, PROT_READ, MAP_PRIVATE | MAP_FIXED, fd, 0) != room)
		return 1;
	plain = look_through(room, n, true);
	lines = count_newlines(room, n);
	qsort(counted, RUNS, sizeof(*counted), by_size);
	qsort(looked, RUNS, sizeof(*looked), by_size);
	printf("%s: %llu lines: %llu of costs, %llu jumps, %llu others\n", file,
	       (unsigned long long)lines, (unsigned long long)s.costs,
	       (unsigned long long)s.jumps, (unsigned long long)s.others);
	printf("wc -l %.1f ms; every number looked at %.1f ms, %.1f x (medians of %d)\n",
	       counted[RUNS / 2], looked[RUNS / 2],
	       counted[RUNS / 2] > 0 ? looked[RUNS / 2] / counted[RUNS / 2] : 0, RUNS);
	close(fd);
	if (s.sum != plain.sum || s.costs + 2 * s.jumps + s.others != lines) {
		printf("the sum is wrong: %llu, not %llu\n", (unsigned long long)s.sum,
		       (unsigned long long)plain.sum);
		return 1;
	}
	return 0;
}

int main(int argc, char **argv)
{
	int rc = argc < 2;

	if (rc || !possible()) {
		fputs(rc ? "usage: look FILE...\n" : "look: needs AVX-512\n", stderr);
		return 2;
	}
	for (int i = 1; i < argc; i++)
		rc |= measure(argv[i]);
	return rc;
}
