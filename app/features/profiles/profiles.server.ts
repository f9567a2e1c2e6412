import { countUse } from '~/features/accounts/security/rates.server.ts'
import { campusOf } from '~/features/campus/campus.view.ts'
import { NotFound } from '~/lib/errors.ts'
import { webUrl } from '~/lib/text.ts'
import type { SignedIn } from '~/lib/viewer.ts'
import { isOwn, maySeeEmail, maySeeHidden, maySeePhone } from './profiles.policy.ts'
import {
	type CertificateRow,
	findProfile,
	listCertificateRows,
	listProjectRows,
	type ProfileRow,
	type ProjectRow,
} from './profiles.queries.server.ts'
import type { CertificateView, LinkView, ProfileView, ProjectView } from './profiles.view.ts'

/**
 * A member's whole page, as far as this viewer may see it.
 * @throws NotFound when nobody has the username, TooMany for who reads many profiles of others
 */
export async function getProfile(viewer: SignedIn, username: string): Promise<ProfileView> {
	await countReading(viewer, username)
	const name = username.toLowerCase()
	const whole = maySeeHidden(viewer, { username: name })
	const row = await findProfile(name, { viewerId: viewer.id, whole })
	if (!row) throw new NotFound('No Data Found !')
	const [projects, certificates] = await Promise.all([
		listProjectRows(row.id, whole),
		listCertificateRows(row.id, whole),
	])
	return {
		...presentProfile(viewer, row),
		projects: projects.map(presentProject),
		certificates: certificates.map(presentCertificate),
	}
}

/** Counts the reading of somebody's profile, also of one that is not there; not of the viewer's own. @throws TooMany */
export async function countReading(viewer: SignedIn, username: string): Promise<void> {
	if (!isOwn(viewer, { username: username.toLowerCase() })) await countUse('profiles', viewer)
}

function presentProfile(viewer: SignedIn, row: ProfileRow): Omit<ProfileView, 'projects' | 'certificates'> {
	const own = isOwn(viewer, row)
	return {
		username: row.username,
		name: row.name,
		image: row.image,
		online: row.online,
		lastSeenAt: row.online ? null : (row.last_seen_at?.toISOString() ?? null),
		imported: row.imported,
		joinedAt: row.created_at.toISOString(),
		city: row.city,
		expertise: row.expertise_in,
		about: row.about,
		openTo: row.open_to,
		skills: row.skills,
		studies: { branch: row.enrol_in_branch_name, year: row.current_year, semester: row.current_semester },
		university: row.university_name,
		location: row.location,
		yearOfPassing: row.year_of_passing,
		campus: campusOf(row),
		social: links([
			['Github', row.github],
			['Linkedin', row.linkedin],
			['Leetcode', row.leetcode],
			['Hackerrank', row.hackerrank],
			['Codechef', row.codechef],
			['Geeksforgeek', row.geeksforgeek],
			['Portfolio', row.portfolio],
		]),
		// An imported author's address is a stand-in that nobody can be reached at.
		email: !row.imported && maySeeEmail(viewer, row) ? row.email : '',
		phone: maySeePhone(viewer, row) ? row.phone : '',
		enrolmentNumber: own ? row.enrolment_number : '',
		universityEmail: own ? row.university_email : '',
		shows: { email: row.show_email, phone: row.show_phone },
		hidden: row.hidden ? { reason: row.hidden_reason, whole: maySeeHidden(viewer, row) } : null,
	}
}

/** A project as pages show it. */
export function presentProject(row: ProjectRow): ProjectView {
	return {
		id: row.project_id,
		title: row.project_title,
		description: row.project_description,
		image: row.image,
		stack: row.project_tech_stack,
		date: row.date,
		links: links([
			['Live', row.project_deployment_link],
			['Demo', row.project_demo_link],
			['Source', row.project_source_code_link],
		]),
	}
}

/** A certificate as pages show it. */
export function presentCertificate(row: CertificateRow): CertificateView {
	return {
		id: row.certificate_id,
		title: row.certificate_title,
		image: row.image,
		issued: row.issued,
		expires: row.expires,
		url: webUrl(row.certificate_url),
		verify: webUrl(row.credential_verification_link),
	}
}

function links(pairs: [label: string, url: string][]): LinkView[] {
	return pairs.map(([label, url]) => ({ label, url: webUrl(url) })).filter(({ url }) => url !== '')
}
