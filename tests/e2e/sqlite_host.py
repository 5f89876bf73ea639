"""sqlite_host.py - a Python whose sqlite3 loads quern.so, for the tests of the extension."""
import os
import sys

from e2e import quern, skip_all, started

extension = os.path.dirname(quern) + "/quern"
OTHER = "/usr/bin/python3"
if os.environ.get("QUERN_VARIANT", "release") not in ("release", "debug", "coverage"):
    skip_all("a sanitizer does not go into a program that is built without it")
if not os.path.exists(extension + ".so"):
    skip_all("quern.so is not built: libsqlite3-dev, then scons")
try:
    import sqlite3
    able = hasattr(sqlite3.Connection, "enable_load_extension")
except ImportError:
    able = False
if not able and sys.argv[1:] != ["again"] and os.path.exists(OTHER):
    # Some builds of Python leave it out; Debian's has it.
    os.chdir(started)
    os.execv(OTHER, [OTHER, "-B", sys.argv[0], "again"])
if not able:
    skip_all("no Python here has an sqlite3 that loads extensions")


def connect(path=":memory:"):
    db = sqlite3.connect(path)
    db.enable_load_extension(True)
    db.load_extension(extension)
    return db
