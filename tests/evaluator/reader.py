"""reader.py - a reader of profiles, one line after the other.

It follows index/FORMAT.md for what callgrind writes, and says so (Unread) where a line is of
another kind.  All sums are by part, and in dictionaries:

    self   (function, file, line)                  -> costs
    sites  (caller, file, line, callee)            -> [calls] + costs

A function is (object, file, name).  Costs are a list, one for each recorded event.
"""
import re

ID = re.compile(r"\((\d+)\)(?:[ \t]+(.*))?$")
TABLE = {"ob": "ob", "cob": "ob", "fl": "fl", "fi": "fl", "fe": "fl", "cfi": "fl", "cfl": "fl", "fn": "fn", "cfn": "fn"}
HEADER = ("part", "pid", "thread", "version", "creator", "positions", "events")
TERM = re.compile(r"\s*([+-]?)\s*(?:(\d+)\s*\*?\s*)?([A-Za-z_]\w*)")
BUILT_IN = (("L1m", {"I1mr": 1, "D1mr": 1, "D1mw": 1}), ("LLm", {"ILmr": 1, "DLmr": 1, "DLmw": 1}),
            ("Bm", {"Bim": 1, "Bcm": 1}))


class Unread(Exception):
    pass


class Part:
    def __init__(self, number, pid, thread):
        self.number, self.pid, self.thread = number, pid, thread
        self.self, self.sites = {}, {}
        self.entries = {}       # callee -> the lines where calls enter it


class Profile:
    """events: names.  derived: name -> {event: factor}.  parts: as they come."""

    def __init__(self, text):
        self.events, self.derived, self.parts = [], {}, []
        self.ids = {}
        self.pid = self.thread = 0
        self.columns, self.positions = [], ["line"]
        self._new_part()
        self.in_body = False
        self.lines = [line.strip(" \t\r") for line in text.split("\n")]
        for line in self.lines:
            if line and not line.startswith(("#", "====")):
                self._line(line)
        self._derive()

    # ------------------------------------------------------------ lines

    def _line(self, line):
        key, colon, rest = line.partition(":")
        if colon and re.fullmatch(r"[a-z]+", key):
            return self._header(key, rest.strip())
        key, equals, rest = line.partition("=")
        if equals and key in TABLE:
            self._in_body()
            return self._name(key, self._of_table(TABLE[key], rest.strip()))
        if equals and key == "calls":
            self._in_body()
            count, *target = rest.split()
            self.target = self._places(target[:len(self.positions)])["line"]     # moves nothing
            self.pending = int(count)
            return None
        if line[0].isdigit() or line[0] in "+-*":
            self._in_body()
            return self._costs(line.split())
        raise Unread(line)

    def _header(self, key, rest):
        if self.in_body and key in HEADER:
            self._new_part()
        if key == "part":
            self.parts[-1].number = int(rest)
        elif key == "pid":
            self.pid = self.parts[-1].pid = int(rest)
        elif key == "thread":
            self.thread = self.parts[-1].thread = int(rest)
        elif key == "positions":
            self.positions = rest.split()
        elif key == "events":
            self.columns = rest.split()
            self.events += [e for e in self.columns if e not in self.events]
        elif key == "event":
            name, equals, formula = rest.partition(":")[0].partition("=")
            if equals:      # else a long name alone
                self.derived[name.strip()] = {n: (-1 if s == "-" else 1) * int(k or 1) for s, k, n in TERM.findall(formula)}
        elif key not in ("version", "creator", "cmd", "desc", "summary", "totals"):
            raise Unread(key)

    def _new_part(self):
        self.in_body = False
        self.parts.append(Part(0, self.pid, self.thread))
        self.at = {"ob": "???", "fl": "???", "fn": "???"}
        self.file = "???"           # of the next line
        self.last_file = "???"      # of the last cost line
        self.own = None             # file of the function, once a line of it came
        self.callee = {}
        self.pending = None
        self.base = {}

    def _in_body(self):
        self.in_body = True

    def _of_table(self, table, text):
        found = ID.match(text)
        if not found:
            return text or "???"
        number, name = found.groups()
        if name:
            self.ids[table, number] = name
        return self.ids[table, number]

    def _name(self, key, name):
        if key in ("ob", "fl", "fn"):
            self.at[key] = name
            if key != "ob":
                self.file = self.last_file = self.at["fl"]
            if key == "fn":
                self.callee, self.own = {}, None
        elif key in ("fi", "fe"):
            self.file = name
        else:
            self.callee["cfi" if key == "cfl" else key] = name

    def _places(self, fields):
        """Positions of a line, which may be relative to the last cost line."""
        place = {}
        for what, field in zip(self.positions, fields):
            base = self.base.get(what, 0)
            if field == "*":
                place[what] = base
            elif field[0] in "+-":
                place[what] = max(base + int(field, 0), 0)
            else:
                place[what] = int(field, 0)
        return place

    def _costs(self, fields):
        n = len(self.positions)
        place, numbers = self._places(fields[:n]), [int(f, 0) for f in fields[n:]]
        costs = [0] * len(self.events)
        for event, number in zip(self.columns, numbers):
            costs[self.events.index(event)] += number
        self.own = self.own or self.at["fl"]
        part, caller = self.parts[-1], (self.at["ob"], self.own, self.at["fn"])
        if self.pending is None:
            self.base = place
            self.last_file = self.file
            add(part.self, (caller, self.file, place["line"]), costs)
            return
        # The line of a call moves no base, and an fi= written for it holds for it alone.
        callee = (self.callee.get("cob", self.at["ob"]), self.callee.get("cfi", self.last_file), self.callee["cfn"])
        add(part.sites, (caller, self.file, place["line"], callee), [self.pending] + costs)
        part.entries.setdefault(callee, set()).add(self.target)
        self.file = self.last_file
        self.callee = {"cfn": self.callee["cfn"]}
        self.pending = None

    # ------------------------------------------------------------ what follows

    def _derive(self):
        for name, terms in BUILT_IN:
            present = {e: k for e, k in terms.items() if e in self.events}
            if present and name not in self.events and name not in self.derived:
                self.derived[name] = present
        if "Ir" in self.events and "CEst" not in self.derived:
            terms = {"Ir": 1, "Ge": 20}
            for factor, name in ((10, "Bm"), (10, "L1m"), (100, "LLm")):
                terms.update({e: factor * k for e, k in self.derived.get(name, {}).items()})
            terms = {e: k for e, k in terms.items() if e in self.events}
            if len(terms) > 1:
                self.derived["CEst"] = terms

    @property
    def all_events(self):
        return self.events + list(self.derived)

    def cost(self, event, costs):
        """Of an event, recorded or derived."""
        if event in self.events:
            at = self.events.index(event)
            return costs[at] if at < len(costs) else 0
        return sum(k * self.cost(e, costs) for e, k in self.derived[event].items())


def add(sums, key, numbers):
    """Lists of unequal length: an event may come with a later part."""
    old = sums.get(key)
    if old is None:
        sums[key] = list(numbers)
    else:
        old += [0] * (len(numbers) - len(old))
        for i, n in enumerate(numbers):
            old[i] += n
