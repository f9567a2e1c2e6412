import { defineFeature } from '~/platform/feature.ts'
import { inboxShapes } from './api/shapes.server.ts'
import { inboxOperations } from './inbox.api.server.ts'
import { reindexMessages } from './search/reindexing.queries.server.ts'
import { mergeOwnWords } from './search/search.queries.server.ts'
import { collectMessageWords } from './search/search.server.ts'
import { messageKind } from './unseen.server.ts'

/** The list of conversations, its search, pages, panels and API. */
export const inbox = defineFeature({
	name: 'inbox',
	api: { operations: inboxOperations, schemas: inboxShapes },
	jobs: { 'learn-own-words': collectMessageWords },
	schedules: [{ name: 'reindexing-messages', every: 'minute', run: reindexMessages }],
	notificationKinds: { message: messageKind },
	merging: [mergeOwnWords],
	memberData: {
		own_words: {
			members: { user_id: 'deleted' },
			merge: { user_id: { step: 'is made anew of the messages' } },
			archive: 'made of the messages',
		},
		reindexing_messages: 'which messages are indexed anew after an update',
	},
})
