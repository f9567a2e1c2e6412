import { requirePageAdmin } from '~/features/administration/admins.server.ts'
import { AdminFrame } from '~/features/administration/components/admin-frame.tsx'
import { NotFound } from '~/lib/errors.ts'
import { pageMeta } from '~/lib/page-meta.ts'
import { chooseIntent, readForm, readText, refuseForm } from '~/platform/http/form.server.ts'
import { redirectWithSuccess, requireLogin, withHttpErrors } from '~/platform/http/http.ts'
import { ConflictNotice } from '~/ui/conflict-notice.tsx'
import { Checkbox, Field, TextArea } from '~/ui/field.tsx'
import { FormError } from '~/ui/form-error.tsx'
import { Form, Link } from '~/ui/link.tsx'
import { LocalTime } from '~/ui/local-time.tsx'
import { Prose } from '~/ui/prose.tsx'
import { SectionHeading } from '~/ui/section-heading.tsx'
import { SubmitButton } from '~/ui/submit-button.tsx'
import { getLegalForm, type LegalForm, previewLegal, publishLegal } from '../legal.server.ts'
import {
	ACCEPT_PATH,
	LEGAL_PATH,
	type LegalKind,
	legalEditPath,
	legalKind,
	legalLimits,
	legalPath,
	legalTitles,
	placeholders,
} from '../legal.view.ts'
import type { Route } from './+types/edit'

function kindOf(name: string): LegalKind {
	const kind = legalKind(name)
	if (!kind) throw new NotFound('There is no such text.')
	return kind
}

export function loader({ request, params, context, url }: Route.LoaderArgs) {
	return withHttpErrors(async () => {
		const viewer = await requirePageAdmin({ request, context, url })
		return getLegalForm(viewer, kindOf(params.kind), url.searchParams.get('from'))
	})
}

/** Publishes the text (`intent` publish), or previews it (`intent` preview). */
export function action({ request, params, context, url }: Route.ActionArgs) {
	return withHttpErrors(async () => {
		const viewer = requireLogin(context, url)
		const kind = kindOf(params.kind)
		const form = await readForm(request)
		const input = Object.fromEntries(form)
		try {
			return await chooseIntent(form.get('intent'), {
				preview: async () => {
					const preview = await previewLegal(viewer, input)
					return { preview, message: '', errors: {}, values: textsOf(form), stored: null }
				},
				publish: async () => {
					await publishLegal(viewer, kind, input)
					const isText = readText(form, 'body').trim() !== ''
					const message = isText ? 'Published. It applies immediately.' : 'Withdrawn.'
					// The publishing admin accepts like everybody else; the page redirects on if there is nothing to accept.
					const to = kind === 'terms' ? `${ACCEPT_PATH}?redirectTo=${LEGAL_PATH}` : LEGAL_PATH
					return redirectWithSuccess(to, message)
				},
			})
		} catch (error) {
			return refuseForm(error, form)
		}
	})
}

function textsOf(form: FormData): Record<string, string> {
	return Object.fromEntries([...form].map(([name, value]) => [name, String(value)]))
}

export function meta({ matches, loaderData }: Route.MetaArgs) {
	return pageMeta(matches, { title: legalTitles[loaderData?.kind ?? 'terms'], noindex: true })
}

export default function EditLegal({ loaderData: form, actionData }: Route.ComponentProps) {
	const preview = actionData && 'preview' in actionData ? actionData.preview : null
	return (
		<AdminFrame title={legalTitles[form.kind]}>
			<p className="mt-4">
				<Link className="link mr-4" to={LEGAL_PATH}>
					All texts
				</Link>
				<Link className="link" to={legalPath(form.kind)}>
					As everybody reads it
				</Link>
			</p>
			<TextForm key={`${form.version} ${form.body}`} form={form} sent={actionData ?? null} />
			{preview !== null && (
				<section className="mt-5 border border-line px-4 py-3" aria-label="Preview">
					<Prose html={preview} />
				</section>
			)}
			<Versions form={form} />
		</AdminFrame>
	)
}

interface Sent {
	message: string
	errors: Record<string, string>
	values: Record<string, string>
	stored: { version: number; values: Record<string, string> } | null
}

function TextForm({ form: { kind, version, body, isFirst }, sent }: { form: LegalForm; sent: Sent | null }) {
	const here = legalEditPath(kind)
	const { values = {}, errors = {} } = sent ?? {}
	const names = { body: 'Text', note: 'What is new' }
	return (
		<Form method="post" action={here} className="mt-5 grid max-w-[48rem] gap-5" replace>
			{sent?.stored ? (
				<ConflictNotice
					stored={sent.stored.values}
					typed={values}
					names={{ body: 'Text' }}
					button={{ name: 'intent', value: 'publish' }}
				/>
			) : (
				<FormError errors={errors} names={names}>
					{sent?.message}
				</FormError>
			)}
			<input type="hidden" name="version" value={sent?.stored?.version ?? values.version ?? version} />
			<TextArea
				label="Text"
				name="body"
				rows={24}
				maxLength={legalLimits.body}
				defaultValue={values.body ?? body}
				error={errors.body}
				hint="Markdown. An empty text is withdrawn."
			/>
			<Field
				label="What is new"
				name="note"
				optional
				maxLength={legalLimits.note}
				defaultValue={values.note ?? ''}
				error={errors.note}
				hint="One sentence for members. It is shown in the list of versions."
			/>
			{kind === 'terms' && (
				<Checkbox
					name="asks"
					defaultChecked={sent ? values.asks === 'on' : isFirst}
					hint="Once, at the next page that they open. Until they accept, they only read. The first terms always ask."
				>
					Ask members to accept this version
				</Checkbox>
			)}
			<p className="flex flex-wrap gap-3">
				<SubmitButton busyLabel="Publishing..." action={here} name="intent" value="publish">
					Publish
				</SubmitButton>
				<SubmitButton className="btn btn-outline" busyLabel="Rendering..." action={here} name="intent" value="preview">
					Preview
				</SubmitButton>
			</p>
			<details>
				<summary className="cursor-pointer font-semibold">Placeholders</summary>
				<ul className="mt-2">
					{Object.entries(placeholders).map(([name, about]) => (
						<li key={name} className="py-0.5">
							<code className="font-mono">{`{{${name}}}`}</code> {about}
						</li>
					))}
				</ul>
			</details>
		</Form>
	)
}

function Versions({ form: { kind, versions } }: { form: LegalForm }) {
	return (
		<section className="mt-10" aria-labelledby="versions">
			<SectionHeading id="versions" title="Versions" />
			{versions.length === 0 && <p className="py-3 text-ink-2">Nothing was published yet. There is a draft above.</p>}
			<ul>
				{versions.map(({ id, at, note, asks, isWithdrawn }) => (
					<li key={id} className="flex flex-wrap items-baseline gap-x-4 border-b border-line py-2.5">
						<span className="min-w-0 flex-1 wrap-anywhere">
							<LocalTime at={at} />
							{isWithdrawn && ', withdrawn'}
							{asks && ', members were asked'}
							{note && `: ${note}`}
						</span>
						{!isWithdrawn && (
							<Link className="link" to={`${legalEditPath(kind)}?from=${id}`}>
								Edit from this one
							</Link>
						)}
					</li>
				))}
			</ul>
		</section>
	)
}
