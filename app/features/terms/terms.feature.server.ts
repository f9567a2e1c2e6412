import { defineFeature } from '~/platform/feature.ts'
import { registerTermSources } from './sources.server.ts'
import { alignTerm, alignTerms, startTerms } from './terms.server.ts'

export const terms = defineFeature({
	name: 'terms',
	start: startTerms,
	jobs: { 'align-term': ({ id }) => alignTerm(id) },
	schedules: [{ name: 'align-terms', every: 'hour', run: alignTerms }],
	collect: (features) => registerTermSources(features.flatMap(({ termSources }) => termSources ?? [])),
	memberData: {
		vocabulary_terms: { members: {}, merge: {}, archive: 'the site’s vocabulary', mentions: { description: 500 } },
		term_parents: 'the site’s vocabulary',
		term_spellings: 'the site’s vocabulary',
		start_sets: 'the site’s vocabulary',
	},
})
