import { defineFeature } from '~/platform/feature.ts'
import { beginEmailChangeLink, mailEmailChangeLink } from './emails/email-mails.server.ts'
import { sweepEmailChanges } from './emails/emails.queries.server.ts'
import { listenForRenames, reloadFormerNames, rewriteFormerName } from './usernames/former-names.server.ts'

/** The addresses and the username of an account, and changing them. */
export const identity = defineFeature({
	name: 'identity',
	jobs: { 'email-change': mailEmailChangeLink },
	mailedLinks: { 'confirm-email': beginEmailChangeLink },
	schedules: [{ name: 'sweep-email-changes', every: 'hour', run: sweepEmailChanges }],
	rewriteRequest: rewriteFormerName,
	start: listenForRenames,
	afterLeaving: reloadFormerNames,
	memberData: {
		account_emails: {
			members: { user_id: 'deleted' },
			merge: { user_id: { ends: 'Nobody can log in with them. Another account can use them once it confirms them.' } },
			called: 'Email addresses',
			archive: ['email'],
		},
		email_changes: {
			members: { user_id: 'deleted' },
			merge: { user_id: { ends: 'links to the account that goes' } },
			archive: ['email', 'place', 'requested_at', 'works_until', 'expires_at'],
			withheld: { token_hash: 'a secret' },
		},
		email_undos: {
			members: { user_id: 'deleted' },
			merge: { user_id: { ends: 'links to the account that goes' } },
			archive: ['email', 'second_email', 'expires_at'],
			withheld: { token_hash: 'a secret' },
		},
	},
})
