/* ---- the source, or the instructions, of the selected function: listings of d-source, and a view of one ---- */
const sourceLines = lines('d-source'), CHUNK = 200;
const sourceAt = new Map(), asmAt = new Map(), begins = l => l[0] === '@' || l[0] === '%';
sourceLines.forEach((l, i) => { if (begins(l)) (l[0] === '@' ? sourceAt : asmAt).set(+l.slice(1), i + 1); });
const costsOf = t => t ? t.split(' ').map(Number) : null;
const inEvent = w => w && w[ev] || 0;
const NO_LINE = {w: null, calls: []};
/* The groups (files, or objects) of the listing that begins there. A line has its calls and jumps, and the line of the
   base that it is (b). */
function listingAt(i) {
	const groups = [], was = [];
	let g = null, line = null, inlined = null;
	for (; i < sourceLines.length && !begins(sourceLines[i]); i++) {
		const kind = sourceLines[i][0], t = sourceLines[i].slice(1).split('\t');
		if (kind === 'F') {
			g = {n: +t[4], own: t[0] === '1', path: t[1], why: t[2], newer: t[3] === '1', rows: [], open: true};
			groups.push(g);
			inlined = null;
		} else if (kind === 'L') {
			line = {kind, g, pos: t[0], w: costsOf(t[1]), text: t[2], where: t[3], inlined: t[1] ? inlined : null, calls: [], b: NO_LINE};
			g.rows.push(line);
		} else if (kind === 'C') {
			line.calls.push({kind, g, line, to: t[1], calls: +t[2], w: costsOf(t[3]), name: t[4], brief: t[5] || t[4], inlined, b: {calls: 0, w: null}});
			g.rows.push(line.calls.at(-1));
		} else if (kind === 'J') g.rows.push({kind, g, line, to: t[1], text: t[2], inlined});
		else if (kind === 'G') g.rows.push({kind, g, text: t[0]});
		else if (kind === 'I') {
			inlined = t[0] || null;
			if (inlined) g.rows.push({kind, g, name: t[0], brief: t[1] || t[0]});
		} else if (kind === 'B') was.push([+t[0], t[1][0], t[1].slice(1), ...t.slice(2)]);
	}
	addBase(groups, was);
	return groups;
}
/* Lines and calls of the base; what has none here gets a row. */
function addBase(groups, was) {
	for (const [n, kind, pos, ...t] of was) {
		const g = groups.find(g => g.n === n);
		let line = g.rows.find(r => r.kind === 'L' && r.pos === pos);
		if (!line) {
			const at = g.rows.findIndex(r => r.kind === 'L' && +r.pos > +pos);
			line = {kind: 'L', g, pos, w: null, text: '', calls: [], b: NO_LINE};
			g.rows.splice(at < 0 ? g.rows.length : at, 0, line);
		}
		if (line.b === NO_LINE) line.b = {w: null, calls: []};
		if (kind === 'L') { line.b.w = costsOf(t[0]); continue; }
		const b = {to: t[0], calls: +t[1], w: costsOf(t[2])};
		let call = line.calls.find(c => c.to === b.to && c.name === t[3]);
		if (!call) {
			line.calls.push(call = {kind, g, line, to: b.to, calls: 0, w: null, name: t[3], brief: t[4] || t[3]});
			g.rows.splice(g.rows.indexOf(line) + line.calls.length, 0, call);
		}
		call.b = b;
		line.b.calls.push(b);
	}
}
/* The files, or objects, of which the page holds text. */
const held = new Map();
for (const l of sourceLines) if (l[0] === 'F') {
	const [, path, why, newer] = l.split('\t');
	if (!why) held.set(path, newer === '1' ? ': it is newer than the profile' : '');
}
for (const [path, says] of $('held') ? held : []) {
	const li = el($('held').lastElementChild, 'li');
	el(li, 'code', path);
	li.append(says);
}
const indent = s => { let n = 0; while (s[n] === ' ') n++; return n; };
/* What is shown: the function, the event, its groups, whether they are instructions; rows by place; the costliest. */
let ofShown = null, evShown = -1, groupsShown = [], asmShown = false, byPos = new Map(), chunks = [], hot = [], next = 0, most = 1, drawing = 0;
const code = el(document.createElement('div'), 'div', undefined, 'code'), codeRows = el(code, 'div', undefined, 'rows');
codeRows.tabIndex = 0;
/* A call back into the function, whose cost is that of its other lines. */
const again = f => c => c.to !== '' && (+c.to === f.i || f.cycle && F[+c.to].cycle === f.cycle);
/* What a line costs with its calls; less: without such calls. */
const sumOf = (line, less = () => false) => line.calls.reduce((s, c) => less(c) ? s : s + inEvent(c.w), inEvent(line.w));
const heatOf = line => Math.max(...SIDES.map(s => sumOf(on(line, s), again(ofShown))));
/* Of two profiles: 5 -> 7. */
const lineCost = (now, was) => two && both() && now !== was ? arrow(now, was) : now ? cost(now) : '';
const lineTitle = (now, was, what) => now || was ? whole(now) + ' ' + events[ev].title + what + ', ' + percent(now, total()) + (two && both() ? '; ' + whole(was) + ' in ' + data.base + ': ' + changeText(now, was) : '') : '';
/* A row: what the line spends itself, with its calls, its number; its text goes to x. */
function makeRow(cls, self = '', all = '', n = '') {
	const row = document.createElement('div'), g = el(row, 'div', undefined, 'g');
	row.className = 'r ' + cls;
	return {row, s: el(g, 'span', self, 's'), c: el(g, 'span', all, 'c'), n: el(g, 'span', n, 'n'), x: el(row, 'div', undefined, 'x')};
}
function heading() {
	const {row, c, x, n} = makeRow('head', 'own', 'with calls', asmShown ? 'address' : 'line');
	c.title = 'The line and what it calls' + (two ? '; base \u2192 here' : '');
	if (two) n.title = 'Lines of the base stand beside those as far below the first one of the function';
	el(x, 'span', events[ev].title + ' ', 'soft');
	const b = el(x, 'button', 'hottest line');
	b.title = 'Go to the costliest line, then to the next (h)';
	b.addEventListener('click', hottest);
	codeRows.append(row);
}
function lineRow(r) {
	const [self, all] = [inEvent(r.w), sumOf(r)], [own, was] = two ? [inEvent(r.b.w), sumOf(r.b)] : [0, 0], heat = heatOf(r), wide = n => Math.max(2, 96 * n / most).toFixed(1) + '%';
	const {row, s, c, x} = makeRow('l' + (r.inlined ? ' i' : '') + (r.w || r.b.w ? '' : ' cold'), lineCost(self, own), all > self || was > own ? lineCost(all, was) : '', r.pos);
	if (heat) s.style.setProperty('--v', wide(heat));
	if (self || own) s.style.setProperty('--w', wide(Math.max(self, own)));
	s.title = lineTitle(self, own, '');
	c.title = lineTitle(all, was, ' with calls');
	el(x, 'span', r.text, r.where ? 'op' : undefined);
	if (two && both()) x.style.background = shade(all - was) && 'var(--' + shade(all - was) + ')';
	else if (heat) x.style.setProperty('--h', (0.06 + 0.5 * Math.sqrt(heat / most)).toFixed(3));
	if (r.where) el(x, 'span', r.where, 'where');
	if (r.inlined) x.title = 'inlined: ' + r.inlined;
	r.row = row;
	return row;
}
function below(r) {
	const {row, c, x} = makeRow('d' + (r.inlined ? ' i' : ''), '', r.kind === 'C' ? lineCost(inEvent(r.w), inEvent(r.b.w)) || cost(0) : '');
	if (r.kind === 'C') c.title = lineTitle(inEvent(r.w), inEvent(r.b.w), '');
	x.style.setProperty('--in', 2.4 + Math.min(24, indent(r.line.text)) * 0.6 + 'em');
	const link = (text, act, title) => {
		if (act) Object.assign(el(x, 'button', text), {title}).addEventListener('click', act);
		else el(x, 'span', text).title = title;
	};
	if (r.kind === 'C') {
		el(x, 'span', '\u21d2 ');
		link(r.brief, r.to && (() => select(F[+r.to], true)), r.name);
		el(x, 'span', r.calls < 0 || r.b.calls < 0 ? ', inlined' : '  ' + callsText(r, short) + '\u00d7').title = r.calls < 0 ? 'what this code costs, with its calls' : callsText(r, grouped) + ' calls';
	} else link('\u2937 ' + r.text.replace(/^-> /, ''), byPos.has(r.to) && (() => goTo(r.to)), 'jump');
	return row;
}
function textRow(r) {
	const {row, x} = makeRow(r.kind === 'I' ? 'm' : 'gap');
	x.textContent = r.kind === 'I' ? 'inlined: ' + r.brief : r.text;
	x.title = r.kind === 'I' ? r.name : '';
	return row;
}
const rowOf = r => r.kind === 'L' ? lineRow(r) : r.kind === 'C' || r.kind === 'J' ? below(r) : textRow(r);
function fileRow(g) {
	const row = el(codeRows, 'div', undefined, 'f'), b = el(row, 'button');
	el(b, 'bdi', g.path);
	b.title = g.path + '\nA click ' + (g.open ? 'hides' : 'shows') + ' its lines';
	b.setAttribute('aria-expanded', g.open);
	b.addEventListener('click', () => { g.open = !g.open; drawCode(); });
	if (!g.own) el(row, 'em', 'inlined');
	if (g.why) el(row, 'span', 'no text: ' + g.why, 'why').title = g.why;
	else if (g.newer) el(row, 'span', 'newer than the profile', 'why');
	const self = g.rows.reduce((s, r) => s + (r.kind === 'L' ? inEvent(r.w) : 0), 0);
	el(row, 'span', cost(self) + ' ' + percent(self, total()), 'num soft');
}
/* Rows are made a chunk at a time, so that long listings appear at once. */
function fill(chunk) {
	if (chunk.div.firstChild) return;
	chunk.div.append(...chunk.rows.map(rowOf));
}
function fillRest(i, mine) {
	if (mine !== drawing) return;
	for (let k = 0; k < 4 && i < chunks.length; k++, i++) fill(chunks[i]);
	if (i < chunks.length) setTimeout(fillRest, 0, i, mine);
}
function drawCode() {
	const at = codeRows.scrollTop;
	codeRows.textContent = '';
	codeRows.classList.toggle('instrs', asmShown);
	codeRows.classList.toggle('both', two && both());
	chunks = [];
	byPos = new Map();
	hot = [];
	most = 1;
	for (const g of groupsShown)
		for (const r of g.rows)
			if (r.kind === 'L') {
				most = Math.max(most, heatOf(r));
				if (r.pos) byPos.set(g.n + ':' + r.pos, r);
				if (heatOf(r)) hot.push(r);
			}
	/* In the function's own file first: what is inlined there is the cost of a line of it. */
	hot.sort((a, b) => b.g.own - a.g.own || heatOf(b) - heatOf(a));
	next = 0;
	heading();
	for (const g of groupsShown) {
		fileRow(g);
		for (let i = 0; g.open && i < g.rows.length; i += CHUNK) {
			const rows = g.rows.slice(i, i + CHUNK), div = el(codeRows, 'div', undefined, 'chunk');
			div.style.cssText = 'min-height:' + 20 * rows.length + 'px;contain-intrinsic-size:auto ' + 20 * rows.length + 'px';
			for (const r of rows) r.chunk = chunks.length;
			chunks.push({div, rows});
		}
	}
	fillRest(0, ++drawing);
	codeRows.scrollTop = at;
}
function goTo(key) {
	const r = byPos.get(key);
	if (!r) return;
	if (!r.g.open) { r.g.open = true; drawCode(); }
	fill(chunks[r.chunk]);
	for (const old of codeRows.querySelectorAll('.at')) old.classList.remove('at');
	r.row.classList.add('at');
	const box = codeRows.getBoundingClientRect(), y = r.row.getBoundingClientRect().top - box.top;
	codeRows.scrollTop += y - codeRows.clientHeight / 3;
	const page = codeRows.getBoundingClientRect();
	if (page.top < 0 || page.top > innerHeight - 100) code.scrollIntoView({block: 'nearest'});
}
function hottest() {
	const r = hot[next++ % hot.length];
	if (r) goTo(r.g.n + ':' + r.pos);
}
/* The costliest lines of a function, for its card: without those that are inlined, if debug information tells which
   lines called them. */
function hotLines(f) {
	if (!f || !sourceAt.has(f.i)) return;
	const all = listingAt(sourceAt.get(f.i)).flatMap(g => g.rows).filter(r => r.kind === 'L'), called = all.some(r => r.g.own && r.calls.some(c => c.calls < 0)), back = again(f), recursive = all.some(r => r.calls.some(back));
	const sum = r => sumOf(r, c => back(c) || recursive && c.calls < 0), lines = all.filter(r => !called || !r.inlined);
	const list = hottestOf(lines.map(r => ({r, now: sum(r), was: two && both() ? sum(r.b) : 0})));
	$('hot').textContent = '';
	for (const {r, now, was} of list) {
		const div = hotLine(list, now, was, base(r.g.path) + ':' + r.pos, r.g.path, r.text.trim() + (r.calls.some(back) ? ' \u21bb' : ''));
		div.style.cursor = 'pointer';
		div.lastChild.title = r.text + (r.calls.some(back) ? '\nand calls back into ' + f.name + ', whose cost is that of these lines' : '');
		div.addEventListener('click', () => { if (tab !== 'source') openTab('source'); goTo(r.g.n + ':' + r.pos); });
	}
	/* What it spends in code of other files. */
	const inlined = new Map(), in100 = n => (100 * n / f.self[ev]).toFixed(0) + ' %';
	for (const r of all) if (!r.g.own && inEvent(r.w) > 0) inlined.set(base(r.g.path), (inlined.get(base(r.g.path)) || 0) + inEvent(r.w));
	const files = [...inlined].sort((a, b) => b[1] - a[1]);
	if (files.length) el($('hot'), 'p', 'Of what it spends itself, ' + in100(files.reduce((sum, x) => sum + x[1], 0)) + ' is inlined code: ' + files.slice(0, 4).map(([name, n]) => name + ' ' + in100(n)).join(', ') +
		(files.length > 4 ? ', ' + (files.length - 4) + ' more files' : '') + (all.some(r => r.calls.some(c => c.calls < 0)) ? '.' : '. The profile does not say which of its lines called that.'));
}
/* The tab: it opens at the costliest line in the function's own file. */
function showSource() {
	const f = selected, at = tab === 'asm' ? asmAt : sourceAt;
	if (f === ofShown && ev === evShown && code.parentNode.id === tab) return;
	$(tab).append(code);
	asmShown = tab === 'asm';
	ofShown = f;
	evShown = ev;
	groupsShown = f && at.has(f.i) ? listingAt(at.get(f.i)) : [];
	codeRows.scrollTop = 0;
	drawCode();
	if (groupsShown.length) { hottest(); return; }
	codeRows.textContent = '';
	el(codeRows, 'p', f ? 'The ' + (asmShown ? 'instructions' : 'source') + ' of ' + f.label + (asmShown ? ' are' : ' is') + ' not in this report.' : 'Select a function: its text is shown here.', 'none');
}
DRAWS.source = DRAWS.asm = showSource;
$('showsource').hidden = !sourceAt.size;
$('showasm').hidden = !asmAt.size;
const showCosts = show;
show = () => { showCosts(); hotLines(selected); if (DRAWS[tab] === showSource && !$(tab).hidden) showSource(); };
