import { defineFeature } from '~/platform/feature.ts'
import { discussionOperations, discussionShapes } from './discussion.api.server.ts'
import { watchQuestions } from './discussion.sockets.server.ts'
import { scoreCounters } from './votes.queries.server.ts'

export const discussion = defineFeature({
	name: 'discussion',
	api: { operations: discussionOperations, schemas: discussionShapes },
	onConnect: watchQuestions,
	counters: scoreCounters,
})
