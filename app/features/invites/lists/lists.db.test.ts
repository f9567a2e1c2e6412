import { sql } from 'kysely'
import { beforeAll, expect, test } from 'vitest'
import '~/features/index.server.ts'
import { saveSection } from '~/features/site-settings/site-settings.server.ts'
import type { SignedIn } from '~/lib/viewer.ts'
import { db } from '~/platform/db/db.server.ts'
import { makeMember } from '../../../../tests/factories/forum.ts'
import { useDatabase } from '../../../../tests/support/database.ts'
import { getList, makeList, sendList } from './lists.server.ts'

useDatabase()

let admin: SignedIn

beforeAll(async () => {
	admin = await makeMember('admin', 'admin')
})

test('a list is not sent while nobody could join, and is afterwards', async () => {
	const id = await makeList(admin, { days: '1', addresses: 'early@campus.example' })
	const rules = { domains: '', version: '1' }
	await saveSection(admin, 'registration', { ...rules, mode: 'closed' })
	await expect(sendList(admin, id)).rejects.toThrow(
		'Nobody could join with these links. Nobody can register here at the moment.',
	)
	expect(await getList(admin, id)).toMatchObject({ state: 'draft' })
	await saveSection(admin, 'registration', { ...rules, mode: 'invited', version: '2' })
	await sendList(admin, id)
})

test('a list whose links have expired cannot be sent', async () => {
	const id = await makeList(admin, { days: '1', addresses: 'new@campus.example' })
	await sql`update invite_lists set state = 'stopped', expires_at = now() where id = ${id}`.execute(db())
	await expect(sendList(admin, id)).rejects.toThrow('have expired')
	expect(await getList(admin, id)).toMatchObject({ state: 'stopped' })
})

test('a line that is cut within an emoji is reported like any other', async () => {
	const id = await makeList(admin, { days: '1', addresses: `new@campus.example\n${'a'.repeat(99)}🦊 for ever` })
	expect((await getList(admin, id)).report.leftOut).toEqual([
		{ line: 2, text: 'a'.repeat(99), why: 'This is not an email address.' },
	])
})
