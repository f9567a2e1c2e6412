import { cachedPage } from '~/platform/cache/cached-page.ts'
import { LIST_PAGES } from '~/platform/cache/pages.server.ts'
import { defineFeature } from '~/platform/feature.ts'
import { welcomeSection } from './home.server.ts'

export const home = defineFeature({
	name: 'home',
	settingSections: [welcomeSection],
	cachedPages: [cachedPage({ path: '/', tags: () => [LIST_PAGES] })],
})
