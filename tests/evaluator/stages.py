"""stages.py - table stages: their text, and what they make of a table.

A Table is rows in order, and for each of its columns the kind (number, text, flag) and
whether it adds up.  `shown` are the columns of a machine format; a row may hold more, for
expressions to ask for (`incl.Dr`, `self%`).
"""
from expressions import Arithmetic, Call, Column
from tables import percent

PARTS = "sum of "   # columns behind a ratio, which a later sum is made of


class Table:
    def __init__(self, rows, shown, kinds, adds):
        self.rows, self.shown, self.kinds, self.adds = rows, list(shown), kinds, set(adds)
        self.ratios = {}        # column -> expression that is worked out again from sums
        self.counted = lambda row: True     # is the row in sums?
        self.compared = False               # base and delta are those of two profiles
        self.cost = None                    # the column by which the rows are in order, as no stage ordered them


class Where:
    def __init__(self, condition):
        self.condition = condition

    def text(self):
        return "where " + self.condition.text()

    def run(self, table):
        new = changed(table, [r for r in table.rows if self.condition.value(r)])
        new.cost = table.cost
        return new


class Sort:
    """Numbers descend by default, texts ascend; ties keep their order; absent values stand last."""

    def __init__(self, keys):
        self.keys = keys        # [(expression, "", "asc" or "desc")]

    def text(self):
        # A sign alone is refused: it is not what most people mean.
        keys = [(e.text(), way or ("desc" if e.text().startswith("-") else "")) for e, way in self.keys]
        return "sort " + ", ".join(" ".join(key).strip() for key in keys)

    def run(self, table):
        rows = list(table.rows)
        for e, way in reversed(self.keys):
            present = [r for r in rows if e.value(r) is not None]
            texts = any(isinstance(e.value(r), str) for r in present)
            present.sort(key=lambda r: as_key(e.value(r)), reverse=way == "desc" or not (way or texts))
            rows = present + [r for r in rows if e.value(r) is None]
        return changed(table, rows)


class Take:
    def __init__(self, n):
        self.n = n

    def text(self):
        return "take %d" % self.n

    def run(self, table):
        return changed(table, table.rows[:self.n])


class Skip(Take):
    def text(self):
        return "skip %d" % self.n

    def run(self, table):
        return changed(table, table.rows[self.n:])


class Count:
    def text(self):
        return "count"

    def run(self, table):
        return Table([{"count": len(table.rows)}], ["count"], {"count": "number"}, ["count"])


class Show:
    def __init__(self, columns):
        self.columns = columns      # [(expression, name or None)]

    def text(self):
        return "show " + ", ".join(e.text() + (" as " + name if name else "") for e, name in self.columns)

    def run(self, table):
        names = [name or e.text() for e, name in self.columns]
        rows = [dict(r, **{n: e.value(r) for n, (e, _) in zip(names, self.columns)}) for r in table.rows]
        new = Table(rows, names, dict(table.kinds), table.adds)
        new.counted, new.cost = table.counted, table.cost
        new.compared = table.compared and not {n for n, (e, _) in zip(names, self.columns)
                                               if n in ("base", "delta") and e.text() != n}
        for n, (e, _) in zip(names, self.columns):
            note(new, table, n, e)
        return new


class Add:
    def __init__(self, name, expression):
        self.name, self.expression = name, expression

    def text(self):
        return "add %s = %s" % (self.name, self.expression.text())

    def run(self, table):
        rows = [dict(r, **{self.name: self.expression.value(r)}) for r in table.rows]
        shown = table.shown if self.name in table.shown else table.shown + [self.name]
        new = Table(rows, shown, dict(table.kinds), table.adds)
        new.ratios, new.counted, new.cost = dict(table.ratios), table.counted, table.cost
        new.compared = table.compared and self.name not in ("base", "delta")
        note(new, table, self.name, self.expression)
        return new


class Sum:
    def text(self):
        return "sum"

    def run(self, table):
        shown = [c for c in table.shown if c in table.adds or c in table.ratios]
        rows = [r for r in table.rows if table.counted(r)]
        row = sums(rows, table.adds & set(table.kinds))
        for c, e in table.ratios.items():
            row[c] = e.value(sums(rows, e.columns))
        if change(table, row, shown):
            shown.append("delta%")
        new = Table([row], shown, table.kinds, table.adds)
        new.ratios = table.ratios
        return new


class Group:
    """group by keys: aggregates.  Without any: count, and the sums of what adds up."""

    def __init__(self, keys, aggregates):
        self.keys, self.aggregates = keys, aggregates    # [(kind, expression or None, name)]

    def text(self):
        text = "group by " + ", ".join(self.keys)
        if self.aggregates:
            text += ": " + ", ".join(self._one(*a) for a in self.aggregates)
        return text

    @staticmethod
    def _one(kind, expression, name):
        inner = expression.text() if expression else ""
        return (kind if kind == "count" else inner if kind == "ratio" else "%s(%s)" % (kind, inner)) + " as " + name

    @staticmethod
    def _costliest_first(table, rows, column):
        """Without a sort before: by the first aggregate, or the costs of the source, which are changes by their size."""
        key = Call("abs", Column(column)) if column == "delta" else Column(column)
        return Sort([(key, "desc")]).run(Table(rows, [], {}, [])).rows if table.cost and column else rows

    def run(self, table):
        groups = {}
        for r in table.rows:
            groups.setdefault(tuple(r[k] for k in self.keys), []).append(r)
        kinds = {k: table.kinds[k] for k in self.keys}
        if not self.aggregates:
            added = [c for c in table.shown if c in table.adds and c not in self.keys]
            rows = [dict(zip(self.keys, k), count=len(rs), **sums(filter(table.counted, rs), added)) for k, rs in groups.items()]
            if all([change(table, row, added) for row in rows]) and rows:
                kinds["delta%"] = "number"
            kinds.update(dict.fromkeys(["count"] + added, "number"))
            rows = self._costliest_first(table, rows, table.cost if table.cost in added else None)
            return Table(rows, list(self.keys) + ["count"] + added + ["delta%"] * ("delta%" in kinds), kinds, ["count"] + added)
        rows, names = [], [name for _, _, name in self.aggregates]
        for k, rs in groups.items():
            row = dict(zip(self.keys, k))
            for kind, e, name in self.aggregates:
                row[name] = aggregate(kind, e, rs)
                if kind == "ratio":
                    row.update({PARTS + c: v for c, v in sums(rs, e.columns).items()})
            rows.append(row)
        kinds.update(dict.fromkeys(names, "number"))
        rows = self._costliest_first(table, rows, names[0])
        new = Table(rows, list(self.keys) + names, kinds, [n for k, _, n in self.aggregates if k in ("count", "sum")])
        new.ratios = {n: Arithmetic("/", Column(PARTS + e.left.name), Column(PARTS + e.right.name))
                      for k, e, n in self.aggregates if k == "ratio"}
        return new


def aggregate(kind, expression, rows):
    if kind == "count":
        return len(rows)
    if kind == "ratio":
        return expression.value(sums(rows, expression.columns))
    values = [v for v in (expression.value(r) for r in rows) if v is not None]
    if not values:
        return None
    return {"sum": sum, "min": min, "max": max, "avg": lambda v: sum(v) / len(v),
            "median": median, "p90": lambda v: percentile(v, 90), "p99": lambda v: percentile(v, 99)}[kind](values)


def median(values):
    v = sorted(values)
    low, high = v[(len(v) - 1) // 2], v[len(v) // 2]
    whole = isinstance(low, int) and isinstance(high, int) and (low + high) % 2 == 0
    return (low + high) // 2 if whole else (low + high) / 2


def percentile(values, percent):
    """The least value that so many percent of them do not exceed."""
    return next(v for v in sorted(values) if 100 * sum(w <= v for w in values) >= percent * len(values))


def change(table, row, columns):
    """The sums of base and delta have their delta%, too."""
    if not table.compared or "base" not in columns or "delta" not in columns:
        return False
    row["delta%"] = None if row["base"] is None else percent(row["delta"], row["base"])
    return True


def sums(rows, columns):
    """Absent values count for nothing; of none at all the sum is absent."""
    row, rows = {}, list(rows)
    for c in columns:
        values = [r[c] for r in rows if r.get(c) is not None]
        row[c] = sum(values) if values else None
    return row


def sorts_first(some):
    """Is there a `sort` that the source's own order, by cost, does not come before?"""
    for stage in some:
        if isinstance(stage, (Sort, Sum, Count)):
            return True
        if not isinstance(stage, (Where, Add)):
            return False
    return False


def changed(table, rows):
    new = Table(rows, table.shown, table.kinds, table.adds)
    new.ratios, new.counted, new.compared = table.ratios, table.counted, table.compared
    return new


def note(new, old, name, expression):
    """The kind of a computed column, and how it is summed."""
    new.kinds[name] = {"condition": "flag"}.get(expression.type, expression.type)
    new.adds.discard(name)
    new.ratios.pop(name, None)
    if isinstance(expression, Column) and expression.name in old.adds:
        new.adds.add(name)
    if isinstance(expression, Column) and expression.name in old.ratios:
        new.ratios[name] = old.ratios[expression.name]
    if isinstance(expression, Arithmetic) and expression.sign == "/" and \
            all(isinstance(e, Column) and e.name in old.adds for e in (expression.left, expression.right)):
        new.ratios[name] = expression


def as_key(cell):
    return cell.encode() if isinstance(cell, str) else cell
