import { type RefObject, useRef } from 'react'
import { requireConfirmed } from '~/features/accounts/security/confirmation.server.ts'
import { requirePageAdmin } from '~/features/administration/admins.server.ts'
import { AdminFrame } from '~/features/administration/components/admin-frame.tsx'
import { pageMeta } from '~/lib/page-meta.ts'
import { chooseIntent, readForm, refuseForm } from '~/platform/http/form.server.ts'
import type { FormRefusal } from '~/platform/http/form.ts'
import { redirectWithSuccess, requireLogin, withHttpErrors } from '~/platform/http/http.ts'
import { ConflictNotice } from '~/ui/conflict-notice.tsx'
import { FormError } from '~/ui/form-error.tsx'
import { Form, Link } from '~/ui/link.tsx'
import { LocalTime } from '~/ui/local-time.tsx'
import { SectionHeading } from '~/ui/section-heading.tsx'
import { SubmitButton } from '~/ui/submit-button.tsx'
import { useFieldFocus } from '~/ui/use-focus-kept.ts'
import { SettingField } from '../components/setting-field.tsx'
import { getSection, isSensitive, saveSection, storePictures, undoChange } from '../site-settings.server.ts'
import {
	choiceLabels,
	type SectionView,
	type SettingChangeView,
	sectionPath,
	settingsPath,
} from '../site-settings.view.ts'
import type { Route } from './+types/section'

export function loader({ request, params, context, url }: Route.LoaderArgs) {
	return withHttpErrors(async () => ({
		section: await getSection(await requirePageAdmin({ request, context, url }), params.section, url.searchParams),
	}))
}

/** Saves the form (`intent` save), or undoes a change (`id`, `intent` undo). */
export async function action({ request, params, context, url }: Route.ActionArgs) {
	const viewer = requireLogin(context, url)
	const form = await readForm(request)
	const done = (message: string) => redirectWithSuccess(sectionPath(params.section), message)
	try {
		if (isSensitive(viewer, params.section)) await requireConfirmed(viewer, request)
		return await chooseIntent(form.get('intent'), {
			save: async () => {
				await storePictures(viewer, params.section, form)
				await saveSection(viewer, params.section, Object.fromEntries(form))
				return done('Saved. It applies immediately.')
			},
			undo: async () => {
				await undoChange(viewer, params.section, Number(form.get('id')))
				return done('Undone.')
			},
		})
	} catch (error) {
		return refuseForm(error, form)
	}
}

export function meta({ loaderData, matches }: Route.MetaArgs) {
	return pageMeta(matches, { title: loaderData?.section.title ?? 'Settings', noindex: true })
}

export default function Section({ loaderData: { section }, actionData }: Route.ComponentProps) {
	const of = (intent: string) => (actionData?.values.intent === intent ? actionData : null)
	const form = useRef<HTMLFormElement>(null)
	useFieldFocus(form, `${section.version}`)
	return (
		<AdminFrame title={section.title}>
			<p className="mt-4">
				<Link className="link" to={settingsPath}>
					All settings
				</Link>
			</p>
			<p className="mt-3 max-w-[36rem] text-ink-2">{section.about}</p>
			<SectionForm key={section.version} form={form} section={section} refusal={of('save')} />
			<History section={section} message={of('undo')?.message} />
		</AdminFrame>
	)
}

interface SectionFormProps {
	form: RefObject<HTMLFormElement | null>
	section: SectionView
	refusal: FormRefusal | null
}

function SectionForm({ form, section, refusal }: SectionFormProps) {
	const here = sectionPath(section.name)
	const names = Object.fromEntries(section.settings.map(({ field, label }) => [field, label]))
	const isFile = section.settings.some(({ input }) => input === 'picture')
	const editable = section.settings.filter(({ environment }) => environment === null)
	return (
		<Form
			ref={form}
			method="post"
			action={here}
			className="mt-5 grid max-w-[36rem] gap-5"
			replace
			encType={isFile ? 'multipart/form-data' : undefined}
			reloadDocument={section.loadsAnew}
		>
			{refusal?.stored ? (
				<ConflictNotice
					stored={refusal.stored.values}
					typed={refusal.values}
					names={Object.fromEntries(
						editable
							.filter(({ input }) => input !== 'secret' && input !== 'picture')
							.map(({ field, label }) => [field, label]),
					)}
					choices={Object.fromEntries(editable.map((setting) => [setting.field, choiceLabels(setting)]))}
					button={{ name: 'intent', value: 'save' }}
				/>
			) : (
				<FormError errors={refusal?.errors} names={names}>
					{refusal?.message}
				</FormError>
			)}
			<input
				type="hidden"
				name="version"
				value={refusal?.stored?.version ?? refusal?.values.version ?? section.version}
			/>
			{section.settings.map((setting) => (
				<SettingField
					key={setting.name}
					setting={setting}
					typed={refusal ? (refusal.values[setting.field] ?? '') : undefined}
					error={refusal?.errors[setting.field]}
				/>
			))}
			{editable.length > 0 && (
				<p>
					<SubmitButton busyLabel="Saving..." action={here} name="intent" value="save">
						Save
					</SubmitButton>
				</p>
			)}
		</Form>
	)
}

function History({ section, message }: { section: SectionView; message: string | undefined }) {
	const { changes } = section
	return (
		<section className="mt-10" aria-labelledby="history">
			<SectionHeading id="history" title="History" />
			<FormError>{message}</FormError>
			{changes.length === 0 && <p className="py-3 text-ink-2">Nothing was changed yet.</p>}
			<ol>
				{changes.map((change) => (
					<Change key={change.id} section={section} change={change} />
				))}
			</ol>
		</section>
	)
}

function Change({
	section,
	change: { id, at, by, parts, mayUndo },
}: {
	section: SectionView
	change: SettingChangeView
}) {
	return (
		<li className="flex items-start gap-3 border-b border-line py-2.5">
			<div className="min-w-0 flex-1">
				<ul>
					{parts.map(({ label, from, to }) => (
						<li key={label} className="wrap-anywhere">
							<span className="font-semibold">{label}</span>
							{from === null ? ': changed' : `: from “${from}” to “${to}”`}
						</li>
					))}
				</ul>
				<p className="meta">
					<LocalTime at={at} /> {by ? <bdi>{by.name}</bdi> : 'by a former member'}
				</p>
			</div>
			{mayUndo && (
				<Form method="post" action={sectionPath(section.name)} preventScrollReset reloadDocument={section.loadsAnew}>
					<input type="hidden" name="id" value={id} />
					<button
						className="btn btn-sm btn-outline"
						type="submit"
						name="intent"
						value="undo"
						aria-label={`Undo the change of ${parts.map(({ label }) => label).join(', ')}`}
					>
						Undo
					</button>
				</Form>
			)}
		</li>
	)
}
