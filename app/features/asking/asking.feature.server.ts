import { defineFeature } from '~/platform/feature.ts'
import { askingOperations, draftShapes } from './asking.api.server.ts'

export const asking = defineFeature({
	name: 'asking',
	api: { operations: askingOperations, schemas: draftShapes },
	memberData: {
		drafts: {
			members: { user_id: 'deleted' },
			merge: { user_id: { unlessSame: ['key'] } },
			archive: ['key', 'title', 'description', 'tags', 'category', 'pseudonym', 'updated_at'],
			mentions: { title: null, description: null },
		},
	},
})
