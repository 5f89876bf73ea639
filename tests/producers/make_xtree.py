"""valgrind's execution trees in Callgrind format: heap use and leaks of work/heap.c."""
import re

from make_callgrind import written
from producer import number, version


def heap_usage(text):
    found = re.search(r"total heap usage: ([\d,]+) allocs, ([\d,]+) frees, ([\d,]+) bytes", text)
    left = re.search(r"in use at exit: ([\d,]+) bytes in ([\d,]+) blocks", text)
    allocs, frees, total = (number(n) for n in found.groups())
    now, blocks = (number(n) for n in left.groups())
    return {"curB": now, "curBk": blocks, "totB": total, "totBk": allocs, "totFdB": total - now,
            "totFdBk": frees}


def leaks(text):
    """The leak summary by the events of a leak tree; DB is direct plus indirect."""
    lost = {}
    for kind in ("definitely lost", "indirectly lost", "possibly lost", "still reachable"):
        found = re.search(kind + r": ([\d,]+) bytes in ([\d,]+) blocks", text)
        lost[kind[0]] = (number(found[1]), number(found[2])) if found else (0, 0)
    (direct, n), (indirect, m), (maybe, k), (kept, j) = (lost[c] for c in "dips")
    return {"RB": kept, "PB": maybe, "IB": indirect, "DB": direct + indirect, "DIB": indirect,
            "RBk": j, "PBk": k, "IBk": m, "DBk": n}


def make(box):
    box.need("valgrind", "valgrind")
    box.need("gcc", "gcc")
    box.source("heap.c")
    box.shell("gcc -g -O0 -o heap heap.c")
    out = box.path("xtree-memory-memcheck.kcg")
    command = "valgrind --tool=memcheck --xtree-memory=full --xtree-memory-file=%s ./heap"
    said = box.shell(command % out)
    box.add(out, command % "FILE", "memcheck's heap summary", heap_usage(said))
    out = box.path("xtree-leak-memcheck.kcg")
    command = ("valgrind --tool=memcheck --leak-check=full --show-leak-kinds=all --xtree-leak=yes "
               "--xtree-leak-file=%s ./heap")
    said = box.shell(command % out)
    box.add(out, command % "FILE", "memcheck's leak summary", leaks(said))
    for tool in ("massif", "helgrind"):    # helgrind does not follow realloc()
        out = box.path("xtree-memory-%s.kcg" % tool)
        more = "--massif-out-file=/dev/null " if tool == "massif" else ""
        command = "valgrind --tool=%s %s--xtree-memory=full --xtree-memory-file=%%s ./heap" % (tool, more)
        box.shell(command % out)
        if tool == "massif":
            box.add(out, command % "FILE", "memcheck's heap summary", heap_usage(said))
        else:
            box.add(out, command % "FILE", "totals: lines", written(out)[0])
    return version(box.run("valgrind", "--version"))
