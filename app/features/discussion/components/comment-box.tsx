import { useCallback } from 'react'
import { Form, Link } from 'react-router'
import { MentionHelp } from '~/features/asking/components/mention-help.tsx'
import { limits } from '~/features/questions/questions.limits.ts'
import { loginPath } from '~/lib/addresses.ts'
import { Avatar } from '~/ui/avatar.tsx'
import { described } from '~/ui/field.tsx'
import { SubmitButton } from '~/ui/submit-button.tsx'
import { useDiscussion } from './discussion-context.ts'
import { useBox } from './use-comment-form.ts'

/** The box for a comment on the question itself: one line until it is used. A visitor is shown the way in. */
export function CommentBox({ showAlone }: { showAlone: boolean }) {
	const { viewer, url, questionId, here } = useDiscussion()
	const nothing = useCallback(() => {}, [])
	const { area, refused, text, sendKey, keep } = useBox({ box: 'comment', text: '', version: null, onSent: nothing })
	if (!viewer)
		return (
			<p className="mt-6 flex flex-wrap items-center justify-between gap-3 rounded-sm border border-line-2 px-4 py-3">
				<span className="text-ink-2">You can read everything here without an account.</span>
				<Link className="btn btn-outline" to={loginPath(`${url}#comments`)} rel="nofollow">
					Login to comment
				</Link>
			</p>
		)
	return (
		<Form className="group mt-6 flex items-start gap-3" method="post" action={here} replace>
			<input type="hidden" name="intent" value="comment" />
			<input type="hidden" name="key" value={sendKey} />
			{showAlone && <input type="hidden" name="thread" value="self" />}
			<Avatar user={viewer} size={32} />
			<div className="min-w-0 flex-1">
				<label className="sr-only" htmlFor="comment">
					Your comment
				</label>
				<textarea
					ref={area}
					className="input field-sizing-content block min-h-9 resize-none py-[0.4375rem] leading-5 group-focus-within:min-h-24 not-placeholder-shown:min-h-24"
					id="comment"
					name="body"
					rows={1}
					required
					maxLength={limits.commentMax}
					placeholder="Add to the discussion"
					defaultValue={text}
					onInput={keep}
					{...described('comment', refused?.message, 'markdown')}
				/>
				<MentionHelp area={area} questionId={questionId} />
				{refused && (
					<p className="error mt-1.5" id="comment-error" role="alert">
						{refused.message}
					</p>
				)}
				<div className="mt-2 hidden items-center justify-between gap-3 group-focus-within:flex group-has-[textarea:not(:placeholder-shown)]:flex">
					<span className="hint" id="comment-hint">
						Markdown is supported
					</span>
					<SubmitButton busyLabel="Sending..." action={here} name="box" value="comment">
						Comment
					</SubmitButton>
				</div>
			</div>
		</Form>
	)
}
