import { FORUM_LISTS } from '~/features/forum/forum.pages.server.ts'
import { cachedPage } from '~/platform/cache/cached-page.ts'
import { defineFeature } from '~/platform/feature.ts'

export const home = defineFeature({
	name: 'home',
	cachedPages: [cachedPage({ path: '/', tags: () => [FORUM_LISTS] })],
})
