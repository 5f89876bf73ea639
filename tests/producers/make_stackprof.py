"""stackprof's `print_callgrind`, beside the samples of the same report.

It writes the cost of a frame's lines only, and C functions have none.  What is called and
calls nothing has its cost in the calls to it.
"""
import json
import subprocess

from producer import Skip, version

RUN = r"""
require 'json'
require 'stackprof'
load './work.rb'
raw = StackProf.run(mode: :%s, interval: %d, raw: true) { %s }
report = StackProf::Report.new(raw)
File.open('FILE', 'w') { |f| report.print_callgrind(f) }
told = Hash.new(0)
report.frames.each_value { |f| f.fetch(:lines, {}).each_value { |l| told[f[:name]] += l.is_a?(Array) ? l[1] : l } }
calls, into = Hash.new(0), Hash.new(0)
report.frames.each_value { |f| f.fetch(:edges, {}).each { |to, n| calls[report.frames[to][:name]] += n; into[to] += n } }
report.frames.each { |id, f| told[f[:name]] += into[id] if f.fetch(:lines, {}).empty? && f.fetch(:edges, {}).empty? }
puts JSON.generate([told, raw[:samples], calls])
"""


def make(box):
    ruby = box.need("ruby", "ruby")
    if subprocess.run([ruby, "-rstackprof", "-e", "1"], stderr=subprocess.DEVNULL).returncode:
        raise Skip("stackprof is not installed (Debian: ruby-stackprof)")
    box.source("work.rb")
    for mode, interval, code in (("wall", 200, "200.times { main }"), ("object", 1, "work")):
        file = "stackprof-%s.callgrind" % mode
        said = box.run(ruby, "-e", (RUN % (mode, interval, code)).replace("FILE", file))
        told, samples, calls = json.loads(said.strip().splitlines()[-1])
        box.add(box.path(file), "StackProf::Report#print_callgrind, mode " + mode,
                "the report's samples on lines, and in leaves without lines", {"Instructions": sum(told.values())}, selfs=told, calls=calls,
                note="%d of %d samples are on a line or in a leaf, which is what the file holds"
                     % (sum(told.values()), samples))
    return version(box.run(ruby, "-rstackprof", "-e", "puts StackProf::VERSION"))
