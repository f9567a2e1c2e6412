import { defineFeature } from '~/platform/feature.ts'
import { moveMerged } from './categories/categories.server.ts'
import { countFigures } from './figures/figures.server.ts'
import { forgetLetterNote } from './setup/setup.queries.server.ts'
import { ownSteps, registerSetupSteps } from './setup/setup.server.ts'

export const administration = defineFeature({
	name: 'administration',
	schedules: [{ name: 'count-figures', every: 'night', run: countFigures }],
	jobs: { 'move-merged-category': ({ from }) => moveMerged(from) },
	setupSteps: ownSteps,
	collect: (features) => registerSetupSteps(features.flatMap(({ setupSteps }) => setupSteps ?? [])),
	leaving: [
		async ({ id }) => {
			await forgetLetterNote(id)
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
