import { requirePageAdmin } from '~/features/administration/admins.server.ts'
import { AdminFrame } from '~/features/administration/components/admin-frame.tsx'
import { pageMeta } from '~/lib/page-meta.ts'
import { formatBytes } from '~/lib/sizes.ts'
import { chooseIntent, readForm, refuseForm } from '~/platform/http/form.server.ts'
import { redirectWithSuccess, requireLogin, withHttpErrors } from '~/platform/http/http.ts'
import { FormError } from '~/ui/form-error.tsx'
import { Form, Link } from '~/ui/link.tsx'
import { LocalTime } from '~/ui/local-time.tsx'
import { SectionHeading } from '~/ui/section-heading.tsx'
import { SubmitButton } from '~/ui/submit-button.tsx'
import { RelativeTime } from '~/ui/time.tsx'
import { confirmRestore, readBackups, requestBackup } from '../runs.server.ts'
import { type ArchivingView, type BackupRun, backupsPath, secondsInWords } from '../runs.view.ts'
import type { Route } from './+types/backups'

export function loader({ request, context, url }: Route.LoaderArgs) {
	return withHttpErrors(async () => readBackups(await requirePageAdmin({ request, context, url })))
}

/** Starts a backup, or confirms that this site has replaced the one that it was restored from. */
export async function action({ request, context, url }: Route.ActionArgs) {
	const viewer = requireLogin(context, url)
	const form = await readForm(request)
	try {
		return await chooseIntent(form.get('intent'), {
			'back-up': async () => {
				await requestBackup(viewer)
				return redirectWithSuccess(backupsPath, 'A backup is running.')
			},
			'confirm-restore': async () => {
				await confirmRestore(viewer)
				return redirectWithSuccess(backupsPath, 'Old backups are removed again.')
			},
		})
	} catch (error) {
		return refuseForm(error, form)
	}
}

export function meta({ matches }: Route.MetaArgs) {
	return pageMeta(matches, { title: 'Backups', noindex: true })
}

export default function Backups({ loaderData, actionData }: Route.ComponentProps) {
	const { isScheduled, newest, runs, archive, restoredAt } = loaderData
	return (
		<AdminFrame title="Backups">
			<p className="mt-4 max-w-[40rem] text-ink-2">
				{newest ? (
					<>
						The newest backup is from <RelativeTime at={newest} />, and was tried by a restore.{' '}
					</>
				) : (
					'There is no backup yet. '
				)}
				{isScheduled ? 'One is made every day. ' : 'None are scheduled. '}
				<Link className="link" to="/admin/settings/backups">
					{isScheduled ? 'Change when and where' : 'Set when and where'}
				</Link>
			</p>
			<FormError>{actionData?.message}</FormError>
			<Form method="post" action={backupsPath} className="mt-4">
				<SubmitButton action={backupsPath} name="intent" value="back-up">
					Back up now
				</SubmitButton>
			</Form>
			{restoredAt && <Restored at={restoredAt} />}
			<Archive archive={archive} />
			<section className="mt-10" aria-labelledby="runs">
				<SectionHeading id="runs" title="The last backups" />
				{runs.length === 0 && <p className="py-3 text-ink-2">No backups yet.</p>}
				<ul>
					{runs.map((run) => (
						<Run key={run.id} run={run} />
					))}
				</ul>
			</section>
		</AdminFrame>
	)
}

function Restored({ at }: { at: string }) {
	return (
		<section className="mt-10" aria-labelledby="restored">
			<SectionHeading id="restored" title="Restored site" />
			<p className="max-w-[40rem] py-3 text-ink-2">
				This site was restored <LocalTime at={at} />. It removes no old backups until you confirm that it has replaced
				the original: if the original still runs, both use the same place. In a copy for a trial, turn backups off
				instead.
			</p>
			<Form method="post" action={backupsPath}>
				<SubmitButton busyLabel="Confirming..." action={backupsPath} name="intent" value="confirm-restore">
					It has replaced the original
				</SubmitButton>
			</Form>
		</section>
	)
}

function Archive({ archive }: { archive: ArchivingView }) {
	const { state, words, folder, upTo, baseAt, baseBytes } = archive
	return (
		<section className="mt-10" aria-labelledby="archive">
			<SectionHeading id="archive" title="Continuous archive" />
			<p className={`py-3 wrap-anywhere ${state === 'behind' ? 'text-red' : 'text-ink-2'}`}>{words}</p>
			{folder && (
				<p className="meta wrap-anywhere">
					{folder}
					{upTo && (
						<>
							. All is there up to <LocalTime at={upTo} />
						</>
					)}
					{baseAt && (
						<>
							; the whole database was copied <LocalTime at={baseAt} />
							{baseBytes !== null && `, ${formatBytes(baseBytes)}`}
						</>
					)}
					.
				</p>
			)}
		</section>
	)
}

function Run({ run: { state, startedAt, seconds, file, bytes, error, trouble } }: { run: BackupRun }) {
	const words = { running: 'Being made', stands: 'Made and tried', failed: 'Failed' }[state]
	return (
		<li className="border-b border-line py-2.5">
			<p className="flex flex-wrap items-baseline justify-between gap-x-3">
				<span className={`font-semibold ${state === 'failed' ? 'text-red' : ''}`}>{words}</span>
				<span className="meta">
					<LocalTime at={startedAt} />
				</span>
			</p>
			<p className="meta wrap-anywhere">
				{error ?? file ?? 'It will appear here once it has been tested.'}
				{bytes !== null && `, ${formatBytes(bytes)}`}
				{seconds !== null && `, ${error ? 'after' : 'in'} ${secondsInWords(seconds)}`}
			</p>
			{trouble && <p className="wrap-anywhere text-red">Older ones could not be removed: {trouble}</p>}
		</li>
	)
}
