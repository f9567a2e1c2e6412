import { defineFeature } from '~/platform/feature.ts'
import { activateCampusLink, remindOfCampusExpiry } from './campus.server.ts'

export const campus = defineFeature({
	name: 'campus',
	schedules: [{ name: 'campus-reminders', every: 'hour', run: remindOfCampusExpiry }],
	mailedLinks: { 'confirm-campus': activateCampusLink },
	memberData: {
		campus_links: {
			members: { user_id: 'deleted' },
			merge: { user_id: { ends: 'links to the account that goes' } },
			archive: ['email', 'works_until', 'expires_at'],
			withheld: { token_hash: 'a secret' },
		},
	},
})
