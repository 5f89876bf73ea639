"""index_file.py - read the values of an index by index/FORMAT.md, and its meta value.

mdb_dump (lmdb-utils) opens the LMDB file.
"""
import struct
import subprocess

from e2e import HUNG, environ


def dump(path):
    """{(table, event): [payload of each block]}, headers checked."""
    p = subprocess.run(["mdb_dump", "-n", path], env=environ, stdout=subprocess.PIPE, timeout=HUNG)
    lines = p.stdout.decode("ascii").split("HEADER=END\n")[1].split("DATA=END")[0].split()
    tables, wrong = {}, 0
    for key, value in zip(lines[::2], lines[1::2]):
        key, value = struct.unpack(">HHI", bytes.fromhex(key)), bytes.fromhex(value)
        magic, table, event, block, rows, size = struct.unpack("<4sHHIIQ", value[:24])
        wrong += magic != b"QURN" or (table, event, block) != key or size > len(value) - 32
        tables.setdefault(key[:2], []).append((rows, value[32:32 + size]))
    return tables, wrong


def unzigzag(z):
    return z >> 1 ^ -(z & 1)


class Packed:
    def __init__(self, data, at=0):
        self.data, self.at = data, at

    def number(self):
        value = shift = 0
        while True:
            byte = self.data[self.at]
            self.at += 1
            value |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                return value

    def signed(self):
        return unzigzag(self.number())

    def sized(self):
        first = self.data[self.at]
        n = first & 7
        bytes_of = self.data[self.at:self.at + 1 + (8 if n == 7 else n)]
        self.at += len(bytes_of)
        return int.from_bytes(bytes_of[1:] if n == 7 else bytes_of, "little") >> (0 if n == 7 else 3)

    def text(self):
        n = self.number()
        self.at += n
        return self.data[self.at - n:self.at]


def meta(tables):
    rows, data = tables[(1, 0)][0]
    p = Packed(data)
    m = {"version": rows, "inputs": []}
    for _ in range(p.number()):
        m["inputs"].append((p.text(), [p.number() for _ in range(6)], [p.number() for _ in range(6)],
                           p.text(), [(p.number(), p.number(), p.text()) for _ in range(p.number())]))
    m["profile"], m["creator"], m["cmd"] = p.text(), p.text(), p.text()
    for name in ("built input_bytes input_lines functions edges cycles members parts objects files names pairs "
                 "lines callsites jumps diagnostics tree contexts roots activations unsure lost lost_file lost_line lost_many groups group_edges group_cycles events all_events line instr saturated truncated totals summaries levels negative uncounted loose").split():
        m[name] = p.number()
    m["event"] = []
    for _ in range(m["all_events"]):
        event = [p.text(), p.text(), p.text(), p.number(), p.number()]
        factors = [p.signed() for _ in range(m["events"])] if event[4] else None
        m["event"].append((event[0].decode(), factors))
    m["total"] = [p.number() for _ in range(m["events"])]
    return m, p.at == len(data)
