import { defineFeature } from '~/platform/feature.ts'
import { sweepRateLimits } from './rate-limits.queries.server.ts'

export const rateLimits = defineFeature({
	name: 'rate-limits',
	schedules: [{ name: 'sweep-rate-limits', every: 'hour', run: sweepRateLimits }],
	memberData: {
		rate_limits: 'counts how often something was done, for a day at most',
		attempts: 'counts attempts by the hash of what was tried, for a day at most',
	},
})
