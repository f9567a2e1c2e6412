import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { listCommunity } from '~/features/directory/directory.server.ts'
import { saveAcademics, savePersonal } from '~/features/profile-editor/editing.server.ts'
import type { SignedIn } from '~/lib/viewer.ts'
import { db } from '~/platform/db/db.server.ts'
import { makeMember } from '../../../tests/factories/forum.ts'
import { filled, makePicture } from '../../../tests/factories/profiles.ts'
import { useDatabase } from '../../../tests/support/database.ts'
import { NO_CRITERIA } from '../directory/directory.paths.ts'
import { dismissFirstSteps, getFirstSteps } from './profiles.server.ts'

useDatabase()

const personal = async (member: SignedIn, skills: string, profile_url = '') =>
	savePersonal(member, member.username, { ...filled.personal, fullName: member.name, skills, profile_url, version: 1 })

test('the steps follow what a member fills in, and disappear when all are done', async () => {
	const mira = await makeMember('mira')
	expect(await getFirstSteps(null)).toBeNull()
	expect(await getFirstSteps(mira)).toEqual({ picture: false, skills: 0, studies: false })
	await saveAcademics(mira, 'mira', { ...filled.academics, enrol_in_branch_name: '', version: 1 })
	expect(await getFirstSteps(mira)).toMatchObject({ studies: false })
	await saveAcademics(mira, 'mira', { ...filled.academics, version: 2 })
	await personal(mira, 'React, Go')
	expect(await getFirstSteps(mira)).toEqual({ picture: false, skills: 2, studies: true })
	const image = await makePicture(mira, 'profile')
	await savePersonal(mira, 'mira', {
		...filled.personal,
		fullName: mira.name,
		skills: 'React, Go, C, Zig',
		profile_url: image,
		version: 2,
	})
	expect(await getFirstSteps(mira)).toBeNull()
})

test('a picture that a moderator hides counts as one', async () => {
	const vera = await makeMember('vera')
	await personal(vera, 'React', await makePicture(vera, 'profile'))
	await sql`update profiles set hidden_image = (select image from users where id = ${vera.id}), hidden_at = now()
		where user_id = ${vera.id}`.execute(db())
	await sql`update users set image = null where id = ${vera.id}`.execute(db())
	expect(await getFirstSteps(vera)).toEqual({ picture: true, skills: 1, studies: false })
})

test('the list starts with the steps for its reader only, on its first page and without filters, until they are dismissed', async () => {
	const [tomas, ines] = [await makeMember('tomas'), await makeMember('ines')]
	const shown = async (viewer: SignedIn | null, criteria = NO_CRITERIA) =>
		(await listCommunity(criteria, null, viewer)).firstSteps !== null
	expect([await shown(tomas), await shown(null), await shown(tomas, { ...NO_CRITERIA, q: 'tomas' })]).toEqual([
		true,
		false,
		false,
	])
	await dismissFirstSteps(tomas)
	await dismissFirstSteps(tomas)
	expect([await shown(tomas), await shown(ines)]).toEqual([false, true])
})
