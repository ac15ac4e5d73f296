package browser_test

// cutFilters are the filter fields of a page whose text does not fit: a hint that is longer than its field, or
// a time or the shown choice that needs more space than it has.
const cutFilters = `[...document.querySelectorAll('.filters input:not([type=hidden]), .filters select')].filter(e => {
	if (!e.offsetWidth) return false;
	if (e.placeholder) {
		const style = getComputedStyle(e), canvas = document.createElement('canvas').getContext('2d');
		canvas.font = style.font;
		const space = e.clientWidth - parseFloat(style.paddingLeft) - parseFloat(style.paddingRight);
		if (canvas.measureText(e.placeholder).width > space) return true;
	}
	if (e.tagName !== 'SELECT' && e.type !== 'datetime-local') return false;
	const whole = e.cloneNode(true);
	whole.removeAttribute('id');
	if (e.tagName === 'SELECT') whole.replaceChildren(...[...e.selectedOptions].map(o => o.cloneNode(true)));
	whole.style.width = 'auto';
	whole.style.position = 'absolute';
	e.parentNode.insertBefore(whole, e);
	const needs = whole.offsetWidth;
	whole.remove();
	return needs > e.offsetWidth + 1;
}).map(e => e.name + ' "' + (e.placeholder || e.value) + '"').join(', ')`

// checkFilters finds filter fields whose text is cut off.
func (b *tab) checkFilters(name string) {
	b.t.Helper()
	if cut := evaluate[string](b, cutFilters); cut != "" {
		b.t.Errorf("%s cuts the text of filters off on a %s: %s", name, b.screen.name, cut)
	}
}
