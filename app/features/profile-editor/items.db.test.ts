import { randomUUID } from 'node:crypto'
import { beforeAll, describe, expect, test } from 'vitest'
import type { SignedIn } from '~/lib/viewer.ts'
import { db } from '~/platform/db/db.server.ts'
import { EditConflict } from '~/platform/http/form.server.ts'
import { makeMember } from '../../../tests/factories/forum.ts'
import { filled, makePicture } from '../../../tests/factories/profiles.ts'
import { useDatabase } from '../../../tests/support/database.ts'
import {
	addCertificate,
	addProject,
	deleteCertificate,
	deleteProject,
	getCertificate,
	getProject,
	listCertificates,
	listProjects,
	saveCertificate,
	saveProject,
} from './items.server.ts'

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

test('a certificate is added, replaced by its id, and deleted; its place in the list stays', async () => {
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

test('a certificate without an image is refused at its field', async () => {
	const refusal = await addCertificate(mira, 'mira', { ...filled.certificate }).catch((error: unknown) => error)
	expect(refusal).toMatchObject({ fields: { certificate_image: 'Before uploading, choose an image!' } })
})

test('a project needs no image, keeps its stack in order, and its links as addresses', async () => {
	await addProject(mira, 'mira', { ...filled.project, project_tech_stack: 'Go, go , SQLite' })
	const [project] = await listProjects(mira, 'mira')
	expect(project).toMatchObject({
		title: 'messmate',
		stack: ['Go', 'SQLite'],
		links: [{ label: 'Source', url: 'https://git.example/messmate' }],
	})
})

describe('two saves of one project', () => {
	test('the later one is told, and keeps its own with the new version', async () => {
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

	test('one that was deleted meanwhile is not there to be saved', async () => {
		await addProject(mira, 'mira', { ...filled.project, project_title: 'short-lived' })
		const project = (await listProjects(mira, 'mira')).find(({ title }) => title === 'short-lived')
		await deleteProject(mira, 'mira', project?.id ?? '')
		const late = saveProject(mira, 'mira', project?.id ?? '', { ...filled.project, version: 1 })
		await expect(late).rejects.toThrow('There is no such project. It may have been deleted.')
	})
})

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

test('of many added at once no more than a hundred stay', async () => {
	const added = { user_id: bram.id, project_title: 'x' }
	await db()
		.insertInto('projects')
		.values(Array.from({ length: 85 }, () => ({ ...added, project_id: randomUUID() })))
		.execute()
	const outcomes = await Promise.allSettled(
		Array.from({ length: 25 }, () => addProject(bram, 'bram', { ...filled.project })),
	)
	expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(15)
	expect(await listProjects(bram, 'bram')).toHaveLength(100)
})
