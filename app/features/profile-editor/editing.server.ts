import { requireNoImpersonation } from '~/features/accounts/registration/names.server.ts'
import { lockMayWrite, requireOwner, requireProfileWriter } from '~/features/members/members.server.ts'
import { normalizeSkills, setSkills } from '~/features/members/skills.server.ts'
import { ensureProfile } from '~/features/profiles/profiles.queries.server.ts'
import { lockTermsShared } from '~/features/terms/terms.queries.server.ts'
import { siteDay } from '~/lib/calendar.ts'
import { Invalid, NotFound } from '~/lib/errors.ts'
import { isModerator, type SignedIn, type Viewer } from '~/lib/viewer.ts'
import { ALL_PAGES, invalidatePages } from '~/platform/cache/pages.server.ts'
import { db, type Executor } from '~/platform/db/db.server.ts'
import { fieldText, type Input, parseInput, requireSameAsStored, requireVersion } from '~/platform/http/form.server.ts'
import type { FormValues, SavedValues } from '~/platform/http/form.ts'
import { renderMarkdown } from '~/platform/markdown/render.server.ts'
import { hidePresence } from '~/platform/realtime/presence.server.ts'
import {
	clearExpiredFields,
	type EditableRow,
	findEditable,
	ownsPicture,
	updateAcademics,
	updatePersonal,
	updatePicture,
	updateSocial,
} from './editing.queries.server.ts'
import { type Audience, type AudienceField, profileLimits, profileSections, type Section } from './profile.limits.ts'
import { academicsInput, type PersonalInput, personalInput, siteNames, socialInput } from './profile.schema.ts'

/*
 * Editing the single fields of a profile; certificates and projects are in items.server.ts. Each use case checks the policy, then the
 * input, then runs one transaction. A save names the version it is based on.
 */

/** The values of the personal form, and the address that it shows. @throws NotAllowed, NotFound */
export async function getPersonal(viewer: Viewer, username: string): Promise<SavedValues & { email: string }> {
	const row = await requireEditable(requireOwner(viewer, username))
	return { ...personalValues(row), email: row.email }
}

/** Saves the personal form. @param input without `profile_url` the picture is unchanged @throws NotAllowed, Invalid, EditConflict */
export async function savePersonal(viewer: Viewer, username: string, input: Input): Promise<void> {
	const member = await requireProfileWriter(viewer, username)
	const { id } = member
	const version = requireVersion(input)
	const { profile_url, ...others } = withStatusEnd(parseInput(personalInput, input))
	const fields = 'profile_url' in input ? { ...others, profile_url } : others
	const about_html = await aboutHtml(fields.about)
	await requireAllowedName(member, fields.fullName)
	await saveAs(member, async (trx) => {
		await lockTermsShared(trx)
		await ensureProfile(trx, id)
		await requireOwnPicture(trx, id, 'profile', 'profile_url', 'profile_url' in input ? profile_url : null)
		if (!(await updatePersonal(trx, id, version, { ...fields, ...sectionsOf(fields), about_html }))) {
			const skills = await normalizeSkills(trx, fields.skills)
			return requireSameAsStored(personalValues(await requireEditable({ id }, trx)), { ...fields, skills })
		}
		await setSkills(trx, id, fields.skills)
	})
	// Name and picture are shown with everything that the member wrote.
	await invalidatePages([ALL_PAGES])
	if (!fields.show_presence) await hidePresence(member)
}

/** A status without an end lasts a week. */
function withStatusEnd(fields: PersonalInput): PersonalInput {
	if (fields.status_line === '') return { ...fields, status_until: null }
	const week = siteDay(Date.now() + profileLimits.statusDays * 86_400_000)
	return { ...fields, status_until: fields.status_until ?? week }
}

/** Clears expired openings and statuses; runs every hour. */
export async function clearExpired(): Promise<void> {
	await clearExpiredFields()
	// Lists show openings.
	await invalidatePages([ALL_PAGES])
}

/** Renders “About”; null for none. */
export async function aboutHtml(about: string): Promise<string | null> {
	return about === '' ? null : (await renderMarkdown(about)).html
}

/** The visibility of sections, as it is stored. */
function sectionsOf(fields: Pick<PersonalInput, AudienceField>): Pick<EditableRow, 'only_me' | 'public_sections'> {
	const of = (audience: Audience) => profileSections.filter((section) => fields[`see_${section}`] === audience)
	return { only_me: of('me'), public_sections: of('everybody') }
}

function audienceValues({ only_me, public_sections }: EditableRow): FormValues {
	const audienceOf = (section: Section): Audience =>
		only_me.includes(section) ? 'me' : public_sections.includes(section) ? 'everybody' : 'members'
	return Object.fromEntries(profileSections.map((section) => [`see_${section}`, audienceOf(section)]))
}

/**
 * Saves the profile picture at once; open forms keep their version.
 * @param path of a picture that the member uploaded; null removes the present one
 * @throws NotAllowed, TooManyRequests, Invalid if the picture is gone
 */
export async function savePicture(viewer: Viewer, username: string, path: string | null): Promise<void> {
	const member = await requireProfileWriter(viewer, username)
	const { id } = member
	await saveAs(member, async (trx) => {
		await ensureProfile(trx, id)
		await requireOwnPicture(trx, id, 'profile', 'profile_url', path)
		await updatePicture(trx, id, path)
	})
	// It is shown with everything that the member wrote.
	await invalidatePages([ALL_PAGES])
}

/** The values of the academics form. @throws NotAllowed, NotFound */
export async function getAcademics(viewer: Viewer, username: string): Promise<SavedValues> {
	return academicsValues(await requireEditable(requireOwner(viewer, username)))
}

/** @returns the university address, if it is new and has to be confirmed @throws NotAllowed, Invalid, EditConflict */
export async function saveAcademics(viewer: Viewer, username: string, input: Input): Promise<string | null> {
	const member = await requireProfileWriter(viewer, username)
	const { id } = member
	const version = requireVersion(input)
	const fields = parseInput(academicsInput, input)
	const address = await saveAs(member, async (trx) => {
		await ensureProfile(trx, id)
		const { saved, newAddress } = await updateAcademics(trx, id, version, fields)
		if (!saved) requireSameAsStored(academicsValues(await requireEditable({ id }, trx)), fields)
		return newAddress
	})
	// Branch and year are shown with the member's questions.
	await invalidatePages([ALL_PAGES])
	return address
}

/** The values of the social links form. @throws NotAllowed, NotFound */
export async function getSocial(viewer: Viewer, username: string): Promise<SavedValues> {
	return socialValues(await requireEditable(requireOwner(viewer, username)))
}

/** @throws NotAllowed, Invalid, EditConflict */
export async function saveSocial(viewer: Viewer, username: string, input: Input): Promise<void> {
	const member = await requireProfileWriter(viewer, username)
	const { id } = member
	const version = requireVersion(input)
	const fields = parseInput(socialInput, input)
	await saveAs(member, async (trx) => {
		await ensureProfile(trx, id)
		const saved = await updateSocial(trx, id, version, fields)
		if (!saved) requireSameAsStored(socialValues(await requireEditable({ id }, trx)), fields)
	})
	// Cards show two of them.
	await invalidatePages([ALL_PAGES])
}

/**
 * Rejects a new name that could be mistaken for staff. Staff may have any name, and nobody has to change an existing one.
 * @throws Invalid
 */
export async function requireAllowedName(member: SignedIn, name: string, executor?: Executor): Promise<void> {
	if (isModerator(member) || (await requireEditable(member, executor)).name === name) return
	await requireNoImpersonation(name, 'fullName', executor)
}

/** @throws Invalid if the picture does not belong to the member, or is of another kind */
export async function requireOwnPicture(
	trx: Executor,
	userId: number,
	kind: 'profile' | 'certificate' | 'project',
	field: string,
	path: string | null,
): Promise<void> {
	if (path === null || (await ownsPicture(trx, userId, kind, path))) return
	const message = 'This picture no longer exists. Choose it again.'
	throw new Invalid(message, { [field]: message })
}

/** Runs a save in a transaction. @throws NotAllowed, also for a member who was suspended meanwhile */
export function saveAs<Result>(member: { id: number }, work: (trx: Executor) => Promise<Result>): Promise<Result> {
	return db()
		.transaction()
		.execute(async (trx) => {
			const result = await work(trx)
			await lockMayWrite(trx, member.id)
			return result
		})
}

/** The row that a member's forms edit; an account without a profile gets an empty one. @throws NotFound */
export async function requireEditable({ id }: { id: number }, executor?: Executor): Promise<EditableRow> {
	const row = (await findEditable(id, executor)) ?? (await createProfile(id, executor))
	if (!row) throw new NotFound('No Data Found !')
	return row
}

/** Accounts without a profile only come from imports and scripts. */
function createProfile(id: number, executor?: Executor): Promise<EditableRow | undefined> {
	const create = async (trx: Executor) => {
		await ensureProfile(trx, id)
		return findEditable(id, trx)
	}
	return executor ? create(executor) : db().transaction().execute(create)
}

function personalValues(row: EditableRow): SavedValues {
	// As views show them: what has expired stays stored for up to an hour, and its day would be refused.
	const isOver = (lastDay: string | null) => lastDay !== null && lastDay < siteDay(Date.now())
	const openings = isOver(row.open_until) ? { to: [], until: null } : { to: row.open_to, until: row.open_until }
	const status = isOver(row.status_until)
		? { line: '', until: null }
		: { line: row.status_line, until: row.status_until }
	const values: FormValues = {
		fullName: row.name,
		phone: row.phone,
		city: row.city,
		expertise_in: row.expertise_in,
		about: row.about,
		skills: row.skills.join(', '),
		open_to: openings.to.join(', '),
		show_email: fieldText(row.show_email),
		show_phone: fieldText(row.show_phone),
		listed: fieldText(row.listed),
		show_presence: fieldText(row.show_presence),
		open_until: openings.until ?? '',
		pronouns: row.pronouns,
		status_line: status.line,
		status_until: status.until ?? '',
		public_page: fieldText(row.public_page),
		noindex: fieldText(row.noindex),
		...audienceValues(row),
		profile_url: row.image ?? '',
	}
	return { version: row.personal_version, values }
}

function academicsValues(row: EditableRow): SavedValues {
	const values: FormValues = {
		university_name: row.university_name,
		location: row.location,
		enrol_in_branch_name: row.enrol_in_branch_name,
		year_of_passing: String(row.year_of_passing ?? ''),
		current_semester: String(row.current_semester ?? ''),
		current_year: String(row.current_year ?? ''),
		enrolment_number: row.enrolment_number,
		university_email: row.university_email,
	}
	return { version: row.academics_version, values }
}

function socialValues(row: EditableRow): SavedValues {
	return { version: row.social_version, values: Object.fromEntries(siteNames.map((site) => [site, row[site]])) }
}
