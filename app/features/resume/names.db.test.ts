import { beforeEach, describe, expect, test } from 'vitest'
import { areConfusable, looksOfficial } from '~/features/accounts/registration/names.server.ts'
import { getPersonal, savePersonal } from '~/features/profile-editor/editing.server.ts'
import { Invalid } from '~/lib/errors.ts'
import type { SignedIn } from '~/lib/viewer.ts'
import { db } from '~/platform/db/db.server.ts'
import { makeMember } from '../../../tests/factories/forum.ts'
import { filled } from '../../../tests/factories/profiles.ts'
import { useDatabase } from '../../../tests/support/database.ts'
import { applyImport, previewImport } from './import/import.server.ts'

/* accounts/registration/names.db.test.ts tests the rules of names; these tests check that every way to change a name applies them. */

useDatabase()

const staffName = 'This name looks like that of a staff member. Choose another.'
let made = 0
let member: SignedIn

beforeEach(async () => {
	if (made === 0) {
		const { id } = await makeMember('odalys', 'moderator')
		await db().updateTable('users').set({ name: 'Odalys Fernbrook' }).where('id', '=', id).execute()
	}
	member = await makeMember(`nell${++made}`)
})

async function save(who: SignedIn, fullName: string, more: object = {}): Promise<void> {
	const { version } = await getPersonal(who, who.username)
	await savePersonal(who, who.username, { ...filled.personal, fullName, ...more, version: String(version) })
}

const nameOf = async (who: SignedIn) => (await getPersonal(who, who.username)).values.fullName

describe('a name in the profile', () => {
	test.each([
		['Odalys Fernbr00k', staffName],
		['Moderator', staffName],
		['DevQuad Support', staffName],
		['Mi\u200bra', 'A name cannot contain invisible characters.'],
		['\u202eariM', 'A name cannot contain characters that change the direction of writing.'],
		['', 'Full name is required!'],
	])('%j is refused at its field: %s', async (fullName, message) => {
		const before = await nameOf(member)
		const refusal = await save(member, fullName).catch((error: unknown) => error)
		expect(refusal).toBeInstanceOf(Invalid)
		expect(refusal).toMatchObject({ fields: { fullName: message } })
		expect(await nameOf(member)).toBe(before)
	})

	test('is normalized to NFC with single spaces', async () => {
		await save(member, ' Jose\u0301 \u00a0 Álvarez ')
		expect(await nameOf(member)).toBe('José Álvarez')
	})

	test('is checked in a résumé too', async () => {
		const document = JSON.stringify({ basics: { name: 'Оdalys Fernbrook', label: 'Moderating' } })
		const { fingerprint, changes, document: read } = await previewImport(member, member.username, document)
		const chosen = changes.map(({ id }) => id)
		await expect(applyImport(member, member.username, { document: read, fingerprint, chosen })).rejects.toThrow(
			staffName,
		)
		const others = chosen.filter((id) => !id.endsWith('fullName'))
		expect(await applyImport(member, member.username, { document: read, fingerprint, chosen: others })).toBe(
			others.length,
		)
		expect(await nameOf(member)).toBe(`Nell${made}`)
	})

	test('an existing name may be kept, and other fields can be saved with it', async () => {
		await db().updateTable('users').set({ name: 'Odalys Fernbrook' }).where('id', '=', member.id).execute()
		await save(member, 'Odalys Fernbrook', { city: 'Elsewhere' })
		expect((await getPersonal(member, member.username)).values.city).toBe('Elsewhere')
	})

	test('staff may have any name, and members who become staff keep theirs', async () => {
		await save(member, 'Nell Marwood')
		await db().updateTable('users').set({ role: 'moderator' }).where('id', '=', member.id).execute()
		const staff: SignedIn = { ...member, role: 'moderator' }
		await save(staff, 'Nell Marwood', { city: 'Here' })
		await save(staff, 'Nell, Moderator')
		await save(staff, 'Odalys Fernbrook')
		await db().updateTable('users').set({ role: 'member' }).where('id', '=', member.id).execute()
	})
})

describe('similarity', () => {
	test.each([
		['Mira Quillon', 'Mira Quillan', false],
		['Mira Quillon', 'Quillon Mira', false],
		['Mira Quillon', 'Mira', false],
		['Mira Quillon', 'Мira Quіllоn', true],
		['王小明', '王小明', true],
		['王小明', '王小朋', false],
		['Дмитрий', 'дмитрий', true],
		['Дмитрий', 'Dmitrij', false],
		['🚀', '🌍', false],
	])('%j and %j: %s', (one, other, alike) => {
		expect([areConfusable(one, other), areConfusable(other, one)]).toEqual([alike, alike])
	})

	test.each([
		['Maple Street', 'Maple Street', true],
		['Maple Street Team', 'Maple Street', true],
		['Maple', 'Maple Street', false],
		['Anna Maple Street', 'Maple Street', false],
		['Mapleton', 'Maple', false],
		['Marple', 'Maple', false],
	])('%j at a site named %j reads as the site: %s', (name, site, official) => {
		expect(looksOfficial(name, site)).toBe(official)
	})
})
