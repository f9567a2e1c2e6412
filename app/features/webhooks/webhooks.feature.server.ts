import { deleteOldRows } from '~/platform/db/old-rows.queries.server.ts'
import { defineFeature } from '~/platform/feature.ts'
import { deliverWebhook } from './sending/delivery.server.ts'
import { queueForgotten } from './webhooks.queries.server.ts'

/** Outgoing webhooks: signed requests to other servers about what happens on the site. */
export const webhooks = defineFeature({
	name: 'webhooks',
	jobs: { 'deliver-webhook': deliverWebhook },
	remoteJobs: ['deliver-webhook'],
	schedules: [{ name: 'forgotten-webhooks', every: 'hour', run: queueForgotten, triesOnce: true }],
	retention: [
		{
			key: 'webhook-deliveries',
			label: 'What was sent to webhooks, when and how that ended, without the content',
			hint: 'Counted from the event.',
			days: { default: 30, min: 7, max: 365 },
			remove: (days, limit) => deleteOldRows({ table: 'webhook_deliveries', since: 'created_at', days, limit }),
		},
	],
	memberData: {
		webhooks: 'addresses of other servers, and what they are told about',
		webhook_deliveries: 'ids of what other servers were told about; nothing that members wrote',
	},
})
