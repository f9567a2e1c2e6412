import { cohortField } from '~/features/campus/campus-fields.schema.ts'
import type { CampusField } from '~/features/campus/campus-fields.view.ts'
import type { UsedIdentity } from '~/features/campus-login/claims.server.ts'
import { academicsInput, personalInput } from '~/features/profile-editor/profile.schema.ts'
import { log } from '~/lib/log.server.ts'
import type { SettingValues } from '~/platform/settings/setting.ts'
import { type campusFieldsSection, readBranchNames } from './section.server.ts'

/* What a login of the campus says about a member, read as the forms of a profile read what is typed. */

type Settings = SettingValues<(typeof campusFieldsSection)['settings']>

/** Values of fields as they are stored, as text; fields that the university says nothing about are missing. */
export type CampusValues = Partial<Record<CampusField, string>>

const { enrol_in_branch_name, year_of_passing, current_year, current_semester, enrolment_number } = academicsInput.shape

const schemas = {
	enrol_in_branch_name,
	year_of_passing,
	current_year,
	current_semester,
	enrolment_number,
	fullName: personalInput.shape.fullName,
	cohort: cohortField,
}

/** The claim or attribute of each field; empty where it is not configured. */
export function claimsOf(settings: Settings): Record<CampusField, string> {
	return {
		fullName: settings.nameClaim,
		enrol_in_branch_name: settings.branchClaim,
		year_of_passing: settings.passingClaim,
		current_year: settings.yearClaim,
		current_semester: settings.semesterClaim,
		enrolment_number: settings.enrolmentClaim,
		cohort: settings.cohortClaim,
	}
}

/**
 * Reads what was delivered. An invalid value is skipped, and its field is logged.
 * @param values the texts of a claim; null if it was not delivered
 */
export function readCampusValues(settings: Settings, values: UsedIdentity['values']): CampusValues {
	const read: CampusValues = {}
	for (const [field, claim] of Object.entries(claimsOf(settings)) as [CampusField, string][]) {
		const delivered = claim === '' ? undefined : values(claim)?.find((text) => text.trim() !== '')
		if (delivered === undefined) continue
		const parsed = schemas[field].safeParse(partOf(field, delivered.trim(), settings))
		// Not the value: it is about a person.
		if (!parsed.success) log.info({ field }, 'a value of the campus login is not valid for its field')
		else if (parsed.data !== null && parsed.data !== '') read[field] = String(parsed.data)
	}
	return read
}

/** The part of a delivered text that the field holds. */
function partOf(field: CampusField, text: string, { branchNames }: Settings): string {
	if (field === 'enrol_in_branch_name') return readBranchNames(branchNames).get(text.toLowerCase()) ?? text
	if (field === 'year_of_passing') return /(?:19|20)\d\d/.exec(text)?.[0] ?? text
	if (field === 'current_year' || field === 'current_semester') return /\d+/.exec(text)?.[0] ?? text
	return text
}
