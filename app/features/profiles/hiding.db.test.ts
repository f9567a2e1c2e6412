import { sql } from 'kysely'
import { beforeAll, expect, test } from 'vitest'
import type { SignedIn } from '~/lib/viewer.ts'
import { db } from '~/platform/db/db.server.ts'
import { makeMember } from '../../../tests/factories/forum.ts'
import { useDatabase } from '../../../tests/support/database.ts'
import { listProfileParts, lockHideable, removeProfilePart } from './hiding.server.ts'

useDatabase()

let mira: SignedIn

beforeAll(async () => {
	mira = await makeMember('mira')
	await sql`insert into projects (user_id, project_title) values (${mira.id}, 'messmate')`.execute(db())
	await sql`insert into certificates (user_id, certificate_title) values (${mira.id}, 'Cloud')`.execute(db())
	await sql`insert into experiences (user_id, kind, organisation, title) values
		(${mira.id}, 'education', 'Old School', ''), (${mira.id}, 'work', 'Lamp Works', 'Tester')`.execute(db())
})

test('moderators can remove each item of a profile', async () => {
	const itemsOf = async () => {
		const parts = await listProfileParts('mira')
		return parts.filter(({ value }) => value.includes(':'))
	}
	expect((await itemsOf()).map(({ label, beginning }) => [label, beginning])).toEqual([
		['Project', 'messmate'],
		['Certificate', 'Cloud'],
		['Experience', 'Old School'],
		['Experience', 'Tester, Lamp Works'],
	])
	for (const { value } of await itemsOf())
		await db()
			.transaction()
			.execute(async (trx) => {
				await lockHideable(trx, mira.id)
				expect(await removeProfilePart(trx, mira.id, value)).toBe(true)
				expect(await removeProfilePart(trx, mira.id, value)).toBe(false)
			})
	expect(await itemsOf()).toEqual([])
})
