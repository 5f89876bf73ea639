'use strict';
/* The report: one model of functions and calls, three views of it (table, flame graph, parts).
   All text from the profile goes through textContent or title: none is ever markup. */
(() => {
const $ = id => document.getElementById(id);
const lines = id => { const t = $(id).textContent; return t ? t.replace(/\n$/, '').split('\n') : []; };
const el = (parent, tag, text, cls) => {
	const n = document.createElement(tag);
	if (text !== undefined) n.textContent = text;
	if (cls) n.className = cls;
	parent.append(n);
	return n;
};

/* ---- the model ---- */
const events = lines('d-events').map(l => { const [name, long, total] = l.split('\t'); return {name, long, total: +total}; });
const strings = lines('d-strings'), E = events.length;
const F = lines('d-functions').map((l, i) => {
	const t = l.split('\t'), n = t[1].split(' ').map(Number);
	return {i, id: n[0], calls: n[1], cycle: n[2], line: n[5], listed: n[6] === 1, name: t[0],
		file: strings[n[3]] || '', obj: strings[n[4]] || '', nests: n[7] === 1, self: n.slice(8, 8 + E), incl: n.slice(8 + E, 8 + 2 * E),
		more: n.slice(8 + 2 * E, 8 + 3 * E), root: n.slice(8 + 3 * E, 8 + 4 * E),
		lo: n.slice(8 + 4 * E, 8 + 5 * E), hi: n.slice(8 + 5 * E, 8 + 6 * E), out: [], in: []};
});
let caller = 0;
for (const l of lines('d-calls')) {
	const n = l.split(' ').map(Number);
	caller += n[0];
	const e = {from: F[caller], to: F[n[1]], calls: n[2], w: n.slice(3, 3 + E)};
	e.from.out.push(e);
	e.to.in.push(e);
}
const parts = lines('d-parts').map(l => { const t = l.split('\t'); return {what: t[0], cost: t[1].split(' ').map(Number)}; });
/* The whole program's tree by event, where the calls alone do not tell it. */
const trees = [];
for (const l of lines('d-tree')) {
	const n = l.slice(l[0] === '@' ? 1 : 0).split(' ').map(Number);
	if (l[0] === '@') trees[n[0]] = {est: n[1], own: n[2], rows: []};
	else trees.at(-1).rows.push(n);
}
const data = $('d-about').dataset, estimated = 'estimated' in data;

let ev = Math.max(0, events.findIndex(e => e.name === data.event));
const total = () => events[ev].total;
const grouped = n => n > Number.MAX_SAFE_INTEGER ? n.toExponential(3) : Math.round(n).toLocaleString('en-US');
const short = n => {
	let u = -1;
	if (n < 100000) return grouped(n);
	for (; n >= 999.5 && u < 6; u++) n /= 1000;
	return n.toPrecision(3) + '\u2009' + 'kMGTPEZ'[u];
};
const percent = (n, of) => !of ? '' : n && n / of < 0.0001 ? '<0.01%' : (100 * n / of).toFixed(2) + '%';
const about = estimated ? '~' : '';
/* The inclusive cost is estimated where f may nest in itself. */
const fuzzy = f => f.nests && f.lo[ev] < f.hi[ev];
const tilde = f => estimated || fuzzy(f) ? '~' : '';
/* What passes f, once for each activation on the stack: of that, a call takes its share. */
const through = f => f.incl[ev] + f.more[ev];

/* ---- the table ---- */
const body = $('list').tBodies[0];
let ROW = 26; /* px; measured once rows are drawn */
let most = {self: 1, incl: 1}, key = 'self', down = true, every = !F.some(f => f.listed), test = null, rows = [], selected = null;
const value = {
	self: f => f.self[ev], incl: f => f.incl[ev], calls: f => f.calls,
	name: f => f.name.toLowerCase(), where: f => (base(f.file) || base(f.obj)).toLowerCase(),
};
const base = p => p.slice(p.lastIndexOf('/') + 1);
const place = f => { const b = base(f.file); return b && b !== '???' ? (f.line ? b + ':' + f.line : b) : base(f.obj); };
function choose() {
	const v = value[key], sign = down ? -1 : 1;
	rows = F.filter(f => (every || f.listed) && (!test || test(f.name)));
	rows.sort((a, b) => { const x = v(a), y = v(b); return x < y ? -sign : x > y ? sign : a.i - b.i; });
	most = {self: rows.reduce((m, f) => Math.max(m, f.self[ev]), 1), incl: rows.reduce((m, f) => Math.max(m, f.incl[ev]), 1)};
	const sum = rows.reduce((s, f) => s + f.self[ev], 0);
	$('shown').textContent = rows.length.toLocaleString('en-US') + ' of ' + F.length.toLocaleString('en-US') +
		(total() ? ' = ' + about + percent(sum, total()) + ' of ' + short(total()) + ' ' + events[ev].name : '');
	for (const th of $('list').tHead.rows[0].cells) {
		const b = th.firstChild;
		if (b.dataset.k === key) th.setAttribute('aria-sort', down ? 'descending' : 'ascending');
		else th.removeAttribute('aria-sort');
	}
	draw();
}
function cell(tr, text, cls, share, title) {
	const td = el(tr, 'td', text, cls);
	if (share !== undefined) td.style.setProperty('--w', Math.min(100, 100 * share).toFixed(2) + '%');
	if (title) td.title = title;
	return td;
}
function draw() {
	const box = $('scroll'), first = Math.max(0, Math.floor(box.scrollTop / ROW) - 10);
	const last = Math.min(rows.length, first + Math.ceil(box.clientHeight / ROW) + 20);
	const gap = px => { const tr = el(body, 'tr', undefined, 'gap'), td = el(tr, 'td'); td.colSpan = 7; td.style.height = px + 'px'; };
	body.textContent = '';
	$('list').setAttribute('aria-rowcount', rows.length + 1);
	if (first) gap(first * ROW);
	for (let i = first; i < last; i++) {
		const f = rows[i], tr = el(body, 'tr');
		tr.dataset.i = f.i;
		tr.setAttribute('aria-rowindex', i + 2);
		if (f === selected) tr.className = 'on';
		cell(tr, about + short(f.self[ev]), 'n', undefined, about + grouped(f.self[ev]));
		cell(tr, percent(f.self[ev], total()), 'n p', f.self[ev] / most.self);
		cell(tr, tilde(f) + short(f.incl[ev]), 'n', undefined, tilde(f) + grouped(f.incl[ev]) + (fuzzy(f) ? ' (estimated; between ' + grouped(f.lo[ev]) + ' and ' + grouped(f.hi[ev]) + ')' : ''));
		cell(tr, percent(f.incl[ev], total()), 'n i', f.incl[ev] / most.incl);
		cell(tr, short(f.calls), 'n', undefined, grouped(f.calls));
		cell(tr, f.name, 'fn', undefined, f.name);
		cell(tr, place(f), '', undefined, f.file + (f.line ? ':' + f.line : '') + '\n' + f.obj);
	}
	if (last < rows.length) gap((rows.length - last) * ROW);
	const seen = body.querySelector('[data-i]'), high = seen ? seen.getBoundingClientRect().height : 0;
	if (high && Math.abs(high - ROW) > 0.01) { ROW = high; draw(); }
}
function reveal(f) {
	const at = rows.indexOf(f), box = $('scroll');
	if (at < 0) return;
	const head = $('list').tHead.offsetHeight, y = at * ROW;
	if (y < box.scrollTop) box.scrollTop = y;
	else if (y + ROW + head > box.scrollTop + box.clientHeight) box.scrollTop = y + ROW + head - box.clientHeight;
}

/* ---- the selected function ---- */
const MOST = 300;
function calls(table, head, title, list, other) {
	const b = $(table).tBodies[0], of = through(selected) || 1;
	list = [...list].sort((x, y) => y.w[ev] - x.w[ev] || y.calls - x.calls);
	b.textContent = '';
	$(head).textContent = title + ' (' + list.length.toLocaleString('en-US') + ')' +
		(list.length > MOST ? ', the costliest ' + MOST + ' are listed' : '');
	for (const e of list.slice(0, MOST)) {
		const f = e[other], tr = el(b, 'tr'), name = cell(tr, undefined, 'fn');
		const go = el(name, 'button', f.name);
		go.title = f.name;
		go.dataset.i = f.i;
		if (e.from === e.to) el(tr, 'td', 'recursive', 'soft w1').title = about + grouped(e.w[ev]);
		else cell(tr, about + short(e.w[ev]), 'n i w1', e.w[ev] / of, about + grouped(e.w[ev]) + ' ' + events[ev].name + ', ' + percent(e.w[ev], of) + ' of what passes ' + selected.name);
		cell(tr, short(e.calls) + '\u00d7', 'n w2', undefined, grouped(e.calls) + ' calls');
	}
}
function show() {
	const f = selected;
	$('none').hidden = !!f;
	$('one').hidden = !f;
	$('from').disabled = $('to').disabled = !f;
	if (!f) return;
	$('name').textContent = f.name;
	$('where').textContent = [f.file + (f.line ? ':' + f.line : ''), f.obj, '#' + f.id, f.cycle ? 'in cycle ' + f.cycle : '']
		.filter(s => s && s !== '???').join(' \u00b7 ');
	const b = $('costs').tBodies[0];
	b.textContent = '';
	events.forEach((e, i) => {
		const tr = el(b, 'tr');
		cell(tr, e.name, '', undefined, e.long || e.name);
		cell(tr, 'self ' + about + short(f.self[i]), 'n p', f.self[i] / (e.total || 1), about + grouped(f.self[i]) + ', ' + percent(f.self[i], e.total));
		const t = estimated || f.nests ? '~' : '';
		cell(tr, 'incl ' + t + short(f.incl[i]), 'n i', f.incl[i] / (e.total || 1), t + grouped(f.incl[i]) + ', ' + percent(f.incl[i], e.total));
	});
	calls('callers', 'ncallers', 'Callers', f.in, 'from');
	calls('callees', 'ncallees', 'Callees', f.out, 'to');
}

/* ---- the flame graph: trees grown from call edges, in proportion, or that of d-tree ---- */
const H = 20, NARROW = 1 / 1500, DEEPEST = 400, FRAMES = 6000;
let mode = 'all', subject = null, path = [], flip = false;
/* est, lo, hi: cost of the chain so far.  Of what passes a function a call of cost w takes its share;
   lo and hi are the bounds of Frechet, lo = hi is measured. */
function step(n, f, w) {
	const T = through(n.f);
	return {f, up: n.up, est: T ? n.est * w / T : 0, lo: Math.max(0, n.lo + w - T), hi: Math.min(n.hi, w)};
}
function children(n) {
	if (n.kids) return n.kids;
	const list = [];
	let out = 0;
	if (n.roots) {
		list.push(...n.roots);
		n.self = n.own || 0;
	} else if (n.parts) {
		merge(n, list);
	} else if (n.frames && (n.frames.length || n.own >= n.est)) {
		list.push(...n.frames);
		n.self = n.own;
	} else {
		for (const e of n.up ? n.f.in : n.f.out) if (e.w[ev]) list.push(step(n, n.up ? e.from : e.to, e.w[ev]));
		const T = through(n.f);
		n.self = T ? Math.min(n.est, n.est * (n.up ? n.f.root : n.f.self)[ev] / T) : 0;
	}
	for (const k of list) { k.parent = n; out += k.est; }
	list.sort((a, b) => b.est - a.est || a.f.i - b.f.i);
	n.rest = Math.max(0, n.est - out - n.self);
	return n.kids = list;
}
/* A frame that d-tree does not unfold grows from there by its calls. */
function told(t) {
	const root = {roots: [], all: [], up: false, est: t.est, own: t.own, lo: 0, hi: 0}, above = [root];
	for (const [depth, f, est, own, lo, hi] of t.rows) {
		const on = depth > 1 ? above[depth - 1] : null;
		const n = {f: F[f], on, up: false, est, own, lo: lo === undefined ? est : lo, hi: hi === undefined ? est : hi, frames: []};
		(on ? on.frames : root.roots).push(n);
		root.all.push(n);
		above[depth] = n;
	}
	return root;
}
/* The frames of d-tree that a view begins with: down from f the outermost ones; up from it each with
   what reaches no f above it. */
function framesOf(f, up) {
	const all = told(trees[ev]).all, cost = new Map();
	for (const n of all) {
		let a = n.f === f ? n.on : undefined;
		if (a === undefined) continue;
		while (a && a.f !== f) a = a.on;
		if (!a || up) cost.set(n, n.est);
		if (a && up) cost.set(a, cost.get(a) - n.est);
	}
	return [...cost].map(([n, est]) => ({n, est}));
}
/* The frames below (or above) those that n stands for, by function.  The cost that d-tree shows no
   further goes on by the calls. */
function merge(n, list) {
	const kids = new Map(), T = through(n.f);
	const calls = new Map((n.up ? n.f.in : n.f.out).map(e => [n.up ? e.from : e.to, e.w[ev]]));
	const kid = f => {
		if (!kids.has(f)) kids.set(f, {...(calls.has(f) ? step(n, f, calls.get(f)) : {f, up: n.up, lo: 0, hi: n.hi}), est: 0, parts: []});
		return kids.get(f);
	};
	let left = n.est;
	n.self = 0;
	for (const p of n.parts) {
		const share = n.up ? 1 : p.est / (p.n.est || 1), next = n.up ? (p.n.on ? [p.n.on] : []) : p.n.frames;
		const own = !n.up ? p.n.own * share : p.n.on ? 0 : p.est;
		for (const q of next) {
			const k = kid(q.f), est = n.up ? p.est : q.est * share;
			k.est += est;
			k.parts.push({n: q, est});
			left -= est;
		}
		n.self += own;
		left -= own;
	}
	left = T ? Math.max(0, left) / T : 0;
	n.self += left * (n.up ? n.f.root : n.f.self)[ev];
	for (const [f, w] of calls) if (left * w >= 0.5) kid(f).est += left * w;
	for (const k of kids.values()) {
		k.est = Math.min(k.est, k.hi);
		k.lo = Math.min(k.lo, k.est);
		list.push(k);
	}
}
function tree() {
	if (mode === 'all' && trees[ev]) return told(trees[ev]);
	if (mode !== 'all') {
		const f = subject, I = f.incl[ev];
		const n = {f, up: mode === 'to', est: I, lo: f.nests ? f.lo[ev] : I, hi: f.nests ? f.hi[ev] : I};
		if (trees[ev]) n.parts = framesOf(f, n.up);
		return n;
	}
	const roots = F.filter(f => f.root[ev] > 0).map(f => ({f, up: false, est: f.root[ev], lo: f.root[ev], hi: f.root[ev]}));
	return {roots, up: false, est: roots.reduce((s, r) => s + r.est, 0), lo: 0, hi: 0};
}
const exact = n => !estimated && (n.roots || !n.parts && n.est >= n.hi || Math.abs(n.hi - n.lo) <= 1e-9 * n.hi);
const called = n => n.roots ? data.profile : n.f.name;
function says(n) {
	const t = (exact(n) ? '' : '~') + grouped(n.est) + ' ' + events[ev].name + ', ' + percent(n.est, total());
	return exact(n) ? t : t + ' (estimated; between ' + grouped(n.lo) + ' and ' + grouped(n.hi) + ')';
}
const hues = new Map();
function hue(s) {
	if (!hues.has(s)) { let h = 7; for (const c of s) h = (h * 31 + c.codePointAt(0)) % 4093; hues.set(s, h); }
	return hues.get(s);
}
let drawn = [], top_ = null;
function flame() {
	const box = $('frames'), chain = [], list = [];
	let root = tree(), cut = 0, y = 0;
	top_ = root;
	/* Follow the zoom by functions, so that it survives a change of event. */
	for (const i of path) {
		const next = children(root).find(k => k.f.i === i);
		if (!next) break;
		chain.push(root);
		root = next;
	}
	path = path.slice(0, chain.length);
	for (const n of chain) list.push({n, x: 0, w: 1, y: y++, up: true});
	const whole = root.est || 1, todo = [{n: root, x: 0, w: 1, y}];
	for (let i = 0; i < todo.length; i++) {
		const t = todo[i];
		list.push(t);
		if (t.y - y >= DEEPEST || list.length + todo.length - i > FRAMES) { cut++; continue; }
		let x = t.x, thin = 0, count = 0;
		for (const k of children(t.n)) {
			const w = k.est / whole;
			if (w < NARROW) { thin += w; count++; continue; }
			todo.push({n: k, x, w, y: t.y + 1});
			x += w;
		}
		thin += t.n.rest / whole;
		if (thin >= NARROW) list.push({other: count, cost: thin * whole, x, w: thin, y: t.y + 1});
	}
	const deep = list.reduce((d, t) => Math.max(d, t.y), 0) + 1;
	drawn = list;
	box.textContent = '';
	box.style.height = deep * H + 'px';
	list.forEach((t, i) => {
		const b = document.createElement('div'), text = t.n ? called(t.n) : '(other)';
		b.className = 'f' + (t.up ? ' up' : '') + (!t.n ? ' o' : exact(t.n) ? '' : ' e') + (t.w > 0.012 ? ' t' : t.w > 0.003 ? ' g' : '');
		b.style.cssText = 'left:' + (100 * t.x).toFixed(4) + '%;width:' + (100 * t.w).toFixed(4) + '%;top:' + (flip ? t.y : deep - 1 - t.y) * H + 'px';
		if (t.n) { const h = hue(t.n.roots ? '' : base(t.n.f.obj) + base(t.n.f.file)); b.style.background = 'hsl(' + (8 + h * 7 % 47) + ' var(--s) calc(var(--l) + ' + (hue(called(t.n)) % 9 - 4) + '%))'; }
		if (t.w > 0.012) b.textContent = (t.n && !exact(t.n) ? '~' : '') + text;
		b.title = text + '\n' + (t.n ? says(t.n) : label(t));
		b.setAttribute('role', 'button');
		b.tabIndex = t.w > 0.01 && t.n ? 0 : -1;
		b.dataset.n = i;
		box.append(b);
	});
	box.dataset.cut = cut;
	$('reset').hidden = !path.length;
	for (const m of ['all', 'from', 'to']) $(m).setAttribute('aria-pressed', m === mode);
	$('flip').setAttribute('aria-pressed', flip);
	$('status').textContent = said(cut);
	highlight();
}
const label = t => '~' + grouped(t.cost) + ' ' + events[ev].name + ', ' + percent(t.cost, total()) + ': ' +
	(t.other ? t.other.toLocaleString('en-US') + ' calls too narrow to be drawn' : (mode === 'all' && trees[ev] ? 'frames that are not in this report' : 'calls that are not in this report, or whose sums disagree'));
function said(cut) {
	const what = mode === 'all' ? 'From where the program starts' : (mode === 'to' ? 'Callers of ' : 'Callees of ') + subject.name;
	return what + ': ' + grouped(top_.est) + ' ' + events[ev].name + (drawn.some(t => t.n && !exact(t.n)) ? '; frames marked ~ are estimated' : '') +
		'. A click on a frame zooms.' + (cut ? ' ' + cut.toLocaleString('en-US') + ' frames are not unfolded further: zoom in to see what is below them.' : '');
}
function highlight() {
	const box = $('frames');
	let cost = 0;
	box.classList.toggle('dim', !!test);
	const lit = new Set();
	for (const b of box.children) {
		const t = drawn[b.dataset.n], hit = !!test && !!t.n && !t.n.roots && test(t.n.f.name);
		b.classList.toggle('hit', hit);
		if (!hit || t.up) continue;
		/* What lies on a frame that is counted is counted with it. */
		let p = t.n.parent;
		while (p && !lit.has(p)) p = p.parent;
		if (!p) cost += t.n.est;
		lit.add(t.n);
	}
	$('hits').textContent = !test ? '' : lit.size.toLocaleString('en-US') + ' frames match, ' + percent(cost, total()) + ' of all';
}
function zoom(n) {
	path = [];
	for (; n && n.parent; n = n.parent) path.unshift(n.f.i);
	flame();
}

/* ---- parts ---- */
const BARS = 600;
function timeline() {
	if (parts.length < 2) return;
	const per = Math.ceil(parts.length / BARS), bars = [], box = $('bars');
	for (let i = 0; i < parts.length; i += per) {
		const group = parts.slice(i, i + per);
		bars.push({cost: group.reduce((s, p) => s + p.cost[ev], 0), what: per > 1 ? 'parts ' + (i + 1) + ' to ' + (i + group.length) + ' in file order' : group[0].what});
	}
	const most = bars.reduce((m, b) => Math.max(m, b.cost), 1);
	$('parts').hidden = false;
	$('partsabout').textContent = parts.length.toLocaleString('en-US') + ' parts, in file order' + (per > 1 ? '; a bar is ' + per + ' of them' : '') +
		'; the tallest ' + grouped(most) + ' ' + events[ev].name;
	box.textContent = '';
	box.classList.toggle('many', bars.length > 150);
	for (const b of bars) {
		const i = el(box, 'i');
		i.style.height = (100 * b.cost / most).toFixed(1) + '%';
		i.title = b.what + '\n' + grouped(b.cost) + ' ' + events[ev].name;
	}
}

/* ---- what the reader does ---- */
function select(f, scroll) {
	selected = f;
	if (!rows.includes(f)) {
		every = true;
		$('every').setAttribute('aria-pressed', true);
		if (test && !test(f.name)) { $('q').value = ''; test = null; highlight(); }
		choose();
	}
	if (scroll) reveal(f);
	draw();
	show();
}
function refresh() {
	choose();
	show();
	flame();
	timeline();
}
function view(m) {
	if (m !== 'all' && !selected) return;
	mode = m;
	subject = selected;
	flip = m === 'to';
	path = [];
	flame();
}
function search() {
	const q = $('q').value;
	let re = null;
	$('q').classList.remove('bad');
	if (q) {
		try { re = new RegExp(q, /[A-Z]/.test(q) ? '' : 'i'); }
		catch (x) { $('q').classList.add('bad'); }
	}
	test = !q ? null : re ? s => re.test(s) : s => s.includes(q);
	$('scroll').scrollTop = 0;
	choose();
	highlight();
}
events.forEach((e, i) => { const o = el($('event'), 'option', e.name + (e.long ? ' \u2014 ' + e.long : '')); o.value = i; });
$('event').value = ev;
$('event').addEventListener('change', () => { ev = +$('event').value; refresh(); });
$('q').addEventListener('input', search);
for (const m of ['all', 'from', 'to']) $(m).addEventListener('click', () => view(m));
$('flip').addEventListener('click', () => { flip = !flip; flame(); });
$('reset').addEventListener('click', () => { path = []; flame(); });
$('help').addEventListener('click', () => $('keys').showModal());
if (!every && F.some(f => !f.listed)) {
	$('every').hidden = false;
	$('every').addEventListener('click', () => { every = !every; $('every').setAttribute('aria-pressed', every); choose(); });
}
$('list').tHead.addEventListener('click', x => {
	const k = x.target.dataset.k;
	if (!k) return;
	down = k === key ? !down : k !== 'name' && k !== 'where';
	key = k;
	$('scroll').scrollTop = 0;
	choose();
});
body.addEventListener('click', x => { const tr = x.target.closest('tr'); if (tr && tr.dataset.i) select(F[tr.dataset.i]); });
$('scroll').addEventListener('scroll', draw, {passive: true});
window.addEventListener('resize', draw);
document.querySelector('aside').addEventListener('click', x => { if (x.target.dataset.i) select(F[x.target.dataset.i], true); });
$('frames').addEventListener('click', x => {
	const t = drawn[x.target.dataset.n];
	if (!t || !t.n) return;
	if (!t.n.roots) select(t.n.f, true);
	zoom(t.n);
});
$('frames').addEventListener('mouseover', x => {
	const t = drawn[x.target.dataset.n];
	if (t) $('status').textContent = t.n ? called(t.n) + ' \u00b7 ' + says(t.n) : label(t);
});
$('frames').addEventListener('mouseleave', () => { $('status').textContent = said(+$('frames').dataset.cut); });
document.addEventListener('keydown', x => {
	if (x.ctrlKey || x.altKey || x.metaKey || $('keys').open) return;
	if (x.key === 'Escape') {
		if (x.target === $('q')) { $('q').value = ''; search(); $('q').blur(); }
		else if (path.length) { path = []; flame(); }
		return;
	}
	if (/^(INPUT|SELECT)$/.test(x.target.tagName)) return;
	if (x.key === 'Enter' && x.target.dataset.n) { x.target.click(); return; }
	const act = {'/': () => $('q').focus(), '?': () => $('keys').showModal(), f: () => view('from'), t: () => view('to'), a: () => view('all'),
		i: () => $('flip').click(), ArrowDown: () => move(1), ArrowUp: () => move(-1), j: () => move(1), k: () => move(-1)}[x.key];
	if (act) { x.preventDefault(); act(); }
});
function move(by) {
	const at = rows.indexOf(selected), f = rows[at < 0 ? 0 : Math.max(0, Math.min(rows.length - 1, at + by))];
	if (f) select(f, true);
}
refresh();
})();
