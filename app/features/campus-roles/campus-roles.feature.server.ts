import { defineFeature } from '~/platform/feature.ts'
import { mergeGroupRole } from './group-roles.queries.server.ts'
import { applyGroups, endUnlinkedRoles, mailMissingGroups } from './group-roles.server.ts'
import { groupRolesSection, wantedClaim } from './group-roles-section.server.ts'

/** Roles that groups of the university give: moderator or admin. */
export const campusRoles = defineFeature({
	name: 'campus-roles',
	settingSections: [groupRolesSection],
	identityUse: { wants: wantedClaim, used: applyGroups },
	schedules: [
		{ name: 'end-unlinked-roles', every: 'minute', run: endUnlinkedRoles },
		{ name: 'mail-missing-groups', every: 'night', run: mailMissingGroups },
	],
	merging: [mergeGroupRole],
	memberData: {
		group_roles: {
			members: { user_id: 'deleted' },
			merge: { user_id: { step: 'only that a role was given or taken by hand moves' } },
			called: 'Role by a group of the university',
			archive: ['provider', 'group_name', 'role', 'former_role', 'shown_at', 'missing_since', 'lower_group'],
		},
	},
})
