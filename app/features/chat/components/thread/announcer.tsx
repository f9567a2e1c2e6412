import { useEffect, useRef, useState } from 'react'
import type { ConversationView } from '../../client/conversation.ts'
import { wordsOf } from '../../pictures/words.ts'

/** How many are kept for a reader that is still speaking. */
const kept = 5

/** Says each new message of the peer once, to readers who do not see the list grow. */
export function Announcer({ view }: { view: ConversationView }) {
	const { peer, latest: messages } = view
	const newest = messages.at(-1)?.id ?? 0
	const said = useRef(newest)
	const [lines, setLines] = useState<{ id: number; text: string }[]>([])
	useEffect(() => {
		const fresh = messages.filter(
			({ id, sender, deleted }) => id > said.current && sender === peer.username && !deleted,
		)
		said.current = Math.max(said.current, newest)
		if (fresh.length === 0) return
		const added = fresh.map((message) => ({ id: message.id, text: `${peer.name}: ${wordsOf(message)}` }))
		setLines((before) => [...before, ...added].slice(-kept))
	}, [messages, newest, peer])
	return (
		<div className="sr-only" role="log" aria-live="polite" aria-label="New messages">
			{lines.map(({ id, text }) => (
				<p key={id}>{text}</p>
			))}
		</div>
	)
}
