/*
 * common_sets.c - the text of the sets that every query may use; see common_sets.h.
 *
 * Functions are matched by whole names, as they are shown, so that `my_malloc` is in no
 * set.  After a name may come what producers add: parameters, @@GLIBC_2.34, the 'caller of
 * --separate-callers, [clone .part.0], the hash of Rust.  Each is one regular expression,
 * or a few atoms of which some may be absent from a profile without a note.
 *
 * A wrapper and what it calls (operator new, malloc) may both be in a set: calls inside a
 * set are in no sum, and inclusive costs count once.  What only a member calls
 * (_int_malloc) is left out.
 */
#include "engine/lang/common_sets.h"

#define TEXT(lit)                       \
	{                               \
		"" lit, sizeof(lit) - 1 \
	}
#define END "(?:::h[0-9a-f]{16})?(?:$|[@'( .\\[])"

/* C, C++ (also mangled), tcmalloc, jemalloc, mimalloc, GLib, PHP's engine, CPython, Rust,
 * Go. */
#define GET                                                                            \
	"(?:__libc_|tc_|je_|_rjem_|mi_)?(?:malloc|calloc|realloc|reallocarray|"        \
	"memalign|aligned_alloc|posix_memalign|valloc|pvalloc)"                        \
	"|operator new(?:\\[\\])?|_Zn[wa][jm]\\w*"                                     \
	"|tc_new\\w*|TCMallocInternal(?!Free|Delete|Cfree|Sdalloc)\\w+"                \
	"|(?:je_|_rjem_)[mrx]+allocx|mi_(?:zalloc|new|heap_malloc)\\w*"                \
	"|g_(?:try_)?(?:malloc|malloc0|realloc)(?:_n)?|g_slice_(?!free)\\w+"           \
	"|_(?:safe_)?e(?:malloc|calloc|realloc2?)(?:_\\w+)?"                           \
	"|_?Py(?:Object|Mem)_(?:Raw)?(?:Malloc|Calloc|Realloc)"                        \
	"|(?:\\w+(?:\\[\\w+\\])?::)?__r(?:ust|dl|g)_(?:alloc|alloc_zeroed|realloc)"    \
	"|alloc(?:\\[\\w+\\])?::alloc::(?:alloc|alloc_zeroed|realloc|exchange_malloc|" \
	"Global::(?!dealloc)\\w+)"                                                     \
	"|<alloc(?:\\[\\w+\\])?::alloc::Global as [^>]*>::(?!dealloc)\\w+"             \
	"|runtime\\.(?:mallocgc|newobject|newarray|growslice|makeslice(?:64|copy)?|"   \
	"makemap(?:64|_small)?|makechan(?:64)?)"
#define RELEASE                                                            \
	"(?:__libc_|tc_|je_|_rjem_|mi_)?c?free|operator delete(?:\\[\\])?" \
	"|_Zd[al]Pv\\w*|tc_delete\\w*"                                     \
	"|TCMallocInternal(?:Free|Delete|Cfree|Sdalloc)\\w*"               \
	"|(?:je_|_rjem_)s?dallocx|g_free(?:_sized)?|g_slice_free\\w*"      \
	"|_(?:safe_)?efree(?:_\\w+)?|_?Py(?:Object|Mem)_(?:Raw)?Free"      \
	"|(?:\\w+(?:\\[\\w+\\])?::)?__r(?:ust|dl|g)_dealloc"               \
	"|alloc(?:\\[\\w+\\])?::alloc::(?:dealloc|Global::dealloc\\w*)"    \
	"|<alloc(?:\\[\\w+\\])?::alloc::Global as [^>]*>::dealloc\\w*"
#define ALLOC "/^(?:" GET "|" RELEASE ")" END "/"
#define ALLOCATIONS "/^(?:" GET ")" END "/"

#define LIBC                                                                      \
	"obj:/(?:^|\\/)(?:lib(?:c|m|mvec|pthread|rt|dl|resolv)(?:-[0-9.]+)?\\.so" \
	"|ld-musl-|libc\\.musl-)/"

#define STL                                                                             \
	"class:/^(?:std|__gnu_cxx|__cxxabiv1)(?:::|$)/ or "                             \
	"/^(?:<)?(?:core|alloc)(?:\\[\\w+\\])?::(?:alloc|any|array|ascii|borrow|boxed|" \
	"cell|char|clone|cmp|collections|convert|default|ffi|fmt|future|hash|hint|"     \
	"intrinsics|iter|marker|mem|net|num|ops|option|panicking|pin|ptr|raw_vec|rc|"   \
	"result|slice|str|string|sync|task|time|unicode|vec)::/ or "                    \
	"/^(?:<std|<?std\\[\\w+\\])::/"

/* POSIX threads and what glibc has below, C++, GLib, Rust, Go, Python. */
#define LOCKS                                                                           \
	"/^(?:_*(?:pthread_(?:mutex|rwlock|spin|cond|barrier)|GI___pthread_(?:mutex|"   \
	"rwlock|cond))_(?:\\w*lock\\w*|wait|timedwait|clockwait|signal|broadcast)"      \
	"|_*(?:new_)?sem_(?:wait|timedwait|trywait|clockwait|post)"                     \
	"|_*(?:GI___)?lll_\\w*lock\\w*|_*(?:mtx|cnd)_(?:\\w*lock|wait|signal)"          \
	"|std::(?:\\w*mutex|unique_lock<.*>|lock_guard<.*>|condition_variable\\w*)::"   \
	"(?:\\w*lock\\w*|wait\\w*|notify\\w*)"                                          \
	"|g_(?:rec_)?(?:mutex|rw_lock|cond)_(?:\\w*lock|wait|signal|broadcast)"         \
	"|<?(?:std|parking_lot|parking_lot_core)(?:\\[\\w+\\])?::.*(?:[Mm]utex|"        \
	"[Rr]w_?[Ll]ock|[Cc]ondvar)\\w*(?:<.*>)?::(?:\\w*lock\\w*|wait\\w*|read|write|" \
	"notify\\w*)"                                                                   \
	"|sync\\.\\(\\*(?:RW)?Mutex\\)\\.\\w*[lL]ock\\w*"                               \
	"|sync\\.\\(\\*(?:Cond|WaitGroup)\\)\\.Wait|sync\\.runtime_Semacquire\\w*"      \
	"|runtime\\.(?:lock2?|unlock2?|lockWithRank|unlockWithRank|semacquire1?)"       \
	"|<method '(?:acquire|__enter__)' of '_thread\\.R?[lL]ock' objects>)" END "/"

/* PHP (Composer, Symfony, SPL; add_loaders() of exec_set.c adds closures that are registered),
 * Python's import, Ruby's require, modules of Node. */
#define AUTOLOAD                                                                                                       \
	"/^(?:(?:require|include)(?:_once)?::|Composer\\\\Autoload\\\\|ComposerAutoloaderInit|(?:php::)?spl_autoload_" \
	"|__autoload$|.*(?:Auto|Class)[Ll]oader\\w*(?:->|::)(?:auto|find|load)\\w*"                                    \
	"|Kernel(?:#|::)(?:require|require_relative|load|autoload)"                                                    \
	"|Module\\.(?:_load|load|_compile|_resolveFilename|require)$)/ or "                                            \
	"file:/^<frozen importlib|\\/importlib\\/_bootstrap/"

/* C, copy constructors and assignments of C++, clones of Rust, Go, Python, PHP's engine. */
#define COPIES                                                                        \
	"/^(?:(?:__)?(?:mem(?:p?cpy|move|ccpy)|bcopy|st[rp]n?cpy|strn?dup)(?:_\\w+)?" \
	"|(?:.*::)?(\\w+)(?:<.*>)?::(?:\\1|operator=)\\((?:[\\w:]+::)?\\1"            \
	"(?:<.*>)? const&\\)"                                                         \
	"|(?:.* )?std::(?:__)?(?:uninitialized_)?copy\\w*(?:<.*>)?"                   \
	"|<.* as (?:core|alloc)(?:\\[\\w+\\])?::(?:clone::Clone|borrow::ToOwned)"     \
	">::\\w+|(?:core|alloc)(?:\\[\\w+\\])?::(?:ptr|intrinsics)::copy\\w*"         \
	"|runtime\\.(?:memmove|typedmemmove|slicecopy|typedslicecopy)"                \
	"|(?:_?deepcopy\\w*|_reconstruct|<method 'copy' of .*>)"                      \
	"|zend_(?:array|string)_dup)" END "/"

static const struct {
	struct parse_value value;
	const char *about;
} sets[] = {
	{{TEXT("alloc"), TEXT(ALLOC)},
	 "get and release memory: C, C++, tcmalloc, jemalloc, mimalloc, GLib, Zend, CPython, "
	 "Rust, Go"},
	{{TEXT("allocations"), TEXT(ALLOCATIONS)},
	 "get memory: those of $alloc that do not release it"},
	{{TEXT("copies"), TEXT(COPIES)},
	 "copy memory and objects: C, C++'s copy constructors, Rust's clones, Go, Python, Zend"},
	{{TEXT("libc"), TEXT(LIBC)},
	 "the C library: glibc's libc, libm, libpthread ..., musl"},
	{{TEXT("stl"), TEXT(STL)},
	 "the standard library of C++, and std, core and alloc of Rust"},
	{{TEXT("locks"), TEXT(LOCKS)},
	 "locks and waiting: POSIX threads, C++, GLib, Rust, Go, Python"},
	{{TEXT("autoload"), TEXT(AUTOLOAD)},
	 "load code: PHP's autoloaders, require and include, Python's import, Ruby's require, Node's modules"},
};

const struct parse_value *common_set_at(size_t i, const char **about)
{
	if (i >= sizeof(sets) / sizeof(sets[0]))
		return NULL;
	*about = sets[i].about;
	return &sets[i].value;
}

const struct parse_value *common_set_find(struct str name)
{
	for (size_t i = 0; i < sizeof(sets) / sizeof(sets[0]); i++)
		if (str_eq(sets[i].value.name, name))
			return &sets[i].value;
	return NULL;
}

bool common_set_is(struct str text)
{
	for (size_t i = 0; i < sizeof(sets) / sizeof(sets[0]); i++)
		if (sets[i].value.text.p == text.p)
			return true;
	return false;
}
