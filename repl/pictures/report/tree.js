/* ---- the tree of the flame graph: one for both sides ----
   Its frames are those of d-tree, as all pictures have them (frames_fold.c).  Around a function they are the shape of
   what its calls cost; where there are none, calls go on in proportion, as far as no function comes again. */
const GRAIN = 3e-4, MOST_NODES = 30000, DEEPEST = 1500, /* of frames that are not told: cheaper, more, deeper ones are left out */
	JOINED = 0.95; /* of a frame in the next one: they are one chain */
let mode = 'all', subject = null, path = []; /* of the zoom, by functions */
const zeros = () => SIDES.map(() => 0);
function grow(way = mode) {
	const up = way === 'to', nodes = [], root = makeNode(way === 'all' ? null : subject, null);
	function makeNode(f, on) {
		const n = {f, on, kids: new Map(), self: zeros(), rest: zeros(), est: zeros(), lo: zeros(), hi: zeros(), folded: false, other: null};
		nodes.push(n);
		return n;
	}
	root.folded = way !== 'all' && subject.out.some(loops);
	function kid(n, f) {
		if (!n.kids.has(f)) n.kids.set(f, makeNode(f, n));
		return n.kids.get(f);
	}
	/* Spread a cost that enters n. */
	function spread(n, s, cost, floor, depth = 0) {
		const T = passing(n.f, s), again = g => { let a = n; while (a && a.f !== g) a = a.on; return a; };
		n.self[s] += cost * Math.min(1, spends(n.f, s) / T);
		let left = cost * Math.max(0, 1 - spends(n.f, s) / T);
		for (const [g, w] of ways(n.f, s)) {
			const part = Math.min(left, cost * w / T);
			if (part < floor || nodes.length > MOST_NODES || depth > DEEPEST || again(g)) continue;
			left -= part;
			spread(kid(n, g), s, part, floor, depth + 1);
		}
		n.rest[s] += left;
	}
	const ways = (f, s) => (up ? f.in : f.out).filter(e => !loops(e) && weigh(e, s) > 0).map(e => [up ? e.from : e.to, weigh(e, s)]);
	const spends = (f, s) => on(f, s)[up ? 'root' : 'self'][ev];
	const passing = (f, s) => Math.max(1, through(f, s) - f.out.filter(loops).reduce((sum, e) => sum + weigh(e, s), 0));
	for (const s of SIDES) {
		const told = readTree(trees[s][ev]);
		if (way === 'all') {
			root.self[s] = told.own;
			root.rest[s] = told.rest;
			plant(told.all, () => true, s);
			continue;
		}
		const x = on(subject, s);
		root.lo[s] = x.nests ? x.lo[ev] : x.incl[ev];
		root.hi[s] = x.nests ? x.hi[ev] : x.incl[ev];
		if (up) climb(told.all, s); else plant(told.all, n => n.f === subject, s);
		surround(s);
	}
	/* The callers or callees of the subject have the cost of its calls; what is told of them is their shape. */
	function surround(s) {
		let left = on(subject, s).incl[ev];
		for (const e of up ? subject.in : subject.out) if (!loops(e) && weigh(e, s) > 0) {
			const [cost, lo, hi] = near(subject, e, +up, s), k = kid(root, up ? e.from : e.to), told = sums(k, s);
			if (told > 0) scale(k, s, cost / told);
			else spread(k, s, cost, Math.max(1, GRAIN * root.hi[s]));
			k.lo[s] = lo;
			k.hi[s] = Math.min(hi, root.hi[s]);
			left -= cost;
		}
		root.self[s] = Math.max(0, Math.min(left, on(subject, s)[up ? 'root' : 'self'][ev]));
		root.rest[s] = Math.max(0, left - root.self[s]);
	}
	function each(n, f) { for (const todo = [n]; todo.length;) { const x = todo.pop(); f(x); todo.push(...x.kids.values()); } }
	function sums(n, s) { let sum = 0; each(n, x => { sum += x.self[s] + x.rest[s]; }); return sum; }
	function scale(n, s, by) { each(n, x => { x.self[s] *= by; x.rest[s] *= by; }); }
	/* The frame of the subject that it lies on. */
	function outer(t) {
		let a = t.on;
		while (a && a.f !== subject) a = a.on;
		return a;
	}
	/* Add the frames that are told, from those on which `here` holds. */
	function plant(all, here, s) {
		for (const t of all) {
			const below = t.on && t.on.to;
			if (!below && !here(t)) continue;
			/* Direct recursion of the subject is closed, as in `callees of`. */
			if (way === 'all') t.to = kid(below || root, t.f);
			else if (!below || below === root && t.f === subject) t.to = root;
			else if (below !== root || callOf(subject, t.f)) t.to = kid(below, t.f);
			else continue;
			t.to.self[s] += t.own;
			t.to.rest[s] += t.rest;
			if (t.to === root) continue;
			t.to.folded ||= !!(t.marks & 1);
			t.to.other = t.to.other !== false && !!(t.marks & 2);
			t.to.lo[s] += t.lo;
			t.to.hi[s] += t.hi;
		}
	}
	/* Add the callers of the frames of the subject, each with what reaches no other one above it.  One that lies on the
	   subject itself is closed, as in `callers of`. */
	function climb(all, s) {
		const cost = new Map();
		for (const t of all) if (t.f === subject) {
			const a = outer(t);
			cost.set(t, t.est);
			if (a) cost.set(a, cost.get(a) - t.est);
		}
		for (const [t, est] of cost) {
			let n = root, a = t.on;
			while (a && a.f === subject) a = a.on;
			if (a && !callOf(a.f, subject)) continue;
			for (; a; a = a.on) n = kid(n, a.f);
			n.self[s] += est;
		}
	}
	function sumUp() {
		for (const n of nodes) for (const s of SIDES) n.est[s] = 0;
		for (let i = nodes.length; i-- > 0;) {
			const n = nodes[i];
			for (const s of SIDES) {
				n.est[s] += n.self[s] + n.rest[s];
				if (n.on) n.on.est[s] += n.est[s];
			}
			n.wide = Math.max(...n.self) + Math.max(...n.rest);
			for (const k of n.kids.values()) n.wide += k.wide;
		}
	}
	/* Not all places of the functions around one are told: the calls between them bound the cost.  What a frame has
	   too much of, or too little, its parent spends on cheaper ones. */
	function bound(n, s) {
		const e = callOf(up ? n.f : n.on.f, up ? n.on.f : n.f), by = n.on.by[s], est = n.est[s] * by;
		if (n.on !== root) {
			n.lo[s] = e ? Math.max(0, n.on.lo[s] + weigh(e, s) - through(n.on.f, s)) : 0;
			n.hi[s] = Math.min(n.on.hi[s], e ? weigh(e, s) : Infinity);
		}
		const is = Math.min(Math.max(est, n.lo[s]), n.hi[s], est + n.on.rest[s]);
		n.on.rest[s] += est - is;
		n.lo[s] = Math.min(n.lo[s], is);
		n.by[s] = n.est[s] ? is / n.est[s] : 1;
		n.self[s] *= n.by[s];
		n.rest[s] = n.est[s] ? n.rest[s] * n.by[s] : is;
	}
	sumUp();
	root.by = SIDES.map(() => 1);
	for (const n of nodes) if (n.on) {
		n.by = zeros();
		for (const s of SIDES)
			if (way !== 'all') bound(n, s);
			else n.hi[s] = Math.min(n.hi[s], n.on.f ? n.on.hi[s] : total(s));
	}
	if (way !== 'all') sumUp();
	/* One function begins all: it is the root. */
	if (!root.f && root.kids.size === 1 && root.wide - [...root.kids.values()][0].wide < 1e-6 * root.wide) {
		const only = [...root.kids.values()][0];
		only.on = null;
		return only;
	}
	return root;
}
/* The frames of d-tree: each after the one that it lies on. */
function readTree(t) {
	const all = [];
	if (!t) return {all, own: 0, rest: 0};
	let top = 0;
	for (const [back, f, est, own, lo = est, hi = est, marks = 0] of t.rows) {
		const below = back ? all[all.length - back] : null;
		if (below) below.rest -= est; else top += est;
		all.push({f: F[f], on: below, est, own, rest: est - own, lo, hi: hi < 0 ? Infinity : hi, marks, to: null});
	}
	return {all, own: t.own, rest: Math.max(0, t.cost - t.own - top)};
}
/* A frame as it is drawn: a chain of nodes, the one it is named after, and the nodes that lie on it, the widest first. */
function drawn(n, up) {
	const chain = [n], kids = [];
	for (let last = n; ; chain.push(last)) {
		const next = [...last.kids.values()].find(k => !k.other && SIDES.every(s => k.est[s] >= JOINED * last.est[s]));
		kids.push(...[...last.kids.values()].filter(k => k !== next));
		/* Known recursion stays as deep as it is, and the selected function alone. */
		if (!next || !last.f || next.f === last.f || mode !== 'all' && !last.on) { if (next) kids.push(next); break; }
		last = next;
	}
	return {chain, up, last: chain.at(-1), face: up ? n : chain.at(-1), kids: kids.sort((a, b) => b.wide - a.wide || a.f.i - b.f.i)};
}
const exact = n => !estimated && (!n.f || SIDES.every(s => !n.est[s] || Math.abs(n.hi[s] - n.lo[s]) <= 1e-9 * n.hi[s]));
