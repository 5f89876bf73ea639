/* ---- the source, or the instructions, of the selected function, in place of the table ---- */
const sourceBar = $('shown').parentNode, hotButton = el(sourceBar, 'button', 'hottest line'), sourceGo = el($('where').parentNode, 'button', 'show source');
const sourceKinds = [
	{at: sourceAt, key: 's', title: 'Source', name: 'source', hash: '1'},
	{at: asmAt, key: 'd', title: 'Instructions', name: 'asm', hash: '2'},
].filter((k, i) => !i || asmAt.size);
for (const k of sourceKinds) {
	k.button = el(sourceBar, 'button', k.name);
	k.button.title = k.title + ' of the selected function (' + k.key + ')';
	k.button.addEventListener('click', () => toggleSource(k));
}
$('where').after(sourceGo);
hotButton.title = 'Go to the costliest line, then to the next (h)';
let sourceKind = null;
const sourceView = codeView($('scroll').parentNode, to => select(F[+to], true));
let hottest = null;
/* The costliest lines of the selected function, in the card. */
function hotLines(f) {
	const lines = f && sourceAt.has(f.i) ? listingAt(sourceAt.get(f.i)).flatMap(g => g.rows).filter(r => r.kind === 'L') : [], inlined = new Map(), again = c => c.to !== '' && (+c.to === f.i || f.cycle && F[+c.to].cycle === f.cycle), back = lines.some(r => r.calls.some(again)), sum = r => r.calls.reduce((n, c) => again(c) || back && c.calls < 0 ? n : n + inEvent(c.w), inEvent(r.w));
	const most = [...lines].sort((a, b) => sum(b) - sum(a)).slice(0, 5).filter(r => sum(r) > 0);
	if (f && sourceAt.has(f.i)) $('hot').textContent = '';
	const first = most.find(r => r.g.own) || most[0];
	hottest = first && first.g.n + ':' + first.pos;
	for (const r of most) {
		const div = shareLine($('hot'), sum(r), total(), sum(most[0]), base(r.g.path) + ':' + r.pos, r.g.path, r.text.trim() + (r.calls.some(again) ? ' \u21bb' : ''));
		div.style.cursor = 'pointer';
		div.lastChild.title = r.text + (r.calls.some(again) ? '\nand calls back into ' + f.name + ', whose cost is that of these lines' : '');
		div.addEventListener('click', () => { if (!sourceKind) toggleSource(sourceKinds[0]); sourceView.goTo(r.g.n + ':' + r.pos); });
	}
	/* What it spends in code of other files. */
	for (const r of lines) if (!r.g.own && inEvent(r.w) > 0) inlined.set(base(r.g.path), (inlined.get(base(r.g.path)) || 0) + inEvent(r.w));
	const in100 = n => (100 * n / f.self[ev]).toFixed(0) + ' %', files = [...inlined].sort((a, b) => b[1] - a[1]);
	if (files.length) el($('hot'), 'p', 'Of what it spends itself, ' + in100(files.reduce((sum, x) => sum + x[1], 0)) + ' is inlined code: ' + files.slice(0, 4).map(([name, n]) => name + ' ' + in100(n)).join(', ') +
		(files.length > 4 ? ', ' + (files.length - 4) + ' more files' : '') + (lines.some(r => r.calls.some(c => c.calls < 0)) ? '.' : '. The profile does not say which of its lines called that.'));
}
const holds = (k, f) => !!f && k.at.has(f.i);
function showSource() {
	const f = selected, k = sourceKind;
	for (const other of sourceKinds) other.button.setAttribute('aria-pressed', other === k);
	$('scroll').hidden = $('shown').hidden = !!k;
	sourceView.code.hidden = hotButton.hidden = !k;
	sourceBar.firstChild.textContent = k ? k.title : 'Functions';
	sourceGo.hidden = !!k || !holds(sourceKinds[0], f);
	if (!k) return;
	if (!holds(k, f)) {
		sourceView.show(null, f ? 'The ' + k.name + ' of ' + f.label + ' is not in this report.' : 'Select a function, in the flame graph or in the table: its ' + k.name + ' is shown here.');
		return;
	}
	const groups = listingAt(k.at.get(f.i));
	groups.instrs = k.at === asmAt;
	groups.again = c => c.to !== '' && (+c.to === f.i || f.cycle && F[+c.to].cycle === f.cycle);
	sourceView.show(groups);
	if (groups.instrs) sourceView.hottest();
	else sourceView.goTo(hottest);
}
const showCosts = show, addressBefore = address, goBefore = go;
show = () => { showCosts(); hotLines(selected); showSource(); };
address = () => addressBefore() + (sourceKind ? '&s=' + sourceKind.hash : '');
go = () => {
	const s = new URLSearchParams(location.hash.slice(1)).get('s');
	sourceKind = sourceKinds.find(k => k.hash === s) || null;
	goBefore();
};
function toggleSource(k) {
	sourceKind = sourceKind === k ? null : k;
	showSource();
	if (!sourceKind) { draw(); if (selected) reveal(selected); draw(); }
	went();
}
sourceGo.addEventListener('click', () => toggleSource(sourceKinds[0]));
hotButton.addEventListener('click', () => sourceView.hottest());
document.addEventListener('keydown', x => {
	if (x.ctrlKey || x.altKey || x.metaKey || $('keys').open || /^(INPUT|SELECT)$/.test(x.target.tagName)) return;
	const k = sourceKinds.find(k => k.key === x.key);
	if (k) toggleSource(k);
	if (x.key === 'h' && sourceKind) sourceView.hottest();
});
