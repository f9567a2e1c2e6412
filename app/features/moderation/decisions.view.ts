import type { NotificationKind } from '~/features/notifications/kinds.server.ts'

/** Decisions about a member, as texts before the title of the question. */
const decisions = {
	'hide query': 'hid your query',
	'hide comment': 'hid your comment on',
	'restore query': 'restored your query',
	'restore comment': 'restored your comment on',
	'approve query': 'approved your query',
	'approve comment': 'approved your comment on',
	'refuse query': 'rejected your query',
	'refuse comment': 'rejected your comment on',
	'lock query': 'locked your query',
	'unlock query': 'unlocked your query',
	'pin query': 'pinned your query',
	'unpin query': 'unpinned your query',
	'merge query': 'merged your query into another one:',
	'unmask query': 'looked up that it was you who asked, under a pseudonym,',
	'unmask comment': 'looked up that it was you who commented, under a pseudonym, on',
	'hide profile': 'hid the texts and the picture of your profile',
	'restore profile': 'restored your profile',
	'clean profile': 'removed from your profile:',
	'hide account': 'hid what your account has published',
	'restore account': 'restored what had been hidden of your account',
	suspend: 'suspended your account',
	'suspend 1 day': 'suspended your account for a day',
	'suspend 1 week': 'suspended your account for a week',
	'suspend 1 month': 'suspended your account for a month',
	'suspend for ever': 'permanently suspended your account',
	lift: 'lifted the suspension of your account',
} as const satisfies Record<string, string>

export type Decision = keyof typeof decisions

declare module '~/features/notifications/kinds.server.ts' {
	interface NotificationKinds {
		moderation: Decision
		'case-report': never
		'case-assigned': never
	}
}

/** Notifications of moderation. */
export const moderationKinds = {
	moderation: {
		label: 'Decisions of moderators about me',
		order: 50,
		words: 'decided about',
		acts: decisions,
		by: 'A moderator',
	},
	'case-report': {
		label: 'New reports, and posts that wait',
		order: 51,
		words: 'reported or posted something that waits in',
		by: 'Members',
		staff: true,
	},
	'case-assigned': {
		label: 'Cases that are assigned to me',
		order: 52,
		words: 'assigned you',
		staff: true,
	},
} satisfies { moderation: NotificationKind<Decision> } & Record<'case-report' | 'case-assigned', NotificationKind>
