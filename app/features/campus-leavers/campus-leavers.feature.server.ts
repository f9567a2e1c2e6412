import { defineFeature } from '~/platform/feature.ts'
import { deleteForgotten } from './deletion.server.ts'
import { checkDirectory, markConfirmed } from './directory-check.server.ts'
import { markListed } from './lists.server.ts'
import { passwordException } from './password-exception.server.ts'
import { leaversSection } from './section.server.ts'

/** Members who have left the university: the nightly check of the directory, lists, and what happens to their accounts. */
export const campusLeavers = defineFeature({
	name: 'campus-leavers',
	settingSections: [leaversSection],
	passwordException,
	schedules: [
		{ name: 'check-directory', every: 'night', run: checkDirectory },
		{ name: 'delete-forgotten', every: 'night', run: deleteForgotten },
	],
	jobs: { 'mark-missing': markConfirmed, 'mark-left': markListed },
	pictureForms: [{ path: /^\/admin\/leavers(\.data)?$/, tooLarge: 'The file is too large. The limit is 2 MB.' }],
	memberData: { directory_checks: 'numbers of the whole site' },
})
