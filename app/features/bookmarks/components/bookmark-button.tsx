import { Bookmark } from 'lucide'
import type { FormEvent } from 'react'
import { Icon } from '~/ui/icon.tsx'
import { Form } from '~/ui/link.tsx'
import { usePress } from '~/ui/use-press.ts'
import type { BookmarkTarget } from '../bookmarks.schema.ts'

interface BookmarkButtonProps extends BookmarkTarget {
	bookmarked: boolean
	/** What a press does, for readers who do not see the mark. */
	label: string
}

/** Bookmarks a question or a comment, or no longer, for a member; it shows nothing but its properties. */
export function BookmarkButton({ kind, id, bookmarked, label }: BookmarkButtonProps) {
	const { value, press } = usePress<0 | 1>('/forum/bookmark', { kind, id }, { value: bookmarked ? 1 : 0, count: 0 })
	const wanted = value === 1 ? 0 : 1
	const submit = (event: FormEvent) => {
		event.preventDefault()
		press(wanted)
	}
	return (
		<Form method="post" action="/forum/bookmark" className="flex" onSubmit={submit}>
			<input type="hidden" name="kind" value={kind} />
			<input type="hidden" name="id" value={id} />
			<button
				className={`icon-btn icon-btn-sm ${value === 1 ? 'text-ivy' : ''}`}
				type="submit"
				name="value"
				value={wanted}
				aria-pressed={value === 1}
				aria-label={label}
				title={value === 1 ? 'Bookmarked: find it in your menu, with room for a note' : 'Bookmark'}
				// The second half of a double click would take it back.
				onClick={(event) => event.detail > 1 && event.preventDefault()}
			>
				<Icon of={Bookmark} className={`icon-sm ${value === 1 ? 'fill-current' : ''}`} />
			</button>
		</Form>
	)
}
