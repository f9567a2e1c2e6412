import { useLocation } from 'react-router'
import { SmallPictures } from '~/features/pictures/components/picture.tsx'
import { profilePath, withParams } from '~/lib/addresses.ts'
import { pluralize } from '~/lib/text.ts'
import { Avatar } from '~/ui/avatar.tsx'
import { Form, Link } from '~/ui/link.tsx'
import { PreventEnterSubmit, SubmitButton } from '~/ui/submit-button.tsx'
import { RelativeTime } from '~/ui/time.tsx'
import { moderationLimits } from '../moderation.limits.ts'
import { MEMBER_SUBJECT } from '../moderation.policy.ts'
import type { CasePageView, CaseView } from '../moderation.view.ts'
import { ActButtons } from './act-forms.tsx'

/** The id of a case's heading in the queue. */
export const caseHeadingId = ({ kind, id }: CasePageView) => `case-${kind}-${id}`

/** A case in the queue: its subject, the reports, and the actions that need only a reason. */
export function CaseCard({ entry }: { entry: CasePageView }) {
	const heading = caseHeadingId(entry)
	return (
		<li className="border-b border-line py-6">
			<article aria-labelledby={heading}>
				<CaseHead entry={entry} />
				<h2 className="mt-1 text-lg font-semibold wrap-anywhere" id={heading}>
					<Link className="quiet-link" to={entry.caseUrl}>
						{entry.prefix && <span className="font-normal text-ink-3">{entry.prefix}</span>}
						{entry.title}
					</Link>
				</h2>
				{entry.beginning && (
					<p className="mt-3 line-clamp-4 border-l-2 border-line-2 pl-4 wrap-anywhere text-ink-2">{entry.beginning}</p>
				)}
				<Reports entry={entry} />
				<QuickForm entry={entry} />
			</article>
		</li>
	)
}

/** The kind of subject, its author, its age and its status. */
export function CaseHead({ entry }: { entry: CasePageView }) {
	const { author, state } = entry
	return (
		<div className="flex flex-wrap items-center gap-x-3 gap-y-1.5 text-xs text-ink-3">
			<span className="cat">{entry.label}</span>
			<span className="flex min-w-0 items-center gap-2">
				<Avatar user={author} size={20} />
				{entry.pseudonym ? (
					<span className="truncate font-semibold text-ink-2">{author.name}</span>
				) : (
					<Link className="quiet-link truncate font-semibold text-ink-2" to={profilePath(author.username)}>
						{author.name}
					</Link>
				)}
			</span>
			<RelativeTime at={entry.createdAt} />
			{state === 'waiting' && <span className="chip">waiting for review</span>}
			{state === 'hidden' && <span className="chip">hidden</span>}
			{state === 'merged' && <span className="chip">merged</span>}
			{state === 'gone' && <span className="chip">deleted</span>}
			{entry.pseudonym && <span className="chip">pseudonym</span>}
			{entry.locked && <span className="chip">locked</span>}
			{entry.suspendedUntil !== null && <span className="chip">author suspended</span>}
			{entry.assignee && <span className="chip">assigned to @{entry.assignee.username}</span>}
			{entry.noteCount > 0 && <span className="chip">{pluralize(entry.noteCount, 'note')}</span>}
			{entry.reportCount > 0 && <span className="chip">{pluralize(entry.reportCount, 'report')}</span>}
		</div>
	)
}

/** The reports of members. */
export function Reports({ entry }: { entry: CaseView }) {
	if (entry.reports.length === 0) return null
	return (
		<ul className="mt-4 grid gap-2 text-sm">
			{entry.reports.map((report) => (
				<li key={report.reporter.username} className="wrap-anywhere">
					<span className="font-semibold">{report.reasonLabel}</span>
					<span className="text-ink-3">
						{' '}
						says <bdi>{report.reporter.name}</bdi>, <RelativeTime at={report.createdAt} />
					</span>
					{report.details && <span className="authored block whitespace-pre-line text-ink-2">{report.details}</span>}
					{report.extracts.map((messages) => (
						<Extract key={messages.at(-1)?.sentAt} messages={messages} />
					))}
				</li>
			))}
			{entry.reportCount > entry.reports.length && (
				<li className="text-ink-3">and {pluralize(entry.reportCount - entry.reports.length, 'more report')}</li>
			)}
		</ul>
	)
}

/** A reported message and those before it: all that moderators see of a conversation. */
function Extract({ messages }: { messages: CaseView['reports'][number]['extracts'][number] }) {
	const keyAt = (index: number) => `${index}-${messages[index]?.sentAt}`
	return (
		<ol
			className="mt-2 border-l-2 border-line-2 pl-4"
			aria-label="The reported message (the last one) and those before it"
		>
			{messages.map(({ sender, body, pictures }, index) => (
				<li key={keyAt(index)} className={index === messages.length - 1 ? '' : 'text-ink-3'}>
					<span className="font-semibold">@{sender}</span> <span className="whitespace-pre-line">{body}</span>
					<SmallPictures pictures={pictures} />
				</li>
			))}
		</ol>
	)
}

function QuickForm({ entry }: { entry: CasePageView }) {
	const quick = entry.acts.filter((act) => ['approve', 'refuse', 'hide', 'restore', 'dismiss'].includes(act))
	const why = `why-${entry.kind}-${entry.id}`
	const shown = new URLSearchParams(useLocation().search)
	const back = withParams('/moderation', { handler: shown.get('handler'), order: shown.get('order') })
	return (
		<Form method="post" action={entry.caseUrl} className="mt-4 flex flex-wrap items-center gap-2" preventScrollReset>
			<PreventEnterSubmit />
			<input type="hidden" name="seen" value={entry.print} />
			<input type="hidden" name="state" value={entry.state} />
			<input type="hidden" name="active" value={entry.activeAt} />
			<input type="hidden" name="back" value={back} />
			<label className="sr-only" htmlFor={why}>
				Why
			</label>
			<input
				className="input min-w-0 flex-1 basis-56 max-sm:basis-full"
				id={why}
				name="why"
				maxLength={moderationLimits.whyMax}
				placeholder={`Why? The ${entry.kind === MEMBER_SUBJECT ? 'member' : 'author'} sees this`}
			/>
			<ActButtons acts={quick} entry={entry} />
			{entry.assignee === null && (
				<>
					<input type="hidden" name="next" value={`/moderation?handler=mine#${caseHeadingId(entry)}`} />
					<input type="hidden" name="assigned" value="" />
					<SubmitButton className="btn btn-ghost" action={entry.caseUrl} name="intent" value="take">
						Assign to me
					</SubmitButton>
				</>
			)}
			<Link className="btn btn-ghost" to={entry.caseUrl}>
				More
			</Link>
		</Form>
	)
}
