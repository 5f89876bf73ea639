/* ---- two costs: now here, and was in the base ---- */
const signed = (d, say) => (d > 0 ? '+' : d < 0 ? '\u2212' : '') + say(Math.abs(d));
const both = () => events[ev].both;
const ratio = (now, was) => was ? (now - was) / was : now ? Infinity : 0;
const ratioText = (now, was) => now === was ? '' : !was ? 'new' : !now ? 'gone' :
	signed(100 * ratio(now, was), x => x.toFixed(x < 0.095 ? 3 : 1)) + '%';
const changeText = (now, was) => now === was ? 'the same' : signed(now - was, n => whole(n)) + ' (' + ratioText(now, was) + ')';
const arrow = (now, was, mark = '') => mark + cost(was) + ' \u2192 ' + mark + cost(now);
/* From -1 to 1, as the pictures that quern draws: 0 within the noise, else by the share of the whole. */
function strength(now, was, guess) {
	const by = Math.abs(now - was), whole = Math.max(total(0), total(1));
	if (!both() || by <= 1e-3 * Math.max(now, was) || (guess && by <= 2) || !whole) return 0;
	return Math.sign(now - was) * Math.min(1, Math.max(0.15, (Math.log10(by / whole) + 5) / 4));
}
const tint = c => !c ? 'hsl(0 0% var(--c-same))' : 'hsl(' + (c > 0 ? 28 : 212) + ' calc(var(--c-sat) + var(--c-sats) * ' + Math.abs(c).toFixed(2) +
	') calc(var(--c-pale) + var(--c-strong) * ' + Math.abs(c).toFixed(2) + '))';

/* ---- the table ---- */
const body = $('list').tBodies[0];
let ROW = 26; /* px; measured once rows are drawn */
let most = {self: 1, incl: 1, delta: 1}, key = two ? 'delta' : 'self', down = true, every = !F.some(f => f.listed), test = null, rows = [], selected = null;
const value = {
	self: f => f.self[ev], incl: f => f.incl[ev], calls: f => f.calls,
	base: f => f.b.self[ev], delta: f => both() ? Math.abs(f.self[ev] - f.b.self[ev]) : f.self[ev], ratio: f => both() ? ratio(f.self[ev], f.b.self[ev]) : 0,
	change: f => f.change, was: f => f.was.toLowerCase(),
	name: f => f.name.toLowerCase(), where: f => (base(f.file) || base(f.obj)).toLowerCase(),
};
const base = p => p.slice(p.lastIndexOf('/') + 1);
const place = f => { const b = base(f.file); return b && b !== '???' ? (f.line ? b + ':' + f.line : b) : base(f.obj); };
const TEXTS = ['name', 'where', 'was', 'change'];
const renamed = F.some(f => f.was);
const COLUMNS = [['self', 'self', 'a'], ['base', 'base', 'a'], ['delta', 'delta', 'a'], ['ratio', 'delta %', 'b'], ['change', 'change', 'b'],
	['name', 'function', ''], ['was', 'was', 'd'], ['where', 'where', 'c']].filter(c => renamed || c[0] !== 'was');
if (two) {
	const head = $('list').tHead.rows[0], cols = $('list').querySelector('colgroup');
	$('list').className = 'cmp';
	head.textContent = cols.textContent = '';
	for (const [k, title, width] of COLUMNS) {
		el(cols, 'col', undefined, width);
		el(el(head, 'th', undefined, TEXTS.includes(k) ? '' : 'n'), 'button', title).dataset.k = k;
	}
}
function choose() {
	const v = value[key], sign = down ? -1 : 1;
	rows = F.filter(f => (every || f.listed) && (!test || test(f.name)));
	rows.sort((a, b) => { const x = v(a), y = v(b); return x < y ? -sign : x > y ? sign : a.i - b.i; });
	most = {self: rows.reduce((m, f) => Math.max(m, f.self[ev]), 1), incl: rows.reduce((m, f) => Math.max(m, f.incl[ev]), 1),
		delta: rows.reduce((m, f) => Math.max(m, value.delta(f)), 1)};
	const sum = rows.reduce((s, f) => s + f.self[ev], 0);
	$('shown').textContent = rows.length.toLocaleString('en-US') + ' of ' + F.length.toLocaleString('en-US') +
		(two && both() ? ': ' + arrow(sum, rows.reduce((s, f) => s + f.b.self[ev], 0), about) + ' ' + events[ev].title : total() ? ' = ' + about + percent(sum, total()) + ' of ' + cost(total()) + ' ' + events[ev].title : '');
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
	const gap = px => { const tr = el(body, 'tr', undefined, 'gap'), td = el(tr, 'td'); td.colSpan = two ? COLUMNS.length : 7; td.style.height = px + 'px'; };
	const k = Math.floor(($('list').querySelector('[data-k=name]').parentNode.clientWidth - 14) / 7.6);
	body.textContent = '';
	$('list').setAttribute('aria-rowcount', rows.length + 1);
	if (first) gap(first * ROW);
	for (let i = first; i < last; i++) {
		const f = rows[i], tr = el(body, 'tr');
		tr.dataset.i = f.i;
		tr.setAttribute('aria-rowindex', i + 2);
		if (f === selected) tr.className = 'on';
		cell(tr, about + cost(f.self[ev]), 'n', undefined, about + whole(f.self[ev]));
		if (two) {
			drawTwo(tr, f, k);
			continue;
		}
		cell(tr, percent(f.self[ev], total()), 'n p', f.self[ev] / most.self);
		cell(tr, tilde(f) + cost(f.incl[ev]), 'n', undefined, tilde(f) + whole(f.incl[ev]) + (fuzzy(f) ? ' (estimated; between ' + whole(f.lo[ev]) + ' and ' + whole(f.hi[ev]) + ')' : ''));
		cell(tr, percent(f.incl[ev], total()), 'n i', f.incl[ev] / most.incl);
		cell(tr, times(f.calls, short), 'n', undefined, times(f.calls, grouped));
		cell(tr, fitName(f, k), 'fn', undefined, f.name);
		cell(tr, place(f), '', undefined, f.file + (f.line ? ':' + f.line : '') + '\n' + f.obj);
	}
	if (last < rows.length) gap((rows.length - last) * ROW);
	const seen = body.querySelector('[data-i]'), high = seen ? seen.getBoundingClientRect().height : 0;
	if (high && Math.abs(high - ROW) > 0.01) { ROW = high; draw(); }
}
function drawTwo(tr, f, k) {
	const now = f.self[ev], was = f.b.self[ev];
	if (both()) {
		cell(tr, about + cost(was), 'n', undefined, about + whole(was));
		cell(tr, now === was ? '0' : signed(now - was, n => cost(n)), now < was ? 'n less' : 'n more', Math.abs(now - was) / most.delta, changeText(now, was));
		cell(tr, ratioText(now, was), 'n');
	} else for (let i = 0; i < 3; i++) cell(tr, '\u2013', 'n', undefined, data.base + ' has no ' + events[ev].name);
	cell(tr, f.change, '', undefined, f.change);
	cell(tr, fitName(f, k), 'fn', undefined, f.name);
	if (renamed) cell(tr, f.was, '', undefined, f.was);
	cell(tr, place(f), '', undefined, f.file + (f.line ? ':' + f.line : '') + '\n' + f.obj);
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
	const size = e => Math.max(e.w[ev], e.b.w[ev]);
	list = [...list].sort((x, y) => size(y) - size(x) || y.calls - x.calls);
	b.textContent = '';
	$(head).textContent = title + ' (' + list.length.toLocaleString('en-US') + ')' +
		(list.length > MOST ? ', the costliest ' + MOST + ' are listed' : '');
	for (const e of list.slice(0, MOST)) {
		const f = e[other], tr = el(b, 'tr'), name = cell(tr, undefined, 'fn');
		const go = el(name, 'button', f.label);
		go.title = f.name;
		go.dataset.i = f.i;
		if (two) callOfTwo(tr, e);
		else if (e.from === e.to) el(tr, 'td', 'recursive', 'soft w1').title = about + whole(e.w[ev]);
		else cell(tr, about + cost(e.w[ev]), 'n i w1', e.w[ev] / of, about + whole(e.w[ev]) + ' ' + events[ev].title + ', ' + percent(e.w[ev], of) + ' of what passes ' + selected.name);
		if (!two) cell(tr, times(e.calls, n => short(n) + '\u00d7'), 'n w2', undefined, e.calls < 0 ? 'inlined' : grouped(e.calls) + ' calls');
	}
}
function callOfTwo(tr, e) {
	const now = e.w[ev], was = e.b.w[ev], title = about + whole(now) + ' here' + (both() ? ', ' + about + whole(was) + ' in ' + data.base + ': ' + changeText(now, was) : '') +
		'\n' + times(e.calls, grouped) + ' calls here, ' + times(e.b.calls, grouped) + ' in ' + data.base + (e.from === e.to ? '\nrecursive' : '');
	cell(tr, both() ? arrow(now, was, about) : about + cost(now), 'n w3', undefined, title);
	changeCell(tr, now, was, title);
}
const changeCell = (tr, now, was, title) => {
	const td = cell(tr, both() ? ratioText(now, was) : '', 'n w2', undefined, title), c = strength(now, was, false);
	if (c) td.style.background = tint(c);
	return td;
};
function costOfTwo(b, e, i, what, mark) {
	const f = selected, now = f[what][i], was = f.b[what][i], tr = el(b, 'tr'), save = ev;
	ev = i;
	const t = mark + whole(now) + ' here, ' + percent(now, e.total) + (!e.both ? '' : '; ' + mark + whole(was) + ' in ' + data.base + ', ' + percent(was, e.base) + ': ' + changeText(now, was));
	cell(tr, what === 'self' ? e.title : '', '', undefined, e.long || e.name);
	cell(tr, what + ' ' + (e.both ? arrow(now, was, mark) : mark + cost(now) + ', not in ' + data.base), 'n', undefined, t);
	changeCell(tr, now, was, t);
	ev = save;
}
/* While no function is selected: where to begin. */
function start() {
	const list = (id, by, value, say) => {
		const b = $(id).tBodies[0], of = total() || 1;
		b.textContent = '';
		for (const f of [...F].sort((x, y) => by(y) - by(x) || x.i - y.i).slice(0, 7)) {
			if (!by(f)) continue;
			const tr = el(b, 'tr'), go = el(cell(tr, undefined, 'fn'), 'button', f.label);
			go.title = f.name;
			go.dataset.i = f.i;
			cell(tr, say(f), 'n i w1', value(f) / of, f.name);
		}
		$(id).parentNode.hidden = !b.rows.length;
	};
	list('topself', two ? f => value.delta(f) : f => f.self[ev], f => two ? value.delta(f) : f.self[ev],
		f => two && both() ? signed(f.self[ev] - f.b.self[ev], n => cost(n)) : percent(f.self[ev], total()));
	list('topincl', two ? () => 0 : f => f.incl[ev] - f.self[ev], f => f.incl[ev], f => tilde(f) + percent(f.incl[ev], total()));
	$('startself').textContent = two ? 'Changed most' : 'Most self cost (' + events[ev].title + ')';
}
function show() {
	const f = selected;
	$('none').hidden = !!f;
	$('one').hidden = !f;
	$('from').disabled = $('to').disabled = !f;
	if (!f) { start(); return; }
	$('name').textContent = f.name;
	$('where').textContent = [f.change + (f.was ? ', was ' + f.was : ''), f.file + (f.line ? ':' + f.line : ''), f.obj, '#' + f.id, f.cycle ? 'in cycle ' + f.cycle : '']
		.filter(s => s && s !== '???').join(' \u00b7 ');
	const b = $('costs').tBodies[0];
	b.textContent = '';
	events.forEach((e, i) => {
		if (two) {
			costOfTwo(b, e, i, 'self', about);
			costOfTwo(b, e, i, 'incl', estimated || f.nests || f.b.nests ? '~' : '');
			return;
		}
		const tr = el(b, 'tr');
		cell(tr, e.title, '', undefined, e.long || e.name);
		cell(tr, 'self ' + about + cost(f.self[i], i), 'n p', f.self[i] / (e.total || 1), about + whole(f.self[i], i) + ', ' + percent(f.self[i], e.total));
		const t = estimated || f.nests ? '~' : '';
		cell(tr, 'incl ' + t + cost(f.incl[i], i), 'n i', f.incl[i] / (e.total || 1), t + whole(f.incl[i], i) + ', ' + percent(f.incl[i], e.total));
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
	const T = through(n.f, n.s);
	return {f, s: n.s, up: n.up, est: T ? n.est * w / T : 0, lo: Math.max(0, n.lo + w - T), hi: Math.min(n.hi, w)};
}
const own = n => n.up ? on(n.f, n.s).root : on(n.f, n.s).self;
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
		for (const e of n.up ? n.f.in : n.f.out) if (on(e, n.s).w[ev]) list.push(step(n, n.up ? e.from : e.to, on(e, n.s).w[ev]));
		const T = through(n.f, n.s);
		n.self = T ? Math.min(n.est, n.est * own(n)[ev] / T) : 0;
	}
	for (const k of list) out += k.est;
	list.sort((a, b) => b.est - a.est || a.f.i - b.f.i);
	n.rest = Math.max(0, n.est - out - n.self);
	return n.kids = list;
}
/* A frame that d-tree does not unfold grows from there by its calls. */
function told(t, s) {
	const root = {roots: [], all: [], s, up: false, est: t.est, own: t.own, lo: 0, hi: 0}, above = [root];
	for (const [depth, f, est, own, lo, hi] of t.rows) {
		const below = depth > 1 ? above[depth - 1] : null;
		const n = {f: F[f], s, on: below, up: false, est, own, lo: lo === undefined ? est : lo, hi: hi === undefined ? est : hi, frames: []};
		(below ? below.frames : root.roots).push(n);
		root.all.push(n);
		above[depth] = n;
	}
	return root;
}
/* The frames of d-tree that a view begins with: down from f the outermost ones; up from it each with
   what reaches no f above it. */
function framesOf(f, up, s) {
	const all = told(trees[s][ev], s).all, cost = new Map();
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
	const kids = new Map(), T = through(n.f, n.s);
	const calls = new Map((n.up ? n.f.in : n.f.out).map(e => [n.up ? e.from : e.to, on(e, n.s).w[ev]]));
	const kid = f => {
		if (!kids.has(f)) kids.set(f, {...(calls.has(f) ? step(n, f, calls.get(f)) : {f, s: n.s, up: n.up, lo: 0, hi: n.hi}), est: 0, parts: []});
		return kids.get(f);
	};
	let left = n.est;
	n.self = 0;
	for (const p of n.parts) {
		const share = n.up ? 1 : p.est / (p.n.est || 1), next = n.up ? (p.n.on ? [p.n.on] : []) : p.n.frames;
		const stays = !n.up ? p.n.own * share : p.n.on ? 0 : p.est;
		for (const q of next) {
			const k = kid(q.f), est = n.up ? p.est : q.est * share;
			k.est += est;
			k.parts.push({n: q, est});
			left -= est;
		}
		n.self += stays;
		left -= stays;
	}
	left = T ? Math.max(0, left) / T : 0;
	n.self += left * own(n)[ev];
	for (const [f, w] of calls) if (left * w >= 0.5) kid(f).est += left * w;
	for (const k of kids.values()) {
		k.est = Math.min(k.est, k.hi);
		k.lo = Math.min(k.lo, k.est);
		list.push(k);
	}
}
function tree(s) {
	if (mode === 'all' && trees[s][ev]) return told(trees[s][ev], s);
	if (mode !== 'all') {
		const f = subject, x = on(f, s), I = x.incl[ev];
		const n = {f, s, up: mode === 'to', est: I, lo: x.nests ? x.lo[ev] : I, hi: x.nests ? x.hi[ev] : I};
		if (trees[s][ev]) n.parts = framesOf(f, n.up, s);
		return n;
	}
	const roots = F.filter(f => on(f, s).root[ev] > 0).map(f => { const r = on(f, s).root[ev]; return {f, s, up: false, est: r, lo: r, hi: r}; });
	return {roots, s, up: false, est: roots.reduce((s, r) => s + r.est, 0), lo: 0, hi: 0};
}
/* A frame that is drawn: the nodes of the sides that have it. */
const join = (nodes, parent) => {
	const n = nodes.find(n => n);
	return {n: nodes, f: n.f, roots: !!n.roots, est: nodes.map(n => n ? n.est : 0), parent};
};
function kidsOf(j) {
	if (j.kids) return j.kids;
	const by = new Map();
	j.self = [0, 0];
	j.rest = [0, 0];
	j.n.forEach((n, s) => {
		if (!n) return;
		for (const k of children(n)) {
			if (!by.has(k.f)) by.set(k.f, SIDES.map(() => null));
			by.get(k.f)[s] = k;
		}
		j.self[s] = n.self;
		j.rest[s] = n.rest;
	});
	j.kids = [...by.values()].map(nodes => join(nodes, j));
	return j.kids.sort((a, b) => b.est[0] - a.est[0] || (two ? b.est[1] - a.est[1] : 0) || a.f.i - b.f.i);
}
const exactNode = n => !estimated && (!!n.roots || !n.parts && n.est >= n.hi || Math.abs(n.hi - n.lo) <= 1e-9 * n.hi);
const exact = j => j.n.every(n => !n || exactNode(n));
const called = j => j.roots ? data.profile : j.f.name, labelOf = (j, k) => j.roots ? data.profile : fitName(j.f, k);
const spell = (n, s) => (!n || exactNode(n) ? '' : '~') + whole(n ? Math.round(n.est) : 0) + (s ? '' : ' ' + events[ev].title) + ', ' + percent(n ? n.est : 0, total(s));
const spread = n => n && !exactNode(n) ? ' (estimated; between ' + whole(Math.round(n.lo)) + ' and ' + whole(Math.round(n.hi)) + ')' : '';
function says(j) {
	if (!two || !both()) return spell(j.n[0], 0) + spread(j.n[0]);
	kidsOf(j);
	const [now, was] = j.est.map(Math.round), [a, b] = j.self.map(Math.round);
	return 'here ' + spell(j.n[0], 0) + spread(j.n[0]) + '; ' + data.base + ' ' + spell(j.n[1], 1) + spread(j.n[1]) + ': ' + changeText(now, was) +
		(now === a && was === b ? '' : '\nitself: here ' + whole(a) + '; ' + data.base + ' ' + whole(b) + ': ' + changeText(a, b));
}
/* What an estimate may only seem to change: the own cost of a function that spends the same on both sides; with its
   calls, a cost whose bounds meet those of the base. */
function maybeSame(j) {
	const [a, b] = j.n;
	if (exact(j) || !a || !b) return false;
	return withCalls ? a.lo <= b.hi && b.lo <= a.hi : on(j.f, 0).self[ev] === on(j.f, 1).self[ev];
}
/* The colour of a frame of two: by what it spends itself, as flamegraph.pl paints it, or with all calls. */
function hueOfTwo(j) {
	kidsOf(j);
	const [now, was] = withCalls ? j.est : j.self;
	return tint((j.roots && !withCalls) || maybeSame(j) ? 0 : strength(now, was, !exact(j)));
}
/* What only the other side has, in frames not too narrow to see: its cost by the frame that it lies on. */
function lostOf(root, s) {
	const lost = new Map(), floor = NARROW * (root.est[0] + root.est[1]), todo = two ? [root] : [];
	for (let i = 0; i < todo.length && i < FRAMES; i++)
		for (const k of kidsOf(todo[i])) {
			if (Math.max(...k.est) < floor) continue;
			if (k.est[s] > 0) { todo.push(k); continue; }
			for (let a = todo[i]; ; a = a.parent) {
				lost.set(a, (lost.get(a) || 0) + k.est[1 - s]);
				if (a === root) break;
			}
		}
	return lost;
}
const hues = new Map();
function hue(s) {
	if (!hues.has(s)) { let h = 7; for (const c of s) h = (h * 31 + c.codePointAt(0)) % 4093; hues.set(s, h); }
	return hues.get(s);
}
const mark = (guess, name) => name && (guess ? '~' : '') + name;
let drawn = [], top_ = null, wide = 0, withCalls = false;
function flame() {
	const box = $('frames'), chain = [], list = [];
	let root = join(SIDES.map(tree)), cut = 0, y = 0;
	top_ = root;
	/* Follow the zoom by functions, so that it survives a change of event. */
	for (const i of path) {
		const next = kidsOf(root).find(k => k.f.i === i);
		if (!next) break;
		chain.push(root);
		root = next;
	}
	path = path.slice(0, chain.length);
	for (const n of chain) list.push({n, x: 0, w: 1, y: y++, up: true, of: wide});
	/* The side whose widths are taken; of a frame that it lacks, the other. */
	const side = root.est[wide] || !two ? wide : 1 - wide, lost = lostOf(root, side), beside = lost.get(root) || 0;
	const whole = top_.whole = root.est[side] + beside || 1, todo = [{n: root, x: 0, w: root.est[side] / whole, y, of: side}];
	if (beside) todo.push({n: root, x: root.est[side] / whole, w: beside / whole, y, of: 1 - side, copy: true, top: true});
	for (let i = 0; i < todo.length; i++) {
		const t = todo[i];
		list.push(t);
		if (t.y - y >= DEEPEST || list.length + todo.length - i > FRAMES) { cut++; continue; }
		let x = t.x, thin = 0, count = 0;
		const lay = (n, cost, of, copy) => {
			const w = cost / whole;
			if (w < NARROW) { thin += w; count++; return; }
			todo.push({n, x, w, y: t.y + 1, of, copy});
			x += w;
		};
		if (t.top && !root.roots) {
			lay(root, beside, t.of, true);
			continue;
		}
		for (const k of kidsOf(t.n)) {
			if (!t.copy) { if (k.est[t.of] > 0) lay(k, k.est[t.of], t.of, false); }
			else if (lost.has(k)) lay(k, lost.get(k), t.of, true);
			else if (!(k.est[side] > 0) && k.est[t.of] >= NARROW * (root.est[0] + root.est[1])) lay(k, k.est[t.of], t.of, false);
		}
		thin += t.copy ? 0 : t.n.rest[t.of] / whole;
		if (thin >= NARROW) list.push({other: count, cost: thin * whole, of: t.of, x, w: thin, y: t.y + 1});
	}
	const deep = list.reduce((d, t) => Math.max(d, t.y), 0) + 1;
	drawn = list;
	box.textContent = '';
	box.style.height = deep * H + 'px';
	list.forEach((t, i) => {
		const b = document.createElement('div'), text = t.top ? onlyIn(t) : t.n ? called(t.n) : '(other)';
		b.className = 'f' + (t.up ? ' up' : '') + (t.copy ? ' copy' : '') + (!t.n ? ' o' : exact(t.n) ? '' : ' e') + (t.w > 0.012 ? ' t' : t.w > 0.003 ? ' g' : '');
		b.style.cssText = 'left:' + (100 * t.x).toFixed(4) + '%;width:' + (100 * t.w).toFixed(4) + '%;top:' + (flip ? t.y : deep - 1 - t.y) * H + 'px';
		if (two && t.n) b.style.background = t.top ? tint(t.of ? -0.6 : 0.6) : t.copy ? tint(0) : hueOfTwo(t.n);
		else if (t.n) { const h = hue(t.n.roots ? '' : base(t.n.f.obj) + base(t.n.f.file)); b.style.background = 'hsl(' + (8 + h * 7 % 47) + ' var(--s) calc(var(--l) + ' + (hue(called(t.n)) % 9 - 4) + '%))'; }
		if (t.w > 0.012) b.textContent = mark(t.n && !t.copy && !exact(t.n), t.top || !t.n ? text : labelOf(t.n, Math.floor((t.w * box.clientWidth - 9) / LETTER) - (t.copy || exact(t.n) ? 0 : 1)));
		b.title = text + '\n' + tells(t);
		b.setAttribute('role', 'button');
		b.tabIndex = t.w > 0.01 && t.n ? 0 : -1;
		b.dataset.n = i;
		box.append(b);
	});
	box.dataset.cut = cut;
	$('reset').hidden = !path.length;
	for (const m of ['all', 'from', 'to']) $(m).setAttribute('aria-pressed', m === mode);
	$('flip').setAttribute('aria-pressed', flip);
	$('wide').setAttribute('aria-pressed', wide === 1);
	$('tint').setAttribute('aria-pressed', withCalls);
	$('status').textContent = said(cut);
	highlight();
}
const onlyIn = t => t.of ? 'gone: only in ' + data.base : 'new: only in ' + data.profile;
const tells = t => !t.n ? label(t) : t.copy ? (t.top ? 'in all' : t.of ? 'gone above it' : 'new above it') + ': ' + whole(Math.round(t.w * top_.whole)) + ' ' + events[ev].title : says(t.n);
const label = t => '~' + whole(Math.round(t.cost)) + ' ' + events[ev].title + ', ' + percent(t.cost, total(t.of)) + ': ' +
	(t.other ? t.other.toLocaleString('en-US') + ' calls too narrow to be drawn' : (mode === 'all' && trees[t.of][ev] ? 'frames that are not in this report' : 'calls that are not in this report, or whose sums disagree'));
/* Shares of all calls that are rounded add up to a few units more or less than the total. */
function totalOf(s) {
	const sum = Math.round(top_.est[s]);
	return mode === 'all' && Math.abs(sum - total(s)) <= F.length ? total(s) : sum;
}
/* Of the whole program. */
function provenText() {
	const p = proven.map(x => x[ev]).filter(x => x !== undefined);
	return mode !== 'all' || !p.some(x => x < 1) ? '' : '; ' + p.map((x, s) => (Math.floor(1000 * x) / 10).toFixed(1) + ' % ' + (s ? 'of that of ' + data.base : 'of the cost')).join(' and ') + ' is on proven stacks';
}
function said(cut) {
	const what = mode === 'all' ? 'From where the program starts' : (mode === 'to' ? 'Callers of ' : 'Callees of ') + subject.name;
	return what + ': ' + (two ? 'here ' : '') + whole(totalOf(0)) + ' ' + events[ev].title +
		(two ? '; ' + data.base + ' ' + (events[ev].both ? whole(totalOf(1)) + '; ' + changeText(totalOf(0), totalOf(1)) : 'has no such event') +
		'. Colours: ' + (withCalls ? 'frames with all calls' : 'what frames spend themselves') : '') + (drawn.some(t => t.n && !exact(t.n)) ? '; frames marked ~ are estimated' : '') + provenText() +
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
		if (!hit || t.up || t.copy) continue;
		/* What lies on a frame that is counted is counted with it. */
		let p = t.n.parent;
		while (p && !lit.has(p)) p = p.parent;
		if (!p) cost += t.n.est[t.of];
		lit.add(t.n);
	}
	$('hits').textContent = !test ? '' : lit.size.toLocaleString('en-US') + ' frames match, ' + percent(cost, total(wide)) + ' of all';
}
function zoom(n) {
	path = [];
	for (; n && n.parent; n = n.parent) path.unshift(n.f.i);
	flame();
	went();
}

/* ---- parts ---- */
function timeline() {
	const bars = parts.map((all, s) => {
		const n = +data[s ? 'partsBase' : 'parts'];
		return {list: all.map(p => ({cost: p.cost[ev], what: p.what})), per: all.length ? Math.ceil(n / all.length) : 1, n};
	}).filter(b => b.list.length > 1);
	const most = bars.reduce((m, b) => b.list.reduce((m, x) => Math.max(m, x.cost), m), 1);
	$('parts').hidden = !bars.length;
	$('bars').textContent = '';
	$('partsabout').textContent = bars.map(b => (two ? (b === bars[0] && parts[0].length > 1 ? data.profile : data.base) + ': ' : '') + b.n.toLocaleString('en-US') +
		' parts, in file order' + (b.per > 1 ? '; a bar is ' + b.per.toLocaleString('en-US') + ' of them' : '')).join('. ') + '; the tallest ' + whole(most) + ' ' + events[ev].title;
	for (const b of bars) {
		const box = el($('bars'), 'div', undefined, 'bars' + (b.list.length > 150 ? ' many' : ''));
		for (const x of b.list) {
			const i = el(box, 'i');
			i.style.height = (100 * x.cost / most).toFixed(1) + '%';
			i.title = x.what + '\n' + whole(x.cost) + ' ' + events[ev].title;
		}
	}
}

/* ---- what the reader does ---- */
/* The address says what is shown, so that Back, Forward and a link to a view work. */
const key_of = f => (f.gone ? 'b' : '') + f.id;
const by_key = new Map(F.map(f => [key_of(f), f]));
const SORTS = [...$('list').tHead.querySelectorAll('button')].map(b => b.dataset.k);
function address() {
	const p = new URLSearchParams();
	if (selected) p.set('f', key_of(selected));
	if (mode !== 'all') p.set(mode, key_of(subject));
	if (events[ev].name !== data.event) p.set('e', events[ev].name);
	if (path.length) p.set('z', path.map(i => key_of(F[i])).join('.'));
	if ($('q').value) p.set('q', $('q').value);
	if (flip !== (mode === 'to')) p.set('i', +flip);
	return '#' + p;
}
/* passing: typing a search or moving down the table takes no step back for each key. */
function went(passing) {
	const to = address();
	if (to === (location.hash || '#')) return;
	if (passing) history.replaceState(null, '', to);
	else history.pushState(null, '', to);
}
function go() {
	const p = new URLSearchParams(location.hash.slice(1)), at = k => by_key.get(p.get(k));
	const e = events.findIndex(e => e.name === (p.get('e') || data.event));
	ev = Math.max(0, e);
	$('event').value = ev;
	mode = at('from') ? 'from' : at('to') ? 'to' : 'all';
	subject = at(mode) || null;
	flip = p.has('i') ? p.get('i') === '1' : mode === 'to';
	path = (p.get('z') || '').split('.').filter(k => by_key.has(k)).map(k => by_key.get(k).i);
	$('q').value = p.get('q') || '';
	selected = at('f') || null;
	find();
	if (selected && !rows.includes(selected)) listAll(selected);
	refresh();
	if (selected) { reveal(selected); draw(); }
}
function listAll(f) {
	every = true;
	$('every').setAttribute('aria-pressed', true);
	if (test && !test(f.name)) { $('q').value = ''; test = null; highlight(); }
	choose();
}
/* passing: see went(); undefined: a step, null: the caller takes it. */
function select(f, scroll, passing) {
	selected = f;
	if (!rows.includes(f)) listAll(f);
	if (scroll) reveal(f);
	draw();
	show();
	if (passing !== null) went(passing);
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
	went();
}
function find() {
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
function search() {
	find();
	went(true);
}
events.forEach((e, i) => { const o = el($('event'), 'option', (e.kind ? e.title : e.name) + (e.long ? ' \u2014 ' + e.long : '')); o.value = i; });
for (const id of ['wide', 'tint', 'legend']) $(id).hidden = !two;
if (two) for (const c of [-1, -0.5, -0.15, 0, 0.15, 0.5, 1]) $('legend').lastElementChild.before(Object.assign(document.createElement('i'), {style: 'background:' + tint(c)}));
$('wide').addEventListener('click', () => { wide = 1 - wide; flame(); });
$('tint').addEventListener('click', () => { withCalls = !withCalls; flame(); });
$('event').value = ev;
$('event').addEventListener('change', () => { ev = +$('event').value; refresh(); went(); });
$('q').addEventListener('input', search);
for (const m of ['all', 'from', 'to']) $(m).addEventListener('click', () => view(m));
$('flip').addEventListener('click', () => { flip = !flip; flame(); went(true); });
$('reset').addEventListener('click', () => zoom(null));
$('help').addEventListener('click', () => $('keys').showModal());
if (!every && F.some(f => !f.listed)) {
	$('every').hidden = false;
	$('every').addEventListener('click', () => { every = !every; $('every').setAttribute('aria-pressed', every); choose(); });
}
$('list').tHead.addEventListener('click', x => {
	const k = x.target.dataset.k;
	if (!k) return;
	down = k === key ? !down : !TEXTS.includes(k);
	key = k;
	$('scroll').scrollTop = 0;
	choose();
});
body.addEventListener('click', x => { const tr = x.target.closest('tr'); if (tr && tr.dataset.i) select(F[tr.dataset.i]); });
$('scroll').addEventListener('scroll', draw, {passive: true});
window.addEventListener('resize', () => { draw(); flame(); });
for (const panel of document.querySelectorAll('aside,#why')) panel.addEventListener('click', x => { if (x.target.dataset.i) select(F[x.target.dataset.i], true); });
$('frames').addEventListener('click', x => {
	const t = drawn[x.target.dataset.n];
	if (!t || !t.n || t.top) return;
	if (!t.n.roots) select(t.n.f, true, null);
	zoom(t.n);
});
$('frames').addEventListener('mouseover', x => {
	const t = drawn[x.target.dataset.n];
	if (t) $('status').textContent = (t.top ? onlyIn(t) + ' \u00b7 ' : t.n ? called(t.n) + ' \u00b7 ' : '') + tells(t);
});
$('frames').addEventListener('mouseleave', () => { $('status').textContent = said(+$('frames').dataset.cut); });
document.addEventListener('keydown', x => {
	if (x.ctrlKey || x.altKey || x.metaKey || $('keys').open) return;
	if (x.key === 'Escape') {
		if (x.target === $('q')) { $('q').value = ''; search(); $('q').blur(); }
		else if (path.length) zoom(null);
		return;
	}
	if (/^(INPUT|SELECT)$/.test(x.target.tagName)) return;
	if (x.key === 'Enter' && x.target.dataset.n) { x.target.click(); return; }
	const act = {'/': () => $('q').focus(), '?': () => $('keys').showModal(), f: () => view('from'), t: () => view('to'), a: () => view('all'),
		i: () => $('flip').click(), b: () => two && $('wide').click(), c: () => two && $('tint').click(), ArrowDown: () => move(1), ArrowUp: () => move(-1), j: () => move(1), k: () => move(-1)}[x.key];
	if (act) { x.preventDefault(); act(); }
});
function move(by) {
	const at = rows.indexOf(selected), f = rows[at < 0 ? 0 : Math.max(0, Math.min(rows.length - 1, at + by))];
	if (f) select(f, true, true);
}
/* source */
window.addEventListener('popstate', go);
go();
})();
