import { useEffect, useRef } from 'react'
import type { FormRefusal } from '~/platform/http/form.ts'
import { Checkbox, Field } from '~/ui/field.tsx'
import { FormError } from '~/ui/form-error.tsx'
import { Form } from '~/ui/link.tsx'
import { SubmitButton } from '~/ui/submit-button.tsx'
import {
	eventLabels,
	type WebhookView,
	webhookEvents,
	webhookLimits,
	webhookPath,
	webhooksPath,
} from '../webhooks.view.ts'

/** What was sent by a rejected form: `events` is a list there. */
export type WebhookRefusal = FormRefusal & { events: string[] }

interface WebhookFormProps {
	/** The stored values; null for a new one. */
	webhook: WebhookView | null
	refusal: WebhookRefusal | null
}

/** The form of a webhook: name, address, events, and whether it is switched on. */
export function WebhookForm({ webhook, refusal }: WebhookFormProps) {
	const action = webhook ? webhookPath(webhook.id) : webhooksPath
	const chosen: string[] = refusal?.events ?? webhook?.events ?? []
	return (
		<Form method="post" action={action} className="mt-4 grid max-w-[36rem] gap-5" noValidate>
			<FormError errors={refusal?.errors} names={{ name: 'Name', url: 'Address', events: 'Events' }}>
				{refusal?.message}
			</FormError>
			<Field
				label="Name"
				name="name"
				maxLength={webhookLimits.nameMax}
				defaultValue={refusal?.values.name ?? webhook?.name}
				error={refusal?.errors.name}
				hint="Who is told, for example “Chat of the computer society”."
				autoComplete="off"
				required
			/>
			<Field
				label="Address"
				name="url"
				type="url"
				inputMode="url"
				maxLength={webhookLimits.urlMax}
				defaultValue={refusal?.values.url ?? webhook?.url}
				error={refusal?.errors.url}
				placeholder="https://"
				autoComplete="off"
				required
			/>
			<fieldset
				id="events"
				tabIndex={-1}
				className="grid gap-1.5"
				aria-describedby={refusal?.errors.events ? 'events-error' : undefined}
			>
				<legend className="label mb-1.5">Events</legend>
				{webhookEvents.map((event) => (
					<Checkbox
						key={event}
						id={`event-${event}`}
						name="events"
						value={event}
						hint={event}
						defaultChecked={chosen.includes(event)}
					>
						{eventLabels[event]}
					</Checkbox>
				))}
				{refusal?.errors.events && (
					<p className="error" id="events-error">
						{refusal.errors.events}
					</p>
				)}
			</fieldset>
			{webhook && (
				<Checkbox name="enabled" defaultChecked={refusal ? refusal.values.enabled === 'on' : webhook.enabled}>
					Switched on
				</Checkbox>
			)}
			<p>
				<SubmitButton busyLabel="Saving..." action={action} name="intent" value={webhook ? 'save' : 'add'}>
					{webhook ? 'Save' : 'Add webhook'}
				</SubmitButton>
			</p>
		</Form>
	)
}

/** A secret, which is shown once. It takes the focus, as the form that asked for it may be longer than the screen. */
export function NewSecret({ secret }: { secret: string }) {
	const heading = useRef<HTMLHeadingElement>(null)
	// biome-ignore lint/correctness/useExhaustiveDependencies: each secret is a new one to see.
	useEffect(() => heading.current?.focus(), [secret])
	return (
		<section className="mt-6" aria-labelledby="secret">
			<h2 id="secret" ref={heading} tabIndex={-1} className="font-semibold">
				The secret
			</h2>
			<p className="mt-2 max-w-read text-ink-2">
				Copy it now: you will not see it again. The other server checks with it that a request comes from this site.
			</p>
			<p className="mt-3 rounded-sm border border-line bg-sunken px-3 py-2.5 font-mono text-sm wrap-anywhere select-all">
				{secret}
			</p>
		</section>
	)
}
