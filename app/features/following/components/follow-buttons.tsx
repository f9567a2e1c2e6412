import { type FormEvent, type ReactNode, useState } from 'react'
import { pluralize } from '~/lib/text.ts'
import { Form } from '~/ui/link.tsx'
import { usePress } from '~/ui/use-press.ts'

const address = '/forum/following'

interface FollowQuestionProps {
	questionId: number
	following: boolean
	/** For the accessible name: what is followed. */
	what: string
}

/** Follows a question that somebody else asked. */
export function FollowQuestion({ questionId, following, what }: FollowQuestionProps) {
	const fields = { query: questionId, what: 'follow' }
	const { value, press } = usePress<0 | 1>(address, fields, { value: following ? 1 : 0, count: 0 })
	return (
		<Press fields={fields} value={value} press={press}>
			{value === 1 ? 'Following' : 'Follow'}
			<span className="sr-only"> {what}</span>
		</Press>
	)
}

interface AffectedProps {
	questionId: number
	following: boolean
	affected: boolean
	/** Members who have the same problem, including the viewer. */
	count: number
	/** Whether the viewer may press it: members who are not the author. */
	mayPress: boolean
}

/** “I have this too”, which also follows, and the follow button. Other readers only see the count. */
export function AffectedLine({ questionId, following, affected, count, mayPress }: AffectedProps) {
	const fields = { query: questionId, what: 'too' }
	const too = usePress<0 | 1>(address, fields, { value: affected ? 1 : 0, count })
	const [presses, setPresses] = useState(0)
	if (!mayPress && count === 0) return null
	const press = (value: 0 | 1) => {
		if (value === 1) setPresses(presses + 1)
		too.press(value, () => setPresses(presses))
	}
	return (
		<div className="mt-5 flex flex-wrap items-center gap-2" data-not-saved="">
			{mayPress && (
				<>
					<Press fields={fields} value={too.value} press={press}>
						I have this too
					</Press>
					{/* Each press follows, also after the button beside it was pressed to unfollow. */}
					<FollowQuestion
						key={presses}
						questionId={questionId}
						following={following || presses > 0}
						what="this query"
					/>
				</>
			)}
			{too.count > 0 && (
				<span className="meta" aria-live="polite">
					{pluralize(too.count, 'member has', 'members have')} this too
				</span>
			)}
		</div>
	)
}

interface PressProps {
	fields: Record<string, string | number>
	value: 0 | 1
	press: (value: 0 | 1) => void
	children: ReactNode
}

function Press({ fields, value, press, children }: PressProps) {
	const next = value === 1 ? 0 : 1
	const submit = (event: FormEvent) => {
		event.preventDefault()
		press(next)
	}
	return (
		<Form method="post" action={address} className="flex" onSubmit={submit}>
			{Object.entries(fields).map(([field, of]) => (
				<input key={field} type="hidden" name={field} value={of} />
			))}
			<button
				className={`btn btn-sm btn-outline ${value === 1 ? 'text-ivy' : ''}`}
				type="submit"
				name="value"
				value={next}
				aria-pressed={value === 1}
				// A double click would undo it at once.
				onClick={(event) => event.detail > 1 && event.preventDefault()}
			>
				{children}
			</button>
		</Form>
	)
}
