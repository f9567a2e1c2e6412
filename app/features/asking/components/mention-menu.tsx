import { type ReactNode, useEffect, useState } from 'react'
import { counted } from '~/lib/text.ts'
import SuggestionList from '~/ui/suggestions.tsx'
import { applyEdit } from './markdown-edits.ts'

interface MentionMenuProps {
	area: HTMLTextAreaElement
	/** The address that answers `&q=`. */
	source: string
}

/** The members who may be meant by what follows an @. Without suggestions a name is typed to its end. */
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
				announcement={(count) => `${counted(count, 'member')} to mention. Choose with the arrow keys and Enter.`}
				onPick={({ value }) => take(value)}
			/>
		</div>
	)
}

/** The name that is being written at the caret of a text area, or null. */
function useMentionToken(area: HTMLTextAreaElement): MentionToken | null {
	const [token, setToken] = useState<MentionToken | null>(null)
	useEffect(() => {
		const look = () => {
			const isCaret = document.activeElement === area && area.selectionStart === area.selectionEnd
			setToken(isCaret ? tokenBefore(area.value.slice(0, area.selectionStart)) : null)
		}
		look()
		const ended = new AbortController()
		for (const type of ['input', 'click', 'blur']) area.addEventListener(type, look, { signal: ended.signal })
		return () => ended.abort()
	}, [area])
	return token
}

/** A name that is being written: where its @ stands, and what follows up to the caret. */
export interface MentionToken {
	from: number
	text: string
}

/**
 * The name at the end of what stands before the caret, or null. This only asks for suggestions: whom a text mentions is found
 * by the server as it renders the text.
 */
export function tokenBefore(before: string): MentionToken | null {
	const found = /(?<![\p{L}\p{N}_@/.+-])@([a-z0-9._-]{0,64})$/iu.exec(before)
	return found ? { from: found.index, text: (found[1] ?? '').toLowerCase() } : null
}
