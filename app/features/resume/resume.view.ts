import type {
	AcademicsInput,
	ExperienceInput,
	PersonalInput,
	ProjectInput,
	Site,
	SocialInput,
	StoredCertificate,
} from '~/features/profile-editor/profile.schema.ts'
import { pictureUrl } from '~/lib/addresses.ts'

/*
 * Exports a profile as JSON Resume 1.0 (https://jsonresume.org/schema); import/reading.ts reads it. Fields without an equivalent are under
 * meta.devquad, with the names of this site's API.
 */

/** The profile's fields about the member, without those about visibility. */
export type ResumePersonal = Pick<
	PersonalInput,
	'fullName' | 'phone' | 'city' | 'expertise_in' | 'about' | 'skills' | 'open_to' | 'profile_url'
>

/** The stored data that a résumé is made from. Empty text and null mean "not given". */
export interface ResumeFields {
	username: string
	/** Of the account; '' if the reader may not see it. */
	email: string
	personal: ResumePersonal
	/** The levels in words, by the names of skills. */
	levels?: ReadonlyMap<string, string>
	academics: AcademicsInput
	social: SocialInput
	certificates: StoredCertificate[]
	projects: ProjectInput[]
	/** Education except that of `academics`, then work, then volunteering. */
	experiences: ExperienceInput[]
}

/** The profile's sites by JSON Resume's network names; a portfolio is the `url` of the basics. */
export const networks: Record<Exclude<Site, 'portfolio'>, string> = {
	github: 'GitHub',
	linkedin: 'LinkedIn',
	leetcode: 'LeetCode',
	hackerrank: 'HackerRank',
	codechef: 'CodeChef',
	geeksforgeek: 'GeeksforGeeks',
}

const schema = 'https://raw.githubusercontent.com/jsonresume/resume-schema/v1.0.0/schema.json'
const largestPortrait = 512

/** The document, without empty fields. @param publicUrl the site's origin without a trailing slash */
export function toResume(
	{ username, email, personal, levels, academics, social, certificates, projects, experiences }: ResumeFields,
	publicUrl: string,
) {
	const { university_name, enrol_in_branch_name, year_of_passing, ...studies } = academics
	const current = given({
		institution: university_name,
		area: enrol_in_branch_name,
		endDate: year_of_passing === null ? '' : String(year_of_passing),
	})
	const earlier = experiences.filter(({ kind }) => kind === 'education')
	return {
		$schema: schema,
		...given({
			basics: given({
				name: personal.fullName,
				label: personal.expertise_in,
				image: personal.profile_url && publicUrl + pictureUrl(personal.profile_url, largestPortrait),
				email,
				phone: personal.phone,
				url: social.portfolio,
				summary: personal.about,
				location: given({ city: personal.city }),
				profiles: siteProfiles(social),
			}),
			work: experiences.filter(({ kind }) => kind === 'work').map(workEntry),
			volunteer: experiences.filter(({ kind }) => kind === 'volunteer').map(volunteerEntry),
			education: [...(current ? [current] : []), ...earlier.map(educationEntry)],
			certificates: certificates.map(certificateEntry),
			skills: personal.skills.map((name) => {
				const level = levels?.get(name)
				return level === undefined ? { name } : { name, level }
			}),
			projects: projects.map(projectEntry),
			meta: given({
				canonical: `${publicUrl}/find-dev/${username}.json`,
				version: 'v1.0.0',
				devquad: given({
					personal_details: given({ username, profile_url: personal.profile_url, open_to: personal.open_to }),
					academics: given(studies),
					education: earlier.length > 0 && [
						...(current ? [{ ...(university_name && { institution: university_name }), current: true }] : []),
						...earlier.map(({ organisation, summary }) => given({ institution: organisation, summary })),
					],
					certificates: certificates.map(({ certificate_issue_date: _, ...rest }) => given(rest)),
					projects: projects.map(({ project_description: _, project_tech_stack: __, project_date: ___, ...rest }) =>
						given(rest),
					),
				}),
			}),
		}),
	}
}

export type ResumeDocument = ReturnType<typeof toResume>

function siteProfiles(social: SocialInput) {
	return Object.entries(networks).flatMap(([site, network]) => {
		const url = social[site as Site]
		if (!url) return []
		return [{ network, username: handleOf(url), url }]
	})
}

/** The last part of an address, decoded unless its encoding is broken: browsers open such an address, so members may link to it. */
function handleOf(url: string): string {
	const handle = new URL(url).pathname.split('/').filter(Boolean).at(-1) ?? ''
	try {
		return decodeURI(handle)
	} catch {
		return handle
	}
}

function educationEntry({ organisation, title, degree, url, starts, ends }: ExperienceInput) {
	return given({
		institution: organisation,
		url,
		area: title,
		studyType: degree,
		startDate: starts,
		endDate: ends,
	})
}

function workEntry({ organisation, ...experience }: ExperienceInput) {
	return { name: organisation, ...positionOf(experience) }
}

function volunteerEntry({ organisation, ...experience }: ExperienceInput) {
	return { organization: organisation, ...positionOf(experience) }
}

function positionOf({ title, url, starts, ends, summary }: Omit<ExperienceInput, 'organisation'>) {
	return given({ position: title, url, startDate: starts, endDate: ends, summary })
}

function certificateEntry(certificate: StoredCertificate) {
	return given({
		name: certificate.certificate_title,
		date: certificate.certificate_issue_date,
		url: certificate.credential_verification_link || certificate.certificate_url,
	})
}

function projectEntry(project: ProjectInput) {
	return given({
		name: project.project_title,
		description: project.project_description,
		keywords: project.project_tech_stack,
		endDate: project.project_date,
		url: project.project_deployment_link || project.project_demo_link || project.project_source_code_link,
	})
}

/** The non-empty fields; undefined without any. */
function given<Fields extends object>(fields: Fields): Partial<Fields> | undefined {
	const filled = Object.entries(fields).filter(([, value]) => !isEmptyValue(value))
	return filled.length === 0 ? undefined : (Object.fromEntries(filled) as Partial<Fields>)
}

/** Whether a value is an empty text or list, null or undefined. */
export function isEmptyValue(value: unknown): boolean {
	return (
		value === undefined ||
		value === null ||
		value === false ||
		value === '' ||
		(Array.isArray(value) && value.length === 0)
	)
}
