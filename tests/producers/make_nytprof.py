"""Perl's Devel::NYTProf: nytprofcg beside what Devel::NYTProf::Data says of the same run."""
import json

from producer import version

READ = r"""
use Devel::NYTProf::Data; use JSON::PP;
my $p = Devel::NYTProf::Data->new({filename => $ARGV[0], quiet => 1});
my %subs = %{ $p->subname_subinfo_map }; my %out;
for my $n (keys %subs) {
	my $s = $subs{$n};
	next unless $s->calls || $s->excl_time;
	$out{$n} = [$s->excl_time, $s->incl_time, $s->calls];
}
print encode_json({subs => \%out});
"""


def make(box):
    box.need("nytprofcg", "libdevel-nytprof-perl")
    box.source("work.pl")
    box.run("perl", "-d:NYTProf", "work.pl", env={"NYTPROF": "file=nytprof.raw"})
    out = box.path("nytprof.callgrind")
    box.run("nytprofcg", "--file", "nytprof.raw", "--out", out)
    told = json.loads(box.run("perl", "-e", READ, "nytprof.raw"))
    selfs, calls = {}, {}
    for name, (excl, _, n) in told["subs"].items():
        selfs[name] = round(excl * 1e6)
        calls[name] = n
    box.add(out, "perl -d:NYTProf work.pl; nytprofcg", "Devel::NYTProf::Data",
            {"Ticks": sum(selfs.values())}, selfs=selfs, calls=calls, within=1)
    return version(box.run("perl", "-MDevel::NYTProf", "-e", "print $Devel::NYTProf::VERSION",
                           env={"NYTPROF": "start=no:file=/dev/null"}))
