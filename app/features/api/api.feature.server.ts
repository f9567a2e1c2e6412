import { cachedPage } from '~/platform/cache/cached-page.ts'
import { defineFeature } from '~/platform/feature.ts'
import { ownOperations, ownShapes } from './me.server.ts'

export const api = defineFeature({
	name: 'api',
	api: { operations: ownOperations, schemas: ownShapes },
	cachedPages: [cachedPage({ path: '/api/docs' })],
})
