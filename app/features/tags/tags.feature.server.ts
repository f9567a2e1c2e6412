import { cachedPage } from '~/platform/cache/cached-page.ts'
import { LIST_PAGES } from '~/platform/cache/pages.server.ts'
import { defineFeature } from '~/platform/feature.ts'
import { archivedFollows } from './following.queries.server.ts'
import { tagSection } from './tag-rules.server.ts'
import { tagTerms } from './tag-terms.queries.server.ts'
import { tagOperations, tagShapes } from './tags.api.server.ts'
import { MAX_TAG_DESCRIPTION } from './tags.limits.ts'
import { forgetTags, tagCounters } from './tags.queries.server.ts'

export const tags = defineFeature({
	name: 'tags',
	api: { operations: tagOperations, schemas: tagShapes },
	counters: tagCounters,
	termSources: [tagTerms],
	// The links to categories keep the search.
	cachedPages: [cachedPage({ path: '/forum/tags', searchParams: ['q'], tags: () => [LIST_PAGES] })],
	afterLeaving: forgetTags,
	settingSections: [tagSection],
	memberData: {
		categories: { members: {}, merge: {}, archive: 'what admins wrote', mentions: { description: 300 } },
		former_slugs: 'addresses of categories',
		tags: {
			members: {},
			merge: {},
			archive: 'names of tags, and what moderators wrote about them',
			mentions: { description: MAX_TAG_DESCRIPTION },
		},
		question_tags: 'follows queries',
		follows: {
			members: { user_id: 'deleted' },
			merge: { user_id: { unlessSame: ['tag_id', 'category_id', 'question_id'] } },
			called: 'Followed tags, categories and queries',
			archive: ['tag', 'category', 'question_id', 'followed_at'],
			rows: archivedFollows,
		},
	},
})
