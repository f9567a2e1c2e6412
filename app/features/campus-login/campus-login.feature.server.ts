import { defineFeature } from '~/platform/feature.ts'
import { siteSettings } from '~/platform/settings/settings.server.ts'
import { listProviders } from './providers.server.ts'
import { checkSoon } from './refreshing.server.ts'
import { campusSection, otherSection } from './sections.server.ts'

export const campusLogin = defineFeature({
	name: 'campus-login',
	settingSections: [campusSection, otherSection],
	waysIn: {
		buttons: () => listProviders().map(({ name, label }) => ({ name, label })),
		onlyWay: () => {
			const { isOn, onlyWay, label } = siteSettings(campusSection)
			return isOn && onlyWay ? label : null
		},
		onSessionUsed: checkSoon,
	},
	memberData: {
		identities: {
			members: { user_id: 'deleted' },
			archive: ['provider', 'issuer', 'subject', 'name', 'affiliation', 'created_at', 'used_at'],
		},
		provider_sessions: 'the sessions that began at another site; they end with their sessions',
	},
})
