import { useEffect, useEffectEvent, useRef, useState } from 'react'
import type { FormRefusal } from '~/platform/http/form.ts'
import { TextArea } from '~/ui/field.tsx'
import { FormError } from '~/ui/form-error.tsx'
import { Form, Link } from '~/ui/link.tsx'
import { SubmitButton } from '~/ui/submit-button.tsx'
import { RelativeTime } from '~/ui/time.tsx'
import { useFocusFallback } from '~/ui/use-focus-kept.ts'
import { MAX_BOOKMARK_NOTE } from '../bookmarks.limits.ts'
import type { BookmarkView } from '../bookmarks.view.ts'

interface BookmarkItemProps {
	bookmark: BookmarkView
	/** The address that its forms return to. */
	from: string
	/** The errors of its note. */
	refusal: FormRefusal | undefined
}

/** A bookmark with its link, its note, and the forms that edit and remove it. */
export function BookmarkItem({ bookmark, from, refusal }: BookmarkItemProps) {
	const { kind, post, note, createdAt } = bookmark
	const summary = useRef<HTMLElement>(null)
	const form = useNoteForm(note)
	useFocusFallback(form.round, (round, before) => round !== before, summary)
	const what =
		post?.title ?? (kind === 'query' ? 'a query that is no longer there' : 'a comment that is no longer there')
	return (
		<li className="border-b border-line pt-3 pb-4">
			<div className="flex flex-wrap items-center gap-x-4">
				<span className="cat">{kind === 'query' ? 'Query' : 'Comment'}</span>
				{post?.solved && <span className="answered">{kind === 'query' ? 'Answered' : 'Accepted answer'}</span>}
				<RemoveForm bookmark={bookmark} from={from} what={what} />
			</div>
			{post ? (
				<>
					<h2 className="text-lg font-semibold wrap-anywhere">
						<Link className="quiet-link" to={post.url}>
							{post.title}
						</Link>
					</h2>
					{post.excerpt && <p className="authored mt-1 line-clamp-2 text-ink-2 wrap-anywhere">{post.excerpt}</p>}
				</>
			) : (
				<p className="text-lg font-semibold text-ink-3">
					This {kind === 'query' ? 'query' : 'comment'} is no longer there.
				</p>
			)}
			<p className="meta mt-2">
				{post && (
					<>
						<bdi>{post.author.name}</bdi>,{' '}
					</>
				)}
				bookmarked <RelativeTime at={createdAt} />
			</p>
			{note && (
				<p className="mt-3 border-l-2 border-line-2 pl-3 text-base whitespace-pre-line text-ink wrap-anywhere">
					<span className="sr-only">Your note: </span>
					{note}
				</p>
			)}
			{/* A new key closes the form. */}
			<details key={form.round} ref={form.details} className="mt-2" open={refusal !== undefined}>
				<summary ref={summary} className="quiet-link w-fit cursor-pointer py-1 text-xs text-ink-3">
					{note ? 'Edit note' : 'Add a note'}
					<span className="sr-only"> on {what}</span>
				</summary>
				<NoteForm bookmark={bookmark} from={from} refusal={refusal} onSubmit={form.noteSent} />
			</details>
		</li>
	)
}

interface RemoveFormProps extends Omit<BookmarkItemProps, 'refusal'> {
	/** Names the bookmarked post. */
	what: string
}

function RemoveForm({ bookmark, from, what }: RemoveFormProps) {
	return (
		<Form method="post" action="/bookmarks" className="-mr-2.5 ml-auto flex" replace preventScrollReset>
			<Target bookmark={bookmark} from={from} />
			<button
				className="btn btn-sm btn-ghost text-ink-2"
				type="submit"
				name="intent"
				value="remove"
				aria-label={`Remove the bookmark of ${what}`}
			>
				Remove
			</button>
		</Form>
	)
}

interface NoteFormProps extends BookmarkItemProps {
	onSubmit: () => void
}

function NoteForm({ bookmark, from, refusal, onSubmit }: NoteFormProps) {
	const { kind, id, note } = bookmark
	return (
		<Form method="post" action="/bookmarks" className="mt-2 grid gap-3" replace preventScrollReset onSubmit={onSubmit}>
			<FormError errors={refusal?.errors} names={{ note: 'Note' }}>
				{refusal?.message}
			</FormError>
			<Target bookmark={bookmark} from={from} />
			<input type="hidden" name="intent" value="note" />
			<TextArea
				label="Note"
				name="note"
				id={`note-${kind}-${id}`}
				rows={3}
				maxLength={MAX_BOOKMARK_NOTE}
				defaultValue={refusal?.values.note ?? note}
				error={refusal?.errors.note}
				hint={`Only you read it. At most ${MAX_BOOKMARK_NOTE} characters.`}
			/>
			<div>
				<SubmitButton
					className="btn btn-sm btn-outline"
					busyLabel="Saving..."
					action="/bookmarks"
					name="box"
					value={`${kind}-${id}`}
				>
					Save note
				</SubmitButton>
			</div>
		</Form>
	)
}

/** The form of a note is remounted, and so closed, once its note was saved, unless more was typed meanwhile. */
function useNoteForm(note: string) {
	const details = useRef<HTMLDetailsElement>(null)
	const sent = useRef<string | null>(null)
	const [shown, setShown] = useState({ note, round: 0 })
	const typed = () => details.current?.querySelector('textarea')?.value ?? ''
	const follow = useEffectEvent(() => {
		if (note === shown.note) return
		const isKept = details.current?.open && typed() !== (sent.current ?? shown.note)
		if (!isKept) sent.current = null
		// The errors before may have opened it.
		else if (details.current) details.current.open = true
		setShown({ note, round: shown.round + (isKept ? 0 : 1) })
	})
	// biome-ignore lint/correctness/useExhaustiveDependencies: once for each saved note
	useEffect(() => follow(), [note])
	const noteSent = () => {
		sent.current = typed()
	}
	return { round: shown.round, details, noteSent }
}

/** Hidden fields that identify the bookmark. */
function Target({ bookmark: { kind, id }, from }: { bookmark: BookmarkView; from: string }) {
	return (
		<>
			<input type="hidden" name="kind" value={kind} />
			<input type="hidden" name="id" value={id} />
			<input type="hidden" name="from" value={from} />
		</>
	)
}
