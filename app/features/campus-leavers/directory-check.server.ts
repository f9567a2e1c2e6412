import { lockAdmin } from '~/features/administration/admins.server.ts'
import {
	checkLdapEntry,
	findLdapSubjects,
	InvalidLdapSetting,
	ldapIssuer,
} from '~/features/campus-login/ldap.server.ts'
import { ldapSection } from '~/features/campus-login/ldap-section.server.ts'
import { ProviderRefused } from '~/features/campus-login/oidc.server.ts'
import { ProviderUnreachable } from '~/features/campus-login/provider-fetch.server.ts'
import { mailAdmins } from '~/features/members/role-mails.server.ts'
import { isId } from '~/lib/checks.ts'
import { Conflict } from '~/lib/errors.ts'
import { log } from '~/lib/log.server.ts'
import { pluralize } from '~/lib/text.ts'
import { requireAdmin, type Viewer } from '~/lib/viewer.ts'
import { db } from '~/platform/db/db.server.ts'
import { addJob } from '~/platform/jobs/jobs.server.ts'
import { siteSettings } from '~/platform/settings/settings.server.ts'
import { siteName } from '~/platform/settings/site-name.server.ts'
import { leaversPath } from './campus-leavers.view.ts'
import {
	clearMissing,
	type DirectoryIdentity,
	decideCheck,
	findLastCheck,
	insertCheck,
	listDirectoryIdentities,
	listMissing,
	writeMissing,
} from './leavers.queries.server.ts'
import { logAct, markLeft } from './marking.server.ts'

declare module '~/platform/jobs/jobs.server.ts' {
	interface Jobs {
		/** Marks those who were missing at a check that an admin has confirmed; `before` is its time, ISO 8601. */
		'mark-missing': { before: string; by: number }
	}
}

/** Members whom one check marks without asking an admin, and the part of all, whichever is more. */
const MAX_UNASKED = 3
const MAX_UNASKED_PART = 0.05

/**
 * Looks up in the LDAP directory who is still in it; runs every night. Whoever is missing in two checks has left. Nobody is marked if the
 * directory gives no clear answer or has nobody at all, as with a wrong base DN, and if too many are missing, until an admin has decided.
 */
export async function checkDirectory(): Promise<void> {
	const settings = directorySettings()
	if (!settings) return
	const issuer = ldapIssuer(settings)
	const people = await listDirectoryIdentities(issuer)
	if (people.length === 0) return
	const asked = people.length
	const found = await findLdapSubjects(
		settings,
		people.map(({ subject }) => subject),
	).catch(nobodyIfUnclear)
	if (found.size === 0) return insertCheck({ state: 'failed', asked })
	const ids = (list: DirectoryIdentity[]) => list.map(({ id }) => id)
	await writeMissing(ids(people), ids(people.filter(({ subject }) => !found.has(subject))))
	const at = new Date()
	const { members, staff } = await missingAt(issuer, at)
	const state = members.length > Math.max(MAX_UNASKED, asked * MAX_UNASKED_PART) ? 'held' : 'done'
	const before = await findLastCheck(true)
	const knownStaff = new Set(before ? (await missingAt(issuer, before.at)).staff.map(({ id }) => id) : [])
	if (state === 'held' && before?.state !== 'held')
		await mailMissing(
			`${pluralize(members.length, 'member')} of ${asked} are no longer in the directory of the university. So many at once may be a mistake in the settings, so nothing was done. Look at it, and decide.`,
		)
	if (staff.some(({ id }) => !knownStaff.has(id)))
		await mailMissing(
			`${pluralize(staff.length, 'moderator or admin', 'moderators and admins')} of this site are no longer in the directory of the university. Decide about their role.`,
		)
	try {
		if (state === 'done') await markMissing(members)
	} finally {
		// If the check marks members, how many it marked: those whom the directory has when asked again are not marked.
		const unmarked = state === 'done' ? (await missingAt(issuer, at)).members.length : 0
		await insertCheck({ at, state, asked, missing: members.length - unmarked, staff: staff.length })
	}
}

function directorySettings() {
	const settings = siteSettings(ldapSection)
	return settings.isOn && settings.address !== '' ? settings : null
}

/** Those missing for long enough at a time: members, and moderators and admins. */
export async function missingAt(issuer: string, at: Date) {
	const missing = await listMissing(issuer, at)
	return {
		members: missing.filter(({ role }) => role === 'member'),
		staff: missing.filter(({ role }) => role !== 'member'),
	}
}

/** @throws any error that is not the directory's */
function nobodyIfUnclear(error: unknown): ReadonlySet<string> {
	const isUnclear = [ProviderUnreachable, ProviderRefused, InvalidLdapSetting].some((kind) => error instanceof kind)
	if (!isUnclear) throw error
	log.warn({ err: error }, 'the directory could not be checked for members who have left')
	return new Set()
}

/** Marks members whom the directory, asked about each once more, does not have. */
async function markMissing(missing: DirectoryIdentity[], by: number | null = null): Promise<void> {
	const settings = directorySettings()
	if (!settings) return
	const subjects = new Map(missing.map(({ user_id, subject }) => [user_id, subject]))
	await markLeft(subjects.keys(), by, async (userId) => {
		try {
			await checkLdapEntry(settings, subjects.get(userId) ?? '')
			return false
		} catch (error) {
			if (error instanceof ProviderRefused && error.code === 'invalid_grant') return true
			throw error
		}
	})
}

/** Marks those who were missing at a check that an admin has confirmed; a job. */
export async function markConfirmed({ before, by }: { before: string; by: number }): Promise<void> {
	const settings = directorySettings()
	if (settings) await markMissing((await missingAt(ldapIssuer(settings), new Date(before))).members, by)
}

/**
 * Decides about a check that was held: those missing have left, or the check is ignored, and two more have to miss them.
 * @throws NotAllowed; Conflict if it is not the last check, or is decided
 */
export async function decideHeldCheck(viewer: Viewer, id: number, state: 'confirmed' | 'ignored'): Promise<void> {
	const admin = requireAdmin(viewer)
	await db()
		.transaction()
		.execute(async (trx) => {
			await lockAdmin(trx, admin)
			const at = isId(id) ? await decideCheck(trx, id, state) : undefined
			if (!at) throw new Conflict('This check was decided meanwhile, or there is a newer one.')
			if (state === 'ignored') await clearMissing(trx)
			else await addJob('mark-missing', { before: at.toISOString(), by: admin.id }, trx)
			await logAct(trx, admin, state === 'confirmed' ? 'confirm who left' : 'ignore who is missing')
		})
}

async function mailMissing(text: string): Promise<void> {
	await db()
		.transaction()
		.execute((trx) =>
			mailAdmins(trx, {
				subject: `Missing in the directory: ${siteName()}`,
				text,
				link: { label: 'See who', path: leaversPath },
				closing: 'This site looks up its members in the directory every night.',
			}),
		)
}
