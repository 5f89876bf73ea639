"""questions.py - random questions about a World, and what is needed to answer them.

A Question is graph stages, a source, and table stages.  Literals in its conditions are cells
of the table that it asks, so that conditions divide the rows.
"""
import calls
import names
import stages
import tables
from expressions import (Arithmetic, Call, Column, Comparison, Flag, In, Literal, Logic, Negative, Not, Percent,
                         Replace, Search, dirname)
from trees import Bounded, Tree, cost_wrong, paths_wrong
from view import View

NUMBERS = {"functions": "id calls line cycle contribution incoming", "groups": "functions",
           "lines": "line calls_out incl_out", "inlined": "self lines", "calls": "caller_id callee_id calls",
           "callsites": "line calls incl", "parts": "part pid thread", "threads": "pid thread self parts",
           "parts of": "part pid thread calls incoming", "events": "total", "cycles": "id functions self calls", "neighbours": "depth id calls incl est",
           "tree": "depth id calls incl est lo hi self", "vs functions": "self calls base delta delta%",
           "vs groups": "self functions base delta delta%", "cost": "self incl est lo hi",
           "path": "path step id calls incl est lo hi", "activations": "number start depth calls part",
           "calls of a span": "number start incl self calls lo hi"}
TEXTS = {"functions": "fn file obj", "groups": "name", "lines": "file fn", "inlined": "file into", "calls": "caller callee caller_file callee_file",
         "callsites": "caller callee file", "events": "name", "cycles": "entry", "neighbours": "fn file obj", "tree": "fn file obj", "path": "fn file",
         "activations": "fn caller", "calls of a span": "fn", "vs functions": "fn file obj change", "vs groups": "name change"}
FLAGS = {"functions": "estimated", "groups": "estimated", "calls": "recursive", "neighbours": "recursive", "tree": "recursive estimated"}
COSTS = {"activations": "self incl", "functions": "self incl", "groups": "self incl", "lines": "self", "inlined": "self", "calls": "incl", "parts": "self",
         "parts of": "self"}
ADDS = {"functions": "self calls", "groups": "self functions", "lines": "self calls_out", "inlined": "self lines", "calls": "calls",
        "callsites": "calls", "parts": "self", "parts of": "self incoming calls", "threads": "self",
        "cycles": "functions self", "activations": "self calls", "calls of a span": "self calls", "neighbours": "calls incl est",
        "vs functions": "self calls base delta", "vs groups": "self functions base delta"}
SHARES = ("functions", "groups", "lines", "inlined", "parts", "parts of", "calls")


class Source:
    """text: as asked.  kind: of table.  rows(): what it has to hold.  by: the event.  wrong(rows):
    why the engine's rows cannot be right, or None."""

    def __init__(self, text, kind, rows, by, ordered=True, before=""):
        self.text, self.kind, self.by, self.ordered, self.before = text, kind, by, ordered, before
        self.wrong = lambda got: tables.match(rows(), got)


class Question:
    def __init__(self, world, graph_stages, view, source, table_stages):
        self.world, self.view = world, view
        # The evaluator's functions are those of the profile.
        self.graph_stages = ([] if source.kind == "profiles" or world.joined or world.calls else ["contexts"]) + graph_stages
        self.source, self.stages = source, table_stages
        self.total = None       # 100 %, as the engine has it
        self.top = False        # written as `top N by X`, which is `| sort X | take N`

    def start(self):
        """The source with its graph stages, which is asked first."""
        return self.source.before + " | ".join(self.graph_stages + [self.source.text])

    def text(self):
        source, later = self.source.text, self.stages
        if self.top:
            (key, _), = later[0].keys
            source, later = "top %d %s by %s" % (later[1].n, source, key.text()), later[2:]
        return self.source.before + " | ".join(self.graph_stages + [source] + [s.text() for s in later])


class Asker:
    def __init__(self, rng, world):
        self.rng, self.world = rng, world
        self.views = {}

    def question(self):
        """Table stages come later, by `shape`, when the cells of the table are known."""
        graph_stages, view = self.view()
        source = self.source(view)
        return Question(self.world, graph_stages, view, source, [])

    # ------------------------------------------------------------ sets of functions

    def atom(self, view):
        rng, world = self.rng, self.world
        f = rng.choice(world.functions)
        name = f[2]
        kinds = ["exact", "number", "regex", "file", "obj", "part of a path", "line"]
        last = name.split("::")[-1].split("'")[0]
        if names.PLAIN.match(name) and all(names.PLAIN.match(g[2]) or last not in g[2] for g in world.functions):
            cut = rng.randint(0, max(0, len(last) - 3))
            piece = last[cut:cut + rng.randint(3, len(last))] if len(last) > 3 else last
            piece = rng.choice((piece, piece, piece.swapcase() if len(piece) > 1 else piece))     # of one letter the case tells
            having = [g for g in world.functions if piece.lower() in g[2].lower()]
            if not view.merged and all(names.PLAIN.match(g[2]) for g in having) and \
                    not any(names.bare(piece).matches(g) for g in having):
                kinds += ["part", "part"]
            kinds += ["bare", "bare"] + ["glob"] * (world.plain and not view.merged)
            if world.plain and "::" in name:
                kinds.append("class")
        if view.inlines or world.joined:
            kinds = ["exact", "number", "file", "obj", "part of a path", "line"]
        bases = sorted({g[2].rsplit("/", 1)[-1] for g in view.group.values() if "/" in g[2]}) if view.merged else []
        bases = [b for b in bases if names.BASE.fullmatch(b)]
        kind = rng.choice(kinds + ["base"] * (2 * bool(bases)))
        if kind == "base":
            return names.base(rng.choice(bases))
        if kind == "exact":
            return names.exact(name)
        if kind == "number":
            return names.number(world.number[f], f)
        if kind == "regex":
            return self.regex(name)
        if kind == "file":
            return names.field("file", rng.choice((f[1], f[1].rsplit("/", 1)[-1])))
        if kind == "obj":
            return names.field("obj", rng.choice((f[0], f[0].rsplit("/", 1)[-1])))
        if kind == "part of a path":
            return names.field_regex("file", rng.choice((r"\.c$", "lib", "src", ".", "^src.*b")))
        if kind == "class":
            return names.of_class(names.class_of(name))
        if kind == "line" and world.lines_of[f]:
            file, line = rng.choice(sorted(world.lines_of[f]))
            return names.AtLine(rng.choice(("", file)) if file[0].isalpha() else "", line)
        if kind == "glob":
            cut = rng.randint(1, len(last))
            return names.bare(last[:cut] + "*" if rng.random() < 0.7 else "*" + last[-cut:])
        if kind == "part":
            return names.part(piece, not any(piece in g[2] for g in having))
        if kind == "bare":
            return names.bare(rng.choice((name, last)))
        return names.exact(name)

    def regex(self, name):
        word = "".join(c for c in name if c.isalnum() and c.isascii() or c == "_") or "."
        at = self.rng.randint(0, max(0, len(word) - 2))
        pattern = self.rng.choice(("^" + word[:1], word[at:at + 2], "[" + word[at] + "x]", word[-1] + "$", "a|e", "^.{3,6}$"))
        return names.regex(pattern, self.rng.random() < 0.3)

    def some_set(self, view, depth=2):
        """A set of which the graph stages leave something, and no atom of which is empty."""
        for _ in range(50):
            made = self.one_set(view, depth)
            if made and made.members(view):
                return made
        return names.exact(min(view.group.values())[2])

    def one_set(self, view, depth):
        rng = self.rng
        if depth == 0 or rng.random() < 0.45:
            atom = self.atom(view)
            return atom if atom.members(view) else None
        if rng.random() < 0.2:
            inner = self.one_set(view, depth - 1)
            return inner and names.Not(inner)
        a, b = self.one_set(view, depth - 1), self.one_set(view, depth - 1)
        if a and rng.random() < 0.1:
            return names.Joined(rng.choice(("or", ",")), *rng.sample((a, names.absent()), 2))
        return a and b and names.Joined(rng.choice(("or", ",", "and", "and")), a, b)

    # ------------------------------------------------------------ graph stages

    def view(self):
        """(text of the stages, View); the same few again and again, as they take long."""
        if len(self.views) < 12 and self.rng.random() < 0.3:
            made, view = self.new_view()
            if view:
                self.views[" | ".join(made)] = made, view
        if self.views and self.rng.random() < 0.5:
            return self.rng.choice(list(self.views.values()))
        if "" not in self.views:
            self.views[""] = [], self.whole()
        return self.views[""]

    def whole(self, parts=None, world=None):
        return (calls.Known if self.world.calls else View).whole(world or self.world, parts)

    def new_view(self):
        rng, world, made = self.rng, self.world, []
        parts = world.profile.parts
        if len(parts) > 1 and rng.random() < 0.5:
            if rng.random() < 0.3:
                threads = sorted({p.thread for p in parts})
                some = rng.choice(threads)
                made.append("thread %d" % some)
                parts = [p for p in parts if p.thread == some]
            else:
                numbers = sorted({p.number for p in parts})
                some = sorted(rng.sample(numbers, rng.randint(1, len(numbers))))
                made.append("part " + ",".join(map(str, some)))
                parts = [p for p in parts if p.number in some]
        view = self.whole(parts)
        if world.calls and rng.random() < 0.8:
            opens, view = calls.stage(self, parts)
            if not opens:
                return made, None
            made.append(opens)
            view.of_part = parts is not world.profile.parts
            if rng.random() < 0.4:
                return made, view
        if not view.graph.functions or len(view.graph.functions) > 60:
            return made, None
        if world.joined:
            return (made + ["whole"], view.shares_of_all()) if rng.random() < 0.2 else (made, view)
        if rng.random() < 0.15 and not world.calls:
            return made + ["with inlined"], view.inlined()
        # Bounds of groups, and estimates, are not for less than nothing.
        for _ in range(0 if world.signed else rng.choice((0, 1, 1, 2)) if made else rng.choice((1, 1, 2))):
            if view.doubted:
                break
            text, view = self.graph_stage(view)
            made.append(text)
            if not view.group:
                return made, None
        return (made + ["whole"], view.shares_of_all()) if made and rng.random() < 0.15 else (made, view)

    def graph_stage(self, view):
        rng, world = self.rng, self.world
        kind = rng.choice(("focus", "ignore", "hide", "collapse", "collapse by"))
        if world.calls and view.merged:     # of these the engine estimates what is left
            kind = rng.choice(("collapse", "collapse by"))
        elif view.filtered:
            kind = rng.choice(("focus", "ignore", "hide"))
        if kind == "collapse by":
            by, key = rng.choice((("file", lambda f: f[1]), ("object", lambda f: f[0]), ("dir", lambda f: dirname(f[1]))))
            return "collapse by " + by, view.collapse(key)
        made = self.some_set(view, 1)
        those = made.members(view)
        if kind == "collapse":
            name = next(n for n in ("group", "some", "more") if all(f[2] != n for f in view.graph.functions))
            return "collapse %s as %s" % (made.text(), name), view.collapse(lambda f: name if f in those else None)
        return "%s %s" % (kind, made.text()), getattr(view, kind)(those)

    # ------------------------------------------------------------ sources

    def source(self, view):
        rng, world = self.rng, self.world
        by = rng.choice(world.events) if rng.random() < 0.3 and not (self.world.calls and view.by_time) else world.events[0]
        clause = " by " + by if by != world.events[0] else ""
        before, those, of = "", set(view.group.values()), ""
        if rng.random() < 0.4:
            made = self.some_set(view)
            those, of = made.members(view), " of " + made.text()
            if rng.random() < 0.2:
                before, of = "let $s = %s; " % made.text(), " of $s"
        between = of and not view.inlines and rng.random() < 0.5
        kind = rng.choice(["functions"] * 5 + ["groups"] * 2 + ["lines", "inlined", "calls", "callsites", "parts", "threads", "events",
                                                              "cycles", "neighbours", "neighbours", "tree", "tree", "cost"] + ["path"] * bool(world.program))
        bounded = ("tree", "tree", "cost", "path") if world.program and len(set(view.group.values())) > 1 else ()
        if world.signed:
            whole = () if view.below or view.of_whole else ("lines", "inlined", "callsites", "parts", "threads", "events")
            kind = rng.choice(("functions", "functions", "groups", "calls") + whole)
        elif world.calls:
            kind = rng.choice(self.of_calls(view))
        elif world.joined:
            kind = rng.choice((kind, "cost", "tree", "path"))
        elif view.inlines:
            kind = rng.choice(("functions", "functions", "groups", "calls") + bounded)
        elif view.filtered and bounded and rng.random() < 0.4:
            kind = rng.choice(bounded)
        elif view.filtered:
            kind = rng.choice(("functions", "functions", "groups") + (() if view.of_whole else ("events",)) + (("parts",) if of else () if view.merged else ("parts", "threads")))
        elif view.merged:
            kind = rng.choice(("functions", "groups", "calls", "cycles", "neighbours"))
        if kind == "activations":
            return self.activations(view, by, clause)
        if kind in ("threads", "events", "cycles"):
            before, those, of = "", set(view.group.values()), ""
        if kind == "events" and view.of_whole:
            kind = "functions" if view.opens else "threads"
        if kind == "events":
            by, clause = world.events[0], ""
        if kind in ("tree", "cost", "path"):
            return getattr(self, kind)(view, by, clause)
        if kind == "neighbours":
            if not of:
                made = self.some_set(view, 1)
                those, of = made.members(view), " of " + made.text()
            callers = rng.random() < 0.5
            return Source(("callers" if callers else "callees") + of + clause, kind,
                          lambda: tables.neighbours(view, those, by, callers), by, False, before)
        if kind in ("functions", "groups") and not of and not view.below and not view.of_whole and not world.signed and \
                (not view.of_part if view.opens else view.parts is world.profile.parts) and rng.random() < 0.3:
            against = self.versus(view, by, clause)
            if against:
                return against
        if kind == "groups":
            unit = rng.choice(("files", "objects", "dirs") + (("classes",) if world.plain and not view.merged else ()))
            return Source(unit + of + clause, kind, lambda: tables.groups(view, those, by, unit), by,
                          True, before)
        if kind == "parts" and of:
            return Source("parts" + of + clause, "parts of", lambda: tables.parts(view, those, by, False), by, False, before)
        if kind in ("calls", "callsites") and between:
            return self.between(view, kind, those, of, by, clause, before)
        rows = getattr(tables, kind)
        if kind == "lines" and of:
            those = made.lines(view)
        ordered = kind in ("functions", "calls", "inlined", "lines")
        return Source(kind + of + clause, kind, lambda: rows(view, those, by), by, ordered, before)

    @staticmethod
    def of_calls(view):
        """What can be asked of a run whose every call is known."""
        kinds = ["functions"] * 4 + ["groups"] * 2 + ["tree", "tree", "cost", "path"]
        if not view.filtered:
            kinds += ["cycles"] * (view.opens != "span") if view.merged else ["calls", "neighbours", "lines", "callsites", "activations", "activations"]
        if not view.below:
            kinds += ["events"] if view.opens else ["events", "parts", "threads", "inlined"]
        return kinds

    def activations(self, view, by, clause):
        """Of a span sets are those of the whole run, and its rows have bounds."""
        of_all = self.whole() if view.shares else view
        made = self.some_set(of_all) if self.rng.random() < 0.6 else None
        those, of = (made.members(of_all), " of " + made.text()) if made else (set(of_all.group.values()), "")
        rows = lambda: calls.activations(view, those, by)
        if view.shares is None or by != self.world.events[0] or self.rng.random() < 0.5:
            return Source("activations" + of + clause, "activations", rows, by, False)
        source = Source("activations%s | show number, start, incl, self, calls, fn, lo, hi, estimated" % of, "calls of a span", rows, by, False)
        source.wrong = lambda got: tables.match(rows(), got) or calls.bounds_wrong(rows(), got, self.world.program.fibers)
        return source

    def between(self, view, kind, those, of, by, clause, before):
        """calls from X, to X, from X to Y"""
        way, everything = self.rng.choice(("from", "to", "both")), set(view.group.values())
        text, ends = of.replace(" of ", " to " if way == "to" else " from ", 1), [those, everything]
        if way == "to":
            ends.reverse()
        if way == "both":
            made = self.some_set(view, 1)
            text, ends[1] = text + " to " + made.text(), made.members(view)
        rows = tables.calls_between if kind == "calls" else tables.callsites
        return Source(kind + text + clause, kind, lambda: rows(view, ends[0], by, ends[1]), by, kind == "calls", before)

    def versus(self, view, by, clause):
        """functions or files vs base"""
        unit = self.rng.choice(("functions", "functions", "files", "dirs"))
        other, base = self.whole(world=self.world.base), "base"
        if view.opens:
            base, other = calls.other_stage(self, view)
            if not other or (other.by_time and by != self.world.events[0]):
                return None
        other.number = lambda f: 0      # numbers are the first profile's

        def rows():
            if unit == "functions":
                a, b = tables.functions(view, set(view.graph.functions), by), tables.functions(other, set(other.graph.functions), by)
                return tables.versus(a, b, ("obj", "file", "fn"), "self")
            a, b = (tables.groups(v, set(v.graph.functions), by, unit) for v in (view, other))
            return tables.versus(a, b, ("name",), "self")
        return Source(unit + clause + " vs " + base, "vs functions" if unit == "functions" else "vs groups", rows, by, False)

    def tree(self, view, by, clause):
        rng = self.rng
        some = [f for f in view.graph.functions if f in set(view.group.values()) and view.number(f) is not None]
        f = rng.choice(some) if view.filtered or view.inlines or self.world.joined else rng.choice(view.graph.functions)
        way = rng.choice(("", "from", "to"))
        made = (Bounded if view.filtered or view.inlines or self.world.joined or self.world.calls else Tree)(view, by, "up" if way == "to" else "down", f if way else None)
        source = Source("calltree%s max 400%s" % (" %s #%d" % (way, view.number(f)) if way else "", clause), "tree", None, by, False)
        source.wrong = made.wrong
        return source

    def path(self, view, by, clause):
        """hottest 3 paths from X to Y"""
        some = [f for f in view.graph.functions if f in set(view.group.values()) and view.number(f) is not None]
        ends = tuple(view.number(f) for f in self.rng.choices(some, k=2))
        how = self.rng.choice(("path", "hottest 3 paths", "widest 2 paths", "shortest 2 paths", "all 40 paths"))
        source = Source("%s from #%d to #%d%s" % ((how,) + ends + (clause,)), "path", None, by, False)
        source.wrong = lambda got: paths_wrong(view, by, got)
        return source

    def cost(self, view, by, clause):
        """cost of X under Y avoiding Z"""
        of, under, avoiding = (self.some_set(view, 1) for _ in range(3))
        those, text = of.members(view), "cost of " + of.text()
        above = without = None
        if self.rng.random() < 0.8:
            above, text = under.members(view), text + " under " + under.text()
        if self.rng.random() < 0.3:
            without, text = avoiding.members(view), text + " avoiding " + avoiding.text()
        source = Source(text + clause, "cost", None, by, False)
        source.wrong = lambda got: cost_wrong(view, by, those, above, without or set(), got)
        return source

    # ------------------------------------------------------------ table stages

    def shape(self, question, table):
        """Stages for a table whose rows are known."""
        rng, made, kind = self.rng, [], question.source.kind
        if kind in ("functions", "groups") and " by " not in question.source.text and table.rows and rng.random() < 0.15:
            question.top = True
            column = rng.choice([c for c in ("self", "incl", "calls", "functions", "line") if c in table.shown])
            made = [stages.Sort([(Column(column), "")]), stages.Take(rng.randint(1, len(table.rows) + 1))]
            for stage in made:
                table = stage.run(table)
        for _ in range(rng.choice((1, 1, 2, 2, 3, 4))):
            stage = self.stage(table, kind, made)
            if not stage:
                break
            made.append(stage)
            table = stage.run(table)
            if isinstance(stage, (stages.Count, stages.Sum)):
                break
        return made

    def stage(self, table, kind, made):
        rng = self.rng
        grouped = any(isinstance(s, stages.Group) for s in made)
        shown = any(isinstance(s, (stages.Show, stages.Add)) for s in made)
        choice = rng.choice(["where"] * 5 + ["sort"] * 4 + ["take", "take", "skip", "show", "add", "group", "group", "sum", "count"])
        if choice == "where":
            condition = self.condition(table, 2)
            return condition and stages.Where(condition)
        if choice == "sort":
            keys = [(self.key(table), rng.choice(("", "", "desc", "asc"))) for _ in range(rng.choice((1, 1, 2)))]
            return stages.Sort(keys) if all(k for k, _ in keys) else None
        if choice in ("take", "skip"):
            return (stages.Take if choice == "take" else stages.Skip)(rng.randint(0 if choice == "skip" else 1, len(table.rows) + 1))
        if choice == "count":
            return stages.Count()
        if choice == "sum" and not shown and [c for c in table.shown if c in table.adds]:
            return stages.Sum()
        if choice == "show" and not grouped:
            return self.show(table)
        if choice == "add" and not grouped:
            e = self.replaced(table) if rng.random() < 0.3 else self.number(table, 2)
            return e and e.columns and stages.Add("x%d" % len(made), e)
        if choice == "group" and not grouped and not shown:
            return self.group(table, kind)
        return None

    def columns(self, table, kind):
        return [c for c, k in table.kinds.items() if k == kind]

    def cell(self, table, column):
        """A value of the column, or near one."""
        values = [r[column] for r in table.rows if r.get(column) is not None]
        if not values:
            return None
        value = self.rng.choice(values)
        return max(0, value + self.rng.choice((0, 0, 1, -1))) if isinstance(value, int) else value

    def replaced(self, table):
        """A text with something in place of what it has, or of what it may not have."""
        columns = self.columns(table, "text")
        if not columns:
            return None
        pattern, to = self.rng.choice((("a|e|_", ""), ("(.)(.)", "$2$1"), (r"^(\w+)", "<$1>"), (r"\d+$", ""), ("[0-9:]", "nn"), ("^.", "")))
        return Replace(Column(self.rng.choice(columns)), pattern, to)

    def number(self, table, depth):
        """An expression that is a number."""
        rng, columns = self.rng, self.columns(table, "number")
        if not columns:
            return None
        if depth == 0 or rng.random() < 0.4:
            return Column(rng.choice(columns)) if rng.random() < 0.85 else Literal(rng.randint(0, 20))
        if rng.random() < 0.1:
            return Negative(Column(rng.choice(columns)))
        if rng.random() < 0.1:
            return Call("abs", self.number(table, depth - 1))
        return Arithmetic(rng.choice("+-*/"), self.number(table, depth - 1), self.number(table, depth - 1))

    def key(self, table):
        """By a column, a computed number or a text; never an event alone, which is another source."""
        texts = self.columns(table, "text")
        if texts and self.rng.random() < 0.3:
            return Column(self.rng.choice(texts))
        e = self.number(table, 1)
        return e if e and e.columns else None

    def condition(self, table, depth):
        rng = self.rng
        if depth and rng.random() < 0.45:
            a, b = self.condition(table, depth - 1), self.condition(table, depth - 1)
            if not a or not b:
                return None
            return Not(a) if rng.random() < 0.25 else Logic(rng.choice(("and", "or")), a, b)
        numbers, texts, flags = (self.columns(table, k) for k in ("number", "text", "flag"))
        choice = rng.random()
        if texts and choice < 0.3:
            return self.text_condition(table, rng.choice(texts))
        if flags and choice < 0.35:
            return Flag(rng.choice(flags))
        shares = [c for c in numbers if c + "%" in numbers]
        if shares and choice < 0.5:
            return Percent(rng.choice(shares), rng.choice(("<", "<=", ">", ">=")), rng.choice((0.5, 1, 5, 10, 50)))
        if not numbers:
            return None
        if choice < 0.6:
            column = rng.choice([c for c in numbers if not c.endswith("%")] or [None])
            values = column and [self.cell(table, column) for _ in range(2)]
            if values and all(isinstance(v, int) for v in values):
                return In(Column(column), [Literal(v) for v in values])
        left = self.number(table, 2)
        if not left or not left.columns:
            return None
        value = self.cell(table, left.columns[0])
        right = Literal(value) if isinstance(value, int) and rng.random() < 0.7 else self.number(table, 1)
        return Comparison(rng.choice(("=", "!=", "<", "<=", ">", ">=")), left, right)

    def text_condition(self, table, column):
        rng, value = self.rng, self.cell(table, column)
        if value is None:
            return None
        choice = rng.random()
        if choice < 0.3:
            return Comparison(rng.choice(("=", "!=")), Column(column), Literal(value))
        if choice < 0.4:
            return Comparison(rng.choice(("<", ">=")), Column(column), Literal(value))
        if choice < 0.5:
            return In(Column(column), [Literal(value), Literal(self.cell(table, column))])
        if choice < 0.6 and column in ("file", "obj"):
            return Comparison("=", Call("basename", Column(column)), Literal(value.rsplit("/", 1)[-1]))
        if choice < 0.7:
            e = self.replaced(table)
            return e and Comparison(rng.choice(("=", "!=", "<")), e, Literal(value))
        if choice < 0.85:
            at = rng.randint(0, max(0, len(value) - 1))
            return Search(Column(column), rng.choice(("~", "!~")), value[at:at + 2] or "n", False)
        made = self.regex(value)
        pattern, _, flags = made.text()[1:].rpartition("/")
        return Search(Column(column), rng.choice(("~", "!~")), pattern, True, flags == "i")

    def show(self, table):
        rng, made, used = self.rng, [], set()
        for i in range(rng.randint(1, 4)):
            e = self.replaced(table) if rng.random() < 0.15 else Column(rng.choice([c for c in table.shown if c in table.kinds] or [None])) if rng.random() < 0.5 else self.number(table, 2)
            if not e or not e.columns or e.columns[0] is None:
                return None
            e.type = {"text": "text", "flag": "condition"}.get(table.kinds.get(e.text()), e.type)
            name = None if isinstance(e, Column) and e.name in table.shown else "y%d" % i
            if (name or e.text()) not in used:
                made.append((e, name))
            used.add(name or e.text())
        return stages.Show(made)

    def group(self, table, kind):
        rng = self.rng
        keys = [c for c in table.shown if table.kinds.get(c) in ("text", "flag") or c in ("line", "calls", "cycle", "thread")]
        keys = [k for k in keys if k in table.kinds]
        if not keys:
            return None
        keys = rng.sample(keys, min(len(keys), rng.choice((1, 1, 2))))
        aggregates = []
        numbers = [c for c in self.columns(table, "number") if not c.endswith("%")]
        adding = [c for c in numbers if c in table.adds and c not in keys]
        for i in range(rng.choice((0, 0, 1, 2, 3))):
            how = rng.choice(("count", "sum", "min", "max", "avg", "median", "p90", "p99", "ratio"))
            e = None
            if how == "ratio":
                if not adding:
                    continue
                e = Arithmetic("/", Column(rng.choice(adding)), Column(rng.choice(adding)))
            elif how != "count":
                if not numbers:
                    continue
                e = Column(rng.choice(numbers))
            aggregates.append((how, e, "g%d" % i))
        if not aggregates and kind == "tree":     # what adds up of a tree is not known here
            return None
        return stages.Group(keys, aggregates)


def table_of(question, rows):
    """A Table of rows that have been found right."""
    kind, view, by = question.source.kind, question.view, question.source.by
    shown = list(rows[0]) if rows else []
    kinds = dict.fromkeys(NUMBERS.get(kind, "").split(), "number")
    kinds.update(dict.fromkeys(TEXTS.get(kind, "").split(), "text"))
    kinds.update(dict.fromkeys(FLAGS.get(kind, "").split(), "flag"))
    adds = set(ADDS.get(kind, "").split())
    for cost in COSTS.get(kind, "").split():
        kinds[cost] = "number"
        for e in question.world.events:
            column = "%s.%s" % (cost, e)
            if rows and column in rows[0]:
                kinds[column] = "number"
                if cost in adds:
                    adds.add(column)
        if kind in SHARES:
            kinds[cost + "%"] = "number"
            total = question.total
            for r in rows:
                share = 100 * r[cost] / total if total > 0 and r[cost] is not None else None
                r[cost + "%"] = None if kind == "calls" and share and share > 100 else share    # nested calls count again
    kinds = {c: k for c, k in kinds.items() if rows and c in rows[0]}
    table = stages.Table(rows, [c for c in shown if "." not in c], kinds, adds & set(kinds))
    table.compared = kind.startswith("vs")
    table.cost = {"functions": "self", "groups": "self", "calls": "incl", "inlined": "self", "vs functions": "delta", "vs groups": "delta",
                  "cycles": "incl"}.get(kind)
    if kind == "lines":
        table.cost = "self"
    elif not {"of", "from"} & set(question.source.text.split()):     # else in the order of the file
        table.cost = {"instrs": "self", "callsites": "incl", "jumps": "executed"}.get(kind, table.cost)
    if kind == "neighbours":
        table.counted = lambda row: not row["recursive"]
    return table
