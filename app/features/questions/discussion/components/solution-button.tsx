import { Check } from 'lucide-react'
import { Form } from 'react-router'
import { SubmitButton } from '~/ui/submit-button.tsx'
import type { CommentView } from '../../question.view.ts'
import { useDiscussion } from './discussion-context.ts'

/** Whoever asked says here that a comment solved the query, or that it did not after all. */
export function SolutionButton({ comment: { id, solution } }: { comment: CommentView }) {
	const { here } = useDiscussion()
	const intent = solution ? 'withdraw-solution' : 'choose-solution'
	return (
		<Form method="post" action={here} preventScrollReset replace>
			<input type="hidden" name="intent" value={intent} />
			<input type="hidden" name="comment" value={id} />
			<SubmitButton
				className="btn btn-sm btn-ghost px-2 text-xs"
				busyLabel="Saving..."
				action={here}
				name="box"
				value={`solution-${id}`}
			>
				<Check className="icon icon-sm" aria-hidden="true" /> {solution ? 'No longer the answer' : 'This solved it'}
			</SubmitButton>
		</Form>
	)
}
