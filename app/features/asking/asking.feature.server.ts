import { defineFeature } from '~/platform/feature.ts'
import { askingOperations, draftShapes } from './asking.api.server.ts'

export const asking = defineFeature({
	name: 'asking',
	api: { operations: askingOperations, schemas: draftShapes },
})
