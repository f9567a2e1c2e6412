import { defineFeature } from '~/platform/feature.ts'
import { refreshWordCounts } from './similar/similar.queries.server.ts'

export const search = defineFeature({
	name: 'search',
	schedules: [{ name: 'similar-words', every: 'hour', run: refreshWordCounts }],
})
