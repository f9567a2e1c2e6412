import { defineFeature } from '~/platform/feature.ts'
import { announceLegal, getTermsStatus, legalPages, listenForLegal } from './legal.server.ts'
import { LEGAL_PATH } from './legal.view.ts'
import { operatorSection } from './templates.server.ts'

/** Terms, privacy policy and imprint, and the acceptance of the terms. The vocabulary of skills is the feature `terms`. */
export const legal = defineFeature({
	name: 'legal',
	start: listenForLegal,
	// A text may mention the member who left.
	afterLeaving: announceLegal,
	cachedPages: legalPages,
	settingSections: [operatorSection],
	setupSteps: [{ key: 'terms', title: 'Terms', to: LEGAL_PATH, look: getTermsStatus }],
	memberData: {
		legal_versions: {
			members: { published_by: 'kept' },
			merge: { published_by: 'moves' },
			archive: 'what admins published for everybody',
			mentions: { body: null, note: null },
		},
		consents: {
			members: { user_id: 'deleted' },
			merge: { user_id: { unlessSame: ['version_id'] } },
			called: 'Terms that were accepted',
			archive: ['version_id', 'at'],
		},
	},
})
