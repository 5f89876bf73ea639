/* ---- the flame graph: at most ROWS rows of frames, the zoomed one and its ancestors at the top ---- */
const SMALL = innerWidth <= 700, MOST_ROWS = SMALL ? 10 : 14, LEAST_ROWS = 6, H = SMALL ? 24 : 20, NARROW = SMALL ? 12 : 4, WIDE_LETTER = SMALL ? 6.7 : LETTER;
let ROWS = 0, wide = 0, grown = null, boxes = [], marked = -1, shownTop = null;
const DRAWS = {}; /* what draws a tab of its own script */
const joint = c => c.up ? ' \u2039 ' : ' \u203a '; /* "calls", or "is called by" */
const nameOf = n => n.f ? n.f.name : data.profile;
/* What fits k letters of a chain's names: all of them, the first and the last, the one it is named after. */
function chainName(c, k) {
	const mark = c.chain.some(n => n.folded) ? ' \u21bb' : '', names = c.chain.map(n => n.f ? n.f.label : data.profile), face = c.face.f, last = names.at(-1);
	const one = () => { const s = fitName(face, k - mark.length); return s && s + mark; };
	if (c.chain.length === 1 && face) return one();
	for (const s of [names.join(joint(c)), names.length > 2 ? names[0] + joint(c) + '\u2026' + joint(c) + last : '', c.up ? names[0] + joint(c) + '\u2026' : '\u2026' + joint(c) + last])
		if (s && s.length + mark.length <= k) return s + mark;
	return face ? one() : last.slice(0, Math.max(0, k));
}
/* The colour of a change: of what f spends itself, else, as the lower edge, of its cost with calls.  What only an estimate
   may change, and less than 1 % of all changes, is grey; so is a place where the function as a whole changes the other
   way. */
const shade = (by, whole = by) => {
	const share = by * whole <= 0 ? 0 : Math.min(Math.abs(by), Math.abs(whole)) / allChanges;
	return share < 0.01 ? '' : (by > 0 ? 'm' : 'l') + (1 + (share >= 0.03) + (share >= 0.1) + (share >= 0.3));
};
function changeClass(f, own, all) {
	const below = shade(all, inclBy(f));
	return shade(own, changeBy(f)) || (below ? 'thru ' + below : 's');
}
const gone = b => two && both() && !b.n.est[0];
const colour = n => !n.f ? 's' : two ? both() ? changeClass(n.f, n.self[0] - n.self[1], n.est[0] - n.est[1]) : 's' : 'c' + n.f.group;
const paint = f => two ? both() ? changeClass(f, changeBy(f), inclBy(f)) : 's' : 'c' + f.group;
function flame() {
	const box = $('frames'), crumbs = [];
	showTab();
	if (tab) { if (DRAWS[tab]) DRAWS[tab](); return; }
	const high = list => 1 + Math.max(...list.map(b => b.y)), anew = !ROWS || !grown && mode === 'all';
	let top = grown = grown || grow(), y = 0;
	/* Callers above the selected function, callees below it; a zoom shows one of them. */
	const sandwich = mode !== 'all' && !path.length;
	/* By functions, so that the zoom survives a change of event. */
	for (const i of path) {
		const next = top.kids.get(F[i]);
		if (!next) break;
		crumbs.push(top);
		top = next;
	}
	path = path.slice(0, crumbs.length);
	shownTop = top;
	sentence();
	if (anew) ROWS = MOST_ROWS;
	wide = box.clientWidth;
	boxes = [];
	if (crumbs.length) boxes.push({crumbs, up: mode === 'to', x: 0, w: wide, y: y++});
	if (!sandwich) boxes.push(...layout(top, y, ROWS, mode === 'to'));
	else {
		const below = layout(top, 0, ROWS - 1), half = Math.ceil(ROWS / 2);
		const callers = grow('to'), above = callers.kids.size ? layout(callers, 0, ROWS + 1 - Math.min(half, high(below)), true) : below.slice(0, 1), at = high(above) - 1;
		for (const b of above.slice(1)) { b.y = at - b.y; boxes.push(b); }
		for (const b of high(below) > ROWS - at ? layout(top, 0, ROWS - at) : below) { b.y += at; boxes.push(b); }
	}
	/* Callers stand above what they call, zoomed or not. */
	if (mode === 'to' && path.length) { const last = high(boxes) - 1; for (const b of boxes) b.y = last - b.y; }
	/* The height is that of the whole program, so that a zoom moves nothing. */
	if (anew) ROWS = Math.max(LEAST_ROWS, Math.min(ROWS, high(boxes)));
	box.style.height = ROWS * H + 'px';
	box.textContent = '';
	box.append(...boxes.map((b, i) => b.div = frame(b, i)));
	marked = Math.min(marked, boxes.length - 1);
	const any = c => boxes.some(c);
	$('legend').textContent = $('legend').title = [any(b => b.last && !exact(b.n)) ? '~ estimated' : !provenText() && (F.some(f => f.out.length) ? 'no estimates: all stacks are measured' : 'no stacks: the profile has no calls'), provenText(), two && 'colour: its own share of all changes; lower edge: with calls', any(b => b.chain && b.chain.length > 1) && 'chains joined \u203a' + (sandwich ? ' \u2039' : ''), any(b => b.chain && b.chain.some(n => n.folded)) && 'estimated recursion \u21bb',
		any(b => b.n > 0) && '\u25a8 calls under ' + NARROW + ' px', any(b => b.chain && gone(b)) && 'struck out: gone', any(b => b.cut) && '\u2026 more: zoom'].filter(s => s).join(' \u00b7 ');
	$('status').textContent = said();
	mark();
}
/* The frames of a tree from row y on; up: it is one of callers. */
function layout(top, y, rows, up = false) {
	const scale = wide / (top.wide || 1), list = [], todo = [{...drawn(top, up), n: top, x: 0, w: wide, y}];
	for (const t of todo) {
		list.push(t);
		if (t.y + 1 >= rows) { t.cut = t.kids.length > 0; continue; }
		let x = t.x;
		const rest = {rest: [], cost: zeros(), x: 0, w: 0, y: t.y + 1};
		for (const n of t.kids) {
			const w = n.wide * scale;
			if (w >= NARROW) todo.push({...drawn(n, up), n, x, w, y: t.y + 1});
			else { rest.rest.push(n); rest.w += w; for (const s of SIDES) rest.cost[s] += n.est[s]; }
			x += w >= NARROW ? w : 0;
		}
		for (const m of t.chain) for (const s of SIDES) rest.cost[s] += m.rest[s];
		rest.w += t.chain.reduce((w, m) => w + Math.max(...m.rest), 0) * scale;
		rest.x = x;
		rest.n = rest.rest.length;
		if (rest.w >= NARROW) list.push(rest);
	}
	return list;
}
/* The name as far as it fits, "~" and "..." where there is room for them. */
function frameName(b, k, guess) {
	const room = k > 4, before = guess ? '~' : '', after = b.cut && room ? ' \u2026' : '', name = chainName(b, k - before.length - after.length);
	return name && before + name + after;
}
function frame(b, i) {
	const div = document.createElement('div'), k = Math.floor((b.w - (b.rest ? 2 : 5)) / WIDE_LETTER);
	const guess = b.last && !exact(b.n);
	div.className = 'f ' + (b.crumbs ? 'up' : b.rest ? b.n ? 'rest' : 'rest few' : colour(b.face) + (gone(b) ? ' gone' : '') + (guess ? ' e' : ''));
	div.style.cssText = 'left:' + b.x.toFixed(2) + 'px;width:' + (b.w - 1).toFixed(2) + 'px;top:' + b.y * H + 'px';
	const text = b.crumbs ? (b.up ? '\u2193 ' : '\u2191 ') + b.crumbs.map(n => n.f ? n.f.label : data.profile).join(joint(b)) : b.rest ? b.n ? '+' + b.n : 'cheap calls'.slice(0, k) : frameName(b, k, guess);
	const ends = b.last ? [...new Set([b.n, b.last].map(n => percent(n.est[0], total())))] : [], share = b.last && !two && b.w > 0.08 * wide ? ' ' + ends.join(' \u2013 ') : '';
	if (k > 1) div.textContent = text + (text.length + share.length <= k ? share : '');
	div.title = b.crumbs ? 'A click zooms out' : b.rest ? tells(b) : b.chain.map(nameOf).join(joint(b)) + '\n' + tells(b);
	div.setAttribute('role', 'treeitem');
	div.setAttribute('aria-level', b.y + 1);
	div.setAttribute('aria-label', div.title.replace('\n', ', '));
	div.id = 'f' + i;
	div.dataset.n = i;
	return div;
}
/* Shares of calls are rounded: what is measured is that number. */
const costOf = (n, s) => Math.round(n.f && n.est[s] && exact(n) ? n.hi[s] : n.est[s]);
const spell = (n, s) => (exact(n) ? '' : '~') + whole(costOf(n, s)) + (s ? '' : ' ' + events[ev].title) + ', ' + percent(n.est[s], total(s)) +
	(n.f && !exact(n) ? between(n.lo[s], n.hi[s]) : '');
function tells(b) {
	if (b.rest) return (b.n ? b.n.toLocaleString('en-US') + ' calls too narrow to be drawn: ' : 'Calls that are too cheap to be told apart: ') + whole(Math.round(b.cost[0])) + ' ' + events[ev].title + (two && both() ? ' here, ' + whole(Math.round(b.cost[1])) + ' in ' + data.base : '');
	const own = s => b.chain.reduce((sum, n) => sum + n.self[s], 0);
	if (!two || !both()) return spell(b.n, 0) + '; by itself ' + whole(Math.round(own(0))) + (b.last === b.n ? '' : '; ' + nameOf(b.last) + ' ' + spell(b.last, 0));
	return 'here ' + spell(b.n, 0) + '; ' + data.base + ' ' + spell(b.n, 1) + ': ' + changeText(Math.round(b.n.est[0]), Math.round(b.n.est[1])) +
		'\nby itself: here ' + whole(Math.round(own(0))) + '; ' + data.base + ' ' + whole(Math.round(own(1))) + ': ' + changeText(Math.round(own(0)), Math.round(own(1)));
}
/* Of the whole program. */
function provenText() {
	const p = trees.filter(t => t[ev]).map(t => t[ev].proven);
	return mode !== 'all' || !p.some(x => x < 1) ? '' : p.map((x, s) => (Math.floor(1000 * x) / 10).toFixed(1) + ' % ' + (s ? 'of that of ' + data.base : 'of the cost')).join(' and ') + ' is on proven stacks';
}
/* How much of the cost is the program's own, not that of starting it. */
const mainFn = F.filter(f => f.out.length && /^(main|\{main\}|main\.main|<module>)(\(.*\))?$/.test(f.name)).sort((a, b) => b.incl[ev] - a.incl[ev])[0];
/* One sentence: the widest frames where the program first goes several ways, or the one that has most itself. */
function sentence() {
	const most = mainFn && mainFn.incl[ev] >= 0.1 * total(), top = most && widest(mainFn) || grown, box = $('sentence'), {last, kids} = drawn(top), wide = kids.reduce((sum, n) => sum + n.est[0], 0);
	if (two || mode !== 'all' || !total()) return;
	box.textContent = mainFn ? tilde(mainFn) + percent(mainFn.incl[ev], total()) + ' is below ' + mainFn.name + (most ? ': ' : '; elsewhere ') : '';
	for (const n of (wide < last.est[0] / 2 ? [last] : kids).filter(n => n.f && n.est[0] >= 0.01 * total()).slice(0, 3)) {
		box.append(el(box, 'button', fitName(n.f, 40)), ' ' + (exact(n) ? '' : '~') + percent(n.est[0], total()) + '   ');
		box.querySelector('button:last-of-type').dataset.i = n.f.i;
	}
}
function said() {
	const what = path.length ? 'Zoomed to ' + nameOf(shownTop) + (mode === 'all' ? '' : mode === 'to' ? ', calls that reach ' + subject.name : ', called by ' + subject.name) : mode === 'all' ? 'From where the program starts' : 'Callers above, callees below ' + subject.name;
	/* Shares of all calls that are rounded add up to a few units more or less than the total. */
	const sum = s => { const n = costOf(shownTop, s); return mode === 'all' && !path.length && Math.abs(n - total(s)) <= F.length ? total(s) : n; };
	return what + ': ' + (two ? 'here ' : '') + whole(sum(0)) + ' ' + events[ev].title +
		(two ? '; ' + data.base + ' ' + (both() ? whole(sum(1)) + '; ' + changeText(sum(0), sum(1)) : 'has no such event') : '') ;
}
/* Mark the frames of the selected function, and those that the search finds; say how many it finds. */
function mark() {
	boxes.forEach((b, i) => {
		const of = test => b.chain && b.chain.some(n => n.f && test(n.f));
		b.div.classList.toggle('sel', !!selected && !!of(f => f === selected));
		b.div.classList.toggle('hit', !!test && !!of(test));
		b.div.classList.toggle('at', i === marked);
	});
	/* Where it is too narrow, the box that it is in, or the frame that it lies on. */
	let n = selected && !boxes.some(b => b.div.matches('.sel')) && widest(selected), host = null;
	while (n && !(host = boxes.find(b => (b.rest || b.chain || []).includes(n)))) n = n.on;
	for (const b of boxes) b.div.classList.toggle('within', b === host);
	$('frames').setAttribute('aria-activedescendant', marked >= 0 ? 'f' + marked : '');
	if (!test) { $('hits').textContent = ''; return; }
	const found = F.filter(test), own = found.reduce((sum, f) => sum + f.self[ev], 0), seen = new Set(boxes.flatMap(b => b.chain ? b.chain.map(n => n.f) : []));
	const hidden = found.filter(f => !seen.has(f)).length;
	$('hits').textContent = found.length.toLocaleString('en-US') + (found.length === 1 ? ' function' : ' functions') + (two && both() ? ': ' + arrow(own, found.reduce((sum, f) => sum + f.b.self[ev], 0), about) : total() ? ', own ' + (percent(own, total()) || '0.00%') : '') + (tab || two || !shownTop || !shownTop.est[0] || mode === 'to' ? '' : ', with calls ' + reachText()) +
		(hidden ? '; ' + hidden.toLocaleString('en-US') + ' too narrow to draw' : '');
}
/* What the frames that the search finds cost with their calls, those on another with it: of all, and of what is shown. */
function reachText() {
	let sum = 0, mark = '';
	for (const todo = [shownTop]; todo.length;) {
		const n = todo.pop();
		if (!n.f || !test(n.f)) { todo.push(...n.kids.values()); continue; }
		sum += n.est[0];
		if (!exact(n)) mark = '~';
	}
	return mark + (percent(sum, total()) || '0.00%') + (shownTop === grown && mode === 'all' ? '' : ', ' + mark + (percent(sum, shownTop.est[0]) || '0.00%') + ' of what is shown');
}
function widest(f) {
	let most = null;
	for (const todo = [grown]; grown && todo.length;) {
		const n = todo.pop();
		if (n.f === f && !(most && most.wide >= n.wide)) most = n;
		todo.push(...n.kids.values());
	}
	return most;
}
function zoom(n) {
	path = [];
	for (; n && n.on; n = n.on) path.unshift(n.f.i);
	if (mode === 'to' && !path.length) { mode = 'from'; grown = null; }
	flame();
	went();
}
/* A click, or Enter: select its function, and zoom; again on what fills the picture, or on the row of ancestors: zoom out. */
function hit(b) {
	if (!b || b.rest) return;
	if (b.crumbs) { zoom(b.crumbs.at(-1)); return; }
	/* Of a chain, what the search finds. */
	const f = test && b.chain.map(n => n.f).findLast(f => f && test(f)) || b.face.f;
	if (f) select(f, true, null);
	if (mode !== 'all' && !path.length && b.n.on) { mode = b.up ? 'to' : 'from'; grown = null; }
	zoom(b.up ? b.n : b.last);
}
/* Arrows: to the frame below, above, or beside the marked one. */
function step(key) {
	const b = boxes[marked], across = {ArrowDown: 1, ArrowUp: -1}[key];
	const to = !b ? boxes.find(o => !o.y) : across ? boxes.find(o => o.y === b.y + across && o.x < b.x + b.w - 0.5 && o.x + o.w > b.x + 0.5) :
		boxes.filter(o => o.y === b.y && (key === 'ArrowRight' ? o.x > b.x : o.x < b.x)).sort((p, q) => key === 'ArrowRight' ? p.x - q.x : q.x - p.x)[0];
	if (!to) return;
	marked = boxes.indexOf(to);
	mark();
	hover(to);
}
/* Each number has its place, so that the eye stays there. */
function hover(b) {
	const n = b.chain && (b.up ? b.n : b.last), f = n && n.f, box = $('status'), own = s => b.chain.reduce((sum, m) => sum + m.self[s], 0);
	box.classList.toggle('two', two);
	box.textContent = f ? '' : b.div.title.replace(/\n/g, ' \u00b7 ');
	if (!f) return;
	for (const text of [fitName(f, 44), ...two && both() ? ['with calls ' + change2(costOf(n, 0), costOf(n, 1), exact(n) ? '' : '~'), 'own ' + change2(Math.round(own(0)), Math.round(own(1)), about)] :
		['with calls ' + (exact(n) ? '' : '~') + percent(n.est[0], total()), 'own ' + percent(own(0), total())], callsText(f, grouped) + '\u00d7', exact(n) || two || n.hi[0] === Infinity ? '' : 'between ' + percent(n.lo[0], total()) + ' and ' + percent(n.hi[0], total())])
		el(box, 'span', text);
}
$('frames').addEventListener('click', x => hit(boxes[x.target.dataset.n]));
$('frames').addEventListener('mouseover', x => { const b = boxes[x.target.dataset.n]; if (b) hover(b); });
$('frames').addEventListener('mouseleave', () => { $('status').textContent = said(); });

/* ---- the bar of what the cost is made of: legend, and filter ---- */
function composition() {
	const box = $('comp'), sum = Array(MOST_GROUPS + 1).fill(0);
	box.textContent = '';
	for (const f of F) sum[f.group] += f.self[ev];
	if (two) {
		for (const [c, says] of [['l4', '\u221230 %'], ['l3', '\u221210 %'], ['l2', '\u22123 %'], ['l1', '\u22121 %'], ['s', 'the same'], ['m1', '+1 %'], ['m2', '+3 %'], ['m3', '+10 %'], ['m4', '+30 %']])
			el(box, 'span', says, c).title = 'of all changes, of each frame by itself';
		return;
	}
	sum.forEach((cost, g) => {
		if (!(cost > 0)) return;
		const name = groupNames[g] || 'the rest', part = cost / (total() || 1), b = el(box, 'button', part < 0.03 ? '' : name + ' ' + (100 * part).toFixed(0) + '%', 'c' + g);
		b.style.flexGrow = Math.max(1, Math.round(1000 * part));
		b.setAttribute('aria-label', name + ' ' + percent(cost, total()));
		b.title = name + ': ' + whole(cost) + ' ' + events[ev].title + ', ' + percent(cost, total());
		b.setAttribute('aria-pressed', $('q').value === 'in:' + name);
		b.addEventListener('click', () => { $('q').value = $('q').value === 'in:' + name ? '' : 'in:' + name; search(); });
	});
}

/* ---- parts ---- */
let range = null; /* the first and the last bar that are chosen */
function timeline() {
	const bars = parts.map((all, s) => {
		const n = +data[s ? 'partsBase' : 'parts'];
		return {total: total(s), list: all.map(p => ({cost: p.cost[ev], what: p.what, top: p.top, wide: all.every(q => q.span > 0) ? p.span / all[0].span : 1})), timed: all.every(q => q.span > 0), per: all.length ? Math.ceil(n / all.length) : 1, n};
	}).filter(b => b.list.length > 1);
	const tallest = bars.flatMap(b => b.list).reduce((m, x) => x.cost > m.cost ? x : m, {cost: 1, what: ''}), most = tallest.cost;
	$('showparts').hidden = !bars.length;
	$('bars').textContent = $('chosen').textContent = '';
	$('partsabout').textContent = bars.map(b => (two ? (b === bars[0] && parts[0].length > 1 ? data.profile : data.base) + ': ' : '') + b.n.toLocaleString('en-US') +
		' parts, in file order' + (b.timed ? ', as wide as they ran long (basic blocks)' : '') + (b.per > 1 ? '; a bar is ' + b.per.toLocaleString('en-US') + ' of them' : '')).join('. ') + '; the tallest, ' + tallest.what + ', ' + whole(most) + ' ' + events[ev].title + (two ? '' : '. Drag over some, or Shift and arrows');
	for (const b of bars) {
		const box = el($('bars'), 'div', undefined, 'bars' + (b.list.length > 150 ? ' many' : ''));
		for (const x of b.list) {
			const i = el(box, 'i');
			i.style.flexGrow = x.wide;
			i.style.height = (100 * x.cost / most).toFixed(1) + '%';
			i.title = x.what + '\n' + whole(x.cost) + ' ' + events[ev].title;
		}
		const names = b.list.length <= 24 ? el($('bars'), 'div', undefined, 'names soft') : null;
		if (names) for (const x of b.list) {
			const name = el(names, 'span', partName(b.list, x) + ' ' + (b.total ? (100 * x.cost / b.total).toFixed(1) + '%' : ''));
			name.title = x.what;
			name.style.flexGrow = x.wide;
		}
		if (!two) chooseParts(box, b);
	}
}
/* The own cost of the selected function in each part. */
function partsOf() {
	const f = selected, all = parts[0], told = f && !two && all.length > 1 && events[ev].name === data.event;
	const shares = told ? all.map(p => ({p, n: (p.top.find(t => t[0] === f.i) || [0, 0])[1]})) : [], found = shares.filter(x => x.n > 0).sort((a, b) => b.n - a.n), left = shares.some(x => !x.n && x.p.more);
	document.querySelectorAll('#bars .bars i').forEach((i, k) => i.style.setProperty('--f', told && all[k].cost[ev] > 0 ? (100 * shares[k].n / all[k].cost[ev]).toFixed(1) + '%' : '0%'));
	$('partof').textContent = !told || !all.some(p => p.top.length) ? '' : f.label + ' itself: ' + found.slice(0, 6).map(x => partName(all, x.p) + ' ' + percent(x.n, f.self[ev])).join(', ') +
		(found.length > 6 ? ', ' + (found.length - 6) + ' more' : '') + (found.length ? left ? '; of the others it is not among the costliest' : '' : 'not among the costliest of any part');
}
/* Without the words that most of them have. */
const partName = (all, p) => p.what.split(', ').filter(w => 2 * all.filter(o => o.what.split(', ').includes(w)).length <= all.length || all.length < 2).join(', ');
/* "2-4,7", or nothing if a number comes again. */
function spans(numbers) {
	const out = [];
	for (const n of numbers.sort((a, b) => a - b)) {
		const last = out.at(-1);
		if (isNaN(n) || last && n <= last[1]) return '';
		if (last && n === last[1] + 1) last[1] = n;
		else out.push([n, n]);
	}
	return out.map(([a, b]) => a === b ? a : a + '-' + b).join();
}
/* How a query names these bars, and no other. */
function portion(list, others) {
	const of = (word, bars) => bars.map(x => +(new RegExp('\\b' + word + ' (\\d+)').exec(x.what) || [])[1]), named = word => word + ' ' + spans(of(word, list));
	for (const word of ['part', 'thread']) if (spans(of(word, list)) && !of(word, others).some(n => of(word, list).includes(n))) return named(word);
	return list.length === 1 && of('thread', list)[0] ? named('part') + ' | ' + named('thread') : '';
}
/* Choose bars by a drag or by keys: what they cost, and the query that asks them alone, or compares them with the others. */
function chooseParts(box, b) {
	const at = x => { const i = [...box.children].findIndex(i => x.clientX < i.getBoundingClientRect().right); return i < 0 ? b.list.length - 1 : i; };
	const set = (from, to) => {
		range = [from, to];
		const [first, last] = from < to ? [from, to] : [to, from], list = b.list.slice(first, last + 1), sum = list.reduce((n, x) => n + x.cost, 0);
		const rest = b.list.filter(x => !list.includes(x)), name = portion(list, rest), others = name.includes('|') ? '' : portion(rest, list);
		[...box.children].forEach((i, k) => i.classList.toggle('in', k >= first && k <= last));
		$('chosen').textContent = (list.length > 1 ? list[0].what + ' to ' + list.at(-1).what : list[0].what) + ': ' + whole(sum) + ' ' + events[ev].title + ', ' + percent(sum, b.total) + (name ? '. Its functions: ' : '');
		if (name) el($('chosen'), 'code', name + ' | functions');
		if (name && others) { $('chosen').append('; beside the others: '); el($('chosen'), 'code', name + ' | functions vs ' + others); }
		const top = list.length === 1 && events[ev].name === data.event ? list[0].top.slice(0, 8) : [], tops = el($('chosen'), 'div', undefined, 'tops');
		for (const [f, n] of top) shareLine(tops, n, sum, top[0][1], F[f].label, F[f].name, '').dataset.i = f;
		keepHeight();
	};
	box.tabIndex = 0;
	box.setAttribute('aria-label', 'Parts; arrow keys choose one, with Shift several');
	box.addEventListener('pointerdown', x => { x.preventDefault(); box.focus(); box.setPointerCapture(x.pointerId); set(at(x), at(x)); });
	box.addEventListener('pointermove', x => { if (x.buttons && range) set(range[0], at(x)); });
	box.addEventListener('keydown', x => {
		const by = {ArrowLeft: -1, ArrowRight: 1}[x.key];
		if (!by) return;
		const to = range ? Math.max(0, Math.min(b.list.length - 1, range[1] + by)) : 0;
		x.preventDefault();
		set(x.shiftKey && range ? range[0] : to, to);
	});
	if (range) set(...range.map(i => Math.min(i, b.list.length - 1)));
}
