import { defineFeature } from '~/platform/feature.ts'
import { routeQuestion, routingKinds } from './choosing.server.ts'
import { routingOperations, routingShapes } from './routing.api.server.ts'

export const routing = defineFeature({
	name: 'routing',
	api: { operations: routingOperations, schemas: routingShapes },
	jobs: { 'route-question': routeQuestion },
	notificationKinds: routingKinds,
})
