"""gperftools' CPU and heap profiles through `google-pprof --callgrind`, beside `--text`.

Of C only: google-pprof loses calls to names with a blank in them, such as `operator< [inline]`,
and writes their cost as self cost.
"""
import glob
import re

from producer import Skip


def text_report(said):
    """Self and total by name, of `pprof --text`: flat flat% sum% cum cum% name."""
    selfs, incl = {}, {}
    for row in re.findall(r"^ *([\d.]+) +[\d.]+% +[\d.]+% +([\d.]+) +[\d.]+% +(\S.*)$", said, re.M):
        selfs[row[2]], incl[row[2]] = row[0], row[1]
    return selfs, incl


def make(box):
    pprof = box.need("google-pprof", "google-perftools")
    box.need("gcc", "gcc")
    box.source("busy.c")
    libs = box.shell("gcc -g -O1 -fno-omit-frame-pointer -o busy busy.c -Wl,--no-as-needed -lprofiler "
                     "-ltcmalloc 2>&1 || true")
    if "cannot find" in libs:
        raise Skip("libprofiler is not here (Debian: libgoogle-perftools-dev)")
    box.run("./busy", env={"CPUPROFILE": box.path("cpu.prof"), "CPUPROFILE_FREQUENCY": "1000"})
    out = box.path("gperftools-cpu.callgrind")
    box.shell("%s --callgrind ./busy cpu.prof >%s 2>pprof.log" % (pprof, out))
    said = box.shell("%s --text ./busy cpu.prof 2>&1" % pprof)
    selfs, _ = text_report(said)
    box.add(out, "google-pprof --callgrind", "google-pprof --text",
            {"Hits": int(re.search(r"Total: (\d+) samples", said)[1])},
            selfs={k.replace(" (inline)", "[inline]"): int(v) for k, v in selfs.items()})
    box.run("./busy", env={"HEAPPROFILE": box.path("heap"), "HEAP_PROFILE_ALLOCATION_INTERVAL": "0"})
    dumps = sorted(glob.glob(box.path("heap.*.heap")))
    if not dumps:
        box.skip("heap", "tcmalloc wrote no heap profile")
        return re.search(r"[\d.]+", box.run(pprof, "--version").split("pprof")[-1])[0]
    out = box.path("gperftools-heap.callgrind")
    box.shell("%s --alloc_space --callgrind ./busy %s >%s 2>pprof.log" % (pprof, dumps[-1], out))
    said = box.shell("%s --alloc_space --text ./busy %s 2>pprof.log" % (pprof, dumps[-1]))
    event = re.search(r"^events: (\S+)", open(out).read(), re.M)[1]
    selfs, _ = text_report(said)
    selfs = {k: float(v) for k, v in selfs.items()}
    box.add(out, "google-pprof --alloc_space --callgrind", "google-pprof --text (MB)",
            {event: round(sum(selfs.values()) * (1 << 20))}, within=60000,
            selfs={k.replace(" (inline)", "[inline]"): round(v * (1 << 20))
                   for k, v in selfs.items()})
    return re.search(r"[\d.]+", box.run(pprof, "--version").split("pprof")[-1])[0]
