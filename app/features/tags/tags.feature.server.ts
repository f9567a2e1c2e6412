import { cachedPage } from '~/platform/cache/cached-page.ts'
import { LIST_PAGES } from '~/platform/cache/pages.server.ts'
import { defineFeature } from '~/platform/feature.ts'
import { followingOperations, followingShapes } from './api/following.server.ts'
import { tagKeepingOperations, tagKeepingShapes } from './api/synonyms.server.ts'
import { placeOperations } from './api/tags.server.ts'
import { moveSynonyms } from './synonyms.server.ts'

export const tags = defineFeature({
	name: 'tags',
	api: {
		operations: [...placeOperations, ...tagKeepingOperations, ...followingOperations],
		schemas: { ...tagKeepingShapes, ...followingShapes },
	},
	schedules: [{ name: 'move-synonyms', every: 'hour', run: moveSynonyms }],
	// A search goes on in the category that is chosen next.
	cachedPages: [cachedPage({ path: '/forum/tags', searchParams: ['q'], tags: () => [LIST_PAGES] })],
})
