/* ---- the page of one listing ---- */
const shownListing = listingAt(0), codeBox = $('source');
shownListing.instrs = 'instrs' in data;
if (shownListing.instrs) codeBox.querySelector('h2').textContent = 'Instructions';
const listingView = codeView(codeBox, to => listingView.goTo(to));
function drawListing() {
	const files = shownListing.length, self = shownListing.reduce((s, g) => s + g.rows.reduce((t, r) => t + (r.kind === 'L' ? inEvent(r.w) : 0), 0), 0);
	$('srcabout').textContent = files.toLocaleString('en-US') + (shownListing.instrs ? ' object' : ' file') + (files === 1 ? '' : 's') + ', ' + whole(self) + (total() ? '' : ' ' + events[ev].title) +
		(total() ? ' = ' + percent(self, total()) + ' of ' + cost(total()) + ' ' + events[ev].title : '');
	listingView.show(shownListing);
}
$('event').value = ev;
$('event').addEventListener('change', () => { ev = +$('event').value; drawListing(); });
$('hot').addEventListener('click', () => listingView.hottest());
document.addEventListener('keydown', x => {
	if (x.ctrlKey || x.altKey || x.metaKey || /^(INPUT|SELECT)$/.test(x.target.tagName) || x.key !== 'h') return;
	x.preventDefault();
	listingView.hottest();
});
drawListing();
listingView.hottest();
})();
