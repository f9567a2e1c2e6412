import { defineFeature } from '~/platform/feature.ts'
import { inboxShapes } from './api/shapes.server.ts'
import { inboxOperations } from './inbox.api.server.ts'
import { learnOwnWords } from './search/search.server.ts'
import { messageKind } from './unseen.server.ts'

/** Where a member finds their conversations: the list, the search, the page, the panels, the API. */
export const inbox = defineFeature({
	name: 'inbox',
	api: { operations: inboxOperations, schemas: inboxShapes },
	jobs: { 'learn-own-words': learnOwnWords },
	notificationKinds: { message: messageKind },
	memberData: {
		own_words: {
			members: { user_id: 'deleted' },
			archive: 'made of the messages',
		},
	},
})
