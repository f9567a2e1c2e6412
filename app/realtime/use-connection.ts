import { useEffect } from 'react'

/**
 * Keeps a socket open while this tab shows a page to a member, so that they count as online.
 * The client (13 KB) is loaded for members only, after the page stands.
 */
export function useConnection(signedIn: boolean): void {
	useEffect(() => {
		if (!signedIn) return
		let close = () => {}
		let left = false
		const open = async () => {
			const { io } = await import('socket.io-client')
			if (left) return
			const socket = io({ path: '/realtime', transports: ['websocket'] })
			close = () => socket.disconnect()
		}
		open().catch(() => {
			// Without the socket everything but presence works; the next page tries again.
		})
		return () => {
			left = true
			close()
		}
	}, [signedIn])
}
