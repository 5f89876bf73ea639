/*
 * parse_stage.h - the pieces between "|" (parse_stage.c, parse_source.c).
 */
#ifndef QUERN_PARSE_STAGE_H
#define QUERN_PARSE_STAGE_H

#include "engine/lang/parse_in.h"

/* "in" and "part" are graph stages only if they come first, "contexts" before a source. */
bool parse_is_gstage(const struct parser *p, const struct token *t);
int parse_gstage(struct parser *p, struct gstage **out);
int parse_tstage(struct parser *p, struct tstage **out);
int parse_source(struct parser *p, struct source *s);
/* Report that something follows a complete statement, and why it may not. */
int parse_unexpected(struct parser *p, const struct stmt *s, const struct token *t);
int parse_count(struct parser *p, const char *after, uint64_t *out);

#endif
