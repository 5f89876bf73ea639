/*
 * replay_loop.h - the loop of replay.c, included there once per instruction set.
 *
 * ISA(name) is the name's form for the set and ISA_TARGET its attribute.
 */

/* The costs of a line, at p. */
static HOT ISA_TARGET bool ISA(costs)(const char *p, uint32_t ncols, struct line *l,
				      uint64_t *many)
{
	uint64_t m = ISA(nondigits)(p);
	unsigned a = (unsigned)__builtin_ctzll(m), b;

	if (ncols > 2 || a - 1 > 7)
		return other_costs(p, ncols, l, many);
	if (ncols == 1) {
		l->end = p + a + 1;
		l->cost[0] = digits_at(p, a);
		return p[a] == '\n';
	}
	m &= m - 1;
	b = (unsigned)__builtin_ctzll(m);
	if (__builtin_expect(p[a] != ' ' || p[b] != '\n' || b - a - 2 > 7, 0))
		return other_costs(p, ncols, l, many);
	l->end = p + b + 1;
	ISA(two)(p, a, p + a + 1, b - a - 1, l->cost);
	return true;
}

/* A call whose count is another one than in the text: *p moves to the costs. */
static HOT ISA_TARGET bool ISA(match_count)(const struct link *k, uint64_t differ, const char **p,
					    struct line *l)
{
	const char *q = *p + k->before, *rest = link_text_of(k) + k->before + k->digits;
	unsigned n = (unsigned)__builtin_ctzll(ISA(nondigits)(q));
	unsigned len = k->len - k->before - k->digits;

	if (!(k->flags & LINK_CALL) || (differ & (((uint64_t)1 << k->before) - 1)) || n - 1 > 7 ||
	    memcmp(q + n, rest, len) != 0)
		return false;
	l->count = digits_at(q, n);
	*p = q + n + len;
	return true;
}

/* True when k's text is at p, but for a call's count. */
static HOT ISA_TARGET bool ISA(match)(const struct link *k, const char *p, uint32_t ncols,
				      struct line *l, uint64_t *many)
{
	const uint64_t differ = ISA(differ)(p, k);
	const unsigned len = k->len;
	bool same;

	if (__builtin_expect(k->flags & LINK_LONG, 0))
		same = (differ & (((uint64_t)1 << LINK_TEXT) - 1)) == 0 &&
		       memcmp(p + LINK_TEXT, link_text_of(k) + LINK_TEXT, len - LINK_TEXT) == 0;
	else
		same = (differ & (((uint64_t)1 << len) - 1)) == 0;
	if (__builtin_expect(same, 1)) {
		p += len;
		l->count = k->count;
	} else if (k->flags & LINK_JUMP) {
		uint64_t count = 0, taken = 0;

		l->end = match_jump(k, p, &count, &taken);
		l->count = count;
		l->taken = taken;
		return l->end != NULL;
	} else if (!ISA(match_count)(k, differ, &p, l)) {
		return false;
	}
	return ISA(costs)(p, ncols, l, many);
}

/* A block's head, "\nfl=(12)\nfn=(34)\n" with fl= left out or not, of a function met before;
 * *p moves behind it.  NULL: something else. */
static HOT ISA_TARGET const struct head *ISA(head)(const struct replay *r, const struct tally *t,
						   uint32_t fl, const char **p,
						   uint32_t *newlines)
{
	const char *q = *p, *fn;
	uint64_t m;
	unsigned a, b;

	*newlines = 1;
	while (*q == '\n') {
		q++;
		if (++*newlines > 8)
			return NULL;
	}
	m = ISA(closing)(q);
	a = (unsigned)__builtin_ctzll(m);
	if (memcmp(q, "fl=(", 4) != 0) {
		if (memcmp(q, "fn=(", 4) != 0 || a - 5 > 7 || q[a + 1] != '\n')
			return NULL;
		*p = q + a + 2;
		return head_of(r, t, fl, NULL, q + 4, 0, bytes_at(q + 4, a - 4));
	}
	m &= m - 1;
	b = (unsigned)__builtin_ctzll(m);
	fn = q + a + 6;
	if (memcmp(fn - 6, ")\nfn=(", 6) != 0 || a - 5 > 7 || b - a - 7 > 7 || q[b + 1] != '\n')
		return NULL;
	++*newlines;
	*p = q + b + 2;
	return head_of(r, t, fl, q + 4, fn, bytes_at(q + 4, a - 4), bytes_at(fn, b - a - 6));
}

/* The link of `entry` that the text at p begins with, which moves to the front; 0: none. */
static HOT ISA_TARGET uint32_t ISA(find)(struct replay *r, uint32_t entry, const char *p,
					 uint32_t ncols, struct line *l, uint64_t *many)
{
	const uint32_t first = r->first[entry];
	uint32_t i = first, before = 0;

	for (; i; before = i, i = r->link[i].alt) {
		if (ISA(match)(&r->link[i], p, ncols, l, many))
			break;
		if (*p == '\n' && !r->heads_help)
			return 0;
	}
	if (i != first && i) {
		r->link[before].alt = r->link[i].alt;
		r->link[i].alt = first;
		r->first[entry] = i;
	}
	return i;
}

/* Behind entry cur nothing fits the text at p: maybe a block begins, or names are said again.
 * The link that fits then, with what it says in *l, the block entered; 0: none. */
static ISA_TARGET __attribute__((noinline)) uint32_t
ISA(look)(struct replay *r, struct tally *t, uint32_t cur, const char *p, const char *end,
	  uint32_t ncols, struct line *l, uint64_t *many, struct err *err)
{
	const char *at = p;

	for (;;) {
		uint32_t i = at == p ? 0 : ISA(find)(r, cur, at, ncols, l, many);
		const char *from = at;
		const struct head *h;

		l->newlines = 0;
		if (i && (r->link[i].flags & LINK_HEAD) && !t->has_fl)
			return 0;
		if (i && (r->link[i].flags & LINK_HEAD) &&
		    tally_next_block(t, t->entry_fn[r->link[i].to], ncols)) {
			no_memory(err);
			return 0;
		}
		if (!i && t->has_fl && (*at == '\n' || *at == 'f')) {
			h = ISA(head)(r, t, t->fn[t->cur_fn].fl, &from, &l->newlines);
			i = h ? ISA(find)(r, h->entry, from, ncols, l, many) : 0;
			if (i && (link_head(r, cur, at, from, l->newlines, &r->link[i]) ||
				  tally_next_block(t, h->f, ncols))) {
				no_memory(err);
				return 0;
			}
		}
		if (i && at != p)
			l->end = r->plain->end;
		if (i || at != p || !replay_without_names(t, p, end, r->plain))
			return i;
		at = replay_plain(r->plain).p;
	}
}

/* The link taken: add what the line says. */
static HOT int ISA(take)(struct tally *t, const struct link *k, const struct line *l,
			 uint32_t ncols, const uint64_t *many)
{
	if (k->flags & LINK_CALL) {
		if (tally_add_calls(t, k->to, k->val, l->count))
			return -1;
		add_costs(t, &t->val[k->val + 2], l, ncols, many);
	} else if (__builtin_expect(k->flags & LINK_JUMP, 0)) {
		tally_add(t, &t->val[k->val + 3], l->count);
		tally_add(t, &t->val[k->val + 4], l->taken);
	} else {
		add_costs(t, &t->val[k->val], l, ncols, many);
		add_costs(t, t->run, l, ncols, many);
		t->ran = true;
	}
	return 0;
}

/* Cost lines of one column that are what they were the last time: most lines of most
 * profiles.  A cost has as many digits as it had then more often than not, and then the
 * next line need not wait until they are found.  *cur is the entry behind which p is, and then that of the last line taken. */
static HOT ISA_TARGET const char *ISA(plain_lines)(const struct replay *r, struct tally *t,
						   const char *p, const char *end, uint32_t *cur,
						   uint64_t *taken)
{
	struct link *const link = r->link;
	const uint32_t *const first = r->first;
	uint64_t *const val = t->val, run = t->run[0];
	uint64_t lines = 0, newlines = 0;
	uint32_t at = *cur;

	while (p < end) {
		struct link *k = &link[first[at]];
		const char *q = p + k->len;
		unsigned n = k->digits;
		uint64_t v, sum, all;

		if (k->flags > LINK_NEWLINES ||
		    (ISA(differ)(p, k) & (((uint64_t)1 << k->len) - 1)))
			break;
		v = (load8(q) ^ 0x3030303030303030) << (64 - 8 * n);
		if (q[n] != '\n' || ((v | (v + 0x0606060606060606)) & 0xf0f0f0f0f0f0f0f0)) {
			n = (unsigned)__builtin_ctzll(ISA(nondigits)(q));
			if (n - 1 > 7 || q[n] != '\n')
				break;
			k->digits = (uint8_t)n;
			v = (load8(q) ^ 0x3030303030303030) << (64 - 8 * n);
		}
		v = eight_digits(v);
		if (__builtin_expect(__builtin_add_overflow(val[k->val], v, &sum) ||
				     __builtin_add_overflow(run, v, &all), 0))
			break;
		val[k->val] = sum;
		run = all;
		at = k->to;
		p = q + n + 1;
		newlines += k->flags;
		lines++;
	}
	t->run[0] = run;
	t->ran |= lines > 0;
	t->lines += newlines;
	*taken += lines;
	*cur = at;
	return p;
}

/* Lines from p on as far as the links go; where it stopped. */
static HOT ISA_TARGET const char *ISA(run)(struct replay *r, struct tally *t, const char *p,
					   const char *end, uint32_t ncols, struct err *err)
{
	uint64_t many[COSTS_MAX], lines = 0, cost_lines = 0;
	uint32_t cur = t->cur, call = 0;
	struct line l = {0};

	many[0] = many[1] = 0;
	while (p < end) {
		const struct link *k;
		uint32_t i;

		if (ncols == 1) {
			p = ISA(plain_lines)(r, t, p, end, &cur, &cost_lines);
			if (p >= end)
				break;
		}
		i = ISA(find)(r, cur, p, ncols, &l, many);
		k = &r->link[i];
		if (__builtin_expect(i == 0, 0)) {
			struct line other;

			i = ISA(look)(r, t, cur, p, end, ncols, &other, many, err);
			if (!i)
				break;
			l = other;
			k = &r->link[i];
			lines += l.newlines;
		} else if (k->flags & LINK_HEAD) {
			/* Without fl= in this part so far the text may mean another one. */
			if (!t->has_fl)
				break;
			if (tally_next_block(t, t->entry_fn[k->to], ncols)) {
				no_memory(err);
				break;
			}
			r->heads_taken++;
		}
		p = l.end;
		cur = k->to;
		lines += k->flags & LINK_NEWLINES;
		cost_lines++;
		if (k->flags & LINK_CALL)
			call = cur;
		if (ISA(take)(t, k, &l, ncols, many)) {
			no_memory(err);
			break;
		}
	}
	t->cur = cur;
	t->lines += lines;
	t->cost_lines += cost_lines;
	if (call) {
		t->cfn = t->fn[ENTRY_CALLEE(t->entry[call].what)].fn;
		t->has_cfn = true;
	}
	return p;
}

/* Straight code for the usual numbers of columns, each an event. */
static ISA_TARGET const char *ISA(run1)(struct replay *r, struct tally *t, const char *p,
					const char *end, struct err *err)
{
	return ISA(run)(r, t, p, end, 1, err);
}

static ISA_TARGET const char *ISA(run2)(struct replay *r, struct tally *t, const char *p,
					const char *end, struct err *err)
{
	return ISA(run)(r, t, p, end, 2, err);
}

static ISA_TARGET const char *ISA(run_any)(struct replay *r, struct tally *t, const char *p,
					   const char *end, struct err *err)
{
	return ISA(run)(r, t, p, end, (uint32_t)t->ncol, err);
}
