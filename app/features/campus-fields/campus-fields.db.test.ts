import { sql } from 'kysely'
import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import '~/features/index.server.ts'
import { listCampusFields } from '~/features/campus/campus.queries.server.ts'
import { NO_CRITERIA } from '~/features/directory/directory.paths.ts'
import { listCommunity } from '~/features/directory/directory.server.ts'
import { getAcademics, getPersonal, saveAcademics, savePersonal } from '~/features/profile-editor/editing.server.ts'
import { ensureProfile } from '~/features/profiles/profiles.queries.server.ts'
import { getProfile } from '~/features/profiles/profiles.server.ts'
import { Invalid } from '~/lib/errors.ts'
import type { SignedIn } from '~/lib/viewer.ts'
import { db } from '~/platform/db/db.server.ts'
import { EditConflict } from '~/platform/http/form.server.ts'
import { makeMember } from '../../../tests/factories/forum.ts'
import { filled } from '../../../tests/factories/profiles.ts'
import { useDatabase } from '../../../tests/support/database.ts'
import { queuedBehind } from '../../../tests/support/locks.ts'
import { saveSettings, viewerWithCookies } from '../../../tests/support/login-visits.ts'
import { offerSaml } from '../../../tests/support/saml-trips.ts'
import { takeOverCampusFields, wantedClaims } from './campus-fields.server.ts'

useDatabase()

let admin: SignedIn
let reader: SignedIn
let member: SignedIn
let made = 0

beforeAll(async () => {
	admin = await makeMember('registrar', 'admin')
	reader = await makeMember('reader')
	await saveSettings(admin, 'campus-fields', {
		...{ nameClaim: 'cn', branchClaim: 'ou', branchNames: 'CSE = Computer Science', passingClaim: 'end' },
		...{ yearClaim: 'year', semesterClaim: 'semester', enrolmentClaim: 'number', cohortClaim: 'group' },
	})
})

beforeEach(async () => {
	made += 1
	member = await makeMember(`scholar${made}`)
	await ensureProfile(db(), member.id)
	await sql`delete from rate_limits`.execute(db())
})

const all = { ou: 'CSE', end: '2028', year: '3', semester: '6', number: 'EIT23CSE017', group: 'CSE 2028' }

/** A login, or a check of its session, that delivers these claims. */
function deliver(claims: Record<string, string>, { id: userId }: SignedIn = member): Promise<void> {
	return takeOverCampusFields({ userId, values: (claim) => (claim in claims ? [claims[claim] ?? ''] : null) })
}

/** The member's studies, name and cohort as they are stored, and the versions of the two forms. */
async function stored({ id }: SignedIn = member) {
	const { rows } = await sql<Record<string, unknown>>`
		select u.name, u.cohort, p.enrol_in_branch_name as branch, p.year_of_passing as passing, p.current_year as year,
			p.current_semester as semester, p.enrolment_number as number, p.personal_version as personal, p.academics_version as academics
		from users u join profiles p on p.user_id = u.id where u.id = ${id}`.execute(db())
	return rows[0]
}

test('the claims of the settings are requested; lines of branches need a code and a name', async () => {
	expect(wantedClaims()).toEqual(['cn', 'ou', 'end', 'year', 'semester', 'number', 'group'])
	await expect(saveSettings(admin, 'campus-fields', { branchNames: 'CSE = a\nECE' })).rejects.toThrow(Invalid)
})

test('a login by SAML delivers attributes, the first of their values, and its session has the new name', async () => {
	const saml = await offerSaml()
	saml.enrolNext()
	const logIn = async (cn: string) => {
		saml.enrol(saml.campus.visitor, { attributes: { cn, ou: ['CSE', 'ECE'], group: [] } })
		return (await viewerWithCookies((await saml.trip()).cookies)) as SignedIn
	}
	const before = await logIn('Student 1')
	expect(await stored(before)).toMatchObject({ name: 'Student 1', branch: 'Computer Science', cohort: '' })
	expect(await logIn('Mira Berg')).toMatchObject({ id: before.id, name: 'Mira Berg' })
	await saml.campus.stop()
})

describe('what is delivered', () => {
	test('fills what is empty, follows the university, and is not cleared by a claim without a value', async () => {
		await deliver(all)
		const first = { branch: 'Computer Science', passing: 2028, year: 3, semester: 6, number: 'EIT23CSE017' }
		expect(await stored()).toMatchObject({ ...first, cohort: 'CSE 2028' })
		const before = await stored()
		await deliver(all)
		await deliver({})
		await deliver({ ou: '', end: ' ', group: '' })
		expect(await stored()).toEqual(before)
		await deliver({ ...all, year: '4', semester: '7', group: 'CSE 2028 B' })
		expect(await stored()).toMatchObject({ ...first, year: 4, semester: 7, cohort: 'CSE 2028 B' })
		expect(await listCampusFields(member.id)).toHaveLength(6)
	})

	test('does not replace what the member wrote or cleared, before the first login or since', async () => {
		await saveAcademics(member, member.username, { version: 1, enrol_in_branch_name: 'Physics' })
		await deliver(all)
		expect(await stored()).toMatchObject({ branch: 'Physics', year: 3 })
		const { values, version } = await getAcademics(member, member.username)
		await saveAcademics(member, member.username, { ...values, version, current_year: '', year_of_passing: '2029' })
		await deliver({ ...all, ou: 'Chemistry', year: '4', end: '2030', semester: '7' })
		expect(await stored()).toMatchObject({ branch: 'Physics', year: null, passing: 2029, semester: 7 })
		expect(await listCampusFields(member.id)).toEqual(['current_semester', 'enrolment_number', 'cohort'])
		// Once both agree, the field follows again.
		await deliver({ end: '2029' })
		await deliver({ end: '2031' })
		expect(await stored()).toMatchObject({ passing: 2031 })
	})

	test('of two logins at once, both are stored, one after the other', async () => {
		const settled = await queuedBehind(
			(trx) => sql`select from profiles where user_id = ${member.id} for update`.execute(trx),
			[() => deliver({ ...all, year: '2' }), () => deliver({ ...all, year: '3' })],
		)
		expect(settled.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled'])
		expect(await stored()).toMatchObject({ year: 3, academics: 3 })
	})

	test.each([
		['suspended', sql`update users set suspended_until = 'infinity' where id = `],
		['leaving', sql`update users set leaves_at = now() + interval '9 days' where id = `],
		['hidden by a moderator', sql`update profiles set hidden_at = now(), hidden_reason = 'x' where user_id = `],
	])('changes nothing of a member who is %s', async (_what, state) => {
		await sql`${state}${member.id}`.execute(db())
		const before = await stored()
		await deliver({ ...all, cn: 'Another Name' })
		expect(await stored()).toEqual(before)
		const { rows } = await sql`select from campus_fields where user_id = ${member.id}`.execute(db())
		expect(rows).toEqual([])
	})
})

describe('the name', () => {
	test('follows the university, as long as the member does not change it', async () => {
		await deliver({ cn: member.name })
		await deliver({ cn: 'Mira Quillon-Berg' })
		expect(await stored()).toMatchObject({ name: 'Mira Quillon-Berg', personal: 2 })
		const { values, version } = await getPersonal(member, member.username)
		await savePersonal(member, member.username, { ...values, version, fullName: 'Mira' })
		await deliver({ cn: 'Mira Berg' })
		expect(await stored()).toMatchObject({ name: 'Mira' })
	})

	test('of a member who chose another one stays', async () => {
		await deliver({ cn: 'Somebody Else' })
		expect(await stored()).toMatchObject({ name: member.name })
	})

	test('that looks like that of staff is refused, and the next one counts', async () => {
		await deliver({ cn: member.name })
		await deliver({ cn: 'Administrator', year: '2' })
		expect(await stored()).toMatchObject({ name: member.name, year: 2 })
		await deliver({ cn: 'Mira Berg' })
		expect(await stored()).toMatchObject({ name: 'Mira Berg' })
		const moderator = await makeMember(`mod${made}`, 'moderator')
		await deliver({ cn: moderator.name }, moderator)
		await deliver({ cn: 'Moderator Mo' }, moderator)
		expect(await stored(moderator)).toMatchObject({ name: 'Moderator Mo' })
	})
})

describe('an open form', () => {
	test('of the studies is told of the conflict, and has what was typed', async () => {
		const { values, version } = await getAcademics(member, member.username)
		await deliver(all)
		const late = saveAcademics(member, member.username, { ...values, version, location: 'Eastmere' })
		await expect(late).rejects.toThrow(EditConflict)
		expect(await stored()).toMatchObject({ branch: 'Computer Science' })
	})

	test('of the personal details is told of a new name, and not of studies', async () => {
		await saveAcademics(member, member.username, { version: 1 })
		await deliver({ cn: member.name })
		const { values, version } = await getPersonal(member, member.username)
		await deliver(all)
		await savePersonal(member, member.username, { ...values, version })
		await deliver({ cn: 'Mira Berg' })
		const late = savePersonal(member, member.username, { ...values, version: version + 1 })
		await expect(late).rejects.toThrow(EditConflict)
	})
})

describe('who sees it', () => {
	const found = async (branch: string, viewer: SignedIn | null) =>
		(await listCommunity({ ...NO_CRITERIA, branches: [branch] }, null, viewer)).page.rows.map(
			({ username }) => username,
		)

	test('of a new member, members: they find them by it at once, and visitors do not', async () => {
		await deliver({ ...all, ou: `Branch ${made}` })
		expect(await found(`Branch ${made}`, reader)).toEqual([member.username])
		expect(await found(`Branch ${made}`, null)).toEqual([])
		expect((await getPersonal(member, member.username)).values.see_academics).toBe('members')
	})

	test.each(['everybody', 'members', 'me'])('of a member who chose “%s”, the same as before', async (audience) => {
		const { values } = await getPersonal(member, member.username)
		await savePersonal(member, member.username, { ...values, see_academics: audience, version: 1 })
		await deliver({ ...all, ou: `Branch ${made}` })
		expect((await getPersonal(member, member.username)).values.see_academics).toBe(audience)
		expect(await found(`Branch ${made}`, reader)).toEqual(audience === 'me' ? [] : [member.username])
		expect(await found(`Branch ${made}`, null)).toEqual(audience === 'everybody' ? [member.username] : [])
	})

	test('of the enrolment number, nobody else', async () => {
		await savePersonal(member, member.username, { ...filled.personal, public_page: 'on', version: 1 })
		await deliver(all)
		expect(JSON.stringify(await getProfile(reader, member.username))).not.toContain(all.number)
	})
})
