/* ---- the source: listings of d-source, and a view of one ---- */
const sourceLines = lines('d-source'), CHUNK = 200;
const sourceAt = new Map(), asmAt = new Map(), begins = l => l[0] === '@' || l[0] === '%';
sourceLines.forEach((l, i) => { if (begins(l)) (l[0] === '@' ? sourceAt : asmAt).set(+l.slice(1), i + 1); });
const costsOf = t => t ? t.split(' ').map(Number) : null;
const inEvent = w => w && w[ev] || 0;
/* The groups (files, or objects) of the listing that begins there. A line has its calls and jumps. */
function listingAt(i) {
	const groups = [];
	let g = null, line = null, inlined = null;
	for (; i < sourceLines.length && !begins(sourceLines[i]); i++) {
		const kind = sourceLines[i][0], t = sourceLines[i].slice(1).split('\t');
		if (kind === 'F') {
			g = {n: +t[4], own: t[0] === '1', path: t[1], why: t[2], newer: t[3] === '1', rows: [], open: true};
			groups.push(g);
			inlined = null;
		} else if (kind === 'L') {
			line = {kind, g, pos: t[0], w: costsOf(t[1]), text: t[2], where: t[3], inlined: t[1] ? inlined : null, calls: []};
			g.rows.push(line);
		} else if (kind === 'C') {
			line.calls.push({to: t[1], calls: +t[2], w: costsOf(t[3])});
			g.rows.push({kind, g, line, to: t[1], calls: +t[2], w: costsOf(t[3]), name: t[4], brief: t[5] || t[4], inlined});
		} else if (kind === 'J') g.rows.push({kind, g, line, to: t[1], text: t[2], inlined});
		else if (kind === 'G') g.rows.push({kind, g, text: t[0]});
		else if (kind === 'I') {
			inlined = t[0] || null;
			if (inlined) g.rows.push({kind, g, name: t[0], brief: t[1] || t[0]});
		}
	}
	return groups;
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
let groupsShown = [];
/* A view in box; called: what a click on the `to` of a call does. */
function codeView(box, called) {
	const code = el(box, 'div', undefined, 'code'), view = el(code, 'div', undefined, 'rows');
	view.tabIndex = 0;
	let hot = [], next = 0, most = 1, drawing = 0;
	/* A row: what the line spends itself, with its calls, its number; its text goes to x. */
	function makeRow(cls, self = '', all = '', n = '') {
		const row = document.createElement('div'), g = el(row, 'div', undefined, 'g');
		row.className = 'r ' + cls;
		return {row, s: el(g, 'span', self, 's'), c: el(g, 'span', all, 'c'), n: el(g, 'span', n, 'n'), x: el(row, 'div', undefined, 'x')};
	}
	function heading() {
		const {row, c, x} = makeRow('head', 'self', 'with calls', groupsShown.instrs ? 'address' : 'line');
		c.title = 'The line and what it calls';
		el(x, 'span', events[ev].title, 'soft');
		view.append(row);
	}
	const sumOf = line => line.calls.reduce((s, c) => s + inEvent(c.w), inEvent(line.w));
	/* The same without calls back into the function, whose cost is that of its other lines. */
	const heatOf = line => line.calls.reduce((s, c) => (groupsShown.again || (c => c.to.includes(':')))(c) ? s : s + inEvent(c.w), inEvent(line.w));
	function lineRow(r) {
		const self = inEvent(r.w), all = sumOf(r);
		const {row, s, c, x} = makeRow('l' + (r.inlined ? ' i' : '') + (r.w ? '' : ' cold'), self ? cost(self) : '', all > self ? cost(all) : '', r.pos);
		const heat = heatOf(r);
		if (heat) s.style.setProperty('--v', Math.max(2, 96 * heat / most).toFixed(1) + '%');
		if (self) {
			s.style.setProperty('--w', Math.max(2, 96 * self / most).toFixed(1) + '%');
			s.title = whole(self) + ' ' + events[ev].title + ', ' + percent(self, total());
		}
		if (all > self) c.title = whole(all) + ' ' + events[ev].title + ' with calls, ' + percent(all, total());
		el(x, 'span', r.text, r.where ? 'op' : undefined);
		if (heat) x.style.setProperty('--h', (0.06 + 0.5 * Math.sqrt(heat / most)).toFixed(3));
		if (r.where) el(x, 'span', r.where, 'where');
		if (r.inlined) x.title = 'inlined: ' + r.inlined;
		r.row = row;
		return row;
	}
	function below(r) {
		const {row, c, x} = makeRow('d' + (r.inlined ? ' i' : ''), '', r.kind === 'C' ? cost(inEvent(r.w)) : '');
		if (r.kind === 'C') c.title = whole(inEvent(r.w)) + ' ' + events[ev].title;
		x.style.setProperty('--in', 2.4 + Math.min(24, indent(r.line.text)) * 0.6 + 'em');
		const link = (text, act, title) => {
			if (act) Object.assign(el(x, 'button', text), {title}).addEventListener('click', act);
			else el(x, 'span', text).title = title;
		};
		if (r.kind === 'C') {
			el(x, 'span', '\u21d2 ');
			link(r.brief, r.to && (() => called(r.to)), r.name);
			el(x, 'span', r.calls < 0 ? ', inlined' : '  ' + short(r.calls) + '\u00d7').title = r.calls < 0 ? 'what this code costs, with its calls' : grouped(r.calls) + ' calls';
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
	let byPos = new Map(), chunks = [];
	function head(g) {
		const row = el(view, 'div', undefined, 'f'), b = el(row, 'button');
		el(b, 'bdi', g.path);
		b.title = g.path + '\nA click ' + (g.open ? 'hides' : 'shows') + ' its lines';
		b.setAttribute('aria-expanded', g.open);
		b.addEventListener('click', () => { g.open = !g.open; draw(); });
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
	function draw() {
		const at = view.scrollTop;
		view.textContent = '';
		view.classList.toggle('instrs', !!groupsShown.instrs);
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
			head(g);
			for (let i = 0; g.open && i < g.rows.length; i += CHUNK) {
				const rows = g.rows.slice(i, i + CHUNK), div = el(view, 'div', undefined, 'chunk');
				div.style.cssText = 'min-height:' + 20 * rows.length + 'px;contain-intrinsic-size:auto ' + 20 * rows.length + 'px';
				for (const r of rows) r.chunk = chunks.length;
				chunks.push({div, rows});
			}
		}
		fillRest(0, ++drawing);
		view.scrollTop = at;
	}
	function goTo(key) {
		const r = byPos.get(key);
		if (!r) return false;
		if (!r.g.open) { r.g.open = true; draw(); }
		fill(chunks[r.chunk]);
		for (const old of view.querySelectorAll('.at')) old.classList.remove('at');
		r.row.classList.add('at');
		const box = view.getBoundingClientRect(), y = r.row.getBoundingClientRect().top - box.top;
		view.scrollTop += y - view.clientHeight / 3;
		const page = view.getBoundingClientRect();
		if (page.top < 0 || page.top > innerHeight - 100) code.scrollIntoView({block: 'nearest'});
		return true;
	}
	return {
		code, goTo,
		/* groups null: say why there is nothing. */
		show(groups, why) {
			const same = groups === groupsShown;
			groupsShown = groups || [];
			if (!same) view.scrollTop = 0;
			draw();
			if (!groups) { view.textContent = ''; el(view, 'p', why, 'none'); }
		},
		hottest() {
			const r = hot[next % hot.length];
			next++;
			if (r) goTo(r.g.n + ':' + r.pos);
		},
	};
}
