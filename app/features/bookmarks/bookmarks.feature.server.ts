import { defineFeature } from '~/platform/feature.ts'
import { bookmarkOperations, bookmarkShapes } from './bookmarks.api.server.ts'
import { sweepBookmarks } from './bookmarks.server.ts'

export const bookmarks = defineFeature({
	name: 'bookmarks',
	api: { operations: bookmarkOperations, schemas: bookmarkShapes },
	schedules: [{ name: 'sweep-bookmarks', every: 'hour', run: sweepBookmarks }],
	memberData: {
		bookmarks: {
			members: { user_id: 'deleted' },
			archive: ['question_id', 'comment_id', 'note', 'created_at', 'removed_at'],
			mentions: { note: 500 },
		},
	},
})
