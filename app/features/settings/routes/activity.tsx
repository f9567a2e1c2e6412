import { redirect } from 'react-router'
import { viewerFromRequest } from '~/features/accounts/viewer.server.ts'
import { retentionDays } from '~/features/privacy/retention/retention.server.ts'
import { securingAdvice } from '~/features/sessions/passwords.server.ts'
import { listSecurityEvents } from '~/features/sessions/security-log.server.ts'
import { loginPath } from '~/lib/addresses.ts'
import { pageMeta } from '~/lib/page-meta.ts'
import { requireLogin, withHttpErrors } from '~/platform/http/http.ts'
import { SettingsPage } from '~/ui/settings-page.tsx'
import { ActivityList } from '../components/security-lists.tsx'
import type { Route } from './+types/activity'

/** Checks the session in the database, not just its cookie, as the settings do. */
export function loader({ request, context, url }: Route.LoaderArgs) {
	return withHttpErrors(async () => {
		requireLogin(context, url)
		const { viewer, headers } = await viewerFromRequest(request, { fresh: true })
		if (!viewer) throw redirect(loginPath('/settings/activity'), { headers })
		const [events, advice] = await Promise.all([listSecurityEvents(viewer), securingAdvice(viewer.id)])
		return { events, advice, days: retentionDays('security-events') }
	})
}

export function meta({ matches }: Route.MetaArgs) {
	return pageMeta(matches, { title: 'Recent activity', noindex: true })
}

export default function Activity({ loaderData: { events, advice, days } }: Route.ComponentProps) {
	return (
		<SettingsPage title="Recent activity">
			<p className="mt-2 max-w-read text-ink-2">
				The last 50 events of your account, for at most {days} days. If one was not you, remove passkeys and linked
				logins that are not yours, then {advice}.
			</p>
			<div className="mt-6 border-t border-line">
				<ActivityList events={events} exact />
			</div>
		</SettingsPage>
	)
}
