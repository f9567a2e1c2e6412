import { defineFeature } from '~/platform/feature.ts'
import { inBackground, type Tab } from '~/platform/realtime/io.server.ts'
import { mailDigests, mailUnseen } from './digest.server.ts'
import { registerKinds } from './kinds.server.ts'
import { notificationOperations, notificationShapes } from './notifications.api.server.ts'
import { countUnread, sweepNotifications } from './notifications.server.ts'
import { pushNotification } from './push/delivery.server.ts'
import { vapidKeys } from './push/vapid.server.ts'

export const notifications = defineFeature({
	name: 'notifications',
	api: { operations: notificationOperations, schemas: notificationShapes },
	jobs: { 'push-notice': pushNotification },
	schedules: [
		{ name: 'mail-unseen', every: 'minute', run: mailUnseen },
		{ name: 'mail-digests', every: 'hour', run: mailDigests },
		{ name: 'sweep-notifications', every: 'hour', run: sweepNotifications },
	],
	onConnect: (tab) => inBackground(announceUnread(tab)),
	// Makes the keys where there are none, so that a data directory that cannot be written to is noticed at the start.
	start: async () => {
		vapidKeys()
		return undefined
	},
	collect: registerKinds,
})

/** What changed while the tab was away, or between its page and its socket. */
async function announceUnread(tab: Tab): Promise<void> {
	tab.emit('notifications:changed', { unread: await countUnread({ id: tab.data.userId }) })
}
