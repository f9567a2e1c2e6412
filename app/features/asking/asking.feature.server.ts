import { defineFeature } from '~/platform/feature.ts'
import { askingOperations, draftShapes } from './asking.api.server.ts'
import { joinAskDrafts } from './drafts.queries.server.ts'

export const asking = defineFeature({
	name: 'asking',
	api: { operations: askingOperations, schemas: draftShapes },
	merging: [joinAskDrafts],
	memberData: {
		drafts: {
			members: { user_id: 'deleted' },
			merge: { user_id: { unlessSame: ['key'] } },
			archive: ['key', 'title', 'description', 'tags', 'category', 'pseudonym', 'updated_at'],
			mentions: { title: null, description: null },
		},
	},
})
