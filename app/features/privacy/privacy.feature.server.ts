import { defineFeature } from '~/platform/feature.ts'
import { deleteDueAccounts, deleteLeaver, registerLeaving } from './leaving/deletion.server.ts'

/** What members may ask of the site about themselves: to take their data along, and to leave. */
export const privacy = defineFeature({
	name: 'privacy',
	jobs: { 'delete-account': ({ userId }) => deleteLeaver(userId) },
	schedules: [{ name: 'delete-due-accounts', every: 'hour', run: deleteDueAccounts }],
	memberData: {
		departures: {
			members: { user_id: 'deleted' },
			archive: ['keeps_texts', 'asked_at', 'begun_at'],
		},
	},
	collect: registerLeaving,
})
