"""Go's pprof: `go tool pprof -callgrind` of CPU, heap and mutex profiles, beside `-top`."""
import re

from producer import version

# name, file, sample type, unit of the callgrind file
KINDS = [("cpu", "cpu.pb.gz", "", "ms"), ("alloc", "heap.pb.gz", "-sample_index=alloc_space", "B"),
         ("inuse", "heap.pb.gz", "-sample_index=inuse_objects", ""),
         ("mutex", "mutex.pb.gz", "-sample_index=delay", "ns")]


def top(said):
    """Flat costs by name, and their sum, of -top with one unit."""
    selfs = {}
    for row in re.findall(r"^ *(-?[\d.]+)[a-zA-Z]* +\S+% +\S+% +\S+ +\S+% +(\S.*)$", said,
                          re.M):
        name = row[1].replace(" (inline)", "").replace(" (partial-inline)", "")
        selfs[name] = round(float(row[0]))
    return selfs


def make(box):
    go = box.need("go", "golang-go")
    box.source("busy.go")
    env = {"GOCACHE": box.path("cache"), "GOFLAGS": "-mod=mod", "GOPATH": box.path("path"),
           "HOME": box.dir, "GO111MODULE": "off"}
    box.run(go, "build", "-o", "busy", "busy.go", env=env)
    box.run("./busy", ".")
    for name, raw, sample, unit in KINDS:
        out = box.path("go-%s.callgrind" % name)
        common = "%s tool pprof %s %s" % (go, sample, "-unit=" + unit if unit else "")
        box.shell("%s -nodecount=100000 -nodefraction=0 -edgefraction=0 -callgrind busy %s >%s 2>pprof.log"
                  % (common, raw, out), env=env)
        selfs = top(box.shell("%s -nodecount=100000 -nodefraction=0 -top busy %s 2>pprof.log"
                              % (common, raw), env=env))
        event = re.search(r"^events: (.+)$", open(out).read(), re.M)[1]
        box.add(out, "go tool pprof %s -callgrind" % sample, "go tool pprof -top",
                {event: sum(selfs.values())}, selfs=selfs)
    return version(box.run(go, "version").replace("go1", "1"))
