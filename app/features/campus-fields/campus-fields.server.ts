import { requireNoImpersonation } from '~/features/accounts/registration/names.server.ts'
import { type CampusField, campusFields } from '~/features/campus/campus-fields.view.ts'
import type { UsedIdentity } from '~/features/campus-login/claims.server.ts'
import { raisePersonalVersion } from '~/features/profiles/hiding.queries.server.ts'
import { ensureProfile, lockProfile } from '~/features/profiles/profiles.queries.server.ts'
import { announceAccountChange } from '~/features/sessions/sessions.server.ts'
import { Invalid } from '~/lib/errors.ts'
import { log } from '~/lib/log.server.ts'
import { ALL_PAGES, invalidatePages } from '~/platform/cache/pages.server.ts'
import { db, type Executor } from '~/platform/db/db.server.ts'
import { siteSettings } from '~/platform/settings/settings.server.ts'
import {
	type CampusFieldsRow,
	findCampusFields,
	writeAccountFields,
	writeDelivered,
	writeStudies,
} from './campus-fields.queries.server.ts'
import { type CampusValues, claimsOf, readCampusValues } from './reading.server.ts'
import { campusFieldsSection } from './section.server.ts'

/*
 * Fields of a member that follow what the university says (docs/decisions/0148-data-from-the-university.md).
 */

/** The claims or attributes that are configured. */
export function wantedClaims(): string[] {
	return Object.values(claimsOf(siteSettings(campusFieldsSection))).filter(Boolean)
}

/**
 * Takes over what a login of the campus, or a check of its session, says about a member. Hidden profiles, and members who are suspended or
 * leaving, stay as they are.
 */
export async function takeOverCampusFields(use: Pick<UsedIdentity, 'userId' | 'values'>): Promise<void> {
	const { userId } = use
	const values = readCampusValues(siteSettings(campusFieldsSection), use.values)
	if (Object.keys(values).length === 0) return
	const before = await findCampusFields(db(), userId)
	if (!before || before.is_untouchable || isKnown(before, values)) return
	const changes = await db()
		.transaction()
		.execute(async (trx) => {
			await ensureProfile(trx, userId)
			await lockProfile(trx, userId)
			const row = await findCampusFields(trx, userId)
			if (!row || row.is_untouchable) return {}
			return write(trx, userId, row, await withoutImpersonation(trx, row, values))
		})
	if (Object.keys(changes).length === 0) return
	// Name, branch and year are shown with everything that the member wrote.
	await invalidatePages([ALL_PAGES])
	if (changes.fullName !== undefined) await announceAccountChange(userId)
}

/** Whether all of this was delivered before, and nothing is to be written. */
function isKnown(row: CampusFieldsRow, values: CampusValues): boolean {
	const isDelivered = campusFields.every((field) => (values[field] ?? row.delivered[field]) === row.delivered[field])
	return isDelivered && Object.keys(changesOf(row, values)).length === 0
}

/**
 * The values to write. A field follows the university while it has the value that was delivered last, and a first delivery only fills an
 * empty one: everything else is what the member wrote or cleared.
 */
function changesOf({ present, delivered }: CampusFieldsRow, values: CampusValues): CampusValues {
	const follows = (field: CampusField) => present[field] === (delivered[field] ?? '')
	return Object.fromEntries(
		Object.entries(values).filter(
			([field, value]) => follows(field as CampusField) && present[field as CampusField] !== value,
		),
	)
}

/** Without a name that could be mistaken for that of staff. Staff may have any name, and nobody has to change an existing one. */
async function withoutImpersonation(trx: Executor, row: CampusFieldsRow, values: CampusValues): Promise<CampusValues> {
	const { fullName, ...others } = values
	if (fullName === undefined || fullName === row.present.fullName || row.role !== 'member') return values
	try {
		await requireNoImpersonation(fullName, 'fullName', trx)
		return values
	} catch (error) {
		if (!(error instanceof Invalid)) throw error
		log.info({ field: 'fullName' }, 'a name of the campus login looks like that of staff')
		return others
	}
}

/** Stores what was delivered, and writes the fields that follow it. @returns those that changed */
async function write(trx: Executor, userId: number, row: CampusFieldsRow, values: CampusValues): Promise<CampusValues> {
	const changes = changesOf(row, values)
	const { fullName, cohort, ...studies } = changes
	await writeDelivered(trx, userId, values)
	if (Object.keys(studies).length > 0) await writeStudies(trx, userId, studies)
	if (fullName !== undefined) await raisePersonalVersion(trx, userId)
	if (fullName !== undefined || cohort !== undefined) await writeAccountFields(trx, userId, { fullName, cohort })
	return changes
}
