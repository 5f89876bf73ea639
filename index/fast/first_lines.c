/*
 * first_lines.c - the lines that the loops of first leave, one number after the other.
 *
 * In: a line at p that the loop did not take, and where the reading is (struct
 * first_place).  Out: the row in the tally, or nothing at all: then decode.h and tally.h
 * read the line.
 */
#include "index/fast/first_in.h"

#include <string.h>

/* The row is half added: it must not be read again, so the reading ends. */
static const char *end_without_memory(struct tally *t)
{
	t->no_memory = true;
	return NULL;
}

/* ---- positions ---- */

/* Read the d->nsub positions at p, each followed by one blank, into out, which gets
 * `base` for the kinds that the file does not have; their end, or NULL. */
static const char *positions(const char *p, const struct decode *d, const uint64_t *base,
			     uint64_t *out)
{
	memcpy(out, base, SUBS * sizeof(*out));
	for (unsigned i = 0; i < d->nsub; i++) {
		if (!number_take(&p, &out[d->sub[i]]))
			return NULL;
	}
	return p;
}

/* The row is at the positions `at`; so is the base of the next line, if the row `moves`
 * it. */
static void first_lines_place(struct first_place *pl, struct piece_row *r,
			      const uint64_t *at, const struct tally *t, bool moves)
{
	if (moves)
		memcpy(pl->at, at, sizeof(pl->at));
	r->file = t->now.file;
	r->instr = pl->before[0] = at[SUB_INSTR];
	r->line = pl->before[1] = at[SUB_LINE];
}

/* ---- cost lines ---- */

const char *first_cost_line(struct tally *t, const struct decode *d,
			    struct first_place *pl, const char *p)
{
	uint64_t at[SUBS], cost[FIRST_COLUMNS];
	uint32_t n;
	struct piece_row r = {.kind = ENTRY_COST};

	p = positions(p, d, pl->at, at);
	if (!p || !(p = number_costs(p, d->ncols, cost, &n)))
		return NULL;
	r.ncost = n;
	tally_add_costs(t, t->now.run, cost, n);
	t->now.ran = true;
	t->fns.at[t->now.fn].has_lines = true;
	t->lines++;
	t->cost_lines++;
	pl->same.n = 0;
	pl->same.has_cost = false;
	first_lines_place(pl, &r, at, t, true);
	t->now.base_file = t->now.file;
	return tally_pack_line(t, &r, cost) ? end_without_memory(t) : p;
}

/* ---- names ---- */

/* Longer names and larger ids are left to decode.h. */
enum { NAME_BYTES = 4096, NEW_IDS = 1 << 22 };

/* The newline that ends the name at p; NULL when blanks are around the name. */
static const char *name_end(const char *p, const char *end)
{
	const char *nl;

	if (end <= p || (unsigned char)*p <= ' ')
		return NULL;
	nl = memchr(p, '\n', end - p < NAME_BYTES ? (size_t)(end - p) : NAME_BYTES);
	return nl && (unsigned char)nl[-1] > ' ' ? nl : NULL;
}

/* The slot of the name "malloc\n" at *p, which moves to the next line; 0: something else
 * is there. */
static uint32_t plain_name(struct names *names, const char **p, const char *end)
{
	const char *from = *p, *nl = name_end(from, end);
	uint32_t slot;

	if (!nl)
		return 0;
	*p = nl + 1;
	slot = names_text(names, (struct str){from, (size_t)(nl - from)}, 0);
	return slot == UINT32_MAX ? 0 : slot;
}

/* The slot of the name "(12)\n", "(12) malloc\n" or "malloc\n" at *p, which moves to the
 * next line.  `line`: how many lines from t->lines on this one is.  0: the id means
 * another name, or something else is there. */
static uint32_t name_at(struct tally *t, enum name_space space, const char **p,
			const char *end, unsigned line)
{
	struct names *names = &t->names[space];
	enum name_event event = NAME_OK;
	const char *q = *p + 1, *nl;
	uint32_t slot;
	uint64_t id;

	if (**p != '(')
		return plain_name(names, p, end);
	if (!digits_number(&q, &id) || *q != ')' || id >= NEW_IDS)
		return 0;
	if (q[1] == '\n') {
		slot = names_id(names, id, t->lines + line);
		*p = q + 2;
		return slot == UINT32_MAX ? 0 : slot;
	}
	slot = names_find(names, id);
	nl = q[1] == ' ' ? name_end(q + 2, end) : NULL;
	if (!nl)
		return 0;
	struct str text = {q + 2, (size_t)(nl - (q + 2))};

	if (slot)
		slot = names_known(names, id, text);
	else if (space != SPACE_FN || !names_has_parts(text))
		slot = names_define(names, id, text, t->lines + line, &event);
	if (!slot || slot == UINT32_MAX)
		/* A repeated definition changes nothing; but "(1) (1)'2" is a new
		 * name. */
		return 0;
	*p = nl + 1;
	return slot;
}

/* ---- lines with names ---- */

const char *first_head(struct tally *t, const struct decode *d, struct first_place *pl,
		       const char *p, const char *end)
{
	const unsigned lines = 1 + (*p == '\n');
	uint64_t at[SUBS], cost[FIRST_COLUMNS];
	uint32_t n, name;
	bool begun;

	p += *p == '\n';
	if (memcmp(p, "fn=", 3) != 0)
		return NULL;
	p += 3;
	name = name_at(t, SPACE_FN, &p, end, lines);
	if (!name || p >= end)
		return NULL;
	const char *line = positions(p, d, pl->at, at);

	if (!line || !number_costs(line, d->ncols, cost, &n))
		return NULL;
	if (tally_new_block(t, name, &begun))
		return end_without_memory(t);
	if (!begun)
		return NULL;
	t->lines += lines;
	t->log.line = t->lines + 1;
	pl->before[0] = pl->before[1] = 0;
	return p;
}

const char *first_file(struct tally *t, const char *p, const char *end)
{
	uint32_t slot;

	if ((p[1] != 'i' && p[1] != 'e') || p[2] != '=')
		return NULL;
	p += 3;
	slot = name_at(t, SPACE_FILE, &p, end, 1);
	if (!slot)
		return NULL;
	tally_set_file(t, slot);
	t->lines++;
	return p;
}

/* The lines before a calls= line. */
struct callee {
	uint32_t cob, cfi, cfn; /* name slots; 0: not written */
	unsigned lines;
};

/* Read the cob=, cfi= and cfn= lines at *p, which moves to the calls= line; false when
 * something else is there, or when the callee is not known. */
static bool callee(struct tally *t, const char **p, const char *end, struct callee *c)
{
	*c = (struct callee){0};
	for (; (*p)[0] == 'c' && (*p)[1] != 'a'; c->lines++) {
		const char *line = *p;
		enum name_space space = SPACE_FILE;
		uint32_t *to = &c->cfi;

		if (memcmp(line, "cfn=", 4) == 0) {
			to = &c->cfn;
			space = SPACE_FN;
		} else if (memcmp(line, "cob=", 4) == 0) {
			to = &c->cob;
			space = SPACE_OBJ;
		} else if (memcmp(line, "cfi=", 4) != 0 && memcmp(line, "cfl=", 4) != 0) {
			return false;
		}
		*p += 4;
		*to = name_at(t, space, p, end, c->lines + 1);
		if (!*to)
			return false;
	}
	return c->cfn || t->now.has_cfn;
}

const char *first_call(struct tally *t, const struct decode *d, struct first_place *pl,
		       const char *p, const char *end)
{
	const uint64_t base[2] = {pl->at[d->sub[0]], pl->at[d->sub[d->nsub - 1]]};
	uint64_t at[SUBS], cost[FIRST_COLUMNS], to = 0;
	struct piece_row r = {.kind = ENTRY_CALL};
	struct callee c;
	uint32_t n;

	if (!callee(t, &p, end, &c) || memcmp(p, "calls=", 6) != 0)
		return NULL;
	p += 6;
	if (!digits_number(&p, &r.count))
		return NULL;
	p = first_call_target(p, base, d->nsub, &to);
	if (!p || !(p = positions(p, d, pl->at, at)) ||
	    !(p = number_costs(p, d->ncols, cost, &n)))
		return NULL;
	r.ncost = n;
	first_set_called(t, c.cob, c.cfi);
	if (c.cfn) {
		t->now.cfn = c.cfn;
		t->now.has_cfn = true;
	}
	t->lines += c.lines + 2;
	first_lines_place(pl, &r, at, t, !t->now.apart);
	t->now.file = t->now.base_file;
	to = d->sub[d->nsub - 1] == SUB_LINE ? to : 0;
	return tally_pack_call(t, &r, to, cost) ? end_without_memory(t) : p;
}

bool first_jump_target(const struct tally *t, const char **p, uint64_t *to,
		       uint64_t *lines)
{
	uint32_t file = t->now.base_file, fn = t->now.fn_name;

	for (; (*p)[0] == 'j' && (*p)[1] == 'f'; ++*lines) {
		const bool into_fn = (*p)[2] == 'n';
		uint32_t slot;

		if ((!into_fn && (*p)[2] != 'i') || load2(*p + 3) != ('(' << 8 | '='))
			return false;
		*p += 5;
		slot = number_name(&t->names[into_fn ? SPACE_FN : SPACE_FILE], p);
		if (!slot)
			return false;
		*(into_fn ? &fn : &file) = slot;
	}
	*to = piece_target(t->now.fn_name, t->now.file, (uint64_t)fn << 32 | file);
	return true;
}
