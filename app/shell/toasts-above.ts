import { type RefObject, useEffect } from 'react'

/** How far from the foot of the window toasts reach when three of them are shown, in pixels. */
const TOASTS_HEIGHT = 240

/**
 * Lifts the toasts over the buttons of a form wherever those stand at the foot of the window, stuck to it or scrolled
 * there, so that a toast never lies on the button that the reader wants next.
 * @param bar what holds the buttons
 */
export function useToastsAbove(bar: RefObject<HTMLElement | null>): void {
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
