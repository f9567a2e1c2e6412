import { useEffect, useState } from 'react'
import { useRevalidator } from 'react-router'
import { useLiveEvent } from '~/realtime/use-live-event.ts'

/** Down to here, in pixels, the reader is still at the head of the list: a new card there moves nothing that is read. */
const headOfList = 80
/** Several who join at once are loaded once, and not by all readers in the same moment: after so many milliseconds. */
const gather = { least: 300, most: 1_500 }

/**
 * How many members joined since the list was loaded, when it is the list that they belong at the head of. They are shown
 * by themselves to who looks at its head, and wait for everybody else, so that nothing moves under the eyes.
 * @param live whether this is the list of everybody, newest first, from its first page
 * @param grown whether the reader has loaded more pages, which showing the newcomers would fold again
 */
export function useNewcomers(live: boolean, grown: boolean): { waiting: number; show: () => void } {
	const [waiting, setWaiting] = useState(0)
	const [isDue, setDue] = useState(false)
	const { revalidate } = useRevalidator()

	useLiveEvent('member:joined', () => {
		if (!live) return
		if (grown || window.scrollY >= headOfList) setWaiting((count) => count + 1)
		else setDue(true)
	})

	useEffect(() => {
		if (!isDue) return
		const load = () => {
			setDue(false)
			setWaiting(0)
			void revalidate()
		}
		const timer = setTimeout(load, gather.least + Math.random() * (gather.most - gather.least))
		return () => clearTimeout(timer)
	}, [isDue, revalidate])

	return {
		waiting,
		show: () => {
			setWaiting(0)
			window.scrollTo({ top: 0 })
			void revalidate()
		},
	}
}
