import { experienceKindNames } from '~/features/profile-editor/profile.limits.ts'
import type { ExperienceInput, ProjectInput, StoredCertificate } from '~/features/profile-editor/profile.schema.ts'
import { isEmptyValue, type ResumeFields } from '../resume.view.ts'
import type { ResumeCertificate, ResumeContents, ResumeExperience, ResumeProject } from './reading.ts'

/** The sections of a profile whose fields an import changes one by one. */
export type FieldPart = 'personal' | 'academics' | 'social'
export type ItemPart = 'experiences' | 'certificates' | 'projects'

/** A changed field, as text: `before` is '' if it was empty. */
export interface Difference {
	field: string
	before: string
	after: string
}

/** A change that can be chosen or not as a whole. */
export interface Change {
	/** Unique within a plan: `personal.phone`, `projects.2`. */
	id: string
	part: FieldPart | ItemPart
	/** The title of an item; '' for a single field. */
	title: string
	kind: 'set' | 'add' | 'replace'
	differences: Difference[]
}

export interface StoredItem<Fields> {
	id: string
	version: number
	fields: Fields
}

/** The present profile, with the versions that detect later changes. */
export interface CurrentProfile extends Omit<ResumeFields, ItemPart> {
	versions: Record<FieldPart, number>
	experiences: StoredItem<ExperienceInput>[]
	certificates: StoredItem<StoredCertificate>[]
	projects: StoredItem<ProjectInput>[]
}

/** An item to be added, or to replace the one with this id. */
export interface PlannedItem<Fields> {
	change: string
	replaces: { id: string; version: number } | null
	fields: Fields
}

export interface ImportPlan {
	changes: Change[]
	experiences: PlannedItem<ExperienceInput>[]
	certificates: PlannedItem<StoredCertificate>[]
	projects: PlannedItem<ProjectInput>[]
}

const emptyCertificate: StoredCertificate = {
	certificate_title: '',
	certificate_url: '',
	certificate_image: null,
	certificate_issue_date: null,
	certificate_expire_date: null,
	credential_verification_link: '',
}

const emptyProject: ProjectInput = {
	project_title: '',
	project_description: '',
	project_image: null,
	project_tech_stack: [],
	project_date: null,
	project_source_code_link: '',
	project_deployment_link: '',
	project_demo_link: '',
}

const emptyExperience = {
	organisation: '',
	title: '',
	degree: '',
	url: '',
	summary: '',
	starts: null,
	ends: null,
}

/** Compares a profile with a document. An import adds and replaces; it never empties or deletes. Items are matched by title. */
export function planImport(current: CurrentProfile, found: ResumeContents): ImportPlan {
	const experiences = planItems<ExperienceInput, ResumeExperience>(
		'experiences',
		current.experiences,
		found.experiences,
		{ kind: 'education', ...emptyExperience },
		({ kind, organisation, title }) =>
			`${experienceKindNames[kind]}: ${[title, organisation].filter(Boolean).join(', ')}`,
	)
	const certificates = planItems<StoredCertificate, ResumeCertificate>(
		'certificates',
		current.certificates,
		found.certificates,
		emptyCertificate,
		(fields) => fields.certificate_title,
	)
	const projects = planItems<ProjectInput, ResumeProject>(
		'projects',
		current.projects,
		found.projects,
		emptyProject,
		(fields) => fields.project_title,
	)
	return {
		changes: [
			...planFields('personal', current.personal, found.personal),
			...planFields('academics', current.academics, found.academics),
			...planFields('social', current.social, found.social),
			...experiences.changes,
			...certificates.changes,
			...projects.changes,
		],
		experiences: experiences.items,
		certificates: certificates.items,
		projects: projects.items,
	}
}

/** The found fields whose changes were chosen. */
export function chosenFields<Fields extends object>(
	part: FieldPart,
	found: Fields,
	chosen: ReadonlySet<string>,
): Fields {
	return Object.fromEntries(Object.entries(found).filter(([field]) => chosen.has(`${part}.${field}`))) as Fields
}

function planFields(part: FieldPart, current: object, found: object): Change[] {
	return differences(current, found).map((difference) => ({
		id: `${part}.${difference.field}`,
		part,
		title: '',
		kind: 'set',
		differences: [difference],
	}))
}

function planItems<Fields extends object, Given extends Partial<Fields>>(
	part: ItemPart,
	current: StoredItem<Fields>[],
	found: Given[],
	empty: Fields,
	titleOf: (fields: Fields) => string,
): { changes: Change[]; items: PlannedItem<Fields>[] } {
	const free = [...current]
	const changes: Change[] = []
	const items: PlannedItem<Fields>[] = []
	for (const [index, given] of found.entries()) {
		const title = titleOf({ ...empty, ...given })
		const at = free.findIndex(({ fields }) => titleOf(fields).toLowerCase() === title.toLowerCase())
		const [same] = at >= 0 ? free.splice(at, 1) : []
		const changed = differences(same?.fields ?? {}, given)
		if (changed.length === 0) continue
		const id = `${part}.${index}`
		changes.push({ id, part, title, kind: same ? 'replace' : 'add', differences: changed })
		items.push({
			change: id,
			replaces: same ? { id: same.id, version: same.version } : null,
			fields: { ...(same?.fields ?? empty), ...given },
		})
	}
	return { changes, items }
}

function differences(current: object, found: object): Difference[] {
	const before = current as Record<string, unknown>
	return Object.entries(found).flatMap(([field, value]) => {
		const texts = { before: textOf(before[field]), after: textOf(value) }
		return isEmptyValue(value) || texts.before === texts.after ? [] : [{ field, ...texts }]
	})
}

function textOf(value: unknown): string {
	return Array.isArray(value) ? value.join(', ') : String(value ?? '')
}
