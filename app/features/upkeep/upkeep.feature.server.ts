import { defineFeature } from '~/platform/feature.ts'
import { outdatedKinds } from './outdated.server.ts'
import { upkeepOperations, upkeepShapes } from './upkeep.api.server.ts'

export const upkeep = defineFeature({
	name: 'upkeep',
	api: { operations: upkeepOperations, schemas: upkeepShapes },
	notificationKinds: outdatedKinds,
})
