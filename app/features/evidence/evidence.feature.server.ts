import { defineFeature } from '~/platform/feature.ts'
import { evidencePlace } from './evidence.queries.server.ts'
import { checkEvidence } from './evidence.server.ts'

export const evidence = defineFeature({
	name: 'evidence',
	schedules: [{ name: 'check-evidence', every: 'night', run: checkEvidence }],
	termPlaces: [evidencePlace],
})
