/* names_test.c - name slots: ids, definitions, references, and their forgetting. */
#include <stdlib.h>

#include "index/base/arena.h"
#include "index/tally/names.h"
#include "tests/support/tap.h"

static uint32_t define(struct names *t, uint64_t id, const char *text,
		       enum name_event *event)
{
	return names_define(t, id, str_c(text), 1, event);
}

static void test_ids(void)
{
	static const uint64_t ids[] = {0, 1, 8388607, 8388608, UINT32_MAX, UINT64_MAX};
	struct names t;
	enum name_event event;
	uint32_t slot[COUNT(ids)], other;

	if (names_init(&t, NULL))
		abort();
	for (size_t i = 0; i < COUNT(ids); i++) {
		slot[i] = define(&t, ids[i], "f", &event);
		ok(slot[i] >= NAME_FIRST && event == NAME_OK, "id %" PRIu64, ids[i]);
	}
	for (size_t i = 0; i < COUNT(ids); i++) {
		is_u64(names_id(&t, ids[i], 2), slot[i], "found again");
		is_u64(define(&t, ids[i], "f", &event), slot[i], "defined again alike");
		is_u64(event, NAME_OK, "which says nothing");
		other = define(&t, ids[i], "g", &event);
		ok(other != slot[i] && event == NAME_REDEFINED,
		   "redefined: another slot");
		is_u64(names_id(&t, ids[i], 2), other, "found now");
		ok(str_eq(t.slot[slot[i]].text, STR("f")), "a slot keeps its name");
	}
	names_free(&t);
}

/* Ids that are large for the names there are at first, and small for those there are then. */
static void test_growing(void)
{
	enum { MANY = 20000 };
	static uint32_t slot[MANY];
	struct names t;
	enum name_event event;
	unsigned wrong = 0, again = 0;

	if (names_init(&t, NULL))
		abort();
	for (unsigned i = 0; i < MANY; i++)
		slot[i] = define(&t, (uint64_t)(MANY - 1 - i) * 15, "f", &event);
	for (unsigned i = 0; i < MANY; i++)
		wrong += names_id(&t, (uint64_t)(MANY - 1 - i) * 15, 2) != slot[i];
	for (unsigned i = 0; i < MANY; i += 2)
		slot[i] = define(&t, (uint64_t)(MANY - 1 - i) * 15, "g", &event);
	for (unsigned i = 0; i < MANY; i++)
		again += names_id(&t, (uint64_t)(MANY - 1 - i) * 15, 2) != slot[i];
	is_u64(wrong, 0, "each of many ids is found");
	is_u64(again, 0, "and what it means later");
	names_restart(&t);
	is_u64(t.slot[names_id(&t, 15, 3)].kind, NAME_UNDEFINED, "and none after that");
	is_u64(t.slot[names_id(&t, (MANY - 1) * 15, 3)].kind, NAME_UNDEFINED,
	       "not the first either");
	names_free(&t);
}

static void test_undefined(void)
{
	struct names t;
	enum name_event event;
	uint32_t before, after;

	if (names_init(&t, NULL))
		abort();
	before = names_id(&t, 7, 3);
	is_u64(t.slot[before].kind, NAME_BEFORE, "used before it is defined");
	is_u64(names_id(&t, 7, 4), before, "and again");
	after = define(&t, 7, "f", &event);
	ok(after != before && event == NAME_MET, "defined later: told, another slot");
	names_restart(&t);
	before = names_id(&t, 7, 5);
	ok(before != after && t.slot[before].kind == NAME_UNDEFINED,
	   "forgotten at a new file");
	names_free(&t);
}

static void test_texts(void)
{
	struct names t;
	struct arena a;
	char text[] = "abc";
	uint32_t slot;

	arena_init(&a, 0);
	if (names_init(&t, &a))
		abort();
	slot = names_text(&t, str_c(text), 1);
	text[0] = 'x';
	ok(str_eq(t.slot[slot].text, STR("abc")), "a copy is kept");
	is_u64(names_text(&t, STR("abc"), 1), slot, "found again");
	ok(names_text(&t, str_c(text), 1) != slot, "another text");
	ok(names_text(&t, (struct str){"abc\0d", 5}, 1) != slot, "a NUL does not end it");
	is_u64(t.use[NAME_ABSENT].block, UINT32_MAX, "no name has no function yet");
	names_free(&t);
	arena_free(&a);
}

static const struct {
	const char *text;
	bool parts;
} parts[] = {
	{"(3)'2", true},     {"(3)'2'(1)", true},
	{"(3)'(1)", true},   {"(3)'2'2", true},
	{"(3)", false},	     {"(3)2", false},
	{"(3)'", false},     {"(3)'x", false},
	{"f'2", false},	     {"'2", false},
	{"(x)'2", false},    {"()'2", false},
	{"(3)'2'", false},   {"(3)''2", false},
	{"(3)'(x)", false},  {"(3) '2", false},
	{"(3)'2(1)", false}, {"", false},
	{"(3)'2 x", false},  {"(99999999999999999999)'2", false},
};

static void test_references(void)
{
	struct names t;
	enum name_event event;
	uint32_t f, slot;

	for (size_t i = 0; i < COUNT(parts); i++)
		is_u64(names_has_parts(str_c(parts[i].text)), parts[i].parts, "\"%s\"",
		       parts[i].text);
	if (names_init(&t, NULL))
		abort();
	t.references = true;
	f = define(&t, 3, "f", &event);
	slot = define(&t, 5, "(3)'2'(1)", &event);
	is_u64(t.nref, 2, "two references");
	is_u64(t.ref[t.slot[slot].refs - 1], f, "the first is known");
	is_u64(t.slot[t.ref[t.slot[slot].refs]].kind, NAME_BEFORE,
	       "the second is not, yet");
	is_u64(define(&t, 5, "(3)'2'(1)", &event), slot, "defined again alike");
	is_u64(event, NAME_OK, "which says nothing");
	define(&t, 3, "g", &event);
	ok(define(&t, 5, "(3)'2'(1)", &event) != slot && event == NAME_REDEFINED,
	   "it means something else when (3) does");
	t.references = false;
	slot = define(&t, 6, "(3)'2", &event);
	is_u64(t.slot[slot].refs, 0, "names of files refer to nothing");
	names_free(&t);
}

int main(void)
{
	test_ids();
	test_growing();
	test_undefined();
	test_texts();
	test_references();
	return done_testing();
}
