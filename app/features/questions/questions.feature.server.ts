import { defineFeature } from '~/platform/feature.ts'
import { notifyFollowers, questionKinds } from './notices/notices.server.ts'
import { questionOperations, questionShapes } from './questions.api.server.ts'
import { questionPages } from './questions.pages.server.ts'
import { commentSubject, questionSubject } from './questions.subjects.server.ts'
import { commentCounters } from './writing/writing.queries.server.ts'

export const questions = defineFeature({
	name: 'questions',
	api: { operations: questionOperations, schemas: questionShapes },
	jobs: { 'tell-followers': notifyFollowers },
	notificationKinds: questionKinds,
	counters: commentCounters,
	cachedPages: questionPages,
	subjects: [questionSubject, commentSubject],
})
