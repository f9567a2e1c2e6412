import type {
	AcademicsInput,
	PersonalInput,
	ProjectInput,
	Site,
	SocialInput,
	StoredCertificate,
} from '~/features/profile-editor/profile.schema.ts'
import { pictureUrl } from '~/lib/addresses.ts'

/*
 * A profile as a document of JSON Resume 1.0 (https://jsonresume.org/schema), the way out; import/reading.ts is the way in.
 * What JSON Resume has no place for stands under meta.devquad, with the field names of this site's API.
 */

/** The single fields of a profile that are about the member; whom it is shown to, and how, stays with the profile. */
export type ResumePersonal = Pick<
	PersonalInput,
	'fullName' | 'phone' | 'city' | 'expertise_in' | 'about' | 'skills' | 'open_to' | 'profile_url'
>

/** What a résumé is made of, as it is stored. Empty text and null mean "not given". */
export interface ResumeFields {
	username: string
	/** Of the account; '' when the reader may not know it. */
	email: string
	personal: ResumePersonal
	/** In words, by the names of skills: how well each is shown. */
	levels?: ReadonlyMap<string, string>
	academics: AcademicsInput
	social: SocialInput
	certificates: StoredCertificate[]
	projects: ProjectInput[]
}

/** The sites of a profile as JSON Resume names a network; a portfolio is the `url` of the basics. */
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

/** The document, without empty fields. @param publicUrl the site's address without a slash at the end */
export function toResume(
	{ username, email, personal, levels, academics, social, certificates, projects }: ResumeFields,
	publicUrl: string,
) {
	const { university_name, enrol_in_branch_name, year_of_passing, ...studies } = academics
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
			education: [
				given({
					institution: university_name,
					area: enrol_in_branch_name,
					endDate: year_of_passing === null ? '' : String(year_of_passing),
				}),
			].filter((entry) => entry !== undefined),
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
		return [{ network, username: decodeURI(new URL(url).pathname.split('/').filter(Boolean).at(-1) ?? ''), url }]
	})
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

/** The fields that hold something; undefined when none does. */
function given<Fields extends object>(fields: Fields): Partial<Fields> | undefined {
	const held = Object.entries(fields).filter(([, value]) => !isBlank(value))
	return held.length === 0 ? undefined : (Object.fromEntries(held) as Partial<Fields>)
}

/** Whether nothing is said: an empty text or list, null, or nothing at all. */
export function isBlank(value: unknown): boolean {
	return value === undefined || value === null || value === '' || (Array.isArray(value) && value.length === 0)
}
