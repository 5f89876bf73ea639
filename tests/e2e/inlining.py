"""inlining.py - what the tests of inlined functions share: a C++ program, recorded with addresses.

The program `p` is built in the current directory, its profile is `out`, and the inlined calls
that quern reads are kept in `kept`.
"""
import json
import os
import shutil
import subprocess

from e2e import fixtures, run, skip_all

source, out = fixtures + "/inlined/", "p.out"
kept = out + ".quern.inlines"


def need(*tools):
    missing = [t for t in tools if not shutil.which(t)]
    if missing:
        skip_all(" ".join(missing) + " is not installed")


def build(*flags):
    subprocess.run(["g++", "-std=c++17", *flags, "-o", "p", source + "inlined.cc"], check=True)


def record():
    """Record the program; p.built is what was measured."""
    shutil.copy2("p", "p.built")
    p = subprocess.run(["valgrind", "-q", "--tool=callgrind", "--dump-instr=yes",
                        "--callgrind-out-file=" + out, "./p"], capture_output=True)
    if p.returncode or not os.path.exists(out):
        skip_all("valgrind cannot run here: " + repr(p.stderr[-80:]))
    restore()
    if "without libdw" in rows("inlined | take 1")[1]:
        skip_all("quern was built without libdw")
    run(out, "-q", "--rebuild", "-c", "events")    # what is read from the object lies beside an index
    forget()


def rows(query, *more, profile=out, **how):
    """The rows of the answer and all that was said; rows None: it failed."""
    r = run(profile, "-q", "--format", "json", *more, "-c", query, **how)
    try:
        answer = json.loads(r.text)
        return answer["rows"], r.talk + "\n".join(answer["meta"]["notes"])
    except (ValueError, KeyError):
        return None, str(r)


def age(when, path="p", profile=out):
    """Set a file's age against the profile, in seconds."""
    t = os.stat(profile).st_mtime + when
    os.utime(path, (t, t))


def restore(when=-10):
    """The object as it was measured."""
    shutil.copy2("p.built", "p")
    age(when)


def forget():
    """Remove what is kept."""
    if os.path.isdir(kept) and not os.path.islink(kept):
        shutil.rmtree(kept)
    elif os.path.lexists(kept):
        os.remove(kept)
