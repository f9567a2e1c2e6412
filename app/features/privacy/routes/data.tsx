import { useEffect } from 'react'
import { useRevalidator } from 'react-router'
import { requireConfirmed } from '~/features/accounts/security/confirmation.server.ts'
import { requireFreshLogin } from '~/features/accounts/viewer.server.ts'
import { pageMeta } from '~/lib/page-meta.ts'
import { formatBytes } from '~/lib/sizes.ts'
import { readForm, refuseForm } from '~/platform/http/form.server.ts'
import { redirectWithSuccess, requireLogin, withHttpErrors } from '~/platform/http/http.ts'
import { FormError } from '~/ui/form-error.tsx'
import { Form, Link } from '~/ui/link.tsx'
import { LocalTime } from '~/ui/local-time.tsx'
import { SettingsPage } from '~/ui/settings-page.tsx'
import { SubmitButton } from '~/ui/submit-button.tsx'
import { type ArchiveView, getArchive, requestArchive } from '../archive/archive.server.ts'
import { ARCHIVE_DAYS, DATA_PATH } from '../privacy.limits.ts'
import type { Route } from './+types/data'

/** Milliseconds between two reloads of the progress. */
const LOOK_AGAIN_MS = 3_000

export function loader({ request, context, url }: Route.LoaderArgs) {
	return withHttpErrors(async () => {
		const { viewer } = await requireFreshLogin({ request, context, url })
		return { archive: await getArchive(viewer) }
	})
}

export async function action({ request, context, url }: Route.ActionArgs) {
	const viewer = requireLogin(context, url)
	const form = await readForm(request)
	try {
		await requireConfirmed(viewer, request, DATA_PATH)
		await requestArchive(viewer, viewer)
		return redirectWithSuccess(DATA_PATH, 'Your archive is being made.')
	} catch (error) {
		return refuseForm(error, form)
	}
}

export function meta({ matches }: Route.MetaArgs) {
	return pageMeta(matches, { title: 'My data', noindex: true })
}

export default function Data({ loaderData: { archive }, actionData: refusal }: Route.ComponentProps) {
	return (
		<SettingsPage title="My data">
			<p className="mt-2 max-w-read text-ink-2">
				Everything that is stored about you, in one ZIP file: your profile, texts as Markdown, pictures, messages as you
				see them, votes, bookmarks, settings, and where you were logged in. Passwords and other secrets are left out.
			</p>
			{archive && archive.progress !== null && <Progress progress={archive.progress} />}
			{archive?.endsAt && <Ready archive={archive} endsAt={archive.endsAt} />}
			{(archive === null || archive.endsAt) && (
				<Form method="post" action={DATA_PATH} className="mt-6">
					<FormError>{refusal?.message}</FormError>
					<SubmitButton
						action={DATA_PATH}
						className={`btn ${archive ? 'btn-outline' : 'btn-primary'} ${refusal ? 'mt-4' : ''}`}
						busyLabel="Asking for it..."
					>
						{archive ? 'Make a new archive' : 'Make an archive'}
					</SubmitButton>
					<p className="hint mt-2">
						You get an email when it is ready. It can be downloaded for {ARCHIVE_DAYS} days; there is one at a time.
					</p>
				</Form>
			)}
		</SettingsPage>
	)
}

/** The progress. The page reloads it with scripts; without, the reader has to. */
function Progress({ progress }: { progress: number }) {
	const { revalidate } = useRevalidator()
	useEffect(() => {
		const timer = setInterval(() => void revalidate(), LOOK_AGAIN_MS)
		return () => clearInterval(timer)
	}, [revalidate])
	return (
		<div className="mt-6">
			<label className="label" htmlFor="progress">
				Your archive is being made: {progress} %
			</label>
			<progress className="mt-2 block h-2 w-full accent-ivy" id="progress" max={100} value={progress} />
			<p className="hint mt-2">
				You can leave this page: you get an email when it is ready.{' '}
				<Link className="link" to={DATA_PATH}>
					Look again
				</Link>
			</p>
		</div>
	)
}

function Ready({ archive: { bytes }, endsAt }: { archive: ArchiveView; endsAt: string }) {
	return (
		<section className="mt-6" aria-label="Your archive">
			{/* No `download`: with it, a browser would save whatever page the address leads to as the file. */}
			<a className="btn btn-primary" href={`${DATA_PATH}/archive.zip`}>
				Download ({formatBytes(bytes)})
			</a>
			<p className="hint mt-2">
				It can be downloaded until <LocalTime at={endsAt} />.
			</p>
		</section>
	)
}
