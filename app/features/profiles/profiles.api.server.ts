import { z } from 'zod'
import { reportOperation } from '~/features/moderation/moderation.api.server.ts'
import { MEMBER_SUBJECT } from '~/features/moderation/moderation.policy.ts'

/** Profiles as JSON. */
export const profileOperations = [
	reportOperation({
		id: 'reportProfile',
		type: MEMBER_SUBJECT,
		path: '/profiles/{username}/reports',
		summary: 'Report a profile to the moderators',
		param: { username: z.string().max(60) },
	}),
]
