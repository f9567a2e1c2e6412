import { defineFeature } from '~/platform/feature.ts'
import { routeQuestion, routingKinds } from './choosing.server.ts'
import { routingOperations, routingShapes } from './routing.api.server.ts'

export const routing = defineFeature({
	name: 'routing',
	api: { operations: routingOperations, schemas: routingShapes },
	jobs: { 'route-question': routeQuestion },
	notificationKinds: routingKinds,
	memberData: {
		routing_members: {
			members: { user_id: 'deleted' },
			archive: ['opted_in'],
		},
		question_routing: 'follows queries',
		question_asks: {
			members: { user_id: 'deleted' },
			archive: ['question_id', 'names', 'asked_at', 'declined_at'],
		},
	},
})
