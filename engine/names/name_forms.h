/* name_forms.h - names with a form of their own, which separators alone do not split. */
#ifndef QUERN_NAME_FORMS_H
#define QUERN_NAME_FORMS_H

#include "engine/names/name.h"

/* Split a name of such a form into out; false: it has none.  Then prefix and suffix are
 * what a language puts around the name, or stay as they are. */
bool name_form(struct str name, struct name *out);
/* The bytes of " [1/2]" at the end of a name, which pprof adds for each place of a tree, or
 * of " (discriminator 3)", which belongs to a line. */
size_t name_place(struct str name);

#endif
