/* render_test.c - results made by hand, in every format and on every screen. */
#include "index/base/cancel.h"
#include "index/base/err_struct.h"
#include "index/base/err_kind.h"
#include "index/base/out.h"
#include "repl/render/render.h"
#include "repl/formats/renderers.h"

#include <math.h>
#include <stdlib.h>

#include "engine/sources/source.h"
#include "tests/support/tap.h"

static uint64_t ids[] = {812, 17, 5}, self[] = {1029000, 402000, 93},
		calls[] = {1234, 12, 1};
static uint64_t line[] = {3451, 0, 12}, depth[] = {1, 2, 2};
static double percent[] = {19.52, 7.6, 0.001};
static int64_t delta[] = {1500000, -20, 0};
static uint8_t estimated[] = {0, 1, 0}, absent[] = {0, 0, 1};
static struct str fn[] = {{"_int_malloc", 11},
			  {"std::vector<int>::push_back(int const&)", 39},
			  {"a,\"b\"", 5}};
static struct str file[] = {{"/usr/src/malloc.c", 17}, {"v.h", 3}, {"", 0}};

static struct column cols[] = {
	{.name = STR("id"), .type = COL_ID, .machine = true, .table = true, .u = ids},
	{.name = STR("depth"), .type = COL_COUNT, .machine = true, .u = depth},
	{.name = STR("self"),
	 .type = COL_COST,
	 .machine = true,
	 .table = true,
	 .u = self,
	 .estimated = estimated},
	{.name = STR("self%"),
	 .type = COL_PERCENT,
	 .table = true,
	 .bar = true,
	 .f = percent},
	{.name = STR("calls"),
	 .type = COL_COUNT,
	 .machine = true,
	 .table = true,
	 .u = calls,
	 .absent = absent},
	{.name = STR("delta"), .type = COL_DELTA, .machine = true, .i = delta},
	{.name = STR("fn"), .type = COL_NAME, .machine = true, .table = true, .s = fn},
	{.name = STR("file"),
	 .type = COL_FILE,
	 .machine = true,
	 .table = true,
	 .s = file},
	{.name = STR("line"),
	 .type = COL_LINE,
	 .machine = true,
	 .table = true,
	 .u = line},
};

static struct result base(void)
{
	return (struct result){
		.source = "functions",
		.of = &source_functions,
		.query = STR("top \"x\""),
		.profile = STR("p.out"),
		.event = STR("Ir"),
		.total = 5270000,
		.cols = cols,
		.ncols = COUNT(cols),
		.rows = 3,
		.rows_before = 1586,
		.depth_col = -1,
		.footer = STR("3 of 1,586 functions"),
	};
}

static char *render(enum format f, const struct result *r, const struct look *look)
{
	struct out o;
	struct err err = {0};
	struct render rd = {.o = &o, .r = r, .look = look, .err = &err};
	char *text;

	out_mem(&o);
	if (renderers[f](&rd))
		out_c(&o, err.text);
	text = strndup(o.n ? o.buf : "", o.n);
	out_close(&o);
	return text;
}

static void check(const char *name, enum format f, const struct result *r,
		  const struct look *look, const char *want)
{
	char *got = render(f, r, look);

	is_str(got, want, "%s", name);
	free(got);
}

/* Frames too narrow to be drawn, of a sum at its limit: a frame for them says that limit. */
static void test_narrow(void)
{
	enum { N = 5001 };
	static uint64_t cost[N], level[N];
	static struct str name[N];
	static const struct look look;
	struct column tree[] = {
		{.name = STR("depth"), .type = COL_COUNT, .u = level},
		{.name = STR("incl"), .type = COL_COST, .table = true, .u = cost},
		{.name = STR("fn"), .type = COL_NAME, .table = true, .s = name},
	};
	struct result r = {.source = "calltree",
			   .of = &source_calltree,
			   .event = STR("Ir"),
			   .cols = tree,
			   .ncols = COUNT(tree),
			   .rows = N,
			   .depth_col = 0};
	char *svg;

	for (size_t i = 0; i < N; i++) {
		cost[i] = i ? INT64_MAX / (N - 1) : INT64_MAX;
		level[i] = i > 0;
		name[i] = STR("f");
	}
	svg = render(FORMAT_SVG, &r, &look);
	ok(strstr(svg, "<title>+5,000\n9,223,372,036,854,775,000 Ir") != NULL,
	   "frames too narrow to be drawn, of a sum at its limit");
	free(svg);
}

static void test_machine(void)
{
	static const struct look plain = {0}, raw = {.raw = true};
	struct result r = base();

	check("csv", FORMAT_CSV, &r, &plain,
	      "id,depth,self,calls,delta,fn,file,line\n"
	      "812,1,1029000,1234,1500000,_int_malloc,/usr/src/malloc.c,3451\n"
	      "17,2,402000,12,-20,std::vector<int>::push_back(int const&),v.h,0\n"
	      "5,2,93,,0,\"a,\"\"b\"\"\",\"\",12\n");
	check("tsv", FORMAT_TSV, &r, &raw,
	      "id\tdepth\tself\tcalls\tdelta\tfn\tfile\tline\n"
	      "812\t1\t1029000\t1234\t1500000\t_int_malloc\t/usr/src/malloc.c\t3451\n"
	      "17\t2\t402000\t12\t-20\tstd::vector<int>::push_back(int const&)\tv.h\t0\n"
	      "5\t2\t93\t\t0\ta,\"b\"\t\t12\n");
	r.rows = 1;
	r.truncated = true;
	check("json", FORMAT_JSON, &r, &plain,
	      "{\"meta\":{\"query\":\"top \\\"x\\\"\",\"event\":\"Ir\",\"total\":5270000,"
	      "\"profile\":\"p.out\",\"truncated\":true,\"matched\":1586,\"filters\":[],\"notes\":[]},\n"
	      "\"columns\":[\"id\",\"depth\",\"self\",\"calls\",\"delta\",\"fn\",\"file\","
	      "\"line\"],\n\"rows\":[\n"
	      "[812,1,1029000,1234,1500000,\"_int_malloc\",\"/usr/src/malloc.c\",3451]]}\n");
	check("ndjson", FORMAT_NDJSON, &r, &plain,
	      "{\"id\":812,\"depth\":1,\"self\":1029000,\"calls\":1234,\"delta\":1500000,"
	      "\"fn\":\"_int_malloc\",\"file\":\"/usr/src/malloc.c\",\"line\":3451}\n");
	r.rows = 0;
	r.ncols = 0;
	check("json of nothing", FORMAT_NDJSON, &r, &plain, "");
}

/* For a review: the columns of the table, names in code. */
static void test_markdown(void)
{
	static const struct look pipe = {0};
	static struct str names[] = {{"`|`", 3}, {"a\n|b", 4}, {"", 0}};
	static uint64_t level[] = {0, 1, 2};
	static double change[] = {-4.5, 12.345, 0};
	struct column c[] = {
		{.name = STR("depth"), .type = COL_COUNT, .machine = true, .u = level},
		{.name = STR("delta"), .type = COL_DELTA, .table = true, .i = delta},
		{.name = STR("delta%"), .type = COL_PERCENT, .table = true, .f = change},
		{.name = STR("fn"), .type = COL_NAME, .table = true, .s = names},
		{.name = STR("a|b"), .type = COL_COUNT, .table = true, .u = calls},
	};
	static struct str filters[] = {STR("hide a"), STR("cut 1%")};
	struct result r = base();

	r.rows = 2;
	check("md", FORMAT_MD, &r, &pipe,
	      "`top \"x\"` (`p.out`, 5.27 M Ir)\n\n"
	      "| \\# | self | self% | calls | fn | file:line |\n"
	      "|---:|---:|---:|---:|---|---|\n"
	      "| 812 | 1.03 M | 19.52% | 1,234 | `_int_malloc` | `/usr/src/malloc.c:3451` |\n"
	      "| 17 | \\~402 k | 7.60% | 12 | `std::vector::push_back` | `v.h` |\n"
	      "\n3 of 1,586 functions\n");
	r.base = STR("old|x");
	r.cols = c;
	r.ncols = COUNT(c);
	r.rows = r.rows_before = 3;
	r.footer = STR("");
	r.filters = filters;
	r.nfilters = 2;
	check("md: signs, names that end a cell", FORMAT_MD, &r, &pipe,
	      "`top \"x\"` (`p.out` vs `old|x`, 5.27 M Ir)\n\n"
	      "filters: `hide a` `cut 1%`\n\n"
	      "| delta | delta% | fn | a\\|b |\n"
	      "|---:|---:|---|---:|\n"
	      "| +1.50 M | -4.50% | `` `\\|` `` | 1,234 |\n"
	      "| -20 | +12.35% | `a\\x0A\\|b` | 12 |\n"
	      "| 0 | 0.00% |  | 1 |\n");
	r.nfilters = 0;
	r.truncated = true;
	r.depth_col = 0;
	c[1].table = c[2].table = c[4].table = false;
	names[0] = STR("main");
	names[2] = STR("c");
	check("md: a tree", FORMAT_MD, &r, &pipe,
	      "`top \"x\"` (`p.out` vs `old|x`, 5.27 M Ir)\n\n"
	      "| fn |\n|---|\n"
	      "| `main` |\n"
	      "| \xe2\x94\x94\xe2\x94\x80\xc2\xa0`a\\x0A\\|b` |\n"
	      "| \xc2\xa0\xc2\xa0\xc2\xa0\xe2\x94\x94\xe2\x94\x80\xc2\xa0`c` |\n"
	      "\nincomplete: a limit cut these rows\n");
	r.truncated = false;
	r.rows = r.rows_before = 0;
	check("md: no rows", FORMAT_MD, &r, &pipe,
	      "`top \"x\"` (`p.out` vs `old|x`, 5.27 M Ir)\n\nno rows\n");
	r.rows = r.rows_before = 1;
	r.card = true;
	c[1].table = true;
	check("md: a card", FORMAT_MD, &r, &pipe,
	      "`top \"x\"` (`p.out` vs `old|x`, 5.27 M Ir)\n\n"
	      "| | |\n|---|---|\n| delta | +1,500,000 |\n| fn | `main` |\n");
}

static void test_github(void)
{
	static const struct look pipe = {0};
	static struct str names[] = {{"f\n::error::x", 12}, {"g%0A", 4}};
	static struct str files[] = {{"/w/s/a,b:c.c", 12}, {"???", 3}};
	static uint64_t at[] = {7, 9}, cost[] = {1029000, 20};
	static int64_t more[] = {40, -20};
	static double share[] = {12.5, NAN};
	struct column c[] = {
		{.name = STR("id"), .type = COL_ID, .table = true, .u = ids},
		{.name = STR("self"), .type = COL_COST, .table = true, .u = cost},
		{.name = STR("fn"), .type = COL_NAME, .table = true, .s = names},
		{.name = STR("file"), .type = COL_FILE, .s = files},
		{.name = STR("line"), .type = COL_LINE, .u = at},
		{.name = STR("base"), .type = COL_COST, .table = true, .u = calls},
		{.name = STR("delta"), .type = COL_DELTA, .table = true, .i = more},
		{.name = STR("delta%"), .type = COL_PERCENT, .table = true, .f = share},
	};
	struct result r = base();

	r.cols = c;
	r.ncols = COUNT(c);
	r.rows = 2;
	setenv("GITHUB_WORKSPACE", "/w/", 1);
	check("github: rows are notices", FORMAT_GITHUB, &r, &pipe,
	      "::notice file=s/a%2Cb%3Ac.c,line=7,title=functions::f\\x0A::error::x: "
	      "delta +40 (+12.50%25), base 1,234, self 1,029,000\n"
	      "::notice title=functions::g%250A: delta -20, base 12, self 20\n");
	r.rows = 1;
	r.why = STR("expected no rows, found 1");
	setenv("GITHUB_WORKSPACE", "/w/s/a", 1);
	check("github: rows that break an expectation are errors", FORMAT_GITHUB, &r,
	      &pipe,
	      "::error file=/w/s/a%2Cb%3Ac.c,line=7,title=expected no rows%2C found 1::"
	      "f\\x0A::error::x: delta +40 (+12.50%25), base 1,234, self 1,029,000\n");
	r.rows = 0;
	r.why = STR("expected rows, found none");
	check("github: no row where some are expected", FORMAT_GITHUB, &r, &pipe,
	      "::error title=expected rows%2C found none::top \"x\"\n");
	r.why = STR("");
	r.expects = true;
	r.rows = 2;
	check("github: an expectation that holds", FORMAT_GITHUB, &r, &pipe, "");
	r.expects = false;
	r.rows = 0;
	check("github: no row, nothing expected", FORMAT_GITHUB, &r, &pipe, "");
}

static void test_junit(void)
{
	static const struct look pipe = {0};
	struct result r = base();
	char *text;

	r.rows = 1;
	r.query = STR("top  \"x\"\n\t| take 1");
	check("junit: a query that passes", FORMAT_JUNIT, &r, &pipe,
	      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
	      "<testsuites tests=\"1\" failures=\"0\" errors=\"0\" time=\"0.000\">\n"
	      "  <testsuite name=\"quern\" tests=\"1\" failures=\"0\" errors=\"0\" "
	      "skipped=\"0\" time=\"0.000\">\n"
	      "    <testcase name=\"top &quot;x&quot; | take 1\" classname=\"quern\" "
	      "time=\"0.000\">\n"
	      "      <system-out>\n"
	      "_int_malloc (/usr/src/malloc.c:3451): self 1,029,000 (19.52%), calls 1,234\n"
	      "</system-out>\n"
	      "    </testcase>\n"
	      "  </testsuite>\n"
	      "</testsuites>\n");
	r.rows = 3;
	r.why = STR("a\001<]]>");
	text = render(FORMAT_JUNIT, &r, &pipe);
	ok(strstr(text, " failures=\"1\" errors=\"0\" skipped=\"0\"") &&
		   strstr(text, "<failure message=\"a\\x01&lt;]]&gt;\" type=\"expect\">\n"
				"_int_malloc ") &&
		   strstr(text, "\na,&quot;b&quot;: self 93 (&lt;0.01%)\n</failure>"),
	   "junit: a query that fails");
	free(text);
}

static void test_table(void)
{
	static const struct look pipe = {.utf8 = true},
				 wide = {.columns = 100, .utf8 = true};
	static const struct look narrow = {.columns = 44},
				 tiny = {.columns = 60, .utf8 = true};
	static const struct look two = {.columns = 100, .rows = 2, .utf8 = true};
	struct result r = base();

	check("table for a pipe: whole names", FORMAT_TABLE, &r, &pipe,
	      "  #    self   self%  calls  fn                                       file:line\n"
	      "812  1.03 M  19.52%  1,234  _int_malloc                              /usr/src/malloc.c:3451\n"
	      " 17  ~402 k   7.60%     12  std::vector<int>::push_back(int const&)  v.h\n"
	      "  5    93    <0.01%      -  a,\"b\"                                    :12\n"
	      "3 of 1,586 functions\n");
	check("table on a screen: bars", FORMAT_TABLE, &r, &wide,
	      "  #    self   self%  calls  fn                                       file:line      self%\n"
	      "812  1.03 M  19.52%  1,234  _int_malloc                              malloc.c:3451  ████████████████\n"
	      " 17  ~402 k   7.60%     12  std::vector<int>::push_back(int const&)  v.h            ██████▎\n"
	      "  5    93    <0.01%      -  a,\"b\"                                    :12            \n"
	      "3 of 1,586 functions\n");
	check("table on a small screen: names shortened", FORMAT_TABLE, &r, &tiny,
	      "  #    self   self%  calls  fn\n"
	      "812  1.03 M  19.52%  1,234  _int_malloc\n"
	      " 17  ~402 k   7.60%     12  std::vector<int>::push_back(…)\n"
	      "  5    93    <0.01%      -  a,\"b\"\n"
	      "3 of 1,586 functions\n"
	      "not on this screen: file:line; all: --wide, .mode wide\n");
	check("table on a narrow screen: columns leave, and are named", FORMAT_TABLE, &r,
	      &narrow,
	      "  self   self%  calls  fn\n"
	      "1.03 M  19.52%  1,234  _int_malloc\n"
	      "~402 k   7.60%     12  ...::push_back(...)\n"
	      "  93    <0.01%      -  a,\"b\"\n"
	      "3 of 1,586 functions\n"
	      "not on this screen: file:line, #; all:\n--wide, .mode wide\n");
	check("table on a low screen", FORMAT_TABLE, &r, &two,
	      "  #    self   self%  calls  fn                                       file:line      self%\n"
	      "812  1.03 M  19.52%  1,234  _int_malloc                              malloc.c:3451  ████████████████\n"
	      " 17  ~402 k   7.60%     12  std::vector<int>::push_back(int const&)  v.h            ██████▎\n"
	      "3 of 1,586 functions\n"
	      "showing 2 of 3 rows: the screen is full (.pager on, or > FILE)\n");
	r.rows = r.rows_before = 0;
	r.footer = STR("");
	check("no rows", FORMAT_TABLE, &r, &wide, "no rows\n");
}

static void test_tree(void)
{
	static const struct look utf8 = {.utf8 = true}, ascii = {.columns = 72};
	static struct str names[] = {{"main", 4}, {"a", 1}, {"b", 1}, {"c", 1}, {"d", 1}};
	static uint64_t d[] = {0, 1, 2, 1, 40}, cost[] = {100, 60, 50, 40, 7};
	struct column c[] = {
		{.name = STR("depth"),
		 .type = COL_COUNT,
		 .machine = true,
		 .table = true,
		 .u = d},
		{.name = STR("incl"),
		 .type = COL_COST,
		 .machine = true,
		 .table = true,
		 .u = cost},
		{.name = STR("fn"),
		 .type = COL_NAME,
		 .machine = true,
		 .table = true,
		 .s = names},
	};
	struct result r = {.source = "calltree",
			   .of = &source_calltree,
			   .cols = c,
			   .ncols = 3,
			   .rows = 4,
			   .depth_col = 0};

	check("tree", FORMAT_TREE, &r, &utf8,
	      "incl  fn\n"
	      " 100  main\n"
	      "  60  ├─ a\n"
	      "  50  │  └─ b\n"
	      "  40  └─ c\n");
	check("tree in ASCII", FORMAT_TREE, &r, &ascii,
	      "incl  fn\n"
	      " 100  main\n"
	      "  60  |- a\n"
	      "  50  |  `- b\n"
	      "  40  `- c\n");
	r.rows = 5;
	check("a tree deeper than the screen", FORMAT_TREE, &r, &ascii,
	      "incl  fn\n"
	      " 100  main\n"
	      "  60  |- a\n"
	      "  50  |  `- b\n"
	      "  40  `- c\n"
	      "   7                                   |- +28 d\n");
	r.card = true;
	r.rows = 1;
	check("card", FORMAT_TABLE, &r, &utf8, "depth  0\nincl   100\nfn     main\n");
}

/* Three functions, whose names only differ in what is cut first; two columns say
 * nothing. */
static void test_apart(void)
{
	static const struct look pipe = {.utf8 = true},
				 wide = {.utf8 = true, .wide = true};
	static const struct look tiny = {.columns = 34, .utf8 = true};
	static const struct look screen = {.columns = 34, .utf8 = true, .wide = true};
	static const char *const long_names[] = {
		"std::map<int, std::vector<std::string>, std::less<int> >::find(int)",
		"std::map<int, std::vector<std::u8string>, std::less<int> >::find(int)",
		"std::map<long, std::vector<std::string>, std::less<int> >::find(int)",
	};
	static struct str names[3];
	static uint64_t count[] = {7, 7, 7}, cost[] = {10, 20, 30}, more[] = {10, 20, 30};
	struct column c[] = {
		{.name = STR("calls"), .type = COL_COUNT, .table = true, .u = count},
		{.name = STR("self"), .type = COL_COST, .table = true, .u = cost},
		{.name = STR("incl"), .type = COL_COST, .table = true, .u = more},
		{.name = STR("fn"), .type = COL_NAME, .table = true, .s = names},
	};
	struct result r = {.source = "functions",
			   .of = &source_functions,
			   .cols = c,
			   .ncols = 4,
			   .rows = 3,
			   .depth_col = -1};

	for (int i = 0; i < 3; i++)
		names[i] = str_c(long_names[i]);
	check("names are cut where they differ; columns that say nothing go first",
	      FORMAT_TABLE, &r, &tiny,
	      "self  incl  fn\n"
	      "  10    10  std::…::string>, std:…\n"
	      "  20    20  std::…::u8string>, st…\n"
	      "  30    30  …::map<long…>::find(…)\n"
	      "not on this screen: calls (all 7);\nall: --wide, .mode wide\n");
	check("names are cut for a pipe, too", FORMAT_TABLE, &r, &pipe,
	      "calls  self  incl  fn\n"
	      "    7    10    10  std::map<…std::vector<std::string>…>::find(…)\n"
	      "    7    20    20  std::map<…std::vector<std::u8string>…>::find(…)\n"
	      "    7    30    30  std::map<long…>::find(…)\n");
	check("and whole with --wide", FORMAT_TABLE, &r, &wide,
	      "calls  self  incl  fn\n"
	      "    7    10    10  std::map<int, std::vector<std::string>, std::less<int> >::find(int)\n"
	      "    7    20    20  std::map<int, std::vector<std::u8string>, std::less<int> >::find(int)\n"
	      "    7    30    30  std::map<long, std::vector<std::string>, std::less<int> >::find(int)\n");
	check("even on a screen", FORMAT_TABLE, &r, &screen,
	      "calls  self  incl  fn\n"
	      "    7    10    10  std::map<int, std::vector<std::string>, std::less<int> >::find(int)\n"
	      "    7    20    20  std::map<int, std::vector<std::u8string>, std::less<int> >::find(int)\n"
	      "    7    30    30  std::map<long, std::vector<std::string>, std::less<int> >::find(int)\n");
}

static void test_hostile(void)
{
	static const struct look utf8 = {.columns = 80, .utf8 = true};
	static struct str names[] = {{"a\033[2Jb\xff", 7}};
	static int64_t max[] = {INT64_MIN};
	static double nan_[] = {NAN};
	struct column c[] = {
		{.name = STR("self"),
		 .type = COL_COST,
		 .machine = true,
		 .table = true,
		 .i = max},
		{.name = STR("self%"),
		 .type = COL_PERCENT,
		 .machine = true,
		 .table = true,
		 .bar = true,
		 .f = nan_},
		{.name = STR("fn"),
		 .type = COL_NAME,
		 .machine = true,
		 .table = true,
		 .s = names},
	};
	struct result r = {.source = "functions",
			   .of = &source_functions,
			   .cols = c,
			   .ncols = 3,
			   .rows = 1,
			   .depth_col = -1};

	check("escape sequences are shown, not sent", FORMAT_TABLE, &r, &utf8,
	      "   self  self%  fn\n"
	      "-9.22 E      -  a\\x1B[2Jb\\xFF\n");
	check("not a number is null", FORMAT_NDJSON, &r, &utf8,
	      "{\"self\":-9223372036854775808,\"self%\":null,"
	      "\"fn\":\"\\\\x:a\\\\x1B[2Jb\\\\xFF\"}\n");
}

/* Costs saturate; so does their sum, which was once 4 and gave frames of 1e20 pixels. */
static void test_sum(void)
{
	static const struct look look = {.utf8 = true};
	static struct str names[] = {{"f", 1}, {"g", 1}, {"h", 1}};
	static uint64_t cost[] = {INT64_MAX, INT64_MAX, INT64_MAX};
	struct column c[] = {
		{.name = STR("incl"), .type = COL_COST, .u = cost},
		{.name = STR("fn"), .type = COL_NAME, .s = names},
	};
	struct result r = {.source = "functions",
			   .of = &source_functions,
			   .cols = c,
			   .ncols = 2,
			   .rows = 3,
			   .depth_col = -1};
	char *text = render(FORMAT_SPEEDSCOPE, &r, &look);

	ok(strstr(text, "\"endValue\":9223372036854775807,"),
	   "a sum of frames saturates");
	free(text);
	text = render(FORMAT_SVG, &r, &look);
	ok(strstr(text, "data-x=\"0.00\" data-w=\"393.33\" data-d=\"1\""),
	   "and its frames share the width of the picture");
	free(text);
}

static void test_cancel(void)
{
	static const struct look pipe = {0};
	const atomic_int asked = 1;
	const struct cancel cancel = {.asked = &asked};
	struct result r = base();

	for (size_t f = FORMAT_NONE + 1; f < FORMAT_END; f++) {
		struct err err = {0};
		struct out o;
		struct render rd = {
			.o = &o, .r = &r, .look = &pipe, .cancel = &cancel, .err = &err};

		/* It reads the profile itself; tests/e2e/exports.t has one. */
		if (f == FORMAT_CALLGRIND)
			continue;
		out_mem(&o);
		is_u64((uint64_t)renderers[f](&rd), ERR_CANCEL, "%s is interrupted",
		       formats[f].name);
		out_close(&o);
	}
}

int main(void)
{
	test_narrow();
	test_machine();
	test_markdown();
	test_github();
	test_junit();
	test_table();
	test_tree();
	test_apart();
	test_hostile();
	test_sum();
	test_cancel();
	return done_testing();
}
