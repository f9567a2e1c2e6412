import { defineFeature } from '~/platform/feature.ts'
import { searchPage } from './finder.server.ts'
import { forgetMisses } from './misses.server.ts'

export const finder = defineFeature({
	name: 'finder',
	cachedPages: [searchPage],
	schedules: [{ name: 'forget-missed-searches', every: 'night', run: forgetMisses }],
})
