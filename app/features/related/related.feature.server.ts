import { defineFeature } from '~/platform/feature.ts'
import { findRelated } from './related.server.ts'

export const related = defineFeature({
	name: 'related',
	schedules: [{ name: 'related-questions', every: 'minute', run: () => findRelated() }],
	memberData: { related_questions: 'which published queries ask something alike' },
})
