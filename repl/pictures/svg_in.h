/* svg_in.h - the inside of render_svg.c and render_svg_two.c. */
#ifndef QUERN_SVG_IN_H
#define QUERN_SVG_IN_H

#include "repl/pictures/frames.h"

struct arena;
struct out;
struct render;

enum {
	WIDTH = 1200,
	MARGIN = 10,
	TOP = 56,
	ROW = 17,
	BOTTOM = 24,
	DRAWN = 50000, /* most frames drawn */
};
#define SVG_LETTER 7.3	  /* px */
#define SVG_NARROWEST 0.3 /* px; narrower frames go into "(other)" */

/* Write the head of a picture of that height, up to the background and the query.
 * first, step: y of frames of depth 0, and from there to the next. */
void svg_head(struct render *rd, size_t height, int first, int step);
/* Write the buttons of the title lines. */
void svg_buttons(struct out *o);
/* brief: the short name, or empty. */
void svg_label(struct out *o, double x, size_t y, double w, struct str name,
	       struct str brief);
/* The short name in a (of one name at a time); empty if it is the same. */
struct str svg_brief(struct render *rd, struct str name, struct arena *a);
void svg_put_brief(struct out *o, struct str brief); /* as an attribute */
/* Write what a picture leaves out, then the script and the end. */
void svg_tail(struct render *rd, const struct frames *f, size_t height, uint64_t others,
	      uint64_t cut);
/* Draw a comparison. */
void svg_two(struct render *rd, struct frames *f, bool icicle);

#endif
