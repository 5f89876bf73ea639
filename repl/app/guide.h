/* guide.h - the guide for agents. */
#ifndef QUERN_GUIDE_H
#define QUERN_GUIDE_H

/* The text of repl/guide.md without its front matter, which makes a SKILL.md of it. */
extern const char guide_md[];

#endif
