import { defineFeature } from '~/platform/feature.ts'

/** Access tokens of the API. They need nothing of the process; sessions end them. */
export const tokens = defineFeature({
	name: 'tokens',
	memberData: {
		access_tokens: {
			members: { user_id: 'deleted' },
			archive: ['name', 'last_four', 'scopes', 'created_at', 'expires_at', 'last_used_at'],
			withheld: { token_hash: 'a secret' },
		},
	},
})
