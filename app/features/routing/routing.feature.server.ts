import { deleteOldRows } from '~/platform/db/old-rows.queries.server.ts'
import { defineFeature } from '~/platform/feature.ts'
import { routeQuestion, routingKinds } from './choosing.server.ts'
import { routingOperations, routingShapes } from './routing.api.server.ts'

export const routing = defineFeature({
	name: 'routing',
	api: { operations: routingOperations, schemas: routingShapes },
	jobs: { 'route-question': routeQuestion },
	notificationKinds: routingKinds,
	retention: [
		{
			key: 'question-asks',
			label: 'Whom the site asked to answer a question, and who declined',
			hint: 'Counted from when they were asked.',
			days: { default: 365, min: 30, max: 3650 },
			remove: (days, limit) => deleteOldRows({ table: 'question_asks', since: 'asked_at', days, limit }),
		},
	],
	memberData: {
		routing_members: {
			members: { user_id: 'deleted' },
			merge: { user_id: { unlessSame: [] } },
			archive: ['opted_in'],
		},
		question_routing: 'follows queries',
		question_asks: {
			members: { user_id: 'deleted' },
			merge: { user_id: { unlessSame: ['question_id'] } },
			called: 'Queries that they were asked to answer',
			archive: ['question_id', 'names', 'asked_at', 'declined_at'],
		},
	},
})
