import { beforeAll, describe, expect, test } from 'vitest'
import {
	getAcademics,
	getPersonal,
	saveAcademics,
	savePersonal,
	saveSocial,
} from '~/features/profile-editor/editing.server.ts'
import { addCertificate, addProject } from '~/features/profile-editor/items.server.ts'
import { Invalid, NotAllowed } from '~/lib/errors.ts'
import type { SignedIn } from '~/lib/viewer.ts'
import { ALL_PAGES, pageCache } from '~/platform/cache/pages.server.ts'
import { db } from '~/platform/db/db.server.ts'
import { makeMember } from '../../../../tests/factories/forum.ts'
import { filled, makePicture } from '../../../../tests/factories/profiles.ts'
import { anyProfile } from '../../../../tests/factories/resume.ts'
import { useDatabase } from '../../../../tests/support/database.ts'
import { getResume } from '../resume.server.ts'
import { toResume } from '../resume.view.ts'
import { applyImport, PreviewOutdated, previewImport } from './import.server.ts'

useDatabase()

let mira: SignedIn
let made = 0

beforeAll(async () => {
	mira = await makeMember('mira')
	const image = await makePicture(mira, 'certificate')
	const portrait = await makePicture(mira, 'profile')
	await savePersonal(mira, 'mira', {
		...filled.personal,
		profile_url: portrait,
		show_email: '',
		show_phone: '',
		version: 1,
	})
	await saveAcademics(mira, 'mira', { ...filled.academics, version: 1 })
	await saveSocial(mira, 'mira', { ...filled.social, version: 1 })
	await addCertificate(mira, 'mira', { ...filled.certificate, certificate_image: image })
	await addProject(mira, 'mira', filled.project)
})

async function newcomer(): Promise<SignedIn> {
	made += 1
	return makeMember(`newcomer${made}`)
}

const textOf = async (member: SignedIn, viewer = member) => JSON.stringify(await getResume(viewer, member.username))

/** Imports everything that a text offers. */
async function importAll(member: SignedIn, text: string): Promise<number> {
	const { document, fingerprint, changes } = await previewImport(member, member.username, text)
	return applyImport(member, member.username, { document, fingerprint, chosen: changes.map(({ id }) => id) })
}

/** A document without what is specific to an account: its name, its address and its pictures. */
function portable(text: string): unknown {
	return JSON.parse(text, (key, value) =>
		['username', 'email', 'image', 'profile_url', 'certificate_image', 'canonical'].includes(key) ? undefined : value,
	)
}

test('another member who imports an export gets the same export', async () => {
	const bram = await newcomer()
	await importAll(bram, await textOf(mira))
	expect(portable(await textOf(bram))).toEqual(portable(await textOf(mira)))
	expect(JSON.stringify(portable(await textOf(bram)))).toContain('EIT23CSE017')
})

test('the same for any profile, twice in a row', async () => {
	for (let seed = 1; seed <= 25; seed += 1) {
		const [first, second] = [await newcomer(), await newcomer()]
		const text = JSON.stringify(toResume(anyProfile(seed), 'https://elsewhere.example'))
		await importAll(first, text)
		await importAll(second, await textOf(first))
		expect({ seed, is: portable(await textOf(second)) }).toEqual({ seed, is: portable(await textOf(first)) })
		const settled = await previewImport(second, second.username, await textOf(second))
		expect({ seed, ...settled }).toMatchObject({ seed, changes: [], unsaved: [] })
	}
})

test('importing one’s own export changes nothing, and keeps the pictures', async () => {
	const { changes, unsaved } = await previewImport(mira, 'mira', await textOf(mira))
	expect({ changes, unsaved }).toEqual({ changes: [], unsaved: [] })
	const bram = await newcomer()
	const other = await previewImport(bram, bram.username, await textOf(mira))
	expect(other.unsaved).toEqual([
		{ path: 'basics.email', reason: 'An import does not change the address of an account.' },
		{ path: 'basics.image', reason: 'Pictures cannot be imported: upload it here.' },
		{ path: 'certificates[0]', reason: 'Pictures cannot be imported: upload it here.' },
	])
})

describe('the JSON Resume of a profile for others', () => {
	test('omits what only the owner sees', async () => {
		const bram = await newcomer()
		const text = await textOf(mira, bram)
		for (const secret of ['mira@campus.example', filled.personal.phone, 'EIT23CSE017', 'mira@eastmere.example'])
			expect(text).not.toContain(secret)
		expect(text).toContain('messmate')
	})

	test('includes address and phone number once their owner shows them', async () => {
		const bram = await newcomer()
		const { version, values } = await getPersonal(mira, 'mira')
		await savePersonal(mira, 'mira', { ...values, show_email: 'on', show_phone: 'on', version })
		const text = await textOf(mira, bram)
		expect(text).toContain('mira@campus.example')
		expect(text).toContain(filled.personal.phone)
		expect(text).not.toContain('EIT23CSE017')
	})

	test('is 404 for an unknown member', async () => {
		await expect(getResume(mira, 'nobody')).rejects.toThrow('No Data Found !')
	})
})

describe('an import', () => {
	const resume = {
		basics: { name: 'Orin Lampwright', label: 'Programmer', phone: '+1 555 0100' },
		skills: [{ name: 'js' }],
		education: [{ institution: 'Westmere College' }],
		projects: [{ name: 'wick', description: 'Taller.' }, { name: 'ford' }],
		certificates: [{ name: 'Keeper', date: '2024-02-01' }],
	}

	test('applies only the chosen changes', async () => {
		const bram = await newcomer()
		const preview = await previewImport(bram, bram.username, JSON.stringify(resume))
		expect(preview.changes.map(({ id }) => id)).toEqual([
			'personal.fullName',
			'personal.expertise_in',
			'personal.phone',
			'personal.skills',
			'academics.university_name',
			'certificates.0',
			'projects.0',
			'projects.1',
		])
		const chosen = ['personal.expertise_in', 'personal.skills', 'projects.1', 'personal.role', 'nonsense']
		expect(await applyImport(bram, bram.username, { ...preview, chosen })).toBe(3)
		expect(await getResume(bram, bram.username)).toMatchObject({
			basics: { name: bram.name, label: 'Programmer', email: `${bram.username}@campus.example` },
			skills: [{ name: 'JavaScript' }],
			projects: [{ name: 'ford' }],
		})
		expect((await getAcademics(bram, bram.username)).version).toBe(1)
	})

	test('replaces an item with the same title in place, and keeps fields that the document lacks', async () => {
		const bram = await newcomer()
		await addProject(bram, bram.username, { ...filled.project, project_title: 'Wick' })
		await addProject(bram, bram.username, { ...filled.project, project_title: 'last' })
		await importAll(bram, JSON.stringify(resume))
		const { projects } = await getResume(bram, bram.username)
		expect(projects?.map((project) => project?.name)).toEqual(['wick', 'last', 'ford'])
		expect(projects?.[0]).toMatchObject({ description: 'Taller.', keywords: ['React', 'SQLite', 'Go'] })
	})

	test('never changes visibility or the address of the account', async () => {
		const bram = await newcomer()
		const before = await db().selectFrom('users').selectAll().where('id', '=', bram.id).executeTakeFirst()
		const sly = {
			basics: { email: 'other@campus.example', role: 'admin' },
			meta: { devquad: { personal_details: { show_email: true, listed: false, username: 'mira' } } },
		}
		const preview = await previewImport(bram, bram.username, JSON.stringify({ ...sly, skills: ['Go'] }))
		expect(preview.changes.map(({ id }) => id)).toEqual(['personal.skills'])
		await applyImport(bram, bram.username, {
			...preview,
			chosen: ['personal.skills', 'personal.show_email', 'personal.email'],
		})
		const { values } = await getPersonal(bram, bram.username)
		expect(values).toMatchObject({ show_email: '', listed: 'on', skills: 'Go' })
		const after = await db().selectFrom('users').selectAll().where('id', '=', bram.id).executeTakeFirst()
		expect({ ...after, updated_at: null }).toEqual({ ...before, updated_at: null })
	})

	test('a new university address loses its confirmation', async () => {
		const bram = await newcomer()
		await saveAcademics(bram, bram.username, { university_email: 'b@mit.edu', version: 1 })
		await db()
			.updateTable('profiles')
			.set({ campus_name: 'MIT', campus_verified_at: new Date() })
			.where('user_id', '=', bram.id)
			.execute()
		await importAll(bram, JSON.stringify({ meta: { devquad: { academics: { university_email: 'c@mit.edu' } } } }))
		const row = await db().selectFrom('profiles').selectAll().where('user_id', '=', bram.id).executeTakeFirst()
		expect(row).toMatchObject({ university_email: 'c@mit.edu', campus_name: '', campus_verified_at: null })
	})

	test('is rejected if the profile has changed since the preview, and shows the new preview', async () => {
		const bram = await newcomer()
		const preview = await previewImport(bram, bram.username, JSON.stringify(resume))
		const { version, values } = await getPersonal(bram, bram.username)
		await savePersonal(bram, bram.username, { ...values, expertise_in: 'Something else', version })
		const chosen = preview.changes.map(({ id }) => id)
		const refusal = await applyImport(bram, bram.username, { ...preview, chosen }).catch((error: unknown) => error)
		expect(refusal).toBeInstanceOf(PreviewOutdated)
		const fresh = (refusal as PreviewOutdated).preview
		expect(fresh.changes.find(({ id }) => id === 'personal.expertise_in')?.differences[0]?.before).toBe(
			'Something else',
		)
		expect((await getResume(bram, bram.username)).projects).toBeUndefined()
		expect(await applyImport(bram, bram.username, { ...fresh, chosen })).toBe(chosen.length)
	})

	test('is applied once on a double click', async () => {
		const bram = await newcomer()
		const preview = await previewImport(bram, bram.username, JSON.stringify(resume))
		const chosen = preview.changes.map(({ id }) => id)
		const outcomes = await Promise.allSettled(
			[1, 2, 3].map(() => applyImport(bram, bram.username, { ...preview, chosen })),
		)
		expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
		expect((await getResume(bram, bram.username)).projects).toHaveLength(2)
	})

	test('reads a date with a time as its day', async () => {
		const bram = await newcomer()
		const at = '2024-08-21T00:00:00.000Z'
		const dated = {
			work: [{ name: 'Lamp Works', startDate: at, endDate: 'today' }],
			certificates: [{ name: 'Keeper', date: at }],
			projects: [{ name: 'wick', endDate: at }],
		}
		const { unsaved } = await previewImport(bram, bram.username, JSON.stringify(dated))
		expect(unsaved.map(({ path }) => path)).toEqual(['work[0].endDate'])
		expect(await importAll(bram, JSON.stringify(dated))).toBe(3)
		const { work, certificates, projects } = await getResume(bram, bram.username)
		expect([work?.[0], certificates?.[0], projects?.[0]]).toMatchObject([
			{ startDate: '2024-08-21' },
			{ date: '2024-08-21' },
			{ endDate: '2024-08-21' },
		])
	})

	test('renews the pages that are cached for visitors, as they show names', async () => {
		const bram = await newcomer()
		const page = { status: 200, headers: {}, br: Buffer.alloc(0) }
		await pageCache.fill('/', [ALL_PAGES], async () => page as never)
		expect(pageCache.get('/')).toBeDefined()
		await importAll(bram, JSON.stringify(resume))
		expect(pageCache.get('/')).toBeUndefined()
	})

	test('exceeding the limit of items applies nothing', async () => {
		const bram = await newcomer()
		const many = { basics: { label: 'Busy' }, projects: Array.from({ length: 101 }, (_, at) => ({ name: `p${at}` })) }
		const preview = await previewImport(bram, bram.username, JSON.stringify(many))
		const chosen = preview.changes.map(({ id }) => id)
		await expect(applyImport(bram, bram.username, { ...preview, chosen })).rejects.toThrow(
			'A profile has at most 100 projects: untick 1 of those that are added.',
		)
		expect((await getPersonal(bram, bram.username)).values.expertise_in).toBe('')
		expect(await applyImport(bram, bram.username, { ...preview, chosen: chosen.slice(0, -1) })).toBe(101)
	})

	test.each([[[]], [['nonsense']]])('choosing nothing (%j) is an error', async (chosen) => {
		const bram = await newcomer()
		const preview = await previewImport(bram, bram.username, JSON.stringify(resume))
		await expect(applyImport(bram, bram.username, { ...preview, chosen })).rejects.toThrow(
			'Select what you want to import.',
		)
	})

	test('only the owner can import', async () => {
		const bram = await newcomer()
		const text = JSON.stringify(resume)
		for (const viewer of [null, bram, { ...bram, role: 'admin' as const }]) {
			await expect(previewImport(viewer, 'mira', text)).rejects.toThrow(NotAllowed)
			const attempt = applyImport(viewer, 'mira', { document: text, fingerprint: '', chosen: ['personal.fullName'] })
			await expect(attempt).rejects.toThrow(NotAllowed)
		}
		await expect(previewImport(mira, 'mira', 'garbage')).rejects.toThrow(Invalid)
	})

	test('shows the first losses of a long list, and the number of the rest', async () => {
		const bram = await newcomer()
		const skills = Array.from({ length: 400 }, () => ({ level: 'x' }))
		const { unsaved, more } = await previewImport(bram, bram.username, JSON.stringify({ skills }))
		expect([unsaved.length, more]).toEqual([100, 300])
	})
})
