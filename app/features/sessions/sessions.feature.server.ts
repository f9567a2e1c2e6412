import { defineFeature } from '~/platform/feature.ts'
import { sweepSecurityLog } from './security-log.server.ts'
import { listenForRevocations, sweepSessions } from './sessions.server.ts'

export const sessions = defineFeature({
	name: 'sessions',
	schedules: [
		{ name: 'sweep-security-log', every: 'hour', run: sweepSecurityLog },
		{ name: 'sweep-sessions', every: 'hour', run: sweepSessions },
	],
	start: listenForRevocations,
})
