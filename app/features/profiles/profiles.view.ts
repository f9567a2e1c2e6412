import { campusOf } from '~/features/campus/campus.view.ts'
import type { SkillEvidenceView } from '~/features/evidence/evidence.view.ts'
import { isOwn, maySeeEmail, maySeeHidden, maySeePhone } from '~/features/members/members.policy.ts'
import type { Studies } from '~/features/members/members.view.ts'
import { linkLabel, type Opening } from '~/features/members/self.view.ts'
import type { PictureView } from '~/features/pictures/pictures.view.ts'
import { MAX_POSTS_COUNTED } from '~/features/questions/questions.limits.ts'
import { profilePath } from '~/lib/addresses.ts'
import { monthAndYear } from '~/lib/calendar.ts'
import { bareUrl, webUrl } from '~/lib/links.ts'
import { grouped } from '~/lib/text.ts'
import type { Viewer } from '~/lib/viewer.ts'
import type { CertificateRow, ExperienceRow, ProfileRow, ProjectRow } from './profiles.queries.server.ts'

/** A member's profile as pages and the API see it. Empty text means "not given". */

export interface LinkView {
	label: string
	url: string
	/** Whether the member has logged in there. */
	isProven?: true
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
	/** Whether it stands before the others. */
	pinned: boolean
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
	pinned: boolean
}

export interface ExperienceView {
	id: string
	kind: ExperienceRow['kind']
	organisation: string
	/** What was studied, or the position. */
	title: string
	/** Where the organisation is on the web, or ''. */
	url: string
	/** “Aug 2024 to May 2025”, or ''. */
	span: string
	summary: string
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
	/** Its words. */
	about: string
	/** As it is shown; null for a text that is shown as it is. */
	aboutHtml: string | null
	pronouns: string
	/** What they say of themselves for now, or ''. */
	status: string
	openTo: Opening[]
	/** The last day on which they are open to it, `2026-11-21`; null for no end. */
	openUntil: string | null
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
	/** Whether search engines may list it. */
	indexed: boolean
	projects: ProjectView[]
	certificates: CertificateView[]
	/** Studies but for the one above, work and volunteering. */
	experiences: ExperienceView[]
}

/** The lists of what a member wrote. */
export const postKinds = [
	{ kind: 'queries', label: 'Queries', own: 'My Queries' },
	{ kind: 'answers', label: 'Answers', own: 'My Answers' },
	{ kind: 'solutions', label: 'Solutions', own: 'My Solutions' },
	{ kind: 'comments', label: 'Comments', own: 'My Comments' },
] as const

/** The Atom feed of what a member writes. */
export const feedPath = (username: string) => `${profilePath(username)}/feed.atom`

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

/**
 * “Open to teammates and mentoring”, “Open to teammates, mentoring and 2 more”; '' when a member is open to nothing.
 * @param most how many are named
 */
export function openToText(openTo: readonly string[], most = 2): string {
	const more = openTo.length - most
	const named = more > 0 ? [...openTo.slice(0, most), `${more} more`] : openTo
	if (named.length === 0) return ''
	return `Open to ${[named.slice(0, -1).join(', '), named.at(-1)].filter(Boolean).join(' and ')}`
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
	viewer: Viewer,
	row: ProfileRow,
): Omit<ProfileView, 'projects' | 'certificates' | 'experiences' | 'evidence'> {
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
		about: row.about_text,
		aboutHtml: row.about_html,
		pronouns: row.pronouns,
		status: row.status_line,
		openTo: row.open_to,
		openUntil: row.open_to.length > 0 ? row.open_until : null,
		skills: row.skills,
		studies: { branch: row.enrol_in_branch_name, year: row.current_year, semester: row.current_semester },
		university: row.university_name,
		location: row.location,
		yearOfPassing: row.year_of_passing,
		campus: campusOf(row),
		social: links([
			...siteLinks.map(([site, name]): [string, string] => [linkLabel(site, name, row[site]), row[site]]),
			[bareUrl(row.portfolio), row.portfolio],
		]),
		// An imported author's address is a stand-in that nobody can be reached at.
		email: !row.imported && maySeeEmail(viewer, row) ? row.email : '',
		phone: maySeePhone(viewer, row) ? row.phone : '',
		enrolmentNumber: own ? row.enrolment_number : '',
		universityEmail: own ? row.university_email : '',
		shows: { email: row.show_email, phone: row.show_phone },
		hidden: row.hidden ? { reason: row.hidden_reason, whole: maySeeHidden(viewer, row) } : null,
		indexed: row.public_page && row.listed && !row.noindex,
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
		pinned: row.pinned,
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
		pinned: row.pinned,
	}
}

/** A study, work or volunteering as pages show it. */
export function presentExperience(row: ExperienceRow): ExperienceView {
	const { id, kind, organisation, title, degree, url, summary } = row
	return {
		...{ id, kind, organisation, summary, url: webUrl(url) },
		title: [degree, title].filter(Boolean).join(', '),
		span: spanText(row),
	}
}

/** From when to when something went on, as much of it as is known: “Aug 2024 to May 2025”, “since 2024”. */
function spanText({ starts, ends }: Pick<ExperienceRow, 'starts' | 'ends'>): string {
	const [from, to] = [starts, ends].map((date) => (date?.length === 4 ? date : monthAndYear(date)))
	if (!to) return from ? `since ${from}` : ''
	return from ? `${from} to ${to}` : `until ${to}`
}

const siteLinks = [
	...([
		['github', 'Github'],
		['linkedin', 'Linkedin'],
		['leetcode', 'Leetcode'],
	] as const),
	...([
		['hackerrank', 'Hackerrank'],
		['codechef', 'Codechef'],
		['geeksforgeek', 'Geeksforgeek'],
	] as const),
]

/** These links, with a mark at those whose account the member has proved to be theirs. @param proven the addresses of such accounts */
export function markProven(social: LinkView[], proven: readonly string[]): LinkView[] {
	const accounts = new Set(proven.map(accountOf))
	return social.map((link) => (accounts.has(accountOf(link.url)) ? { ...link, isProven: true } : link))
}

/** Sites tell accounts apart without regard to case. */
function accountOf(url: string): string {
	return bareUrl(url).toLowerCase()
}

function links(pairs: [label: string, url: string][]): LinkView[] {
	return pairs.map(([label, url]) => ({ label, url: webUrl(url) })).filter(({ url }) => url !== '')
}

/** The paragraphs of a plain text: parts with an empty line between them. */
export function paragraphs(text: string): string[] {
	return text
		.split(/\n\s*\n/)
		.map((part) => part.trim())
		.filter(Boolean)
}
