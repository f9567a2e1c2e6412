import { defineFeature } from '~/platform/feature.ts'
import { moderationKinds } from './decisions.view.ts'
import { moderationOperations } from './moderation.api.server.ts'
import { moderationShapes } from './moderation-shapes.server.ts'

export const moderation = defineFeature({
	name: 'moderation',
	api: { operations: moderationOperations, schemas: moderationShapes },
	notificationKinds: moderationKinds,
})
