import { defineFeature } from '~/platform/feature.ts'
import { finderOperations, finderShapes } from './finder.api.server.ts'
import { searchPage } from './finder.server.ts'
import { forgetMisses } from './misses.server.ts'

export const finder = defineFeature({
	name: 'finder',
	api: { operations: finderOperations, schemas: finderShapes },
	cachedPages: [searchPage],
	schedules: [{ name: 'forget-missed-searches', every: 'night', run: forgetMisses }],
	memberData: {
		missed_searches: 'what was searched in vain, without who, for weeks',
	},
})
