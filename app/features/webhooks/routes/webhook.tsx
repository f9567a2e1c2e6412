import { data } from 'react-router'
import { requireConfirmed } from '~/features/accounts/security/confirmation.server.ts'
import { requirePageAdmin } from '~/features/administration/admins.server.ts'
import { AdminFrame } from '~/features/administration/components/admin-frame.tsx'
import { pageMeta } from '~/lib/page-meta.ts'
import { requireAdmin } from '~/lib/viewer.ts'
import { chooseIntent, readForm, readText, refuseForm } from '~/platform/http/form.server.ts'
import { redirectWithSuccess, redirectWithToast, requireLogin, withHttpErrors } from '~/platform/http/http.ts'
import { type DeleteConfirmation, DeleteControl, DeleteSection } from '~/ui/delete-control.tsx'
import { FormError } from '~/ui/form-error.tsx'
import { Form, Link } from '~/ui/link.tsx'
import { LocalTime } from '~/ui/local-time.tsx'
import { SectionHeading } from '~/ui/section-heading.tsx'
import { SubmitButton } from '~/ui/submit-button.tsx'
import { Deliveries } from '../components/deliveries.tsx'
import { NewSecret, WebhookForm } from '../components/webhook-form.tsx'
import type { Outcome } from '../sending/delivery.server.ts'
import { deleteWebhook, getWebhook, replaceSecret, saveWebhook, sendAgain, testWebhook } from '../webhooks.server.ts'
import { type WebhookView, webhookPath, webhooksPath } from '../webhooks.view.ts'
import type { Route } from './+types/webhook'

export function loader({ request, params, context, url }: Route.LoaderArgs) {
	return withHttpErrors(async () => ({
		...(await getWebhook(await requirePageAdmin({ request, context, url }), Number(params.id))),
		isDeleting: url.searchParams.has('delete'),
	}))
}

/** Saves the form, makes a new secret, sends a test or a delivery (`delivery`) again, or deletes the webhook. */
export function action({ request, params, context, url }: Route.ActionArgs) {
	return withHttpErrors(async () => {
		const viewer = requireLogin(context, url)
		const form = await readForm(request)
		const events = form.getAll('events').map(String)
		const id = Number(params.id)
		const here = webhookPath(id)
		const confirm = () => requireConfirmed(requireAdmin(viewer), request)
		try {
			return await chooseIntent(form.get('intent'), {
				save: async () => {
					await confirm()
					await saveWebhook(viewer, id, { ...Object.fromEntries(form), events })
					return redirectWithSuccess(here, 'Saved.')
				},
				secret: async () => {
					await confirm()
					const secret = await replaceSecret(viewer, id)
					return data({ secret, refusal: null }, { headers: { 'Cache-Control': 'no-store' } })
				},
				test: async () => redirectWithOutcome(here, await testWebhook(viewer, id)),
				again: async () => redirectWithOutcome(here, await sendAgain(viewer, id, readText(form, 'delivery'))),
				delete: async () => {
					await confirm()
					await deleteWebhook(viewer, id)
					return redirectWithSuccess(webhooksPath, 'Webhook deleted.')
				},
			})
		} catch (error) {
			const { data: refusal, init } = refuseForm(error, form)
			return data({ secret: null, refusal: { ...refusal, events } }, init ?? {})
		}
	})
}

function redirectWithOutcome(to: string, { state, status, error }: Outcome): Response {
	if (state === 'sent') return redirectWithSuccess(to, `Sent. The server answered ${status}.`)
	const message = state === 'skipped' ? 'Not sent, as not everybody here can read it now.' : `That failed. ${error}`
	return redirectWithToast(to, { type: 'error', message })
}

export function headers({ actionHeaders }: Route.HeadersArgs) {
	return actionHeaders
}

export function meta({ loaderData, matches }: Route.MetaArgs) {
	return pageMeta(matches, { title: loaderData ? `${loaderData.webhook.name}: webhook` : 'Webhook', noindex: true })
}

export default function WebhookPage({ loaderData, actionData }: Route.ComponentProps) {
	const { webhook, deliveries, isDeleting } = loaderData
	const here = webhookPath(webhook.id)
	const refusal = actionData?.refusal ?? null
	const isOfForm = refusal?.values.intent === 'save'
	return (
		<AdminFrame title={webhook.name}>
			<p className="mt-4">
				<Link className="link" to={webhooksPath}>
					All webhooks
				</Link>
			</p>
			{isDeleting && (
				<div className="mt-4">
					<DeleteSection question={deletionOf(webhook)} keepHref={here} />
				</div>
			)}
			{actionData?.secret && <NewSecret secret={actionData.secret} />}
			<State webhook={webhook} />
			<FormError>{isOfForm ? null : refusal?.message}</FormError>
			<WebhookForm key={String(webhook.enabled)} webhook={webhook} refusal={isOfForm ? refusal : null} />
			<Form method="post" action={here} className="mt-8 flex flex-wrap gap-2">
				<SubmitButton className="btn btn-outline" busyLabel="Sending..." action={here} name="intent" value="test">
					Send a test event
				</SubmitButton>
				<SubmitButton className="btn btn-outline" action={here} name="intent" value="secret">
					Replace the secret
				</SubmitButton>
				<DeleteControl question={deletionOf(webhook)} className="btn btn-ghost hover:text-red">
					Delete
				</DeleteControl>
			</Form>
			<p className="hint mt-2">A replaced secret stops working at once.</p>
			<section className="mt-10" aria-labelledby="deliveries">
				<SectionHeading id="deliveries" title="Deliveries" />
				<Deliveries deliveries={deliveries} action={here} />
			</section>
		</AdminFrame>
	)
}

function State({ webhook: { enabled, failingSince } }: { webhook: WebhookView }) {
	if (!failingSince) return null
	return (
		<p className="mt-3 text-ink-2">
			Everything has failed since <LocalTime at={failingSince} />
			{enabled ? '. After three days the webhook is switched off.' : '. It is switched off.'}
		</p>
	)
}

function deletionOf({ id, name }: WebhookView): DeleteConfirmation {
	return {
		title: `Delete the webhook “${name}”?`,
		text: 'Its deliveries are deleted too, and what still waits is not sent.',
		action: webhookPath(id),
		fields: { intent: 'delete' },
		href: `${webhookPath(id)}?delete`,
	}
}
