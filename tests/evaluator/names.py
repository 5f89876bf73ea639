"""names.py - sets of functions: their text, and what they match.

Each form matches functions of a View (see tables.py); a function is (object, file, name).
"""
import re

from expressions import quoted

PLAIN = re.compile(r"[A-Za-z_][A-Za-z0-9_]*(::[A-Za-z_][A-Za-z0-9_]*)*('\d+)?$")
BASE = re.compile(r"[a-z_]+\.[ch]")
LEVEL = re.compile(r"'\d+$")
OR, AND, NOT, ATOM = range(4)


class Atom:
    binds = ATOM

    def __init__(self, text, matches):
        self.written, self.matches = text, matches

    def text(self):
        return self.written

    def members(self, view):
        """Functions of the view that match, or have a member that does."""
        return {g for f, g in view.group.items() if self.matches(f) or (view.merged and self.matches(g))}

    def lines(self, view):
        """Whether a line of the function f, in this file, is meant by `lines of`."""
        those = self.members(view)
        return lambda f, file: f in those


class OfFile(Atom):
    """Functions by their file; of lines those in it, whatever their function."""

    def __init__(self, text, is_meant):
        super().__init__("file:" + text, lambda f: is_meant(f[1]))
        self.is_meant = is_meant

    def lines(self, view):
        return lambda f, file: self.is_meant(file)


class Joined:
    def __init__(self, word, left, right):
        self.word, self.left, self.right = word, left, right
        self.binds = AND if word == "and" else OR

    def text(self):
        sign = ", " if self.word == "," else " %s " % self.word
        return within(self.left, self.binds) + sign + within(self.right, self.binds)

    def members(self, view):
        a, b = self.left.members(view), self.right.members(view)
        return a & b if self.word == "and" else a | b

    def lines(self, view):
        a, b = self.left.lines(view), self.right.lines(view)
        return (lambda f, file: a(f, file) and b(f, file)) if self.word == "and" else lambda f, file: a(f, file) or b(f, file)


class Not:
    binds = NOT

    def __init__(self, of):
        self.of = of

    def text(self):
        return "not " + within(self.of, NOT)

    def members(self, view):
        return set(view.group.values()) - self.of.members(view)

    def lines(self, view):
        of = self.of.lines(view)
        return lambda f, file: not of(f, file)


def within(a_set, binds):
    return a_set.text() if a_set.binds >= binds else "(" + a_set.text() + ")"


# ---------------------------------------------------------------- atoms

def bare(name):
    """Missing leading namespaces and 'N are ignored, and so may be a glob's."""
    pattern = "".join(".*" if c == "*" else "." if c == "?" else re.escape(c) for c in name)
    whole = re.compile("(.*::)?" + pattern + ("" if LEVEL.search(name) else r"('\d+)?"))
    return Atom(name, lambda f: PLAIN.match(f[2]) and whole.fullmatch(f[2]))


def base(text):
    """A path that stands as a name, by its base name: its dots separate nothing."""
    return Atom(text, lambda f: f[2].rsplit("/", 1)[-1] == text)


def part(text, caseless):
    """A text that is no whole name: the functions with it in one component of their names."""
    same = str.lower if caseless else str
    return Atom(text, lambda f: any(same(text) in same(c.split("'")[0]) for c in f[2].split("::")))


def absent():
    """Joined with `or` to a name that is there, it is left out."""
    return Atom('"no such name"', lambda f: False)


def exact(name):
    return Atom(quoted(name), lambda f: f[2] == name)


def regex(pattern, caseless=False):
    found = re.compile(pattern, re.I if caseless else 0)
    return Atom("/%s/%s" % (pattern, "i" if caseless else ""), lambda f: found.search(f[2]))


def number(n, function):
    return Atom("#%d" % n, lambda f: f == function)


def field(kind, text):
    """file: and obj: by the whole path, or its last component."""
    return by_place(kind, quoted(text), lambda path: text in (path, path.rsplit("/", 1)[-1]))


def field_regex(kind, pattern):
    return by_place(kind, "/%s/" % pattern, lambda path: re.search(pattern, path))


def by_place(kind, text, is_meant):
    return OfFile(text, is_meant) if kind == "file" else Atom("obj:" + text, lambda f: is_meant(f[0]))


def of_class(name):
    return Atom("class:" + quoted(name), lambda f: class_of(f[2]) == name)


class AtLine(Atom):
    """Functions with cost of their own on a line, in the parts that are looked at."""

    def __init__(self, file, line):
        super().__init__("line:%s:%d" % (file, line) if file else "line:%d" % line, None)
        self.file, self.line = file, line

    def members(self, view):
        return {view.group[f] for part in view.parts for f, file, line in part.self
                if f in view.group and line == self.line and self.file in ("", file, file.rsplit("/", 1)[-1])}


def class_of(name):
    """Of names as program.py makes them."""
    return name.rpartition("::")[0] if PLAIN.match(name) and "::" in name else "(no class)"
