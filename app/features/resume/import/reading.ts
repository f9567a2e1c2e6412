import type { z } from 'zod'
import { levelNames } from '~/features/evidence/evidence.view.ts'
import { profileLimits as limits } from '~/features/profile-editor/profile.limits.ts'
import {
	type AcademicsInput,
	academicsInput,
	certificateInput,
	type ExperienceInput,
	experienceInput,
	isValidPeriod,
	type ProjectInput,
	personalInput,
	projectInput,
	type Site,
	type SocialInput,
	type StoredCertificate,
	siteOfAddress,
	socialInput,
} from '~/features/profile-editor/profile.schema.ts'
import { pluralize } from '~/lib/text.ts'
import { isEmptyValue, networks, type ResumePersonal } from '../resume.view.ts'
import type { ParsedResume } from './document.ts'

/** The contents of a document, validated by the schemas of the edit forms. Missing fields are omitted. */
export interface ResumeContents {
	/** The address in the document, which is never imported; '' without one. */
	email: string
	personal: Partial<ResumePersonal>
	academics: Partial<AcademicsInput>
	social: Partial<SocialInput>
	experiences: ResumeExperience[]
	certificates: ResumeCertificate[]
	projects: ResumeProject[]
}

export type ResumeCertificate = Partial<StoredCertificate> & Pick<StoredCertificate, 'certificate_title'>
export type ResumeExperience = Partial<ExperienceInput> & Pick<ExperienceInput, 'kind' | 'organisation'>
export type ResumeProject = Partial<ProjectInput> & Pick<ProjectInput, 'project_title'>

/** Reads the contents of a document, and lists what a profile cannot store. */
export function fromResume(document: ParsedResume): { found: ResumeContents; unsaved: UnsavedField[] } {
	const reader = new FieldReader()
	const { $schema: _, basics, education, work, volunteer, certificates, skills, projects, meta, ...rest } = document
	reader.leave(rest, '')
	const own = meta?.devquad ?? {}
	const { personal_details, academics, certificates: ownCertificates, projects: ownProjects, ...ownLists } = own
	const { education: ownEducation, ...ownRest } = ownLists
	reader.leave(ownRest, 'meta.devquad')
	const current = currentStudy(education ?? [], ownEducation ?? [])
	const personal = readPersonal(reader, basics ?? {}, personal_details ?? {})
	return {
		found: {
			email: typeof basics?.email === 'string' ? basics.email : '',
			personal: { ...personal, ...readSkills(reader, skills ?? []) },
			academics: readAcademics(reader, education ?? [], current, academics ?? {}),
			experiences: [
				...readEducation(reader, education ?? [], current, ownEducation ?? []),
				...readPositions(reader, 'work', 'name', work ?? []),
				...readPositions(reader, 'volunteer', 'organization', volunteer ?? []),
			],
			social: readSocial(reader, basics ?? {}),
			certificates: readCertificates(reader, certificates ?? [], ownCertificates ?? []),
			projects: readProjects(reader, projects ?? [], ownProjects ?? []),
		},
		unsaved: reader.unsaved,
	}
}

function readPersonal(
	reader: FieldReader,
	basics: NonNullable<ParsedResume['basics']>,
	own: JsonObject,
): Partial<ResumePersonal> {
	const { name, label, image, email: _, phone, url: __, summary, location, profiles: ___, ...rest } = basics
	const { city, ...elsewhere } = location ?? {}
	const { username: ____, profile_url, open_to, ...ownRest } = own
	reader.leave(rest, 'basics')
	reader.leave(elsewhere, 'basics.location')
	reader.leave(ownRest, 'meta.devquad.personal_details')
	if (!isEmptyValue(image) && isEmptyValue(profile_url))
		reader.note('basics.image', 'Pictures cannot be imported: upload it here.')
	return reader.fields<ResumePersonal>(personalInput.shape, {
		fullName: { value: name, path: 'basics.name' },
		expertise_in: { value: label, path: 'basics.label' },
		phone: { value: phone, path: 'basics.phone' },
		about: { value: summary, path: 'basics.summary' },
		city: { value: city, path: 'basics.location.city' },
		open_to: { value: open_to, path: 'meta.devquad.personal_details.open_to' },
		profile_url: { value: profile_url, path: 'basics.image' },
	})
}

/** Skills and their keywords as one list, up to a profile's limit. */
function readSkills(reader: FieldReader, skills: NonNullable<ParsedResume['skills']>): { skills?: string[] } {
	const names = new Map<string, string>()
	for (const [index, skill] of skills.entries()) {
		const { name, keywords, level, ...rest } = typeof skill === 'string' ? { name: skill } : (skill as JsonObject)
		const path = `skills[${index}]`
		// Levels are derived from evidence, so an export loses nothing without them.
		reader.leave(Object.values<unknown>(levelNames).includes(level) ? rest : { level, ...rest }, path)
		for (const text of [name, ...(Array.isArray(keywords) ? keywords : [])]) {
			if (isEmptyValue(text)) continue
			const parsed = personalInput.shape.skills.safeParse(text)
			if (!parsed.success) reader.note(path, parsed.error.issues[0]?.message ?? noSuchField)
			for (const one of parsed.data ?? []) if (!names.has(one.toLowerCase())) names.set(one.toLowerCase(), one)
		}
	}
	const list = [...names.values()]
	const over = list.slice(limits.skills).join(', ')
	if (over) reader.note('skills', `A profile has at most ${limits.skills} skills. Left out: ${over.slice(0, 200)}`)
	return list.length === 0 ? {} : { skills: list.slice(0, limits.skills) }
}

/**
 * The current education: the one that an export of this site marks, or else the one that ends last or has no end.
 * @returns its index, or -1
 */
function currentStudy(education: JsonObject[], own: JsonObject[]): number {
	if (own.length > 0) return own.findIndex(({ current }) => current === true)
	const endOf = (entry: JsonObject) => (isEmptyValue(entry.endDate) ? '9999' : String(entry.endDate))
	return education.reduce<number>(
		(best, entry, index) => (index > 0 && endOf(entry) > endOf(education[best] ?? {}) ? index : best),
		0,
	)
}

function readAcademics(
	reader: FieldReader,
	education: JsonObject[],
	current: number,
	own: JsonObject,
): Partial<AcademicsInput> {
	const { institution, area, studyType, endDate, ...rest } = education[current] ?? {}
	const path = `education[${current}]`
	reader.leave(isEmptyValue(area) ? rest : { studyType, ...rest }, path)
	const { location, current_semester, current_year, enrolment_number, university_email, ...ownRest } = own
	reader.leave(ownRest, 'meta.devquad.academics')
	const at = (value: unknown, key: string) => ({ value, path: `meta.devquad.academics.${key}` })
	return reader.fields<AcademicsInput>(academicsInput.shape, {
		university_name: { value: institution, path: `${path}.institution` },
		enrol_in_branch_name: { value: isEmptyValue(area) ? studyType : area, path: `${path}.area` },
		year_of_passing: { value: yearOf(endDate), path: `${path}.endDate` },
		location: at(location, 'location'),
		current_semester: at(current_semester, 'current_semester'),
		current_year: at(current_year, 'current_year'),
		enrolment_number: at(enrolment_number, 'enrolment_number'),
		university_email: at(university_email, 'university_email'),
	})
}

/** All education except the current one. */
function readEducation(
	reader: FieldReader,
	education: JsonObject[],
	current: number,
	own: JsonObject[],
): ResumeExperience[] {
	const extras = new Extras(own, 'institution')
	return education.flatMap((entry, index) => {
		if (index === current) return []
		const { institution, url, area, studyType, startDate, endDate, ...rest } = entry
		const { summary } = extras.of(index, institution)
		const path = `education[${index}]`
		reader.leave(rest, path)
		return readExperience(reader, path, 'education', {
			organisation: { value: institution, path: `${path}.institution` },
			title: { value: area, path: `${path}.area` },
			degree: { value: studyType, path: `${path}.studyType` },
			url: { value: url, path: `${path}.url` },
			starts: { value: withoutTime(startDate), path: `${path}.startDate` },
			ends: { value: withoutTime(endDate), path: `${path}.endDate` },
			summary: { value: summary, path: `meta.devquad.${path}.summary` },
		})
	})
}

/** Work, or volunteering. @param where the field that names the organisation */
function readPositions(
	reader: FieldReader,
	kind: 'work' | 'volunteer',
	where: 'name' | 'organization',
	entries: JsonObject[],
): ResumeExperience[] {
	return entries.flatMap(
		({ [where]: name, position, url, startDate, endDate, summary, highlights, ...rest }, index) => {
			const path = `${kind}[${index}]`
			reader.leave(rest, path)
			return readExperience(reader, path, kind, {
				organisation: { value: name, path: `${path}.${where}` },
				title: { value: position, path: `${path}.position` },
				url: { value: url, path: `${path}.url` },
				starts: { value: withoutTime(startDate), path: `${path}.startDate` },
				ends: { value: withoutTime(endDate), path: `${path}.endDate` },
				summary: { value: withHighlights(summary, highlights), path: `${path}.summary` },
			})
		},
	)
}

function readExperience(
	reader: FieldReader,
	path: string,
	kind: ExperienceInput['kind'],
	said: DocumentFields,
): ResumeExperience[] {
	const { organisation, ...fields } = reader.fields<ExperienceInput>(experienceInput.shape, said)
	const { starts, ends } = fields
	if (!organisation) {
		reader.note(path, 'Say where it is or was.')
		return []
	}
	if (!isValidPeriod(starts, ends)) {
		delete fields.ends
		reader.note(`${path}.endDate`, 'It cannot end before it began.')
	}
	return [{ kind, organisation, ...fields }]
}

function readSocial(reader: FieldReader, basics: NonNullable<ParsedResume['basics']>): Partial<SocialInput> {
	const said: DocumentFields = { portfolio: { value: basics.url, path: 'basics.url' } }
	for (const [index, { network, username, url, ...rest }] of (basics.profiles ?? []).entries()) {
		const path = `basics.profiles[${index}]`
		const site = siteOf(network, url)
		if (!site) reader.note(path, 'A profile cannot link to this site.')
		else if (said[site]) reader.note(path, 'A profile has one address for each site: the first one.')
		else said[site] = { value: isEmptyValue(url) ? username : url, path }
		reader.leave(rest, path)
	}
	return reader.fields<SocialInput>(socialInput.shape, said)
}

function siteOf(network: unknown, url: unknown): Site | null {
	const plain = String(network ?? '')
		.toLowerCase()
		.replace(/[^a-z]/g, '')
		.replace(/^gfg$|^geeksforgeek$/, 'geeksforgeeks')
	const named = Object.entries(networks).find(([, name]) => name.toLowerCase() === plain)?.[0] as Site | undefined
	return named ?? (typeof url === 'string' ? siteOfAddress(url) : null)
}

function readCertificates(reader: FieldReader, entries: JsonObject[], own: JsonObject[]): ResumeCertificate[] {
	const extras = new Extras(own, 'certificate_title')
	return entries.flatMap(({ name, date, url, ...rest }, index) => {
		const path = `certificates[${index}]`
		reader.leave(rest, path)
		const { certificate_title: _, ...more } = extras.of(index, name)
		const linked = !isEmptyValue(more.credential_verification_link) || !isEmptyValue(more.certificate_url)
		const fields = reader.fields<StoredCertificate>(certificateInput.shape, {
			certificate_title: { value: name, path: `${path}.name` },
			certificate_issue_date: { value: dayOf(date), path: `${path}.date` },
			...documentFields(linked ? more : { ...more, credential_verification_link: url }, path),
		})
		const { certificate_issue_date: from, certificate_expire_date: to } = fields
		if (from && to && from > to) {
			delete fields.certificate_expire_date
			reader.note(`${path}.certificate_expire_date`, 'A certificate cannot expire before it was issued.')
		}
		return titled(reader, path, 'certificate', fields.certificate_title, fields)
	}) as ResumeCertificate[]
}

function readProjects(reader: FieldReader, entries: JsonObject[], own: JsonObject[]): ResumeProject[] {
	const extras = new Extras(own, 'project_title')
	return entries.flatMap(({ name, description, highlights, keywords, startDate, endDate, url, ...rest }, index) => {
		const path = `projects[${index}]`
		// A project has one date.
		reader.leave(isEmptyValue(endDate) ? rest : { startDate, ...rest }, path)
		const { project_title: _, project_source_code, ...more } = extras.of(index, name)
		if (isEmptyValue(more.project_source_code_link)) more.project_source_code_link = project_source_code
		const named = ['project_source_code_link', 'project_deployment_link', 'project_demo_link']
		const linked = named.some((link) => !isEmptyValue(more[link]))
		const link = isSource(url) ? 'project_source_code_link' : 'project_deployment_link'
		const fields = reader.fields<ProjectInput>(projectInput.shape, {
			project_title: { value: name, path: `${path}.name` },
			project_description: { value: withHighlights(description, highlights), path: `${path}.description` },
			project_tech_stack: { value: keywords, path: `${path}.keywords` },
			project_date: { value: dayOf(isEmptyValue(endDate) ? startDate : endDate), path: `${path}.endDate` },
			...documentFields(linked ? more : { ...more, [link]: url }, path),
		})
		return titled(reader, path, 'project', fields.project_title, fields)
	}) as ResumeProject[]
}

/** The item as a list of one; empty without a title. */
function titled(reader: FieldReader, path: string, what: string, title: string | undefined, fields: object): object[] {
	if (title) return [fields]
	reader.note(path, `A ${what} needs a title!`)
	return []
}

/** JSON Resume allows a year, a month or a day; a profile stores the first day of it. */
function dayOf(date: unknown): unknown {
	if (typeof date !== 'string') return date
	if (/^\d{4}$/.test(date)) return `${date}-01-01`
	return /^\d{4}-\d\d$/.test(date) ? `${date}-01` : withoutTime(date)
}

/** The day of a date with a time, which some programs write. */
function withoutTime(date: unknown): unknown {
	return typeof date === 'string' ? date.replace(/^(\d{4}-\d\d-\d\d)T.*$/, '$1') : date
}

function yearOf(date: unknown): unknown {
	return typeof date === 'string' ? (/^\d{4}(?=-|$)/.exec(date)?.[0] ?? date) : date
}

function withHighlights(description: unknown, highlights: unknown): unknown {
	const lines = Array.isArray(highlights) ? highlights.filter((line) => typeof line === 'string') : []
	if (lines.length === 0 || !(isEmptyValue(description) || typeof description === 'string')) return description
	return [description, lines.map((line) => `- ${line}`).join('\n')].filter(Boolean).join('\n\n')
}

function isSource(url: unknown): boolean {
	return (
		typeof url === 'string' && /^https?:\/\/([a-z0-9-]+\.)*(github|gitlab|codeberg|bitbucket)\.(com|org)\//i.test(url)
	)
}

/** A part of a document that a profile cannot store: its path, and why. */
export interface UnsavedField {
	path: string
	reason: string
}

export type JsonObject = Record<string, unknown>
/** Field names with their values and paths in the document. */
export type DocumentFields = Record<string, { value: unknown; path: string }>
type Shape = Record<string, z.ZodType>

export const noSuchField = 'A profile does not have this field.'

/** Validates fields by a schema, and collects what is invalid. */
export class FieldReader {
	readonly unsaved: UnsavedField[] = []

	note(path: string, reason: string): void {
		this.unsaved.push({ path: path.replace(/^\./, '').slice(0, 120), reason })
	}

	/** Records everything left in an object as unsaved. */
	leave(entry: JsonObject, path: string): void {
		for (const [key, value] of Object.entries(entry)) {
			if (isEmptyValue(value)) continue
			const many = Array.isArray(value) ? ` (${pluralize(value.length, 'entry', 'entries')})` : ''
			this.note(`${path}.${key}${many}`, noSuchField)
		}
	}

	/** The valid fields that are present; invalid ones are recorded and omitted. */
	fields<Fields>(shape: Shape, said: DocumentFields): Partial<Fields> {
		const read: Record<string, unknown> = {}
		for (const [name, { value, path }] of Object.entries(said)) {
			if (isEmptyValue(value)) continue
			// A document may have a field called `constructor`.
			const parsed = Object.hasOwn(shape, name) ? shape[name]?.safeParse(value) : undefined
			if (!parsed?.success) this.note(path, parsed?.error.issues[0]?.message ?? noSuchField)
			else if (!isEmptyValue(parsed.data)) read[name] = parsed.data
		}
		return read as Partial<Fields>
	}
}

/** The extensions under meta.devquad for the items of a list: by index, or by title if items were moved. */
export class Extras {
	private readonly entries: JsonObject[]
	private readonly key: string

	constructor(entries: JsonObject[], key: string) {
		this.entries = entries
		this.key = key
	}

	of(index: number, title: unknown): JsonObject {
		const same = (entry: JsonObject | undefined) => entry !== undefined && entry[this.key] === title
		const entry = same(this.entries[index]) ? this.entries[index] : this.entries.find(same)
		return { ...entry }
	}
}

/** Fields of one object, for {@link FieldReader.fields}. */
export function documentFields(fields: JsonObject, path: string): DocumentFields {
	return Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, { value, path: `${path}.${name}` }]))
}
