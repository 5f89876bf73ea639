/* match_test.c - which names a pattern stands for, and the parts of a name. */
#include <stdio.h>
#include <stdlib.h>

#include "engine/lang/format.h"
#include "engine/names/fnset.h"
#include "engine/names/match.h"
#include "engine/names/name.h"
#include "index/base/arena.h"
#include "index/base/err_struct.h"
#include "index/base/err_kind.h"
#include "tests/support/dice.h"
#include "tests/support/fuzzing.h"
#include "tests/support/tap.h"

#define B MATCH_FN, MATCH_BARE, false
#define X MATCH_FN, MATCH_EXACT, false
#define R MATCH_FN, MATCH_REGEX, false
#define I MATCH_FN, MATCH_REGEX, true
#define F MATCH_FILE, MATCH_BARE, false
#define O MATCH_OBJ, MATCH_BARE, false
#define C MATCH_CLASS, MATCH_BARE, false
#define CX MATCH_CLASS, MATCH_EXACT, false
#define CR MATCH_CLASS, MATCH_REGEX, false

/* clang-format off */
static const struct {
	enum match_field field;
	enum match_form form;
	bool nocase;
	const char *pattern, *name;
	int matches;
} table[] = {
	/* C and the loader */
	{B, "main", "main", 1},
	{B, "main", "mainly", 0},
	{B, "main", "domain", 0},
	{B, "main", "(below main)", 0},
	{B, "(below main)", "(below main)", 1},
	{B, "main", "{main}", 0},
	{B, "{main}", "{main}", 1},
	{B, "::main", "main", 1},
	{B, "::main", "geo::main", 0},
	{B, "main", "geo::main", 1},
	{B, "memcpy", "memcpy@@GLIBC_2.14", 1},
	{B, "memcpy@GLIBC_2.14", "memcpy@@GLIBC_2.14", 1},
	{B, "memcpy@GLIBC_2.2.5", "memcpy@@GLIBC_2.14", 0},
	{B, "memcpy@plt", "memcpy@plt", 1},
	{B, "memcpy@plt", "memcpy", 0},
	{B, "*@plt", "printf@plt", 1},
	{B, "*@plt", "printf", 0},
	{B, "printf", "printf@plt", 1},
	{B, "update_active", "update_active.constprop.0", 1},
	{B, "update_active.constprop.0", "update_active.constprop.0", 1},
	{B, "update_active.part.0", "update_active.constprop.0", 0},
	{B, "_IO_un_link", "__GI__IO_un_link.part.0", 0},
	{B, "__GI__IO_un_link", "__GI__IO_un_link.part.0", 1},
	{B, "foo", "foo.part.0.cold", 1},
	{B, "foo", "foo.isra.0.constprop.1@plt", 1},
	{B, "counter", "counter.3", 1},
	{B, "0x00000000000010c0", "0x00000000000010c0", 1},
	{B, "mem*", "memcpy", 1},
	{B, "mem*", "memory::of::all", 0},
	{B, "mem*", "x::memcpy", 1},
	{B, "*cpy", "wmemcpy", 1},
	{B, "m*c*y", "memcpy", 1},
	{B, "m*c*z", "memcpy", 0},
	{B, "*", "anything at all(int)", 1},
	{B, "str_", "str_cmp", 0},
	/* recursion levels and callers */
	{B, "fact", "fact'2", 1},
	{B, "fact'2", "fact'2", 1},
	{B, "fact'2", "fact", 0},
	{B, "fact'2", "fact'20", 0},
	{B, "fact'2", "fact(int)'2", 1},
	{B, "fact'3", "fact(int)'2", 0},
	{B, "write",
	 "write'_IO_file_write@@GLIBC_2.2.5'new_do_write'_IO_do_write@@GLIBC_2"
	 ".2.5", 1},
	{B, "write'_IO_file_write", "write'_IO_file_write@@GLIBC_2.2.5'new_do_write", 1},
	{B, "write'new_do_write", "write'_IO_file_write@@GLIBC_2.2.5'new_do_write", 0},
	{B, "f'main", "f(int)'main(int, char**)'start", 1},
	/* C++: parameters, return types, template arguments, namespaces */
	{B, "push_back", "std::vector<int, std::allocator<int> >::push_back(int const&)", 1},
	{B, "vector::push_back",
	 "std::vector<int, std::allocator<int> >::push_back(int const&)", 1},
	{B, "std::vector::push_back",
	 "std::vector<int, std::allocator<int> >::push_back(int const&)", 1},
	{B, "::std::vector::push_back",
	 "std::vector<int, std::allocator<int> >::push_back(int const&)", 1},
	{B, "::vector::push_back",
	 "std::vector<int, std::allocator<int> >::push_back(int const&)", 0},
	{B, "list::push_back",
	 "std::vector<std::list<int> >::push_back(std::list<int> const&)", 0},
	{B, "vector", "std::vector<int, std::allocator<int> >::push_back(int const&)", 0},
	{B, "std::vector", "std::vector<int, std::allocator<int> >::push_back(int const&)", 0},
	{B, "vector.push_back",
	 "std::vector<int, std::allocator<int> >::push_back(int const&)", 1},
	{B, "push_back", "void std::vector<int>::push_back<false>(int) [clone .isra.0]", 1},
	{B, "int", "int f(int)", 0},
	{B, "void", "void f<int>(int)", 0},
	{B, "f", "void f<int>(int)", 1},
	{B, "_M_realloc_insert",
	 "void std::vector<unsigned long, std::allocator<unsigned long> >::_M_"
	 "realloc_insert<unsigned long const&>(__gnu_cxx::__normal_iterator<un"
	 "signed long*, std::vector<unsigned long, std::allocator<unsigned lon"
	 "g> > >, unsigned long const&)", 1},
	{B, "__move_merge",
	 "geo::Vec<double, 2>* std::__move_merge<geo::Vec<double, 2>*, __gnu_c"
	 "xx::__ops::_Iter_comp_iter<main::{lambda(auto:1 const&, auto:2 const"
	 "&)#1}> >(geo::Vec<double, 2>*)", 1},
	{B, "main",
	 "std::_Function_handler<int (int), main::{lambda(int)#2}>::_M_invoke("
	 "std::_Any_data const&, int&&)", 0},
	{B, "_Function_handler::_M_invoke",
	 "std::_Function_handler<int (int), main::{lambda(int)#2}>::_M_invoke("
	 "std::_Any_data const&, int&&)", 1},
	{B, "std::_M_invoke",
	 "std::_Function_handler<int (int), main::{lambda(int)#2}>::_M_invoke("
	 "std::_Any_data const&, int&&)", 0},
	{B, "std::*::_M_invoke",
	 "std::_Function_handler<int (int), main::{lambda(int)#2}>::_M_invoke("
	 "std::_Any_data const&, int&&)", 1},
	{B, "std::*",
	 "std::_Function_handler<int (int), main::{lambda(int)#2}>::_M_invoke("
	 "std::_Any_data const&, int&&)", 1},
	{B, "std::", "std::vector<int>::size() const", 1},
	{B, "std::", "std", 0},
	{B, "std::*", "std(int)", 0},
	{B, "std::vec*::*", "std::vector<int>::size() const", 1},
	{B, "st*", "std::vector<int>::size() const", 0},
	{B, "size", "std::vector<int>::size() const", 1},
	{B, "area", "(anonymous namespace)::Sq::area() const", 1},
	{B, "Sq::area", "(anonymous namespace)::Sq::area() const", 1},
	{B, "::Sq::area", "(anonymous namespace)::Sq::area() const", 1},
	{B, "(anonymous namespace)::Sq::area", "(anonymous namespace)::Sq::area() const", 1},
	{B, "(anonymous namespace)::area", "(anonymous namespace)::Sq::area() const", 0},
	{B, "x::f", "x::(anonymous namespace)::f()", 1},
	{B, "apply",
	 "auto (anonymous namespace)::apply<main::{lambda(int)#5}>(main::{lamb"
	 "da(int)#5}&&, int) [clone .constprop.0]", 1},
	{B, "apply",
	 "auto (anonymous namespace)::apply<main::{lambda(int)#4}>(main::{lamb"
	 "da(int)#4}&&, int)", 1},
	{B, "std::basic_string::_M_create",
	 "std::__cxx11::basic_string<char, std::char_traits<char>, std::alloca"
	 "tor<char> >::_M_create(unsigned long&, unsigned long)", 1},
	{B, "std::__cxx11::basic_string::_M_create",
	 "std::__cxx11::basic_string<char, std::char_traits<char>, std::alloca"
	 "tor<char> >::_M_create(unsigned long&, unsigned long)", 1},
	{B, "f", "f[abi:cxx11](int)", 1},
	{B, "bar", "decltype (fp(x)) foo::bar<int>(int) const &", 1},
	{B, "foo::bar", "decltype (fp(x)) foo::bar<int>(int) const &", 1},
	{B, "signal", "void (*signal(int, void (*)(int)))(int)", 1},
	{B, "f", "A<(B)5, (a > b)>::f(int)", 1},
	{B, "A::f", "A<(B)5, (a > b)>::f(int)", 1},
	{B, "f", "A<B<C<int>>>::f(std::map<int, std::vector<int>>)", 1},
	{B, "map", "A<B<C<int>>>::f(std::map<int, std::vector<int>>)", 0},
	{B, "h", "f(int (*)(g(int), h))", 0},
	{B, "f", "f(int (*)(g(int), h))", 1},
	{B, "X::f", "non-virtual thunk to X::f(int)", 1},
	{B, "X", "vtable for X", 1},
	{B, "f::local", "f(int)::local::g(char)", 0},
	{B, "f::local::g", "f(int)::local::g(char)", 1},
	{B, "g", "f(int) const::local::g(char)", 1},
	/* destructors, operators, conversions */
	{B, "~Circ", "(anonymous namespace)::Circ::~Circ()", 1},
	{B, "Circ", "(anonymous namespace)::Circ::~Circ()", 0},
	{B, "Circ::~Circ", "(anonymous namespace)::Circ::~Circ()", 1},
	{B, "Circ::*", "(anonymous namespace)::Circ::~Circ()", 1},
	{B, "~*",
	 "std::_Vector_base<geo::Vec<double, 2>, std::allocator<geo::Vec<doubl"
	 "e, 2> > >::~_Vector_base()", 1},
	{B, "operator<<", "operator<<(std::ostream&, geo::Vec<int, 3> const&)", 1},
	{B, "operator<<",
	 "std::ostream& std::operator<< <std::char_traits<char> >(std::ostream"
	 "&, char const*)", 1},
	{B, "operator<",
	 "std::ostream& std::operator<< <std::char_traits<char> >(std::ostream"
	 "&, char const*)", 0},
	{B, "operator<", "bool std::operator< <int>(int, int)", 1},
	{B, "operator*", "X::operator*(X const&)", 1},
	{B, "operator*", "X::operator+(X const&)", 0},
	{B, "operator()", "std::function<void (int)>::operator()(int) const", 1},
	{B, "operator", "std::function<void (int)>::operator()(int) const", 0},
	{B, "operator[]", "std::map<int, int>::operator[](int const&)", 1},
	{B, "operator->", "p::operator->() const", 1},
	{B, "operator->*", "p::operator->() const", 0},
	{B, "operator new", "operator new(unsigned long)", 1},
	{B, "operator new", "operator new[](unsigned long)", 0},
	{B, "operator new[]", "operator new[](unsigned long)", 1},
	{B, "operator delete", "operator delete(void*, unsigned long)", 1},
	{B, "operator unsigned long", "Foo::operator unsigned long()", 1},
	{B, "Foo::operator bool", "Foo<int>::operator bool() const", 1},
	{B, "operator\"\"_km", "operator\"\"_km(long double)", 1},
	{B, "f", "foo<&X::operator< >::f()", 1},
	/* lambdas */
	{B, "{lambda(int)#1}", "main::{lambda(int)#1}", 1},
	{B, "{lambda()#1}", "main::{lambda(int)#1}", 1},
	{B, "{lambda()#2}", "main::{lambda(int)#1}", 0},
	{B, "main::{lambda(int)#1}::operator()",
	 "main::{lambda(int)#1}::operator()(int) const", 1},
	{B, "main::*::operator()", "main::{lambda(int)#1}::operator()(int) const", 1},
	{B, "*lambda*", "main::{lambda(int)#1}", 1},
	{B, "main::*", "main::$_0::operator()(int) const", 1},
	{B, "operator()", "main::'lambda'(int)::operator()(int) const", 1},
	/* Rust */
	{B, "drop",
	 "<alloc::vec::Vec<T,A> as core::ops::drop::Drop>::drop::h0123456789ab"
	 "cdef", 1},
	{B, "Vec::drop",
	 "<alloc::vec::Vec<T,A> as core::ops::drop::Drop>::drop::h0123456789ab"
	 "cdef", 1},
	{B, "Drop::drop",
	 "<alloc::vec::Vec<T,A> as core::ops::drop::Drop>::drop::h0123456789ab"
	 "cdef", 1},
	{B, "Rc::drop",
	 "<alloc::vec::Vec<T,A> as core::ops::drop::Drop>::drop::h0123456789ab"
	 "cdef", 0},
	{B, "core::ops::function::FnOnce::call_once",
	 "core::ops::function::FnOnce::call_once::h0123456789abcdef", 1},
	{B, "call_once",
	 "core::ops::function::FnOnce::call_once{{vtable.shim}}::h0123456789ab"
	 "cdef", 1},
	{B, "h0123456789abcdef", "core::f::h0123456789abcdef", 0},
	{B, "h0123456789abcdeg", "core::f::h0123456789abcdeg", 1},
	{B, "drop_in_place", "core::ptr::drop_in_place::<alloc::string::String>", 1},
	{B, "fmt", "core::fmt::num::imp::<impl core::fmt::Display for u32>::fmt", 1},
	{B, "Display::fmt", "core::fmt::num::imp::<impl core::fmt::Display for u32>::fmt", 1},
	{B, "foo::{{closure}}", "foo::{{closure}}", 1},
	{B, "foo::*", "foo::{{closure}}::h0123456789abcdef", 1},
	/* Go */
	{B, "object", "encoding/json.(*decodeState).object", 1},
	{B, "decodeState.object", "encoding/json.(*decodeState).object", 1},
	{B, "(*decodeState).object", "encoding/json.(*decodeState).object", 1},
	{B, "decodeState::object", "encoding/json.(*decodeState).object", 1},
	{B, "json.(*decodeState).object", "encoding/json.(*decodeState).object", 1},
	{B, "encoding/json.(*decodeState).object", "encoding/json.(*decodeState).object", 1},
	{B, "json.object", "encoding/json.(*decodeState).object", 0},
	{B, "json.Marshal", "encoding/json.Marshal", 1},
	{B, "json.*", "encoding/json.(*decodeState).object", 1},
	{B, "pkg.List.Push", "github.com/user/pkg.(*List[go.shape.int]).Push", 1},
	{B, "main.main", "main.main", 1},
	{B, "main.main", "main.main.func1", 0},
	{B, "main.main.func1", "main.main.func1.2", 0},
	{B, "runtime_procPin", "sync.runtime_procPin", 1},
	/* PHP */
	{B, "Evaluator->visit", "App\\Evaluator->visit", 1},
	{B, "Evaluator::visit", "App\\Evaluator->visit", 1},
	{B, "App\\Evaluator->visit", "App\\Evaluator->visit", 1},
	{B, "App::Evaluator::visit", "App\\Evaluator->visit", 1},
	{B, "Node::bump", "App\\Node::bump", 1},
	{B, "Node->bump", "App\\Node::bump", 1},
	{B, "läuft", "App\\Größe->läuft", 1},
	{B, "uft", "App\\Größe->läuft", 0},
	{B, "strlen", "php::strlen", 1},
	{B, "php::strlen", "php::strlen", 1},
	{B, "php::*", "php::ArrayIterator->uasort", 1},
	{B, "array_*", "php::array_map", 1},
	{B, "classes.php", "require_once::/build/src/php/lib/classes.php", 1},
	{B, "php", "require_once::/build/src/php/lib/classes.php", 0},
	{B, "lib.classes.php", "require_once::/build/src/php/lib/classes.php", 0},
	{B, "*.php", "require_once::/build/src/php/lib/classes.php", 1},
	{B, "p*", "require_once::/build/src/php/lib/classes.php", 0},
	{B, "c", "/build/other.c", 0},
	{B, "other.c", "/build/other.c", 1},
	{B, "build/other.c", "/build/other.c", 1},
	{B, "js", "/srv/x.min.js", 0},
	{B, "min.js", "/srv/x.min.js", 0},
	{B, "libc.so.6", "/usr/lib/libc.so.6", 1},
	{B, "main", "/srv/x.php::main", 1},
	{B, "x.php::main", "/srv/x.php::main", 1},
	{B, "id", "GET /users/:id", 0},
	{B, "y", "SELECT a FROM x.y", 0},
	{B, "require_once::*", "require_once::/build/src/php/lib/classes.php", 1},
	{B, "*closure*",
	 "App\\Evaluator->App\\{closure:/build/src/php/lib/classes.php:20-20}", 1},
	/* Python, JavaScript, Objective-C */
	{B, "__init__", "zipimporter.__init__ <frozen zipimport>:64", 1},
	{B, "zipimporter.__init__", "zipimporter.__init__ <frozen zipimport>:64", 1},
	{B, "<genexpr>", "<genexpr> /usr/lib/python3.11/collections/__init__.py:422", 1},
	{B, "<dictcomp>", "<dictcomp>:17", 1},
	{B, "*len*", "<built-in method builtins.len>", 1},
	{B, "<built-in method builtins.len>", "<built-in method builtins.len>", 1},
	{B, "foo.<locals>.<lambda>", "mod.foo.<locals>.<lambda>", 1},
	{B, "_load", "node:internal/modules/cjs/loader.Module._load", 1},
	{B, "Module._load", "node:internal/modules/cjs/loader.Module._load", 1},
	{B, "NSString::*", "-[NSString stringByAppending:]", 1},
	{B, "NSString::*", "-[NSString(Cat) hash]", 1},
	{B, "hash", "__23-[NSString(Cat) hash]_block_invoke", 1},
	/* oddities */
	{B, "?\??", "?\??", 1},
	{B, "fill", "unsigned long fill[inline]", 1},
	{B, "__normal_iterator::operator++",
	 "__gnu_cxx::__normal_iterator::operator++[inline]", 1},
	{B, "(", "(", 1},
	{B, "a", "(12", 0},
	/* exact */
	{X, "main", "main", 1},
	{X, "main", "geo::main", 0},
	{X, "B::operator|(B const&) const", "B::operator|(B const&) const", 1},
	/* regex */
	{R, "^std::.*::push_", "std::vector<int>::push_back(int)", 1},
	{R, "^push", "std::vector<int>::push_back(int)", 0},
	{R, "PUSH", "std::vector<int>::push_back(int)", 0},
	{I, "PUSH", "std::vector<int>::push_back(int)", 1},
	{R, "operator\\|", "B::operator|(B const&) const", 1},
	{R, "n$", "main", 1},
	{R, "^.$", "ö", 1},
	{R, "^..$", "ö", 0},
	{R, "^.\xc3?$", "\xf6\xc3", 1}, /* no UTF-8: bytes */
	{R, "(?<=::)f\\b", "a::f(int)", 1},
	/* files and objects: base name or the path's end */
	{F, "parser.c", "/build/src/parser.c", 1},
	{F, "src/parser.c", "/build/src/parser.c", 1},
	{F, "rc/parser.c", "/build/src/parser.c", 0},
	{F, "parser", "/build/src/parser.c", 0},
	{F, "*.c", "/build/src/parser.c", 1},
	{F, "/build/*", "/build/src/parser.c", 1},
	{F, "build/*", "/build/src/parser.c", 1},
	{F, "build/", "/build/src/parser.c", 1},
	{F, "/src/*", "/build/src/parser.c", 0},
	{F, "/build/src/parser.c", "/build/src/parser.c", 1},
	{F, "src/*.h", "/build/src/parser.c", 0},
	{F, "/src/parser.c", "src/parser.c", 0},
	{F, "*/", "/build/src/parser.c", 1},
	{F, "*/", "/", 0},
	{F, "*/", "", 0},
	{F, "?\??", "?\??", 1},
	{O, "libc.so.6", "/usr/lib/x86_64-linux-gnu/libc.so.6", 1},
	{O, "libc*", "/usr/lib/x86_64-linux-gnu/libc.so.6", 1},
	{O, "libc", "/usr/lib/x86_64-linux-gnu/libc.so.6", 0},
	{O, "ld-linux-x86-64.so.2", "/usr/lib/x86_64-linux-gnu/ld-linux-x86-64.so.2", 1},
	/* blanks, and other languages */
	{B, "main.query", "main.query [1/2]", 1},
	{B, "query", "main.query [2/2]", 1},
	{B, "foo", "foo (discriminator 3)", 1},
	{B, "chunk", "main chunk", 0},
	{B, "map", "lists:map/2", 1},
	{B, "map/2", "lists:map/2", 1},
	{B, "lists:map", "lists:map/2", 1},
	{B, "lists:map/2", "lists:map/3", 0},
	{B, "bar", "Foo#bar", 1},
	{B, "Foo#bar", "App::Foo#bar", 1},
	{B, "Foo::bar", "Foo#bar", 1},
	{B, "Foo#bar", "block in Foo#bar", 1},
	{B, "deposit", "Account:deposit", 1},
	{B, "append", "<method 'append' of 'list' objects>", 1},
	{B, "list.append", "<method 'append' of 'list' objects>", 1},
	{B, "Integer::-", "Integer::-@", 0},
	{B, "main::__ANON__[a.pl:7]", "main::__ANON__[a.pl:8]", 0},
	{B, "main::__ANON__", "main::__ANON__[a.pl:8]", 1},
	{C, "lists", "lists:map/2", 1},
	{C, "Foo", "App::Foo#bar", 1},
	{C, "include", "include::/srv/my app/x.php", 0},
	{C, "NSView", "+[NSView(Cat) a:b:]", 1},
	{C, "Tree", "main.(*Tree).Walk.func1", 1},
	/* classes */
	{C, "vector", "std::vector<int, std::allocator<int> >::push_back(int const&)", 1},
	{C, "std::vector", "std::vector<int, std::allocator<int> >::push_back(int const&)", 1},
	{C, "std", "std::vector<int, std::allocator<int> >::push_back(int const&)", 0},
	{C, "std::*", "std::vector<int, std::allocator<int> >::push_back(int const&)", 1},
	{C, "push_back", "std::vector<int, std::allocator<int> >::push_back(int const&)", 0},
	{C, "main", "main", 0},
	{C, "Evaluator", "App\\Evaluator->visit", 1},
	{C, "decodeState", "encoding/json.(*decodeState).object", 1},
	{CX, "std::vector<int, std::allocator<int> >",
	 "std::vector<int, std::allocator<int> >::push_back(int const&)", 1},
	{CR, "^std::vec", "void std::vector<int>::push_back(int)", 1},
};

static const struct {
	const char *name, *shown, *class, *last;
} parts[] = {
	{"main", "main", "", "main"},
	{"void std::vector<int, std::allocator<int> >::push_back(int const&)'2",
	 "std::vector::push_back'2", "std::vector<int, std::allocator<int> >", "push_back"},
	{"geo::V<int>* std::sort<It>(It, It)::{lambda(int)#1}::operator()(int) const",
	 "std::sort::{lambda(int)#1}::operator()", "std::sort<It>(It, It)::{lambda(int)#1}",
	 "operator()"},
	{"encoding/json.(*decodeState).object", "encoding/json.(*decodeState).object",
	 "encoding/json.(*decodeState)", "object"},
	{"App\\Evaluator->visit", "App\\Evaluator->visit", "App\\Evaluator", "visit"},
	{"require_once::/build/src/classes.php", "require_once::/build/src/classes.php",
	 "", "classes.php"},
	{"<alloc::vec::Vec<T,A> as core::ops::drop::Drop>::drop::h0123456789abcdef",
	 "alloc::vec::Vec::drop", "<alloc::vec::Vec<T,A> as core::ops::drop::Drop>", "drop"},
	{"core::fmt::num::imp::<impl core::fmt::Display for u32>::fmt",
	 "core::fmt::num::imp::u32::fmt",
	 "core::fmt::num::imp::<impl core::fmt::Display for u32>", "fmt"},
	{"memcpy@@GLIBC_2.14", "memcpy", "", "memcpy"},
	{"f(int) [clone .part.0]'2", "f'2", "", "f"},
	{"(below main)", "(below main)", "", "(below main)"},
	{"<genexpr> t.py:22", "<genexpr>", "", "<genexpr>"},
	{"-[NSString stringByAppending:]", "NSString stringByAppending:", "NSString",
	 "stringByAppending:"},
	/* A blank ends a return type only before parameters. */
	{"main.query [1/2]", "main.query", "main", "query"},
	{"main.(*DB).query [12/305]", "main.(*DB).query", "main.(*DB)", "query"},
	{"type..eq.[2]interface {}", "type..eq.[2]interface {}", "type..eq",
	 "[2]interface {}"},
	{"type:.eq.struct { a int; F func(int) error } [3/4]",
	 "type:.eq.struct { a int; F func(int) error }", "type:.eq",
	 "struct { a int; F func(int) error }"},
	{"type..hash.map[string]func(int) error", "type..hash.map[string]func(int) error",
	 "type..hash", "map[string]func(int) error"},
	{"include::/srv/my app/x.php", "include::/srv/my app/x.php", "", "x.php"},
	{"require_once::/srv/a (old)/f(1) x/y.php",
	 "require_once::/srv/a (old)/f(1) x/y.php", "", "y.php"},
	{"main chunk", "main chunk", "", "main chunk"},
	{"map CAF", "map CAF", "", "map CAF"},
	{"Garbage Collection", "Garbage Collection", "", "Garbage Collection"},
	{"foo (discriminator 3)", "foo", "", "foo"},
	{"ns::foo(int) (discriminator 12)", "ns::foo", "ns", "foo"},
	{"foo [12]", "foo [12]", "", "foo [12]"},
	{"foo (bar)", "foo (bar)", "", "foo (bar)"},
	{"function 'foo'", "function 'foo'", "", "function 'foo'"},
	{"function <input:12>", "function <input:12>", "", "function <input:12>"},
	{"a and b", "a and b", "", "a and b"},
	{"get a.b c", "get a.b c", "", "get a.b c"},
	{"get Foo.bar", "get Foo.bar", "get Foo", "bar"},
	{"GET /", "GET /", "", "GET /"},
	{"GET /users/:id", "GET /users/:id", "", "GET /users/:id"},
	{"POST /users/list.json", "POST /users/list.json", "", "POST /users/list.json"},
	{"SELECT a.b FROM x.y WHERE c = 'q'", "SELECT a.b FROM x.y WHERE c = 'q'", "",
	 "SELECT a.b FROM x.y WHERE c = 'q'"},
	{"SELECT a FROM x.y", "SELECT a FROM x.y", "", "SELECT a FROM x.y"},
	/* paths */
	{"/srv/app/index.php", "/srv/app/index.php", "", "index.php"},
	{"/srv/app/index.php::run", "/srv/app/index.php::run", "/srv/app/index.php", "run"},
	{"C:\\srv\\index.php", "C:\\srv\\index.php", "", "index.php"},
	{"/users/:id", "/users/:id", "", ":id"},
	{"/usr/lib/libc.so.6", "/usr/lib/libc.so.6", "", "libc.so.6"},
	{"/", "/", "", "/"},
	{"/a/", "/a/", "", "a"},
	{"http://localhost:3000/users/1.json", "http://localhost:3000/users/1.json", "",
	 "1.json"},
	{"http://localhost:3000", "http://localhost:3000", "", "localhost:3000"},
	/* Objective-C */
	{"-[NSView drawRect:]'2", "NSView drawRect:'2", "NSView", "drawRect:"},
	{"-[NSView drawRect:].cold.1", "NSView drawRect:", "NSView", "drawRect:"},
	{"__45-[NSView drawRect:]_block_invoke_2", "NSView drawRect:_block_invoke_2",
	 "NSView", "drawRect:"},
	{"+[NSView(Cat) a:b:]", "NSView(Cat) a:b:", "NSView(Cat)", "a:b:"},
	{"-[NSView drawRect:]x", "-", "", "-"},
	{"void f<int>(int)", "f", "", "f"},
	{"unsigned long long ns::f<int>(int) const'2", "ns::f'2", "ns", "f"},
	{"void (*signal(int))(int)", "(*signal(int))", "", "signal"},
	{"bool operator< <int>(Foo<int> const&)", "operator<", "", "operator<"},
	{"A& A::operator/=<int>(int)", "A::operator/=", "A", "operator/="},
	{"B A::operator B const*<int>(a)", "A::operator B const*<int>", "A",
	 "operator B const*<int>"},
	{"main chunk'f(int)", "main chunk'f(int)", "", "main chunk"},
	{"decltype (a+b) f<int>(int)", "f", "", "f"},
	{"void f<int>(int) requires C<int>", "f", "", "f"},
	{"non-virtual thunk to A::f() const", "A::f", "A", "f"},
	{"guard variable for A::f(int)::x", "A::f::x", "A::f(int)", "x"},
	{"TLS init function for ns::x", "ns::x", "ns", "x"},
	{"public: virtual void __thiscall A::f(int)", "A::f", "A", "f"},
	{"void main::'lambda0'(int)::operator()<int>(int) const",
	 "main::'lambda0'::operator()", "main::'lambda0'(int)", "operator()"},
	/* classes and modules of languages */
	{"lists:map/2", "lists:map/2", "lists", "map"},
	{"'Elixir.Enum':map/2", "'Elixir.Enum':map/2", "'Elixir.Enum'", "map"},
	{"Elixir.Enum:'-map/2-fun-0-'/3", "Elixir.Enum:'-map/2-fun-0-'/3", "Elixir.Enum",
	 "'-map/2-fun-0-'"},
	{"Foo#bar", "Foo#bar", "Foo", "bar"},
	{"Foo::Bar#baz?", "Foo::Bar#baz?", "Foo::Bar", "baz?"},
	{"Foo#==", "Foo#==", "Foo", "=="},
	{"Array#[]", "Array#[]", "Array", "[]"},
	{"<Class::Foo>#new", "<Class::Foo>#new", "<Class::Foo>", "new"},
	{"Object#<main>", "Object#<main>", "Object", "<main>"},
	{"[global]#main", "[global]#main", "[global]", "main"},
	{"Integer::-@", "Integer::-@", "Integer", "-@"},
	{"Integer::-", "Integer::-", "Integer", "-"},
	{"Integer#/", "Integer#/", "Integer", "/"},
	{"Integer::<=>", "Integer::<=>", "Integer", "<=>"},
	{"block in Foo#bar", "block in Foo#bar", "Foo", "bar"},
	{"block (2 levels) in Foo::Bar#baz", "block (2 levels) in Foo::Bar#baz", "Foo::Bar",
	 "baz"},
	{"rescue in block in <main>", "rescue in block in <main>", "", "<main>"},
	{"std::rt::lang_start::{closure#0}", "std::rt::lang_start::{closure#0}",
	 "std::rt::lang_start", "{closure#0}"},
	{"A\\E->A\\{closure:/srv/e.php:3-4}", "A\\E->A\\{closure:/srv/e.php:3-4}", "A\\E",
	 "{closure:/srv/e.php:3-4}"},
	{"A\\{closure:/srv/e.php:3-4}", "A\\{closure:/srv/e.php:3-4}", "A",
	 "{closure:/srv/e.php:3-4}"},
	{"main.main.func1.2", "main.main.func1.2", "main", "2"},
	{"main.(*Tree).Walk.func1", "main.(*Tree).Walk.func1", "main.(*Tree)", "func1"},
	{"main.glob..func1", "main.glob..func1", "main", "func1"},
	{"github.com/u/pkg.func1", "github.com/u/pkg.func1", "github.com/u/pkg", "func1"},
	{"gopkg.in/yaml%2ev2.(*parser).parse", "gopkg.in/yaml%2ev2.(*parser).parse",
	 "gopkg.in/yaml%2ev2.(*parser)", "parse"},
	{"main.Map[go.shape.int]", "main.Map", "main", "Map"},
	{"warnings::CORE:match", "warnings::CORE:match", "warnings", "CORE:match"},
	{"main::__ANON__[work.pl:7]", "main::__ANON__[work.pl:7]", "main", "__ANON__"},
	{"main::BEGIN@1.1", "main::BEGIN@1.1", "main", "BEGIN"},
	{"Account:deposit", "Account:deposit", "Account", "deposit"},
	{"string.format", "string.format", "string", "format"},
	{"Stdlib.List.map", "Stdlib.List.map", "Stdlib.List", "map"},
	{"Dune.exe.Main.(fun)", "Dune.exe.Main.(fun)", "Dune.exe.Main", "(fun)"},
	{"Control.Monad.>>=", "Control.Monad.>>=", "Control.Monad", ">>="},
	{"<method 'append' of 'list' objects>", "<method 'append' of 'list' objects>",
	 "list", "append"},
	{"<method 'end' of 're.Match' objects>", "<method 'end' of 're.Match' objects>",
	 "re.Match", "end"},
	{"<built-in method builtins.len>", "<built-in method builtins.len>", "builtins",
	 "len"},
	{"<built-in method len>", "<built-in method len>", "", "len"},
	{"<built-in method __new__ of type object at 0x9d2a80>",
	 "<built-in method __new__ of type object at 0x9d2a80>", "type", "__new__"},
	{"A.run /build/work.py:6", "A.run", "A", "run"},
	{"foo.<locals>.<lambda>", "foo.<locals>.<lambda>", "foo.<locals>", "<lambda>"},
	{"include::C:\\srv\\my app\\x.php", "include::C:\\srv\\my app\\x.php", "",
	 "x.php"},
	{"a::", "a", "", "a"},
	{"", "", "", ""},
	{"<<<<", "<<<<", "", "<<<<"},
};
/* clang-format on */

static bool is_view(struct str s, const char *want)
{
	return s.n == strlen(want) && memcmp(s.p, want, s.n) == 0;
}

static void test_table(struct arena *a)
{
	for (size_t i = 0; i < COUNT(table); i++) {
		struct match_atom atom = {.field = table[i].field,
					  .form = table[i].form,
					  .nocase = table[i].nocase,
					  .text = str_c(table[i].pattern)};
		struct err err = {0};
		struct match *m = NULL;
		int got = -1;

		if (match_new(&atom, a, &m, &err) == 0)
			got = match_name(m, str_c(table[i].name), &err);
		match_free(m);
		ok(got == table[i].matches, "%s %s %s%s", table[i].pattern,
		   table[i].matches ? "matches" : "is not", table[i].name, err.text);
		arena_reset(a);
	}
}

static void test_parts(struct arena *a)
{
	for (size_t i = 0; i < COUNT(parts); i++) {
		struct str name = str_c(parts[i].name), shown = name_short(name, a);

		ok(is_view(shown, parts[i].shown), "short of %s (%.*s)", parts[i].name,
		   STR_ARG(shown));
		shown = name_class(name);
		ok(is_view(shown, parts[i].class), "class of %s (%.*s)", parts[i].name,
		   STR_ARG(shown));
		shown = name_last(name);
		ok(is_view(shown, parts[i].last), "last of %s (%.*s)", parts[i].name,
		   STR_ARG(shown));
	}
}

static void test_bad_regex(struct arena *a)
{
	static const char *const bad[] = {"a(b", "[z-a]", "a)", "(*UTF)x"};

	for (size_t i = 0; i < COUNT(bad); i++) {
		struct match_atom atom = {
			.form = MATCH_REGEX, .text = str_c(bad[i]), .at = 100};
		struct err err = {0};
		struct match *m = NULL;

		ok(match_new(&atom, a, &m, &err) == ERR_QUERY, "/%s/ is refused: %s",
		   bad[i], err.text);
		/* Versions of PCRE2 name the byte of the fault or the one behind it. */
		ok(err.at > 100 && err.at <= 100 + strlen(bad[i]),
		   "and its place is told: byte %" PRIu64, err.at);
	}
}

/* Patterns that could eat time or memory end with an answer or ERR_LIMIT. */
static void test_hostile_regex(struct arena *a)
{
	static const char *const hostile[] = {
		"(((a{1,100}){1,100}){1,100})",
		"^(a+)+$",
		"(a|aa)+$",
		"(?R)*b",
		"(.*)*(.*)*x",
	};
	char name[4097];

	memset(name, 'a', sizeof(name) - 1);
	name[sizeof(name) - 1] = '!';
	for (size_t i = 0; i < COUNT(hostile); i++) {
		struct match_atom atom = {.form = MATCH_REGEX, .text = str_c(hostile[i])};
		struct err err = {0};
		struct match *m = NULL;
		int got = -1;

		if (match_new(&atom, a, &m, &err) == 0)
			got = match_name(m, (struct str){name, sizeof(name)}, &err);
		match_free(m);
		ok(got >= 0 || err.kind == ERR_QUERY || err.kind == ERR_LIMIT,
		   "/%s/ ends: %s", hostile[i], got < 0 ? err.text : "answered");
		arena_reset(a);
	}
	struct match_atom nothing = {.form = MATCH_BARE, .text = STR("")};
	struct err none = {0};
	struct match *never = NULL;
	ok(match_new(&nothing, a, &never, &none) == ERR_QUERY &&
		   strcmp(none.text, "an empty name matches nothing") == 0,
	   "an empty name is refused");
	char *deep = malloc(20001);
	memset(deep, '(', 20000);
	deep[20000] = '\0';
	struct match_atom atom = {.form = MATCH_REGEX, .text = str_c(deep)};
	struct err err = {0};
	struct match *m = NULL;
	ok(match_new(&atom, a, &m, &err) == ERR_QUERY, "20,000 ( are refused: %s",
	   err.text);
	free(deep);
}

/* 64 KiB of brackets take no time and no stack; of most pairs, 4 KiB. */
static void test_hostile_names(void)
{
	static const char *const pieces[] = {
		"<",  "(",  "{",  "[",	      "<a> ",	    "operator <", ".part",
		"::", "'",  "@",  " [clone ", "<impl ",	    "<T as ",	  ">::",
		".1", "a<", "-[", "x::",      "<T as X>::", "/",	  ":1",
	};
	enum { LONG = 64 << 10 };
	char *p = malloc(LONG);

	for (size_t i = 0; i < COUNT(pieces) * COUNT(pieces); i++) {
		const char *a = pieces[i / COUNT(pieces)], *b = pieces[i % COUNT(pieces)];
		struct name o;
		const size_t end = i % 20 ? LONG / 16 : LONG;
		size_t n = 0, bad = 0;

		while (n + strlen(a) + strlen(b) + 3 < end) {
			memcpy(p + n, a, strlen(a));
			n += strlen(a);
			memcpy(p + n, b, strlen(b));
			n += strlen(b);
		}
		memcpy(p + n, ":24", 3);
		name_parse((struct str){p, n + i % 4}, (enum name_reading)(i % 3), &o);
		for (size_t k = 0; k < o.n; k++)
			bad += o.part[k].p < p || o.part[k].p + o.part[k].n > p + LONG;
		if (o.n == 0 || bad)
			ok(false, "parts of %s%s... are inside it", a, b);
	}
	free(p);
	ok(true, "hostile names are taken apart");
}

static void test_fnset(struct arena *a)
{
	struct fn_set *s = fnset_new(a, 130), *t;
	uint32_t sum = 0;

	fnset_add_run(s, 60, 10);
	fnset_add(s, 129);
	fnset_add(s, 130);
	is_u64(fnset_count(s), 11, "a run and one; past the end is no member");
	for (uint32_t f = fnset_next(s, 0); f != FNSET_NONE; f = fnset_next(s, f + 1))
		sum += f;
	is_u64(sum, 645 + 129, "members in order");
	t = fnset_copy(a, s);
	fnset_not(t);
	is_u64(fnset_count(t), 119, "not");
	fnset_and(t, s);
	is_u64(fnset_count(t), 0, "and with its complement");
	fnset_or(t, s);
	is_u64(fnset_count(t), 11, "or");
	is_u64(fnset_next(fnset_new(a, 0), 0), FNSET_NONE, "no functions at all");
}

/* ---- the text that a regular expression requires ---- */

/* A regular expression, or a name, of random pieces. */
static struct str random_text(const char *const *piece, unsigned pieces, char *buf,
			      size_t size)
{
	size_t n = 0;

	for (unsigned k = 1 + dice_below(6); k > 0; k--)
		n += (size_t)snprintf(buf + n, size - n, "%s", piece[dice_below(pieces)]);
	return (struct str){buf, n};
}

/*
 * What a name must contain to match is looked for first.  "(?s:x)" means x here, but
 * nothing is known of it.
 */
static void test_needle(struct arena *a)
{
	enum { PATTERNS = 4000, NAMES = 20 };
	static const char *const pattern[] = {
		"a",	 "b",	       "ab",	   "ba",   "aab",     "a*",	 "b?",
		"a+",	 "b{0,1}",     "a{2}",	   "[ab]", "[^a]",    "[]a]",	 "[\\]a]",
		"(ab)",	 "(a(b)[)]a)", "\\.",	   "\\w",  "\\x61",   "^",	 "$",
		".",	 "a|b",	       "(b|a)",	   "\\(",  "a*?",     "\\bb",	 "(a)\\1",
		"b{",	 "(?i)A",      "\\Qa*\\E", "a}",   "(?:a|b)", "(?:ab)?", "(?!a)",
		"(?=b)", "(?<=a)",     "(?<!b)",   "|b",
	};
	static const char *const name[] = {"a", "b", "ab", "aa", "bb", ".",
					   "]", "(", "{",  " ",	 "}",  "a*"};
	unsigned compared = 0, wrong = 0, needles = 0;

	for (unsigned i = 0; i < PATTERNS; i++) {
		char text[128], whole[160], of[128];
		struct match_atom atom = {.form = MATCH_REGEX};
		struct match *with = NULL, *without = NULL;
		struct err err = {0};
		bool all;

		atom.text = random_text(pattern, COUNT(pattern), text, sizeof(text));
		if (match_new(&atom, a, &with, &err))
			continue; /* (a{2}){ and the like */
		needles += match_needle(with, &all).n > 0;
		snprintf(whole, sizeof(whole), "(?s:%s)", text);
		atom.text = str_c(whole);
		if (match_new(&atom, a, &without, &err))
			fuzz_fail("/%s/ is refused: %s", whole, err.text);
		for (unsigned k = 0; k < NAMES; k++) {
			const struct str s =
				random_text(name, COUNT(name), of, sizeof(of));
			const int got = match_name(with, s, &err);
			const bool same = got == match_name(without, s, &err);

			compared++;
			wrong += !same;
			if (!same && wrong < 4)
				fprintf(stderr, "# /%s/ in %s: %d\n", text, of, got);
		}
		match_free(without);
		match_free(with);
		arena_reset(a);
	}
	ok(compared > PATTERNS && needles > PATTERNS / 4, "%u names, %u texts", compared,
	   needles);
	is_u64(wrong, 0, "the required text changes no match");
}

int main(void)
{
	struct arena a;

	arena_init(&a, 64 << 20);
	test_table(&a);
	test_parts(&a);
	test_bad_regex(&a);
	test_hostile_regex(&a);
	test_hostile_names();
	test_needle(&a);
	test_fnset(&a);
	arena_free(&a);
	return done_testing();
}
