import { sql } from 'kysely'
import { beforeAll, expect, test } from 'vitest'
import type { SignedIn } from '~/lib/viewer.ts'
import { db } from '~/platform/db/db.server.ts'
import { makeMember } from '../../../tests/factories/forum.ts'
import { useDatabase } from '../../../tests/support/database.ts'
import { getProfile } from './profiles.server.ts'

useDatabase()

const someone: SignedIn = { id: 900, username: 'someone', name: 'Some One', image: null, role: 'member' }
const moderator: SignedIn = { ...someone, username: 'keeper', role: 'moderator' }
const mira: SignedIn = { ...someone, username: 'mira' }

beforeAll(async () => {
	await addMember('mira', {})
	await addMember('open', { show_email: true, show_phone: true })
	await db()
		.insertInto('users')
		.values({ username: 'old', name: 'Old Author', email: 'old@imported.invalid', image: null, imported: true })
		.execute()
})

test.each([
	['another member', someone, 'mira', '', ''],
	['another member, when the owner shows them', someone, 'open', 'open@campus.example', '555'],
	['the owner', mira, 'mira', 'mira@campus.example', '555'],
	['a moderator', moderator, 'mira', 'mira@campus.example', '555'],
	['anybody, of an imported author', moderator, 'old', '', ''],
])('e-mail and phone as %s sees them', async (_who, viewer, username, email, phone) => {
	const profile = await getProfile(viewer, username)
	expect([profile.email, profile.phone]).toEqual([email, phone])
})

test.each([
	['another member', someone, ''],
	['a moderator', moderator, ''],
	['the owner', mira, 'ENR-1'],
])('the enrolment number as %s sees it', async (_who, viewer, number) => {
	const profile = await getProfile(viewer, 'mira')
	expect(profile.enrolmentNumber).toBe(number)
	expect(profile.universityEmail).toBe(number && 'mira@university.example')
})

test.each([
	['a member', 'mira', { imported: false, former: false }],
	['an imported author', 'old', { imported: true, former: false }],
	['the account that stands for members who have left', 'former-member', { imported: true, former: true }],
])('what the account of %s stands for', async (_who, username, stands) => {
	expect(await getProfile(someone, username)).toMatchObject(stands)
})

test('the page contains no hidden data in another form', async () => {
	const sent = JSON.stringify(await getProfile(someone, 'mira'))
	for (const secret of ['mira@campus.example', '555', 'ENR-1', 'mira@university.example'])
		expect(sent).not.toContain(secret)
})

test('a link that is no web address is omitted, and one to another site is labelled with its address', async () => {
	const profile = await getProfile(someone, 'mira')
	expect(profile.social).toEqual([{ label: 'git.elsewhere.example/mira', url: 'https://git.elsewhere.example/mira' }])
})

test.each([
	['the account that was linked', 'https://github.com', 'github', 'ada-l', true],
	['another account there', 'https://github.com', 'github', 'ada', undefined],
	['an account of the same name elsewhere', 'https://google', 'google', 'ada-l', undefined],
	['one of the same name on a GitHub of the campus', 'https://github.campus.example', 'github', 'ada-l', undefined],
])('a GitHub link is marked as verified by %s', async (_what, issuer, provider, name, isProven) => {
	const ada = await makeMember(`ada-${issuer.slice('https://'.length)}-${name}`)
	await sql`insert into profiles (user_id, github) values (${ada.id}, 'https://www.github.com/Ada-L/')
		on conflict (user_id) do update set github = excluded.github`.execute(db())
	await sql`insert into identities (user_id, provider, issuer, subject, name) values (${ada.id}, ${provider}, ${issuer}, ${`${provider} ${name}`}, ${name})`.execute(
		db(),
	)
	const { social } = await getProfile(someone, ada.username)
	expect(social).toEqual([{ label: 'Github', url: 'https://www.github.com/Ada-L/', ...(isProven && { isProven }) }])
})

test('a username is found in any case, and an unknown one is not', async () => {
	expect((await getProfile(someone, 'MIRA')).username).toBe('mira')
	await expect(getProfile(someone, 'nobody')).rejects.toThrow('No Data Found !')
})

async function addMember(username: string, shown: { show_email?: boolean; show_phone?: boolean }): Promise<void> {
	const { id } = await db()
		.insertInto('users')
		.values({ username, name: username, email: `${username}@campus.example`, image: null })
		.returning('id')
		.executeTakeFirstOrThrow()
	const links = { github: `https://git.elsewhere.example/${username}`, portfolio: 'javascript:alert(1)' }
	const private_ = { phone: '555', enrolment_number: 'ENR-1', university_email: `${username}@university.example` }
	await db()
		.insertInto('profiles')
		.values({
			user_id: id,
			year_of_passing: null,
			current_semester: null,
			current_year: null,
			...links,
			...private_,
			...shown,
		})
		.execute()
}
