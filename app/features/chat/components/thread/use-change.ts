import { useEffect, useRef } from 'react'
import { useFetcher } from 'react-router'
import { toast } from '~/shell/toast.ts'
import { useChatClient } from '../../client/use-chat.ts'

/**
 * Changes something of a conversation through its page's action. What came of it is seen by the live stream, and asked for
 * where there is none; a refusal is said in a toast.
 * @param path the conversation's page
 * @param peer username
 * @param onRefused takes back what was sent, so that nothing typed is lost
 */
export function useChange(path: string, peer: string, onRefused: (values: Record<string, string>) => void) {
	const client = useChatClient()
	const fetcher = useFetcher<{ ok?: boolean; message?: unknown; said?: boolean; values?: Record<string, string> }>()
	const { data } = fetcher
	const takeBack = useRef(onRefused)
	takeBack.current = onRefused
	useEffect(() => {
		if (!data) return
		if (data.ok === false || typeof data.message === 'string') {
			if (!data.said) toast({ type: 'error', message: String(data.message) })
			takeBack.current(data.values ?? {})
		} else client?.refresh(peer)
	}, [data, client, peer])
	return (change: Record<string, string>) => {
		if (client?.line !== 'away') return void fetcher.submit(change, { method: 'post', action: path })
		toast({ type: 'error', message: 'You are offline. Try again when you are back.' })
		onRefused(change)
	}
}
