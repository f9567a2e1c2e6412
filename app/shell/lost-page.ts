import { useEffect } from 'react'
import { useNavigation } from 'react-router'
import { toast } from './toast.ts'

const key = 'lost-page'

/**
 * When a page's script cannot be loaded, React Router reloads the page that is open, and the click seems to do nothing.
 * The address is kept over such a reload, and the next page offers to load it whole.
 * @param offer makes the words of the toast from the address
 */
export function useLostPage(offer: (address: string) => React.ReactNode): void {
	const { state, location, formMethod } = useNavigation()
	const address = state === 'loading' && !formMethod && location ? location.pathname + location.search : null

	useEffect(() => {
		const lost = sessionStorage.getItem(key)
		sessionStorage.removeItem(key)
		if (lost) toast({ type: 'error', message: offer(lost) })
	}, [offer])

	useEffect(() => {
		if (!address) return
		const keep = () => sessionStorage.setItem(key, address)
		window.addEventListener('pagehide', keep)
		return () => window.removeEventListener('pagehide', keep)
	}, [address])
}
