import { defineFeature } from '~/platform/feature.ts'
import { archivedEvidence, archivedStrengths, evidenceTerms } from './evidence.queries.server.ts'
import { checkEvidence } from './evidence.server.ts'

export const evidence = defineFeature({
	name: 'evidence',
	schedules: [{ name: 'check-evidence', every: 'night', run: checkEvidence }],
	termSources: [evidenceTerms],
	memberData: {
		skill_evidence: {
			members: { user_id: 'deleted' },
			merge: { user_id: { ends: 'made anew of what moved' } },
			archive: ['skill', 'source', 'kind', 'at', 'weight'],
			rows: archivedEvidence,
		},
		hidden_evidence: {
			members: { user_id: 'deleted' },
			merge: { user_id: { unlessSame: ['name_key'] } },
			archive: ['name_key'],
		},
		skill_strengths: {
			members: { user_id: 'deleted' },
			merge: { user_id: { ends: 'made anew of what moved' } },
			archive: ['skill', 'strength'],
			rows: archivedStrengths,
		},
	},
})
