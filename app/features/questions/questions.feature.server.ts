import { defineFeature } from '~/platform/feature.ts'
import { notifyFollowers, notifyQueryFollowers, questionKinds } from './notifying/notifying.server.ts'
import { forumShapes, questionOperations } from './questions.api.server.ts'
import { commentSubject, questionSubject } from './questions.subjects.server.ts'
import { commentCounters } from './writing/writing.queries.server.ts'

export const questions = defineFeature({
	name: 'questions',
	api: { operations: questionOperations, schemas: forumShapes },
	jobs: { 'tell-followers': notifyFollowers, 'tell-query-followers': notifyQueryFollowers },
	notificationKinds: questionKinds,
	counters: commentCounters,
	subjects: [questionSubject, commentSubject],
})
