import { deleteOldRows } from '~/platform/db/old-rows.queries.server.ts'
import { defineFeature } from '~/platform/feature.ts'
import { invitationKinds } from './invitations.server.ts'
import { outdatedKinds } from './outdated.server.ts'
import { remindAskers, reminderKinds } from './reminders.server.ts'
import { upkeepOperations, upkeepShapes } from './upkeep.api.server.ts'

export const upkeep = defineFeature({
	name: 'upkeep',
	api: { operations: upkeepOperations, schemas: upkeepShapes },
	notificationKinds: { ...outdatedKinds, ...invitationKinds, ...reminderKinds },
	schedules: [{ name: 'remind-askers', every: 'hour', run: remindAskers }],
	retention: [
		{
			key: 'invitations',
			label: 'Who invited whom to answer a question',
			hint: 'Counted from the invitation.',
			days: { default: 365, min: 30, max: 3650 },
			remove: (days, limit) => deleteOldRows({ table: 'invitations', since: 'invited_at', days, limit }),
		},
	],
	memberData: {
		outdated_marks: {
			members: { user_id: 'deleted' },
			merge: { user_id: { unlessSame: ['comment_id'] } },
			called: 'Answers said to be outdated',
			archive: ['comment_id', 'reason', 'said_at'],
		},
		outdated_told: 'follows comments',
		invitations: {
			members: { inviter_id: 'deleted', user_id: 'deleted' },
			merge: {
				inviter_id: { unlessSame: ['question_id', 'user_id'] },
				user_id: { unlessSame: ['question_id', 'inviter_id'] },
			},
			called: 'People asked to answer',
			archive: ['question_id', 'invited_at'],
		},
		solution_reminders: 'follows queries',
	},
})
