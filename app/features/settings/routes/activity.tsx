import { requireFreshLogin } from '~/features/accounts/viewer.server.ts'
import { retentionDays } from '~/features/privacy/retention/retention.server.ts'
import { securingAdvice } from '~/features/sessions/passwords.server.ts'
import { listSecurityEvents } from '~/features/sessions/security-log.server.ts'
import { pageMeta } from '~/lib/page-meta.ts'
import { withHttpErrors } from '~/platform/http/http.ts'
import { SettingsPage } from '~/ui/settings-page.tsx'
import { ActivityList } from '../components/security-lists.tsx'
import type { Route } from './+types/activity'

export function loader({ request, context, url }: Route.LoaderArgs) {
	return withHttpErrors(async () => {
		const { viewer } = await requireFreshLogin({ request, context, url })
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
