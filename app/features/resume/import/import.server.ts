import { createHash } from 'node:crypto'
import { requireOwner, requireProfileWriter } from '~/features/members/members.server.ts'
import { canonicalSkill, setSkills } from '~/features/members/skills.server.ts'
import { listOwnPictures } from '~/features/pictures/pictures.queries.server.ts'
import {
	type EditableRow,
	updateAcademics,
	updatePersonal,
	updateSocial,
} from '~/features/profile-editor/editing.queries.server.ts'
import { aboutHtml, requireAllowedName, requireEditable, saveAs } from '~/features/profile-editor/editing.server.ts'
import {
	insertCertificate,
	insertProject,
	listCertificatesToEdit,
	listProjectsToEdit,
	updateCertificate,
	updateProject,
} from '~/features/profile-editor/items.queries.server.ts'
import { insertExperience, updateExperience } from '~/features/profile-editor/lists.queries.server.ts'
import { profileLimits } from '~/features/profile-editor/profile.limits.ts'
import { type AcademicsInput, type SocialInput, siteNames } from '~/features/profile-editor/profile.schema.ts'
import {
	type ExperienceRow,
	ensureProfile,
	listExperienceRows,
	lockProfile,
} from '~/features/profiles/profiles.queries.server.ts'
import { lockTermsShared } from '~/features/terms/terms.queries.server.ts'
import { Conflict, Invalid } from '~/lib/errors.ts'
import type { Viewer } from '~/lib/viewer.ts'
import { ALL_PAGES, invalidatePages } from '~/platform/cache/pages.server.ts'
import type { Executor } from '~/platform/db/db.server.ts'
import { parseResume } from './document.ts'
import {
	type Change,
	type CurrentProfile,
	chosenFields,
	type ImportPlan,
	type PlannedItem,
	planImport,
} from './plan.ts'
import { fromResume, type ResumeContents, type UnsavedField } from './reading.ts'

/** The preview lists this many unsaved fields and counts the rest. */
const MAX_SHOWN = 100

/** The changes of an import, and what a profile cannot store. */
export interface ImportedResumePreview {
	changes: Change[]
	/** The first hundred. */
	unsaved: UnsavedField[]
	/** The number of further ones. */
	more: number
	/** The document without white space, to be posted with the chosen changes. */
	document: string
	/** A hash of the changes and the profile's state. */
	fingerprint: string
}

/** The profile has changed since the preview. `preview` is based on its present state. */
export class PreviewOutdated extends Conflict {
	readonly preview: ImportedResumePreview
	constructor(preview: ImportedResumePreview) {
		super('Your profile has changed since this preview. Nothing was imported. Here is a new preview.')
		this.preview = preview
	}
}

/** What a document would change in the viewer's profile. Changes nothing. @throws NotAllowed, Invalid if the text is not a résumé */
export async function previewImport(viewer: Viewer, username: string, text: string): Promise<ImportedResumePreview> {
	const { id } = requireOwner(viewer, username)
	const document = parseResume(text)
	return (await prepare(id, document)).preview
}

/**
 * Applies the chosen changes of a preview, all or none.
 * @param chosen the ids of the changes
 * @returns how many were applied
 * @throws NotAllowed, Invalid, PreviewOutdated
 */
export async function applyImport(
	viewer: Viewer,
	username: string,
	{ document, fingerprint, chosen }: { document: string; fingerprint: string; chosen: string[] },
): Promise<number> {
	const member = await requireProfileWriter(viewer, username)
	const { id } = member
	const read = parseResume(document)
	const selected = new Set(chosen)
	const changes = await saveAs(member, async (trx) => {
		await lockTermsShared(trx)
		await ensureProfile(trx, id)
		await lockProfile(trx, id)
		const { preview, plan, current, row, found } = await prepare(id, read, trx)
		if (preview.fingerprint !== fingerprint) throw new PreviewOutdated(preview)
		const made = plan.changes.filter((change) => selected.has(change.id))
		if (made.length === 0) throw new Invalid('Select what you want to import.')
		const ids = new Set(made.map((change) => change.id))
		const { fullName } = chosenFields('personal', found.personal, ids)
		if (fullName !== undefined) await requireAllowedName(member, fullName, trx)
		await applyFields(trx, id, row, found, ids)
		await applyItems(trx, id, current.experiences.length, plan.experiences, selected, experienceWriter)
		await applyItems(trx, id, current.certificates.length, plan.certificates, selected, certificateWriter)
		await applyItems(trx, id, current.projects.length, plan.projects, selected, projectWriter)
		return made.length
	})
	// Name and picture are shown with everything that the member wrote.
	await invalidatePages([ALL_PAGES])
	return changes
}

interface Prepared {
	preview: ImportedResumePreview
	plan: ImportPlan
	current: CurrentProfile
	row: EditableRow
	found: ResumeContents
}

async function prepare(id: number, document: ReturnType<typeof parseResume>, executor?: Executor): Promise<Prepared> {
	const [row, certificates, projects, experiences] = [
		await requireEditable({ id }, executor),
		await listCertificatesToEdit(id, executor),
		await listProjectsToEdit(id, executor),
		await listExperienceRows(id, 'whole', executor),
	]
	const { found, unsaved } = fromResume(document)
	if (found.personal.skills) found.personal.skills = canonical(found.personal.skills, row.skills)
	for (const project of found.projects)
		if (project.project_tech_stack) project.project_tech_stack = canonical(project.project_tech_stack, [])
	if (found.email && found.email.toLowerCase() !== row.email)
		unsaved.push({ path: 'basics.email', reason: 'An import does not change the address of an account.' })
	await leaveForeignPictures(id, found, unsaved, executor)
	const current = currentOf(row, certificates, projects, experiences)
	const plan = planImport(current, found)
	const fingerprint = createHash('sha256')
		.update(JSON.stringify([plan, current.versions]))
		.digest('base64url')
	const shown = unsaved.slice(0, MAX_SHOWN)
	const more = unsaved.length - shown.length
	return {
		preview: { changes: plan.changes, unsaved: shown, more, document: JSON.stringify(document), fingerprint },
		plan,
		current,
		row,
		found,
	}
}

/** A document may only contain pictures that belong to the member. */
async function leaveForeignPictures(
	id: number,
	found: ResumeContents,
	unsaved: UnsavedField[],
	executor?: Executor,
): Promise<void> {
	const pictureFields = [
		{ kind: 'profile', path: 'basics.image', fields: found.personal, field: 'profile_url' },
		...found.certificates.map((fields, index) => ({
			kind: 'certificate',
			path: `certificates[${index}]`,
			fields,
			field: 'certificate_image',
		})),
		...found.projects.map((fields, index) => ({
			kind: 'project',
			path: `projects[${index}]`,
			fields,
			field: 'project_image',
		})),
	].map((field) => ({ ...field, fields: field.fields as Record<string, unknown> }))
	const named = pictureFields.filter(({ fields, field }) => typeof fields[field] === 'string')
	const own = await listOwnPictures(
		id,
		named.map(({ fields, field }) => String(fields[field])),
		executor,
	)
	for (const { kind, path, fields, field } of named) {
		if (own.some((picture) => picture.kind === kind && picture.path === fields[field])) continue
		delete fields[field]
		unsaved.push({ path, reason: 'Pictures cannot be imported: upload it here.' })
	}
}

async function applyFields(
	trx: Executor,
	id: number,
	row: EditableRow,
	found: ResumeContents,
	chosen: ReadonlySet<string>,
): Promise<void> {
	const personal = chosenFields('personal', found.personal, chosen)
	const academics = chosenFields('academics', found.academics, chosen)
	const social = chosenFields('social', found.social, chosen)
	if (Object.keys(personal).length > 0) {
		const before = { ...row, fullName: row.name, profile_url: row.image }
		const about = personal.about ?? row.about
		const about_html = about === row.about ? row.about_html : await aboutHtml(about)
		await updatePersonal(trx, id, row.personal_version, { ...before, ...personal, about_html })
		if (personal.skills) await setSkills(trx, id, personal.skills)
	}
	if (Object.keys(academics).length > 0) await updateAcademics(trx, id, row.academics_version, { ...row, ...academics })
	if (Object.keys(social).length > 0) await updateSocial(trx, id, row.social_version, { ...row, ...social })
}

interface Writer<Fields> {
	many: string
	insert: (trx: Executor, userId: number, fields: Fields) => Promise<void>
	update: (trx: Executor, userId: number, id: string, version: number, fields: Fields) => Promise<boolean>
}

const experienceWriter = { many: 'studies and experiences', insert: insertExperience, update: updateExperience }
const certificateWriter = { many: 'certificates', insert: insertCertificate, update: updateCertificate }
const projectWriter = { many: 'projects', insert: insertProject, update: updateProject }

async function applyItems<Fields>(
	trx: Executor,
	userId: number,
	before: number,
	items: PlannedItem<Fields>[],
	chosen: ReadonlySet<string>,
	{ many, insert, update }: Writer<Fields>,
): Promise<void> {
	const selected = items.filter(({ change }) => chosen.has(change))
	const added = selected.filter(({ replaces }) => replaces === null).length
	const max = profileLimits.items
	if (before + added > max)
		throw new Invalid(`A profile has at most ${max} ${many}: untick ${before + added - max} of those that are added.`)
	for (const { replaces, fields } of selected) {
		if (replaces) await update(trx, userId, replaces.id, replaces.version, fields)
		else await insert(trx, userId, fields)
	}
}

function currentOf(
	row: EditableRow,
	certificates: Awaited<ReturnType<typeof listCertificatesToEdit>>,
	projects: Awaited<ReturnType<typeof listProjectsToEdit>>,
	experiences: ExperienceRow[],
): CurrentProfile {
	const { username, email, name: fullName, image: profile_url, phone, city, expertise_in, about, skills, open_to } = row
	const item = <Fields extends { id: string; version: number }>({ id, version, ...fields }: Fields) => ({
		id,
		version,
		fields,
	})
	return {
		username,
		email,
		personal: { fullName, profile_url, phone, city, expertise_in, about, skills, open_to },
		academics: row satisfies AcademicsInput,
		social: Object.fromEntries(siteNames.map((site) => [site, row[site]])) as SocialInput,
		versions: { personal: row.personal_version, academics: row.academics_version, social: row.social_version },
		certificates: certificates.map(item),
		projects: projects.map(item),
		experiences: experiences.map(item),
	}
}

/** Skills under their canonical names, without duplicates; those that the member has stay as they are. */
function canonical(skills: string[], had: string[]): string[] {
	const canonicalName = (skill: string) => (had.includes(skill) ? skill : canonicalSkill(skill))
	return [...new Map(skills.map((skill) => [canonicalName(skill).toLowerCase(), canonicalName(skill)])).values()]
}
