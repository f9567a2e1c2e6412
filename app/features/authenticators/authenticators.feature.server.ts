import { defineFeature } from '~/platform/feature.ts'

/** How members prove who they are besides their password: codes of an app, recovery codes, “Confirm it is you”. */
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
