import { defineFeature } from '~/platform/feature.ts'
import { moveMerged } from './categories/categories.server.ts'

export const administration = defineFeature({
	name: 'administration',
	jobs: { 'move-merged-category': ({ from }) => moveMerged(from) },
})
