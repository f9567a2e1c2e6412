import { setSkills } from '~/features/members/skills.server.ts'
import type { SubjectPart } from '~/features/moderation/moderation.policy.ts'
import { truncateWords } from '~/lib/text.ts'
import type { SignedIn } from '~/lib/viewer.ts'
import type { Executor } from '~/platform/db/db.server.ts'
import {
	clearPicture,
	clearText,
	findHidden,
	raisePersonalVersion,
	resetName,
	type TextPart,
	writeHidden,
	writeShown,
} from './hiding.queries.server.ts'
import {
	deleteItem,
	ensureProfile,
	findProfile,
	type ItemTable,
	listItemRows,
	lockProfile,
} from './profiles.queries.server.ts'

/*
 * Moderators' actions on a profile: hiding its texts and picture until they show them again, and removing a single
 * part. Each runs within a transaction of moderation, which checks permissions, logs and notifies.
 */

const textLabels = {
	about: 'About me',
	status: 'Status',
	pronouns: 'Pronouns',
	expertise: 'Expertise',
	city: 'City',
	phone: 'Phone',
	academics: 'Academics',
	links: 'Social links',
} as const satisfies Record<TextPart, string>

const MAX_BEGINNING = 60

/** Locks a member's profile, then the account: the order of all writers of both. Call it before locking the moderator's row. */
export async function lockHideable(trx: Executor, userId: number): Promise<void> {
	await ensureProfile(trx, userId)
	await lockProfile(trx, userId)
}

/** Hides the texts and the picture. @returns false if they were hidden already */
export const hideProfile: (trx: Executor, userId: number, reason: string) => Promise<boolean> = writeHidden

/** Shows them again. @returns false if they were shown already */
export const showProfile: (trx: Executor, userId: number) => Promise<boolean> = writeShown

/**
 * Permanently removes one part of a profile: clears a text, removes the picture, deletes a project, certificate or
 * experience, or sets the name to the username. The owner may enter a new one.
 * @returns whether there was such a part
 */
export async function removeProfilePart(trx: Executor, userId: number, part: string): Promise<boolean> {
	if (Object.hasOwn(textLabels, part)) return clearText(trx, userId, part as TextPart)
	const [, kind, id] =
		/^(project|certificate|experience):([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/.exec(part) ?? []
	if (kind && id) return deleteItem(trx, `${kind}s` as ItemTable, userId, id)
	const work = personalParts[part]
	const done = work !== undefined && (await work(trx, userId))
	if (done) await raisePersonalVersion(trx, userId)
	return done
}

const personalParts: Record<string, (trx: Executor, userId: number) => Promise<boolean>> = {
	name: resetName,
	picture: clearPicture,
	skills: async (trx, userId) => {
		await setSkills(trx, userId, [])
		return true
	},
}

/** The parts of a profile that a moderator can remove, hidden or not; none for a member who no longer exists. */
export async function listProfileParts(username: string): Promise<SubjectPart[]> {
	const row = await findProfile(username, { viewerId: null, whole: true })
	if (!row) return []
	const { projects, certificates, experiences } = await listItemRows(row.id, 'whole')
	const texts: Record<TextPart, string> = {
		about: row.about,
		status: row.status_line,
		pronouns: row.pronouns,
		expertise: row.expertise_in,
		city: row.city,
		phone: row.phone,
		academics: [row.university_name, row.location, row.enrol_in_branch_name, row.enrolment_number]
			.filter(Boolean)
			.join(', '),
		links: [row.github, row.linkedin, row.leetcode, row.portfolio, row.hackerrank, row.codechef, row.geeksforgeek]
			.filter(Boolean)
			.join(', '),
	}
	const part = (value: string, label: string, text: string): SubjectPart => ({
		value,
		label,
		beginning: truncateWords(text, MAX_BEGINNING),
	})
	return [
		...(row.image ? [part('picture', 'Picture', '')] : []),
		...(row.name === row.username ? [] : [part('name', 'Name', row.name)]),
		...(Object.keys(textLabels) as TextPart[])
			.filter((key) => texts[key] !== '')
			.map((key) => part(key, textLabels[key], texts[key])),
		...(row.skills.length > 0 ? [part('skills', 'Skills', row.skills.join(', '))] : []),
		...projects.map(({ project_id, project_title }) => part(`project:${project_id}`, 'Project', project_title)),
		...certificates.map(({ certificate_id, certificate_title }) =>
			part(`certificate:${certificate_id}`, 'Certificate', certificate_title),
		),
		...experiences.map(({ id, title, organisation }) =>
			part(`experience:${id}`, 'Experience', [title, organisation].filter(Boolean).join(', ')),
		),
	]
}

/** Whether a moderator hid the viewer's own profile, and why. */
export async function getOwnStatus({ id }: SignedIn): Promise<{ hidden: { reason: string } | null }> {
	return { hidden: await findHidden(id) }
}
