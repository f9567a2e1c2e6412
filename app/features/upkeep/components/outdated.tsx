import { TriangleAlert } from 'lucide'
import { Select } from '~/ui/field.tsx'
import { Icon } from '~/ui/icon.tsx'
import { Form } from '~/ui/link.tsx'
import { RelativeTime } from '~/ui/time.tsx'
import { type OutdatedView, outdatedReasons } from '../upkeep.view.ts'

const address = '/forum/outdated'

/** The warning above a solution that is outdated. */
export function OutdatedNotice({ outdated: { count, at, reason } }: { outdated: OutdatedView }) {
	return (
		<p className="flex flex-wrap items-center gap-x-2 border-b border-marigold-line px-4 py-2 text-sm">
			<Icon of={TriangleAlert} className="icon-sm" />
			<span className="font-semibold">{count} members say this no longer works</span>
			<span className="text-ink-3">
				{reason !== '' && `${outdatedReasons[reason]}, `}
				<RelativeTime at={at} />
			</span>
		</p>
	)
}

/** Lets a member report that a solution no longer works, and why, or withdraw that. */
export function OutdatedForm({ comment, isSaid }: { comment: number; isSaid: boolean }) {
	const quiet = 'quiet-link w-fit cursor-pointer py-1 text-xs text-ink-3'
	if (isSaid)
		return (
			<Form method="post" action={address} className="mt-2" replace>
				<input type="hidden" name="comment" value={comment} />
				<button className={quiet} type="submit" name="value" value="0">
					You say this no longer works. Take it back
				</button>
			</Form>
		)
	return (
		<details className="mt-2" data-not-saved="">
			<summary className={quiet}>This no longer works</summary>
			<Form method="post" action={address} className="mt-2 grid max-w-[22rem] gap-3" replace>
				<input type="hidden" name="comment" value={comment} />
				<Select label="Why" name="reason" id={`outdated-${comment}`} hint="Say more in a comment.">
					{Object.entries(outdatedReasons).map(([value, label]) => (
						<option key={value} value={value}>
							{label}
						</option>
					))}
				</Select>
				<div>
					<button className="btn btn-sm btn-outline" type="submit" name="value" value="1">
						Say so
					</button>
				</div>
			</Form>
		</details>
	)
}
