import { defineFeature } from '~/platform/feature.ts'
import { siteSettings } from '~/platform/settings/settings.server.ts'
import { registerIdentityUses } from './claims.server.ts'
import { findSessionProvider } from './identities.queries.server.ts'
import { attachSession, noticeOfLink } from './identities.server.ts'
import { ldapSection } from './ldap-section.server.ts'
import { reportLockout } from './lockout.server.ts'
import { findProviderSession, listProviders, opensSessions } from './providers.server.ts'
import { sweepSamlRequests } from './saml/saml-requests.queries.server.ts'
import { samlSection } from './saml/saml-section.server.ts'
import { campusSection, otherLoginsSection } from './sections.server.ts'
import { checkMemberSoon, checkSessionSoon, endOverdueSessions } from './session-checks.server.ts'

export const campusLogin = defineFeature({
	name: 'campus-login',
	settingSections: [campusSection, samlSection, ldapSection, otherLoginsSection],
	loginMethods: {
		buttons: () => listProviders().map(({ name, label }) => ({ name, label })),
		onlyWay: () => {
			const ways = [siteSettings(campusSection), siteSettings(samlSection), siteSettings(ldapSection)]
			return ways.find(({ isOn, onlyWay }) => isOn && onlyWay)?.label ?? null
		},
		onSessionBegun: attachSession,
		noticeOf: noticeOfLink,
		onSessionUsed: checkSessionSoon,
		onMemberActive: checkMemberSoon,
		outlives: async (sessionId) => {
			const name = await findSessionProvider(sessionId)
			return name !== undefined && opensSessions(name) ? name : null
		},
		loginElsewhere: findProviderSession,
	},
	schedules: [
		{ name: 'end-provider-sessions', every: 'minute', run: endOverdueSessions },
		{ name: 'sweep-saml-requests', every: 'hour', run: sweepSamlRequests },
	],
	start: reportLockout,
	collect: registerIdentityUses,
	crossSiteForms: ['/login/saml/acs'],
	memberData: {
		identities: {
			members: { user_id: 'deleted' },
			merge: { user_id: { unlessSame: ['provider'] } },
			called: 'Logins by other sites',
			archive: [
				'provider',
				'issuer',
				'subject',
				'name',
				'affiliation',
				'created_at',
				'used_at',
				'missing_since',
				'spared',
			],
		},
		provider_sessions: 'the sessions that began at another site; they end with their sessions',
		saml_requests: 'logins under way, for minutes',
	},
})
