import { clearOldRows, deleteOldRows } from '~/platform/db/old-rows.queries.server.ts'
import { defineFeature } from '~/platform/feature.ts'
import { registerPasswordExceptions } from './password-exceptions.server.ts'
import { sweepSecurityLog } from './security-log.server.ts'
import { listenForRevocations, sweepSessions } from './sessions.server.ts'

export const sessions = defineFeature({
	name: 'sessions',
	schedules: [
		{ name: 'sweep-security-log', every: 'hour', run: sweepSecurityLog },
		{ name: 'sweep-sessions', every: 'hour', run: sweepSessions },
	],
	start: listenForRevocations,
	collect: registerPasswordExceptions,
	retention: [
		{
			key: 'session-addresses',
			label: 'IP address and browser of a login',
			hint: 'The session itself stays.',
			days: { default: 90, min: 1, max: 365 },
			remove: (days, limit) =>
				clearOldRows({ table: 'sessions', columns: ['ip_address', 'user_agent'], since: 'created_at', days, limit }),
		},
		{
			key: 'security-events',
			label: 'Security events of an account, such as logins',
			hint: 'Members see them in their settings. At most 500 are stored for each member.',
			days: { default: 90, min: 7, max: 730 },
			remove: (days, limit) => deleteOldRows({ table: 'security_events', since: 'at', days, limit }),
		},
		{
			key: 'known-devices',
			label: 'Browsers that somebody has logged in from',
			hint: 'Counted from the last login there. After that, a login from there counts as a new device, and a mail says so.',
			days: { default: 365, min: 30, max: 365 },
			remove: (days, limit) => deleteOldRows({ table: 'known_devices', since: 'used_at', days, limit }),
		},
	],
	memberData: {
		sessions: {
			members: { user_id: 'deleted' },
			merge: { user_id: { ends: 'They are logged out everywhere.' } },
			called: 'Sessions',
			archive: ['ip_address', 'user_agent', 'created_at', 'updated_at', 'expires_at', 'confirmed_at'],
			withheld: { token: 'a secret' },
		},
		known_devices: {
			members: { user_id: 'deleted' },
			merge: { user_id: { ends: 'devices of logins that are over' } },
			archive: ['created_at', 'used_at'],
			withheld: { token_hash: 'a secret' },
		},
		security_events: {
			members: { user_id: 'deleted' },
			merge: { user_id: 'moves' },
			called: 'Lines of their security log',
			archive: ['kind', 'device', 'at'],
			withheld: { request_id: 'names a line of the log' },
		},
		session_revocations: 'whose cookies are not believed any more, for minutes',
	},
})
