/*
 * inline_code_test.c - inlined calls come back from bytes as they were; damage and garbage
 * are found, or give numbers that point to something.
 */
#include <stdlib.h>
#include <string.h>

#include "engine/inline/inline_code.h"
#include "tests/support/dice.h"
#include "tests/support/tap.h"

enum { TEXTS = 9, FRAMES = 40, PLACES = 60, ROUNDS = 300, DAMAGES = 100 };

static struct inline_link frame[FRAMES];
static struct inline_place at[PLACES];
static struct str text[TEXTS] = {STR(""),     STR("f"),	  STR("g(int)"),
				 STR("a.c"),  STR("b.h"), STR("x"),
				 STR("long"), STR("y"),	  STR("z")};
static struct inline_code code = {.text = text, .frame = frame, .at = at, .texts = TEXTS};

static void make(void)
{
	uint64_t address = dice_u64() >> 20;

	code.agree = dice_below(1000);
	code.differ = dice_below(1000);
	code.frames = dice_below(FRAMES);
	code.n = dice_below(PLACES);
	for (size_t i = 0; i < code.frames; i++)
		frame[i] = (struct inline_link){dice_below(TEXTS), dice_below(TEXTS),
						dice_below((unsigned)i + 1),
						dice_u64() >> dice_below(64)};
	for (size_t i = 0; i < code.n; i++) {
		address += 1 + dice_below(500);
		at[i] = (struct inline_place){
			address, dice_below(FOUND_FRAME + (unsigned)code.frames),
			dice_below(2) != 0};
	}
}

static bool same_frame(const struct inline_code *a, uint32_t i,
		       const struct inline_code *b, uint32_t k)
{
	const struct inline_link *f = &a->frame[i], *g = &b->frame[k];

	return str_eq(a->text[f->name], b->text[g->name]) &&
	       str_eq(a->text[f->file], b->text[g->file]) && f->line == g->line &&
	       !f->outer == !g->outer &&
	       (!f->outer || same_frame(a, f->outer - 1, b, g->outer - 1));
}

/* The addresses have the same chains of frames. */
static bool same_places(const struct inline_code *a, const struct inline_code *b)
{
	if (a->n != b->n || a->agree != b->agree || a->differ != b->differ)
		return false;
	for (size_t i = 0; i < a->n; i++) {
		const struct inline_place *p = &a->at[i], *q = &b->at[i];

		if (p->address != q->address || p->other != q->other ||
		    (p->found < FOUND_FRAME
			     ? p->found != q->found
			     : q->found < FOUND_FRAME ||
				       !same_frame(a, p->found - FOUND_FRAME, b,
						   q->found - FOUND_FRAME)))
			return false;
	}
	return true;
}

/* What is read, whatever it is from, points inside itself. */
static bool is_sound(const struct inline_code *c)
{
	for (size_t i = 0; i < c->frames; i++)
		if (c->frame[i].name >= c->texts || c->frame[i].file >= c->texts ||
		    c->frame[i].outer > i)
			return false;
	for (size_t i = 0; i < c->n; i++)
		if (c->at[i].found >= FOUND_FRAME + c->frames ||
		    (i && c->at[i].address <= c->at[i - 1].address))
			return false;
	return true;
}

/* Bytes at their exact length, so that a sanitizer sees a read beyond. */
static bool get_sound(const unsigned char *p, size_t n, struct arena *a)
{
	unsigned char *copy = malloc(n + !n);
	struct varint_reader in = {copy, copy + n, false};
	struct inline_code c;
	bool sound;

	if (!copy)
		return false;
	if (n)
		memcpy(copy, p, n);
	arena_reset(a);
	sound = !inline_code_get(&c, &in, a) && (in.bad || is_sound(&c));
	free(copy);
	return sound;
}

static bool comes_back(struct bytes *b, struct arena *a)
{
	struct inline_code c;
	struct varint_reader in;

	b->n = 0;
	make();
	if (inline_code_put(&code, b))
		return false;
	in = (struct varint_reader){b->p, b->p + b->n, false};
	arena_reset(a);
	return !inline_code_get(&c, &in, a) && !in.bad && in.p == in.end &&
	       c.frames <= code.frames && same_places(&code, &c);
}

static bool survives_damage(struct bytes *b, struct arena *a)
{
	bool fine = true;

	for (size_t n = 0; n < b->n; n++)
		fine = fine && get_sound(b->p, n, a);
	for (unsigned i = 0; i < DAMAGES; i++) {
		for (unsigned k = dice_below(4) + 1; k; k--)
			b->p[dice_below((unsigned)b->n)] =
				(unsigned char)(dice_below(3) ? dice_u64() : 0xff);
		fine = fine && get_sound(b->p, b->n, a);
	}
	return fine;
}

int main(void)
{
	bool back = true, damaged = true;
	struct bytes b = {0};
	struct arena a;

	arena_init(&a, 0);
	for (unsigned i = 0; i < ROUNDS; i++) {
		back = back && comes_back(&b, &a);
		damaged = damaged && survives_damage(&b, &a);
	}
	ok(back, "%d lists come back, without the frames that nothing is in", ROUNDS);
	ok(damaged, "cut off and damaged ones are found, or sound");
	arena_free(&a);
	free(b.p);
	return done_testing();
}
