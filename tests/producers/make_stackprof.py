"""stackprof's `print_callgrind`, beside the samples of the same report.

It writes the cost of a frame's lines only, and C functions have none: so does the file.
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
calls = Hash.new(0)
report.frames.each_value { |f| f.fetch(:edges, {}).each { |to, n| calls[report.frames[to][:name]] += n } }
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
                "the report's samples on lines", {"Instructions": sum(told.values())}, selfs=told, calls=calls,
                note="%d of %d samples have a line, which is what the file holds"
                     % (sum(told.values()), samples))
    return version(box.run(ruby, "-rstackprof", "-e", "puts StackProf::VERSION"))
