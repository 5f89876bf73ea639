/* ---- two costs: now here, and was in the base ---- */
const signed = (d, say) => (d > 0 ? '+' : d < 0 ? '\u2212' : '') + say(Math.abs(d));
const both = () => events[ev].both;
const ratioText = (now, was) => now === was ? '' : !was ? 'new' : !now ? 'gone' : now / was >= 10 ? '\u00d7' + grouped(now / was) : signed(100 * (now - was) / was, x => x.toFixed(x < 0.095 ? 3 : 1)) + '%';
const changeText = (now, was) => now === was ? 'the same' : signed(now - was, n => whole(n)) + ' (' + ratioText(now, was) + ')';
const arrow = (now, was, mark = '') => (cost(was) === cost(now) ? '' : mark + cost(was) + ' \u2192 ') + mark + cost(now);
/* +46,800; of what is new or gone, too. */
const byText = (now, was) => signed(Math.round(now) - Math.round(was), n => cost(n)) || '=';
const change2 = (now, was, mark) => now === was ? mark + cost(now) : arrow(now, was, mark) + ' (' + ratioText(now, was) + ')';
/* Of a function or a call: 1 -> 201. */
const callsText = (x, f) => two && x.calls !== x.b.calls ? times(x.b.calls, f) + ' \u2192 ' + times(x.calls, f) : times(x.calls, f);
const inclBy = f => both() ? f.incl[ev] - f.b.incl[ev] : 0;
const changeBy = f => both() ? f.self[ev] - f.b.self[ev] : 0;

/* ---- the table ---- */
const body = $('list').tBodies[0];
let ROW = 21; /* px; measured once rows are drawn */
let key = two ? 'delta' : 'self', down = true, every = !F.some(f => f.listed), test = null, rows = [], selected = null, allChanges = 1, mostChange = 1, mostCost = 1;
const value = {
	self: f => f.self[ev], incl: f => f.incl[ev], calls: f => f.calls, delta: f => both() ? Math.abs(changeBy(f)) : f.self[ev],
	ratio: f => { const little = total() / 1e4 || 1; return both() ? Math.abs(Math.log((f.self[ev] + little) / (f.b.self[ev] + little))) : 0; }, more: f => both() ? Math.abs(inclBy(f)) : f.incl[ev], often: f => Math.abs(f.calls - f.b.calls), name: f => f.name.toLowerCase(), where: f => place(f).toLowerCase(),
};
const place = f => { const b = base(f.file); return b && b !== '???' ? (f.line ? b + ':' + f.line : b) : base(f.obj); };
const TEXTS = ['name', 'where'];
/* Key, title, class of the column: a number, or the name that takes the rest. */
const COLUMNS = (two ? [['self', 'base \u2192 here', 'f x'], ['delta', 'own', 'a'], ['ratio', 'change', 'a x'], ['more', 'with calls', 'g'], ['often', 'calls', 'e x'], ['name', 'function', ''], ['where', 'where', 'd x']] :
	[['self', 'own %', 'a'], ['self', '0 \u2013 100 %', 'b'], ['incl', 'with calls', 'a'], ['calls', 'calls', 'a x'], ['name', 'function', ''], ['where', 'where', 'c x']]);
for (const [k, title, cls] of COLUMNS) {
	el($('list').querySelector('colgroup'), 'col', undefined, cls);
	el(el($('list').tHead.rows[0], 'th', undefined, cls + (TEXTS.includes(k) ? '' : ' n')), 'button', title).dataset.k = k;
}
function choose() {
	const v = value[key], sign = down ? -1 : 1;
	rows = F.filter(f => (every || f.listed) && (!test || test(f)));
	rows.sort((a, b) => { const x = v(a), y = v(b); return x < y ? -sign : x > y ? sign : a.i - b.i; });
	/* Less than a thousandth of the total is no change to be seen. */
	allChanges = Math.max(1, total() / 1000, F.reduce((sum, f) => sum + Math.abs(changeBy(f)), 0));
	$('list').classList.toggle('units', !!events[ev].kind);
	mostChange = rows.reduce((m, f) => Math.max(m, Math.abs(changeBy(f))), 1);
	mostCost = Math.min(total() || Infinity, rows.reduce((m, f) => Math.max(m, f.self[ev], f.incl[ev]), 0)) || 1;
	if (!two) $('list').querySelector('th.b button').textContent = '0 \u2013 ' + (total() ? (100 * mostCost / total()).toFixed(0) + ' %' : cost(mostCost));
	const sum = rows.reduce((s, f) => s + f.self[ev], 0);
	$('shown').textContent = rows.length.toLocaleString('en-US') + ' of ' + F.length.toLocaleString('en-US') + ' functions' +
		(two && both() ? ': ' + arrow(sum, rows.reduce((s, f) => s + f.b.self[ev], 0), about) + ' ' + events[ev].title : total() ? ' = ' + about + percent(sum, total()) + ' of ' + cost(total()) + ' ' + events[ev].title : '');
	const heads = [...$('list').tHead.rows[0].cells], by = heads.find(th => th.firstChild.dataset.k === key);
	for (const th of heads) {
		if (th === by) th.setAttribute('aria-sort', down ? 'descending' : 'ascending');
		else th.removeAttribute('aria-sort');
	}
	draw();
}
function cell(tr, text, cls, title) {
	const td = el(tr, 'td', text, cls);
	if (title) td.title = title;
	return td;
}
const inclTitle = f => tilde(f) + whole(f.incl[ev]) + (fuzzy(f) ? between(f.lo[ev], f.hi[ev]) : '');
const number = (n, mark = '') => !total() ? mark + cost(n) : n > 1.0005 * total() ? '>100' : mark + (100 * n / total()).toFixed(1);
function drawOne(tr, f) {
	cell(tr, number(f.self[ev], about), 'n', about + whole(f.self[ev]) + ' ' + events[ev].title);
	const bar = cell(tr, undefined, 'b', 'own ' + percent(f.self[ev], total()) + ', with calls ' + tilde(f) + percent(f.incl[ev], total()));
	for (const [cls, n] of [['with', f.incl[ev]], ['own', f.self[ev]]]) el(bar, 'i', undefined, cls).style.width = 'calc((100% - 12px) * ' + Math.max(0, Math.min(1, n / mostCost)).toFixed(4) + ')';
	cell(tr, anyCalls ? number(f.incl[ev], tilde(f)) : '\u2013', 'n', anyCalls ? inclTitle(f) : 'the profile has no calls');
	cell(tr, times(f.calls, short), 'n x', times(f.calls, grouped));
}
function drawTwo(tr, f) {
	const now = f.self[ev], was = f.b.self[ev], by = inclBy(f), mark = tilde(f) || tilde(f, 1);
	if (both()) {
		cell(tr, now === was ? about + cost(now) : arrow(now, was, about), 'n x', about + whole(was) + ' in ' + data.base + ', ' + about + whole(now) + ' here');
		cell(tr, signed(now - was, n => cost(n)) || '0', 'n ' + (now < was ? 'less' : 'more'), changeText(now, was) + ', ' + (100 * Math.abs(now - was) / allChanges).toFixed(1) + ' % of all changes').style.setProperty('--w', (100 * Math.abs(now - was) / mostChange).toFixed(2) + '%');
		cell(tr, ratioText(now, was), 'n x');
		cell(tr, by ? mark + signed(by, n => cost(n)) : '0', 'n', 'with calls ' + mark + whole(f.b.incl[ev]) + ' in ' + data.base + ', ' + mark + whole(f.incl[ev]) + ' here: ' + changeText(f.incl[ev], f.b.incl[ev]));
	} else {
		cell(tr, about + cost(now), 'n x', about + whole(now));
		for (const cls of ['n', 'n x', 'n']) cell(tr, '\u2013', cls, data.base + ' has no ' + events[ev].name);
	}
	cell(tr, callsText(f, short), 'n x', callsText(f, grouped) + ' calls');
}
function draw() {
	const box = $('scroll'), first = Math.max(0, Math.min(Math.floor(box.scrollTop / ROW), rows.length - Math.floor(box.clientHeight / ROW)) - 10), last = Math.min(rows.length, first + Math.ceil(box.clientHeight / ROW) + 20);
	const k = Math.floor(($('list').querySelector('[data-k=name]').parentNode.clientWidth - 30) / LETTER), shownColumns = [...$('list').tHead.rows[0].cells].filter(th => th.offsetParent).length || 1;
	const gap = px => { const td = el(el(body, 'tr', undefined, 'gap'), 'td'); td.colSpan = shownColumns; td.style.height = px + 'px'; };
	body.textContent = '';
	$('list').setAttribute('aria-rowcount', rows.length + 1);
	if (first) gap(first * ROW);
	for (let i = first; i < last; i++) {
		const f = rows[i], tr = el(body, 'tr');
		tr.dataset.i = f.i;
		tr.setAttribute('aria-rowindex', i + 2);
		tr.setAttribute('aria-selected', f === selected);
		if (f === selected) tr.className = 'on';
		if (two) drawTwo(tr, f); else drawOne(tr, f);
		const name = cell(tr, undefined, 'fn', f.name);
		el(name, 'i', undefined, 'dot ' + paint(f));
		name.append(fitName(f, k - (f.change === 'renamed' ? 8 : 0)));
		if (f.change === 'renamed') el(name, 'em', ' ' + f.change, 'soft').title = f.was ? 'was ' + f.was : '';
		el(cell(tr, undefined, 'x soft' + (f.line ? ' left' : ''), f.file + (f.line ? ':' + f.line : '') + '\n' + f.obj), 'bdi', place(f));
	}
	if (last < rows.length) gap((rows.length - last) * ROW);
	if (!rows.length) { const td = el(el(body, 'tr', undefined, 'gap'), 'td', F.length ? 'No function has such a name.' : 'This profile has no functions.'); td.colSpan = shownColumns; }
	const seen = body.querySelector('[data-i]'), high = seen ? seen.getBoundingClientRect().height : 0;
	if (high && Math.abs(high - ROW) > 0.01) { ROW = high; draw(); }
}
function reveal(f) {
	const at = rows.indexOf(f), box = $('scroll'), head = $('list').tHead.offsetHeight, y = at * ROW;
	if (at < 0) return;
	if (y < box.scrollTop) box.scrollTop = y;
	else if (y + ROW + head > box.scrollTop + box.clientHeight) box.scrollTop = y + ROW + head - box.clientHeight;
}

/* ---- the card of the selected function: a small graph of its calls, its costliest lines, lists ---- */
const LIST = 300, HEADS = 18, HIGH = 24;
/* Of the calls into f (up 1) or out of it, what they bring or take of its cost; a call of f by itself is no part of it. */
const size = (f, e, up) => { const w = SIDES.map(s => near(f, e, up, s)[0]); return Math.max(...w) + (two && both() ? total() * Math.abs(w[0] - w[1]) : 0); };
const costliest = (f, up) => (up ? f.in : f.out).map(e => [loops(e) ? size(f, e, up) / 2 : size(f, e, up), e]).sort((x, y) => y[0] - x[0] || y[1].calls - x[1].calls).map(x => x[1]);
const guess = ([, lo, hi]) => estimated || lo < hi ? '~' : '';
const nearText = (f, e, up) => {
	if (two && both()) {
		const [here, there] = SIDES.map(s => near(f, e, up, s)), mark = guess(here) || guess(there), now = Math.round(here[0]), was = Math.round(there[0]);
		return callsText(e, grouped) + ' calls: ' + mark + whole(was) + ' in ' + data.base + ', ' + mark + whole(now) + ' here: ' + changeText(now, was);
	}
	const [cost, lo, hi] = near(f, e, up), w = weigh(e, 0), n = Math.round(cost);
	return guess([0, lo, hi]) + whole(n) + ' ' + events[ev].title + ', ' + guess([0, lo, hi]) + percent(cost, f.incl[ev]) + ' of ' + f.name + ' with its calls' +
		(lo < hi ? between(lo, hi) : '') + (Math.abs(w - cost) > 1 ? '\n' + whole(w) + ' of all levels of recursion' : '');
};
const part = (n, of) => !(n > 0) ? '0%' : n / of < 0.005 ? '<1%' : n / of >= 1.005 ? '>100%' : (100 * n / of).toFixed(0) + '%';
/* The costliest calls into f, or out of it, with those of the functions there. */
function around(f, out, levels, most) {
	const list = costliest(f, +!out), rows = list.slice(0, most).map(e => {
		const g = out ? e.to : e.from, next = levels > 1 && g !== f ? around(g, out, levels - 1, 3) : null;
		return {e, g, next, high: Math.max(1, next ? next.high : 0)};
	});
	return {rows, more: list.length - rows.length, high: rows.reduce((n, r) => n + r.high, list.length > rows.length ? 1 : 0)};
}
/* f between its callers and what it calls.  Each share is one of the cost through the function that the line leads to or comes from. */
function graph(root, f, levels) {
	const wide = Math.max(280, root.parentNode.clientWidth), box = wide * (levels > 1 ? 0.165 : 0.27), sides = [around(f, 0, levels, 6), around(f, 1, levels, 6)];
	const high = HIGH * Math.max(3, sides[0].high, sides[1].high), mid = HEADS + high / 2, step = (wide - box) / (2 * levels);
	const svg = (parent, tag, attrs, text) => {
		const n = document.createElementNS(root.namespaceURI, tag);
		for (const [k, v] of Object.entries(attrs)) n.setAttribute(k, v);
		if (text !== undefined) n.textContent = text;
		parent.append(n);
		return n;
	};
	root.textContent = '';
	for (const [k, v] of Object.entries({width: wide, height: HEADS + high, 'aria-label': 'Callers of ' + f.name + ', and what it calls'})) root.setAttribute(k, v);
	const put = (x, y, g, text, title, me) => {
		const n = svg(root, 'g', {class: 'n' + (me ? ' me' : ''), 'data-i': g.i, role: 'button', tabindex: -1});
		svg(n, 'title', {}, title);
		svg(n, 'rect', {x, y: y - 10, width: box, height: 20, rx: 3, class: paint(g)});
		svg(n, 'text', {x: x + 5, y: y + 4}, fitName(g, Math.floor((box - 14 - 6.7 * text.length) / 6.7)));
		svg(n, 'text', {x: x + box - 5, y: y + 4, 'text-anchor': 'end', class: 'v'}, text);
	};
	const head = (x, anchor, text) => svg(root, 'text', {x, y: 11, 'text-anchor': anchor, class: 'h'}, text);
	/* The rows beside the box of h at x, y; flow: the part of f's cost that h has here. */
	function side(list, h, out, x, y, flow) {
		const to = x + (out ? step : -step), edge = out ? x + box : x, end = out ? to : to + box, of = Math.max(...SIDES.map(s => on(h, s).incl[ev])) || 1;
		let at = y - list.high * HIGH / 2;
		for (const r of list.rows) {
			const there = at + r.high * HIGH / 2, m = (edge + end) / 2, here = near(h, r.e, +!out), was = two ? near(h, r.e, +!out, 1) : here, share = Math.min(1, Math.max(here[0], was[0]) / of);
			svg(root, 'path', {class: 'e', d: `M${edge} ${y}C${m} ${y} ${m} ${there} ${end} ${there}`, 'stroke-width': Math.max(1, 14 * flow * share).toFixed(1)});
			put(to, there, r.g, loops(r.e) ? '\u21bb' : two && both() ? guess(here) + byText(here[0], was[0]) : guess(here) + part(here[0], of), (out ? 'called by ' + h.name : 'calls ' + h.name) + (two && both() ? ', ' : ' ' + times(r.e.calls, grouped) + '\u00d7: ') + (loops(r.e) ? about + whole(weigh(r.e, 0)) + ' ' + events[ev].title + ' of all levels of recursion' : nearText(h, r.e, +!out)));
			const often = callsText(r.e, short) + '\u00d7';
			if (levels === 1 && often.length * 6.7 < step - box) svg(root, 'text', {x: out ? end - 2 : end + 2, y: there - 5, 'text-anchor': out ? 'end' : 'start', class: 't'}, often);
			if (r.next) side(r.next, r.g, out, to, there, flow * share);
			at += r.high * HIGH;
		}
		if (list.more) svg(root, 'text', {x: to + 5, y: at + HIGH / 2 + 4, class: 'v'}, '+' + list.more.toLocaleString('en-US') + (levels > 1 ? ' more' : ' more below'));
	}
	sides.forEach((list, out) => {
		const change = two && both();
		if (out && total()) head(wide / 2, 'middle', change ? 'change, with calls' : '% of the total');
		const word = out ? 'callees' : 'callers', edge = out ? wide - 5 : 5, told = change ? ', change' : ', % of ';
		if (list.rows.length) head(levels > 1 ? wide / 2 + (out ? step : -step) : edge, levels > 1 ? 'middle' : out ? 'end' : 'start', word + told + (change ? '' : 'it'));
		if (levels > 1 && list.rows.some(r => r.next && r.next.rows.length)) head(edge, out ? 'end' : 'start', 'their ' + word + told + (change ? '' : 'them'));
		side(list, f, out, wide / 2 - box / 2, mid, 1);
	});
	put(wide / 2 - box / 2, mid, f, two && both() ? byText(f.incl[ev], f.b.incl[ev]) : total() ? part(f.incl[ev], total()) : '', f.name + '\nwith calls ' + inclTitle(f), true);
}
function graphs() {
	if (selected) graph($('graph'), selected, 1);
	if (selected && tab === 'graphs') { graph($('graphs').firstChild, selected, 2); keepHeight(); }
}
function calls(table, head, title, other) {
	const b = $(table).tBodies[0], up = +(other === 'from'), list = costliest(selected, up);
	b.textContent = '';
	$(head).textContent = title + ' (' + list.length.toLocaleString('en-US') + ')' + (list.length > LIST ? ', the costliest ' + LIST + ' are listed' : '');
	for (const e of list.slice(0, LIST)) {
		const f = e[other], tr = el(b, 'tr'), go = el(cell(tr, undefined, 'fn'), 'button', f.label), [here, there] = SIDES.map(s => near(selected, e, up, s)), now = here[0], was = two ? there[0] : 0;
		go.title = f.name;
		go.dataset.i = f.i;
		const mark = guess(here) || two && guess(there) || '', title = loops(e) ? about + whole(weigh(e, 0)) + ' of all levels of recursion' : nearText(selected, e, up), times = callsText(e, short);
		if (loops(e)) cell(tr, 'recursive', 'soft ' + (two ? 'w3' : 'w1'), title);
		else cell(tr, two && both() ? arrow(now, was, mark) : mark + cost(now), two ? 'n w3' : 'n w1', title);
		if (two) cell(tr, both() ? ratioText(now, was) : '', 'n w2', title);
		cell(tr, times + (times === '\u2013' ? '' : '\u00d7'), 'n w2', e.calls < 0 ? / \(inl\)$/.test(e.to.name) ? 'inlined' : 'calls not counted' : callsText(e, grouped) + ' calls');
	}
}
function costTable(f) {
	const b = $('costs').tBodies[0], save = ev;
	b.textContent = '';
	const head = el(b, 'tr', undefined, 'soft');
	for (const [text, cls] of [['', 'w2'], ['own', 'n'], ['', 'n w2'], ['with calls', 'n'], ['', 'n w2']]) cell(head, text, cls);
	events.forEach((e, i) => {
		const tr = el(b, 'tr');
		ev = i;
		cell(tr, e.title, '', e.long || e.name);
		for (const what of ['self', 'incl']) {
			const now = f[what][i], was = f.b[what][i], mark = what === 'self' ? about : tilde(f) || tilde(f, 1);
			const title = mark + whole(now) + (two ? ' here' : '') + ', ' + percent(now, e.total) + (two && e.both ? '; ' + mark + whole(was) + ' in ' + data.base + ', ' + percent(was, e.base) + ': ' + changeText(now, was) : '');
			cell(tr, !two ? mark + cost(now) : e.both ? arrow(now, was, mark) : mark + cost(now) + ', not in ' + data.base, 'n', title);
			cell(tr, two ? e.both ? ratioText(now, was) : '' : percent(now, e.total), 'n w2', title);
		}
	});
	ev = save;
}
/* A line of a short list: the share that n is of a cost, what it is of, text. */
function shareLine(box, n, of, most, what, title, text, cls, mark = about) {
	const div = el(box, 'div', undefined, 'share'), share = el(div, 'span', mark + percent(n, of));
	share.style.setProperty('--w', (100 * n / most).toFixed(0) + '%');
	el(div, 'b', what, 'soft').title = title;
	if (text) el(div, 'code', text, cls);
	return div;
}
function show() {
	const f = selected;
	$('from').disabled = $('showgraphs').disabled = $('copy').disabled = $('link').disabled = $('ask').disabled = !f;
	$('more').hidden = !f;
	$('graph').setAttribute('height', 0);
	$('graph').textContent = $('hot').textContent = '';
	$('name').textContent = f ? f.name : F.length ? 'No function is selected' : 'No functions';
	$('where').textContent = !f ? 'A click on a frame or a row shows its callers, what it calls, and its costs.' :
		[f.change + (f.was ? ', was ' + f.was : ''), place(f), base(f.obj) === place(f) ? '' : base(f.obj), ...two && both() ? [callsText(f, grouped) + (f.calls === 1 && f.b.calls === 1 ? ' call' : ' calls'),
			'own ' + change2(f.self[ev], f.b.self[ev], about), 'with calls ' + change2(f.incl[ev], f.b.incl[ev], tilde(f) || tilde(f, 1))] : [times(f.calls, n => grouped(n) + (n === 1 ? ' call' : ' calls')),
			total() && 'own ' + about + percent(f.self[ev], total()), total() && anyCalls && 'with calls ' + tilde(f) + percent(f.incl[ev], total()) + (tilde(f) ? '' : ' measured')],
			f.out.some(loops) || fuzzy(f) ? 'recursive' : '', f.cycle ? 'in cycle ' + f.cycle : '', '#' + f.id].filter(s => s && s !== '???' && s !== '\u2013').join(' \u00b7 ');
	$('where').title = f ? f.file + '\n' + f.obj : '';
	partsOf();
	if (!f) return;
	graphs();
	hotLines(f);
	if (DRAWS[tab] && !$(tab).hidden && tab !== 'graphs') DRAWS[tab]();
	if ($('more').open) showMore();
}
function showMore() {
	if (!selected) return;
	costTable(selected);
	calls('callers', 'ncallers', 'Callers', 'from');
	calls('callees', 'ncallees', 'Callees', 'to');
}

/* ---- what the reader does ---- */
/* The address says what is shown, so that Back, Forward and a link to a view work. */
const key_of = f => (f.gone ? 'b' : '') + f.id, by_key = new Map(F.map(f => [key_of(f), f])), FIRST = key;
function address() {
	const p = new URLSearchParams();
	if (selected) p.set('f', key_of(selected));
	if (mode !== 'all') p.set(mode, key_of(subject));
	if (events[ev] && events[ev].name !== data.event) p.set('e', events[ev].name);
	if (path.length) p.set('z', path.map(i => key_of(F[i])).join('.'));
	if ($('q').value) p.set('q', $('q').value);
	if (key !== FIRST || !down) p.set('o', (down ? '' : '-') + key);
	if (tab) p.set('t', tab);
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
	const p = new URLSearchParams(location.hash.slice(1)), at = k => by_key.get(p.get(k)), order = p.get('o') || FIRST;
	ev = Math.max(0, events.findIndex(e => e.name === (p.get('e') || data.event)));
	$('event').value = ev;
	mode = at('from') ? 'from' : at('to') ? 'to' : 'all';
	subject = at(mode) || null;
	down = order[0] !== '-';
	key = Object.hasOwn(value, order.replace(/^-/, '')) ? order.replace(/^-/, '') : FIRST;
	path = (p.get('z') || '').split('.').filter(k => by_key.has(k)).map(k => by_key.get(k).i);
	if (mode === 'to' && !path.length) mode = 'from';
	tab = TABS.includes(p.get('t')) ? p.get('t') : '';
	$('q').value = p.get('q') || '';
	selected = at('f') || null;
	find();
	if (selected && !rows.includes(selected) && (!test || test(selected))) listAll(selected);
	refresh();
	if (selected) { reveal(selected); draw(); }
}
/* The headline and the causes are of the event of the query; of another one it says what asks for them. */
const headline = two && document.querySelector('header p b'), headlined = headline && headline.textContent, anyCalls = F.some(f => f.out.length);
function otherEvent() {
	if (!headline) return;
	const same = events[ev].name === data.event;
	headline.textContent = same ? headlined : !both() ? cost(total()) + ' ' + events[ev].title + '; ' + data.base + ' has no such event' : arrow(total(), total(1)) + ' ' + events[ev].title + ' (' + (ratioText(total(), total(1)) || 'the same') + '); why by ' + events[ev].name + ' vs ' + data.base;
	for (const e of document.querySelectorAll('.causes,.grew')) e.hidden = !same;
	$('showwhy').hidden = !same || !causes;
}
function listAll(f) {
	every = true;
	$('every').setAttribute('aria-pressed', true);
	if (test && !test(f)) { $('q').value = ''; test = null; composition(); }
	choose();
}
/* passing: see went(); undefined: a step, null: the caller takes it. */
function select(f, scroll, passing) {
	selected = f;
	if (!rows.includes(f)) listAll(f);
	if (scroll) reveal(f);
	draw();
	show();
	mark();
	if (passing !== null) went(passing);
}
function refresh() {
	if ($('total')) { $('total').textContent = ($('total').textContent[0] === '~' ? '~' : '') + cost(total()) + ' ' + events[ev].title; $('total').title = whole(total()); }
	grown = null;
	choose();
	otherEvent();
	timeline();
	show();
	composition();
	flame();
	/* The table stands below the flame graph, whatever is opened first. */
	if (tab && !ROWS) { const first = tab; tab = ''; flame(); keepHeight(); tab = first; flame(); }
	keepHeight();
}
function view(m) {
	if (m !== 'all' && !selected) return;
	mode = m;
	subject = selected;
	path = [];
	grown = null;
	openTab('');
}
/* What is drawn above the table: the flame graph, or one of these in its place. */
const TABS = ['graphs', 'source', 'asm', 'parts', 'run', 'why', 'answer'];
let tab = '';
$('showgraphs').hidden = SMALL; /* the card has it */
const causes = document.querySelector('.causes');
if (causes) { $('why').append(causes.cloneNode(true)); $('showwhy').hidden = false; }
if ($('d-answer')) { $('answer').append(...$('d-answer').childNodes); $('showanswer').hidden = false; }
/* A run is a page of its own: here is how to ask for it. */
if (!DRAWS.run && 'timed' in data && !two) {
	$('showrun').hidden = false;
	DRAWS.run = () => {
		$('runabout').textContent = 'Each call where it stood in time: ';
		el($('runabout'), 'code', 'timeline > run.html');
		if (!selected) return;
		$('runabout').append('; the slowest calls of ' + selected.label + ': ');
		el($('runabout'), 'code', 'activations of #' + selected.id + ' | sort incl | take 5');
	};
}
function showTab() {
	if (tab && $('show' + tab).hidden) tab = '';
	for (const id of TABS) {
		$('show' + id).setAttribute('aria-pressed', tab === id);
		$(id).hidden = tab !== id;
	}
	$('flame').hidden = $('legend').hidden = $('status').hidden = !!tab;
	$('all').setAttribute('aria-pressed', !tab && mode === 'all');
	$('from').setAttribute('aria-pressed', !tab && mode !== 'all');
}
function openTab(id) {
	if (id && ($('show' + id).hidden || $('show' + id).disabled)) return;
	tab = tab === id ? '' : id;
	flame();
	graphs();
	keepHeight();
	went();
}
/* The table below the pictures moves down at most, but for text. */
function keepHeight() {
	if (!['source', 'asm', 'answer'].includes(tab)) $('stage').style.minHeight = Math.max(parseFloat($('stage').style.minHeight) || 0, $('stage').offsetHeight) + 'px';
	document.documentElement.style.setProperty('--above', Math.round($('scroll').getBoundingClientRect().top + scrollY) + 'px');
}
/* The name without types of arguments and of templates. */
function bareName(f) {
	for (let s = f.name + (f.name === f.raw ? '' : ' ' + f.raw), was = ''; f.bare === undefined; was = s, s = s.replace(/(?<=[\w>~])<[^<>()]*>|(?<=[\w>) ])\([^()]*\)/g, ''))
		if (s === was) f.bare = s;
	return f.bare;
}
/* name, name:name, obj:name, file:name by regular expression; in:NAME is a part of the bar.  Types in names count where
   no name matches without them. */
function tester(q) {
	const [, where, what] = /^(?:(name|obj|file|in):)?(.*)$/s.exec(q);
	if (where === 'in') return f => (groupNames[f.group] || 'the rest') === what;
	let matches = name => name.includes(what);
	try { const re = new RegExp(what, /[A-Z]/.test(what) ? '' : 'i'); matches = name => re.test(name); }
	catch (x) { $('q').classList.add('bad'); }
	const of = {obj: f => f.obj, file: f => f.file}[where] || (F.some(f => matches(bareName(f))) ? bareName : f => f.name);
	return f => matches(of(f));
}
function find() {
	$('q').classList.remove('bad');
	test = $('q').value ? tester($('q').value) : null;
	$('scroll').scrollTop = 0;
	choose();
	composition();
	mark();
}
function search() {
	find();
	went(true);
}
$('event').addEventListener('change', () => { ev = +$('event').value; refresh(); went(); });
$('q').addEventListener('input', search);
for (const m of ['all', 'from']) $(m).addEventListener('click', () => view(m));
for (const id of TABS) $('show' + id).addEventListener('click', () => openTab(id));
$('help').addEventListener('click', () => $('keys').showModal());
$('more').addEventListener('toggle', () => { if ($('more').open) showMore(); });
/* Copied are a name, the address of what is shown, the query that asks for it. */
const COPIES = {copy: () => selected.raw, link: () => location.href, ask: () => (({source: 'source of', asm: 'asm of'})[tab] || (tab || mode === 'all' ? 'cost of' : 'callers of')) + ' #' + selected.id + (two ? ' vs ' + data.base : '')};
for (const [id, text] of Object.entries(COPIES)) $(id).addEventListener('click', () => {
	const box = el(document.body, 'textarea', text()), says = $(id).textContent;
	box.select();
	document.execCommand('copy');
	box.remove();
	$(id).textContent = 'copied';
	setTimeout(() => { $(id).textContent = says; }, 1000);
});
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
	went(true);
});
body.addEventListener('click', x => { const tr = x.target.closest('tr'); if (tr && tr.dataset.i) select(F[tr.dataset.i]); });
$('scroll').addEventListener('scroll', draw, {passive: true});
window.addEventListener('resize', () => { $('stage').style.minHeight = ''; draw(); flame(); graphs(); keepHeight(); });
for (const panel of document.querySelectorAll('aside,#graphs,#chosen,#span,#sentence')) panel.addEventListener('click', x => { const to = x.target.closest('[data-i]'); if (to) select(F[to.dataset.i], true); });
document.addEventListener('keydown', x => {
	const inFlame = x.target === $('frames');
	if (x.ctrlKey || x.altKey || x.metaKey || $('keys').open) return;
	if (x.key === 'Escape') {
		if (x.target === $('q')) { $('q').value = ''; search(); $('q').blur(); }
		else if (path.length) zoom(null);
		return;
	}
	if (x.target === $('q') && x.key === 'Enter') {
		const q = $('q').value, f = F.find(f => f.name === q || f.raw === q || f.label === q || bareName(f) === q) || rows[0];
		if (f) select(f, true);
	}
	if (/^(INPUT|SELECT)$/.test(x.target.tagName)) return;
	if (x.target === body && x.key === 'Enter' && selected && !tab) { const n = grown && widest(selected); if (n) zoom(n); return; }
	if (inFlame && x.key === 'Enter') { hit(boxes[marked]); return; }
	if (inFlame && x.key.startsWith('Arrow')) { x.preventDefault(); step(x.key); return; }
	const act = {'/': () => $('q').focus(), '?': () => $('keys').showModal(), f: () => view('from'), a: () => view('all'), g: () => openTab('graphs'), s: () => openTab('source'), d: () => openTab('asm'), h: () => DRAWS[tab] === showSource && hottest(), p: () => openTab('parts'), t: () => openTab('run'), w: () => openTab('why'),
		ArrowDown: () => move(1), ArrowUp: () => move(-1), j: () => move(1), k: () => move(-1)}[x.key];
	if (act) { x.preventDefault(); act(); }
});
function move(by) {
	const at = rows.indexOf(selected), f = rows[at < 0 ? 0 : Math.max(0, Math.min(rows.length - 1, at + by))];
	if (f) select(f, true, true);
}
/* Causes lead to their functions, what follows them in the heading to all. */
for (const li of document.querySelectorAll('.causes li')) li.addEventListener('click', () => {
	const b = li.querySelector('button'), to = b && by_key.get(b.dataset.f);
	if (to) select(to, true);
	else if (li.parentNode === causes && !li.querySelector('b')) openTab('why');
});

window.addEventListener('popstate', go);
/* The first screen has a card: of the function that the largest cause names, or else of the first row. */
const cause = causes && causes.querySelector('[data-f]'), first = () => { choose(); return cause && by_key.get(cause.dataset.f) || rows[0] || null; };
if (location.hash) go();
else {
	find();
	const asked = by_key.get(data.open);
	selected = subject = asked || null;
	tab = data.tab || '';
	if (asked && !tab) mode = 'from';
}
if (!selected && F.length) selected = first();
refresh();
})();
