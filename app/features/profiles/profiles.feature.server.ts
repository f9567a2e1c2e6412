import { z } from 'zod'
import { reportOperation } from '~/features/moderation/moderation.api.server.ts'
import { MEMBER_SUBJECT } from '~/features/moderation/moderation.policy.ts'
import { defineFeature } from '~/platform/feature.ts'
import { profileSubject } from './profiles.subjects.server.ts'

/** Profiles as JSON. */
const profileOperations = [
	reportOperation({
		id: 'reportProfile',
		type: MEMBER_SUBJECT,
		path: '/profiles/{username}/reports',
		summary: 'Report a profile to the moderators',
		param: { username: z.string().max(60) },
	}),
]

export const profiles = defineFeature({
	name: 'profiles',
	api: { operations: profileOperations, schemas: {} },
	subjects: [profileSubject],
})
