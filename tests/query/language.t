#!/usr/bin/env perl
# language.t - every query in engine/LANGUAGE.md, with the answer that is printed below it.
#
# In a block marked `quern` a line at the margin is a query; what is indented below it is its
# answer: at most 5 lines of it, cut at 100 characters, and how many more there are.
#
#	QUERN=build/debug/quern tests/query/language.t [--update]
#
# --update writes the answers of today into the page: read the diff before it is committed.
use strict;
use warnings;
use utf8;
use File::Basename qw(dirname);
use File::Copy qw(copy);
use File::Spec;
use File::Temp qw(tempdir);

use constant {LINES => 5, COLUMNS => 100};

chdir(dirname(__FILE__) . "/../..") or die "chdir: $!\n";
my $quern = File::Spec->rel2abs($ENV{QUERN} || "build/release/quern");
my $update = grep { $_ eq "--update" } @ARGV;
my $page = "engine/LANGUAGE.md";
my $dir = tempdir(CLEANUP => 1);
my ($count, $failed) = (0, 0);
$ENV{XDG_CONFIG_HOME} = $ENV{XDG_STATE_HOME} = $ENV{HOME} = $dir;
$ENV{COLUMNS} = COLUMNS;
binmode($_, ":utf8") for *STDOUT, *STDERR;

for my $name ("tmpl-cachebranch.out", "tmpl-default.out") {
	copy("tests/fixtures/small/$name", "$dir/$name") or die "$name: $!\n";
}

# The answer as the page has it, and the exit status.
sub ask {
	my ($query) = @_;
	my $pid = open(my $out, "-|") // die "fork: $!\n";
	if (!$pid) {
		chdir($dir) or die;
		open(STDERR, ">", "said") or die;
		exec($quern, "tmpl-cachebranch.out", "base=tmpl-default.out", "-c", $query)
			or die "$quern: $!\n";
	}
	binmode($out, ":utf8");
	my @lines = <$out>;
	close($out);
	my $status = $? >> 8;
	open(my $said, "<:utf8", "$dir/said") or die;
	push(@lines, <$said>);
	@lines = grep { !/^quern: .*(indexed|up to date)/ && !/^(built|index_bytes) / } @lines;
	for (@lines) {
		chomp;
		s/\s+$//;
		substr($_, COLUMNS - 3) = "..." if length > COLUMNS;
	}
	# What a picture is made of is the business of other tests.
	splice(@lines, 1, $#lines, "[more lines]") if $lines[0] =~ /^<[!?]/;
	my $more = @lines - LINES;
	splice(@lines, LINES, $more, "[$more more lines]") if $more > 1;
	return (join("", map { $_ eq "" ? "\n" : "    $_\n" } @lines), $status, scalar @lines);
}

open(my $in, "<:utf8", $page) or die "$page: $!\n";
my @text = <$in>;
close($in);
my ($new, $quoting) = ("", 0);
while (@text) {
	my $line = shift @text;
	$new .= $line;
	if ($line =~ /^```/) {
		$quoting = $line eq "```quern\n";
		next;
	}
	next unless $quoting;
	my $want = "";
	$want .= shift @text while @text && $text[0] =~ /^( |$)/;
	chomp(my $query = $line);
	my ($got, $status, $lines) = ask($query);
	my $pass = ($status == 0 || ($query =~ /expect/ && $status == 4)) && $lines > 0 &&
		   ($update || $got eq $want);
	$count++;
	$failed++ unless $pass;
	$new .= $got;
	$query =~ s/#/\\#/g;
	print $pass ? "" : "not ", "ok $count - $query\n";
	print STDERR "# language.t: not ok $count - $query\n", map({ "#  got $_\n" } split(/\n/, $got)),
		map({ "# want $_\n" } split(/\n/, $want)) if !$pass;
}
if ($update) {
	open(my $out, ">:utf8", $page) or die "$page: $!\n";
	print $out $new;
	close($out) or die "$page: $!\n";
	print "# updated $page\n";
}
print "1..$count\n";
exit($failed ? 1 : 0);
