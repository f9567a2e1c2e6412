import { draftOperations, draftShapes } from '~/features/asking/asking.api.server.ts'
import { defineFeature } from '~/platform/feature.ts'
import { askingOperations, mutingOperations } from './api/questions.server.ts'
import { reportOperations } from './api/reports.server.ts'
import { notifyFollowers, questionKinds } from './notices/notices.server.ts'
import { forumShapes } from './questions.api.server.ts'
import { questionPages } from './questions.pages.server.ts'
import { commentSubject, questionSubject } from './questions.subjects.server.ts'
import { commentCounters } from './writing/writing.queries.server.ts'

export const questions = defineFeature({
	name: 'questions',
	api: {
		operations: [...askingOperations, ...draftOperations, ...mutingOperations, ...reportOperations],
		schemas: { ...forumShapes, ...draftShapes },
	},
	jobs: { 'tell-followers': notifyFollowers },
	notificationKinds: questionKinds,
	counters: commentCounters,
	cachedPages: questionPages,
	subjects: [questionSubject, commentSubject],
})
