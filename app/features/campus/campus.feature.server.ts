import { defineFeature } from '~/platform/feature.ts'
import { remindOfCampus } from './campus.server.ts'

export const campus = defineFeature({
	name: 'campus',
	schedules: [{ name: 'campus-reminders', every: 'hour', run: remindOfCampus }],
	memberData: {
		campus_links: {
			members: { user_id: 'deleted' },
			archive: ['email', 'expires_at'],
			withheld: { token_hash: 'a secret' },
		},
	},
})
