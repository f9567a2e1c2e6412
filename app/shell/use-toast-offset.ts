import { type RefObject, useEffect } from 'react'

/** Height in pixels of three toasts at the bottom of the window. */
const TOASTS_HEIGHT = 240

/**
 * Moves toasts above the buttons of a form when those are at the bottom of the window, so that a toast never covers the button that
 * the reader needs next.
 * @param bar the container of the buttons
 */
export function useToastOffset(bar: RefObject<HTMLElement | null>): void {
	useEffect(() => {
		const { style } = document.documentElement
		const update = () => {
			if (!bar.current) return
			const { top, bottom } = bar.current.getBoundingClientRect()
			const isInTheWay = top < innerHeight && bottom > innerHeight - TOASTS_HEIGHT
			style.setProperty('--toasts-lift', isInTheWay ? `${Math.round(innerHeight - top)}px` : '0px')
		}
		update()
		const observer = new ResizeObserver(update)
		observer.observe(document.body)
		window.addEventListener('scroll', update, { passive: true })
		window.addEventListener('resize', update)
		return () => {
			observer.disconnect()
			window.removeEventListener('scroll', update)
			window.removeEventListener('resize', update)
			style.removeProperty('--toasts-lift')
		}
	}, [bar])
}
