import { useCallback, useEffect, useState } from 'react'
import { MentionHelp } from '~/features/asking/components/mention-help.tsx'
import type { AuthorView } from '~/features/members/members.view.ts'
import { postLimits } from '~/features/questions/questions.limits.ts'
import { loginPath } from '~/lib/addresses.ts'
import { Avatar } from '~/ui/avatar.tsx'
import { ConflictNotice } from '~/ui/conflict-notice.tsx'
import { describedBy } from '~/ui/field.tsx'
import { Form, Link } from '~/ui/link.tsx'
import { SubmitButton } from '~/ui/submit-button.tsx'
import { WritingNotice } from '~/ui/writing-notice.tsx'
import { focusPart, useDiscussion } from './discussion-context.ts'
import { useCommentForm } from './use-comment-form.ts'

/** The form for a comment on the question itself: one line until it is used. Visitors see a link to the login. */
export function CommentForm({ showAlone }: { showAlone: boolean }) {
	const { viewer, pseudonym, url, questionId, here } = useDiscussion()
	const nothing = useCallback(() => {}, [])
	// It stays open: closing under a press would move the button that is pressed. It may have the focus before the page is hydrated.
	const [isOpen, setOpen] = useState(false)
	const form = { box: 'comment', text: '', version: null, onSent: nothing }
	const { area, refused, text, sendKey, save } = useCommentForm(form)
	useEffect(() => setOpen(document.activeElement === area.current), [area])
	if (!viewer)
		return (
			<p className="mt-6 flex flex-wrap items-center justify-between gap-3 rounded-sm border border-line-2 px-4 py-3 print:hidden">
				<span className="text-ink-2">You can read everything here without an account.</span>
				<Link className="btn btn-outline" to={loginPath(`${url}#comments`)} rel="nofollow">
					Login to comment
				</Link>
			</p>
		)
	return (
		<Form className="group mt-6 flex items-start gap-3 print:hidden" method="post" action={here} replace>
			<input type="hidden" name="intent" value="comment" />
			<input type="hidden" name="key" value={sendKey} />
			{showAlone && <input type="hidden" name="thread" value="self" />}
			<Avatar user={pseudonym ?? viewer} size={32} />
			<div className="min-w-0 flex-1">
				<WritingNotice className="mb-2" />
				<label className="sr-only" htmlFor="comment">
					Your comment
				</label>
				<textarea
					ref={area}
					className={`input field-sizing-content block resize-none py-[0.4375rem] leading-5 group-focus-within:min-h-24 not-placeholder-shown:min-h-24 ${isOpen ? 'min-h-24' : 'min-h-9'}`}
					onFocus={() => setOpen(true)}
					id="comment"
					name="body"
					rows={1}
					required
					maxLength={postLimits.commentMax}
					placeholder="Add to the discussion"
					defaultValue={text}
					onInput={save}
					{...describedBy('comment', refused?.message, 'markdown')}
				/>
				<MentionHelp area={area} questionId={questionId} />
				{refused && (
					<p className="error mt-1.5" id="comment-error" role="alert">
						{refused.message}
					</p>
				)}
				<div
					className={`mt-2 items-center justify-between gap-3 group-focus-within:flex group-has-[textarea:not(:placeholder-shown)]:flex ${isOpen ? 'flex' : 'hidden'}`}
				>
					<span className="hint" id="comment-hint">
						{hintFor(pseudonym)}
					</span>
					<SubmitButton busyLabel="Sending..." action={here} name="box" value="comment">
						Comment
					</SubmitButton>
				</div>
			</div>
		</Form>
	)
}

interface ReplyFormProps {
	intent: 'reply' | 'edit-comment'
	/** The comment replied to or edited. */
	comment: number
	label: string
	text?: string
	/** The version of the comment that is edited; null for a reply. */
	version?: number | null
	/** The comment whose thread must be shown afterwards, where the plain page would not show the result. */
	thread: number | null
	/** Whether the reader has just opened it, so that it gets the focus. */
	focused: boolean
	onClose: () => void
}

/** Reminds an author under a pseudonym, before each comment, that it will be under the pseudonym. */
function hintFor(pseudonym: AuthorView | null): string {
	return pseudonym ? `You write here as ${pseudonym.name}` : 'Markdown is supported'
}

const names = { body: 'Comment' }

/** The form for a reply or for editing, inside a thread. */
export function ReplyForm(props: ReplyFormProps) {
	const { intent, comment, label, text = '', version = null, thread, focused, onClose } = props
	const { here, questionId, pseudonym } = useDiscussion()
	const box = `${intent}-${comment}`
	const { area, refused, stored, madeFrom, save, forget, ...typed } = useCommentForm({
		box,
		text,
		version,
		onSent: onClose,
	})
	const [action, busyLabel] = intent === 'reply' ? ['Reply', 'Sending...'] : ['Save', 'Saving...']
	const error = stored ? undefined : refused?.message

	useEffect(() => {
		if (focused) area.current?.focus()
	}, [focused, area])

	return (
		<Form className="grid gap-3" method="post" action={here} replace>
			<WritingNotice />
			<input type="hidden" name="intent" value={intent} />
			<input type="hidden" name="comment" value={comment} />
			<input type="hidden" name="key" value={typed.sendKey} />
			{thread !== null && <input type="hidden" name="thread" value={thread} />}
			{madeFrom !== null && <input type="hidden" name="version" value={madeFrom} />}
			{stored && (
				<ConflictNotice
					stored={stored.values}
					typed={{ body: typed.text }}
					names={names}
					button={{ name: 'box', value: box }}
					onTake={() => {
						forget()
						onClose()
					}}
				/>
			)}
			<div className="editor">
				<label className="sr-only" htmlFor={box}>
					{label}
				</label>
				<textarea
					ref={area}
					className="block min-h-20 w-full resize-y bg-transparent px-3 py-2 outline-none max-sm:text-[1rem]"
					id={box}
					name="body"
					rows={3}
					required
					maxLength={postLimits.commentMax}
					defaultValue={typed.text}
					onInput={save}
					{...describedBy(box, error, 'markdown')}
				/>
				<MentionHelp area={area} questionId={questionId} />
				{error && (
					<p className="error px-3 pb-2" id={`${box}-error`} role="alert">
						{error}
					</p>
				)}
				<div className="flex items-center justify-between gap-2 border-t border-line py-1.5 pr-1.5 pl-3">
					<span className={`hint ${pseudonym ? '' : 'max-sm:hidden'}`} id={`${box}-hint`}>
						{hintFor(pseudonym)}
					</span>
					<span className="ml-auto flex gap-1">
						<Link
							className="btn btn-sm btn-ghost"
							to={`${here}#comment-${comment}`}
							onClick={(event) => {
								event.preventDefault()
								// The button is gone with the form.
								focusPart(`comment-${comment}`)
								onClose()
							}}
						>
							Cancel
						</Link>
						<SubmitButton className="btn btn-sm btn-primary" busyLabel={busyLabel} action={here} name="box" value={box}>
							{action}
						</SubmitButton>
					</span>
				</div>
			</div>
		</Form>
	)
}
