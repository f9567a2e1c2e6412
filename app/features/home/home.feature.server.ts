import { cachedPage } from '~/platform/cache/cached-page.ts'
import { LIST_PAGES } from '~/platform/cache/pages.server.ts'
import { defineFeature } from '~/platform/feature.ts'

export const home = defineFeature({
	name: 'home',
	cachedPages: [cachedPage({ path: '/', tags: () => [LIST_PAGES] })],
})
