import { defineFeature } from '~/platform/feature.ts'
import { sweepRateLimits } from './rate-limits.queries.server.ts'

export const rateLimits = defineFeature({
	name: 'rate-limits',
	schedules: [{ name: 'sweep-rate-limits', every: 'hour', run: sweepRateLimits }],
})
