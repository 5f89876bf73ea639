/* pages.h - a table of many rows as a result that is read page by page. */
#ifndef QUERN_PAGES_H
#define QUERN_PAGES_H

struct column;
struct result;
struct table;
struct table_col;

enum { PAGED = 1 << 18 }; /* rows; results of more are paged */

/* Give r the columns of t, which are filled a page at a time (result_row()). */
void page_result(struct table *t, struct result *r);
/* Fill a column for all rows; cum%, too, which covers the rows before each. */
void fill_shown(struct table *t, struct table_col *c);
void to_column(const struct table_col *c, struct column *out);

#endif
