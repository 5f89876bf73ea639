"""expressions.py - expressions over the rows of a table: their text, and their value.

A row is a dictionary from column to cell.  A cell is an int, a float, a str, a bool, or None
where there is no value.  Every expression knows its text, how tightly its outermost operator
binds, its type, and its value for a row:

- A value that is absent makes every result it enters absent; a condition on it is false.
- Counts are 64-bit integers and saturate, costs and differences as signed ones; `/` makes a ratio, `*` of
  two columns a float; a division by 0 is absent.
"""
import operator
import os
import re

OR, AND, NOT, COMPARE, SUM, PRODUCT, MINUS, ATOM = range(8)
SIGNED = ("self", "incl", "contribution", "incoming", "lo", "hi", "est", "incl_out", "total", "base", "delta")     # costs
MOST, MOST_SIGNED = 2 ** 64 - 1, 2 ** 63 - 1
LEAST = -2 ** 63


class Expression:
    binds = ATOM
    type = "number"         # or text, condition
    columns = ()            # that it reads
    signed = False          # may be negative

    def within(self, binds):
        """Its text, in brackets where an operator around it binds tighter."""
        return self.text() if self.binds >= binds else "(" + self.text() + ")"


class Column(Expression):
    def __init__(self, name, type="number"):
        self.name, self.type, self.columns = name, type, (name,)
        self.signed = (name or "").split(".")[0] in SIGNED

    def text(self):
        return self.name

    def value(self, row):
        return row[self.name]


def compared(e, row):
    """As conditions see it: a line that is not known is the number 0."""
    value = e.value(row)
    return 0 if value is None and isinstance(e, Column) and e.name == "line" else value


class Literal(Expression):
    def __init__(self, cell, text=None):
        self.cell, self.written = cell, text
        self.type = "text" if isinstance(cell, str) else "number"

    def text(self):
        return self.written or (quoted(self.cell) if self.type == "text" else "%d" % self.cell)

    def value(self, row):
        return self.cell


class Arithmetic(Expression):
    RUN = {"+": operator.add, "-": operator.sub, "*": operator.mul}

    def __init__(self, sign, left, right):
        self.sign, self.left, self.right = sign, left, right
        self.binds = SUM if sign in "+-" else PRODUCT
        self.columns = left.columns + right.columns
        self.signed = sign == "-" or left.signed or right.signed

    def text(self):
        return "%s %s %s" % (self.left.within(self.binds), self.sign, self.right.within(self.binds + 1))

    def value(self, row):
        a, b = self.left.value(row), self.right.value(row)
        if a is None or b is None:
            return None
        if self.sign == "/":
            made = a / b if b else None
        elif self.sign == "*" and self.left.columns and self.right.columns:
            made = float(a) * float(b)
        else:
            made = saturated(self.RUN[self.sign](a, b), self.signed)
        return None if made is not None and made != made else made     # infinite less infinite


class Negative(Expression):
    binds = MINUS

    def __init__(self, of):
        self.of, self.columns, self.signed = of, of.columns, True

    def text(self):
        return "-" + self.of.within(ATOM)

    def value(self, row):
        a = self.of.value(row)
        return None if a is None else saturated(-a, True)


class Call(Expression):
    RUN = {"abs": abs, "basename": lambda s: s.rsplit("/", 1)[-1],
           "dirname": lambda s: dirname(s)}

    def __init__(self, name, of):
        self.name, self.of, self.columns = name, of, of.columns
        self.type = "number" if name == "abs" else "text"

    def text(self):
        return "%s(%s)" % (self.name, self.of.text())

    def value(self, row):
        a = self.of.value(row)
        return None if a is None else self.RUN[self.name](a)


class Replace(Expression):
    """replace(of, /RE/, "TO"): every match; $1 is a group."""
    type = "text"

    def __init__(self, of, pattern, to):
        self.of, self.pattern, self.to, self.columns = of, pattern, to, of.columns

    def text(self):
        return "replace(%s, /%s/, %s)" % (self.of.text(), self.pattern, quoted(self.to))

    def value(self, row):
        a = self.of.value(row)
        return None if a is None else re.sub(self.pattern, re.sub(r"\$(\d)", r"\\\1", self.to), a, flags=re.A)


class Comparison(Expression):
    type, binds = "condition", COMPARE
    RUN = {"=": operator.eq, "!=": operator.ne, "<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge}

    def __init__(self, sign, left, right):
        self.sign, self.left, self.right = sign, left, right
        self.columns = left.columns + right.columns

    def text(self):
        return "%s %s %s" % (self.left.within(SUM), self.sign, self.right.within(SUM))

    def value(self, row):
        a, b = compared(self.left, row), compared(self.right, row)
        if a is None or b is None:
            return False
        if isinstance(a, str):
            if self.sign in ("=", "!="):
                return (self.sign == "=") == same_text(self.left, a, b)
            a, b = a.encode(), b.encode()
        return self.RUN[self.sign](a, b)


class Percent(Expression):
    """self > 5%: of the whole profile's cost."""
    type, binds = "condition", COMPARE

    def __init__(self, column, sign, percent):
        self.column, self.sign, self.percent = column, sign, percent
        self.columns = (column, column + "%")

    def text(self):
        return "%s %s %g%%" % (self.column, self.sign, self.percent)

    def value(self, row):
        share = row[self.column + "%"]
        return share is not None and Comparison.RUN[self.sign](share, self.percent)


class In(Expression):
    type, binds = "condition", COMPARE

    def __init__(self, left, values):
        self.left, self.values, self.columns = left, values, left.columns

    def text(self):
        return "%s in (%s)" % (self.left.within(SUM), ", ".join(v.text() for v in self.values))

    def value(self, row):
        a = compared(self.left, row)
        if a is None:
            return False
        if isinstance(a, str):
            return any(same_text(self.left, a, v.cell) for v in self.values)
        return any(a == v.cell for v in self.values)


class Search(Expression):
    """~ and !~: a regular expression, or text as it stands, anywhere in it."""
    type, binds = "condition", COMPARE

    def __init__(self, left, sign, pattern, regex, caseless=False):
        self.left, self.sign, self.pattern, self.regex, self.caseless = left, sign, pattern, regex, caseless
        self.columns = left.columns

    def text(self):
        pattern = "/%s/%s" % (self.pattern, "i" if self.caseless else "") if self.regex else quoted(self.pattern)
        return "%s %s %s" % (self.left.within(SUM), self.sign, pattern)

    def value(self, row):
        a = self.left.value(row)
        if a is None:
            return False
        found = bool(re.search(self.pattern, a, re.I if self.caseless else 0)) if self.regex else self.pattern in a
        return found == (self.sign == "~")


class Flag(Expression):
    """A column that is a condition itself: recursive, estimated."""
    type = "condition"

    def __init__(self, name):
        self.name, self.columns = name, (name,)

    def text(self):
        return self.name

    def value(self, row):
        return bool(row[self.name])


class Logic(Expression):
    type = "condition"

    def __init__(self, word, left, right):
        self.word, self.left, self.right = word, left, right
        self.binds = AND if word == "and" else OR
        self.columns = left.columns + right.columns

    def text(self):
        return "%s %s %s" % (self.left.within(self.binds), self.word, self.right.within(self.binds))

    def value(self, row):
        a, b = self.left.value(row), self.right.value(row)
        return a and b if self.word == "and" else a or b


class Not(Expression):
    type, binds = "condition", NOT

    def __init__(self, of):
        self.of, self.columns = of, of.columns

    def text(self):
        return "not " + self.of.within(NOT)

    def value(self, row):
        return not self.of.value(row)


def saturated(number, signed):
    return number if isinstance(number, float) else min(max(number, LEAST), MOST_SIGNED if signed else MOST)


def quoted(text):
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


def dirname(path):
    """Of a file; the unknown one stays ???."""
    if path == "???":
        return path
    head, slash, _ = path.rpartition("/")
    return (head or "/") if slash else "."


def same_text(expression, a, b):
    """Columns of files and objects are compared by base name where b has no slash."""
    if isinstance(expression, Column) and expression.name in ("file", "obj", "caller_file", "callee_file") and "/" not in b:
        return os.path.basename(a) == b
    return a == b
