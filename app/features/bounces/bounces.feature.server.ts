import { defineFeature } from '~/platform/feature.ts'
import { FAILURE_RETENTION_DAYS } from './bounces.policy.ts'
import { sweepBounces } from './bounces.queries.server.ts'

/** Bounced mails and spam complaints: receiving the reports, and no longer mailing the addresses concerned. */
export const bounces = defineFeature({
	name: 'bounces',
	memberData: {
		mail_bounces: {
			members: { user_id: 'deleted' },
			merge: { user_id: { ends: 'about addresses that are nobody’s any more' } },
			archive: ['email', 'sent_at', 'status', 'failed_days', 'marked_at', 'complained_at', 'cleared_at'],
		},
	},
	retention: [
		{
			key: 'mail-bounces',
			label: 'That mails to an address came back, where they arrive again',
			hint: 'Counted from the last mail that came back. While mails come back, it is stored with the address.',
			days: { default: 90, min: FAILURE_RETENTION_DAYS, max: 365 },
			remove: sweepBounces,
		},
	],
})
