import { useState } from 'react'
import { data } from 'react-router'
import { requireConfirmed } from '~/features/accounts/security/confirmation.server.ts'
import { requirePageAdmin } from '~/features/administration/admins.server.ts'
import { AdminFrame } from '~/features/administration/components/admin-frame.tsx'
import { pageMeta } from '~/lib/page-meta.ts'
import { requireAdmin } from '~/lib/viewer.ts'
import { chooseIntent, readForm, refuseForm } from '~/platform/http/form.server.ts'
import { requireLogin, withHttpErrors } from '~/platform/http/http.ts'
import { isPrivateSite } from '~/platform/http/site-access.server.ts'
import { Link } from '~/ui/link.tsx'
import { LocalTime } from '~/ui/local-time.tsx'
import { SectionHeading } from '~/ui/section-heading.tsx'
import { RelativeTime } from '~/ui/time.tsx'
import { NewSecret, WebhookForm } from '../components/webhook-form.tsx'
import { addWebhook, listWebhooks } from '../webhooks.server.ts'
import { type WebhookView, webhookPath } from '../webhooks.view.ts'
import type { Route } from './+types/webhooks'

export function loader({ request, context, url }: Route.LoaderArgs) {
	return withHttpErrors(async () => ({
		webhooks: await listWebhooks(await requirePageAdmin({ request, context, url })),
		isPrivate: isPrivateSite(),
	}))
}

/** A new secret is only in the response to the form, never in an address, a cookie or a later page. */
export function action({ request, context, url }: Route.ActionArgs) {
	return withHttpErrors(async () => {
		const viewer = requireLogin(context, url)
		const form = await readForm(request)
		const events = form.getAll('events').map(String)
		return chooseIntent(form.get('intent'), {
			add: async () => {
				await requireConfirmed(requireAdmin(viewer), request)
				try {
					const added = await addWebhook(viewer, { ...Object.fromEntries(form), events })
					return data({ added, refusal: null }, { status: 201, headers: { 'Cache-Control': 'no-store' } })
				} catch (error) {
					const { data: refusal, init } = refuseForm(error, form)
					return data({ added: null, refusal: { ...refusal, events } }, init ?? {})
				}
			},
		})
	})
}

export function headers({ actionHeaders }: Route.HeadersArgs) {
	return actionHeaders
}

export function meta({ matches }: Route.MetaArgs) {
	return pageMeta(matches, { title: 'Webhooks', noindex: true })
}

export default function Webhooks({ loaderData: { webhooks, isPrivate }, actionData }: Route.ComponentProps) {
	// The secret is shown only here, so it must survive a form that is rejected next.
	const [added, setAdded] = useState(actionData?.added)
	if (actionData?.added && actionData.added.id !== added?.id) setAdded(actionData.added)
	return (
		<AdminFrame title="Webhooks">
			<p className="mt-4 max-w-[40rem] text-ink-2">
				A webhook tells another server what happens on this site, by a request to its address. It is told what every{' '}
				{isPrivate ? 'member' : 'visitor'} can read, with texts and names of members, and that something was reported.
				{isPrivate && ' So whoever runs that server reads it, too, though this site is for members only.'}
			</p>
			{added && <NewSecret secret={added.secret} />}
			<ul className="mt-2">
				{webhooks.map((webhook) => (
					<li key={webhook.id} className="border-b border-line py-3">
						<Link className="quiet-link font-semibold wrap-anywhere" to={webhookPath(webhook.id)}>
							{webhook.name}
						</Link>
						<p className="meta wrap-anywhere">
							{new URL(webhook.url).host}: <State webhook={webhook} />
						</p>
					</li>
				))}
			</ul>
			<section className="mt-8" aria-labelledby="new">
				<SectionHeading id="new" title="New webhook" />
				{/* Resets the form after a webhook was added. */}
				<WebhookForm key={added?.id ?? 0} webhook={null} refusal={actionData?.refusal ?? null} />
			</section>
		</AdminFrame>
	)
}

function State({ webhook: { enabled, failingSince, lastSentAt } }: { webhook: WebhookView }) {
	if (!enabled) return 'switched off'
	if (failingSince)
		return (
			<>
				failing since <LocalTime at={failingSince} />
			</>
		)
	if (!lastSentAt) return 'nothing sent yet'
	return (
		<>
			sent <RelativeTime at={lastSentAt} />
		</>
	)
}
