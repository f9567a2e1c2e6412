import { defineFeature } from '~/platform/feature.ts'
import { sweepLogoutTokens } from './campus-logout.queries.server.ts'

/** Ends sessions that began at the campus when its login service says that they ended there. */
export const campusLogout = defineFeature({
	name: 'campus-logout',
	schedules: [{ name: 'sweep-logout-tokens', every: 'hour', run: sweepLogoutTokens }],
	crossSiteForms: ['/login/campus/backchannel-logout'],
	memberData: {
		logout_tokens: 'hashes of logout tokens, for about an hour',
	},
})
