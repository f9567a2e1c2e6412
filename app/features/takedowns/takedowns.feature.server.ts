import { deleteOldRows } from '~/platform/db/old-rows.queries.server.ts'
import { defineFeature } from '~/platform/feature.ts'
import { mergeTakedowns } from './takedowns.queries.server.ts'
import { finishTakedown } from './takedowns.server.ts'

export const takedowns = defineFeature({
	name: 'takedowns',
	jobs: { 'take-down': finishTakedown },
	retention: [
		{
			key: 'takedowns',
			label: 'What exactly moderators hid when they hid everything of an account',
			hint: 'During this time, it can be undone in one step. Afterwards, hidden posts stay hidden.',
			days: { default: 365, min: 30, max: 3650 },
			remove: (days, limit) => deleteOldRows({ table: 'takedowns', since: 'posted_until', days, limit }),
		},
	],
	merging: [mergeTakedowns],
	memberData: {
		takedowns: {
			members: { member_id: 'deleted', actor_id: 'kept', undone_by: 'kept' },
			merge: { member_id: 'moves', actor_id: 'moves', undone_by: 'moves' },
			archive: ['reason', 'posted_from', 'posted_until', 'suspended_to', 'state', 'undone_at'],
			withheld: { counts: 'numbers' },
			mentions: { reason: null },
		},
		takedown_items: {
			members: {},
			merge: {},
			archive: 'what an act hid, by the ids of posts; it goes with the act',
			mentions: { before: 'json' },
		},
	},
})
