"""ruby-prof's CallTreePrinter, beside the methods of the same result."""
import glob
import json
import re
import subprocess

from producer import Skip, version

RUN = r"""
require 'json'
require 'ruby-prof'
load './work.rb'
RubyProf.measure_mode = RubyProf::%s
result = RubyProf.profile do
  main
  Thread.new { fib(5) }.join
end
printer = RubyProf::CallTreePrinter.new(result)
printer.print(path: '.', profile: 'NAME')
scale = RubyProf.measure_mode == RubyProf::ALLOCATIONS ? 1 : 1_000_000
told = result.threads.map do |t|
  t.methods.map do |m|
    called = t.methods.sum { |c| c.call_trees.callees.sum { |e| e.target == m ? e.called : 0 } }
    [printer.calltree_name(m), (m.self_time * scale).round, called]
  end
end
puts JSON.generate(told)
"""


def make(box):
    ruby = box.need("ruby", "ruby")
    if subprocess.run([ruby, "-rruby-prof", "-e", "1"], stderr=subprocess.DEVNULL).returncode:
        raise Skip("ruby-prof is not installed (Debian: ruby-prof)")
    box.source("work.rb")
    for mode in ("WALL_TIME", "PROCESS_TIME", "ALLOCATIONS"):
        for old in glob.glob(box.path("callgrind.out.*")):
            box.run("rm", old)
        told = json.loads(box.run(ruby, "-e", RUN.replace("NAME", mode.lower()) % mode)
                          .strip().splitlines()[-1])
        # One file per thread, the main one's without a number of its own.
        for i, out in enumerate(sorted(glob.glob(box.path("callgrind.out.*")), key=len)):
            name = box.path("rubyprof-%s-%d.callgrind" % (mode.lower().replace("_", "-"), i))
            box.run("mv", out, name)
            selfs, calls = {}, {}
            for method, cost, called in told[i]:
                selfs[method] = selfs.get(method, 0) + cost
                calls[method] = calls.get(method, 0) + called
            event = re.search(r"^events: (.+)$", open(name).read(), re.M)[1].strip()
            box.add(name, "RubyProf::CallTreePrinter, " + mode, "MethodInfo",
                    {event: sum(selfs.values())}, selfs=selfs, calls=calls)
    return version(box.run(ruby, "-rruby-prof", "-e", "puts RubyProf::VERSION"))
