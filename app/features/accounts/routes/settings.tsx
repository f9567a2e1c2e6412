import { Form } from 'react-router'
import { viewerOf } from '~/lib/context.ts'
import { NotAllowed } from '~/lib/errors.ts'
import { answering, redirectWithToast, signedIn } from '~/lib/http.ts'
import { RuleHead } from '~/ui/rule-head.tsx'
import { RelativeTime } from '~/ui/time.tsx'
import { listSessions, revokeOtherSessions, revokeSession, type SessionView } from '../accounts.server.ts'
import { ThemeForm } from '../components/theme-form.tsx'
import type { Route } from './+types/settings'

export async function loader({ request, context, url }: Route.LoaderArgs) {
	return { sessions: await listSessions(signedIn(context, url), request) }
}

export function action({ request, context }: Route.ActionArgs) {
	return answering(async () => {
		const viewer = viewerOf(context)
		if (!viewer) throw new NotAllowed('Log in first.')
		const form = await request.formData()
		if (form.get('intent') === 'revoke-others') await revokeOtherSessions(request)
		else await revokeSession(viewer, Number(form.get('session')))
		return redirectWithToast('/settings', { type: 'success', message: 'Logged out there.' })
	})
}

export const meta: Route.MetaFunction = () => [{ title: 'Settings' }, { name: 'robots', content: 'noindex' }]

export default function Settings({ loaderData: { sessions } }: Route.ComponentProps) {
	return (
		<div className="mx-auto w-full max-w-page px-4 pt-6 pb-16 sm:px-6 md:pt-8">
			<div className="max-w-[44rem]">
				<h1 className="text-2xl font-bold">Settings</h1>
				<section className="mt-8" aria-labelledby="looks">
					<RuleHead id="looks" title="Looks" />
					<ThemeForm />
				</section>
				<section className="mt-10" aria-labelledby="sessions">
					<RuleHead id="sessions" title="Where you are logged in">
						<span>{sessions.length}</span>
					</RuleHead>
					<ul>
						{sessions.map((session) => (
							<Session key={session.id} session={session} />
						))}
					</ul>
					{sessions.length > 1 && (
						<Form method="post" className="mt-4">
							<button className="btn btn-outline" name="intent" value="revoke-others" type="submit">
								Log out everywhere else
							</button>
						</Form>
					)}
				</section>
			</div>
		</div>
	)
}

function Session({ session }: { session: SessionView }) {
	return (
		<li className="flex items-center justify-between gap-4 border-b border-line py-3">
			<div className="min-w-0">
				<p className="font-semibold">
					{session.device} {session.current && <span className="ml-2 text-xs font-normal text-ivy">this one</span>}
				</p>
				<p className="meta">
					{session.address && `${session.address}, `}last used <RelativeTime at={session.seenAt} />
				</p>
			</div>
			{!session.current && (
				<Form method="post">
					<input type="hidden" name="session" value={session.id} />
					<button className="btn btn-sm btn-outline" name="intent" value="revoke" type="submit" aria-label={`Log out ${session.device}`}>
						Log out
					</button>
				</Form>
			)}
		</li>
	)
}
