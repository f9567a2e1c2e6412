import { z } from 'zod'
import { operation, portrait, requireCaller } from '~/platform/http/operation.ts'
import { listNotifications, readNotifications } from './notifications.server.ts'
import type { NotificationView } from './notifications.view.ts'

const group = 'Notifications'

const notification = z.object({
	id: z.int(),
	actor: z
		.object({ username: z.string(), name: z.string(), image: portrait })
		.nullable()
		.describe('The last one who did it; null when they are gone, and for what a moderator decided.'),
	by: z.string().describe('Who did it, to be shown: a name, “A moderator”, “Somebody”.'),
	people: z.int().describe('How many people did it.'),
	words: z.string().describe('What they did: “commented on”.'),
	title: z.string().describe('Of the query; empty where it is about your account.'),
	reason: z.string().describe('Why, in the words of a moderator; empty for what members do.'),
	url: z.string().describe('Path of where it happened.'),
	at: z.string().meta({ format: 'date-time' }),
	unread: z.boolean(),
}) satisfies z.ZodType<NotificationView, NotificationView>

const notificationList = z.object({
	rows: z.array(notification),
	next: z.string().nullable().describe('The cursor of the next page; null at the end.'),
})
const readInput = z.strictObject({
	ids: z.array(z.int().min(1).max(2_147_483_647)).max(100).optional().describe('Which ones; all when left out.'),
})
const unreadCount = z.object({ unread: z.int().describe('How many are left.') })

export const notificationShapes = {
	Notification: notification,
	NotificationList: notificationList,
	ReadNotifications: readInput,
	Unread: unreadCount,
}

/** A member's own notifications. */
export const notificationOperations = [
	operation({
		id: 'listNotifications',
		group,
		method: 'get',
		path: '/me/notifications',
		summary: 'List your notifications, newest first',
		description: 'Listing them does not mark them as read: emails about them still go out.',
		access: 'members',
		query: {
			show: z.enum(['all', 'unread']).default('all'),
			cursor: z.string().max(400).optional().describe('Where the page before ended: its `next`.'),
			limit: z.coerce.number().int().min(1).max(50).default(30).describe('How many rows at most.'),
		},
		answer: notificationList,
		refusals: [422],
		run: async (call) => {
			const { show, cursor = null, limit } = call.query
			return listNotifications(requireCaller(call), { unread: show === 'unread', cursor, limit, unseen: true })
		},
	}),
	operation({
		id: 'readNotifications',
		group,
		method: 'post',
		path: '/me/notifications/read',
		summary: 'Mark your notifications as read',
		access: 'members',
		body: readInput,
		example: {},
		answer: unreadCount,
		refusals: [422],
		run: async (call) => {
			const { ids } = call.body as z.infer<typeof readInput>
			return { unread: await readNotifications(requireCaller(call), ids ? { ids } : {}) }
		},
	}),
]
