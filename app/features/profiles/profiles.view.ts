import { campusOf } from '~/features/campus/campus.view.ts'
import type { SkillEvidenceView } from '~/features/evidence/evidence.view.ts'
import { isOwn, maySeeEmail, maySeeHidden, maySeePhone } from '~/features/members/members.policy.ts'
import type { Studies } from '~/features/members/members.view.ts'
import type { PictureView } from '~/features/pictures/pictures.view.ts'
import { MAX_POSTS_COUNTED } from '~/features/questions/questions.limits.ts'
import { monthAndYear } from '~/lib/dates.ts'
import { grouped, webUrl } from '~/lib/text.ts'
import type { SignedIn } from '~/lib/viewer.ts'
import type { CertificateRow, ProfileRow, ProjectRow } from './profiles.queries.server.ts'

/** A member's profile as pages and the API see it. Empty text means "not given". */

export interface LinkView {
	label: string
	url: string
}

export interface ProjectView {
	id: string
	title: string
	description: string
	image: PictureView | null
	stack: string[]
	/** `2026-11-21`, or null. */
	date: string | null
	links: LinkView[]
}

export interface CertificateView {
	id: string
	title: string
	image: PictureView | null
	/** `2026-11-21`, or null. */
	issued: string | null
	expires: string | null
	/** Where the certificate itself can be seen, or ''. */
	url: string
	/** Where it can be verified, or ''. */
	verify: string
}

export interface ProfileView {
	username: string
	name: string
	image: string | null
	online: boolean
	/** When the member was last here; null while online, for one who does not show it, and for one who never was. */
	lastSeenAt: string | null
	/** An author of imported questions: an account that nobody can log in to. */
	imported: boolean
	joinedAt: string
	city: string
	expertise: string
	about: string
	openTo: ('mentoring' | 'collaborating')[]
	/** Those with evidence first, the strongest before others. */
	skills: string[]
	/** What the skills rest on, as far as the viewer may see it. */
	evidence: SkillEvidenceView[]
	studies: Studies
	university: string
	location: string
	yearOfPassing: number | null
	/** The university that they are a verified student of, or ''. */
	campus: string
	social: LinkView[]
	/** '' unless its owner shows it, or the viewer is the owner or a moderator. */
	email: string
	phone: string
	/** Only for the owner, else ''. */
	enrolmentNumber: string
	universityEmail: string
	/** Whether others see the e-mail and phone above. */
	shows: { email: boolean; phone: boolean }
	/** Set while a moderator hides the texts and the picture. `whole`: they are here all the same, for the owner or a moderator. */
	hidden: { reason: string; whole: boolean } | null
	projects: ProjectView[]
	certificates: CertificateView[]
}

/** The lists of what a member wrote. */
export const postKinds = [
	{ kind: 'queries', label: 'Queries', own: 'My Queries' },
	{ kind: 'answers', label: 'Answers', own: 'My Answers' },
	{ kind: 'solutions', label: 'Solutions', own: 'My Solutions' },
] as const

export type PostKind = (typeof postKinds)[number]['kind']

export type PostCounts = Record<PostKind, number>

/** “12”, or “999+” where they are not counted to the end. */
export function postsCounted(count: number): string {
	return count > MAX_POSTS_COUNTED ? `${grouped(MAX_POSTS_COUNTED)}+` : grouped(count)
}

/** Skills that the first steps ask for. */
export const SKILLS_WANTED = 3

/** What a new member has done of the first steps. */
export interface FirstStepsView {
	picture: boolean
	/** How many skills, at most as many as are asked for. */
	skills: number
	studies: boolean
}

/** What a list knows already of the member whose page is opened from it, as the state of that navigation. */
export interface KnownState {
	known: Pick<
		ProfileView,
		| 'username'
		| 'name'
		| 'image'
		| 'online'
		| 'studies'
		| 'university'
		| 'campus'
		| 'about'
		| 'expertise'
		| 'skills'
		| 'openTo'
	> & { github: string; linkedin: string }
}

/** “Open to mentoring and collaborating”, and '' when a member is open to neither. */
export function openToText(openTo: readonly string[]): string {
	return openTo.length === 0 ? '' : `Open to ${openTo.join(' and ')}`
}

/**
 * From when to when a certificate holds, as much of it as is known: “Mar 2023 to Mar 2026, expired”. It holds on its last day.
 * @param now ISO 8601
 */
export function validityText({ issued, expires }: Pick<CertificateView, 'issued' | 'expires'>, now: string): string {
	const from = monthAndYear(issued)
	if (!expires) return from && `${from}, no expiry`
	const span = from ? `${from} to ${monthAndYear(expires)}` : `until ${monthAndYear(expires)}`
	return expires < now.slice(0, 10) ? `${span}, expired` : span
}

/** What a viewer may know of a member from their row. */
export function presentProfile(
	viewer: SignedIn,
	row: ProfileRow,
): Omit<ProfileView, 'projects' | 'certificates' | 'evidence'> {
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
