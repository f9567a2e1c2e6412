/**
 * A file that is dropped where nothing takes it has no effect. The browser would open it in place of the page, and of what was typed
 * there. Call it once.
 */
export function refuseStrayFiles(): void {
	// After React's own listeners, which are on the document.
	window.addEventListener('dragover', (event) => {
		const { dataTransfer, target } = event
		if (event.defaultPrevented || !dataTransfer?.types.includes('Files')) return
		if (target instanceof HTMLInputElement && target.type === 'file') return
		event.preventDefault()
		dataTransfer.dropEffect = 'none'
	})
}
