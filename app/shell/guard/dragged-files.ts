/**
 * Shows where a dragged file can be dropped, by `data-dropping`. Dropped anywhere else it has no effect: the browser would open it in place
 * of the page, and of what was typed there. Call it once.
 */
export function guardDraggedFiles(): void {
	let place: Element | null = null
	const mark = (next: Element | null) => {
		if (next === place) return
		place?.removeAttribute('data-dropping')
		next?.setAttribute('data-dropping', '')
		place = next
	}
	// After React's own listeners, which are on the document.
	window.addEventListener('dragover', (event) => {
		const { dataTransfer, target } = event
		if (!dataTransfer?.types.includes('Files')) return
		if (event.defaultPrevented)
			return mark(target instanceof Element ? target.closest('.editor, fieldset, form') : null)
		mark(null)
		if (target instanceof HTMLInputElement && target.type === 'file') return
		event.preventDefault()
		dataTransfer.dropEffect = 'none'
	})
	window.addEventListener('dragleave', ({ relatedTarget }) => relatedTarget || mark(null))
	window.addEventListener('drop', () => mark(null))
}
