import { sql } from 'kysely'
import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import '~/features/index.server.ts'
import { getSection, saveSection } from '~/features/site-settings/site-settings.server.ts'
import { siteDay } from '~/lib/calendar.ts'
import { Invalid, NotAllowed } from '~/lib/errors.ts'
import type { SignedIn } from '~/lib/viewer.ts'
import { db } from '~/platform/db/db.server.ts'
import { EditConflict, type Input } from '~/platform/http/form.server.ts'
import { makeMember } from '../../../tests/factories/forum.ts'
import { filled, makePicture } from '../../../tests/factories/profiles.ts'
import { useDatabase } from '../../../tests/support/database.ts'
import { queuedBehind } from '../../../tests/support/locks.ts'
import { NO_CRITERIA } from '../directory/directory.paths.ts'
import { listCommunity } from '../directory/directory.server.ts'
import { setEvidenceShown } from '../evidence/evidence.server.ts'
import { getProfile } from '../profiles/profiles.server.ts'
import { setFollowing } from '../tags/following.server.ts'
import {
	clearExpired,
	getAcademics,
	getPersonal,
	getSocial,
	saveAcademics,
	savePersonal,
	savePicture,
	saveSocial,
} from './editing.server.ts'
import { addProject } from './items.server.ts'

useDatabase()

let mira: SignedIn
let bram: SignedIn

beforeAll(async () => {
	mira = await makeMember('mira')
	bram = await makeMember('bram')
})

// The rate limit of saves is tested in rate-limits.db.test.ts.
beforeEach(async () => {
	await sql`delete from rate_limits`.execute(db())
})

/** What is stored of a member's openings and status. */
const storedOf = ({ id }: SignedIn) =>
	db()
		.selectFrom('profiles')
		.select(['open_to', 'open_until', 'status_line', 'status_until'])
		.where('user_id', '=', id)
		.executeTakeFirst()

describe('each section', () => {
	test('personal details are stored and read back', async () => {
		await save(mira, { ...filled.personal, fullName: '  Mira \n Quillon ', about: 'One.\r\n\r\nTwo.\u0007' })
		const { values } = await getPersonal(mira, 'mira')
		expect(values).toEqual({
			...filled.personal,
			fullName: 'Mira Quillon',
			about: 'One.\n\nTwo.',
			show_phone: '',
			public_page: '',
			noindex: '',
			...{ see_city: 'members', see_expertise: 'everybody', see_about: 'everybody', see_skills: 'everybody' },
			...{ see_academics: 'everybody', see_social: 'everybody', see_experience: 'members' },
			...{ see_projects: 'members', see_certificates: 'members' },
			profile_url: '',
		})
	})

	test.each([
		['who sees a section', { see_city: 'everybody', see_about: 'members', see_social: 'me' }, {}],
		['nobody in particular', { see_city: '' }, 'Choose who sees it.'],
		[
			'a status without an end, which gets one',
			{ status_line: ' Away ' },
			{ status_line: 'Away', status_until: dayIn(7) },
		],
		['an end without a status, which has none', { status_until: dayIn(3) }, { status_until: '' }],
		['a status that is over', { status_line: 'Away', status_until: dayIn(-1) }, 'This day is over.'],
		['being open until today', { open_until: dayIn(0) }, {}],
		['being open until yesterday', { open_until: dayIn(-1) }, 'This day is over.'],
		[
			'what was called collaborating',
			{ open_to: 'mentoring, collaborating, world peace' },
			{ open_to: 'mentoring, teammates' },
		],
	])('%s', async (_what, input, expected) => {
		const saved = save(mira, { ...filled.personal, ...input })
		if (typeof expected === 'string') return expect(saved).rejects.toThrow(expected)
		await saved
		expect((await getPersonal(mira, 'mira')).values).toMatchObject({ ...input, ...expected })
	})

	test('openings and statuses expire for all readers', async () => {
		await save(mira, { ...filled.personal, open_to: 'tutoring', open_until: dayIn(0), status_line: 'Away' })
		const seen = async () => {
			const { openTo, status } = await getProfile(bram, 'mira')
			const { page } = await listCommunity({ ...NO_CRITERIA, openTo: ['tutoring'] })
			return [openTo, status, page.rows.map(({ username }) => username)]
		}
		expect(await seen()).toEqual([['tutoring'], 'Away', ['mira']])
		await sql`update profiles set open_until = current_date - 1, status_until = current_date - 1 where user_id = ${mira.id}`.execute(
			db(),
		)
		expect(await seen()).toEqual([[], '', []])
		// So the form can be saved, which refuses a day in the past.
		const { values } = await getPersonal(mira, 'mira')
		expect(values).toMatchObject({ open_to: '', open_until: '', status_line: '', status_until: '' })
		await clearExpired()
		expect(await storedOf(mira)).toEqual({ open_to: [], open_until: null, status_line: '', status_until: null })
	})

	// At any moment, the day of one of these zones is not that of the database.
	test.each(['Pacific/Kiritimati', 'Etc/GMT+12', 'UTC'])(
		'openings and statuses last until the end of the day in the time zone of the site: %s',
		async (zone) => {
			const admin = await makeMember(`admin-${zone.toLowerCase().replace(/[^a-z]/g, '')}`, 'admin')
			const { version } = await getSection(admin, 'region')
			await saveSection(admin, 'region', { locale: 'en', zone, version: String(version) })
			const seen = async () => {
				const { openTo, status } = await getProfile(bram, 'mira')
				const { page } = await listCommunity({ ...NO_CRITERIA, openTo: ['tutoring'] })
				return [openTo, status, page.rows.flatMap(({ openTo: shown }) => shown)]
			}
			const [today, yesterday] = [siteDay(Date.now()), siteDay(Date.now() - 86_400_000)]
			const openings = { open_to: 'tutoring', status_line: 'Away' }
			await expect(save(mira, { ...filled.personal, ...openings, open_until: yesterday })).rejects.toThrow('is over')
			await save(mira, { ...filled.personal, ...openings, open_until: today, status_until: today })
			await clearExpired()
			expect(await seen()).toEqual([['tutoring'], 'Away', ['tutoring']])
			await sql`update profiles set open_until = ${yesterday}, status_until = ${yesterday} where user_id = ${mira.id}`.execute(
				db(),
			)
			expect(await seen()).toEqual([[], '', []])
			await clearExpired()
			expect(await storedOf(mira)).toMatchObject({ open_to: [], status_line: '' })
		},
	)

	test('“about” is rendered when it is saved, and lists show its excerpt', async () => {
		await save(mira, {
			...filled.personal,
			about: 'I **really** like <script>alert(1)</script> [tea](https://tea.example).',
		})
		const { aboutHtml, about } = await getProfile(bram, 'mira')
		expect(aboutHtml).toContain('<strong>really</strong>')
		expect(aboutHtml).not.toContain('<script')
		expect(about.trim()).toMatch(/^I really like .* tea\.$/)
		await save(mira, { ...filled.personal, about: '' })
		expect(await getProfile(bram, 'mira')).toMatchObject({ aboutHtml: null, about: '' })
	})

	test('academics are stored and read back, including emptied fields', async () => {
		await saveAcademics(mira, 'mira', { version: '1', ...filled.academics })
		expect((await getAcademics(mira, 'mira')).values).toEqual(filled.academics)
		await saveAcademics(mira, 'mira', { version: '2', ...filled.academics, current_year: '', location: ' ' })
		expect((await getAcademics(mira, 'mira')).values).toMatchObject({ current_year: '', location: '' })
	})

	test('social links are stored as addresses', async () => {
		await saveSocial(mira, 'mira', { version: 1, ...filled.social })
		expect((await getSocial(mira, 'mira')).values).toMatchObject({
			github: 'https://github.com/miraq',
			portfolio: 'https://mira.example/',
			linkedin: '',
		})
	})

	test('an account without a profile row is edited like any other', async () => {
		const late = await makeMember('late')
		await save(late, { ...filled.personal, fullName: 'Late' })
		expect((await getPersonal(late, 'late')).values.fullName).toBe('Late')
	})
})

describe('two saves of the same section', () => {
	test('the later one gets a conflict with the stored values, and changes nothing', async () => {
		const { version } = await getPersonal(bram, 'bram')
		await savePersonal(bram, 'bram', { ...filled.personal, fullName: 'First', version })
		const late = savePersonal(bram, 'bram', { ...filled.personal, fullName: 'Second', skills: 'Rust', version })
		const refusal = await late.catch((error: unknown) => error)
		expect(refusal).toBeInstanceOf(EditConflict)
		expect((refusal as EditConflict).stored.values.fullName).toBe('First')
		expect((await getPersonal(bram, 'bram')).values).toMatchObject({ fullName: 'First', skills: 'React, TypeScript' })
	})

	test('saving again with the version of the conflict overwrites', async () => {
		const { version } = await getPersonal(bram, 'bram')
		await savePersonal(bram, 'bram', { ...filled.personal, fullName: 'Mine', version })
		expect((await getPersonal(bram, 'bram')).values.fullName).toBe('Mine')
	})

	test.each([
		['personal details', savePersonal, getPersonal, filled.personal, 'city'],
		['academics', saveAcademics, getAcademics, filled.academics, 'location'],
		['social links', saveSocial, getSocial, filled.social, 'codechef'],
	] as const)('of twenty concurrent ones, one wins: %s', async (_part, saveIt, getIt, fields, field) => {
		const { version } = await getIt(bram, 'bram')
		const outcomes = await Promise.allSettled(
			Array.from({ length: 20 }, (_, index) => saveIt(bram, 'bram', { ...fields, [field]: `n${index}`, version })),
		)
		expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
		expect(outcomes.filter((each) => each.status === 'rejected' && each.reason instanceof EditConflict)).toHaveLength(
			19,
		)
		expect((await getIt(bram, 'bram')).version).toBe(version + 1)
	})

	test('sending a form twice, as by a double click or after a lost response, is no conflict', async () => {
		const { version } = await getAcademics(bram, 'bram')
		const input = { ...filled.academics, location: 'Twice', version }
		await saveAcademics(bram, 'bram', input)
		await saveAcademics(bram, 'bram', input)
		expect(await getAcademics(bram, 'bram')).toMatchObject({ version: version + 1, values: { location: 'Twice' } })
		const personal = { ...filled.personal, skills: 'js, Kite making, JAVASCRIPT', status_line: 'Away' }
		const { version: before } = await getPersonal(bram, 'bram')
		await savePersonal(bram, 'bram', { ...personal, version: before })
		await savePersonal(bram, 'bram', { ...personal, version: before })
		expect((await getPersonal(bram, 'bram')).values.skills).toBe('JavaScript, Kite making')
	})

	test('different sections never conflict', async () => {
		const [personal, academics] = await Promise.all([getPersonal(bram, 'bram'), getAcademics(bram, 'bram')])
		await Promise.all([
			savePersonal(bram, 'bram', { ...filled.personal, version: personal.version }),
			saveAcademics(bram, 'bram', { ...filled.academics, version: academics.version }),
		])
		const saved = await Promise.all([getPersonal(bram, 'bram'), getAcademics(bram, 'bram')])
		expect(saved.map(({ version }) => version)).toEqual([personal.version + 1, academics.version + 1])
	})
})

describe('skills', () => {
	test('are stored without duplicates, in order, under their canonical names', async () => {
		await save(mira, { ...filled.personal, skills: ' js, React ,javascript,, node js,REACT, Kite flying' })
		expect((await getPersonal(mira, 'mira')).values.skills).toBe('JavaScript, React, Node.js, Kite flying')
	})

	test('a word that is no term keeps its first author’s spelling', async () => {
		await save(bram, { ...filled.personal, skills: 'kite FLYING' })
		expect((await getPersonal(bram, 'bram')).values.skills).toBe('Kite flying')
	})

	test('counters are right after concurrent saves', async () => {
		const pool = ['Go', 'Rust', 'Python', 'Zig', 'Elm', 'Perl']
		const people = await Promise.all(Array.from({ length: 8 }, (_, index) => makeMember(`many-${index}`)))
		for (let round = 0; round < 5; round += 1) {
			await Promise.all(
				people.map((one, index) => {
					const turned = [...pool.slice((index * round) % 6), ...pool.slice(0, (index * round) % 6)]
					return save(one, { ...filled.personal, skills: turned.slice(0, ((index + round) % 5) + 1).join(',') })
				}),
			)
		}
		const { rows } = await sql<{ name: string; member_count: number; real: number }>`
			select name, member_count, (select count(*)::int from profile_skills where skill_id = skills.id) as real
			from skills`.execute(db())
		expect(rows.filter((row) => row.member_count !== row.real)).toEqual([])
		expect(rows.some((row) => row.real > 1)).toBe(true)
	})
})

describe('the verified mark', () => {
	test('is lost with the confirmed address', async () => {
		const confirmed = { campus_name: 'Eastmere University', campus_verified_at: new Date() }
		const { version } = await getAcademics(mira, 'mira')
		await saveAcademics(mira, 'mira', { ...filled.academics, version })
		await db().updateTable('profiles').set(confirmed).where('user_id', '=', mira.id).execute()
		await saveAcademics(mira, 'mira', { ...filled.academics, location: 'Elsewhere', version: version + 1 })
		expect((await campus()).campus_name).toBe('Eastmere University')
		const moved = { ...filled.academics, university_email: 'other@eastmere.example', version: version + 2 }
		expect(await saveAcademics(mira, 'mira', moved)).toBe('other@eastmere.example')
		expect(await saveAcademics(mira, 'mira', { ...moved, city: '', version: version + 3 })).toBeNull()
		expect(await campus()).toEqual({ campus_name: '', campus_verified_at: null })
	})

	const campus = () =>
		db()
			.selectFrom('profiles')
			.select(['campus_name', 'campus_verified_at'])
			.where('user_id', '=', mira.id)
			.executeTakeFirstOrThrow()
})

describe('the profile picture', () => {
	test('is shown and removed', async () => {
		const path = await makePicture(mira, 'profile')
		await save(mira, { ...filled.personal, profile_url: path })
		expect((await getPersonal(mira, 'mira')).values.profile_url).toBe(path)
		await save(mira, { ...filled.personal, profile_url: '' })
		expect((await getPersonal(mira, 'mira')).values.profile_url).toBe('')
	})

	test('is saved on its own: an open form keeps the picture, and does not conflict', async () => {
		const { version } = await getPersonal(mira, 'mira')
		const path = await makePicture(mira, 'profile')
		await savePicture(mira, 'mira', path)
		const { profile_url: _, ...form } = { ...filled.personal, profile_url: '' }
		await savePersonal(mira, 'mira', { ...form, city: 'Beside it', version })
		expect((await getPersonal(mira, 'mira')).values).toMatchObject({ city: 'Beside it', profile_url: path })
		await expect(savePicture(bram, 'mira', null)).rejects.toThrow(NotAllowed)
		await expect(savePicture(mira, 'mira', await makePicture(bram, 'profile'))).rejects.toThrow(Invalid)
		await savePicture(mira, 'mira', null)
		expect((await getPersonal(mira, 'mira')).values.profile_url).toBe('')
	})

	test.each([
		['of somebody else', () => makePicture(bram, 'profile')],
		['of another kind', () => makePicture(mira, 'project')],
		['that does not exist', async () => 'profiles/mira/00000000000000000000000000000000'],
		['elsewhere on the web', async () => 'https://evil.example/pixel.png'],
	])('%s is refused', async (_which, path) => {
		const input = { ...filled.personal, profile_url: await path() }
		await expect(save(mira, input)).rejects.toThrow('This picture no longer exists.')
	})
})

test('a member who is suspended while something is saved saves nothing', async () => {
	const cora = await makeMember('cora')
	await save(cora, filled.personal)
	const [personal, academics, social] = [
		await getPersonal(cora, 'cora'),
		await getAcademics(cora, 'cora'),
		await getSocial(cora, 'cora'),
	].map(({ version }) => version)
	const ended = await queuedBehind<unknown>(
		(trx) => sql`update users set suspended_until = 'infinity' where id = ${cora.id}`.execute(trx),
		[
			async () => savePersonal(cora, 'cora', { ...filled.personal, city: 'Late', version: personal }),
			async () => saveAcademics(cora, 'cora', { ...filled.academics, version: academics }),
			async () => saveSocial(cora, 'cora', { ...filled.social, version: social }),
			async () => addProject(cora, 'cora', filled.project),
			async () => setFollowing(cora, { category: 'others' }, true),
			async () => setEvidenceShown(cora, 'cora', [{ skill: 'JavaScript', shown: false }]),
		],
	)
	for (const one of ended) expect(one).toMatchObject({ reason: { message: expect.stringContaining('suspended') } })
	expect((await getPersonal(cora, 'cora')).values.city).toBe(filled.personal.city)
})

/** A date relative to today, in the form's format. */
function dayIn(days: number): string {
	return siteDay(Date.now() + days * 86_400_000)
}

async function save(viewer: SignedIn, input: Input): Promise<void> {
	const { version } = await getPersonal(viewer, viewer.username)
	await savePersonal(viewer, viewer.username, { ...input, version })
}
