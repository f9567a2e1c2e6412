import { defineFeature } from '~/platform/feature.ts'

/** Proof of identity besides the password: codes of an authenticator app, recovery codes, and “Confirm it is you”. */
export const authenticators = defineFeature({
	name: 'authenticators',
	memberData: {
		totp_secrets: {
			members: { user_id: 'deleted' },
			merge: { user_id: { ends: 'The kept account has its own, or needs none.' } },
			called: 'Second factors',
			archive: ['confirmed_at', 'created_at'],
			withheld: { secret: 'a secret' },
		},
		recovery_codes: {
			members: { user_id: 'deleted' },
			merge: { user_id: { ends: 'belong to the second factor' } },
			archive: ['used_at'],
			withheld: { hint: 'part of a secret', code_hash: 'a secret' },
		},
	},
})
