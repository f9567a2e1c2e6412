import { type ReactNode, useEffect, useId, useRef } from 'react'
import { counted } from '~/lib/text.ts'
import { SuggestionList } from '~/ui/suggestion-list.tsx'
import { applyEdit } from '../../asking/components/markdown-edits.ts'
import { useMentions } from './use-mentions.ts'

interface MentionMenuProps {
	area: HTMLTextAreaElement
	/** The address that answers `&q=`. */
	source: string
}

/**
 * The members who may be meant by what follows an @. The text area keeps the focus: arrows choose, Enter or Tab takes, Escape
 * closes, and screen readers are told of it by the text area and a status.
 */
export default function MentionMenu({ area, source }: MentionMenuProps): ReactNode {
	const id = useId()
	const { token, list, at, move, close } = useMentions(area, source)

	const take = (value: string) => {
		if (!token) return
		const end = token.from + value.length + 2
		applyEdit(area, { from: token.from, to: area.selectionStart, insert: `@${value} `, select: [end, end] })
		close()
	}
	const press = (event: KeyboardEvent) => {
		const chosen = list[at]
		if (!chosen || event.isComposing || event.ctrlKey || event.metaKey || event.altKey) return
		if (event.key === 'ArrowDown') move(1)
		else if (event.key === 'ArrowUp') move(-1)
		else if (event.key === 'Escape') close()
		else if (event.key === 'Enter' || (event.key === 'Tab' && !event.shiftKey)) take(chosen.value)
		else return
		event.preventDefault()
		event.stopPropagation()
	}
	const latest = useRef(press)
	useEffect(() => {
		latest.current = press
	})
	useEffect(() => {
		const listen = (event: KeyboardEvent) => latest.current(event)
		area.addEventListener('keydown', listen)
		return () => area.removeEventListener('keydown', listen)
	}, [area])

	useEffect(() => {
		if (at < 0) return
		area.setAttribute('aria-controls', id)
		area.setAttribute('aria-activedescendant', `${id}-${at}`)
		return () => {
			area.removeAttribute('aria-controls')
			area.removeAttribute('aria-activedescendant')
		}
	}, [area, at, id])

	return (
		<div className="relative">
			<p className="sr-only" role="status">
				{at >= 0 && `${counted(list.length, 'member')} to mention. Choose with the arrow keys and Enter.`}
			</p>
			{at >= 0 && token && (
				<SuggestionList
					id={id}
					label="Members to mention"
					list={list}
					at={at}
					text={token.text}
					onPick={({ value }) => take(value)}
				/>
			)}
		</div>
	)
}
