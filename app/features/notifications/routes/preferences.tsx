import { MailPausedNotice } from '~/features/bounces/components/address-problem.tsx'
import { readForm } from '~/platform/http/form.server.ts'
import { redirectWithSuccess, requireLogin, withHttpErrors } from '~/platform/http/http.ts'
import { Checkbox } from '~/ui/field.tsx'
import { Form } from '~/ui/link.tsx'
import { SectionHeading } from '~/ui/section-heading.tsx'
import { SubmitButton } from '~/ui/submit-button.tsx'
import { BrowserPush } from '../components/browser-push.tsx'
import { channelNames, channels } from '../notifications.view.ts'
import type { PreferenceView } from '../preferences.server.ts'
import { getPreferences, setPreferences } from '../preferences.server.ts'
import { getPush } from '../push/subscribing.server.ts'
import type { Route } from './+types/preferences'

export function loader({ context, url }: Route.LoaderArgs) {
	return withHttpErrors(async () => {
		const viewer = requireLogin(context, url)
		const [preferences, push] = await Promise.all([getPreferences(viewer), getPush(viewer)])
		return { ...preferences, push }
	})
}

export async function action({ request, context, url }: Route.ActionArgs) {
	const viewer = requireLogin(context, url)
	const form = await readForm(request)
	return withHttpErrors(async () => {
		await setPreferences(viewer, new Set(form.keys()), form.has('kind') ? form.getAll('kind') : null)
		return redirectWithSuccess('/settings', 'Notification settings saved.')
	})
}

/** A section of the settings: each kind by channel, and whether this browser gets pushes. */
export default function Preferences({ loaderData: { daily, weekly, isWithheld, kinds, push } }: Route.ComponentProps) {
	return (
		<section className="mt-10" aria-labelledby="notifications">
			<SectionHeading id="notifications" title="Notifications" />
			{isWithheld && <MailPausedNotice />}
			<Form method="post" action="/settings?index" preventScrollReset>
				<table className="w-full text-left max-[16rem]:[&_th:first-child]:col-span-full max-[16rem]:[&_tr]:grid max-[16rem]:[&_tr]:grid-cols-3">
					<thead>
						<tr className="border-b border-line text-sm text-ink-3">
							<th className="py-2.5 font-normal" scope="col">
								Event
							</th>
							{channelNames.map((channel) => (
								<th key={channel} className="w-16 py-2.5 text-center font-normal max-[16rem]:w-auto" scope="col">
									{channels[channel].title}
								</th>
							))}
						</tr>
					</thead>
					<tbody>
						{kinds.map((kind) => (
							<Row key={kind.kind} kind={kind} />
						))}
					</tbody>
				</table>
				<div className="mt-4">
					<Checkbox
						name="daily"
						defaultChecked={daily}
						hint="At most one email a day, and one for messages that stay unread for ten minutes. Nothing that you have already seen here."
					>
						Email me what I missed
					</Checkbox>
				</div>
				<div className="mt-4">
					<Checkbox
						name="weekly"
						defaultChecked={weekly}
						hint="On Mondays: what is new in the queries, tags, categories and searches you follow, and about your skills."
					>
						Email me once a week what is new
					</Checkbox>
				</div>
				<SubmitButton
					className="btn btn-outline mt-4"
					busyLabel="Saving..."
					action="/settings"
					name="choice"
					value="notifications"
				>
					Save notifications
				</SubmitButton>
			</Form>
			<BrowserPush publicKey={push.publicKey} endpoints={push.endpoints} />
		</section>
	)
}

function Row({ kind: { kind, label, always, ...chosen } }: { kind: PreferenceView }) {
	return (
		<tr className="border-b border-line">
			<th className="py-1 pr-4 font-normal" scope="row">
				{label}
				<input type="hidden" name="kind" value={kind} />
			</th>
			{channelNames.map((channel) => (
				<td key={channel} className="text-center">
					{always.includes(channel) ? (
						<span className="text-sm text-ink-3">always</span>
					) : (
						<Box
							name={`${kind}-${channel}`}
							label={`${label}: ${channels[channel].spoken}`}
							checked={chosen[channel]}
						/>
					)}
				</td>
			))}
		</tr>
	)
}

function Box({ name, label, checked }: { name: string; label: string; checked: boolean }) {
	return (
		<label className="inline-flex size-11 items-center justify-center">
			<span className="sr-only">{label}</span>
			<input className="check-box" type="checkbox" name={name} defaultChecked={checked} />
		</label>
	)
}
