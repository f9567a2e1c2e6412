import { defineFeature } from '~/platform/feature.ts'
import { reportCounter } from './cases.queries.server.ts'
import { moderationKinds } from './decisions.view.ts'
import { moderationOperations, moderationShapes } from './moderation.api.server.ts'
import { registerSubjects } from './subjects.server.ts'

export const moderation = defineFeature({
	name: 'moderation',
	api: { operations: moderationOperations, schemas: moderationShapes },
	notificationKinds: moderationKinds,
	counters: [reportCounter],
	collect: (features) => registerSubjects(features.flatMap(({ subjects }) => subjects ?? [])),
})
