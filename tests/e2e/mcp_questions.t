#!/usr/bin/env python3
"""mcp_questions.t - questions of users, each answered by one call of the tool `query` alone."""
import shutil

from e2e import done, fixtures, same, skip_all, small
from mcp import Client, built

if not built():
    skip_all("quern was built without jansson (libjansson-dev)")
for path in ("small/lua-default.out", "small/tmpl-cachebranch.out", "small/xdebug-small.out", "pairs/cpp-one.out", "pairs/cpp-two.out",
             "small/thr-septhreads.out", "small/thr-septhreads.out-01", "small/thr-septhreads.out-02"):
    shutil.copy(fixtures + "/" + path, ".")

# The profiles; then for each question a query and its rows.
QUESTIONS = [
    (["lua-default.out"], [
        ("Which function costs most, and how much of all?", "top 1 | show fn, self, self%",
         [{"fn": "luaV_execute", "self": 458459, "self%": 19.784897141700583}]),
        ("Which library does the work?", "top 2 objects | show name, self",
         [{"name": "/build/src/lua", "self": 1957831}, {"name": "/usr/lib/x86_64-linux-gnu/libc.so.6", "self": 183758}]),
        ("Who frees memory most often, and at what price?", "callers of luaM_free_ | take 2 | show fn, calls, incl",
         [{"fn": "freeobj", "calls": 280, "incl": 36826}, {"fn": "luaH_free", "calls": 70, "incl": 6711}]),
        ("At which line is it called most?", "callsites to luaM_free_ | sort calls | take 1 | show caller, line, calls",
         [{"caller": "freeobj", "line": 796, "calls": 254}]),
        ("How does the program get from main to luaM_free_?", "path from main to luaM_free_ | show fn",
         [{"fn": f} for f in ("main", "lua_close", "close_state", "luaC_freeallobjects", "freeobj", "luaM_free_")]),
        ("How much does freeing cost below main, and is that exact?", "cost of luaM_free_ under main | show est, lo, hi, exact",
         [{"est": 53123, "lo": 53123, "hi": 53123, "exact": True}]),
        ("What does Lua's public interface cost by itself?", "functions | where fn ~ /^lua_/ | sum | show self, calls",
         [{"self": 559262, "calls": 26066}]),
        ("Which lines of the interpreter are hot?", "lines of luaV_execute | sort self | take 2 | show line, self",
         [{"line": 1836, "self": 118373}, {"line": 1573, "self": 41424}]),
        ("Which small functions are called very often?",
         "functions | where calls > 1000 and self / calls < 20 | sort self | take 2 | show fn, self, calls",
         [{"fn": "lua_pushvalue", "self": 140484, "calls": 7951}, {"fn": "lua_toboolean", "self": 41545, "calls": 2641}]),
        ("Is there recursion, and how much of the program is in it?", "cycles | show functions, self",
         [{"functions": 39, "self": 919092}, {"functions": 11, "self": 11941}, {"functions": 2, "self": 51710}]),
    ]),
    (["tmpl-cachebranch.out"], [
        ("Where do data reads miss the cache?", "top 1 by D1mr | show fn, self",
         [{"fn": "_dl_relocate_object", "self": 4955}]),
        ("How many misses are there in all?", 'events | where name = "D1mr" | show total', [{"total": 13357}]),
        ("Who allocates?", "callers of malloc | take 1 | show fn, calls, incl",
         [{"fn": "operator new(unsigned long)", "calls": 1330, "incl": 90729}]),
        ("What do malloc and free cost together?", "let $heap = malloc or free; cost of $heap | show incl, exact",
         [{"incl": 214778, "exact": True}]),
        ("Which inlined code is the most expensive?", "top 1 inlined | show file, into, self",
         [{"file": "./elf/../sysdeps/generic/dl-new-hash.h", "into": "_dl_lookup_symbol_x", "self": 505332}]),
    ]),
    (["cpp-two.out", "base=cpp-one.out"], [
        ("How much slower is the new build?", "info vs base | show base, total, delta",
         [{"base": 150131, "total": 153441, "delta": 3310}]),
        ("Which functions are new?", 'functions vs base | where change = "new" | show short, self',
         [{"short": "std::_Function_handler::_M_invoke", "self": 600}, {"short": "std::_Function_handler::_M_manager", "self": 8}]),
        ("Which function grew most?", "functions vs base | sort delta | take 1 | show short, base, self",
         [{"short": "each", "base": 4442, "self": 6663}]),
    ]),
    (["xdebug-small.out"], [
        ("Which PHP function takes the time (in units of 10 ns)?", "top 1 | show fn, self",
         [{"fn": "App\\Helpers\\fib", "self": 481091}]),
        ("What does the page call by itself?", 'callees of "{main}" | take 1 | show fn, calls', [{"fn": "App\\Helpers\\fib", "calls": 2}]),
    ]),
    (["thr-septhreads.out", "thr-septhreads.out-01", "thr-septhreads.out-02"], [
        ("Which thread works most?", "threads | show thread, self", [{"thread": 1, "self": 1740356}, {"thread": 2, "self": 16592}]),
        ("On what does it spend its time?", "thread 1 | top 1 | show fn, self", [{"fn": "_dl_lookup_symbol_x", "self": 631688}]),
    ]),
]
for profiles, questions in QUESTIONS:
    c = Client(*profiles)
    for question, query, want in questions:
        same(c.rows(query), want, question)
    c.close()
done()
