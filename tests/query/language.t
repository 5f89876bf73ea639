#!/usr/bin/env perl
# language.t - a transcript of the query language: each form with its answer.
#
# language.answers is the transcript: a line at the margin is a query, and what is indented
# below it is the answer: at most 5 lines of it, cut at 100 characters, and how many more
# there are.  The blocks of engine/LANGUAGE.md marked `quern` show some of these queries, and
# at most 3 lines of some answers.
#
#	QUERN=build/debug/quern tests/query/language.t [--update]
#
# --update writes the answers of today into both, and adds the queries that only the page
# has to the transcript: read the diff before it is committed.
use strict;
use warnings;
use utf8;
use File::Basename qw(dirname);
use File::Copy qw(copy);
use File::Spec;
use File::Temp qw(tempdir);

use constant {SHOWN => 3, KEPT => 5, COLUMNS => 100};

chdir(dirname(__FILE__) . "/../..") or die "chdir: $!\n";
my $quern = File::Spec->rel2abs($ENV{QUERN} || "build/release/quern");
my $update = grep { $_ eq "--update" } @ARGV;
my $page = "engine/LANGUAGE.md";
my $answers = "tests/query/language.answers";
my $dir = tempdir(CLEANUP => 1);
my ($count, $failed) = (0, 0);
$ENV{XDG_CONFIG_HOME} = $ENV{XDG_STATE_HOME} = $ENV{HOME} = $dir;
$ENV{COLUMNS} = COLUMNS;
binmode($_, ":utf8") for *STDOUT, *STDERR;

for my $name ("tmpl-cachebranch.out", "tmpl-default.out") {
	copy("tests/fixtures/small/$name", "$dir/$name") or die "$name: $!\n";
}

# The lines of the answer, and the exit status.
sub ask {
	my ($query) = @_;
	my $pid = open(my $out, "-|") // die "fork: $!\n";
	if (!$pid) {
		chdir($dir) or die;
		open(STDERR, ">", "said") or die;
		# Which headers this machine has is no part of an answer.
		my @safe = $query =~ /^(lines|source) of/ ? "--safe" : ();
		exec($quern, "tmpl-cachebranch.out", "base=tmpl-default.out", @safe, "-c", $query)
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
	return ($status, @lines);
}

# The first lines of an answer, as the page has it.
sub head {
	my ($most, @lines) = @_;
	my $more = @lines - $most;
	splice(@lines, $most, $more, "[$more more lines]") if $more > 1;
	return join("", map { $_ eq "" ? "\n" : "    $_\n" } @lines);
}

# Is it the same?  If not, say where it begins to differ.
sub compare {
	my ($what, $got, $want) = @_;
	return 1 if $update || $got eq $want;
	my @got = split(/\n/, $got);
	my @want = split(/\n/, $want);
	while (@got && @want && $got[0] eq $want[0]) {
		shift @got;
		shift @want;
	}
	print STDERR "# language.t: $what\n", map({ "#  got $_\n" } splice(@got, 0, KEPT)),
		map({ "# want $_\n" } splice(@want, 0, KEPT));
	return 0;
}

sub slurp {
	my ($path) = @_;
	open(my $in, "<:utf8", $path) or die "$path: $!\n";
	return <$in>;
}

sub replace {
	my ($path, $text) = @_;
	open(my $out, ">:utf8", $path) or die "$path: $!\n";
	print $out $text;
	close($out) or die "$path: $!\n";
	print "# updated $path\n";
}

# Run a query; it must be answered, with what `want` has.
my %said;
sub check {
	my ($where, $line, $most, $want) = @_;
	chomp(my $query = $line);
	$said{$line} = [ask($query)] unless $said{$line};
	my ($status, @lines) = @{$said{$line}};
	my $shown = $want eq "" && $most == SHOWN ? "" : head($most, @lines);
	$query =~ s/#/\\#/g;
	my $pass = ($status == 0 || ($query =~ /expect/ && $status == 4)) && @lines > 0 &&
		   compare($query, $shown, $want);
	$count++;
	$failed++ unless $pass;
	print $pass ? "" : "not ", "ok $count - $where: $query\n";
	return $shown;
}

# What is indented below a query.
sub below {
	my ($text) = @_;
	my $want = "";
	$want .= shift @$text while @$text && $text->[0] =~ /^( |$)/;
	return $want;
}

my ($all, $new, $quoting, %known) = ("", "", 0);
my @text = slurp($answers);
while (my $line = shift @text) {
	$known{$line} = 1;
	$all .= $line . check("transcript", $line, KEPT, below(\@text));
}
@text = slurp($page);
while (my $line = shift @text) {
	$new .= $line;
	$quoting = $line eq "```quern\n" if $line =~ /^```/;
	next if !$quoting || $line =~ /^```/;
	$new .= check("page", $line, SHOWN, below(\@text));
	next if $known{$line}++;
	my (undef, @lines) = @{$said{$line}};
	$all .= $line . head(KEPT, @lines);
	next if $update;
	print "not ok ", ++$count, " - $answers lacks: $line";
	$failed++;
}
if ($update) {
	replace($page, $new);
	replace($answers, $all);
}
print "1..$count\n";
exit($failed ? 1 : 0);
