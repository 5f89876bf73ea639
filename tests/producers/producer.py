"""producer.py - what the scripts of this directory share.

A producer is a module with a PACKAGE to look for, and make(box): run the program it
profiles, and for every profile box.add() the file and what the producer itself reports of it.
Nothing of what is reported may come from quern.
"""
import os
import re
import shutil
import subprocess

here = os.path.dirname(os.path.abspath(__file__))
work = here + "/work/"


class Skip(Exception):
    """Why a producer, or one profile of it, cannot be made here."""


class Profile:
    """One file and its producer's word on it.  Costs are whole numbers, by event.

    totals   {event: sum of self costs}
    selfs    {key: self cost of the first event}; a key is a function's name or, with
             by="line's file", "FILE:NAME" where FILE is that of the cost lines
    calls    {name: calls};  incl  {name: inclusive cost of the first event}
    within   how far the report may be off, where it is rounded: units of the first event
    """

    def __init__(self, path, command, report, totals, by="name", within=0, note="", **more):
        self.path, self.command, self.report = path, command, report
        self.totals, self.by, self.within, self.note = totals, by, within, note
        self.selfs = more.pop("selfs", {})
        self.calls, self.incl = more.pop("calls", {}), more.pop("incl", {})
        assert not more, more


class Box:
    """A directory for one producer."""

    def __init__(self, directory):
        self.dir, self.made, self.skipped = directory, [], []

    def path(self, name):
        return os.path.join(self.dir, name)

    def add(self, *args, **more):
        self.made.append(Profile(*args, **more))

    def skip(self, name, why):
        self.skipped.append((name, why))

    def need(self, program, package):
        found = shutil.which(program)
        if not found:
            raise Skip("%s is not installed (Debian: %s)" % (program, package))
        return found

    def run(self, *argv, check=True, env=(), **more):
        """Text of stdout and stderr together."""
        more.setdefault("stdin", subprocess.DEVNULL)
        more.setdefault("cwd", self.dir)
        done = subprocess.run(argv, stdout=subprocess.PIPE, text=True,
                              stderr=subprocess.STDOUT, env=dict(os.environ, **dict(env)),
                              errors="surrogateescape", timeout=600, **more)
        if check and done.returncode:
            raise Skip("%s failed: %s" % (argv[0], done.stdout.strip()[-300:]))
        return done.stdout

    def shell(self, command, **more):
        return self.run("sh", "-c", command, **more)

    def source(self, name):
        """A program of work/, copied here: profiles then name no directory of the checkout."""
        shutil.copy(work + name, self.path(name))
        return name

    def python(self, module, package):
        """A Python that has the module: Debian's, else the first of PATH."""
        for python in ("/usr/bin/python3", shutil.which("python3")):
            if python and not subprocess.run([python, "-c", "import " + module],
                                             stderr=subprocess.DEVNULL).returncode:
                return python
        raise Skip("no Python here has %s (Debian: %s)" % (module, package))


def number(text):
    return 0 if text in (".", "") else int(text.replace(",", ""))


def version(text):
    found = re.search(r"\d+(?:\.\d+)+\S*", text)
    return found[0] if found else text.strip()
