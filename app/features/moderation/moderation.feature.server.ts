import { deleteOldRows } from '~/platform/db/old-rows.queries.server.ts'
import { defineFeature } from '~/platform/feature.ts'
import { reportCounter } from './cases.queries.server.ts'
import { moderationKinds } from './decisions.view.ts'
import { deleteOldNotes } from './handling/handling.queries.server.ts'
import { forgetHandled, notifyModerators } from './handling/handling.server.ts'
import { leaveModeration, mergeModeration } from './leaving.queries.server.ts'
import { addPromotion } from './members.server.ts'
import { moderationOperations, moderationShapes } from './moderation.api.server.ts'
import { reasonSection } from './reports.server.ts'
import { registerSubjects } from './subjects.server.ts'

export const moderation = defineFeature({
	name: 'moderation',
	api: { operations: moderationOperations, schemas: moderationShapes },
	notificationKinds: moderationKinds,
	jobs: {
		'tell-moderators': notifyModerators,
		'forget-handled': forgetHandled,
		'log-promotion': addPromotion,
	},
	counters: [reportCounter],
	settingSections: [reasonSection],
	collect: (features) => registerSubjects(features.flatMap(({ subjects }) => subjects ?? [])),
	retention: [
		{
			key: 'moderation-log',
			label: 'Log of what moderators and admins did',
			hint: 'What was decided stays in force.',
			days: { default: 730, min: 90, max: 3650 },
			remove: (days, limit) => deleteOldRows({ table: 'moderation_log', since: 'at', days, limit }),
		},
		{
			key: 'settled-reports',
			label: 'Reports that were decided, with the messages that were sent along and what moderators noted',
			hint: 'Counted from the decision.',
			days: { default: 365, min: 30, max: 3650 },
			async remove(days, limit) {
				const reports = await deleteOldRows({ table: 'reports', since: 'settled_at', days, limit })
				return Math.max(reports, await deleteOldNotes(days, limit))
			},
		},
	],
	leaving: [leaveModeration],
	merging: [mergeModeration],
	memberData: {
		cases: {
			members: { assignee_id: 'kept' },
			merge: { assignee_id: 'moves' },
			archive: 'what was reported, by its id, and which moderator handles it',
		},
		case_notes: {
			members: { author_id: 'kept' },
			merge: { author_id: 'moves' },
			archive: ['body', 'created_at'],
			mentions: { body: null },
		},
		reports: {
			members: { reporter_id: 'kept' },
			merge: { reporter_id: { step: 'of two about the same the older one is settled' } },
			called: 'Reports',
			archive: ['reason', 'reason_label', 'details', 'created_at', 'settled_at'],
			mentions: { details: null },
		},
		moderation_log: {
			members: { member_id: 'kept', actor_id: 'kept' },
			merge: { member_id: 'moves', actor_id: 'moves' },
			called: 'Lines of the log',
			archive: ['act', 'kind', 'why', 'at'],
			withheld: { facts: 'what moderators noted beside it' },
			mentions: { why: null },
		},
	},
})
