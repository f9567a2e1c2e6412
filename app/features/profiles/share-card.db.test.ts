import sharp from 'sharp'
import { beforeAll, describe, expect, test } from 'vitest'
import { getPersonal, saveAcademics, savePersonal } from '~/features/profile-editor/editing.server.ts'
import type { SignedIn } from '~/lib/viewer.ts'
import { makeMember } from '../../../tests/factories/forum.ts'
import { filled } from '../../../tests/factories/profiles.ts'
import { useDatabase } from '../../../tests/support/database.ts'
import { drawCard, drawnSiteName, getShareCard, shareCard } from './share-card.server.ts'

useDatabase()

let mira: SignedIn

beforeAll(async () => {
	mira = await makeMember('mira')
	await savePersonal(mira, 'mira', { ...filled.personal, version: 1 })
	await saveAcademics(mira, 'mira', { ...filled.academics, version: 1 })
})

const row = {
	name: 'Mira Quillon',
	username: 'mira',
	enrol_in_branch_name: 'CSE',
	current_year: 3,
	current_semester: 6,
	university_name: 'Eastmere University',
	skills: ['React', 'Go'],
}

/** The number of pixels in a region that are darker than the background: zero if nothing is drawn there. */
async function ink(
	card: Buffer,
	region: { left: number; top: number; width: number; height: number },
): Promise<number> {
	const { data } = await sharp(card).extract(region).greyscale().raw().toBuffer({ resolveWithObject: true })
	return data.filter((value) => value < 128).length
}

describe('a card', () => {
	test('shows what the public list shows', () => {
		expect(shareCard(row, '')).toEqual({
			name: 'Mira Quillon',
			username: 'mira',
			studies: 'CSE, 3rd year, semester 6',
			university: 'Eastmere University',
			verified: false,
			skills: ['React', 'Go'],
		})
		expect(shareCard(row, 'MIT')).toMatchObject({ university: 'MIT', verified: true })
	})

	test.each([
		['李雷', '@mira'],
		['ज़ोया', '@mira'],
		['a\u202eb', '@mira'],
		['👩🏽‍💻', '@mira'],
		['Łukasz Żółw', 'Łukasz Żółw'],
		['Zoe\u0308', 'Zoë'],
		['x'.repeat(100), `${'x'.repeat(47)}…`],
	])('never shows boxes for letters that its font lacks: %s is %s', (name, shown) => {
		expect(shareCard({ ...row, name, skills: ['React', '李'] }, '')).toMatchObject({ name: shown, skills: ['React'] })
	})

	test('names the site by its address where its font lacks letters of the name', () => {
		expect(['Eastmere Quad', 'क्वाड', 'Кампус'].map(drawnSiteName)).toEqual([
			'Eastmere Quad',
			'localhost:3000',
			'localhost:3000',
		])
	})

	test('is a PNG of 1200 × 630 whose text is drawn', async () => {
		const card = await drawCard(shareCard(row, ''), 'DevQuad')
		expect(await sharp(card).metadata()).toMatchObject({ format: 'png', width: 1_200, height: 630 })
		expect(card.length).toBeLessThan(60_000)
		const name = { left: 80, top: 190, width: 700, height: 90 }
		const empty = await drawCard(shareCard({ ...row, name: ' ' }, ''), 'DevQuad')
		expect(await ink(card, name)).toBeGreaterThan(3_000)
		expect(await ink(card, name)).toBeGreaterThan(2 * (await ink(empty, name)))
	})

	test.each([
		[
			'the longest of everything',
			{
				...row,
				name: 'W'.repeat(100),
				username: 'w'.repeat(60),
				university_name: 'W'.repeat(200),
				skills: Array(30).fill('W'.repeat(50)),
			},
		],
		[
			'nothing but a username',
			{
				...row,
				name: '',
				enrol_in_branch_name: '',
				university_name: '',
				current_year: null,
				current_semester: null,
				skills: [],
			},
		],
		['what would be markup', { ...row, name: '<b>&"\'</b>', skills: ['</span>', '&amp;', '<x'] }],
	])('can be drawn of %s', async (_, of) => {
		for (const campus of ['', 'W'.repeat(120)])
			expect(await sharp(await drawCard(shareCard(of, campus), '<&> "campus"')).metadata()).toMatchObject({
				width: 1_200,
				height: 630,
			})
	})
})

describe('the card of a link', () => {
	test('has an ETag that depends on its content, and is drawn once', async () => {
		const first = await getShareCard('MIRA')
		expect((await getShareCard('mira')).tag).toBe(first.tag)
		expect(await first.draw()).toBe(await (await getShareCard('mira')).draw())
		const { version, values } = await getPersonal(mira, 'mira')
		await savePersonal(mira, 'mira', { ...values, phone: '+1 555 0199', about: 'Something new', version })
		expect((await getShareCard('mira')).tag).toBe(first.tag)
		await savePersonal(mira, 'mira', { ...values, skills: 'Rust', version: version + 1 })
		expect((await getShareCard('mira')).tag).not.toBe(first.tag)
	})

	test('is the site’s own for an unknown username, and for an unlisted member', async () => {
		const site = await getShareCard('nobody')
		expect((await getShareCard('mira')).tag).not.toBe(site.tag)
		const { version, values } = await getPersonal(mira, 'mira')
		await savePersonal(mira, 'mira', { ...values, listed: '', version })
		expect((await getShareCard('mira')).tag).toBe(site.tag)
		expect((await getShareCard('../../x')).tag).toBe(site.tag)
	})
})
