/* version.h - what --version says: version, commit, what is built in (SConstruct). */
#ifndef QUERN_APP_VERSION_H
#define QUERN_APP_VERSION_H

extern const char version_text[];

#endif
