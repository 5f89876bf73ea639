#!/usr/bin/env perl
# query.t - run the queries of tests/query/*.query and compare the answers, as TAP.
#
# A file is cases separated by lines "===".  A case is a query, a line "---" and what is
# expected: the rows, then what was said on stderr (notes, errors with their caret), then
# "[exit N]" when N is not 0.  Before the first case stand the settings:
#
#	profile: small/lua-default.out base=small/...	below tests/fixtures
#	args: --format csv				of every case
#
#	QUERN=build/debug/quern tests/query/query.t [--update] [TEXT...]
#
# --update writes the answers of today into the files: read the diff before it is committed.
use strict;
use warnings;
use File::Basename qw(dirname basename);
use File::Copy qw(copy);
use File::Temp qw(tempdir);

chdir(dirname(__FILE__) . "/../..") or die "chdir: $!\n";
my $quern = $ENV{QUERN} || "build/release/quern";
my $update = grep { $_ eq "--update" } @ARGV;
my @only = grep { $_ ne "--update" } @ARGV;
my $dir = tempdir(CLEANUP => 1);
my ($count, $failed) = (0, 0);
$ENV{XDG_CONFIG_HOME} = $ENV{XDG_STATE_HOME} = $ENV{HOME} = $dir;
$ENV{COLUMNS} = 100;

sub slurp {
	my ($path) = @_;
	open(my $f, "<:raw", $path) or die "$path: $!\n";
	local $/;
	return scalar <$f>;
}

# The profile, copied to where its index may be written.
sub fixture {
	my ($word) = @_;
	my ($name, $path) = $word =~ /^(\w+)=(.*)$/ ? ("$1=", $2) : ("", $word);
	my $to = "$dir/" . basename($path);
	-e $to or copy("tests/fixtures/$path", $to) or die "$path: $!\n";
	return "$name$to";
}

sub ask {
	my ($profiles, $args, $query) = @_;
	my $pid = fork();
	defined $pid or die "fork: $!\n";
	if (!$pid) {
		open(STDOUT, ">", "$dir/out") or die;
		open(STDERR, ">", "$dir/err") or die;
		open(STDIN, "<", "/dev/null") or die;
		# Which headers this machine has is no part of an answer.
		my @safe = $query =~ /\b(lines|source) / ? "--safe" : ();
		exec($quern, "--limit", "seconds=3600", @$profiles, @$args, @safe, "-c", $query) or die "$quern: $!\n";
	}
	waitpid($pid, 0);
	my $status = $? & 127 ? "signal " . ($? & 127) : $? >> 8;
	my ($out, $err) = (slurp("$dir/out"), slurp("$dir/err"));
	$err =~ s/^quern: .*?(indexed|up to date).*\n//mg;
	$out .= "\n" if $out ne "" && $out !~ /\n\z/;
	my $got = $out . $err . ($status eq "0" ? "" : "[exit $status]\n");
	$got =~ s/\Q$dir\E/DIR/g;
	return $got;
}

sub run_file {
	my ($path) = @_;
	my ($head, @cases) = split(/^===\n/m, slurp($path));
	my ($profile) = $head =~ /^profile: *(.*)$/m;
	my ($args) = $head =~ /^args: *(.*)$/m;
	my @profiles = map { fixture($_) } split(" ", $profile // "");
	my $new = $head;
	for my $case (@cases) {
		my ($query, $want) = $case =~ /\A(.*?)^---\n(.*)\z/ms
			or die "$path: a case has no line ---:\n$case";
		my $got = ask(\@profiles, [split(" ", $args // "")], $query =~ s/\n\z//r);
		my $pass = $got eq $want;
		$count++;
		$failed++ unless $pass;
		my $first = (split(/\n/, $query))[0] =~ s/#/\\#/gr;
		print $pass ? "" : "not ", "ok $count - ", basename($path), ": $first\n";
		print STDERR "# not ok $count - ", basename($path), ": $query", map({ "#  got $_\n" } split(/\n/, $got)),
			map({ "# want $_\n" } split(/\n/, $want)) if !$pass && !$update;
		$new .= "===\n$query---\n$got";
	}
	return unless $update && $new ne slurp($path);
	open(my $f, ">:raw", $path) or die "$path: $!\n";
	print $f $new;
	close($f) or die "$path: $!\n";
	print "# updated $path\n";
}

for my $path (sort glob("tests/query/*.query")) {
	run_file($path) if !@only || grep { index($path, $_) >= 0 } @only;
}
print "1..$count\n";
exit($failed && !$update ? 1 : 0);
