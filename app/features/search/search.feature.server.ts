import { clearOldRows } from '~/platform/db/old-rows.queries.server.ts'
import { defineFeature } from '~/platform/feature.ts'
import { reindexQuestions } from './reindexing.queries.server.ts'
import { encodeQuestions } from './similar/meaning.server.ts'
import { refreshWordCounts } from './similar/similar.queries.server.ts'
import { noteUnencoded } from './similar/vectors.queries.server.ts'
import { forgetSearchWords } from './spelling.queries.server.ts'

export const search = defineFeature({
	name: 'search',
	schedules: [
		{ name: 'similar-words', every: 'hour', run: refreshWordCounts },
		{ name: 'question-vectors', every: 'minute', run: encodeQuestions },
		{ name: 'missing-vectors', every: 'hour', run: noteUnencoded },
		{ name: 'reindexing', every: 'minute', run: reindexQuestions },
	],
	retention: [
		{
			key: 'answers-found',
			label: 'Who found an answer before asking',
			hint: 'It still counts as an action of somebody.',
			days: { default: 90, min: 1, max: 730 },
			remove: (days, limit) =>
				clearOldRows({ table: 'similar_helped', columns: ['user_id'], since: 'at', days, limit }),
		},
	],
	afterLeaving: forgetSearchWords,
	memberData: {
		search_words: 'words of published queries, counted again every hour',
		search_spellings: 'words of published queries',
		word_spellings: 'words of published queries',
		similar_words: 'how many queries a word is in',
		question_vectors: 'what published queries mean, as numbers, made of their texts',
		reindexing: 'which queries are indexed anew after an update',
		similar_totals: 'how many words all queries have',
		similar_helped: {
			members: { user_id: 'kept' },
			merge: { user_id: { unlessSame: ['question_id'] } },
			archive: 'how often somebody found an answer before asking',
		},
	},
})
