import { defineFeature } from '~/platform/feature.ts'
import { moveMerged } from './categories/categories.server.ts'
import { countFigures } from './figures/figures.server.ts'

export const administration = defineFeature({
	name: 'administration',
	schedules: [{ name: 'count-figures', every: 'night', run: countFigures }],
	jobs: { 'move-merged-category': ({ from }) => moveMerged(from) },
	memberData: {
		weekly_members: 'numbers of the whole site',
		weekly_questions: 'numbers of the whole site',
	},
})
