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
	memberData: {
		sessions: {
			members: { user_id: 'deleted' },
			archive: ['ip_address', 'user_agent', 'created_at', 'updated_at', 'expires_at', 'confirmed_at'],
			withheld: { token: 'a secret' },
		},
		known_devices: {
			members: { user_id: 'deleted' },
			archive: ['created_at', 'used_at'],
			withheld: { token_hash: 'a secret' },
		},
		security_events: {
			members: { user_id: 'deleted' },
			archive: ['kind', 'device', 'at'],
			withheld: { request_id: 'names a line of the log' },
		},
		session_revocations: 'whose cookies are not believed any more, for minutes',
	},
})
