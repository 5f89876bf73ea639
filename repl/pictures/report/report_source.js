/* ---- the source of the selected function, in place of the table ---- */
const sourceBar = $('shown').parentNode, sourceButton = el(sourceBar, 'button', 'source'), hotButton = el(sourceBar, 'button', 'hottest line');
const sourceGo = el($('where').parentNode, 'button', 'show source');
$('where').after(sourceGo);
sourceButton.title = 'The source of the selected function (s)';
hotButton.title = 'Go to the costliest line, then to the next (h)';
sourceGo.className = 'go';
let sourceOn = false;
const sourceView = codeView($('scroll').parentNode, to => select(F[+to], true));
const withSource = f => f && sourceAt.has(f.i);
function showSource() {
	const f = selected;
	sourceButton.setAttribute('aria-pressed', sourceOn);
	$('scroll').hidden = sourceOn;
	sourceView.code.hidden = hotButton.hidden = !sourceOn;
	sourceBar.firstChild.textContent = sourceOn ? 'Source' : 'Functions';
	$('shown').hidden = sourceOn;
	sourceGo.hidden = !withSource(f) || sourceOn;
	if (!sourceOn) return;
	if (!withSource(f)) sourceView.show(null, f ? 'The source of ' + f.label + ' is not in this report.' : 'Select a function, in the flame graph or in the table: its source is shown here.');
	else sourceView.show(listingAt(sourceAt.get(f.i)));
}
const showCosts = show, addressBefore = address, goBefore = go;
show = () => { showCosts(); showSource(); };
address = () => addressBefore() + (sourceOn ? '&s=1' : '');
go = () => { sourceOn = new URLSearchParams(location.hash.slice(1)).get('s') === '1'; goBefore(); };
function toggleSource() {
	sourceOn = !sourceOn;
	showSource();
	if (!sourceOn) { draw(); if (selected) reveal(selected); draw(); }
	went();
}
sourceButton.addEventListener('click', toggleSource);
sourceGo.addEventListener('click', toggleSource);
hotButton.addEventListener('click', () => sourceView.hottest());
document.addEventListener('keydown', x => {
	if (x.ctrlKey || x.altKey || x.metaKey || $('keys').open || /^(INPUT|SELECT)$/.test(x.target.tagName)) return;
	if (x.key === 's') toggleSource();
	if (x.key === 'h' && sourceOn) sourceView.hottest();
});
