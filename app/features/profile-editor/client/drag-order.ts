/* Dragging the rows of a list by their handles, with mouse, pen or finger. Keyboards use buttons. Loaded after the list. */

/** Pixels at the window's edges where dragging scrolls the page. */
const EDGE = 60

/**
 * Makes rows (`data-item`) draggable by their handles (`data-handle`) within their part (`data-part`).
 * @param save called with the ids in their new order after a drop
 * @param ended stops it
 */
export function enableDragging(list: HTMLElement, save: (order: string[]) => void, ended: AbortSignal): void {
	list.addEventListener('pointerdown', (down) => grab(list, down, save), { signal: ended })
}

function grab(list: HTMLElement, down: PointerEvent, save: (order: string[]) => void): void {
	const handle = (down.target as Element).closest<HTMLElement>('[data-handle]')
	const row = handle?.closest<HTMLElement>('[data-item]')
	if (!handle || !row || down.button !== 0) return
	down.preventDefault()
	const rows = [...list.querySelectorAll<HTMLElement>('[data-item]')]
	const places = rows.map((one) => one.getBoundingClientRect().top + window.scrollY)
	const from = rows.indexOf(row)
	const startY = down.clientY + window.scrollY
	const lifted = new AbortController()
	const { signal } = lifted
	let to = from
	let lastY = down.clientY

	const place = () => {
		const by = lastY + window.scrollY - startY
		const middle = (places[from] ?? 0) + by + row.offsetHeight / 2
		to = nearest(rows, places, from, middle)
		row.style.transform = `translateY(${by}px)`
		for (const [index, one] of rows.entries()) {
			if (one === row) continue
			const passed = index > from && index <= to ? -1 : index < from && index >= to ? 1 : 0
			one.style.transform = passed ? `translateY(${passed * row.offsetHeight}px)` : ''
		}
	}
	const drop = (keep: boolean) => {
		lifted.abort()
		for (const one of rows) one.style.cssText = ''
		if (!keep || to === from) return
		const order = rows.map((one) => one.dataset.item ?? '')
		order.splice(to, 0, ...order.splice(from, 1))
		save(order)
	}

	row.style.cssText = 'position: relative; z-index: 1; box-shadow: 0 4px 16px rgb(0 0 0 / 0.18)'
	handle.setPointerCapture(down.pointerId)
	handle.addEventListener(
		'pointermove',
		({ clientY }) => {
			lastY = clientY
			if (clientY < EDGE) window.scrollBy(0, -12)
			if (clientY > window.innerHeight - EDGE) window.scrollBy(0, 12)
			place()
		},
		{ signal },
	)
	window.addEventListener('scroll', place, { signal, passive: true })
	handle.addEventListener('pointerup', () => drop(true), { signal })
	handle.addEventListener('pointercancel', () => drop(false), { signal })
	window.addEventListener('keydown', ({ key }) => key === 'Escape' && drop(false), { signal })
}

/** The row of the same part that is nearest to the dragged one. */
function nearest(rows: HTMLElement[], places: number[], from: number, middle: number): number {
	const distance = (index: number) => Math.abs((places[index] ?? 0) + (rows[index]?.offsetHeight ?? 0) / 2 - middle)
	return rows.reduce(
		(best, row, index) =>
			row.dataset.part === rows[from]?.dataset.part && distance(index) < distance(best) ? index : best,
		from,
	)
}
