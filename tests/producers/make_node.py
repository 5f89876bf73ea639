"""Node.js: @datadog/pprof from npm, then `go tool pprof -callgrind`, beside its `-top`."""
from make_go import top
from producer import version

PACKAGE = "@datadog/pprof"


def make(box):
    box.need("node", "nodejs")
    npm = box.need("npm", "npm")
    go = box.need("go", "golang-go")
    box.source("busy.js")
    box.run(npm, "install", "--no-audit", "--no-fund", "--prefix", ".", PACKAGE)
    box.run("node", "busy.js")
    env = {"HOME": box.dir, "GOCACHE": box.path("cache")}
    for name, unit, event in (("time", "ms", "wall(ms)"), ("heap", "B", "inuse_space(B)")):
        common = ("%s tool pprof -unit=%s -nodecount=100000 -nodefraction=0 -edgefraction=0 " % (go, unit)
                  + ("-sample_index=inuse_space " if name == "heap" else "-sample_index=wall "))
        out = box.path("node-%s.callgrind" % name)
        box.shell("%s -callgrind %s.pb.gz >%s 2>pprof.log" % (common, name, out), env=env)
        selfs = top(box.shell("%s -top %s.pb.gz 2>pprof.log" % (common, name), env=env))
        box.add(out, "node, %s; go tool pprof -callgrind" % PACKAGE, "go tool pprof -top",
                {event: sum(selfs.values())}, selfs=selfs,
                within=1 if name == "time" else 0)    # rounded here, cut off there
    return version(box.run("node", "--version").lstrip("v"))
