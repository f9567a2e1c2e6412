import { type RefObject, useEffect } from 'react'

/** How far from the foot of the window notices reach when three of them are shown, in pixels. */
const NOTICES_HEIGHT = 240

/**
 * Lifts the page's notices over the buttons of a form wherever those stand at the foot of the window, stuck to it or scrolled
 * there, so that a notice never lies on the button that the reader wants next.
 * @param bar what holds the buttons
 */
export function useNoticesAbove(bar: RefObject<HTMLElement | null>): void {
	useEffect(() => {
		const { style } = document.documentElement
		const place = () => {
			if (!bar.current) return
			const { top, bottom } = bar.current.getBoundingClientRect()
			const isInTheWay = top < innerHeight && bottom > innerHeight - NOTICES_HEIGHT
			style.setProperty('--notices-lift', isInTheWay ? `${Math.round(innerHeight - top)}px` : '0px')
		}
		place()
		const observer = new ResizeObserver(place)
		observer.observe(document.body)
		window.addEventListener('scroll', place, { passive: true })
		window.addEventListener('resize', place)
		return () => {
			observer.disconnect()
			window.removeEventListener('scroll', place)
			window.removeEventListener('resize', place)
			style.removeProperty('--notices-lift')
		}
	}, [bar])
}
