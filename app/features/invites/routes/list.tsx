import { useEffect } from 'react'
import { useRevalidator } from 'react-router'
import { config } from '~/config.server.ts'
import { requirePageAdmin } from '~/features/administration/admins.server.ts'
import { AdminFrame } from '~/features/administration/components/admin-frame.tsx'
import { membersPath } from '~/features/administration/members/members.view.ts'
import { withParams } from '~/lib/addresses.ts'
import { requireId } from '~/lib/checks.ts'
import { pageMeta } from '~/lib/page-meta.ts'
import { formatNumber, pluralize } from '~/lib/text.ts'
import { chooseIntent, readForm, refuseForm } from '~/platform/http/form.server.ts'
import { redirectWithSuccess, withHttpErrors } from '~/platform/http/http.ts'
import { FormError } from '~/ui/form-error.tsx'
import { Form, Link } from '~/ui/link.tsx'
import { LocalTime } from '~/ui/local-time.tsx'
import { SectionHeading } from '~/ui/section-heading.tsx'
import { SubmitButton } from '~/ui/submit-button.tsx'
import { type InviteListView, invitesPath, type ListReport, listPath, progressOf } from '../invites.view.ts'
import { discardList, getList, sendList, stopList } from '../lists/lists.server.ts'
import type { Route } from './+types/list'

/** Milliseconds between two reloads of the progress. */
const LOOK_AGAIN_MS = 10_000

export function loader({ request, params, context, url }: Route.LoaderArgs) {
	return withHttpErrors(async () => ({
		list: await getList(await requirePageAdmin({ request, context, url }), requireId(params.id)),
		hasMailServer: config().SMTP_URL !== undefined,
	}))
}

export function action({ request, params, context, url }: Route.ActionArgs) {
	return withHttpErrors(async () => {
		const viewer = await requirePageAdmin({ request, context, url })
		const id = requireId(params.id)
		const form = await readForm(request)
		const done = (message: string, to = listPath(id)) => redirectWithSuccess(to, message)
		try {
			return await chooseIntent(form.get('intent'), {
				send: async () => {
					await sendList(viewer, id)
					return done('The mails are on their way, 60 per minute.')
				},
				stop: async () => {
					await stopList(viewer, id)
					return done('Stopped. You can continue at any time.')
				},
				discard: async () => {
					await discardList(viewer, id)
					return done('The list was discarded. No mail was sent.', invitesPath)
				},
			})
		} catch (error) {
			return refuseForm(error, form)
		}
	})
}

export function meta({ matches }: Route.MetaArgs) {
	return pageMeta(matches, { title: 'List of addresses', noindex: true })
}

export default function List({ loaderData: { list, hasMailServer }, actionData }: Route.ComponentProps) {
	const { id, cohort, state, total, mailed, joined, expiresAt, report } = list
	useLookAgain(state === 'sending')
	return (
		<AdminFrame title={cohort || `List ${id}`}>
			<p className="mt-4">
				<Link className="link" to={invitesPath}>
					All invitations
				</Link>
			</p>
			<section className="mt-6" aria-labelledby="progress">
				<SectionHeading id="progress" title={state === 'draft' ? 'Nothing is sent yet' : progressTitles[state]} />
				<p className="mt-3" role="status">
					{state === 'draft' ? `${pluralize(total, 'address', 'addresses')} would be mailed.` : `${progressOf(list)}.`}{' '}
					The links work until <LocalTime at={expiresAt} />.
				</p>
				{state !== 'draft' && (
					<progress
						className="mt-3 w-full max-w-[28rem]"
						max={Math.max(1, total)}
						value={mailed}
						aria-label="Mails sent"
					/>
				)}
				{joined > 0 && (
					<p className="mt-3">
						<Link className="link" to={withParams(membersPath, { list: id })}>
							Who joined
						</Link>
					</p>
				)}
				{!hasMailServer && (
					<p className="mt-3 text-ink-2">
						This site has no mail server, so nobody gets these mails: they are only written to files.
					</p>
				)}
				<FormError>{actionData?.message}</FormError>
				<Acts list={list} />
			</section>
			<Report report={report} />
		</AdminFrame>
	)
}

const progressTitles = { sending: 'Being sent', stopped: 'Stopped', done: 'Sent' } as const

function Acts({ list: { state, total, mailed } }: { list: InviteListView }) {
	if (state === 'done') return null
	return (
		<Form method="post" className="mt-4 flex flex-wrap gap-2">
			{state === 'sending' ? (
				<button className="btn btn-outline" type="submit" name="intent" value="stop">
					Stop
				</button>
			) : (
				total > mailed && (
					<SubmitButton name="intent" value="send">
						{state === 'draft' ? `Send ${pluralize(total, 'mail')}` : 'Go on'}
					</SubmitButton>
				)
			)}
			{state === 'draft' && (
				<button className="btn btn-ghost" type="submit" name="intent" value="discard">
					Discard
				</button>
			)}
		</Form>
	)
}

function Report({ report }: { report: ListReport }) {
	const { lines, valid, doubled, members, refused: foreign, invalid, leftOut } = report
	const numbers = [
		['Lines', lines],
		['To be invited', valid],
		['Twice in the list', doubled],
		['Already members', members],
		['Domains that cannot register here', foreign],
		['No address', invalid],
	] as const
	const hidden = doubled + members + foreign + invalid - leftOut.length
	// A line may have several addresses.
	const keyAt = (index: number) => `${index}-${leftOut[index]?.line}`
	return (
		<section className="mt-10" aria-labelledby="file">
			<SectionHeading id="file" title="The file" />
			<dl>
				{numbers.map(([name, number]) => (
					<div key={name} className="flex justify-between gap-4 border-b border-line py-2">
						<dt className="text-ink-2">{name}</dt>
						<dd className="num">{formatNumber(number)}</dd>
					</div>
				))}
			</dl>
			{leftOut.length > 0 && (
				<>
					<h3 className="mt-6 font-semibold">Left out</h3>
					<ul className="mt-2">
						{leftOut.map(({ line, text, why }, index) => (
							<li key={keyAt(index)} className="border-b border-line py-2 wrap-anywhere">
								Line {line}: {text && <span className="font-mono text-sm">{text}</span>}{' '}
								<span className="text-ink-2">{why}</span>
							</li>
						))}
					</ul>
					{hidden > 0 && <p className="mt-2 text-ink-3">And {pluralize(hidden, 'more line')}.</p>}
				</>
			)}
		</section>
	)
}

/** Reloads the page while mails are being sent and the tab is visible. */
function useLookAgain(isWanted: boolean): void {
	const { revalidate } = useRevalidator()
	useEffect(() => {
		if (!isWanted) return
		const timer = setInterval(() => document.hidden || void revalidate(), LOOK_AGAIN_MS)
		return () => clearInterval(timer)
	}, [isWanted, revalidate])
}
