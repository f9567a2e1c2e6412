import type { z } from 'zod'
import { requireOwner, requireProfileWriter } from '~/features/members/members.server.ts'
import { canonicalSkill } from '~/features/members/skills.server.ts'
import {
	deleteItem,
	type ItemTable,
	listCertificateRows,
	listExperienceRows,
	listProjectRows,
	lockProfile,
} from '~/features/profiles/profiles.queries.server.ts'
import {
	type CertificateView,
	type ExperienceView,
	type ProjectView,
	presentCertificate,
	presentExperience,
	presentProject,
} from '~/features/profiles/profiles.view.ts'
import { lockTermsShared } from '~/features/terms/terms.queries.server.ts'
import { Invalid, NoSuch } from '~/lib/errors.ts'
import type { Viewer } from '~/lib/viewer.ts'
import { db, type Executor } from '~/platform/db/db.server.ts'
import {
	type Input,
	isSameAsStored,
	parseInput,
	requireSameAsStored,
	requireVersion,
} from '~/platform/http/form.server.ts'
import type { FormValues, SavedValues } from '~/platform/http/form.ts'
import { requireOwnPicture, saveAs } from './editing.server.ts'
import {
	countItems,
	findCertificate,
	findProject,
	insertCertificate,
	insertProject,
	listCertificatesToEdit,
	listProjectsToEdit,
	updateCertificate,
	updateProject,
} from './items.queries.server.ts'
import { findExperience, insertExperience, updateExperience } from './lists.queries.server.ts'
import { profileLimits } from './profile.limits.ts'
import {
	certificateInput,
	type ExperienceInput,
	experienceInput,
	type ProjectInput,
	projectInput,
	type StoredCertificate,
} from './profile.schema.ts'

/** What differs between the kinds of items: reading, adding, replacing and the form. */
interface ItemKind<Fields extends object> {
	table: ItemTable
	one: string
	many: string
	schema: z.ZodType<Fields>
	picture?: { kind: 'certificate' | 'project'; field: string; of: (fields: Fields) => string | null }
	find: (userId: number, id: string, executor?: Executor) => Promise<(Fields & { version: number }) | undefined>
	list: (userId: number, executor: Executor) => Promise<(Fields & { version: number })[]>
	insert: (trx: Executor, userId: number, fields: Fields) => Promise<void>
	update: (trx: Executor, userId: number, id: string, version: number, fields: Fields) => Promise<boolean>
	texts: (fields: Fields) => FormValues
	/** Normalizes the fields before they are stored. */
	tidy?: (fields: Fields) => Fields
	/** Locks what has to be locked before the member. */
	lock?: (trx: Executor) => Promise<void>
}

const certificate: ItemKind<StoredCertificate> = {
	table: 'certificates',
	one: 'certificate',
	many: 'certificates',
	schema: certificateInput,
	picture: { kind: 'certificate', field: 'certificate_image', of: (fields) => fields.certificate_image },
	find: findCertificate,
	list: listCertificatesToEdit,
	insert: insertCertificate,
	update: updateCertificate,
	texts: (fields) => ({
		certificate_title: fields.certificate_title,
		certificate_url: fields.certificate_url,
		certificate_image: fields.certificate_image ?? '',
		certificate_issue_date: fields.certificate_issue_date ?? '',
		certificate_expire_date: fields.certificate_expire_date ?? '',
		credential_verification_link: fields.credential_verification_link,
	}),
}

const project: ItemKind<ProjectInput> = {
	table: 'projects',
	one: 'project',
	many: 'projects',
	schema: projectInput,
	picture: { kind: 'project', field: 'project_image', of: (fields) => fields.project_image },
	find: findProject,
	list: listProjectsToEdit,
	insert: insertProject,
	update: updateProject,
	tidy: (fields) => ({ ...fields, project_tech_stack: [...new Set(fields.project_tech_stack.map(canonicalSkill))] }),
	lock: lockTermsShared,
	texts: (fields) => ({
		project_title: fields.project_title,
		project_description: fields.project_description,
		project_image: fields.project_image ?? '',
		project_tech_stack: fields.project_tech_stack.join(', '),
		project_date: fields.project_date ?? '',
		project_source_code_link: fields.project_source_code_link,
		project_deployment_link: fields.project_deployment_link,
		project_demo_link: fields.project_demo_link,
	}),
}

const experience: ItemKind<ExperienceInput> = {
	table: 'experiences',
	one: 'entry',
	many: 'studies and experiences',
	schema: experienceInput,
	find: findExperience,
	list: (userId, executor) => listExperienceRows(userId, 'whole', executor),
	insert: insertExperience,
	update: updateExperience,
	texts: (fields) => ({ ...fields, starts: fields.starts ?? '', ends: fields.ends ?? '' }),
}

/** The viewer's certificates, for their list. @throws NotAllowed */
export async function listCertificates(viewer: Viewer, username: string): Promise<CertificateView[]> {
	const rows = await listCertificateRows(requireOwner(viewer, username).id, 'whole')
	return rows.map(presentCertificate)
}

/** The viewer's projects, for their list. @throws NotAllowed */
export async function listProjects(viewer: Viewer, username: string): Promise<ProjectView[]> {
	const rows = await listProjectRows(requireOwner(viewer, username).id, 'whole')
	return rows.map(presentProject)
}

/** The viewer's education, work and volunteering, for their list. @throws NotAllowed */
export async function listExperiences(viewer: Viewer, username: string): Promise<ExperienceView[]> {
	const rows = await listExperienceRows(requireOwner(viewer, username).id, 'whole')
	return rows.map(presentExperience)
}

/** The form values of a certificate of the viewer. @throws NotAllowed, NotFound */
export const getCertificate = reader(certificate)
/** Adds a certificate to the viewer's profile, unless it has the very same one. @throws NotAllowed, Invalid */
export const addCertificate = adder(certificate)
/** Replaces a certificate of the viewer. @throws NotAllowed, NotFound, Invalid, EditConflict */
export const saveCertificate = replacer(certificate)
/** Deletes a certificate of the viewer. @throws NotAllowed, NotFound */
export const deleteCertificate = deleter(certificate)

/** The form values of a project of the viewer. @throws NotAllowed, NotFound */
export const getProject = reader(project)
/** Adds a project to the viewer's profile, unless it has the very same one. @throws NotAllowed, Invalid */
export const addProject = adder(project)
/** Replaces a project of the viewer. @throws NotAllowed, NotFound, Invalid, EditConflict */
export const saveProject = replacer(project)
/** Deletes a project of the viewer. @throws NotAllowed, NotFound */
export const deleteProject = deleter(project)

/** The form values of an entry of the viewer. @throws NotAllowed, NotFound */
export const getExperience = reader(experience)
/** Adds an education, work or volunteering to the viewer's profile, unless it has the very same one. @throws NotAllowed, Invalid */
export const addExperience = adder(experience)
/** Replaces an entry of the viewer. @throws NotAllowed, NotFound, Invalid, EditConflict */
export const saveExperience = replacer(experience)
/** Deletes an entry of the viewer. @throws NotAllowed, NotFound */
export const deleteExperience = deleter(experience)

/** @throws Invalid if the picture of an item does not belong to the member */
async function checkItemPicture<Fields extends object>(
	trx: Executor,
	userId: number,
	{ picture }: ItemKind<Fields>,
	fields: Fields,
): Promise<void> {
	if (picture) await requireOwnPicture(trx, userId, picture.kind, picture.field, picture.of(fields))
}

function parseFields<Fields extends object>({ schema, tidy }: ItemKind<Fields>, input: Input): Fields {
	const fields = parseInput(schema, input)
	return tidy ? tidy(fields) : fields
}

function reader<Fields extends object>(kind: ItemKind<Fields>) {
	return async (viewer: Viewer, username: string, id: string): Promise<SavedValues> => {
		const { id: userId } = requireOwner(viewer, username)
		return requireItemValues(kind, await kind.find(userId, requireItemId(kind, id)))
	}
}

function adder<Fields extends object>(kind: ItemKind<Fields>) {
	return async (viewer: Viewer, username: string, input: Input): Promise<void> => {
		const member = await requireProfileWriter(viewer, username)
		const { id: userId } = member
		const fields = parseFields(kind, input)
		await saveAs(member, async (trx) => {
			await kind.lock?.(trx)
			const { items } = profileLimits
			const count = await countItems(trx, kind.table, userId)
			// The same form once more, as after a response that was lost.
			const present = await kind.list(userId, trx)
			if (present.some((row) => isSameAsStored(requireItemValues(kind, row), fields))) return
			if (count >= items) throw new Invalid(`A profile has at most ${items} ${kind.many}.`)
			await checkItemPicture(trx, userId, kind, fields)
			await kind.insert(trx, userId, fields)
		})
	}
}

function replacer<Fields extends object>(kind: ItemKind<Fields>) {
	return async (viewer: Viewer, username: string, id: string, input: Input): Promise<void> => {
		const member = await requireProfileWriter(viewer, username)
		const { id: userId } = member
		const key = requireItemId(kind, id)
		const version = requireVersion(input)
		const fields = parseFields(kind, input)
		await saveAs(member, async (trx) => {
			await kind.lock?.(trx)
			await lockProfile(trx, userId)
			await checkItemPicture(trx, userId, kind, fields)
			if (await kind.update(trx, userId, key, version, fields)) return
			requireSameAsStored(requireItemValues(kind, await kind.find(userId, key, trx)), fields)
		})
	}
}

function deleter<Fields extends object>(kind: ItemKind<Fields>) {
	return async (viewer: Viewer, username: string, id: string): Promise<void> => {
		// Suspended members may delete their own items.
		const { id: userId } = requireOwner(viewer, username)
		const key = requireItemId(kind, id)
		const isDeleted = await db()
			.transaction()
			.execute(async (trx) => {
				await lockProfile(trx, userId)
				return deleteItem(trx, kind.table, userId, key)
			})
		if (!isDeleted) throw new NoSuch(kind.one)
	}
}

function requireItemValues<Fields extends object>(
	kind: ItemKind<Fields>,
	row: (Fields & { version: number }) | undefined,
): SavedValues {
	if (!row) throw new NoSuch(kind.one)
	return { version: row.version, values: kind.texts(row) }
}

function requireItemId<Fields extends object>(kind: ItemKind<Fields>, id: string): string {
	if (!/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(id)) throw new NoSuch(kind.one)
	return id.toLowerCase()
}
