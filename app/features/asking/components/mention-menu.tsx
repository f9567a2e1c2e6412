import { type ReactNode, useEffect, useState } from 'react'
import { flushSync } from 'react-dom'
import { atSign } from '~/lib/at-sign.ts'
import { pluralize } from '~/lib/text.ts'
import SuggestionList from '~/ui/suggestions.tsx'
import { applyEdit } from './markdown-edits.ts'

interface MentionMenuProps {
	area: HTMLTextAreaElement
	/** The address to which `&q=` is appended. */
	source: string
}

/** Suggestions of members for the text after an @. */
export default function MentionMenu({ area, source }: MentionMenuProps): ReactNode {
	const token = useMentionToken(area)
	const take = (username: string) => {
		if (!token) return
		const end = token.from + username.length + 2
		applyEdit(area, { from: token.from, to: area.selectionStart, insert: `@${username} `, select: [end, end] })
	}
	return (
		<div className="relative">
			<SuggestionList
				field={area}
				label="Members to mention"
				source={`${source}&q=`}
				text={token?.text ?? null}
				picksFirst
				picksWithTab
				opensOnFocus
				failure={null}
				announcement={(count) => `${pluralize(count, 'member')} to mention. Choose with the arrow keys and Enter.`}
				onPick={({ value }) => take(value)}
			/>
		</div>
	)
}

/** The mention at the caret of a text area, or null. */
function useMentionToken(area: HTMLTextAreaElement): MentionToken | null {
	const [token, setToken] = useState<MentionToken | null>(null)
	useEffect(() => {
		const look = () => {
			const { value, selectionStart: caret, selectionEnd } = area
			const isCaret = document.activeElement === area && caret === selectionEnd
			setToken(isCaret ? tokenAt(value, caret) : null)
		}
		look()
		const ended = new AbortController()
		const { signal } = ended
		for (const type of ['input', 'blur']) area.addEventListener(type, look, { signal })
		// Enter takes a suggestion, so none may stay for a place that the caret has left. A busy browser reports that only after the key.
		document.addEventListener('selectionchange', look, { signal })
		area.addEventListener('keydown', () => flushSync(look), { signal, capture: true })
		return () => ended.abort()
	}, [area])
	return token
}

/** A mention that is being typed: the position of its @, and the text up to the caret. */
export interface MentionToken {
	from: number
	text: string
}

const begun = new RegExp(`${atSign.source}([a-z0-9._-]{0,64})$`, 'iu')

/** The mention that ends at the caret, or null. Only for suggestions: the server finds mentions when it renders a text. */
export function tokenAt(text: string, caret: number): MentionToken | null {
	if (/^[\p{L}\p{N}_-]/u.test(text.slice(caret))) return null
	const found = begun.exec(text.slice(0, caret))
	return found ? { from: found.index, text: (found[1] ?? '').toLowerCase() } : null
}
