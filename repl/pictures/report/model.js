'use strict';
/* The report.  model.js: functions and calls; tree.js: the tree of the flame graph; flame.js: what is drawn of it, the
   bar of what the cost is made of, the parts; page.js: table, card, graph of calls, tabs, search, keys, address.
   All text from the profile goes through textContent or title: none is ever markup.
   A report of two profiles has two sides: 0 is this profile, 1 the base. */
(() => {
const $ = id => document.getElementById(id);
const lines = id => { const t = ($(id) || {}).textContent; return t ? t.replace(/\n$/, '').split('\n') : []; };
const el = (parent, tag, text, cls) => {
	const n = document.createElement(tag);
	if (text !== undefined) n.textContent = text;
	if (cls) n.className = cls;
	parent.append(n);
	return n;
};

/* ---- the model ---- */
const data = $('d-about').dataset, estimated = 'estimated' in data, two = 'base' in data, SIDES = two ? [0, 1] : [0];
const events = lines('d-events').map(l => {
	const [name, title, long, unit, total, base] = l.split('\t'), [kind, scale] = unit.split(' ');
	return {name, title, long, kind, scale: +scale, total: +total, base: base ? +base : 0, both: !!base};
});
events.forEach((e, i) => { el($('event'), 'option', (e.kind ? e.title : e.name) + (e.long ? ' \u2014 ' + e.long : '')).value = i; });
const base = p => p.slice(p.lastIndexOf('/') + 1), real = s => s && s !== '???';
const strings = lines('d-strings').map(l => l.split('\t')), named = n => strings[n] ? strings[n][0] : '', E = events.length, none = Array(E).fill(0);
const costs = n => n.length ? {nests: n[0] === 1, self: n.slice(1, 1 + E), incl: n.slice(1 + E, 1 + 2 * E), more: n.slice(1 + 2 * E, 1 + 3 * E),
	root: n.slice(1 + 3 * E, 1 + 4 * E), lo: n.slice(1 + 4 * E, 1 + 5 * E), hi: n.slice(1 + 5 * E, 1 + 6 * E)}
	: {nests: false, self: none, incl: none, more: none, root: none, lo: none, hi: none};
/* A function without a name is called by its place in its object. */
const placeIn = (name, obj) => { const at = /^0x0*([0-9a-f]+)$/.exec(name); return at && real(obj) ? base(obj) + '+0x' + at[1] : ''; };
const F = lines('d-functions').map((l, i) => {
	const [full, named_, ...t] = l.split('\t'), n = t[0].split(' ').map(Number), b = t[1] ? t[1].split(' ').map(Number) : [], gone = n.length < 8, at = placeIn(full, named(n[4])), brief = at.replace(/.*\+/, '') || named_, name = at || full;
	return {i, id: n[0], calls: n[1], cycle: n[2], line: n[5], listed: n[6] === 1, name, raw: full, brief: brief || full, label: at || brief || full,
		file: named(n[3]), obj: named(n[4]), text: !!(strings[n[3]] || [])[1], ...costs(n.slice(7)), b: {calls: b[0] || 0, ...costs(b.slice(1))},
		change: !two ? '' : gone ? 'gone' : !t[1] ? 'new' : t[2] ? 'renamed' : '', was: t[2] || '', gone, out: [], in: []};
});
/* A short name that several functions have says which one it is by the whole name. */
const shared = new Map();
for (const f of F) shared.set(f.label, (shared.get(f.label) || 0) + 1);
for (const f of F) if (shared.get(f.label) > 1) f.label = f.name;
/* What fits k letters: the whole name, the short one, that without leading namespaces, the start of that. */
const LETTER = 7.3;
function fitName(f, k) {
	let s = [f.name, f.label].find(n => n.length <= k) || f.brief;
	while (s.length > k) {
		const m = /^[^<({ ]+?(?:::|\\(?!x[0-9A-F]{2})|->|\/)(?=[^:~])/.exec(s); /* not ~f, the mark of an estimate, nor \xE2 */
		if (!m || m[0].length === s.length) break;
		s = s.slice(m[0].length);
	}
	return s.length <= k ? s : k < 2 ? '' : s.slice(0, k - 1) + '\u2026';
}
const calling = new Map(), callOf = (from, to) => calling.get(from.i * F.length + to.i);
let caller = 0;
for (const l of lines('d-calls')) {
	const n = l.split(' ').map(Number), b = n.slice(3 + E);
	caller += n[0];
	const e = {from: F[caller], to: F[n[1]], calls: n[2], w: n.slice(3, 3 + E), b: {calls: b[0] || 0, w: b.length ? b.slice(1) : none}};
	e.from.out.push(e);
	e.to.in.push(e);
	calling.set(e.from.i * F.length + e.to.i, e);
}
/* Groups that share the cost: objects, with the files of one that has most of the cost, or, if there is one, namespaces
   or files; the costliest have colours. */
const MOST_GROUPS = 6;
const objects = new Set(F.map(f => f.obj).filter(real)).size > 1;
const groupOf = f => objects ? base(f.obj) : (/^[^<({ ]+?(?=::|\\(?!x[0-9A-F]{2})|->)/.exec(f.name) || [base(f.file)])[0];
const MOST_COST = 0.6;
function groupsBy(of) {
	const sums = new Map();
	for (const f of F) { f.part = of(f); if (real(f.part)) sums.set(f.part, (sums.get(f.part) || 0) + Math.max(0, f.self[0] || 0)); }
	return [...sums].sort((a, b) => b[1] - a[1]);
}
let groups = groupsBy(groupOf);
if (objects && groups[0] && groups[0][1] >= MOST_COST * groups.reduce((sum, g) => sum + g[1], 0)) {
	const most = groups[0][0];
	groups = groupsBy(f => groupOf(f) === most && real(f.file) ? base(f.file) : groupOf(f));
}
const groupNames = groups.slice(0, MOST_GROUPS).map(g => g[0]);
for (const f of F) { const g = groupNames.indexOf(f.part); f.group = g < 0 ? MOST_GROUPS : g; }
/* The costs of a function, or of a call, on a side. */
const on = (x, s) => s ? x.b : x;
const suffix = ['', '-base'];
const parts = SIDES.map(s => lines('d-parts' + suffix[s]).map(l => { const t = l.split('\t'); return {what: t[0], cost: t[1].split(' ').map(Number), span: +t[2], more: t.length > 3 && !t.at(-1), top: t.slice(3).filter(x => x).map(x => x.split(' ').map(Number))}; }));
/* The whole program's tree by event. */
const trees = SIDES.map(s => {
	const all = [];
	for (const l of lines('d-tree' + suffix[s])) {
		const n = l.slice(l[0] === '@' ? 1 : 0).split(' ').map(Number);
		if (l[0] === '@') all[n[0]] = {cost: n[1], own: n[2], proven: n[3], rows: []};
		else all.at(-1).rows.push(n);
	}
	return all;
});

/* -1: none is known. */
const bounds = (lo, hi) => lo < 0 ? [0, Infinity] : [lo, hi];
/* Callers (up 1) and callees of functions in cycles, by event: of each its cost and bounds. */
const nears = SIDES.map(s => {
	const all = [];
	let now;
	for (const l of lines('d-near' + suffix[s])) {
		const n = l.slice(l[0] === '@' ? 1 : 0).split(' ').map(Number);
		if (l[0] === '@') { now = all[n[0]] = new Map(); continue; }
		const of = new Map();
		for (let i = 2; i < n.length; i += 4) of.set(F[n[i]], [n[i + 1], ...bounds(n[i + 2], n[i + 3])]);
		now.set(2 * n[0] + n[1], of);
	}
	return all;
});

let ev = Math.max(0, events.findIndex(e => e.name === data.event));
const total = (s = 0) => s ? events[ev].base : events[ev].total;
const digits = new Intl.NumberFormat('en-US'), grouped = n => n > Number.MAX_SAFE_INTEGER ? n.toExponential(3) : digits.format(Math.round(n));
/* How often it was called; -1: it is inlined, nobody counted. */
const times = (n, f) => n < 0 ? '\u2013' : f(n);
const short = n => {
	let u = -1;
	if (n < 100000) return grouped(n);
	for (; n >= 999.5 && u < 6; u++) n /= 1000;
	return n.toPrecision(3) + '\u2009' + 'kMGTPEZ'[u];
};
/* Costs in the unit of their event: 3.02 s, 1.50 MiB; others as numbers. */
const inUnit = (n, e) => {
	const [step, names] = e.kind === 'ns' ? [1000, ['ns', 'us', 'ms', 's']] : [1024, ['B', 'KiB', 'MiB', 'GiB', 'TiB']];
	let x = n * e.scale, u = 0;
	if (!x) return e.kind === 'ns' ? '0 s' : '0 B';
	for (; u < names.length - 1 && x >= step - 0.5; u++) x /= step;
	return (x >= 999.5 ? grouped(x) : !u && Number.isInteger(x) ? x : x.toFixed(x < 9.995 ? 2 : x < 99.95 ? 1 : 0)) + '\u2009' + names[u];
};
const cost = (n, i = ev) => events[i].kind ? inUnit(n, events[i]) : short(n);
const whole = (n, i = ev) => events[i].kind ? inUnit(n, events[i]) : grouped(n);
/* Of a profile whose calls bring more than its lines cost, a note says so. */
const percent = (n, of) => !of ? '' : n && n / of < 0.0001 ? '<0.01%' : n > 1.00005 * of && of > 0 ? '>100%' : (100 * n / of).toFixed(2) + '%';
const between = (lo, hi) => hi < Infinity ? ' (estimated; between ' + whole(Math.round(lo)) + ' and ' + whole(Math.round(hi)) + ')' : ' (estimated)';
const about = estimated ? '~' : '';
/* The inclusive cost is estimated where f may nest in itself. */
const fuzzy = (f, s = 0) => on(f, s).nests && on(f, s).lo[ev] < on(f, s).hi[ev];
const tilde = (f, s = 0) => estimated || fuzzy(f, s) ? '~' : '';
/* What passes f, once for each activation on the stack: of that, a call takes its share. */
const through = (f, s = 0) => on(f, s).incl[ev] + on(f, s).more[ev];
const loops = e => e.from === e.to, weigh = (e, s) => on(e, s).w[ev];
/* The part of f's cost that comes by a call of f, or goes on by it: [cost, lo, hi].  If the profile has not said it, it
   is the share of what passes f, within the bounds of Frechet. */
function near(f, e, up, s = 0) {
	const x = on(f, s), told = nears[s][ev] && nears[s][ev].get(2 * f.i + up), w = weigh(e, s), I = x.incl[ev];
	if (told) return told.get(up ? e.from : e.to) || [0, 0, 0];
	const T = through(f, s) - f.out.filter(loops).reduce((n, l) => n + weigh(l, s), 0);
	/* Where stacks are known, one that does not nest has what its calls say, but for rounded times. */
	const known = !x.nests && trees[s][ev] && trees[s][ev].proven === 1, part = T > I ? w * I / T : w;
	return T > I && !known ? [part, Math.max(0, (x.nests ? x.lo[ev] : I) + w - T), Math.min(w, x.nests ? x.hi[ev] : I)] : [part, part, part];
}

