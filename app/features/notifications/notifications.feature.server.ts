import { db } from '~/platform/db/db.server.ts'
import { defineFeature } from '~/platform/feature.ts'
import { keepCount, type Tab } from '~/platform/realtime/io.server.ts'
import { mailDigests, mailUnseen } from './digest.server.ts'
import { registerKinds } from './kinds.server.ts'
import { leaveNotifications } from './leaving.queries.server.ts'
import { mergeNotifications } from './merging.queries.server.ts'
import { notificationOperations, notificationShapes } from './notifications.api.server.ts'
import { removeOldNotifications } from './notifications.queries.server.ts'
import { countUnreadOf } from './notifications.server.ts'
import { pushNotification } from './push/delivery.server.ts'
import { vapidKeys } from './push/vapid.server.ts'

export const notifications = defineFeature({
	name: 'notifications',
	api: { operations: notificationOperations, schemas: notificationShapes },
	jobs: { 'push-notice': pushNotification },
	schedules: [
		{ name: 'mail-unseen', every: 'minute', run: mailUnseen },
		{ name: 'mail-digests', every: 'hour', run: mailDigests },
	],
	onConnect: (tab) => keepCount(tab, 'notifications:', () => announceUnread(tab)),
	// Creates missing keys, so that a read-only data directory is noticed at the start.
	start: async () => {
		vapidKeys()
		return undefined
	},
	collect: registerKinds,
	retention: [
		{
			key: 'notifications',
			label: 'Notifications',
			hint: 'Counted from its newest event, read or unread.',
			days: { default: 180, min: 7, max: 730 },
			remove: (days, limit) =>
				db()
					.transaction()
					.execute((trx) => removeOldNotifications(trx, days, limit)),
		},
	],
	leaving: [leaveNotifications],
	merging: [mergeNotifications],
	memberData: {
		notifications: {
			members: { user_id: 'deleted', actor_ids: 'kept' },
			merge: { user_id: { step: 'of two groups that are open one is read' }, actor_ids: { step: 'as user_id' } },
			archive: [
				'kind',
				'title',
				'url',
				'act',
				'reason',
				'subject_type',
				'count',
				'created_at',
				'updated_at',
				'seen_at',
				'read_at',
			],
			withheld: { group_key: 'which notifications are shown as one' },
			mentions: { url: null, reason: null },
		},
		notification_acts: {
			members: { actor_id: 'deleted' },
			merge: { actor_id: { step: 'as notifications' } },
			archive: 'who did what a notification of somebody else tells',
			mentions: { url: null },
		},
		notification_boxes: {
			members: { user_id: 'deleted' },
			merge: { user_id: { step: 'as notifications' } },
			archive: ['mail', 'weekly', 'mailed_at'],
		},
		notification_preferences: {
			members: { user_id: 'deleted' },
			merge: { user_id: { unlessSame: ['kind'] } },
			archive: ['kind', 'site', 'mail', 'push'],
		},
		muted_subjects: {
			members: { user_id: 'deleted' },
			merge: { user_id: { unlessSame: ['subject_type', 'subject_id'] } },
			archive: ['subject_type', 'subject_id', 'muted_at'],
		},
		mailed_subjects: {
			members: { user_id: 'deleted' },
			merge: { user_id: { unlessSame: ['subject_type', 'subject_id'] } },
			archive: 'up to where mails told of something',
		},
		push_subscriptions: {
			members: { user_id: 'deleted' },
			merge: { user_id: { ends: 'They belong to sessions.' } },
			called: 'Browsers with push notifications',
			archive: ['created_at', 'last_success_at'],
			withheld: { endpoint: 'a secret', p256dh: 'a secret', auth: 'a secret' },
		},
		unseen_progress: 'up to where everything was looked at',
	},
})

/** Sends the unread count, which may have changed while the tab was disconnected, or between its page and its socket. */
async function announceUnread(tab: Tab): Promise<void> {
	tab.emit('notifications:changed', await countUnreadOf(tab.data.userId))
}
