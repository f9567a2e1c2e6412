import { defineFeature } from '~/platform/feature.ts'
import {
	leaveArchive,
	makeArchive,
	registerTables,
	removeArchiveFile,
	sweepArchives,
} from './archive/archive.server.ts'
import { deleteDueAccounts, deleteLeaver, registerLeaving } from './leaving/deletion.server.ts'
import { applyRetention, registerRetention, retentionSection } from './retention/retention.server.ts'

/** Members' rights to their data: an archive of it, and deletion. */
export const privacy = defineFeature({
	name: 'privacy',
	jobs: {
		'delete-account': ({ userId }) => deleteLeaver(userId),
		'make-archive': makeArchive,
		'remove-archive': ({ name }) => removeArchiveFile(name),
	},
	schedules: [
		{ name: 'delete-due-accounts', every: 'hour', run: deleteDueAccounts },
		{ name: 'sweep-archives', every: 'hour', run: sweepArchives },
		{ name: 'apply-retention', every: 'night', run: applyRetention },
	],
	settingSections: [retentionSection],
	leaving: [leaveArchive],
	memberData: {
		departures: {
			members: { user_id: 'deleted' },
			merge: { user_id: { ends: 'no account that is being deleted is merged' } },
			archive: ['keeps_texts', 'asked_at', 'begun_at', 'by_rule'],
		},
		archives: {
			members: { user_id: 'deleted' },
			merge: { user_id: { ends: 'The kept account can request an archive of everything.' } },
			called: 'Archives to download',
			archive: 'is the archive itself',
		},
	},
	collect: (features) => {
		registerLeaving(features)
		registerTables(features)
		registerRetention(features)
	},
})
