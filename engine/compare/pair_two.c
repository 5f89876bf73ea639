/*
 * pair_two.c - may two functions be one, and by which rules?
 *
 * Names are equal, but for the rules of a pass; so are objects, and files, if the name does
 * not say by itself which function of the object it is.
 */
#include "engine/compare/pair_in.h"
#include "engine/names/name.h"
#include "index/base/err.h"
#include "index/store/store.h"

static struct str shown_name(const struct pairer *w, unsigned s, uint32_t f)
{
	return (w->first[s] ? store_fn_alone : store_fn_shown)(w->st[s], f);
}

/* The rules that made two functions the same, beside those that changed their names. */
static unsigned other_rules(const struct pairer *w, uint32_t a, uint32_t b)
{
	const uint32_t oa = w->obj[0][pair_fn(a)], ob = w->obj[1][pair_fn(b)];
	const uint32_t fa = w->file[0][pair_fn(a)], fb = w->file[1][pair_fn(b)];
	unsigned rules = 0;

	if (w->objects.of[0][oa] != w->objects.of[1][ob] &&
	    !str_eq(str_basename(store_obj(w->st[0], oa)),
		    str_basename(store_obj(w->st[1], ob))))
		rules |= PAIR_OBJECT;
	if (w->files.of[0][fa] != w->files.of[1][fb])
		rules |= PAIR_FILE;
	if ((w->rules->n || w->included.text.n) &&
	    str_eq(pair_text(w, a), pair_text(w, b)) &&
	    !str_eq(shown_name(w, 0, pair_fn(a)), shown_name(w, 1, pair_fn(b))))
		rules |= name_included(pair_text(w, a)).n ? PAIR_FILE : PAIR_RENAME;
	return rules;
}

static unsigned name_rules(unsigned changed)
{
	return (changed & (VARIANT_CLONE | VARIANT_CLONE_NUMBER) ? PAIR_CLONE : 0u) |
	       (changed & VARIANT_HASH ? PAIR_HASH : 0u) |
	       (changed & VARIANT_LINE ? PAIR_LINE : 0u) |
	       (changed & VARIANT_LAMBDA ? PAIR_LAMBDA : 0u) |
	       (changed & CHANGED_ADDRESS ? PAIR_ADDRESS : 0u);
}

/* Both sides are noted at once, so of[0] and of[1] are always inverse to each other.  A
 * rule that changed both names alike says nothing: they were equal before. */
void pair_make(struct pairer *w, uint32_t a, uint32_t b, unsigned changed)
{
	struct pairing *p = w->p;
	unsigned rules = other_rules(w, a, b);

	if (!str_eq(pair_text(w, a), pair_text(w, b)))
		rules |= name_rules(changed);
	p->of[0][pair_fn(a)] = pair_fn(b);
	p->of[1][pair_fn(b)] = pair_fn(a);
	p->rules[pair_fn(a)] = (uint8_t)rules;
	w->made++;
}

static bool is_letter(struct str s, size_t i)
{
	return i < s.n && ((s.p[i] >= 'a' && s.p[i] <= 'z') ||
			   (s.p[i] >= 'A' && s.p[i] <= 'Z') || s.p[i] == '_');
}

/* Is the word at byte i, and nothing more? */
static bool is_word_at(struct str name, size_t i, struct str word)
{
	return str_starts(str_from(name, i), word) && !is_letter(name, i + word.n) &&
	       (i == 0 || !is_letter(name, i - 1));
}

/*
 * Can only one function of an object have this name?  A::f, of a class or namespace, but
 * not a static f(std::string) nor its lambda f(int)::{lambda()#1}: what counts is before
 * the parameters and after the return type.
 */
static bool is_qualified(struct str name)
{
	size_t i = str_starts(name, STR("{closure:")) ? STR("{closure:").n : 0;
	unsigned depth = 0;
	bool qualified = false;

	if (str_find_str(name, STR("(anonymous")) < name.n ||
	    str_find_str(name, STR("@anonymous")) < name.n)
		return false;
	for (; i < name.n; i++) {
		const char c = name.p[i], next = i + 1 < name.n ? name.p[i + 1] : '\0';

		if (c == '-' && next == '>') {
			qualified |= depth == 0;
			i++;
		} else if (c == '<' || c == '{' || c == '[' || (c == '(' && depth)) {
			depth++;
		} else if (depth && (c == '>' || c == '}' || c == ']' || c == ')')) {
			depth--;
		} else if (depth) {
			continue;
		} else if (c == '(' ||
			   (c == 'o' && is_word_at(name, i, STR("operator")))) {
			break;
		} else if (c == ' ') {
			qualified &= next == '[' || next == '(';
		} else if (c == 'd' && is_word_at(name, i, STR("decltype"))) {
			while (i + 1 < name.n && name.p[i + 1] != '(')
				i++;
			depth += i + 1 < name.n;
			i++;
		} else {
			qualified |= c == ':' && next == ':';
		}
	}
	return qualified;
}

static bool has_no_file(const struct pairer *w, uint32_t v)
{
	return str_eq(store_fn_file(w->st[pair_side(v)], pair_fn(v)), STR("???"));
}

/* The file of a function is that of its first instruction, which may be inlined code. */
static bool begins_in_header(const struct pairer *w, uint32_t v)
{
	const struct str file = store_fn_file(w->st[pair_side(v)], pair_fn(v));

	return str_starts(file, STR("/usr/include/")) ||
	       str_starts(file, STR("/usr/local/include/"));
}

static bool fits_without_file(const struct pairer *w, uint32_t a, uint32_t b)
{
	return is_qualified(pair_text(w, a)) || str_eq(pair_text(w, a), STR("main")) ||
	       has_no_file(w, a) || has_no_file(w, b) || begins_in_header(w, a) ||
	       begins_in_header(w, b);
}

bool pair_no_object(const struct pairer *w, uint32_t v)
{
	const unsigned s = pair_side(v);
	const struct str obj = store_obj(w->st[s], w->obj[s][pair_fn(v)]);

	return !obj.n || str_eq(obj, STR("???"));
}

bool pair_objects_fit(const struct pairer *w, const struct pass *pass, uint32_t a,
		      uint32_t b)
{
	return pair_obj(w, a) == pair_obj(w, b) ||
	       (pass->no_obj && (pair_no_object(w, a) || pair_no_object(w, b)));
}

/* Different parts of a function are not the same: f.part.0 and f.cold. */
static bool parts_differ(const struct variant *a, const struct variant *b)
{
	return (a->part || a->cold) && (b->part || b->cold) &&
	       (a->part != b->part || a->cold != b->cold);
}

int pair_two(struct pairer *w, const struct pass *pass, uint32_t a, uint32_t b)
{
	struct variant va, vb;

	if (pair_variant(w, a, pass->rules, 0, &va) ||
	    pair_variant(w, b, pass->rules, 1, &vb))
		return w->err->kind;
	if (!str_eq(va.text, vb.text) || !pair_objects_fit(w, pass, a, b) ||
	    (!pass->no_file && pair_file(w, a) != pair_file(w, b)) ||
	    (pass->no_file && !fits_without_file(w, a, b)) || parts_differ(&va, &vb) ||
	    (pair_is_address(va.text) && other_rules(w, a, b) & PAIR_OBJECT))
		return 0;
	pair_make(w, a, b, va.changed | vb.changed);
	return 0;
}
