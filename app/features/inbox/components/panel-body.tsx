import { type MouseEvent, type ReactNode, useCallback, useEffect, useState } from 'react'
import type { ConversationPage } from '~/features/chat/chat.view.ts'
import { loadPage } from '~/features/chat/client/transport.ts'
import { useConversation } from '~/features/chat/client/use-chat.ts'
import { Conversation } from '~/features/chat/components/conversation.tsx'

/** The minimum time in milliseconds that the loading state is shown. */
const MIN_LOADING_MS = 200

interface PanelBodyProps {
	username: string
	/** Shown until the conversation is loaded. */
	loading: ReactNode
}

/** The conversation in the chat panel: its newest page is loaded when the panel opens. */
export default function PanelBody({ username, loading }: PanelBodyProps) {
	const [page, setPage] = useState<ConversationPage | 'failed' | null>(null)

	const load = useCallback(() => {
		let left = false
		setPage(null)
		const seen = new Promise((resolve) => setTimeout(resolve, MIN_LOADING_MS))
		Promise.all([loadPage(username), seen]).then(
			([loaded]) => left || setPage(loaded),
			() => left || setPage('failed'),
		)
		return () => {
			left = true
		}
	}, [username])
	useEffect(load, [load])
	const loadAgain = ({ currentTarget }: MouseEvent) => {
		// The button is removed; without the focus, Escape would no longer close the panel.
		currentTarget.closest<HTMLElement>('[role="dialog"]')?.focus()
		load()
	}

	if (page === null) return loading
	if (page === 'failed')
		return (
			<div className="flex flex-1 flex-col items-center justify-center gap-3 px-10 text-center" role="alert">
				<p className="text-sm text-ink-2">The chat could not be loaded.</p>
				<button type="button" className="btn btn-outline" onClick={loadAgain}>
					Try again
				</button>
			</div>
		)
	return <Loaded page={page} />
}

function Loaded({ page }: { page: ConversationPage }) {
	return <Conversation view={useConversation(page)} className="px-3 pt-3 pb-1" notice="px-3" focus />
}
