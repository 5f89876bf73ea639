/* version.h - the version of the program is that of the library; SConstruct reads it there. */
#ifndef QUERN_VERSION_H
#define QUERN_VERSION_H

#include "engine/api/quern.h"

#endif
