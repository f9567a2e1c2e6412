import { defineFeature } from '~/platform/feature.ts'
import { takeOverCampusFields, wantedClaims } from './campus-fields.server.ts'
import { campusFieldsSection } from './section.server.ts'

/** Fields of members that follow what a login of the campus says. */
export const campusFields = defineFeature({
	name: 'campus-fields',
	settingSections: [campusFieldsSection],
	identityUse: { wants: wantedClaims, used: takeOverCampusFields },
	memberData: {
		campus_fields: {
			members: { user_id: 'deleted' },
			merge: { user_id: { unlessSame: ['field'] } },
			called: 'What your university said of you',
			archive: ['field', 'value', 'delivered_at'],
		},
	},
})
