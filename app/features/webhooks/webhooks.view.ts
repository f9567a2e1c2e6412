/* Webhooks as the admins' pages get them, and their addresses. Times are ISO 8601 strings in UTC. */

export const webhooksPath = '/admin/webhooks'

/** The page of a webhook. */
export function webhookPath(id: number): string {
	return `${webhooksPath}/${id}`
}

/** What a webhook can be told, with the labels of the form. Triggers of the database queue these by name (migrations/0214). */
export const eventLabels = {
	'query.created': 'A query was posted',
	'query.updated': 'A query was edited, or shown again',
	'query.solved': 'A query was solved',
	'comment.created': 'A comment was posted',
	'member.joined': 'A member joined',
	'report.created': 'Something was reported',
} as const

export type WebhookEvent = keyof typeof eventLabels
export const webhookEvents = Object.keys(eventLabels) as WebhookEvent[]

/** The event that admins send to try a webhook. */
export const TEST_EVENT = 'test'

export const webhookLimits = { perSite: 20, nameMax: 60, urlMax: 500 } as const

export interface WebhookView {
	id: number
	name: string
	url: string
	events: WebhookEvent[]
	enabled: boolean
	/** Since when every try has failed; null where the last one did not. */
	failingSince: string | null
	/** When something was sent last; null for never. */
	lastSentAt: string | null
}

/** `waiting` for its first or next try; `skipped` where not everybody who reads the site could read what it is about. */
export type DeliveryState = 'waiting' | 'sent' | 'failed' | 'skipped'

export interface DeliveryView {
	/** The Webhook-Id. */
	id: string
	event: WebhookEvent | typeof TEST_EVENT
	state: DeliveryState
	tries: number
	/** The status of HTTP that was answered last; null for no answer. */
	status: number | null
	/** Why the last try failed; '' where none did. */
	error: string
	createdAt: string
}
