/* ---- the tree of the flame graph: one for both sides ----
   Its frames are those of d-tree.  An estimated frame on one of its own function is part of that, and one whose function
   is on its stack DEEP times keeps its own cost alone (frames_fold.c).  What is too cheap to be told goes on along the
   calls without a frame, in proportion to their costs, as far as it is worth drawing. */
const GRAIN = 3e-4, /* of what is shown: less than that is not unfolded */
	MOST_NODES = 30000, DEEP = 5, DEEPEST = 1500, ROUNDS = 12, JOINED = 0.95; /* of a frame in the next one: they are one chain */
let mode = 'all', subject = null, path = []; /* of the zoom, by functions */
const zeros = () => SIDES.map(() => 0);
/* at: so many functions of the path lead here; -1: it lies beside the path. */
const makeNode = (f, on, at) => ({f, on, at, kids: new Map(), self: zeros(), rest: zeros(), est: zeros(), lo: zeros(), hi: zeros(), folded: false});
/* share: of the zoomed frame, which is unfolded so much finer; way: a mode. */
function grow(share = 1, way = mode) {
	const up = way === 'to', root = makeNode(way === 'all' ? null : subject, null, 0), nodes = [root], waiting = [];
	root.folded = way !== 'all' && subject.out.some(loops);
	/* The frame of f on n; for a guess it can be n. */
	function kid(n, f, guess, w) {
		let times = 0;
		for (let a = n; guess && a && a.f; a = a.on) times += a.f === f;
		if (times && n.f === f) { n.folded = true; return n; }
		if (times >= DEEP) return n;
		let k = n.kids.get(f);
		if (k) return k;
		n.kids.set(f, k = makeNode(f, n, n.at < 0 ? -1 : n.at >= path.length ? n.at : path[n.at] === f.i ? n.at + 1 : -1));
		nodes.push(k);
		k.folded = times > 0;
		/* A call of cost w takes its share of what passes n; lo and hi are the bounds of Frechet, lo = hi is measured. */
		if (w) for (const s of SIDES) {
			k.lo[s] = Math.max(0, n.lo[s] + w - through(n.f, s));
			k.hi[s] = Math.min(n.hi[s], w);
		}
		return k;
	}
	/* Spread a cost that enters n, or one that is told to lie on it, in calls of other functions than `told`: along the
	   calls, in proportion to their costs.  Calls of a function by itself send it round once more: the others share it. */
	function spread(n, s, cost, told, floor, depth = 0) {
		const T = passing(n.f, s), calls = ways(n.f, s).filter(([g]) => !told || !told.has(g)), sum = told ? calls.reduce((sum, [, w]) => sum + w, 0) : T, deep = new Map();
		const fine = path.length && n.at >= path.length ? Math.max(1, floor * share) : floor, own = told ? 0 : Math.min(cost, cost * spends(n.f, s) / T);
		let left = cost - own;
		n.self[s] += own;
		for (const [g, w] of calls) {
			const part = cost * w / sum, ahead = n.at >= 0 && path[n.at] === g.i;
			if (!ahead && (part < fine || nodes.length > MOST_NODES || depth > DEEPEST)) continue;
			const k = kid(n, g, true, w);
			left -= part;
			if (k === n) deep.set(g, part); else spread(k, s, part, null, floor, depth + 1);
		}
		n.rest[s] += Math.max(0, left) + settle(n, s, deep, floor, depth);
	}
	/* What is too deep keeps what it spends itself, and its calls lie on n.  What goes round among such functions shrinks
	   evenly after some rounds: then the last one is that much larger.  Returns what is too little. */
	function settle(n, s, deep, floor, depth) {
		const add = (m, g, c) => m.set(g, (m.get(g) || 0) + c), all = () => [...deep.values()].reduce((sum, c) => sum + c, 0);
		const own = new Map(), above = new Map();
		let rest = all();
		for (let round = 1; rest > floor; round++) {
			const spent = new Map(), calls = new Map(), before = rest;
			for (const f of deep.keys()) {
				const share = deep.get(f) / passing(f, s);
				deep.set(f, 0);
				add(spent, f, share * spends(f, s));
				for (const [g, w] of ways(f, s)) add(kid(n, g, true) === n ? deep : calls, g, share * w);
			}
			rest = all();
			const last = round === ROUNDS && rest < before, by = last ? before / (before - rest) : 1;
			for (const [f, c] of spent) add(own, f, by * c);
			for (const [g, c] of calls) add(above, g, by * c);
			if (last) rest = 0;
			if (round === ROUNDS) break;
		}
		for (const [f, c] of own) { const k = kid(n, f, false); k.self[s] += c; k.hi[s] = n.hi[s]; }
		for (const [g, c] of above) { const k = kid(n, g, true); k.hi[s] = n.hi[s]; spread(k, s, c, null, floor, depth + 1); }
		return rest;
	}
	const ways = (f, s) => (up ? f.in : f.out).filter(e => !loops(e) && weigh(e, s) > 0).map(e => [up ? e.from : e.to, weigh(e, s)]);
	const spends = (f, s) => on(f, s)[up ? 'root' : 'self'][ev];
	const passing = (f, s) => Math.max(1, through(f, s) - f.out.filter(loops).reduce((sum, e) => sum + weigh(e, s), 0));
	for (const s of SIDES) {
		const told = trees[s][ev] && trees[s][ev].rows.length && readTree(trees[s][ev]);
		if (way === 'all') {
			root.self[s] = told ? told.own : 0;
			if (told) plant(told.all, () => true, s);
			else for (const f of F) if (on(f, s).root[ev] > 0) {
				const k = kid(root, f, false);
				k.lo[s] = k.hi[s] = on(f, s).root[ev];
				waiting.push([k, k.lo[s], null]);
			}
		} else {
			const x = on(subject, s);
			root.lo[s] = x.nests ? x.lo[ev] : x.incl[ev];
			root.hi[s] = x.nests ? x.hi[ev] : x.incl[ev];
			if (told && up) climb(told.all, s);
			else if (told) plant(told.all, n => n.f === subject, s);
			spreadAll(s);
			surround(s);
		}
		spreadAll(s);
	}
	function spreadAll(s) {
		for (const [n, cost, told] of waiting.splice(0)) spread(n, s, cost, told, Math.max(1, GRAIN * (way === 'all' ? total(s) : root.hi[s])));
	}
	/* The callers or callees of the subject have the cost of its calls; what is told of them is their shape. */
	function surround(s) {
		let left = on(subject, s).incl[ev];
		for (const e of up ? subject.in : subject.out) if (!loops(e) && weigh(e, s) > 0) {
			const [cost, lo, hi] = near(subject, e, +up, s), k = kid(root, up ? e.from : e.to, false), told = sums(k, s);
			if (told > 0) scale(k, s, cost / told);
			else waiting.push([k, cost, null]);
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
			t.to = way !== 'all' && (!below || below === root && t.f === subject) ? root : kid(below || root, t.f, t.guess);
			if (t.to === below && below.f !== t.f) {
				const own = kid(below, t.f, false);
				own.self[s] += t.own;
				own.hi[s] += t.own;
				below.folded = true;
			} else t.to.self[s] += t.own;
			/* What is folded is within the bounds of its frame already. */
			if (t.to !== root && t.to.on === (below || root)) { t.to.lo[s] += t.lo; t.to.hi[s] += t.hi; }
			if (t.to !== root && t.est > t.own + t.kids) waiting.push([t.to, t.est - t.own - t.kids, t.calls]);
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
			for (; a; a = a.on) n = kid(n, a.f, t.guess);
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
	const all = [], above = [];
	for (const [depth, f, est, own, lo, hi] of t.rows) {
		const below = depth > 1 ? above[depth - 1] : null;
		const [least, most] = lo === undefined ? [est, est] : bounds(lo, hi);
		const n = {f: F[f], on: below, est, own, guess: lo !== undefined, lo: least, hi: most, kids: 0, calls: new Set(), to: null};
		if (below) { below.kids += est; below.calls.add(n.f); }
		all.push(n);
		above[depth] = n;
	}
	return {all, own: t.own};
}
/* A frame as it is drawn: a chain of nodes, the one it is named after, and the nodes that lie on it, the widest first. */
function drawn(n, up) {
	const chain = [n], kids = [];
	for (let last = n; ; chain.push(last)) {
		const next = [...last.kids.values()].find(k => SIDES.every(s => k.est[s] >= JOINED * last.est[s]));
		kids.push(...[...last.kids.values()].filter(k => k !== next));
		/* Known recursion stays as deep as it is, and the selected function alone. */
		if (!next || !last.f || next.f === last.f || mode !== 'all' && !last.on) { if (next) kids.push(next); break; }
		last = next;
	}
	return {chain, up, last: chain.at(-1), face: up ? n : chain.at(-1), kids: kids.sort((a, b) => b.wide - a.wide || a.f.i - b.f.i)};
}
const exact = n => !estimated && (!n.f || SIDES.every(s => !n.est[s] || Math.abs(n.hi[s] - n.lo[s]) <= 1e-9 * n.hi[s]));
