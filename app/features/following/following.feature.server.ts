import { defineFeature } from '~/platform/feature.ts'
import { followingOperations, followingShapes } from './following.api.server.ts'
import { affectedCounters } from './following.queries.server.ts'

export const following = defineFeature({
	name: 'following',
	api: { operations: followingOperations, schemas: followingShapes },
	counters: affectedCounters,
})
