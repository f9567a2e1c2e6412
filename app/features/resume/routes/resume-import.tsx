import { useEffect, useState } from 'react'
import { data, useSubmit } from 'react-router'
import { refreshSession } from '~/features/accounts/viewer.server.ts'
import { editProfilePath } from '~/features/members/members.view.ts'
import { requireOwnForm, requireOwnPage } from '~/features/profile-editor/requests.server.ts'
import { Invalid } from '~/lib/errors.ts'
import { pageMeta } from '~/lib/page-meta.ts'
import { pluralize } from '~/lib/text.ts'
import { type FormField, RESTORE_EVENT } from '~/lib/unsent-form.ts'
import { chooseIntent, readForm, readText, refuseForm } from '~/platform/http/form.server.ts'
import { redirectWithSuccess } from '~/platform/http/http.ts'
import { Link } from '~/ui/link.tsx'
import { ImportForm, ImportPreview } from '../components/import-forms.tsx'
import { MAX_RESUME_BYTES } from '../import/document.ts'
import { applyImport, type ImportedResumePreview, PreviewOutdated, previewImport } from '../import/import.server.ts'
import type { Route } from './+types/resume-import'

export function loader(args: Route.LoaderArgs) {
	return { username: requireOwnPage(args).username }
}

export async function action(args: Route.ActionArgs) {
	const viewer = await requireOwnForm(args)
	const { username } = viewer
	const form = await readForm(args.request)
	try {
		return await chooseIntent(form.get('intent'), {
			'': async () => {
				const preview = await previewImport(viewer, username, await textOf(form))
				return { preview, message: '', errors: {}, text: '' }
			},
			apply: async () => {
				const made = await applyImport(viewer, username, {
					document: readText(form, 'document'),
					fingerprint: readText(form, 'fingerprint'),
					chosen: form.getAll('change').map(String),
				})
				// The header shows the name and picture from the session.
				const session = await refreshSession(args.request)
				return redirectWithSuccess(editProfilePath(username), `Imported: ${pluralize(made, 'change')}.`, session)
			},
		})
	} catch (error) {
		if (error instanceof PreviewOutdated) return data(outdated(error), { status: error.status })
		const { data: refusal, init } = refuseForm(error, new FormData())
		// Kept in the form if no change was chosen, or too many.
		const document = readText(form, 'document')
		const preview = document ? await previewImport(viewer, username, document).catch(() => null) : null
		return data({ preview, message: refusal.message, errors: refusal.errors, text: pastedIn(form) }, init ?? {})
	}
}

export function meta({ matches }: Route.MetaArgs) {
	return pageMeta(matches, { title: 'Import a résumé', noindex: true })
}

export default function ResumeImport({ loaderData: { username }, actionData }: Route.ComponentProps) {
	// React Router drops `actionData` with the next navigation, even a failed one.
	const [answer, setAnswer] = useState(actionData)
	if (actionData && actionData !== answer) setAnswer(actionData)
	const preview = answer?.preview
	usePreviewAgain()
	return (
		<>
			<h1 className="text-2xl font-bold">Import a résumé</h1>
			{preview ? (
				<ImportPreview preview={preview} message={answer.message} key={preview.fingerprint} />
			) : (
				<>
					<p className="mt-2 max-w-read text-ink-2">
						Choose a{' '}
						<a className="link" href="https://jsonresume.org/schema" rel="noopener">
							JSON Resume
						</a>{' '}
						file: many sites and programs can create one. You see what it would change before anything is saved.{' '}
						<Link className="link" to={`/find-dev/${username}.json`} reloadDocument>
							Download your own profile
						</Link>{' '}
						in the same format.
					</p>
					<ImportForm message={answer?.message ?? ''} errors={answer?.errors ?? {}} text={answer?.text ?? ''} />
				</>
			)}
		</>
	)
}

/** Requests the preview again when the form is restored after an expired session: the document is in it. */
function usePreviewAgain(): void {
	const submit = useSubmit()
	useEffect(() => {
		const onRestore = (event: Event) => {
			const { intent, document: text } = Object.fromEntries((event as CustomEvent<FormField[]>).detail)
			if (intent === 'apply' && text) void submit({ text }, { method: 'post', encType: 'multipart/form-data' })
		}
		document.addEventListener(RESTORE_EVENT, onRestore)
		return () => document.removeEventListener(RESTORE_EVENT, onRestore)
	}, [submit])
}

function outdated({ preview, message }: PreviewOutdated): {
	preview: ImportedResumePreview
	message: string
	errors: Record<string, string>
	text: string
} {
	return { preview, message, errors: {}, text: '' }
}

/** What was pasted, to be shown again where no script keeps the field. A longer text than a résumé would not be read anyway. */
function pastedIn(form: FormData): string {
	return readText(form, 'text').slice(0, MAX_RESUME_BYTES)
}

/** The uploaded or the pasted text. @throws Invalid for a file that is too large or not text */
async function textOf(form: FormData): Promise<string> {
	const file = form.get('file')
	if (!(file instanceof File) || file.size === 0) return readText(form, 'text')
	if (file.size > MAX_RESUME_BYTES)
		throw new Invalid('A résumé has at most 1 MB.', { file: 'A résumé has at most 1 MB.' })
	try {
		return new TextDecoder('utf-8', { fatal: true }).decode(await file.arrayBuffer())
	} catch {
		throw new Invalid('This file is not text: a résumé is JSON in UTF-8.', { file: 'A résumé is JSON in UTF-8.' })
	}
}
