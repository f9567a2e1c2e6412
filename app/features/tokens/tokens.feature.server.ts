import { deleteOldRows } from '~/platform/db/old-rows.queries.server.ts'
import { defineFeature } from '~/platform/feature.ts'

/** Access tokens of the API. Ending all sessions deletes them. */
export const tokens = defineFeature({
	name: 'tokens',
	retention: [
		{
			key: 'expired-tokens',
			label: 'Access tokens that have expired',
			hint: 'Counted from their end.',
			days: { default: 30, min: 1, max: 365 },
			remove: (days, limit) => deleteOldRows({ table: 'access_tokens', since: 'expires_at', days, limit }),
		},
	],
	memberData: {
		access_tokens: {
			members: { user_id: 'deleted' },
			merge: { user_id: { ends: 'Programs need new tokens from the kept account.' } },
			called: 'Access tokens',
			archive: ['name', 'last_four', 'scopes', 'created_at', 'expires_at', 'last_used_at'],
			withheld: { token_hash: 'a secret' },
		},
	},
})
