import { deleteOldRows } from '~/platform/db/old-rows.queries.server.ts'
import { defineFeature } from '~/platform/feature.ts'
import { finderOperations, finderShapes } from './finder.api.server.ts'
import { searchPage } from './finder.server.ts'
import { deleteMissesOf } from './misses.queries.server.ts'
import { MISS_DAYS } from './misses.server.ts'

export const finder = defineFeature({
	name: 'finder',
	api: { operations: finderOperations, schemas: finderShapes },
	cachedPages: [searchPage],
	retention: [
		{
			key: 'missed-searches',
			label: 'Searches without a result, without who searched',
			hint: `Moderators see those of the last ${MISS_DAYS} days.`,
			days: { default: MISS_DAYS, min: 1, max: MISS_DAYS },
			remove: (days, limit) => deleteOldRows({ table: 'missed_searches', since: 'day', days, limit }),
		},
	],
	leaving: [
		async (leaver) => {
			await deleteMissesOf(leaver)
			return false
		},
	],
	memberData: {
		missed_searches: 'searches without results, without the member, for weeks',
	},
})
