import { campusOf } from '~/features/campus/campus.view.ts'
import type { SkillEvidenceView } from '~/features/evidence/evidence.view.ts'
import { isOwnProfile, maySeeEmail, maySeeHidden, maySeePhone } from '~/features/members/members.policy.ts'
import type { Studies } from '~/features/members/members.view.ts'
import { linkLabel, type Opening } from '~/features/members/self.view.ts'
import type { PictureView } from '~/features/pictures/pictures.view.ts'
import { MAX_POSTS_COUNTED } from '~/features/questions/questions.limits.ts'
import { profilePath } from '~/lib/addresses.ts'
import { monthAndYear } from '~/lib/calendar.ts'
import { bareUrl, webUrl } from '~/lib/links.ts'
import { formatNumber } from '~/lib/text.ts'
import type { Viewer } from '~/lib/viewer.ts'
import type { CertificateRow, ExperienceRow, ProfileRow, ProjectRow } from './profiles.queries.server.ts'

/* A member's profile as pages and the API show it. Empty text means "not given". */

export interface LinkView {
	label: string
	url: string
	/** Set if the member has logged in there. */
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
	/** Whether it is pinned above the others. */
	pinned: boolean
}

export interface CertificateView {
	id: string
	title: string
	image: PictureView | null
	/** `2026-11-21`, or null. */
	issued: string | null
	expires: string | null
	/** The address of the certificate itself, or ''. */
	url: string
	/** The address that verifies it, or ''. */
	verify: string
	pinned: boolean
}

export interface ExperienceView {
	id: string
	kind: ExperienceRow['kind']
	organisation: string
	/** The subject studied, or the position. */
	title: string
	/** The organisation's website, or ''. */
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
	/** When the member was last online; null while online, if they hide it, and if they never were. */
	lastSeenAt: string | null
	/** Whether this is an author of imported questions: an account without a login. */
	imported: boolean
	/** Whether it stands for members who have left; it is `imported` too. */
	former: boolean
	joinedAt: string
	city: string
	expertise: string
	/** Its plain text. */
	about: string
	/** The rendered HTML; null for a text that is shown as it is. */
	aboutHtml: string | null
	pronouns: string
	/** The current status, or ''. */
	status: string
	openTo: Opening[]
	/** The last day of their openings, `2026-11-21`; null for no end. */
	openUntil: string | null
	/** Those with evidence first, by strength. */
	skills: string[]
	/** The evidence of the skills, as far as the viewer may see it. */
	evidence: SkillEvidenceView[]
	studies: Studies
	university: string
	location: string
	yearOfPassing: number | null
	/** The university where they are a verified student, or ''. */
	campus: string
	social: LinkView[]
	/** '' unless the owner shows it, or the viewer is the owner or a moderator. */
	email: string
	phone: string
	/** Only for the owner, else ''. */
	enrolmentNumber: string
	universityEmail: string
	/** Whether others see the e-mail address and the phone number above. */
	shows: { email: boolean; phone: boolean }
	/** Set if a moderator hid the texts and the picture. `whole`: they are included here anyway, for the owner or a moderator. */
	hidden: { reason: string; whole: boolean } | null
	/** Whether search engines may index it. */
	indexed: boolean
	projects: ProjectView[]
	certificates: CertificateView[]
	/** Education other than the above, work and volunteering. */
	experiences: ExperienceView[]
}

/** The lists of a member's posts. */
export const postKinds = [
	{ kind: 'queries', label: 'Queries', own: 'My Queries' },
	{ kind: 'answers', label: 'Answers', own: 'My Answers' },
	{ kind: 'solutions', label: 'Solutions', own: 'My Solutions' },
	{ kind: 'comments', label: 'Comments', own: 'My Comments' },
] as const

/** The Atom feed of a member's posts. */
export const feedPath = (username: string) => `${profilePath(username)}/feed.atom`

export type PostKind = (typeof postKinds)[number]['kind']

export type PostCounts = Record<PostKind, number>

/** “12”, or “999+” if counting stopped there. */
export function formatPostCount(count: number): string {
	return count > MAX_POSTS_COUNTED ? `${formatNumber(MAX_POSTS_COUNTED)}+` : formatNumber(count)
}

/** The number of skills that the first steps ask for. */
export const SKILLS_WANTED = 3

/** A new member's progress in the first steps. */
export interface FirstStepsView {
	picture: boolean
	/** The number of skills, at most {@link SKILLS_WANTED}. */
	skills: number
	studies: boolean
}

/** What a list already knows of a member, passed as navigation state when their page is opened from it. */
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
 * “Open to teammates and mentoring”, “Open to teammates, mentoring and 2 more”; '' without openings.
 * @param most the maximum number that is named
 */
export function openToText(openTo: readonly string[], most = 2): string {
	const more = openTo.length - most
	const named = more > 0 ? [...openTo.slice(0, most), `${more} more`] : openTo
	if (named.length === 0) return ''
	return `Open to ${[named.slice(0, -1).join(', '), named.at(-1)].filter(Boolean).join(' and ')}`
}

/**
 * The validity of a certificate, as far as it is known: “Mar 2023 to Mar 2026, expired”. It is still valid on its last
 * day.
 * @param today in the site's time zone, `2026-11-21`
 */
export function validityText({ issued, expires }: Pick<CertificateView, 'issued' | 'expires'>, today: string): string {
	const from = monthAndYear(issued)
	if (!expires) return from && `${from}, no expiry`
	const span = from ? `${from} to ${monthAndYear(expires)}` : `until ${monthAndYear(expires)}`
	return expires < today ? `${span}, expired` : span
}

/** A member's row as this viewer may see it. */
export function presentProfile(
	viewer: Viewer,
	row: ProfileRow,
): Omit<ProfileView, 'projects' | 'certificates' | 'experiences' | 'evidence'> {
	const own = isOwnProfile(viewer, row)
	return {
		username: row.username,
		name: row.name,
		image: row.image,
		online: row.online,
		lastSeenAt: row.online ? null : (row.last_seen_at?.toISOString() ?? null),
		imported: row.imported,
		former: row.former,
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
		// An imported author's address is a placeholder.
		email: !row.imported && maySeeEmail(viewer, row) ? row.email : '',
		phone: maySeePhone(viewer, row) ? row.phone : '',
		enrolmentNumber: own ? row.enrolment_number : '',
		universityEmail: own ? row.university_email : '',
		shows: { email: row.show_email, phone: row.show_phone },
		hidden: row.hidden ? { reason: row.hidden_reason, whole: maySeeHidden(viewer, row) } : null,
		indexed: row.public_page && row.listed && !row.noindex,
	}
}

/** The view of a project. */
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

/** The view of a certificate. */
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

/** The view of an education, work or volunteering. */
export function presentExperience(row: ExperienceRow): ExperienceView {
	const { id, kind, organisation, title, degree, url, summary } = row
	return {
		id,
		kind,
		organisation,
		summary,
		url: webUrl(url),
		title: [degree, title].filter(Boolean).join(', '),
		span: spanText(row),
	}
}

/** A period, as far as it is known: “Aug 2024 to May 2025”, “since 2024”. */
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

/** Marks the links to accounts that the member has proved to own. @param proven the addresses of these accounts */
export function markProven(social: LinkView[], proven: readonly string[]): LinkView[] {
	const accounts = new Set(proven.map(accountOf))
	return social.map((link) => (accounts.has(accountOf(link.url)) ? { ...link, isProven: true } : link))
}

/** Usernames on these sites are case-insensitive. */
function accountOf(url: string): string {
	return bareUrl(url).toLowerCase()
}

function links(pairs: [label: string, url: string][]): LinkView[] {
	return pairs.map(([label, url]) => ({ label, url: webUrl(url) })).filter(({ url }) => url !== '')
}

/** The paragraphs of a plain text, which are separated by empty lines. */
export function paragraphs(text: string): string[] {
	return text
		.split(/\n\s*\n/)
		.map((part) => part.trim())
		.filter(Boolean)
}
