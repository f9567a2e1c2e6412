import { defineFeature } from '~/platform/feature.ts'
import { inBackground } from '~/platform/realtime/io.server.ts'
import { directoryOperations, person, personList } from './directory.api.server.ts'
import { listJoinedAfter } from './directory.queries.server.ts'
import { checkDocuments } from './documents.server.ts'
import { peopleSource } from './finding.server.ts'
import { deleteUnusedTerms } from './terms.queries.server.ts'

export const directory = defineFeature({
	name: 'directory',
	api: { operations: directoryOperations, schemas: { Person: person, PersonList: personList } },
	schedules: [{ name: 'check-member-documents', every: 'night', run: () => checkDocuments() }],
	searchSource: peopleSource,
	onConnect: (tab) =>
		tab.on('members:since', (username: unknown, answer: unknown) => {
			if (typeof username !== 'string' || typeof answer !== 'function') return
			inBackground(listJoinedAfter(username).then((joined) => answer(joined)))
		}),
	afterLeaving: deleteUnusedTerms,
	memberData: {
		member_search: {
			members: { user_id: 'deleted' },
			merge: { user_id: { ends: 'made of the profile' } },
			archive: 'made of the profile',
		},
		terms: 'words of profiles, and how many members have each',
		term_words: 'words of profiles',
	},
})
