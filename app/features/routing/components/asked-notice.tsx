import { pluralize } from '~/lib/text.ts'
import { Form } from '~/ui/link.tsx'
import { ANSWER_PATH, type AskedView, formatList } from '../routing.view.ts'

interface AskedNoticeProps {
	questionId: number
	/** The question's address, which the form returns to. */
	url: string
	asked: AskedView
}

/** A notice above a question. Its author sees how many members were asked; a member who was asked sees why, and can say “not me”. */
export function AskedNotice({ questionId, url, asked: { people, mine } }: AskedNoticeProps) {
	if (people > 0)
		return (
			<p className="meta mt-3">{`${pluralize(people, 'person was', 'people were')} asked, as they may know the answer.`}</p>
		)
	if (!mine) return null
	return (
		<div className="mt-3 flex max-w-[47.5rem] flex-wrap items-center gap-x-4 gap-y-2 rounded-sm border border-line-2 bg-sunken px-4 py-2.5 text-sm text-ink-2">
			<p className="min-w-0 flex-1 basis-56 wrap-anywhere">
				{mine.declined
					? 'You said that this is not for you.'
					: `You were asked because you know ${formatList(mine.names)}.`}
			</p>
			<Form method="post" action={ANSWER_PATH} preventScrollReset>
				<input type="hidden" name="query" value={questionId} />
				<input type="hidden" name="from" value={url} />
				<button
					className="btn btn-sm btn-outline"
					type="submit"
					name="intent"
					value={mine.declined ? 'accept' : 'decline'}
				>
					{mine.declined ? 'Undo' : 'Not me'}
				</button>
			</Form>
		</div>
	)
}
