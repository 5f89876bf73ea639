/* footer.h - the line below a table: the share of the whole that the rows have. */
#ifndef QUERN_FOOTER_H
#define QUERN_FOOTER_H

struct exec;
struct result;
struct table;

/* Put "10 of 1,586 functions = 71.2 % of 5.27 M Ir" into r->footer. */
void footer(struct exec *x, struct table *t, struct result *r);

#endif
