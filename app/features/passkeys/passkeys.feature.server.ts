import { allowsPasswords } from '~/features/accounts/login-methods.server.ts'
import { defineFeature } from '~/platform/feature.ts'
import { arePasskeysSupported } from './ceremonies.server.ts'
import { sweepChallenges } from './passkeys.queries.server.ts'

export const passkeys = defineFeature({
	name: 'passkeys',
	loginMethods: {
		buttons: () =>
			arePasskeysSupported() && allowsPasswords() ? [{ name: 'passkey', label: 'Log in with a passkey' }] : [],
	},
	schedules: [{ name: 'sweep-passkey-challenges', every: 'hour', run: sweepChallenges }],
	memberData: {
		passkeys: {
			members: { user_id: 'deleted' },
			merge: { user_id: { ends: 'A device can add a new one to the kept account.' } },
			called: 'Passkeys',
			archive: ['name', 'created_at', 'used_at'],
			withheld: {
				credential_id: 'by which the member is known to their authenticator',
				public_key: 'of use to this site alone',
				counter: 'of use to this site alone',
				transports: 'of use to this site alone',
			},
		},
		passkey_challenges: {
			members: { user_id: 'deleted' },
			merge: { user_id: { ends: 'logins under way' } },
			archive: ['purpose', 'expires_at'],
			withheld: { challenge_hash: 'a secret' },
		},
	},
})
