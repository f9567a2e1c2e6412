import { expect, test } from 'vitest'
import { getIntroduction } from '~/features/members/members.server.ts'
import { db } from '~/platform/db/db.server.ts'
import { makeMember } from '../../../tests/factories/forum.ts'
import { filled } from '../../../tests/factories/profiles.ts'
import { useDatabase } from '../../../tests/support/database.ts'
import { saveAcademics, savePersonal } from './editing.server.ts'

useDatabase()

test('a listed member is introduced by studies and two skills', async () => {
	const asha = await makeMember('asha')
	expect(await getIntroduction('asha')).toEqual({ summary: '', imported: false })
	const branch = { enrol_in_branch_name: 'CSE', current_year: '2' }
	await saveAcademics(asha, 'asha', { ...filled.academics, ...branch, version: '1' })
	expect(await getIntroduction('asha')).toMatchObject({ summary: 'CSE, 2nd year' })
	await savePersonal(asha, 'asha', { ...filled.personal, fullName: 'Asha', skills: 'React, Rust, Java', version: '1' })
	expect(await getIntroduction('asha')).toMatchObject({ summary: 'CSE, 2nd year · React, Rust' })
	await db().updateTable('profiles').set({ listed: false }).where('user_id', '=', asha.id).execute()
	expect(await getIntroduction('asha')).toMatchObject({ summary: '' })
})

test('unknown members and imported authors have no introduction', async () => {
	const { id } = await makeMember('stand.in')
	await db().updateTable('users').set({ imported: true }).where('id', '=', id).execute()
	expect(await getIntroduction('stand.in')).toEqual({ summary: '', imported: true })
	expect(await getIntroduction('nobody')).toEqual({ summary: '', imported: false })
})
