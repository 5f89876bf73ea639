/*
 * generated_test.c - thousands of profiles by chance (tests/support/any_profile.h), and real files
 * with random damage, against the simple reader (tests/support/naive.h).
 *
 *	generated_test [SEED [COUNT]]
 *
 * Each is read in several ways: by one thread, by 1 to 8 in stretches of any length, packed in
 * any of the formats.
 * Cases are numbered by their seed; KEEP=DIR writes those that fail there.
 */
#include <stdlib.h>

#include "engine/query.h"
#include "index/base/out.h"
#include "index/base/isa.h"
#include "tests/support/any_profile.h"
#include "tests/support/dice.h"
#include "tests/support/fuzzing.h"
#include "tests/support/naive.h"
#include "tests/support/tap.h"

/* ---- random damage to a real file ---- */

static void mutate(char *p, size_t *n)
{
	static const char bytes[] = "0123456789\n\n\n +-*=(){}':.,xcfnloibjatse#\r\t";
	unsigned times = 1 + dice_below(12);

	for (unsigned i = 0; i<times && * n> 40; i++) {
		size_t at = dice_below((unsigned)*n), len = 1 + dice_below(30), to;

		if (at + len > *n)
			len = *n - at;
		switch (dice_below(4)) {
		case 0: p[at] = (char)dice_u64(); break;
		case 1: p[at] = bytes[dice_below(sizeof(bytes) - 1)]; break;
		case 2: /* cut out */
			memmove(p + at, p + at + len, *n - at - len);
			*n -= len;
			break;
		default: /* copied over another place */
			to = dice_below((unsigned)(*n - len + 1));
			memmove(p + to, p + at, len);
			break;
		}
	}
}

/* ---- the runs ---- */

static void report_case(const char *what, uint64_t seed, const char *why, const char *p,
			size_t n)
{
	const char *keep = getenv("KEEP");
	char path[512];
	FILE *f;

	fprintf(stderr, "# %s, seed %" PRIu64 ": %s\n", what, seed, why);
	if (!keep)
		return;
	snprintf(path, sizeof(path), "%s/%s.%" PRIu64, keep, what, seed);
	f = fopen(path, "w");
	if (f) {
		fwrite(p, 1, n, f);
		fclose(f);
	}
}

/* Any length from 1, of any number of digits. */
static size_t any_stretch(size_t n)
{
	size_t most = n;

	while (most > 64 && one_in(2))
		most /= 4;
	return 1 + dice_below((unsigned)most + 1);
}

enum { LARGE = 128 << 10 };

static uint64_t compared; /* indexes with a simple reading */

/* The ways in which a text is read; false, and what is to be said in why, when one of them
 * is wrong. */
static bool agree(const char *text, size_t n, const char **how, char *why, size_t size)
{
	const struct naive_way pieces = {.jobs = 1 + (one_in(4) ? dice_below(8)
								: dice_below(3)),
					 .stretch = any_stretch(n),
					 .give = one_in(2) ? 1 + dice_below(1000) : 0},
			       packed = {.jobs = 1,
					 .stretch = one_in(2) ? 1 + dice_below(600) : 0,
					 .members = 1 + dice_below(4),
					 .pack = one_in(2)
							 ? PACK_GZIP
							 : (enum pack)dice_below(PACKS)};
	struct naive r;
	bool same;

	naive_read(&r, text, n);
	*how = "as a whole";
	same = naive_agrees(&r, text, n, &(struct naive_way){.jobs = 1}, why, size);
	compared++;
	if (same) {
		*how = "in stretches";
		same = naive_agrees(&r, text, n, &pieces, why, size);
		compared++;
	}
	if (same && !r.refused && (one_in(8) || n > LARGE)) {
		*how = pack_name(packed.pack);
		same = naive_agrees(&r, text, n, &packed, why, size);
		compared++;
	}
	naive_free(&r);
	return same;
}

static void run_generated(uint64_t from, uint64_t n)
{
	const char *const *paths = isa_names();
	unsigned failed = 0, npaths = 0;

	while (paths[npaths])
		npaths++;
	for (uint64_t seed = from; seed < from + n; seed++) {
		struct out made;
		const char *how;
		char why[1400] = "";

		dice_state = hash_mix(seed);
		isa_force(paths[seed % npaths]);
		made = any_profile(dice_state, 0);
		if (!agree(made.n ? made.buf : "", made.n, &how, why, sizeof(why)) &&
		    failed++ < 5)
			report_case(how, seed, why, made.buf, made.n);
		out_close(&made);
	}
	isa_force(paths[0]);
	is_u64(failed, 0, "%" PRIu64 " generated profiles", n);
}

/* ---- sets of files ---- */

static void run_sets(uint64_t from, uint64_t n)
{
	unsigned failed = 0;

	for (uint64_t seed = from; seed < from + n; seed++) {
		struct str file[NAIVE_FILES];
		struct out made[NAIVE_FILES];
		struct naive_way way;
		size_t files, before;
		char why[1400] = "";

		dice_state = hash_mix(seed);
		files = 2 + dice_below(3);
		for (size_t i = 0; i < files; i++) {
			made[i] = any_profile(i ? 0 : dice_state, 1 + (unsigned)i);
			file[i] = out_text(&made[i]);
		}
		before = dice_below((unsigned)files);
		way = (struct naive_way){.jobs = 1 + dice_below(3),
					 .stretch = one_in(2) ? any_stretch(2000) : 0,
					 .members = one_in(6),
					 .pack = (enum pack)dice_below(PACKS)};
		compared++;
		if (!naive_set_agrees(file, files, before, &way, why, sizeof(why)) &&
		    failed++ < 5)
			for (size_t i = 0; i < files; i++)
				report_case((const char *const[]){"set-1", "set-2",
								  "set-3", "set-4"}[i],
					    seed, why, file[i].p, file[i].n);
		for (size_t i = 0; i < files; i++)
			out_close(&made[i]);
	}
	is_u64(failed, 0, "%" PRIu64 " sets of generated profiles", n);
}

static void run_mutated(const char *where, const char *name, uint64_t from, uint64_t n)
{
	static char text[100000], copy[sizeof(text)];
	unsigned failed = 0;
	char path[200], why[1400];
	const char *how;
	FILE *f;
	size_t size, len;

	snprintf(path, sizeof(path), "tests/fixtures/%s/%s", where, name);
	f = fopen(path, "r");
	if (!f) {
		skip("the fixtures are not below the current directory");
		return;
	}
	size = fread(text, 1, sizeof(text), f);
	fclose(f);
	for (uint64_t seed = from; seed < from + n; seed++) {
		memcpy(copy, text, len = size);
		dice_state = hash_mix(seed);
		mutate(copy, &len);
		if (!agree(copy, len, &how, why, sizeof(why)) && failed++ < 2)
			report_case(name, seed, why, copy, len);
	}
	is_u64(failed, 0, "%" PRIu64 " damaged copies of %s", n, name);
}

int main(int argc, char **argv)
{
	static const char *const quirks[] = {
		"aa_xdappend.cg", "b_rel.cg", "bb_cfnfirst.cg", "c_cfi.cg", "d_fi.cg",
		"e_cfn.cg",	  "h_hex.cg", "i_neg.cg",	"n_ns.cg",  "nul.cg",
		"r_jcnd2.cg",	  "range.cg", "t_parts.cg",	"cfni.cg",  "v_names.cg",
		"x_nocost.cg",	  "z_mut.cg",
	};
	static const char *const small[] = {
		"thr-septhreads.out-05",  "xdebug-append-different-scripts.out",
		"gopprof-cpu.callgrind",  "clreq-combine.out",
		"mutual-instr-jumps.out", "xtree-memory-memcheck.kcg",
	};
	uint64_t seed = argc > 1 ? strtoull(argv[1], NULL, 0) : tap_seed(0) * 1000000 + 1;
	uint64_t n = argc > 2		       ? strtoull(argv[2], NULL, 0)
		     : getenv("QUERN_TORTURE") ? 10000
					       : 1500;

	run_generated(seed, n);
	run_sets(seed, n / 5);
	for (size_t i = 0; i < COUNT(quirks); i++)
		run_mutated("quirks", quirks[i], seed, n / 60);
	for (size_t i = 0; i < COUNT(small); i++)
		run_mutated("small", small[i], seed, n / 100);
	printf("# %" PRIu64 " indexes compared\n", compared);
	return done_testing();
}
