#!/usr/bin/env python3
"""hot.py - any answer as Python values, by libquern and ctypes.

    python3 hot.py callgrind.out.1 'functions | take 10 | show self, fn'
"""
import ctypes
import sys
from ctypes import POINTER, c_char, c_char_p, c_int, c_int64, c_size_t, c_uint8, c_uint64, c_void_p, c_double


class Error(ctypes.Structure):
    _fields_ = [("status", c_int), ("at", c_size_t), ("length", c_size_t),
                ("message", c_char * 600), ("hint", c_char * 400)]


class Text(ctypes.Structure):
    _fields_ = [("bytes", c_void_p), ("length", c_size_t)]


class Column(ctypes.Structure):
    _fields_ = [("name", c_char_p), ("type", c_int), ("unit", c_char_p), ("scale", c_uint64)]


quern = ctypes.CDLL("libquern.so.2")
for name, result, arguments in [
        ("quern_open", c_void_p, [c_char_p, c_void_p, POINTER(Error)]),
        ("quern_close", None, [c_void_p]),
        ("quern_query", c_void_p, [c_void_p, c_char_p, POINTER(Error)]),
        ("quern_free", None, [c_void_p]),
        ("quern_columns", c_size_t, [c_void_p]),
        ("quern_column_at", POINTER(Column), [c_void_p, c_size_t]),
        ("quern_load", c_size_t, [c_void_p, c_uint64, POINTER(Error)]),
        ("quern_absent", POINTER(c_uint8), [c_void_p, c_size_t]),
        ("quern_uints", POINTER(c_uint64), [c_void_p, c_size_t]),
        ("quern_ints", POINTER(c_int64), [c_void_p, c_size_t]),
        ("quern_reals", POINTER(c_double), [c_void_p, c_size_t]),
        ("quern_texts", POINTER(Text), [c_void_p, c_size_t]),
        ("quern_bools", POINTER(c_uint8), [c_void_p, c_size_t])]:
    getattr(quern, name).restype, getattr(quern, name).argtypes = result, arguments
VALUES = [quern.quern_uints, quern.quern_ints, quern.quern_reals, quern.quern_texts, quern.quern_bools]


def check(err):
    if err.status:
        raise SystemExit("%s\n%s" % (err.message.decode(), err.hint.decode()))


def value(kind, values, i):
    if kind == 3:
        return ctypes.string_at(values[i].bytes, values[i].length).decode("utf-8", "backslashreplace")
    return bool(values[i]) if kind == 4 else values[i]


def rows(answer):
    """Each row as a dictionary."""
    err, row = Error(), 0
    columns = [quern.quern_column_at(answer, c)[0] for c in range(quern.quern_columns(answer))]
    while n := quern.quern_load(answer, row, err):
        loaded = [(k.name.decode(), k.type, VALUES[k.type](answer, c), quern.quern_absent(answer, c))
                  for c, k in enumerate(columns)]
        for i in range(n):
            yield {name: None if absent and absent[i] else value(kind, values, i)
                   for name, kind, values, absent in loaded}
        row += n
    check(err)


def ask(path, text):
    err = Error()
    profile = quern.quern_open(path.encode(), None, err)
    check(err)
    answer = quern.quern_query(profile, text.encode(), err)
    check(err)
    yield from rows(answer)
    quern.quern_free(answer)
    quern.quern_close(profile)


if __name__ == "__main__":
    for one in ask(*(sys.argv[1:] + ["functions | take 10 | show self, fn"])[:2]):
        print(one)
