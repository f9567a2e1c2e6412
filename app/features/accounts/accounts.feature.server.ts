import { defineFeature } from '~/platform/feature.ts'
import { memberCounter } from './accounts.queries.server.ts'
import { sendAccountMail, sendLetter } from './registration/account-mails.server.ts'
import { sweepRegistrations } from './registration/registrations.queries.server.ts'

export const accounts = defineFeature({
	name: 'accounts',
	// A mail with a link that sets a new password is looked at once more before it leaves.
	jobs: { 'send-mail': sendLetter, 'account-mail': sendAccountMail },
	counters: [memberCounter],
	// What nobody came back for.
	schedules: [{ name: 'sweep-registrations', every: 'hour', run: sweepRegistrations }],
})
