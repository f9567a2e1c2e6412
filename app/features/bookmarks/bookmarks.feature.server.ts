import { defineFeature } from '~/platform/feature.ts'
import { bookmarkOperations, bookmarkShapes } from './bookmarks.api.server.ts'
import { joinBookmarkNotes } from './bookmarks.queries.server.ts'
import { sweepBookmarks } from './bookmarks.server.ts'

export const bookmarks = defineFeature({
	name: 'bookmarks',
	api: { operations: bookmarkOperations, schemas: bookmarkShapes },
	schedules: [{ name: 'sweep-bookmarks', every: 'hour', run: sweepBookmarks }],
	merging: [joinBookmarkNotes],
	memberData: {
		bookmarks: {
			members: { user_id: 'deleted' },
			merge: { user_id: { unlessSame: ['question_id', 'comment_id'] } },
			called: 'Bookmarks',
			archive: ['question_id', 'comment_id', 'note', 'created_at', 'removed_at'],
			mentions: { note: 500 },
		},
	},
})
