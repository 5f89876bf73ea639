/* fuzzing.c - see fuzzing.h. */
#include "tests/support/fuzzing.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "engine/query.h"
#include "index/base/arena.h"
#include "index/base/err_struct.h"
#include "index/base/err_kind.h"
#include "index/base/out.h"
#include "index/build.h"
#include "repl/render/render.h"
#include "repl/formats/renderers.h"

uint64_t fuzz_take(struct fuzz_bytes *b, size_t bytes)
{
	uint64_t v = 0;

	for (size_t i = 0; i < bytes && b->n; i++, b->p++, b->n--)
		v |= (uint64_t)*b->p << 8 * i;
	return v;
}

void fuzz_fail(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vfprintf(stderr, fmt, ap);
	va_end(ap);
	fputc('\n', stderr);
	abort();
}

/* ---- time ---- */

#ifdef QUERN_FUZZING
enum { SECONDS = 8 }; /* with sanitizers and instrumentation: less than one without */

static clock_t began;

void fuzz_begin(void)
{
	began = clock();
}

void fuzz_end(void)
{
	double took = (double)(clock() - began) / CLOCKS_PER_SEC;

	if (took > SECONDS)
		fuzz_fail("it took %.1f s", took);
}
#else
void fuzz_begin(void)
{
}

void fuzz_end(void)
{
}
#endif

/* ---- a place for files ---- */

static char dir[64];

static void leave(void)
{
	rmdir(dir);
}

const char *fuzz_directory(void)
{
	if (dir[0])
		return dir;
	snprintf(dir, sizeof(dir), "%s/quern-fuzz-XXXXXX",
		 access("/dev/shm", W_OK) ? "/tmp" : "/dev/shm");
	if (!mkdtemp(dir))
		fuzz_fail("cannot make %s", dir);
	atexit(leave);
	setenv("TMPDIR", dir, 1);
	return dir;
}

/* ---- asking ---- */

static const char *const questions[] = {
	"top 20",
	"functions | sort incl / calls | take 5",
	"functions | where self > 1% and fn ~ /a/ | add x = self / calls | sum",
	"files | as md",
	"objects | sort incl asc",
	"dirs",
	"classes",
	"lines | take 50",
	"calls | where calls > 0 | skip 1",
	"callsites",
	"jumps",
	"instrs",
	"cycles",
	"parts",
	"threads",
	"events",
	"info",
	"info main",
	"find a",
	"callers of * depth 3",
	"callees of main depth all",
	"calltree from * depth 5 min 1%",
	"calltree to * depth 3",
	"path from main to *",
	"shortest 3 paths from * to f",
	"widest path from * to *",
	"all paths from main to *",
	"cost of * under main",
	"functions | group by file: sum(self) as s, count | sort s",
	"lines | group by file: max(self), min(line), avg(self)",
	"collapse by object | callers of *",
	"collapse by file | functions",
	"with inlined | calltree",
	"hide file:a* | calls",
	"focus main | functions",
	"ignore main | functions",
	"cut 1% | calltree from * depth 4",
	"part 1 | functions",
	"part 2 | calls",
	"thread 1 | functions",
	"functions vs base",
	"collapse /^f/ as all | calltree from *",
	"source of main",
	"asm of main",
	"top 3 lines by incl",
	"let $x = m* or /a/; functions of $x; callers of not $x",
	"functions | show id, fn, file, obj, line, self, incl, self%, incl%, calls, cycle",
	"top 5 by CEst",
	"part 2 | lines",
	"part 2 | callsites",
	"part 2,3 | jumps",
	"part 2 | lines of *",
	"part 2 | functions | sort -self, short(fn)",
	"source of *",
	"asm of *",
	"let $x = *; functions | where fn in $x | show short(fn), dirname(file) | take 3",
	"functions | group by self, short(fn) | sort count",
	"functions vs base | group by obj: sum(delta), max(delta%), count",
	"callers of * | sum",
	"calls vs base | sort delta | take 3",
	"top 3; _ | sum",
	"cycles vs base",
	"collapse /1/ as ones | functions",
	"hide /2/ | calltree from * depth 2",
	"focus /3/ | functions",
	"functions | group by file: count() as n, sum(self) as a, max(self) as b, min(self) as c, "
	"avg(self) as d, sum(incl) as e, max(incl) as f, sum(calls) as g, max(calls) as h | show n, h",
	"functions | show fn as a, self as b, incl as c, calls as d, self% as e, incl% as f, id as g, "
	"file as h, obj as i | sort i",
	"functions | where fn in (\"main\", short(fn)) or self / calls in (1, incl / calls)",
	"callers of cycle:1",
	"functions of line:1 or line:2",
	"cost of * under main; _ | take 1",
	"path from main to *; _ | skip 1",
	"top 3 vs base; _ | take 1",
	"functions vs base | add x = base / delta + delta% | sum",
	"calltree from * depth 3 | group by fn: sum(est), max(est)",
	"collapse by file | path from * to *",
	"collapse by file | calltree to * depth 3",
	"collapse by object | cost of * under main",
	"hide /1/ | events",
	"hide /1/ | cycles of *",
	"collapse by file | cycles",
	"functions | expect self > 1",
	"files of *",
	"files vs base | take 3",
	"dirs vs base | take 3",
	"objects vs base | take 3",
	"calltree from * depth 3 vs base",
	"calls of *",
	"parts of *",
	"all 3 paths from * to * depth 4",
	"widest 3 paths from * to * avoiding main",
	"cost of * via main avoiding f",
	"functions | where fn ~ /^main$/",
	"functions | group by replace(fn, /a+|[^b]$/, \"$0x\"): count, sum(self)",
	"let m = incl / calls; functions | add x = m",
	"let m = incl / calls; functions | group by file: sum(m)",
	"collapse by file | lines",
	"collapse by file | callsites",
};

const char *fuzz_question(unsigned i)
{
	return questions[i % (sizeof(questions) / sizeof(questions[0]))];
}

struct session *fuzz_session(struct store *st)
{
	const struct session_limits limits = {
		.seconds = 2, .rows = 20000, .arena_bytes = 64 << 20};
	struct session *s = NULL;
	struct err err = {0};

	if (session_new(&s, &err) || session_add(s, STR("base"), st, &err)) {
		/* A damaged index is found out here or later. */
		if (!err.text[0])
			fuzz_fail("an error without words");
		session_free(s);
		return NULL;
	}
	session_set_limits(s, &limits);
	return s;
}

enum { SHOWN = 4 };

struct asked {
	struct session *session;
	enum format format;
	struct out *to;
	struct out
		o; /* here, for a fault in the index leaves show() from wherever it is */
	unsigned shown;
};

static int show(void *arg, const struct result *r, struct err *err)
{
	static const struct look look = {.columns = 80, .utf8 = true};
	struct asked *a = arg;
	/* One text can ask for a hundred large answers; some of them show what there is. */
	const bool shown = a->shown++ < SHOWN && a->format != FORMAT_NONE;

	for (size_t c = 0; c < r->ncols; c++)
		if (r->rows && !r->pages && !r->cols[c].u)
			fuzz_fail("column %zu has no cells", c);
	if (!shown)
		return 0;
	out_mem(&a->o);
	struct render rd = {
		.o = &a->o, .r = r, .look = &look, .session = a->session, .err = err};

	renderers[a->format](&rd);
	if (a->to && a->o.n)
		out_bytes(a->to, a->o.buf, a->o.n);
	out_close(&a->o);
	return err->kind;
}

static size_t wanted, used;

size_t fuzz_wanted(void)
{
	return wanted;
}

size_t fuzz_used(void)
{
	return used;
}

int fuzz_ask(struct session *s, struct str query, enum format format, struct out *to)
{
	struct asked asked = {.session = s, .format = format, .to = to};
	struct err err = {0};
	struct arena a;

	arena_init(&a, 0);
	out_mem(&asked.o);
	query_run(s, query, &a, show, &asked, &err);
	out_close(&asked.o);
	if (err.kind && !err.text[0])
		fuzz_fail("an error of kind %d without words", err.kind);
	if (err.kind == ERR_QUERY && err.at > query.n)
		fuzz_fail("an error at byte %zu of %zu", (size_t)err.at, query.n);
	wanted = a.wanted;
	used = a.used;
	arena_free(&a);
	return err.kind;
}

/* ---- a text of queries ---- */

static struct store *open_profile(const char *name)
{
	struct build_opts opts = {.no_write = true, .jobs = 1};
	struct build_report report = {0};
	struct err err = {0};
	struct store *st;
	char path[200];

	fuzz_directory();
	snprintf(path, sizeof(path), "tests/fixtures/small/%s", name);
	if (build_open(path, &opts, &st, &report, &err))
		fuzz_fail("%s", err.text);
	return st;
}

/* Of this input alone: lets and the last answer, `_`, stay in a session. */
static struct session *session_of(struct fuzz_profile *p)
{
	static struct store *other;
	struct session *s;
	struct err err = {0};

	if (!other)
		other = open_profile("mutual-callers3.out");
	if (!p->st)
		p->st = open_profile(p->name);
	s = fuzz_session(p->st);
	session_set_safe(s, true);
	if (session_add(s, STR("other"), other, &err))
		fuzz_fail("%s", err.text);
	return s;
}

static void explain(struct session *s, struct str text)
{
	struct err err = {0};
	struct arena a;
	struct str out;

	arena_init(&a, 0);
	query_explain(s, text, &a, &out, &err);
	if (err.kind && !err.text[0])
		fuzz_fail("explained with an error of kind %d without words", err.kind);
	if (err.kind == ERR_QUERY && err.at > text.n)
		fuzz_fail("explained with an error at byte %zu", (size_t)err.at);
	arena_free(&a);
}

static void complete(struct session *s, struct str text)
{
	struct query_context context;
	struct err err = {0};
	struct str *names;
	struct arena a;
	size_t n;

	arena_init(&a, 0);
	query_incomplete(text);
	query_context(s, text, &context);
	if (context.word_at > text.n)
		fuzz_fail("the word starts at byte %zu of %zu", context.word_at, text.n);
	query_complete_function(s, str_from(text, context.word_at), 10, &a, &names, &n,
				&err);
	arena_free(&a);
}

int fuzz_text(struct fuzz_profile *p, struct str text, enum format format)
{
	struct session *s = session_of(p);
	int rc;

	fuzz_begin();
	rc = fuzz_ask(s, text, format, NULL);
	explain(s, text);
	complete(s, text);
	session_free(s);
	fuzz_end();
	return rc;
}
