import { defineFeature } from '~/platform/feature.ts'
import { recordRead, startCounting } from './reads.server.ts'
import { recordStorage } from './usage.server.ts'

/** Page views, and the size of the site. */
export const usage = defineFeature({
	name: 'usage',
	start: startCounting,
	onRead: recordRead,
	schedules: [{ name: 'count-storage', every: 'night', run: recordStorage }],
	memberData: {
		weekly_reads: 'numbers of the whole site',
		weekly_question_reads: 'how often questions are read, and not by whom',
		weekly_storage: 'numbers of the whole site',
	},
})
