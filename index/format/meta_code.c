/* meta_code.c - the order of fields in meta, part headers and diagnostics. */
#include "index/format/meta_code.h"

#include <string.h>

#include "index/base/arena.h"

static void code_u64(struct coder *c, uint64_t *v)
{
	if (c->to) {
		c->failed |= bytes_put(c->to, *v) != 0;
		return;
	}
	/* Behind a text for which there was no memory the bytes are not where they should
	 * be: that is no damage. */
	*v = c->failed ? 0 : varint_get(c->from);
	c->failed |= c->from->bad;
}

static void code_bool(struct coder *c, bool *v)
{
	uint64_t n = *v;

	code_u64(c, &n);
	*v = n != 0;
}

static void code_str(struct coder *c, struct str *s)
{
	uint64_t n = s->n;

	code_u64(c, &n);
	if (c->failed)
		return;
	if (c->to) {
		if (bytes_room(c->to, s->n + VARINT_MAX)) {
			c->failed = true;
			return;
		}
		if (s->n)
			memcpy(c->to->p + c->to->n, s->p, s->n);
		c->to->n += s->n;
		return;
	}
	if (n > (uint64_t)(c->from->end - c->from->p)) {
		c->failed = c->from->bad = true;
		return;
	}
	*s = arena_str(c->arena, (struct str){(const char *)c->from->p, (size_t)n});
	c->failed |= s->p == NULL;
	c->from->p += n;
}

static void code_source(struct coder *c, struct source_id *s)
{
	code_str(c, &s->path);
	code_u64(c, &s->dev);
	code_u64(c, &s->inode);
	code_u64(c, &s->size);
	code_u64(c, &s->mtime_ns);
	code_u64(c, &s->ctime_ns);
	code_u64(c, &s->hash);
}

/* No index has this: the bytes are damaged. */
static void impossible(struct coder *c)
{
	if (c->failed)
		return;
	c->failed = true;
	if (c->from)
		c->from->bad = true;
}

/* Event i, of so many that are recorded: those behind them are derived. */
static void code_event(struct coder *c, struct event *e, uint64_t i, uint64_t recorded)
{
	bool derived = e->coef != NULL;

	code_str(c, &e->name);
	code_str(c, &e->long_name);
	code_str(c, &e->formula);
	code_bool(c, &e->builtin);
	code_bool(c, &derived);
	if (derived != (i >= recorded))
		impossible(c);
	if (c->failed || !derived)
		return;
	if (c->from)
		e->coef = ARENA_ARRAY(c->arena, int64_t, (size_t)recorded + 1);
	for (uint64_t k = 0; e->coef && k < recorded; k++) {
		uint64_t z = c->to ? varint_zigzag(0, (uint64_t)e->coef[k]) : 0;

		code_u64(c, &z);
		e->coef[k] = (int64_t)varint_unzigzag(0, z);
	}
	c->failed |= e->coef == NULL;
}

/* Arrays that are read are as long as the bytes left at most: each element is >= 1. */
static bool plausible(struct coder *c, uint64_t n)
{
	if (c->from && n > (uint64_t)(c->from->end - c->from->p))
		impossible(c);
	return !c->failed;
}

static void code_files(struct coder *c, struct meta *m)
{
	code_u64(c, &m->files);
	if (m->files == 0)
		impossible(c);
	if (c->failed || !plausible(c, m->files))
		return;
	if (c->from)
		m->file = ARENA_ARRAY(c->arena, struct input_file, (size_t)m->files);
	c->failed |= !m->file;
	for (uint64_t i = 0; !c->failed && i < m->files; i++) {
		struct input_file *f = &m->file[i];

		code_source(c, &f->id);
		code_u64(c, &f->pid);
		code_u64(c, &f->part);
		code_u64(c, &f->thread);
		code_u64(c, &f->bytes);
		code_u64(c, &f->lines);
		code_bool(c, &f->truncated);
		code_str(c, &f->events);
		code_u64(c, &f->formulas);
		if (!c->failed && plausible(c, f->formulas) && c->from)
			f->formula = ARENA_ARRAY(c->arena, struct formula,
						 (size_t)f->formulas + 1);
		c->failed |= f->formulas && !f->formula;
		for (uint64_t k = 0; !c->failed && k < f->formulas; k++) {
			code_u64(c, &f->formula[k].line);
			code_u64(c, &f->formula[k].at);
			code_str(c, &f->formula[k].text);
		}
	}
}

void meta_code(struct coder *c, struct meta *m)
{
	code_files(c, m);
	code_str(c, &m->profile);
	code_str(c, &m->creator);
	code_str(c, &m->cmd);
	uint64_t *const numbers[] = {
		&m->built_s,
		&m->input_bytes,
		&m->input_lines,
		&m->functions,
		&m->edges,
		&m->cycles,
		&m->cycle_members,
		&m->parts,
		&m->strings[SPACE_OBJ],
		&m->strings[SPACE_FILE],
		&m->strings[SPACE_FN],
		&m->pairs,
		&m->lines,
		&m->sites,
		&m->jumps,
		&m->diagnostics,
		&m->tree.kind,
		&m->tree.contexts,
		&m->tree.roots,
		&m->tree.blocks,
		&m->tree.unsure,
		&m->tree.lost,
		&m->tree.file,
		&m->tree.line,
		&m->tree.many,
		&m->groups,
		&m->group_edges,
		&m->group_cycles,
		&m->events,
		&m->all_events,
	};
	bool *const flags[] = {&m->has_line,  &m->has_instr, &m->saturated,
			       &m->truncated, &m->totals,    &m->summaries,
			       &m->levels,    &m->negative,  &m->uncounted};

	for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++)
		code_u64(c, numbers[i]);
	for (size_t i = 0; i < sizeof(flags) / sizeof(flags[0]); i++)
		code_bool(c, flags[i]);
	code_u64(c, &m->loose);
	if (m->events > m->all_events)
		impossible(c);
	if (!plausible(c, m->all_events))
		return;
	if (c->from) {
		m->event = ARENA_ARRAY(c->arena, struct event, (size_t)m->all_events + 1);
		m->total = ARENA_ARRAY(c->arena, int64_t, (size_t)m->events + 1);
		c->failed |= !m->event || !m->total;
	}
	for (uint64_t i = 0; !c->failed && i < m->all_events; i++)
		code_event(c, &m->event[i], i, m->events);
	for (uint64_t i = 0; !c->failed && i < m->events; i++)
		code_u64(c, (uint64_t *)&m->total[i]);
}

void part_head_code(struct coder *c, struct part *p)
{
	struct str *const texts[] = {&p->creator,    &p->cmd,  &p->trigger,
				     &p->time_range, &p->desc, &p->positions,
				     &p->events};
	uint64_t file = p->file;
	uint64_t *const numbers[] = {&p->part,	 &p->pid,   &p->thread,	  &file,
				     &p->offset, &p->bytes, &p->functions};

	for (size_t i = 0; !c->failed && i < sizeof(texts) / sizeof(texts[0]); i++)
		code_str(c, texts[i]);
	for (size_t i = 0; !c->failed && i < sizeof(numbers) / sizeof(numbers[0]); i++)
		code_u64(c, numbers[i]);
	if (file > UINT32_MAX)
		impossible(c);
	p->file = (uint32_t)file;
	code_bool(c, &p->has_totals);
	code_bool(c, &p->has_summary);
}

void diag_code(struct coder *c, struct diag *d)
{
	code_u64(c, &d->kind);
	code_u64(c, &d->count);
	code_u64(c, &d->file);
	code_u64(c, &d->line);
	code_str(c, &d->text);
}
