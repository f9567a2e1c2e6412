import { Bookmark } from 'lucide'
import type { FormEvent } from 'react'
import { Icon } from '~/ui/icon.tsx'
import { Form } from '~/ui/link.tsx'
import { usePress } from '~/ui/use-press.ts'
import type { BookmarkTarget } from '../bookmarks.schema.ts'

interface BookmarkButtonProps extends BookmarkTarget {
	bookmarked: boolean
	/** The accessible name. */
	label: string
}

/** Toggles the bookmark of a question or a comment. It has no state of its own. */
export function BookmarkButton({ kind, id, bookmarked, label }: BookmarkButtonProps) {
	const { value, press } = usePress<0 | 1>('/forum/bookmark', { kind, id }, { value: bookmarked ? 1 : 0, count: 0 })
	const next = value === 1 ? 0 : 1
	const submit = (event: FormEvent) => {
		event.preventDefault()
		press(next)
	}
	return (
		<Form method="post" action="/forum/bookmark" className="flex" onSubmit={submit}>
			<input type="hidden" name="kind" value={kind} />
			<input type="hidden" name="id" value={id} />
			<button
				className={`icon-btn icon-btn-sm ${value === 1 ? 'text-ivy' : ''}`}
				type="submit"
				name="value"
				value={next}
				aria-pressed={value === 1}
				aria-label={label}
				title={value === 1 ? 'Bookmarked: find it in your menu, with room for a note' : 'Bookmark'}
				// A double click would undo it at once.
				onClick={(event) => event.detail > 1 && event.preventDefault()}
			>
				<Icon of={Bookmark} className={`icon-sm ${value === 1 ? 'fill-current' : ''}`} />
			</button>
		</Form>
	)
}
