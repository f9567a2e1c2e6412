/** What the login of the campus may say about a member: fields by their names in the forms of a profile, with their labels. */
export const campusFieldNames = {
	fullName: 'Name',
	enrol_in_branch_name: 'Branch',
	year_of_passing: 'Year of passing',
	current_year: 'Current year',
	current_semester: 'Current semester',
	enrolment_number: 'Enrolment number',
	cohort: 'Cohort (only admins see it)',
} as const

export type CampusField = keyof typeof campusFieldNames

export const campusFields = Object.keys(campusFieldNames) as CampusField[]

/** The hint below a field of a form that has the value of the university. */
export const FROM_UNIVERSITY = 'From the university, until you change it.'
