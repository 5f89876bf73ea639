/*
 * first_loop.h - the loop of first.c, included there once per instruction set.
 *
 * ISA(name) is the name's form for the set and ISA_TARGET its attribute.
 */

/* What the loop keeps in registers. */
struct ISA(first) {
	uint64_t at[2];		/* the base, in the order of the file */
	uint64_t before[2];	/* instr and line of the row before */
	uint64_t cost[2];
	unsigned char *out;
};

/* A cost line of nsub positions and ncols costs within 32 bytes; its end, or NULL.  The only
 * position of a file that has one is the instr when `instr`. */
static HOT ISA_TARGET const char *ISA(line)(struct ISA(first) *f, const char *p, unsigned nsub,
					    unsigned ncols, bool instr)
{
	uint64_t nl, m = ISA(blanks)(p, &nl), v[4], now[2], bad = 0;
	const char *end[4] = {p, p, p, p}, *from = p;
	unsigned n[4] = {0}, kind[2] = {0};

#pragma GCC unroll 4
	for (unsigned i = 0; i < nsub + ncols; i++) {
		unsigned at = (unsigned)__builtin_ctzll(m);

		end[i] = p + at;
		n[i] = (unsigned)(end[i] - from);
		if (i < nsub) {
			kind[i] = first_kind[(unsigned char)*from];
			n[i] -= kind[i] & FIRST_RELATIVE;
			
			/* '*' has no digits, the others 1 to 8. */
			bad |= kind[i] & FIRST_SAME ? n[i] : (n[i] - 1) & ~7u;
		} else {
			bad |= (n[i] - 1) & ~7u;
		}
		/* The first newline is behind the last number. */
		if (i + 1 == nsub + ncols)
			bad |= at ^ (unsigned)__builtin_ctzll(nl);
		m &= m - 1;
		from = end[i] + 1;
	}
	if (__builtin_expect(bad != 0, 0) || !ISA(four)(end, n, v))
		return NULL;
#pragma GCC unroll 2
	for (unsigned i = 0; i < nsub; i++) {
		uint64_t base = kind[i] & FIRST_RELATIVE ? f->at[i] : 0;

		now[i] = kind[i] & FIRST_MINUS ? base - v[i] : base + v[i];
		bad |= base | now[i];
	}
	if (__builtin_expect(bad >> 63 != 0, 0))	/* below 0, or near 2^64 */
		return NULL;
	for (unsigned i = 0; i < ncols; i++)
		f->cost[i] = v[nsub + i];
	for (unsigned i = 0; i < nsub; i++)
		f->at[i] = now[i];
	uint64_t a = nsub == 2 || instr ? now[0] : f->before[0];
	uint64_t b = nsub == 2 ? now[1] : instr ? f->before[1] : now[0];

	f->out = once_put_cost(f->out, f->before, a, b, f->cost, ncols);
	f->before[0] = a;
	f->before[1] = b;
	return from;
}

/* Cost lines from p on, until one that is something else; where it stopped. */
static HOT ISA_TARGET const char *ISA(lines)(struct tally *t, const struct decode *d,
					     struct place *pl, const char *p, const char *end,
					     unsigned nsub, unsigned ncols)
{
	const bool instr = d->sub[0] == SUB_INSTR;
	struct bytes *b = &t->once.buf;
	struct ISA(first) f = {.before = {pl->before[0], pl->before[1]}};
	uint64_t run[2] = {t->run[0], ncols == 2 ? t->run[1] : 0}, n = 0;
	const uint64_t most = ONCE_MAX - 1 - t->once_rows;

	for (unsigned i = 0; i < nsub; i++)
		f.at[i] = pl->at[d->sub[i]];
	f.out = b->p + b->n;
	while (p < end && n < most) {
		const char *q;

		if (b->cap - (size_t)(f.out - b->p) < once_room(ncols))
			break;
		q = ISA(line)(&f, p, nsub, ncols, instr);
		if (!q)
			break;
		n++;
		p = q;
		if (__builtin_expect(__builtin_add_overflow(run[0], f.cost[0], &run[0]), 0)) {
			run[0] = UINT64_MAX;
			t->odds[ODD_SUM_OVERFLOW]++;
		}
		if (ncols == 2 &&
		    __builtin_expect(__builtin_add_overflow(run[1], f.cost[1], &run[1]), 0)) {
			run[1] = UINT64_MAX;
			t->odds[ODD_SUM_OVERFLOW]++;
		}
	}
	b->n = (size_t)(f.out - b->p);
	for (unsigned i = 0; i < nsub; i++)
		pl->at[d->sub[i]] = f.at[i];
	pl->before[0] = t->once_row.instr = f.before[0];
	pl->before[1] = t->once_row.line = f.before[1];
	t->run[0] = run[0];
	if (ncols == 2)
		t->run[1] = run[1];
	t->once_rows += (uint32_t)n;
	t->ran |= n > 0;
	t->fn[t->cur_fn].body |= n > 0;
	t->lines += n;
	t->cost_lines += n;
	return p;
}

static HOT ISA_TARGET const char *ISA(all)(struct tally *t, struct decode *d, const char *p,
					   const char *end, unsigned nsub, unsigned ncols)
{
	struct place pl = {.before = {t->once_row.instr, t->once_row.line}};

	memcpy(pl.at, d->base, sizeof(pl.at));
	while (p < end && t->in_once) {
		const char *q = p;

		if (bytes_room(&t->once.buf, once_room(ncols)))
			break;
		if (t->file == t->once_row.file)
			q = ISA(lines)(t, d, &pl, p, end, nsub, ncols);
		if (q == p && t->once_rows < ONCE_MAX - 1) {
			if (*p == 'j')
				q = jump(t, d, &pl, p);
			else if (*p == 'c')
				q = call(t, d, &pl, p);
			else if ((*p >= '0' && *p <= '9') || (*p >= '*' && *p <= '-'))
				q = other_line(t, d, &pl, p);
		}
		if (!q || q == p)
			break;
		p = q;
	}
	memcpy(d->base, pl.at, sizeof(pl.at));
	return p;
}

static ISA_TARGET const char *ISA(first11)(struct tally *t, struct decode *d, const char *p,
					   const char *end)
{
	return ISA(all)(t, d, p, end, 1, 1);
}

static ISA_TARGET const char *ISA(first12)(struct tally *t, struct decode *d, const char *p,
					   const char *end)
{
	return ISA(all)(t, d, p, end, 1, 2);
}

static ISA_TARGET const char *ISA(first21)(struct tally *t, struct decode *d, const char *p,
					   const char *end)
{
	return ISA(all)(t, d, p, end, 2, 1);
}

static ISA_TARGET const char *ISA(first22)(struct tally *t, struct decode *d, const char *p,
					   const char *end)
{
	return ISA(all)(t, d, p, end, 2, 2);
}
