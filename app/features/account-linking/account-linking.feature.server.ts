import { defineFeature } from '~/platform/feature.ts'
import { sweepLinkRequests } from './account-linking.queries.server.ts'
import { activateLoginLink } from './account-linking.server.ts'

export const accountLinking = defineFeature({
	name: 'account-linking',
	mailedLinks: { 'link-login': activateLoginLink },
	schedules: [{ name: 'sweep-link-requests', every: 'hour', run: sweepLinkRequests }],
	memberData: {
		link_requests: {
			members: { user_id: 'deleted' },
			merge: { user_id: { ends: 'links to the account that goes' } },
			called: 'Logins that wait to be linked',
			archive: ['email', 'provider', 'works_until', 'created_at', 'expires_at'],
			withheld: {
				identity_hash: 'of a login that may be somebody else’s',
				identity_name: 'of a login that may be somebody else’s',
				browser_hash: 'a secret',
				link_hash: 'a secret',
				kept: 'holds a secret',
			},
		},
	},
})
