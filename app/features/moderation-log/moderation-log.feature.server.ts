import { defineFeature } from '~/platform/feature.ts'
import { logOperations, logShapes } from './log.api.server.ts'

/** Reading what moderators and admins did. Entries are written by moderation and all features above it. */
export const moderationLog = defineFeature({
	name: 'moderation-log',
	api: { operations: logOperations, schemas: logShapes },
})
