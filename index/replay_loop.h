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

	if (!k->call || (differ & (((uint64_t)1 << k->before) - 1)) || n - 1 > 7 ||
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

	if (__builtin_expect(len > LINK_TEXT, 0))
		same = (differ & (((uint64_t)1 << LINK_TEXT) - 1)) == 0 &&
		       memcmp(p + LINK_TEXT, link_text_of(k) + LINK_TEXT, len - LINK_TEXT) == 0;
	else
		same = (differ & (((uint64_t)1 << len) - 1)) == 0;
	if (__builtin_expect(same, 1)) {
		p += len;
		l->count = k->count;
	} else if (k->jump) {
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

	for (; i; before = i, i = r->link[i].alt)
		if (ISA(match)(&r->link[i], p, ncols, l, many))
			break;
	if (i != first && i) {
		r->link[before].alt = r->link[i].alt;
		r->link[i].alt = first;
		r->first[entry] = i;
	}
	return i;
}

/* Lines from p on as far as the links go; where it stopped. */
static HOT ISA_TARGET const char *ISA(run)(struct replay *r, struct tally *t, const char *p,
					   const char *end, uint32_t ncols, struct err *err)
{
	uint64_t many[COSTS_MAX], lines = 0, cost_lines = 0;
	uint32_t cur = t->cur, call = 0;
	struct plain *plain = r->plain;
	const char *at = p;	/* the text at p, or what is plain for it */
	struct line l = {0};

	many[0] = many[1] = 0;
	while (p < end) {
		uint32_t newlines = 0, i = ISA(find)(r, cur, at, ncols, &l, many);
		const struct link *k = &r->link[i];

		if (__builtin_expect(i == 0, 0)) {
			const char *from = at;
			const struct head *h =
				t->has_fl && (*at == '\n' || *at == 'f') ?
					ISA(head)(r, t, t->fn[t->cur_fn].fl, &from, &newlines) :
					NULL;

			i = h ? ISA(find)(r, h->entry, from, ncols, &l, many) : 0;
			if (!i) {
				if (at == plain->bytes + LINK_AT ||
				    !replay_without_names(t, p, end, plain))
					break;
				at = plain->bytes + LINK_AT;
				continue;
			}
			if (link_head(r, cur, at, from, newlines, &r->link[i]) ||
			    tally_next_block(t, h->f, ncols)) {
				no_memory(err);
				break;
			}
			k = &r->link[i];
		} else if (k->head) {
			/* Without fl= in this part so far the text may mean another one. */
			if (!t->has_fl)
				break;
			if (tally_next_block(t, t->entry_fn[k->to], ncols)) {
				no_memory(err);
				break;
			}
		}
		p = __builtin_expect(at != p, 0) ? plain->end : l.end;
		at = p;
		cur = k->to;
		lines += newlines + k->newlines;
		cost_lines++;
		if (k->call) {
			call = cur;
			if (tally_add_calls(t, cur, k->val, l.count)) {
				no_memory(err);
				break;
			}
			add_costs(t, &t->val[k->val + 2], &l, ncols, many);
		} else if (__builtin_expect(k->jump, 0)) {
			tally_add(t, &t->val[k->val + 3], l.count);
			tally_add(t, &t->val[k->val + 4], l.taken);
		} else {
			add_costs(t, &t->val[k->val], &l, ncols, many);
			add_costs(t, t->run, &l, ncols, many);
			t->ran = true;
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
