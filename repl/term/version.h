/* version.h - the version of the program; SConstruct reads it, too. */
#ifndef QUERN_VERSION_H
#define QUERN_VERSION_H

#define QUERN_VERSION "0.1.0"

#endif
