/* ---- the start: after the source, if the report has it ---- */
window.addEventListener('popstate', go);
/* The first screen has a card: that of the function with most cost in itself, or the largest change. */
if (!location.hash && F.length) {
	choose();
	selected = rows[0] || null;
}
if (location.hash) go();
else { find(); refresh(); }
})();
