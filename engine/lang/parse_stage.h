/*
 * parse_stage.h - the pieces between "|" (parse_stage.c, parse_source.c).
 */
#ifndef QUERN_PARSE_STAGE_H
#define QUERN_PARSE_STAGE_H

#include "engine/lang/parse_in.h"

/* "in" and "part" are graph stages only if they come first, "contexts" before a source. */
bool parse_is_gstage(const struct parser *p, const struct token *t);
struct gstage *parse_gstage(struct parser *p);
struct tstage *parse_tstage(struct parser *p);
void parse_source(struct parser *p, struct source *s);
/* Report that something follows a complete statement, and why it may not. */
_Noreturn void parse_unexpected(struct parser *p, const struct stmt *s,
				const struct token *t);
/* hint: for what is no whole number. */
uint64_t parse_count(struct parser *p, const char *after, const char *hint);

#endif
