/* ---- the tree of the flame graph: one for both sides ----
   Cost enters at roots and goes on along calls in proportion to their costs: node.wait is what has entered and not yet
   gone on.  An estimated call of a function that is on the stack already goes back to its frame there: recursion
   that nobody measured is one frame.  Where d-tree tells the frames, they are taken from there. */
const GRAIN = 1e-4, /* of the whole: less than that goes no further */
	JOINED = 0.95; /* of a frame in the next one: they are one chain */
let mode = 'all', subject = null;
const zeros = () => SIDES.map(() => 0);
const makeNode = (f, on) => ({f, on, kids: new Map(), self: zeros(), wait: zeros(), rest: zeros(), est: zeros(), lo: zeros(), hi: zeros(), folded: false});
const shareOf = (f, s, up) => through(f, s) || Math.max(1, ...[up ? 0 : on(f, s).self[ev]]);
function grow() {
	const up = mode === 'to', root = makeNode(mode === 'all' ? null : subject), nodes = [root];
	/* The frame of f on n, or that of f below n: a call there is estimated. */
	function kid(n, f, guess, edge) {
		for (let a = n; guess && a && a.f; a = a.on) if (a.f === f) { a.folded = true; return a; }
		let k = n.kids.get(f);
		if (k) return k;
		n.kids.set(f, k = makeNode(f, n));
		nodes.push(k);
		/* A call of cost w takes its share of what passes n; lo and hi are the bounds of Frechet, lo = hi is measured. */
		if (edge) for (const s of SIDES) {
			const w = on(edge, s).w[ev];
			k.lo[s] = Math.max(0, n.lo[s] + w - through(n.f, s));
			k.hi[s] = Math.min(n.hi[s], w);
		}
		return k;
	}
	function push(s, floor) {
		const todo = nodes.filter(n => n.wait[s] > 0);
		for (let i = 0; i < todo.length; i++) {
			const n = todo[i], cost = n.wait[s], T = through(n.f, s);
			n.wait[s] = 0;
			if (cost < floor || !T) { n[T ? 'rest' : 'self'][s] += cost; continue; }
			const own = Math.min(cost, cost * (up ? on(n.f, s).root : on(n.f, s).self)[ev] / T);
			let left = cost - own;
			n.self[s] += own;
			for (const e of up ? n.f.in : n.f.out) {
				const part = cost * on(e, s).w[ev] / T;
				if (!(part > floor / 30)) continue;
				const k = kid(n, up ? e.from : e.to, true, e);
				if (!(k.wait[s] >= floor) && k.wait[s] + part >= floor) todo.push(k);
				k.wait[s] += part;
				left -= part;
			}
			n.rest[s] += Math.max(0, left);
		}
		for (const n of nodes) { n.rest[s] += n.wait[s]; n.wait[s] = 0; }
	}
	for (const s of SIDES) {
		const told = trees[s][ev] && readTree(trees[s][ev]);
		if (mode === 'all') {
			root.self[s] = told ? told.own : 0;
			if (told) plant(told.all, () => true, s);
			else for (const f of F) if (on(f, s).root[ev] > 0) {
				const k = kid(root, f, false);
				k.lo[s] = k.hi[s] = k.wait[s] = on(f, s).root[ev];
			}
		} else {
			const x = on(subject, s), I = x.incl[ev];
			root.lo[s] = x.nests ? x.lo[ev] : I;
			root.hi[s] = x.nests ? x.hi[ev] : I;
			if (!told) root.wait[s] = I;
			else if (!up) plant(told.all, n => n.f === subject, s);
			else climb(told.all, s);
		}
		push(s, GRAIN * (mode === 'all' ? total(s) : root.hi[s]));
	}
	/* Add the frames that are told, from those on which `here` holds. */
	function plant(all, here, s) {
		for (const t of all) {
			const below = t.on && t.on.to;
			if (!below && !here(t)) continue;
			t.to = mode !== 'all' && !below ? root : kid(below || root, t.f, t.guess);
			t.to.self[s] += t.own;
			if (t.to !== root && t.to.f === t.f) { t.to.lo[s] += t.lo; t.to.hi[s] += t.hi; }
			const left = t.est - t.own - t.kids;
			if (left > 0) t.to[t.kids ? 'rest' : 'wait'][s] += left;
		}
	}
	/* Add the callers of the frames of the subject, each with what reaches no other one above it. */
	function climb(all, s) {
		const cost = new Map();
		for (const t of all) if (t.f === subject) {
			let a = t.on;
			while (a && a.f !== subject) a = a.on;
			cost.set(t, t.est);
			if (a) cost.set(a, cost.get(a) - t.est);
		}
		for (const [t, est] of cost) {
			let n = root;
			for (let a = t.on; a; a = a.on) { n = kid(n, a.f, t.guess); n.hi[s] += est; n.lo[s] += t.guess ? 0 : est; }
			n.self[s] += est;
		}
	}
	for (let i = nodes.length; i-- > 0;) {
		const n = nodes[i];
		for (const s of SIDES) {
			n.est[s] += n.self[s] + n.rest[s];
			if (n.on) n.on.est[s] += n.est[s];
		}
		n.wide = Math.max(...n.self) + Math.max(...n.rest);
		for (const k of n.kids.values()) n.wide += k.wide;
	}
	root.count = nodes.length;
	/* One function begins all: it is the root. */
	if (!root.f && root.kids.size === 1 && root.wide - [...root.kids.values()][0].wide < 1e-6 * root.wide) {
		const only = [...root.kids.values()][0];
		only.on = null;
		only.count = root.count;
		return only;
	}
	return root;
}
/* The frames of d-tree: each after the one that it lies on. */
function readTree(t) {
	const all = [], above = [];
	for (const [depth, f, est, own, lo, hi] of t.rows) {
		const below = depth > 1 ? above[depth - 1] : null;
		const n = {f: F[f], on: below, est, own, guess: lo !== undefined, lo: lo === undefined ? est : lo, hi: hi === undefined ? est : hi, kids: 0, to: null};
		if (below) below.kids += est;
		all.push(n);
		above[depth] = n;
	}
	return {all, own: t.own};
}
/* A frame as it is drawn: a chain of nodes, and the nodes that lie on it, the widest first. */
function drawn(n) {
	const chain = [n], kids = [];
	for (let last = n; ; chain.push(last)) {
		const next = [...last.kids.values()].find(k => SIDES.every(s => k.est[s] >= JOINED * last.est[s]));
		kids.push(...[...last.kids.values()].filter(k => k !== next));
		/* Known recursion stays as deep as it is. */
		if (!next || !last.f || next.f === last.f) { if (next) kids.push(next); break; }
		last = next;
	}
	return {chain, last: chain.at(-1), kids: kids.sort((a, b) => b.wide - a.wide || a.f.i - b.f.i)};
}
const exact = n => !estimated && (!n.f || SIDES.every(s => !n.est[s] || Math.abs(n.hi[s] - n.lo[s]) <= 1e-9 * n.hi[s]));
