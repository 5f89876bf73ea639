/*
 * fit.c - shorten names; see fit.h.
 *
 *	std::vector<int, std::allocator<int> >::push_back(int const&)
 *	std::vector<int, std::allocator<int> >::push_back(...)         parameters
 *	std::vector<...>::push_back(...)                                template arguments
 *	...::vector<...>::push_back(...)                                outer scopes
 *	...::push_back(...)...                                          " [clone .isra.0]"
 *	std::vect...ush_back(...)                                       the middle
 *
 * The end of a function name identifies it best, so the middle is cut last, and the end
 * gets the larger half.  A byte that tells it from others keeps its place:
 *
 *	...::vector<int...>::push_back(...)
 */
#include "repl/render/fit.h"

#include <string.h>

#include "index/base/bisect.h"
#include "index/base/out.h"

static const char *ellipsis(enum emit_form form)
{
	return form == EMIT_ASCII ? "..." : "\xe2\x80\xa6";
}

static size_t ellipsis_width(enum emit_form form)
{
	return form == EMIT_ASCII ? 3 : 1;
}

/* The longest prefix of at most width columns, in bytes. */
static size_t head_bytes(enum emit_form form, struct str s, size_t width)
{
	size_t i = 0, n, columns;

	for (; i < s.n; i += n) {
		n = emit_unit(form, s, i, &columns);
		if (columns > width)
			break;
		width -= columns;
	}
	return i;
}

/* The longest suffix of at most width columns; `all` are the columns of s.  Returns
 * the byte where it starts. */
static size_t tail_start(enum emit_form form, struct str s, size_t all, size_t width)
{
	size_t i = 0, columns;

	while (i < s.n && all > width) {
		i += emit_unit(form, s, i, &columns);
		all -= columns;
	}
	/* Combining marks at the start belong to the character that was cut. */
	while (i < s.n) {
		size_t n = emit_unit(form, s, i, &columns);

		if (columns > 0)
			break;
		i += n;
	}
	return i;
}

static void cut_ends(struct out *o, enum emit_form form, struct str s, size_t head,
		     size_t tail)
{
	emit_name(o, form, (struct str){s.p, head});
	out_c(o, ellipsis(form));
	emit_name(o, form, str_from(s, tail));
}

/* Write `head` columns of the start and the rest of width of the end. */
static size_t cut_middle(struct out *o, enum emit_form form, struct str s, size_t all,
			 size_t head, size_t width)
{
	size_t e = ellipsis_width(form), start;
	size_t from = head_bytes(form, s, head);
	struct str left = {s.p, from};

	start = tail_start(form, s, all, width - e - head);
	/* Write one ellipsis, not two side by side. */
	if (str_starts(str_from(s, start), str_c(ellipsis(form))))
		start += str_c(ellipsis(form)).n;
	cut_ends(o, form, s, from, start);
	return emit_width(form, left) + e + emit_width(form, str_from(s, start));
}

static bool follows(struct str s, size_t at, const char *word)
{
	size_t n = strlen(word);

	return at >= n && memcmp(s.p + at - n, word, n) == 0;
}

/* Where the bracket opened at s.p[at] closes; s.n: nowhere. */
static size_t closes(struct str s, size_t at, char open, char close)
{
	size_t depth = 0;

	for (size_t i = at; i < s.n; i++) {
		if (s.p[i] == open)
			depth++;
		else if (s.p[i] == close && !(close == '>' && follows(s, i, "-")) &&
			 --depth == 0)
			return i;
	}
	return s.n;
}

/* Is it a "(" before parameters, or a "<" before template arguments?  Not in the name
 * of an operator, "(anonymous namespace)", or the receiver of a Go method. */
static bool opens(struct str s, size_t at, const char *brackets)
{
	if (!s.p[at] || !strchr(brackets, s.p[at]) || at == 0 ||
	    strchr(":. (,", s.p[at - 1]))
		return false;
	return !follows(s, at, "operator") &&
	       !(s.p[at] == '<' && follows(s, at, "operator<"));
}

/* Brackets that never close are searched for to the end: only so many of a name are. */
enum { MAX_OPEN = 8 };

/* Where the argument of s with the byte `at` begins and, in *end, ends. */
static size_t argument(struct str s, size_t at, size_t *end)
{
	size_t depth = 0, begin = 0;

	for (*end = 0; *end < s.n; ++*end) {
		const char c = s.p[*end];

		if (c == ',' && !depth && *end >= at)
			return begin;
		if (c == ',' && !depth)
			begin = *end + 1 + (*end + 1 < s.n && s.p[*end + 1] == ' ');
		depth += c == '<' || c == '(';
		depth -= depth && (c == ')' || (c == '>' && !follows(s, *end, "-")));
	}
	return begin;
}

/* Where the last component of s begins, outside of brackets. */
static size_t last_scope(struct str s)
{
	size_t depth = 0, begin = 0;

	for (size_t i = 0; i + 1 < s.n; i++) {
		if (!depth && s.p[i] == ':' && s.p[i + 1] == ':')
			begin = i;
		depth += s.p[i] == '<' || s.p[i] == '(';
		depth -= depth && (s.p[i] == '>' || s.p[i] == ')');
	}
	return begin;
}

struct place {
	const char *brackets; /* that are emptied: "(", "<" or both */
	size_t at; /* byte of the name that stays, with those around it; SIZE_MAX: none */
	bool brief;   /* arguments without their scopes */
	size_t where; /* out: where the byte was written, or the argument with it */
};

/* Write s, "..." for what brackets hold; those around p->at keep the argument with it. */
static void show_place(struct out *o, enum emit_form form, struct str s, struct place *p,
		       unsigned deep)
{
	unsigned never = 0;

	for (size_t i = 0; i < s.n; i++) {
		const char c = s.p[i];
		const bool asked =
			deep < MAX_OPEN && never < MAX_OPEN && opens(s, i, p->brackets);
		const size_t end = asked ? closes(s, i, c, c == '(' ? ')' : '>') : s.n;
		struct place in = {p->brackets, p->at - i - 1, p->brief, 0};
		struct str all = {s.p + i + 1, end - i - 1};
		size_t begin = 0, stop = 0;

		if (i == p->at)
			p->where = o->n;
		out_char(o, s.p[i]);
		never += asked && end == s.n;
		if (end == s.n)
			continue;
		if (p->at > i && p->at < end)
			begin = argument(all, in.at, &stop);
		if (stop) {
			struct str arg = {all.p + begin, stop - begin};
			const size_t scope = p->brief ? last_scope(arg) : 0;

			if (begin + scope)
				out_c(o, ellipsis(form));
			in.where = o->n;
			in.at -= begin + scope < in.at ? begin + scope : in.at;
			show_place(o, form, str_from(arg, scope), &in, deep + 1);
			p->where = in.where;
		}
		if (stop < all.n)
			out_c(o, ellipsis(form));
		i = end - 1;
	}
}

/* Take "<...>" and "(...)" from the end of s. */
static struct str without_brackets(struct str s, enum emit_form form)
{
	const size_t n = str_c(ellipsis(form)).n + 2;

	while (s.n > n && str_starts(str_from(s, s.n - n + 1), str_c(ellipsis(form))) &&
	       strchr("<(", s.p[s.n - n]))
		s.n -= n;
	return s;
}

/* Where the first scope of s begins, with its separator, behind which all fits in width
 * columns; s.n: there is none, or it would leave half of the width. */
static size_t inner_scope(enum emit_form form, struct str s, size_t all, size_t width)
{
	static const char *const separators[] = {"::", "\\", "->"};
	size_t columns, depth = 0;

	for (size_t i = 0; i < s.n && all * 2 > width; all -= columns) {
		for (size_t k = 0; k < 3 && !depth && all <= width; k++)
			if (str_starts(str_from(s, i), str_c(separators[k])))
				return i;
		depth += s.p[i] == '<' || s.p[i] == '(';
		depth -= depth && (s.p[i] == '>' || s.p[i] == ')');
		i += emit_unit(form, s, i, &columns);
	}
	return s.n;
}

/* Shorten parameters, then template arguments, then scopes, then what compilers added; if
 * this is not enough, cut the middle. */
static size_t fit_name(struct out *o, enum emit_form form, struct str s, size_t width)
{
	static const char *const brackets[] = {"(", "<"};
	struct out mem[2];
	const size_t e = ellipsis_width(form);
	size_t all = emit_width(form, s), taken, scope, clone;

	for (int i = 0; i < 2; i++) {
		out_mem(&mem[i]);
		if (all <= width)
			continue;
		show_place(&mem[i], form, s,
			   &(struct place){brackets[i], SIZE_MAX, false, 0}, 0);
		if (mem[i].failed)
			continue;
		s = (struct str){mem[i].buf, mem[i].n};
		all = emit_width(form, s);
	}
	scope = all > width ? inner_scope(form, s, all, width - e) : s.n;
	if (all <= width) {
		emit_name(o, form, s);
		taken = all;
	} else if (scope < s.n) {
		cut_ends(o, form, s, 0, scope);
		taken = e + emit_width(form, str_from(s, scope));
	} else if ((clone = str_find_str(s, STR(" [clone "))) < s.n) {
		taken = e +
			fit_put(o, form, FIT_NAME, (struct str){s.p, clone}, width - e);
		out_c(o, ellipsis(form));
	} else {
		taken = cut_middle(o, form, s, all, (width - e) * 2 / 5, width);
	}
	out_close(&mem[0]);
	out_close(&mem[1]);
	return taken;
}

/* ---- calls ---- */

/* The first name of "f -> g; g -> h"; *sep is what stands behind it. */
static struct str first_name(struct str s, struct str *sep)
{
	static const char *const seps[] = {" -> ", "; "};

	for (size_t i = 0; i < s.n; i++)
		for (size_t k = 0; k < 2; k++)
			if (str_starts(str_from(s, i), str_c(seps[k]))) {
				*sep = str_c(seps[k]);
				return (struct str){s.p, i};
			}
	*sep = str_from(s, s.n);
	return s;
}

static struct str next_name(struct str s, struct str name, struct str sep)
{
	return str_from(s, name.n + sep.n);
}

/* The most columns that each name of s may take, if all fit in width. */
static size_t share_of_names(enum emit_form form, struct str s, size_t width)
{
	struct bisect b = bisect_in(1, width + 1); /* the first that is too many */

	while (bisect_next(&b)) {
		size_t sum = 0;
		struct str name, sep, rest = s;

		for (; rest.n; rest = next_name(rest, name, sep)) {
			size_t all;

			name = first_name(rest, &sep);
			all = emit_width(form, name);
			sum += sep.n + (all < b.mid ? all : b.mid);
		}
		bisect_step(&b, sum <= width);
	}
	return b.lo - 1;
}

/* No name is cut below LEAST_NAME columns; 0: then not all fit. */
static size_t fit_calls(struct out *o, enum emit_form form, struct str s, size_t width)
{
	enum { LEAST_NAME = 8 };
	const size_t share = share_of_names(form, s, width);
	struct str name, sep;
	size_t taken = 0;

	if (share < LEAST_NAME)
		return 0;
	for (; s.n; s = next_name(s, name, sep)) {
		name = first_name(s, &sep);
		taken += fit_put(o, form, FIT_NAME, name, share) + sep.n;
		out_str(o, sep);
	}
	return taken;
}

size_t fit_put(struct out *o, enum emit_form form, enum fit_kind kind, struct str s,
	       size_t width)
{
	size_t all = emit_width(form, s), e = ellipsis_width(form), head;

	if (all <= width) {
		emit_name(o, form, s);
		return all;
	}
	if (width <= e) {
		out_fill(o, '.', width);
		return width;
	}
	switch (kind) {
	case FIT_NAME: return fit_name(o, form, s, width);
	case FIT_PATH: return cut_middle(o, form, s, all, 0, width);
	case FIT_CALLS:
		head = fit_calls(o, form, s, width);
		if (head)
			return head;
		break;
	case FIT_TEXT: break;
	}
	head = head_bytes(form, s, width - e);
	cut_ends(o, form, s, head, s.n);
	return emit_width(form, (struct str){s.p, head}) + e;
}

/* "head...around the place...": a quarter of the width is for the head. */
static size_t cut_around(struct out *o, enum emit_form form, struct str s, size_t from,
			 size_t width)
{
	size_t e = ellipsis_width(form), head = head_bytes(form, s, (width - 2 * e) / 4);
	struct str left = {s.p, head}, middle = str_from(s, from);
	size_t taken = emit_width(form, left);

	middle.n = head_bytes(form, middle, width - 2 * e - taken);
	emit_name(o, form, left);
	out_c(o, ellipsis(form));
	emit_name(o, form, middle);
	out_c(o, ellipsis(form));
	return taken + emit_width(form, middle) + 2 * e;
}

size_t fit_place(struct out *o, enum emit_form form, struct str s, size_t at,
		 size_t width)
{
	const size_t e = ellipsis_width(form);
	size_t taken = 0;

	/* As it is; then arguments without scopes; then nothing after the last name. */
	for (int step = 0; step < 3 && !taken && width > 2 * e; step++) {
		struct place p = {"(<", at, step > 0, 0};
		struct out mem;
		struct str text;
		size_t all, scope, cut;

		out_mem(&mem);
		show_place(&mem, form, s, &p, 0);
		text = (struct str){mem.buf, mem.failed ? 0 : mem.n};
		if (step == 2)
			text = without_brackets(text, form);
		cut = text.n < mem.n ? e : 0;
		all = emit_width(form, text) + cut;
		scope = all > width ? inner_scope(form, text, all - cut, width - e - cut)
				    : 0;
		if (!mem.failed && p.where < text.n && scope <= p.where) {
			if (scope)
				out_c(o, ellipsis(form));
			emit_name(o, form, str_from(text, scope));
			if (cut)
				out_c(o, ellipsis(form));
			taken = emit_width(form, str_from(text, scope)) + cut +
				(scope ? e : 0);
		}
		out_close(&mem);
	}
	return taken;
}

size_t fit_around(struct out *o, enum emit_form form, struct str s, size_t at,
		  size_t around, size_t width)
{
	size_t all = emit_width(form, s), e = ellipsis_width(form), usual, before, tail;

	if (all <= width || width < 4 * e)
		return fit_put(o, form, FIT_NAME, s, width);
	before = emit_width(form, (struct str){s.p, at});
	usual = (width - e) * 2 / 5;
	if (before + around <= width - e)
		return cut_middle(o, form, s, all,
				  before + around > usual ? before + around : usual,
				  width);
	tail = all - before + around / 3;
	if (tail <= width - e - (width - e) / 4)
		return cut_middle(o, form, s, all, (width - e) / 4, width);
	return cut_around(o, form, s, tail_start(form, s, all, tail < all ? tail : all),
			  width);
}
