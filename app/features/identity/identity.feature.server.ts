import { defineFeature } from '~/platform/feature.ts'
import { mailEmailChange } from './emails/email-mails.server.ts'
import { sweepEmailChanges } from './emails/emails.queries.server.ts'
import { toCurrentName } from './usernames/addresses.server.ts'
import { listenForRenames } from './usernames/former-names.server.ts'

/** The addresses and the username of an account, and how they change. */
export const identity = defineFeature({
	name: 'identity',
	jobs: { 'email-change': mailEmailChange },
	schedules: [{ name: 'sweep-email-changes', every: 'hour', run: sweepEmailChanges }],
	readdress: toCurrentName,
	start: listenForRenames,
})
