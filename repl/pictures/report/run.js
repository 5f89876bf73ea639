/* ---- the run in the order of time: the frames of d-run, each call where it stood ----
   Requests of one profile stand one after another.  Calls of one function beside each other, too narrow to be told
   apart, are one frame, "f x 12"; a chain of nearly the same cost is one, too. */
const RUN_ROWS = SMALL ? 12 : 22, JOINS = 70, /* px */ THIN = 2;
const runTops = [], runAll = [], runEvent = ev;
let runEnd = 0, runAt = [0, 1], runSpan = null, runBoxes = [];
for (const l of lines('d-run')) {
	const [depth, f, start, w, own, calls] = l.split(' ').map(Number), n = {depth, f: f < 0 ? null : F[f], w, own, calls, kids: []};
	let on = runAll.at(-1);
	while (on && on.depth >= depth) on = on.on;
	/* A request begins at 0; a fiber, or a call that never returned, may lie on none, too. */
	const next = !on && runTops.length && +data.parts > 1 && start === 0, last = on || runTops.at(-1);
	n.shift = next ? runEnd : last ? last.shift : 0;
	n.part = next ? last.part + 1 : last ? last.part : 1;
	Object.assign(n, {on, start, x: n.shift + start});
	(on ? on.kids : runTops).push(n);
	runAll.push(n);
	runEnd = Math.max(runEnd, n.x + w);
}
runAt = [0, runEnd];
$('showrun').hidden = !runAll.length;
DRAWS.run = drawRun;
const runCost = n => cost(n, runEvent), overlap = (n, [a, b]) => Math.max(0, Math.min(b, n.x + n.w) - Math.max(a, n.x));
/* What a frame spends itself in a span: what its calls leave of it there, if the span cuts it. */
const inside = (n, span) => overlap(n, span) > n.w - 1e-6;
const ownIn = (n, span) => inside(n, span) ? n.own : Math.min(n.own, Math.max(0, overlap(n, span) - n.kids.reduce((sum, k) => sum + overlap(k, span), 0)));
const apart = runTops.some((n, i) => i && n.x < runTops[i - 1].x + runTops[i - 1].w);
function drawRun() {
	const box = $('runframes'), wide = box.clientWidth, scale = wide / (runAt[1] - runAt[0] || 1), ends = [];
	runBoxes = [];
	const add = (nodes, y) => {
		/* One level below main every frame has a name. */
		const thin = y === 1 ? 14 : THIN, joins = y === 1 ? 130 : JOINS, deepest = RUN_ROWS * (1 + Math.floor(y / RUN_ROWS));
		for (const n of nodes) {
			const x = Math.max(0, (n.x - runAt[0]) * scale), w = Math.min(wide, (n.x + n.w - runAt[0]) * scale) - x, last = ends[y];
			if (w <= 0) continue;
			const chain = [n];
			while (chain.at(-1).kids.length === 1 && chain.at(-1).kids[0].w >= JOINED * chain.at(-1).w && chain.at(-1).on) chain.push(chain.at(-1).kids[0]);
			const same = last && x - last.x - last.w < THIN && last.chain.at(-1).on === chain.at(-1).on && (w < thin && last.w < joins && (last.w < thin || !last.f) || last.f && last.f === chain[0].f && chain.length === 1 && w < joins && last.one < joins);
			if (same) {
				const f = chain.at(-1).f;
				if (last.f !== f) last.f = null;
				last.w = x + w - last.x;
				last.by.set(f, (last.by.get(f) || 0) + n.w);
				last.calls += n.calls;
				last.cost += n.w;
			} else {
				ends[y] = {chain, f: chain.at(-1).f, x, w, one: w, y, calls: n.calls, cost: n.w, by: new Map([[chain.at(-1).f, n.w]])};
				runBoxes.push(ends[y]);
			}
			if (y + 1 >= deepest) ends[y].cut = ends[y].cut || chain.at(-1).kids.length > 0;
			else if (w >= THIN) add(chain.at(-1).kids, y + 1);
		}
	};
	/* What runs beside others, as fibers do, has rows of its own. */
	for (let left = runTops, y = 0; left.length && y < 3 * RUN_ROWS; y = 1 + Math.max(y, ...runBoxes.map(b => b.y))) {
		const rest = [];
		let end = 0;
		ends.length = 0;
		add(left.filter(n => n.x < end ? !rest.push(n) : (end = n.x + n.w, true)), y);
		left = rest;
	}
	box.textContent = '';
	box.style.height = H * (1 + Math.max(0, ...runBoxes.map(b => b.y))) + 'px';
	runBoxes.forEach((b, i) => {
		/* A frame of several is named after the costliest. */
		const most = b.f || ([...b.by].filter(([f]) => f).sort((p, q) => q[1] - p[1])[0] || [])[0];
		const div = el(box, 'div', undefined, 'f ' + (b.f ? '' : 'rest ') + (most ? paint(most) : '') + (b.f && b.f === selected && b.w > 6 ? ' sel' : '')), k = Math.floor((b.w - 5) / WIDE_LETTER), times = b.calls > 1 ? ' \u00d7 ' + short(b.calls) : '';
		div.style.cssText = 'left:' + b.x.toFixed(2) + 'px;width:' + Math.max(1, b.w - 1).toFixed(2) + 'px;top:' + b.y * H + 'px';
		div.dataset.n = i;
		if (k > 2) div.textContent = b.f ? (b.chain.length > 1 && b.f.label.length + 4 < k ? '\u2026 \u203a ' : '') + fitName(b.f, Math.max(3, k - times.length)) + (k > times.length + 3 ? times : '') + (b.cut ? ' \u2026' : '') : !most ? short(b.calls) + ' calls' : fitName(most, k) + (fitName(most, k).length + 3 + short(b.calls).length < k ? ' +' + short(b.calls - 1) : '');
	});
	drawAxis(scale);
	runSays();
}
/* Marks at round numbers of the event's unit, some 100 px apart. */
function drawAxis(scale) {
	const box = $('axis'), unit = events[runEvent].scale || 1, least = 100 / scale * unit, ten = 10 ** Math.floor(Math.log10(least || 1)), step = [1, 2, 5, 10].map(x => x * ten).find(x => x >= least) / unit;
	box.textContent = '';
	for (let x = Math.ceil(runAt[0] / step) * step; x < runAt[1] - 50 / scale; x += step)
		el(box, 'span', runCost(Math.round(x))).style.left = ((x - runAt[0]) * scale).toFixed(1) + 'px';
}
const runShare = n => percent(n, runEnd);
function runSays(b) {
	const short = +($('runleft') || {}).textContent;
	$('runabout').textContent = b ? (b.f ? b.chain.map(n => n.f ? n.f.label : '').join(' \u203a ') : [...b.by].sort((p, q) => q[1] - p[1]).slice(0, 4).map(([f]) => f ? f.label : 'short calls').join(', ')) + (b.calls > 1 ? ' \u00d7 ' + grouped(b.calls) : '') + ' at ' + runCost(b.chain[0].x) + ': ' + runCost(b.cost) + ', ' + runShare(b.cost) + (b.calls > 1 ? '' : '; by itself ' + runCost(b.chain.reduce((s, n) => s + n.own, 0))) :
		(runAt[0] || runAt[1] < runEnd ? runCost(runAt[0]) + ' to ' + runCost(runAt[1]) + ' of ' : '') + runCost(runEnd) + ' ' + events[runEvent].title + ', from left to right; a click zooms, a drag says what a span cost' + (runTops.some(n => n.shift) ? '; one request after another' : '') + (short ? '; calls under ' + runCost(short) + ' are left out' : '');
}
/* What a span cost, by functions: those whose frames reach over its ends are estimates, for nobody knows when a caller
   spent its own cost. */
function tellSpan() {
	const box = $('span'), sums = new Map();
	box.textContent = '';
	if (!runSpan) return;
	const [a, b] = runSpan.map(Math.round);
	for (const n of runAll) {
		const own = ownIn(n, runSpan), cut = apart || !inside(n, runSpan);
		if (!(own > 0)) continue;
		const s = sums.get(n.f) || {cost: 0, guess: false};
		sums.set(n.f, {cost: s.cost + own, guess: s.guess || cut});
	}
	/* Beside each other they spend more than the span is long. */
	const list = [...sums].sort((p, q) => q[1].cost - p[1].cost), all = apart ? list.reduce((n, x) => n + x[1].cost, 0) : b - a, p = el(box, 'p', runCost(a) + ' to ' + runCost(b) + ': ' + runCost(b - a) + ', ' + runShare(b - a) + ', by what functions spend themselves');
	/* Each request has an axis of its own. */
	const asked = [...new Set(runTops.filter(n => overlap(n, runSpan) > 0).map(n => n.part))], top = runTops.find(n => n.part === asked[0]);
	if (asked.length === 1) {
		p.append('; exactly: ');
		el(p, 'code', (+data.parts > 1 ? 'part ' + asked[0] + ' | ' : '') + 'between ' + (a - top.shift) + ' and ' + (b - top.shift) + ' | functions');
	} else if (asked.length) p.append('; of several requests: ask each');
	for (const [text, act] of [['zoom', () => { runAt = runSpan; }], ['clear', () => { runSpan = null; }]]) el(p, 'button', text).addEventListener('click', () => { act(); drawRun(); tellSpan(); });
	const tops = el(box, 'div', undefined, 'tops');
	for (const [f, s] of list.slice(0, 12)) {
		const line = shareLine(tops, s.cost, all, list[0][1].cost, f ? f.label : 'short calls', f ? f.name : 'calls too short to have a frame', runCost(Math.round(s.cost)), 'soft', s.guess ? '~' : '');
		if (f) line.dataset.i = f.i;
	}
	if (list.length > 12) el(tops, 'div', '+' + (list.length - 12) + ' more', 'soft');
}
const runX = e => { const r = $('runframes').getBoundingClientRect(); return runAt[0] + Math.max(0, Math.min(1, (e.clientX - r.left) / r.width)) * (runAt[1] - runAt[0]); };
let dragFrom = null;
$('runframes').addEventListener('pointerdown', e => { dragFrom = [e.clientX, runX(e)]; $('runframes').setPointerCapture(e.pointerId); });
$('runframes').addEventListener('pointermove', e => {
	if (dragFrom && Math.abs(e.clientX - dragFrom[0]) > 4) { runSpan = [dragFrom[1], runX(e)].sort((a, b) => a - b); markSpan(); }
	else if (!dragFrom) runSays(runBoxes[e.target.dataset.n]);
});
$('runframes').addEventListener('pointerup', e => {
	const from = dragFrom, b = runBoxes[(document.elementFromPoint(e.clientX, e.clientY) || e.target).dataset.n];
	dragFrom = null;
	if (from && Math.abs(e.clientX - from[0]) > 4) { tellSpan(); return; }
	if (!b) return;
	const span = [b.chain[0].x, b.chain[0].x + b.cost];
	runAt = span[0] === runAt[0] && span[1] === runAt[1] ? [0, runEnd] : span;
	if (b.f) select(b.f, true);
	drawRun();
	markSpan();
});
$('runframes').addEventListener('mouseleave', () => runSays());
/* The span stands over the frames. */
function markSpan() {
	const old = $('runframes').querySelector('.span');
	if (old) old.remove();
	if (!runSpan) return;
	const wide = runAt[1] - runAt[0], div = el($('runframes'), 'div', undefined, 'span');
	div.style.cssText = 'left:' + (100 * (runSpan[0] - runAt[0]) / wide) + '%;width:' + (100 * (runSpan[1] - runSpan[0]) / wide) + '%';
}
document.addEventListener('keydown', e => { if (e.key === 'Escape' && tab === 'run') { runAt = [0, runEnd]; runSpan = null; tellSpan(); drawRun(); } });
