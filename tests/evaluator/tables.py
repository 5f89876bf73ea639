"""tables.py - the rows of each source: what they must hold.

Each function below makes the rows of one source for a View.  A cell is a value that has to
be exactly so, or a view.Near, an estimate, or

    Any(test)       the engine's choice, as far as the test allows

`match` compares rows with the engine's, which then are known to be right.
"""
import math

from expressions import dirname
from graph import Graph
from names import class_of
from view import Near

CLOSE = 2e-3    # an index keeps three digits of what comes back in circles
OPTIONAL = "optional"   # a row that may be left out: nothing, or next to nothing, is left of it


class Any:
    def __init__(self, test=lambda cell: True):
        self.test = test


# ---------------------------------------------------------------- sources

def functions(view, those, event):
    calls = {}
    for (_, callee), numbers in view.graph_calls.items():
        add_up(calls, callee, numbers)
    rows, alive = [], set(view.group.values())
    for f in set(view.graph.functions) - view.gone if view.filtered else those:
        if f in alive and f not in those:
            continue
        incoming = calls.get(f, [0])
        times = incoming[0] if view.times is None else view.times.get(f, 0)
        row = {"id": number(view, f), "fn": f[2], "file": f[1], "obj": f[0], "calls": counted(view, f, times, any(g == f for _, g in view.graph_calls)),
               "line": Any(lambda cell, f=f: cell is None or cell in {n for m in view.graph.members[f] for n in view.world.begins.get(m, ())}),
               "cycle": Any(lambda cell, f=f: (cell is not None) == (f in view.graph.cycle)),
               "short": Any(lambda cell: isinstance(cell, str))}
        costs(row, view, {f}, event)
        if view.filtered:
            row["calls"] = Any()
            row["cycle"] = Any()
            row[OPTIONAL] = f not in alive
        else:
            own = view.cost(event, view.graph_self.get(f, []))
            leaves = sum(view.cost(event, n[1:]) for (g, h), n in view.graph_calls.items()
                         if g == f and h != f and h not in view.graph.cycle.get(f, ()))
            row["incoming"] = view.cost(event, incoming[1:])
            row["contribution"] = own + leaves
        rows.append(row)
    return rows


def number(view, f):
    n = view.number(f)
    if view.world.calls and view.merged:    # of the first member on any stack
        return Any(lambda cell: cell in {view.world.number[m] for m in view.graph.members[f]})
    return Any(lambda cell: cell >= len(view.world.functions)) if n is None else n


def counted(view, f, calls, called=True):
    """Nobody counts how often inlined code is entered, and other producers than callgrind (of signed costs) count
    0 times a call that they do not count."""
    return None if view.number(f) is None or (view.world.signed and called and not calls) else calls


def costs(row, view, those, event, grouped=False):
    """self, incl and their kin, of the event asked for and, for expressions, of every one."""
    for e in view.world.events:
        row["self." + e], row["incl." + e] = view.self_cost(those, e), view.incl_cost(those, e, grouped)
    row["self"], row["incl"] = row["self." + event], row["incl." + event]


GROUPS = {"files": lambda f: f[1], "objects": lambda f: f[0], "dirs": lambda f: dirname(f[1]),
          "classes": lambda f: class_of(f[2])}


def groups(view, those, event, unit):
    """Whole files, ...: those that hold a function of the set."""
    found, alive = {}, set(view.group.values())
    for f in set(view.graph.functions) - view.gone:
        found.setdefault(GROUPS[unit](f), set()).add(f)
    rows = []
    for name, members in found.items():
        if not members & those and members <= alive:
            continue
        row = {"name": name, "functions": len(members)}
        if view.filtered:
            row["functions"], row[OPTIONAL] = Any(), not members & those
        costs(row, view, members, event, True)
        # Of merged functions merged again only bounds are known, with negative costs not even these.
        if view.merged or view.world.signed:
            for c in [c for c in row if c.startswith("incl")]:
                row[c] = Near(None, row[c].truth)
        rows.append(row)
    return rows


def lines(view, those, event):
    """those: functions, or whether a line of f in a file is meant"""
    found, sites = {}, {}
    meant = those if callable(those) else lambda f, file: f in those
    for part in view.parts:
        for (f, file, line), c in part.self.items():
            add_up(found, (view.group[f], file, line), [0] * (1 + len(view.world.profile.events)) + c)
        for (f, file, line, site), n in part.sites.items():
            add_up(found, (view.group[f], file, line), n)
            add_up(sites, (view.group[f], file, line, site), n[:1])
    uncounted = {key[:3] for key, n in sites.items() if view.world.signed and not n[0]}
    rows, width = [], 1 + len(view.world.profile.events)
    for (f, file, line), n in found.items():
        if meant(f, file):
            rows.append({"file": file, "line": line or None, "fn": f[2], "self": view.cost(event, n[width:]),
                         "calls_out": None if (f, file, line) in uncounted else n[0], "incl_out": view.cost(event, n[1:width])})
            for e in view.world.events:
                rows[-1]["self." + e] = view.cost(e, n[width:])
    return rows


def inlined(view, those, event):
    """Lines of other files than their functions', by file."""
    found, lines_of = {}, {}
    for part in view.parts:
        for (f, file, line), c in part.self.items():
            f = view.group[f]
            if f in those and file != f[1] and "???" not in (file, f[1]):
                add_up(found, (f, file), c)
                lines_of.setdefault((f, file), set()).add(line)
    rows = []
    for (f, file), c in found.items():
        rows.append({"self": view.cost(event, c), "lines": len(lines_of[f, file]), "file": file, "into": f[2]})
        for e in view.world.events:
            rows[-1]["self." + e] = view.cost(e, c)
    return rows


def calls(view, those, event):
    rows = []
    for (f, g), n in view.graph_calls.items():
        if f in those or g in those:
            rows.append({"caller_id": number(view, f), "callee_id": number(view, g), "calls": counted(view, g, n[0]),
                         "incl": view.cost(event, n[1:]), "caller": f[2], "callee": g[2], "caller_file": f[1],
                         "callee_file": g[1], "recursive": view.same_group(f, g)})
            for e in view.world.events:
                rows[-1]["incl." + e] = view.cost(e, n[1:])
    return rows


def calls_between(view, callers, event, callees):
    numbers = [{view.number(f) for f in those} for those in (callers, callees)]
    return [r for r in calls(view, callers | callees, event) if r["caller_id"] in numbers[0] and r["callee_id"] in numbers[1]]


def callsites(view, those, event, to=None):
    found = {}
    for part in view.parts:
        for (f, file, line, g), n in part.sites.items():
            f, g = view.group[f], view.group[g]
            if f in those and (to is None or g in to):
                add_up(found, (f, file, line, g), n)
    return [{"caller": f[2], "callee": g[2], "file": file, "line": line or None, "instr": None, "calls": counted(view, g, n[0]),
             "incl": view.cost(event, n[1:])} for (f, file, line, g), n in found.items()]


def parts(view, those, event, whole=True):
    rows = []
    if view.filtered and not whole:
        return parts_of_left(view, those, event)
    if view.filtered:
        left = {e: view.left_of_parts(e) for e in {*view.world.events, event}}
        return [dict({"part": part.number, "pid": part.pid, "thread": part.thread, "self": left[event][i]},
                     **{"self." + e: left[e][i] for e in view.world.events}) for i, part in enumerate(view.parts)]
    for part in view.parts:
        graph = Graph.of_profile([part])
        rows.append({"part": part.number, "pid": part.pid, "thread": part.thread,
                     "self": sum(view.cost(event, c) for (f, _, _), c in part.self.items() if view.group.get(f) in those)})
        if whole:
            rows[-1]["functions"] = len({view.group[f] for f in graph.functions})
        else:
            into = [n for (_, _, _, callee), n in part.sites.items() if view.group.get(callee) in those]
            rows[-1]["calls"] = sum(n[0] for n in into) + roots(view, part, those)
            edges = {}
            for (caller, _, _, callee), n in part.sites.items():
                if view.group.get(callee) in those:
                    add_up(edges, (caller, callee), n[:1])
            if view.world.signed and not all(n[0] for n in edges.values()):
                rows[-1]["calls"] = None
            rows[-1]["incoming"] = sum(view.cost(event, n[1:]) for n in into)
        for e in view.world.events:
            rows[-1]["self." + e] = sum(view.cost(e, c) for (f, _, _), c in part.self.items() if view.group.get(f) in those)
    return rows


def roots(view, part, those):
    """Calls that nothing in the part makes."""
    runs = view.world.program.calls if view.world.calls and not view.opens else ()
    return sum(not a.caller and a.part == part.number and view.group.get(a.fn.key) in those for a in runs)


def parts_of_left(view, those, event):
    """Of a set, in each part: its costs, and those of the calls into it."""
    rows = [{"part": p.number, "pid": p.pid, "thread": p.thread, "calls": Any()} for p in view.parts]
    for e in {*view.world.events, event}:
        for row, flow in zip(rows, view.flows(e)):
            near = [Near(x, None, view.rounded(e, len(view.graph.functions))) for x in
                    (sum(flow.own.get(f, 0) for f in those), sum(c for (_, g), c in flow.edges.items() if g in those))]
            row["self." + e] = near[0]
            if e == event:
                row["self"], row["incoming"] = near
    return rows


def threads(view, those, event):
    found = {}
    for row in parts(view, those, event):
        found.setdefault((row["pid"], row["thread"]), []).append(row["self"])
    return [{"pid": pid, "thread": thread, "self": sum_of(s), "parts": len(s)} for (pid, thread), s in found.items()]


def sum_of(cells):
    return Near(sum(c.x for c in cells), None, sum(c.units for c in cells)) if isinstance(cells[0], Near) else sum(cells)


def events(view, those, event):
    return [{"name": e, "total": sum_of(view.left_of_parts(e)) if view.filtered else view.total(e)} for e in view.world.events]


def cycles(view, those, event):
    rows = []
    for members in set(view.graph.cycle.values()):
        inside = [(f, g) for f, g in view.graph_calls if f in members and g in members and f != g]
        rows.append({"id": Any(lambda cell: cell >= 1), "functions": len(members),
                     "self": sum(view.cost(event, view.graph_self[f]) for f in members),
                     "calls": len(inside),
                     "entry": Any(lambda cell, m=members: cell in {f[2] for f in m})})
    return rows


def neighbours(view, those, event, callers):
    """callers of, callees of, one level: calls into the set, or out of it, by the other side.
    Calls inside it are listed, flagged, and have no est."""
    found = {}
    for (f, g), n in view.graph_calls.items():
        inside, other = (g, f) if callers else (f, g)
        if inside in those:
            add_up(found, other, n)
    rows = []
    for f, n in found.items():
        within = f in those
        row = {"depth": 1, "id": view.number(f), "calls": n[0], "incl": view.cost(event, n[1:]), "fn": f[2], "file": f[1],
               "obj": f[0], "recursive": within,
               "cycle": Any(lambda cell, f=f: (cell is not None) == (f in view.graph.cycle))}
        if within:
            row["est"] = None
        elif not those & view.graph.nests and len(those) == 1:
            row["est"] = row["incl"]
        rows.append(row)
    return rows


def add_up(sums, key, numbers):
    old = sums.setdefault(key, [])
    old += [0] * (len(numbers) - len(old))
    for i, n in enumerate(numbers):
        old[i] += n


# ---------------------------------------------------------------- two profiles

def versus(rows, others, key, cost):
    """Rows of one profile, and `base`, `delta`, `delta%` and `change` against the other's.  A row
    that one side lacks costs 0 there.  key: the columns that tell rows apart."""
    base = {tuple(r[c] for c in key): r for r in others}
    made = []
    for row in rows:
        other = base.pop(tuple(row[c] for c in key), None)
        made.append(dict(row, **compared(row[cost], other[cost] if other else 0, "" if other else "new")))
    for other in base.values():
        made.append(dict({c: Any() for c in rows[0]}, **{c: other[c] for c in key}))
        made[-1].update(compared(0, other[cost], "gone"), **{cost: 0})
    return made


def compared(cost, base, change):
    return {"base": base, "delta": cost - base, "change": change,
            "delta%": Any(lambda cell: cell == percent(cost - base, base) or abs(cell - percent(cost - base, base)) < 1e-6)}


def percent(delta, base):
    return 100 * delta / abs(base) if base else math.inf if delta else 0


# ---------------------------------------------------------------- comparing

def match(want, got):
    """None when the engine's rows are those wanted, in any order; else what is wrong.  Rows are
    told apart by their exact cells."""
    exact = [c for c in (want[0] if want else {})
             if c != OPTIONAL and all(c in r and not isinstance(r[c], (Near, Any)) for r in want)]
    exact = [c for c in exact if not got or c in got[0]]
    left = {}
    for row in want:
        left.setdefault(tuple(row[c] for c in exact), []).append(row)
    for row in got:
        key = tuple(row[c] for c in exact)
        if not left.get(key):
            return "no such row: %r; %s" % (row, nearest([r for rows in left.values() for r in rows], exact, row))
        found = next((r for r in left[key] if not cells(r, row)), None)
        if not found:
            return "%s, in %r" % (cells(left[key][0], row), row)
        left[key].remove(found)
    missing = [k for k, rows in left.items() if any(not r.get(OPTIONAL) for r in rows)]
    return "missing: %r" % dict(zip(exact, missing[0])) if missing else None


def nearest(rows, columns, got):
    """How the most similar of the rows wanted differs."""
    if not rows:
        return "no more are wanted"
    best = min(rows, key=lambda r: sum(r[c] != got[c] for c in columns))
    return "wanted " + ", ".join("%s %r" % (c, best[c]) for c in columns if best[c] != got[c])


def cells(want, got):
    for c, cell in want.items():
        if c not in got:
            continue
        if isinstance(cell, Any):
            if not cell.test(got[c]):
                return "%s cannot be %r" % (c, got[c])
        elif isinstance(cell, Near):
            name, dot, event = c.partition(".")
            estimated = got.get("estimated" + dot + event, got.get("estimated"))
            why = near(cell, got[c], estimated, *((got["lo"], got["hi"]) if c == "incl" else (None, None)))
            if why:
                return "%s: %s" % (c, why)
    return None


def near(cell, value, estimated, lo, hi):
    """lo and hi: None where the engine shows none."""
    if not isinstance(value, int):
        return "%r is no cost" % (value,)
    if lo is not None:
        if not lo <= value <= hi:
            return "%d is not within %d and %d" % (value, lo, hi)
        if cell.truth is not None and not lo <= cell.truth <= hi:
            return "the truth, %d, is not within %d and %d" % (cell.truth, lo, hi)
        if estimated is False and lo != hi:
            return "called exact between %d and %d" % (lo, hi)
    if cell.units is None and (estimated or value != cell.truth):
        return "%d is no estimate" % cell.truth
    if estimated is False and cell.truth is not None:
        return None if value == cell.truth else "%d is shown as exact, true is %d" % (value, cell.truth)
    if cell.x is None:
        return None
    x = cell.x if lo is None else min(max(cell.x, lo), hi)
    if abs(value - x) > cell.units + 0.001 + CLOSE * x:
        return "%d, by the law %.3f" % (value, x)
    return None
