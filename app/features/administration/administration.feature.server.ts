import { defineFeature } from '~/platform/feature.ts'
import { moveMergedQuestions } from './categories/categories.server.ts'
import { countFigures } from './figures/figures.server.ts'
import { clearTestMailNote } from './setup/setup.queries.server.ts'
import { coreSetupSteps, registerSetupSteps } from './setup/setup.server.ts'

export const administration = defineFeature({
	name: 'administration',
	schedules: [{ name: 'count-figures', every: 'night', run: countFigures }],
	jobs: { 'move-merged-category': ({ from }) => moveMergedQuestions(from) },
	setupSteps: coreSetupSteps,
	collect: (features) => registerSetupSteps(features.flatMap(({ setupSteps }) => setupSteps ?? [])),
	leaving: [
		async ({ id }) => {
			await clearTestMailNote(id)
			return false
		},
	],
	memberData: {
		setup_marks: {
			members: { marked_by: 'kept' },
			merge: { marked_by: 'moves' },
			archive: 'what admins decided about the whole site; the log of moderation has it as their act',
		},
		weekly_members: 'numbers of the whole site',
		weekly_questions: 'numbers of the whole site',
	},
})
