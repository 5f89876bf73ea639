#!/usr/bin/env perl
# language.t - every query in engine/LANGUAGE.md is answered, and none of them fails.
use strict;
use warnings;
use File::Basename qw(dirname basename);
use File::Copy qw(copy);
use File::Temp qw(tempdir);

chdir(dirname(__FILE__) . "/../..") or die "chdir: $!\n";
my $quern = $ENV{QUERN} || "build/release/quern";
my $dir = tempdir(CLEANUP => 1);
my ($count, $failed) = (0, 0);
$ENV{XDG_CONFIG_HOME} = $ENV{XDG_STATE_HOME} = $ENV{HOME} = $dir;

for my $name ("tmpl-cachebranch.out", "tmpl-default.out") {
	copy("tests/fixtures/small/$name", "$dir/$name") or die "$name: $!\n";
}
open(my $doc, "<", "engine/LANGUAGE.md") or die "engine/LANGUAGE.md: $!\n";
my $in = 0;
while (my $line = <$doc>) {
	chomp $line;
	if ($line =~ /^```/) {
		$in = $line eq "```quern";
		next;
	}
	next unless $in;
	open(my $out, "-|", $quern, "$dir/tmpl-cachebranch.out", "base=$dir/tmpl-default.out",
	     "--quiet", "--format", "csv", "-c", $line) or die "$quern: $!\n";
	my @rows = <$out>;
	close($out);
	my $pass = ($? == 0 || ($line =~ /expect/ && $? >> 8 == 4)) && @rows > 0;
	$count++;
	$failed++ unless $pass;
	$line =~ s/#/\\#/g;
	print $pass ? "" : "not ", "ok $count - $line\n";
}
print "1..$count\n";
exit($failed ? 1 : 0);
