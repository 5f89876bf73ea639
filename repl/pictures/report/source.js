/* ---- the source, or the instructions, of the selected function: listings of d-source, and a view of one ---- */
const sourceLines = lines('d-source'), CHUNK = 200;
const sourceAt = new Map(), asmAt = new Map(), begins = l => l[0] === '@' || l[0] === '%';
sourceLines.forEach((l, i) => { if (begins(l)) (l[0] === '@' ? sourceAt : asmAt).set(+l.slice(1), i + 1); });
const costsOf = t => t ? t.split(' ').map(Number) : null;
const inEvent = w => w && w[ev] || 0;
const NO_LINE = {w: null, calls: []};
/* The name of a call of f: [name, short]. */
const calleeOf = (to, name, brief) => to === '' ? [name, brief || name] : [F[+to].name, F[+to].label];
/* The groups (files, or objects) of the listing of f. A line has its calls and jumps, and the line of the base that it is
   (b). */
function listingOf(f, at = sourceAt) {
	const groups = [], was = [];
	let g = null, line = null, inlined = null;
	for (let i = at.get(f.i); i < sourceLines.length && !begins(sourceLines[i]); i++) {
		const kind = sourceLines[i][0], t = sourceLines[i].slice(1).split('\t');
		if (kind === 'F') {
			g = {f, n: +t[4], own: t[0] === '1', path: t[1], why: t[2], newer: t[3] === '1', rows: [], open: true};
			groups.push(g);
			inlined = null;
		} else if (kind === 'L') {
			line = {kind, g, pos: t[0], w: costsOf(t[1]), text: t[2], where: t[3], inlined: t[1] ? inlined : null, calls: [], b: NO_LINE};
			g.rows.push(line);
		} else if (kind === 'C') {
			const [name, brief] = calleeOf(t[1], t[4], t[5]);
			line.calls.push({kind, g, line, to: t[1], calls: +t[2], w: costsOf(t[3]), name, brief, inlined, b: {calls: 0, w: null}});
			g.rows.push(line.calls.at(-1));
		} else if (kind === 'J') g.rows.push({kind, g, line, to: t[1], text: t[2], inlined});
		else if (kind === 'G') g.rows.push({kind, g, text: t[0]});
		else if (kind === 'I') {
			inlined = t[0] || null;
			if (inlined) g.rows.push({kind, g, name: t[0], brief: t[1] || t[0]});
		} else if (kind === 'B') was.push([+t[0], t[1][0], t[1].slice(1), ...t.slice(2)]);
	}
	addBase(groups, was);
	for (const g of groups) g.back = groups.some(g => g.rows.some(r => r.kind === 'C' && again(f, r)));
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
		if (kind === 'L') { line.b.w = costsOf(t[0]); line.text = line.text || t[1]; continue; }
		const b = {to: t[0], calls: +t[1], w: costsOf(t[2])}, [name, brief] = calleeOf(t[0], t[3], t[4]);
		let call = line.calls.find(c => c.to === b.to && c.name === name);
		if (!call) {
			line.calls.push(call = {kind, g, line, to: b.to, calls: 0, w: null, name, brief});
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
/* Shown are the function, the event, its groups, whether they are instructions; rows by place; the costliest. */
let ofShown = null, evShown = -1, groupsShown = [], asmShown = false, byPos = new Map(), chunks = [], hot = [], next = 0, most = 1, drawing = 0;
const code = el(document.createElement('div'), 'div', undefined, 'code'), codeRows = el(code, 'div', undefined, 'rows');
codeRows.tabIndex = 0;
/* A call of a function by itself, whose cost is that of its other lines, or of one in its cycle. */
const again = (f, c) => c.to !== '' && (+c.to === f.i || f.cycle && F[+c.to].cycle === f.cycle);
/* The part of a call that is a part of f's cost, and whether that is an estimate. */
function partOf(f, c, s) {
	if (!again(f, c)) return [1, false];
	const e = callOf(f, F[+c.to]), [n, lo, hi] = e && e.to !== f && weigh(e, s) ? near(f, e, 0, s) : [0, 0, 0];
	return n ? [Math.min(1, n / weigh(e, s)), lo < hi] : [0, false];
}
/* The cost of a line with its calls.  Inlined code may call a recursive function again. */
const callCost = (line, c, s) => line.g.back && c.calls === -1 ? 0 : inEvent(c.w) * partOf(line.g.f, c, s)[0];
const sumOf = (line, s = 0) => on(line, s).calls.reduce((sum, c) => sum + callCost(line, c, s), inEvent(on(line, s).w));
const heatOf = line => Math.max(...SIDES.map(s => sumOf(line, s)));
const markOf = line => about || (SIDES.some(s => on(line, s).calls.some(c => partOf(line.g.f, c, s)[1])) ? '~' : '');
/* Of two profiles: 5 -> 7. */
const lineCost = (now, was, mark = about) => two && both() && now !== was ? arrow(now, was, mark) : now ? mark + cost(now) : '';
const lineTitle = (now, was, what, mark = about) => now || was ? mark + whole(now) + ' ' + events[ev].title + what + ', ' + percent(now, total()) + (two && both() ? '; ' + whole(was) + ' in ' + data.base + ': ' + changeText(now, was) : '') : '';
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
	const [self, all] = [inEvent(r.w), sumOf(r)], [own, was] = two ? [inEvent(r.b.w), sumOf(r, 1)] : [0, 0], heat = heatOf(r), mark = markOf(r), wide = n => Math.max(2, 96 * n / most).toFixed(1) + '%';
	const {row, s, c, x} = makeRow('l' + (r.inlined ? ' i' : '') + (r.w || r.b.w ? '' : ' cold'), lineCost(self, own), all > self || was > own ? lineCost(all, was, mark) : '', r.pos);
	if (heat) s.style.setProperty('--v', wide(heat));
	if (self || own) s.style.setProperty('--w', wide(Math.max(self, own)));
	s.title = lineTitle(self, own, '');
	c.title = lineTitle(all, was, ' with calls', mark);
	el(x, 'span', r.text, r.where ? 'op' : undefined);
	if (two && both()) x.style.background = shade(all - was) && 'var(--' + shade(all - was) + ')';
	else if (heat) x.style.setProperty('--h', (0.06 + 0.5 * Math.sqrt(heat / most)).toFixed(3));
	if (r.where) el(x, 'span', r.where, 'where');
	if (r.inlined) x.title = 'inlined: ' + r.inlined;
	r.row = row;
	return row;
}
function below(r) {
	const [now, was, mark] = r.kind === 'C' ? [inEvent(r.w) * partOf(r.g.f, r, 0)[0], two ? inEvent(r.b.w) * partOf(r.g.f, {to: r.to}, 1)[0] : 0, partOf(r.g.f, r, 0)[1] ? '~' : about] : [0, 0, ''];
	const {row, c, x} = makeRow('d' + (r.inlined ? ' i' : ''), '', r.kind !== 'C' ? '' : +r.to === r.g.f.i && r.to !== '' ? '\u21bb' : lineCost(now, was, mark) || cost(0));
	c.title = r.kind === 'C' ? lineTitle(now, was, '', mark) : '';
	x.style.setProperty('--in', 2.4 + Math.min(24, indent(r.line.text)) * 0.6 + 'em');
	const link = (text, act, title) => {
		if (act) Object.assign(el(x, 'button', text), {title}).addEventListener('click', act);
		else el(x, 'span', text).title = title;
	};
	if (r.kind === 'C') {
		el(x, 'span', '\u21d2 ');
		link(r.brief, r.to && (() => select(F[+r.to], true)), r.name);
		const said = n => [r.calls, r.b.calls].includes(n);
		el(x, 'span', said(-1) ? ', inlined' : said(-2) ? '' : '  ' + callsText(r, short) + '\u00d7').title = said(-1) ? 'what this code costs, with its calls' : said(-2) ? 'calls not counted' : callsText(r, grouped) + ' calls';
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
/* The lines of a card: the costliest, or those that changed most. */
function hottestOf(all) {
	const list = all.filter(x => x.now > 0 || x.was > 0), changed = two && both() ? list.filter(x => x.now !== x.was) : [];
	return (changed.length ? changed.sort((a, b) => Math.abs(b.now - b.was) - Math.abs(a.now - a.was)) : list.sort((a, b) => b.now - a.now)).slice(0, 8);
}
function hotLine(list, {r, now, was}) {
	const own = inEvent(r.w), mark = markOf(r), self = r.calls.some(c => +c.to === r.g.f.i && c.to !== ''), text = r.text ? r.text.trim() + (self ? ' \u21bb' : '') : own && own < now ? 'own ' + percent(own, total()) : '';
	const div = shareLine($('hot'), now, total(), list[0].now, (real(r.g.path) ? base(r.g.path) + ':' : 'line ') + r.pos, r.g.path, text, r.text ? '' : 'soft', mark), share = div.firstChild;
	if (two && both()) {
		share.textContent = lineCost(now, was, mark);
		share.className = 'w3 ' + (now === was ? '' : now < was ? 'less' : 'more');
		share.style.setProperty('--w', (100 * Math.abs(now - was) / (Math.abs(list[0].now - list[0].was) || 1)).toFixed(0) + '%');
	}
	/* What it calls, and how often. */
	const [most] = r.calls.filter(c => c.calls !== -1 && +c.to !== r.g.f.i).sort((a, b) => inEvent(b.w) - inEvent(a.w)), times = most && most.calls < 0 ? '' : most && ' ' + callsText(most, short) + '\u00d7';
	if (most) el(div, 'span', '\u2192 ' + most.brief + times, 'soft calls').title = most.name + times;
	share.style.setProperty('--o', (100 * own / (list[0].now || 1)).toFixed(0) + '%');
	share.title = lineTitle(now, was, ' with calls', mark);
	div.style.cursor = 'pointer';
	(div.querySelector('code') || share).title += r.text + (self ? '\nand calls ' + r.g.f.name + ' itself, whose cost is that of these lines' : '');
	div.addEventListener('click', () => { if (tab !== 'source') openTab('source'); goTo(r.g.n + ':' + r.pos); });
}
/* Without lines that are inlined, if debug information tells which lines called them. */
function hotLines(f) {
	if (!f || !('lines' in data) || !f.line) return;
	const has = sourceAt.has(f.i), all = has ? listingOf(f).flatMap(g => g.rows).filter(r => r.kind === 'L') : [], called = all.some(r => r.g.own && r.calls.some(c => c.calls === -1)), text = all.some(r => r.text);
	if (!text) {
		el($('hot'), 'p', has ? two ? 'Its lines that changed most, with what they call; all: ' : 'Its costliest lines, with what they call; all: ' : 'Its costliest lines: ');
		el($('hot').lastChild, 'code', (f.gone ? 'in ' + data.base + ': ' : '') + 'lines of #' + f.id + (two && !f.gone ? ' vs ' + data.base : '') + (events[ev].name === data.event ? '' : ' | sort ' + events[ev].name) + (has ? '' : ' | take 5'));
		if (f.text) $('hot').lastChild.append('; with their text, in a report written with --with-source');
	}
	const list = hottestOf(all.filter(r => +r.pos && (!called || !r.inlined)).map(r => ({r, now: sumOf(r), was: two && both() ? sumOf(r, 1) : 0})));
	for (const x of list) hotLine(list, x);
	/* Its cost in code of other files. */
	const inlined = new Map(), in100 = n => (100 * n / f.self[ev]).toFixed(0) + ' %';
	for (const r of all) if (text && !r.g.own && inEvent(r.w) > 0) inlined.set(base(r.g.path), (inlined.get(base(r.g.path)) || 0) + inEvent(r.w));
	const files = [...inlined].sort((a, b) => b[1] - a[1]);
	if (files.length) el($('hot'), 'p', 'Of what it spends itself, ' + in100(files.reduce((sum, x) => sum + x[1], 0)) + ' is inlined code: ' + files.slice(0, 4).map(([name, n]) => name + ' ' + in100(n)).join(', ') +
		(files.length > 4 ? ', ' + (files.length - 4) + ' more files' : '') + (all.some(r => r.calls.some(c => c.calls === -1)) ? '.' : '. The profile does not say which of its lines called that.'));
}
/* The tab: it opens at the costliest line in the function's own file. */
function showSource() {
	const f = selected, at = tab === 'asm' ? asmAt : sourceAt;
	if (f === ofShown && ev === evShown && code.parentNode.id === tab) return;
	$(tab).append(code);
	asmShown = tab === 'asm';
	ofShown = f;
	evShown = ev;
	groupsShown = f && at.has(f.i) ? listingOf(f, at) : [];
	codeRows.scrollTop = 0;
	drawCode();
	if (groupsShown.length) { hottest(); return; }
	codeRows.textContent = '';
	el(codeRows, 'p', f ? 'The ' + (asmShown ? 'instructions' : 'source') + ' of ' + f.label + (asmShown ? ' are' : ' is') + ' not in this report.' : 'Select a function: its text is shown here.', 'none');
}
DRAWS.source = DRAWS.asm = showSource;
$('showsource').hidden = !sourceAt.size;
$('showasm').hidden = !asmAt.size;
