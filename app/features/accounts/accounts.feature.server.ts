import { sweepSecurityLog } from '~/features/sessions/security-log.server.ts'
import { listenForRevocations, sweepSessions } from '~/features/sessions/sessions.server.ts'
import { defineFeature } from '~/platform/feature.ts'
import { memberCounter } from './accounts.queries.server.ts'
import { sendAccountMail, sendLetter } from './registration/account-mails.server.ts'

export const accounts = defineFeature({
	name: 'accounts',
	// A mail with a link that sets a new password is looked at once more before it leaves.
	jobs: { 'send-mail': sendLetter, 'account-mail': sendAccountMail },
	counters: [memberCounter],
	schedules: [
		{ name: 'sweep-security-log', every: 'hour', run: sweepSecurityLog },
		{ name: 'sweep-sessions', every: 'hour', run: sweepSessions },
	],
	start: listenForRevocations,
})
