import { createHash } from 'node:crypto'
import { pictureFolders } from '~/features/pictures/pictures.view.ts'
import type { SignedIn } from '~/lib/viewer.ts'
import { db } from '~/platform/db/db.server.ts'
import type { Database } from '~/platform/db/schema.ts'

/** Inserts a picture of this member, without files. @returns its path */
export async function makePicture(
	owner: SignedIn,
	kind: Database['pictures']['kind'],
	content = `${kind} of ${owner.username}`,
): Promise<string> {
	const name = createHash('sha256').update(content).digest('hex').slice(0, 32)
	const path = `${pictureFolders[kind]}/${owner.username}/${name}`
	await db()
		.insertInto('pictures')
		.values({ path, user_id: owner.id, kind, width: 640, height: 452, bytes: 20_000, colour: '#8b8577' })
		.onConflict((conflict) => conflict.doNothing())
		.execute()
	return path
}

/** All form fields with values, without the version. */
export const filled = {
	personal: {
		fullName: 'Mira Quillon',
		phone: '+00 555 0142',
		city: 'Eastmere Hills',
		expertise_in: 'Full-stack web',
		about: 'I like software that one person can understand.',
		skills: 'React, TypeScript',
		open_to: 'mentoring',
		open_until: '',
		pronouns: 'she/her',
		status_line: '',
		status_until: '',
		show_email: 'on',
		listed: 'on',
		show_presence: 'on',
	},
	academics: {
		university_name: 'Eastmere University',
		location: 'Eastmere',
		enrol_in_branch_name: 'Computer Science',
		year_of_passing: '2028',
		current_semester: '6',
		current_year: '3',
		enrolment_number: 'EIT23CSE017',
		university_email: 'mira@eastmere.example',
	},
	social: { github: 'miraq', portfolio: 'mira.example' },
	certificate: {
		certificate_title: 'Cloud Foundations, Level 2',
		certificate_url: 'https://openloom.example/7731',
		certificate_issue_date: '2026-08-12',
		certificate_expire_date: '',
		credential_verification_link: 'https://verify.example/OL-7731',
	},
	project: {
		project_title: 'messmate',
		project_description: 'The hostel mess menu as one page.',
		project_tech_stack: 'React, SQLite, Go',
		project_date: '2026-03-01',
		project_source_code_link: 'git.example/messmate',
		project_deployment_link: '',
		project_demo_link: '',
	},
} as const
