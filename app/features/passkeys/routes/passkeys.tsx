import { data } from 'react-router'
import { requireConfirmed } from '~/features/accounts/security/confirmation.server.ts'
import { requireFreshLogin } from '~/features/accounts/viewer.server.ts'
import { pageMeta } from '~/lib/page-meta.ts'
import { chooseIntent, readForm, refuseForm } from '~/platform/http/form.server.ts'
import { redirectWithSuccess, requireLogin, withHttpErrors } from '~/platform/http/http.ts'
import { Field } from '~/ui/field.tsx'
import { FormError } from '~/ui/form-error.tsx'
import { Form } from '~/ui/link.tsx'
import { LocalTime } from '~/ui/local-time.tsx'
import { SectionHeading } from '~/ui/section-heading.tsx'
import { SettingsPage } from '~/ui/settings-page.tsx'
import { SubmitButton } from '~/ui/submit-button.tsx'
import { arePasskeysSupported } from '../ceremonies.server.ts'
import { PasskeyPrompt } from '../components/passkey-prompt.tsx'
import { addPasskey, beginAdding, listPasskeys, removePasskey, renamePasskey } from '../passkeys.server.ts'
import { MAX_PASSKEYS, type PasskeyView, passkeysPath } from '../passkeys.view.ts'
import type { Route } from './+types/passkeys'

export function loader({ request, context, url }: Route.LoaderArgs) {
	return withHttpErrors(async () => {
		const { viewer } = await requireFreshLogin({ request, context, url })
		return { passkeys: await listPasskeys(viewer), isOffered: arePasskeysSupported() }
	})
}

/** Adding and removing require a confirmed session; renaming does not. */
export function action({ request, context, url }: Route.ActionArgs) {
	return withHttpErrors(async () => {
		const viewer = requireLogin(context, url)
		const form = await readForm(request)
		const done = (message: string) => redirectWithSuccess(passkeysPath, message)
		if (form.get('intent') !== 'rename') await requireConfirmed(viewer, request, passkeysPath)
		try {
			return await chooseIntent(form.get('intent'), {
				begin: async () => data(await beginAdding(viewer, form), { headers: { 'Cache-Control': 'no-store' } }),
				rename: async () => {
					await renamePasskey(viewer, form)
					return done('Renamed.')
				},
				add: async () => {
					await addPasskey(viewer, form)
					return done('Passkey added. You can log in with it from now on.')
				},
				remove: async () => {
					await removePasskey(viewer, form)
					return done('Passkey removed.')
				},
			})
		} catch (error) {
			return refuseForm(error, form)
		}
	})
}

export function headers({ actionHeaders, loaderHeaders }: Route.HeadersArgs) {
	return actionHeaders.has('Cache-Control') ? actionHeaders : loaderHeaders
}

export function meta({ matches }: Route.MetaArgs) {
	return pageMeta(matches, { title: 'Passkeys', noindex: true })
}

export default function Passkeys({ loaderData, actionData }: Route.ComponentProps) {
	const { passkeys, isOffered } = loaderData
	const asked = actionData && 'options' in actionData ? actionData : null
	const refusal = actionData && 'errors' in actionData ? actionData : null
	const isNew = !refusal?.values.id
	return (
		<SettingsPage title="Passkeys">
			<p className="mt-2 max-w-read text-ink-2">
				With a passkey, you log in with the fingerprint, face or PIN that unlocks your device. Nobody can guess it, and
				no other site can steal it.
			</p>
			{!isNew && <FormError>{refusal?.message}</FormError>}
			{passkeys.length > 0 && (
				<ul className="mt-6">
					{passkeys.map((passkey) => (
						<OnePasskey key={passkey.id} passkey={passkey} />
					))}
				</ul>
			)}
			{isOffered ? (
				<section className="mt-10" aria-labelledby="add">
					<SectionHeading id="add" title="Add a passkey">
						<span>
							{passkeys.length} of {MAX_PASSKEYS}
						</span>
					</SectionHeading>
					{asked && (
						<PasskeyPrompt
							asked={{ kind: 'make', options: asked.options }}
							action={passkeysPath}
							fields={{ intent: 'add', name: asked.name }}
						/>
					)}
					<AddForm refusal={isNew ? refusal : null} name={asked?.name ?? ''} />
				</section>
			) : (
				<p className="mt-6 max-w-read font-semibold">
					Passkeys need an address with a name and https, which this site does not have.
				</p>
			)}
		</SettingsPage>
	)
}

interface AddFormProps {
	refusal: { message: string; errors: Record<string, string>; values: Record<string, string> } | null
	name: string
}

function AddForm({ refusal, name }: AddFormProps) {
	return (
		<Form method="post" action={passkeysPath} className="mt-4 grid max-w-sm gap-5" noValidate>
			<FormError errors={refusal?.errors} names={{ name: 'Name' }}>
				{refusal?.message}
			</FormError>
			<Field
				label="Name"
				name="name"
				required
				maxLength={60}
				defaultValue={refusal?.values.name ?? name}
				error={refusal?.errors.name}
				hint="Such as “My laptop”. For yourself alone."
			/>
			<p className="hidden noscript:block">Your browser needs JavaScript to create a passkey.</p>
			<p>
				<SubmitButton busyLabel="Asking..." name="intent" value="begin">
					Add a passkey
				</SubmitButton>
			</p>
		</Form>
	)
}

function OnePasskey({ passkey: { id, name, addedAt, usedAt } }: { passkey: PasskeyView }) {
	return (
		<li className="border-b border-line py-3">
			<p className="font-semibold wrap-anywhere">{name}</p>
			<p className="meta">
				Added <LocalTime at={addedAt} />
				{usedAt ? (
					<>
						, last used <LocalTime at={usedAt} />
					</>
				) : (
					', not used yet'
				)}
			</p>
			<div className="mt-2 flex flex-wrap items-end gap-3">
				<Form method="post" action={passkeysPath} className="flex items-end gap-3">
					<input type="hidden" name="id" value={id} />
					<input
						className="input w-44"
						name="name"
						aria-label={`New name of ${name}`}
						defaultValue={name}
						maxLength={60}
					/>
					<button
						className="btn btn-sm btn-outline"
						name="intent"
						value="rename"
						type="submit"
						aria-label={`Rename ${name}`}
					>
						Rename
					</button>
				</Form>
				<Form method="post" action={passkeysPath}>
					<input type="hidden" name="id" value={id} />
					<button
						className="btn btn-sm btn-outline"
						name="intent"
						value="remove"
						type="submit"
						aria-label={`Remove ${name}`}
					>
						Remove
					</button>
				</Form>
			</div>
		</li>
	)
}
