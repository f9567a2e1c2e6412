import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { beforeAll, describe, expect, test } from 'vitest'
import type { SignedIn } from '~/lib/viewer.ts'
import { db } from '~/platform/db/db.server.ts'
import { EditConflict } from '~/platform/http/form.server.ts'
import { makeMember } from '../../../tests/factories/forum.ts'
import { filled, makePicture } from '../../../tests/factories/profiles.ts'
import { useDatabase } from '../../../tests/support/database.ts'
import { eventually } from '../../../tests/support/eventually.ts'
import { lockProfile } from '../profiles/profiles.queries.server.ts'
import { projectTerms } from './items.queries.server.ts'
import {
	addCertificate,
	addExperience,
	addProject,
	deleteCertificate,
	deleteExperience,
	deleteProject,
	getCertificate,
	getExperience,
	getProject,
	listCertificates,
	listExperiences,
	listProjects,
	saveCertificate,
	saveExperience,
	saveProject,
} from './items.server.ts'
import { getOrderVersion, moveItem } from './order.server.ts'

useDatabase()

let mira: SignedIn
let bram: SignedIn
let image: string

beforeAll(async () => {
	mira = await makeMember('mira')
	bram = await makeMember('bram')
	image = await makePicture(mira, 'certificate')
})

const certificate = (changes: object = {}) => ({ ...filled.certificate, certificate_image: image, ...changes })

test('adds, replaces and deletes a certificate; its place in the list stays', async () => {
	await addCertificate(mira, 'mira', certificate())
	await addCertificate(mira, 'mira', certificate({ certificate_title: 'Another' }))
	const [first] = await listCertificates(mira, 'mira')
	if (!first) throw new Error('it was not added')
	const start = await getCertificate(mira, 'mira', first.id)
	expect(start.values).toMatchObject({ ...filled.certificate, certificate_image: image, certificate_expire_date: '' })
	await saveCertificate(mira, 'mira', first.id, {
		...start.values,
		version: start.version,
		certificate_title: 'Renamed',
		certificate_expire_date: '2029-08-12',
	})
	expect((await listCertificates(mira, 'mira')).map(({ title, expires }) => [title, expires])).toEqual([
		['Renamed', '2029-08-12'],
		['Another', null],
	])
	await deleteCertificate(mira, 'mira', first.id)
	expect((await listCertificates(mira, 'mira')).map(({ title }) => title)).toEqual(['Another'])
	await expect(deleteCertificate(mira, 'mira', first.id)).rejects.toThrow('There is no such certificate.')
})

test('a certificate requires an image', async () => {
	const refusal = await addCertificate(mira, 'mira', { ...filled.certificate }).catch((error: unknown) => error)
	expect(refusal).toMatchObject({ fields: { certificate_image: 'Before uploading, choose an image!' } })
})

test('a project requires no image, keeps the order of its stack, and stores links as addresses', async () => {
	await addProject(mira, 'mira', { ...filled.project, project_tech_stack: 'Go, go , SQLite' })
	const [project] = await listProjects(mira, 'mira')
	expect(project).toMatchObject({
		title: 'messmate',
		stack: ['Go', 'SQLite'],
		links: [{ label: 'Source', url: 'https://git.example/messmate' }],
	})
})

describe('two saves of a project', () => {
	test('the later one gets a conflict, and overwrites with the new version', async () => {
		const [project] = await listProjects(mira, 'mira')
		const id = project?.id ?? ''
		const { version } = await getProject(mira, 'mira', id)
		await saveProject(mira, 'mira', id, { ...filled.project, project_title: 'theirs', version })
		const mine = { ...filled.project, project_title: 'mine' }
		const refusal = await saveProject(mira, 'mira', id, { ...mine, version }).catch((error: unknown) => error)
		expect(refusal).toBeInstanceOf(EditConflict)
		const { stored } = refusal as EditConflict
		expect(stored.values.project_title).toBe('theirs')
		await saveProject(mira, 'mira', id, { ...mine, version: stored.version })
		expect((await getProject(mira, 'mira', id)).values.project_title).toBe('mine')
	})

	test('one that was deleted meanwhile is 404', async () => {
		await addProject(mira, 'mira', { ...filled.project, project_title: 'short-lived' })
		const project = (await listProjects(mira, 'mira')).find(({ title }) => title === 'short-lived')
		await deleteProject(mira, 'mira', project?.id ?? '')
		const late = saveProject(mira, 'mira', project?.id ?? '', { ...filled.project, version: 1 })
		await expect(late).rejects.toThrow('There is no such project. It may have been deleted.')
	})
})

test.each([
	['replaced', (id: string) => saveProject(mira, 'mira', id, { ...filled.project, version: 1 })],
	['deleted', (id: string) => deleteProject(mira, 'mira', id)],
	['respelled', () => projectTerms.align(null)],
])(
	'an item can be %s while an import or a move holds the profile: it waits, in place of a deadlock',
	async (_what, change) => {
		await addProject(mira, 'mira', { ...filled.project, project_title: 'contested' })
		const id = (await listProjects(mira, 'mira')).find(({ title }) => title === 'contested')?.id ?? ''
		await sql`update projects set project_tech_stack = '{js}' where project_id = ${id}::uuid`.execute(db())
		let changing: Promise<unknown> | undefined
		await db()
			.transaction()
			.execute(async (trx) => {
				await lockProfile(trx, mira.id)
				changing = change(id)
				changing.catch(() => {})
				await eventually(async () => {
					const { rows } = await sql`select from pg_locks where not granted`.execute(db())
					expect(rows).not.toEqual([])
				})
				await sql`update projects set position = position + 1 where user_id = ${mira.id}`.execute(trx)
			})
		await changing
		if ((await listProjects(mira, 'mira')).some((project) => project.id === id)) await deleteProject(mira, 'mira', id)
	},
)

test('nobody else reads, replaces or deletes an item, even by its id', async () => {
	const [project] = await listProjects(mira, 'mira')
	const id = project?.id ?? ''
	const missing = 'There is no such project.'
	await expect(getProject(bram, 'bram', id)).rejects.toThrow(missing)
	await expect(saveProject(bram, 'bram', id, { ...filled.project, version: 1 })).rejects.toThrow(missing)
	await expect(deleteProject(bram, 'bram', id)).rejects.toThrow(missing)
	expect(await listProjects(mira, 'mira')).toContainEqual(project)
})

test.each(['', 'x', '1', "' or true --", '00000000-0000-0000-0000-000000000000'])(
	'an item called %j does not exist',
	async (id) => {
		await expect(getProject(mira, 'mira', id)).rejects.toThrow('There is no such project.')
		await expect(deleteProject(mira, 'mira', id)).rejects.toThrow('There is no such project.')
	},
)

test('concurrent additions cannot exceed a hundred', async () => {
	const added = { user_id: bram.id, project_title: 'x' }
	await db()
		.insertInto('projects')
		.values(Array.from({ length: 85 }, () => ({ ...added, project_id: randomUUID() })))
		.execute()
	const outcomes = await Promise.allSettled(
		Array.from({ length: 25 }, (_, index) =>
			addProject(bram, 'bram', { ...filled.project, project_title: `project ${index}` }),
		),
	)
	expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(15)
	expect(await listProjects(bram, 'bram')).toHaveLength(100)
})

test('the form of a new item that is sent twice, as after a lost response, adds it once', async () => {
	const rana = await makeMember('rana')
	const picture = await makePicture(rana, 'certificate')
	const work = { kind: 'work', organisation: 'Lamp Works', starts: '2024' }
	const twice = (add: () => Promise<void>) => Promise.all([add(), add()])
	await twice(() => addProject(rana, 'rana', { ...filled.project, project_tech_stack: 'golang, SQLite' }))
	await twice(() => addCertificate(rana, 'rana', { ...filled.certificate, certificate_image: picture }))
	await twice(() => addExperience(rana, 'rana', work))
	await addExperience(rana, 'rana', { ...work, starts: '2025' })
	expect(await listProjects(rana, 'rana')).toHaveLength(1)
	expect(await listCertificates(rana, 'rana')).toHaveLength(1)
	expect(await listExperiences(rana, 'rana')).toHaveLength(2)
})

describe('education and experience', () => {
	test('are added, replaced and deleted, grouped by kind', async () => {
		const work = { kind: 'work', organisation: ' Lamp  Works ', title: 'Tester', starts: '2024', ends: '' }
		await addExperience(mira, 'mira', work)
		await addExperience(mira, 'mira', {
			kind: 'education',
			organisation: 'Old School',
			degree: 'Diploma',
			ends: '2022-05',
		})
		const [school, job] = await listExperiences(mira, 'mira')
		expect([school, job]).toMatchObject([
			{ organisation: 'Old School', title: 'Diploma', span: 'until May 2022' },
			{ organisation: 'Lamp Works', title: 'Tester', span: 'since 2024' },
		])
		const { version, values } = await getExperience(mira, 'mira', job?.id ?? '')
		const change = { ...values, version, ends: '2024-08' }
		await saveExperience(mira, 'mira', job?.id ?? '', change)
		await expect(saveExperience(mira, 'mira', job?.id ?? '', { ...change, ends: '2025' })).rejects.toThrow(EditConflict)
		expect((await listExperiences(mira, 'mira')).at(-1)).toMatchObject({ span: '2024 to Aug 2024' })
		await expect(deleteExperience(bram, 'bram', job?.id ?? '')).rejects.toThrow('There is no such entry.')
		await deleteExperience(mira, 'mira', job?.id ?? '')
		expect(await listExperiences(mira, 'mira')).toHaveLength(1)
	})

	test.each([
		[{ organisation: '' }, 'organisation', 'Say where it is or was.'],
		[{ kind: 'holiday' }, 'kind', 'Choose what it is.'],
		[{ degree: 'B.Tech.' }, 'degree', 'Only studies have a degree.'],
		[{ starts: '2024-13' }, 'starts', 'Enter a year, or year and month, for example 2026-08.'],
		[{ starts: 'May' }, 'starts', 'Enter a year, or year and month, for example 2026-08.'],
		[{ starts: '2024-08', ends: '2024-07' }, 'ends', 'It cannot end before it began.'],
		[{ url: 'javascript:alert(1)' }, 'url', 'Enter a web address that begins with https://'],
	])('%j is refused at its field', async (changes, field, message) => {
		const input = { kind: 'work', organisation: 'Lamp Works', ...changes }
		const refusal = await addExperience(mira, 'mira', input).catch((error: unknown) => error)
		expect(refusal).toMatchObject({ fields: { [field]: message } })
	})
})

describe('the order of a list', () => {
	let ida: SignedIn
	const titles = async () => (await listProjects(ida, 'ida')).map(({ title, pinned }) => (pinned ? `*${title}` : title))
	const idOf = async (title: string) => (await listProjects(ida, 'ida')).find((one) => one.title === title)?.id ?? ''
	const move = async (step: string, title: string) =>
		moveItem(ida, 'ida', 'projects', {
			move: `${step}:${await idOf(title)}`,
			version: await getOrderVersion(ida, 'ida'),
		})

	beforeAll(async () => {
		ida = await makeMember('ida')
		for (const project_title of ['a', 'b', 'c', 'd']) await addProject(ida, 'ida', { ...filled.project, project_title })
	})

	test('results from the last step: up, down, pinned first, within the bounds of a part', async () => {
		const steps: [step: string, title: string, order: string[], said: string][] = [
			['up', 'c', ['a', 'c', 'b', 'd'], '“c” is number 2 of 4 now.'],
			['down', 'a', ['c', 'a', 'b', 'd'], '“a” is number 2 of 4 now.'],
			['up', 'c', ['c', 'a', 'b', 'd'], '“c” is number 1 of 4 now.'],
			['pin', 'b', ['*b', 'c', 'a', 'd'], '“b” is pinned.'],
			['up', 'c', ['*b', 'c', 'a', 'd'], '“c” is number 2 of 4 now.'],
			['pin', 'd', ['*b', '*d', 'c', 'a'], '“d” is pinned.'],
			['up', 'd', ['*d', '*b', 'c', 'a'], '“d” is number 1 of 4 now.'],
			['unpin', 'd', ['*b', 'd', 'c', 'a'], '“d” is no longer pinned.'],
			['unpin', 'b', ['b', 'd', 'c', 'a'], '“b” is no longer pinned.'],
		]
		for (const [step, title, order, said] of steps)
			expect([step, title, await move(step, title), await titles()]).toEqual([step, title, said, order])
		const ids = await Promise.all(['a', 'b', 'c', 'd'].map(idOf))
		await moveItem(ida, 'ida', 'projects', { order: ids.join(','), version: await getOrderVersion(ida, 'ida') })
		expect(await titles()).toEqual(['a', 'b', 'c', 'd'])
	})

	test('of two tabs the later one gets a conflict, and changes nothing', async () => {
		const version = await getOrderVersion(ida, 'ida')
		const ids = await Promise.all(['d', 'c', 'b', 'a'].map(idOf))
		const other = [...ids].reverse()
		const outcomes = await Promise.allSettled(
			[ids, other, ids].map((order) => moveItem(ida, 'ida', 'projects', { order: order.join(','), version })),
		)
		expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
		const late = outcomes.find(({ status }) => status === 'rejected') as PromiseRejectedResult
		expect(late.reason.message).toMatch(/^This list was changed in another tab\./)
		expect(await getOrderVersion(ida, 'ida')).toBe(version + 1)
	})

	test.each([
		['an order that lacks one', async () => ({ order: await idOf('a') }), /changed in another tab/],
		[
			'an order with one twice',
			async () => ({
				order: Array(4)
					.fill(await idOf('a'))
					.join(','),
			}),
			/changed in another tab/,
		],
		[
			'a step of an item of somebody else',
			async () => ({ move: `up:${(await listProjects(bram, 'bram'))[0]?.id}` }),
			/no such entry/,
		],
		['no step', async () => ({ move: 'sideways:1' }), /Choose what to move/],
		['nothing', async () => ({}), /Choose what to move/],
	])('%s is refused', async (_what, input, message) => {
		const before = await titles()
		const version = await getOrderVersion(ida, 'ida')
		await expect(moveItem(ida, 'ida', 'projects', { ...(await input()), version })).rejects.toThrow(message)
		expect(await titles()).toEqual(before)
	})
})
