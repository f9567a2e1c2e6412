import { db } from '~/platform/db/db.server.ts'
import { defineFeature } from '~/platform/feature.ts'
import { deleteMailedLinks, deleteTraces, memberCounter, sweepLoginChallenges } from './accounts.queries.server.ts'
import { registerLoginMethods } from './login-methods.server.ts'
import {
	accountLinks,
	mailBudgetsOf,
	registerMailedLinks,
	sendAccountMail,
	sendQueuedMail,
} from './registration/account-mails.server.ts'
import { sweepRegistrations } from './registration/registrations.queries.server.ts'
import { registrationSection } from './registration/rules.server.ts'
import { staffSection } from './security/second-step.server.ts'

export const accounts = defineFeature({
	name: 'accounts',
	// Replaces the platform's job: the link in a mail is checked again before the mail is sent.
	jobs: { 'send-mail': sendQueuedMail, 'account-mail': sendAccountMail },
	counters: [memberCounter],
	mailedLinks: accountLinks,
	collect(features) {
		registerLoginMethods(features)
		registerMailedLinks(features)
	},
	settingSections: [registrationSection, staffSection],
	// Expired challenges and registrations.
	schedules: [
		{ name: 'sweep-registrations', every: 'hour', run: sweepRegistrations },
		{ name: 'sweep-login-challenges', every: 'hour', run: sweepLoginChallenges },
	],
	leaving: [
		async (leaver) => {
			await db()
				.transaction()
				.execute((trx) => deleteTraces(trx, leaver, leaver.emails.flatMap(mailBudgetsOf)))
			return false
		},
	],
	merging: [deleteMailedLinks],
	memberData: {
		users: {
			members: { id: 'deleted', pseudonym_of: 'deleted' },
			merge: { id: { step: 'the row itself goes, when nothing names it any more' }, pseudonym_of: 'moves' },
			archive: [
				'username',
				'name',
				'cohort',
				'email',
				'second_email',
				'email_verified',
				'image',
				'role',
				'created_at',
				'updated_at',
				'renamed_at',
				'logged_in_at',
				'leaves_at',
				'suspended_until',
				'suspended_reason',
				'approved_at',
				'absent_since',
				'left_campus_at',
				'second_factor',
			],
			mentions: { suspended_reason: null, cohort: 60 },
		},
		credentials: {
			members: { user_id: 'deleted' },
			merge: { user_id: { ends: 'The kept account has its own.' } },
			called: 'Passwords',
			archive: ['provider_id', 'scope', 'created_at', 'updated_at'],
			withheld: {
				account_id: 'the member’s id here',
				password: 'a secret',
				access_token: 'a secret',
				refresh_token: 'a secret',
				id_token: 'a secret',
			},
		},
		// Stored as a hash in left_usernames.
		usernames: {
			members: { user_id: 'kept' },
			merge: { user_id: 'moves' },
			called: 'Usernames',
			archive: ['username', 'claimed_at'],
		},
		left_usernames: 'hashes of the usernames of who left, so that nobody else gets one',
		verifications: 'secrets of links, for hours',
		registrations: 'who registers and is no member yet, for a day',
		email_links: {
			members: { user_id: 'deleted' },
			merge: { user_id: { ends: 'links to the account that goes' } },
			archive: ['email', 'works_until', 'expires_at', 'used_at'],
			withheld: { token_hash: 'a secret' },
		},
		login_challenges: {
			members: { user_id: 'deleted' },
			merge: { user_id: { ends: 'logins under way' } },
			archive: ['expires_at'],
			withheld: { token_hash: 'a secret', kept: 'holds a secret' },
		},
		account_mails: 'to which addresses mails were sent, for a day',
		admin_claims: 'secrets of links, until somebody is admin',
	},
})
