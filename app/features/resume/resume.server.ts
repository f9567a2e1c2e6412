import { config } from '~/config.server.ts'
import { getEvidence } from '~/features/evidence/evidence.server.ts'
import { levelNames } from '~/features/evidence/evidence.view.ts'
import { isOwnProfile, maySeeEmail, maySeePhone } from '~/features/members/members.policy.ts'
import { listCertificatesToEdit, listProjectsToEdit } from '~/features/profile-editor/items.queries.server.ts'
import { listExperienceRows } from '~/features/profiles/profiles.queries.server.ts'
import { requireProfile } from '~/features/profiles/profiles.server.ts'
import { NotFound } from '~/lib/errors.ts'
import type { Viewer } from '~/lib/viewer.ts'
import { db } from '~/platform/db/db.server.ts'
import { type ResumeDocument, toResume } from './resume.view.ts'

/**
 * A member's profile as JSON Resume, with what this viewer may see on the page.
 * @throws as {@link requireProfile}, and NotFound for imported authors
 */
export async function getResume(viewer: Viewer, username: string): Promise<ResumeDocument> {
	const { row, reading } = await requireProfile(viewer, username)
	if (row.imported) throw new NotFound('No Data Found !')
	const [certificates, projects, experiences, evidence] = await Promise.all([
		listCertificatesToEdit(row.id, db(), reading),
		listProjectsToEdit(row.id, db(), reading),
		listExperienceRows(row.id, reading),
		viewer ? getEvidence(viewer, row) : [],
	])
	const own = isOwnProfile(viewer, row)
	return toResume(
		{
			username: row.username,
			email: maySeeEmail(viewer, row) ? row.email : '',
			personal: {
				fullName: row.name,
				phone: maySeePhone(viewer, row) ? row.phone : '',
				city: row.city,
				expertise_in: row.expertise_in,
				about: row.about,
				skills: row.skills,
				open_to: row.open_to,
				profile_url: row.image,
			},
			levels: new Map(evidence.map(({ skill, level }) => [skill, levelNames[level]])),
			academics: {
				university_name: row.university_name,
				location: row.location,
				enrol_in_branch_name: row.enrol_in_branch_name,
				year_of_passing: row.year_of_passing,
				current_semester: row.current_semester,
				current_year: row.current_year,
				enrolment_number: own ? row.enrolment_number : '',
				university_email: own ? row.university_email : '',
			},
			social: {
				github: row.github,
				linkedin: row.linkedin,
				leetcode: row.leetcode,
				portfolio: row.portfolio,
				hackerrank: row.hackerrank,
				codechef: row.codechef,
				geeksforgeek: row.geeksforgeek,
			},
			certificates: certificates.map(({ id: _, version: __, ...fields }) => fields),
			projects: projects.map(({ id: _, version: __, ...fields }) => fields),
			experiences: experiences.map(({ id: _, version: __, ...fields }) => fields),
		},
		config().publicUrl,
	)
}
