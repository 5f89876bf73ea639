/* ---- the tree of the flame graph: one for both sides ----
   Where d-tree tells the frames, they are taken from there: an estimated frame on one of its own function is part of
   that, and one whose function is on its stack DEEP times keeps its own cost alone (frames_fold.c).  Elsewhere cost
   enters at roots and goes on along calls in proportion to their costs, and a call of a function that is on the stack
   already goes back to its frame there.  Of what passes a frame a part comes back to it; it spreads as the first did,
   so all that is above is that much larger. */
const GRAIN = 3e-4, /* of what is shown: less than that is not unfolded */
	MOST_NODES = 30000, DEEP = 5, DEEPEST = 1500, JOINED = 0.95; /* of a frame in the next one: they are one chain */
let mode = 'all', subject = null, path = []; /* of the zoom, by functions */
const zeros = () => SIDES.map(() => 0);
/* at: so many functions of the path lead here; -1: it lies beside the path. */
const makeNode = (f, on, at) => ({f, on, at, kids: new Map(), self: zeros(), rest: zeros(), est: zeros(), lo: zeros(), hi: zeros(), folded: false, own: 0, left: 0});
/* share: of the zoomed frame, which is unfolded so much finer; way: a mode. */
function grow(share = 1, way = mode) {
	const up = way === 'to', root = makeNode(way === 'all' ? null : subject, null, 0), nodes = [root], waiting = [], stack = new Map();
	/* The frame of f on n; for a guess it can be n. */
	function kid(n, f, guess, edge) {
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
		if (edge) for (const s of SIDES) {
			const w = on(edge, s).w[ev];
			k.lo[s] = Math.max(0, n.lo[s] + w - through(n.f, s));
			k.hi[s] = Math.min(n.hi[s], w);
		}
		return k;
	}
	/* Spread a cost that enters n.  Returns what comes back to frames below it.  passes: how often a unit of cost passes
	   a function of the stack, at most. */
	function pass(n, s, cost, floor, passes, depth) {
		const T = through(n.f, s), back = new Map();
		let home = 0;
		if (!T) { n.own += cost; return back; }
		const own = Math.min(cost, cost * (up ? on(n.f, s).root : on(n.f, s).self)[ev] / T), fine = path.length && n.at >= path.length ? floor * share : floor;
		let left = cost - own;
		passes = Math.max(passes, T / Math.max(1, on(n.f, s).incl[ev]));
		stack.set(n.f, n);
		n.own += own;
		for (const e of up ? n.f.in : n.f.out) {
			const part = cost * on(e, s).w[ev] / T, g = up ? e.from : e.to, below = stack.get(g);
			if (!(part > 0)) continue;
			left -= part;
			if (below === n) home += part;
			else if (below) back.set(below, (back.get(below) || 0) + part);
			else if (!(n.at >= 0 && path[n.at] === g.i) && (part * passes < fine || nodes.length > MOST_NODES || depth > DEEPEST)) n.left += part;
			else for (const [a, m] of pass(kid(n, g, false, e), s, part, floor, passes, depth + 1))
				if (a === n) home += m;
				else back.set(a, (back.get(a) || 0) + m);
		}
		stack.delete(n.f);
		n.left += Math.max(0, left);
		if (home > 0) {
			const times = cost / Math.max(cost - home, 1e-6 * cost);
			n.folded = true;
			scale(n, times);
			for (const [a, m] of back) back.set(a, m * times);
		}
		return back;
	}
	function scale(n, times) {
		for (const todo = [n]; todo.length;) {
			const x = todo.pop();
			x.own *= times;
			x.left *= times;
			for (const k of x.kids.values()) if (k.own || k.left || k.kids.size) todo.push(k);
		}
	}
	function enter(n, s, cost, floor) {
		for (let a = n.on; a && a.f; a = a.on) stack.set(a.f, a);
		for (const [a, m] of pass(n, s, cost, floor, 1, 0)) a.rest[s] += m;
		stack.clear();
		for (const todo = [n]; todo.length;) {
			const x = todo.pop();
			x.self[s] += x.own;
			x.rest[s] += x.left;
			x.own = x.left = 0;
			todo.push(...x.kids.values());
		}
	}
	for (const s of SIDES) {
		const told = trees[s][ev] && trees[s][ev].rows.length && readTree(trees[s][ev]);
		if (way === 'all') {
			root.self[s] = told ? told.own : 0;
			if (told) plant(told.all, () => true, s);
			else for (const f of F) if (on(f, s).root[ev] > 0) {
				const k = kid(root, f, false);
				k.lo[s] = k.hi[s] = on(f, s).root[ev];
				waiting.push([k, k.lo[s]]);
			}
		} else {
			const x = on(subject, s), I = x.incl[ev];
			root.lo[s] = x.nests ? x.lo[ev] : I;
			root.hi[s] = x.nests ? x.hi[ev] : I;
			/* The told frames leave out the cheapest; where those are most of it, the calls say more. */
			const here = told ? told.all.filter(t => t.f === subject && !outer(t)).reduce((sum, t) => sum + t.est, 0) : 0;
			if (!told || here < I / 2) waiting.push([root, I]);
			else {
				if (up) climb(told.all, s); else plant(told.all, n => n.f === subject, s);
				root.rest[s] += Math.max(0, I - here);
			}
		}
		for (const [n, cost] of waiting.splice(0)) enter(n, s, cost, GRAIN * (way === 'all' ? total(s) : root.hi[s]));
	}
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
			t.to = way !== 'all' && !below ? root : kid(below || root, t.f, t.guess);
			if (t.to === below && below.f !== t.f) {
				const own = kid(below, t.f, false);
				own.self[s] += t.own;
				own.hi[s] += t.own;
				below.folded = true;
			} else t.to.self[s] += t.own;
			/* What is folded is within the bounds of its frame already. */
			if (t.to !== root && t.to.on === (below || root)) { t.to.lo[s] += t.lo; t.to.hi[s] += t.hi; }
			const left = t.est - t.own - t.kids;
			if (left > 0 && t.kids) t.to.rest[s] += left;
			else if (left > 0) waiting.push([t.to, left]);
		}
	}
	/* Add the callers of the frames of the subject, each with what reaches no other one above it. */
	function climb(all, s) {
		const cost = new Map();
		for (const t of all) if (t.f === subject) {
			const a = outer(t);
			cost.set(t, t.est);
			if (a) cost.set(a, cost.get(a) - t.est);
		}
		for (const [t, est] of cost) {
			let n = root;
			for (let a = t.on; a; a = a.on) { n = kid(n, a.f, t.guess); n.hi[s] += est; n.lo[s] += t.guess ? 0 : est; }
			n.self[s] += est;
		}
	}
	/* Bounds of several places that are one frame here may add up to more than the frame below has. */
	for (const n of nodes) if (n.on) for (const s of SIDES) n.hi[s] = Math.min(n.hi[s], n.on.f ? n.on.hi[s] : total(s));
	for (let i = nodes.length; i-- > 0;) {
		const n = nodes[i];
		for (const s of SIDES) {
			n.est[s] += n.self[s] + n.rest[s];
			if (n.on) n.on.est[s] += n.est[s];
		}
		n.wide = Math.max(...n.self) + Math.max(...n.rest);
		for (const k of n.kids.values()) n.wide += k.wide;
	}
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
		const n = {f: F[f], on: below, est, own, guess: lo !== undefined, lo: lo === undefined ? est : lo, hi: hi === undefined ? est : hi, kids: 0, to: null};
		if (below) below.kids += est;
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
