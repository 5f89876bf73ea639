/*
 * hot.c - the functions that cost most, by libquern.
 *
 *	cc hot.c $(pkg-config --cflags --libs quern) -o hot && ./hot callgrind.out.1
 */
#include <inttypes.h>
#include <quern.h>
#include <stdio.h>

static int fail(const quern_error *err)
{
	fprintf(stderr, "%s\n%s\n", err->message, err->hint);
	return err->status;
}

int main(int argc, char **argv)
{
	const char *text = argc > 2 ? argv[2] : "functions | take 10 | show self, fn";
	quern_error err;
	quern_profile *p = quern_open(argc > 1 ? argv[1] : "", NULL, &err);
	quern_answer *a = p ? quern_query(p, text, &err) : NULL;

	for (size_t row = 0, n; a && (n = quern_load(a, row, &err)) > 0; row += n) {
		const int64_t *self = quern_ints(a, 0);
		const quern_text *fn = quern_texts(a, 1);

		for (size_t i = 0; i < n; i++)
			printf("%" PRId64 "\t%.*s\n", self[i], (int)fn[i].length,
			       fn[i].bytes);
	}
	quern_free(a);
	quern_close(p);
	return err.status ? fail(&err) : 0;
}
