import { sql } from 'kysely'
import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import '~/features/index.server.ts'
import { askQuestion, editQuestion } from '~/features/asking/asking.server.ts'
import { saveDraft } from '~/features/asking/drafts.server.ts'
import { decideCase } from '~/features/moderation/decisions.server.ts'
import { listQuestions } from '~/features/question-lists/lists.server.ts'
import { listFollowed, setFollowing } from '~/features/tags/following.server.ts'
import { getCategoryPage, listCategories } from '~/features/tags/tags.server.ts'
import { Conflict, Invalid, NotAllowed, NotFound } from '~/lib/errors.ts'
import type { SignedIn } from '~/lib/viewer.ts'
import { db } from '~/platform/db/db.server.ts'
import { EditConflict } from '~/platform/http/form.server.ts'
import { makeMember, makeQuestion } from '../../../../tests/factories/forum.ts'
import { useDatabase } from '../../../../tests/support/database.ts'
import { expectCountsToHold } from '../../../../tests/support/forum-rows.ts'
import {
	addCategory,
	archiveCategory,
	getCategoryDetail,
	listCategoryDetails,
	mergeCategory,
	moveCategory,
	moveMergedQuestions,
	previewCategoryMerge,
	saveCategory,
} from './categories.server.ts'

useDatabase()

let ada: SignedIn
let admin: SignedIn
let other: SignedIn
let made = 0

beforeAll(async () => {
	ada = await makeMember('ada')
	admin = await makeMember('admin', 'admin')
	other = await makeMember('other', 'admin')
})

const about = { description: '', asking: 'everybody' }

/** Adds a category for one test. */
async function makeCategory(input: Record<string, string> = {}): Promise<{ id: number; slug: string; title: string }> {
	made += 1
	const sent = { title: `Subject ${made}`, slug: `subject-${made}`, ...about, ...input }
	const { id } = await addCategory(admin, sent)
	return { id, slug: sent.slug, title: sent.title }
}

async function formOf(id: number): Promise<Record<string, string>> {
	const { category } = await getCategoryDetail(admin, id)
	const { title, slug, description, asking, version } = category
	return { title, slug, description, asking, version: String(version) }
}

const rename = async (id: number, slug: string) => saveCategory(admin, id, { ...(await formOf(id)), slug })
const idOf = async (slug: string) => (await listCategoryDetails(admin)).find((row) => row.slug === slug)?.id ?? 0

async function logged(id: number): Promise<string[]> {
	const { rows } = await sql<{ line: string }>`
		select act || ' ' || (facts->>'note') as line from moderation_log where kind = 'category' and target_id = ${id} order by id`.execute(
		db(),
	)
	return rows.map(({ line }) => line.trim())
}

describe('validation of the form', () => {
	let taken: { id: number; slug: string; title: string }
	let former = ''

	beforeAll(async () => {
		taken = await makeCategory({ title: 'Robotics', slug: 'robots' })
		former = 'robots'
		await rename(taken.id, 'robotics')
		const merged = await makeCategory({ title: 'Drones', slug: 'drones' })
		await mergeCategory(admin, merged.id, { into: 'robotics' })
	})

	const cases: [string, Record<string, string>, string, RegExp][] = [
		['no name', { title: ' ' }, 'title', /Enter the name/],
		['a name too long', { title: 'x'.repeat(41) }, 'title', /at most 40/],
		['a name that another has', { title: 'robotics' }, 'title', /already a category called “Robotics”/],
		['an address that another has', { slug: 'robotics' }, 'slug', /“Robotics” has this address/],
		['an address that another had', { slug: 'robots' }, 'slug', /permanently redirects to “Robotics”/],
		['an address of a merged one', { slug: 'drones' }, 'slug', /permanently redirects to “Robotics”/],
		['a word of the forum', { slug: 'edit' }, 'slug', /forum itself/],
		['another word of the forum', { slug: 'tags' }, 'slug', /forum itself/],
		['a dot', { slug: 'feed.atom' }, 'slug', /letters from a to z/],
		['a slash', { slug: 'a/b' }, 'slug', /letters from a to z/],
		['a dash at its end', { slug: 'a-' }, 'slug', /letters from a to z/],
		['an address too long', { slug: 'x'.repeat(41) }, 'slug', /at most 40/],
		['a name of which no address can be made', { title: '機械学習', slug: '' }, 'slug', /^No address can be made/],
		['a description too long', { description: 'x'.repeat(301) }, 'description', /at most 300/],
		['somebody who cannot ask', { asking: 'robots' }, 'asking', /Choose who/],
	]

	test.each(cases)('%s, for a new and an existing category', async (_what, change, field, message) => {
		const sent = { title: 'Fresh', slug: 'fresh', ...about, ...change }
		const mine = await makeCategory()
		const adding = await addCategory(admin, sent).catch((error) => error)
		const saving = await saveCategory(admin, mine.id, { ...sent, version: '1' }).catch((error) => error)
		for (const error of [adding, saving]) {
			expect(error).toBeInstanceOf(Invalid)
			expect(error.fields[field]).toMatch(message)
		}
		expect(await idOf('fresh')).toBe(0)
		expect(await formOf(mine.id)).toMatchObject({ slug: mine.slug, version: '1' })
		expect(former).toBe('robots')
	})

	test('moving, restricting, archiving or merging the default category', async () => {
		const id = await idOf('others')
		const form = await formOf(id)
		for (const change of [{ slug: 'elsewhere' }, { asking: 'staff' }])
			await expect(saveCategory(admin, id, { ...form, ...change })).rejects.toThrow(
				/for everything that fits nowhere else/,
			)
		await expect(archiveCategory(admin, id, true)).rejects.toThrow(Conflict)
		await expect(mergeCategory(admin, id, { into: 'robotics' })).rejects.toThrow(Conflict)
		await saveCategory(admin, id, { ...form, description: 'What fits nowhere else.' })
		expect((await getCategoryPage(null, 'others')).description).toBe('What fits nowhere else.')
	})

	test('merging into an unknown or unsuitable category', async () => {
		const { id, slug } = await makeCategory()
		const shut = await makeCategory()
		await archiveCategory(admin, shut.id, true)
		for (const [into, message] of [
			['', /Choose a category/],
			['nowhere', /no such category/],
			[slug, /a category other than this/],
			[shut.slug, /is archived/],
		] as const)
			for (const act of [previewCategoryMerge, mergeCategory])
				await expect(act(admin, id, { into })).rejects.toThrow(message)
		await expect(archiveCategory(admin, shut.id, true)).rejects.toThrow(Conflict)
		await expect(getCategoryDetail(admin, 2 ** 30)).rejects.toThrow(NotFound)
	})
})

test('a slug is derived from the name; a category can return to its former slug', async () => {
	const { id } = await addCategory(admin, { title: ' Über  C++ & Co ', slug: '', ...about })
	expect((await getCategoryDetail(admin, id)).category).toMatchObject({ title: 'Über C++ & Co', slug: 'uber-c-co' })
	await rename(id, 'c-and-co')
	await rename(id, 'uber-c-co')
	expect((await getCategoryDetail(admin, id)).category.formerSlugs).toEqual(['c-and-co'])
	expect(await logged(id)).toEqual([
		'add a category',
		'change a category uber-c-co → c-and-co',
		'change a category c-and-co → uber-c-co',
	])
})

describe('every address with a former slug redirects to the category', () => {
	let category: { id: number; slug: string; title: string }
	let question: { id: number; url: string }

	beforeEach(async () => {
		category = await makeCategory()
		question = await makeQuestion(ada, { category: category.slug })
		await saveDraft(ada, {
			key: 'ask',
			title: 'Half a question',
			description: '',
			tags: '',
			category: category.slug,
			version: '',
		})
		await setFollowing(ada, { category: category.slug }, true)
	})

	test.each(['renamed', 'renamed twice', 'merged', 'renamed, then merged, then merged again'])('%s', async (what) => {
		const { id, slug } = category
		let now = what === 'renamed twice' ? `then-${made}` : `now-${made}`
		if (what === 'renamed twice') await rename(id, `now-${made}`)
		if (what.startsWith('renamed')) await rename(id, now)
		if (what.includes('merged')) {
			const into = await makeCategory()
			await mergeCategory(admin, id, { into: into.slug })
			now = into.slug
			if (what.endsWith('again')) {
				const last = await makeCategory()
				await mergeCategory(admin, into.id, { into: last.slug })
				now = last.slug
				await moveMergedQuestions(into.id)
			}
			await moveMergedQuestions(id)
		}
		expect(await getCategoryPage(ada, slug)).toMatchObject({ slug: now, count: 1, following: true })
		for (const input of [{ category: slug }, { search: `category:${slug}` }, { category: slug, search: 'work' }])
			expect((await listQuestions(null, input)).rows.map((row) => row.id)).toEqual([question.id])
		expect(
			(await listQuestions(null, { search: `-category:${slug} question` })).rows.map((row) => row.id),
		).not.toContain(question.id)
		const { url } = await askQuestion(ada, {
			title: 'One more of these',
			description: 'How?',
			tags: 'x',
			category: slug,
		})
		expect(url).toContain(`/forum/${now}/`)
		expect((await listFollowed(ada)).categories).toContain(now)
		const { rows } = await sql<{ category: string }>`select category from drafts where user_id = ${ada.id}`.execute(
			db(),
		)
		expect(rows).toEqual([{ category: now }])
		await expectCountsToHold()
	})
})

test('a merge previews what it moves, moves unpublished questions too, and joins followers', async () => {
	const [from, into] = [await makeCategory(), await makeCategory()]
	const gone = await makeQuestion(ada, { category: from.slug })
	await decideCase(admin, { kind: 'query', name: String(gone.id), act: 'hide' }, { why: 'It repeats.' })
	await makeQuestion(ada, { category: from.slug })
	for (const category of [from.slug, into.slug]) await setFollowing(ada, { category }, true)
	await setFollowing(other, { category: from.slug }, true)
	expect(await previewCategoryMerge(admin, from.id, { into: into.slug })).toEqual({
		into: { slug: into.slug, title: into.title },
		questions: 2,
		followers: 2,
	})
	expect(await mergeCategory(admin, from.id, { into: into.slug })).toEqual({ id: into.id, title: into.title })
	await moveMergedQuestions(from.id)
	expect((await getCategoryDetail(admin, from.id)).mergedInto).toBe(into.id)
	expect((await getCategoryDetail(admin, into.id)).category).toMatchObject({
		questions: 1,
		followers: 2,
		formerSlugs: [from.slug],
	})
	expect((await listCategories()).map(({ slug }) => slug)).not.toContain(from.slug)
	expect(await logged(from.id)).toEqual(['add a category', `merge into “${into.title}”, 2 queries`])
})

describe('who may ask', () => {
	const table: [string, string, boolean, boolean, boolean][] = [
		['everybody', 'everybody', true, true, true],
		['verified students', 'verified', false, true, true],
		['moderators', 'staff', false, false, true],
		['nobody, as it is archived', 'archived', false, false, false],
	]

	test.each(table)('%s', async (_what, asking, member, verified, staff) => {
		const { id, slug } = await makeCategory()
		const before = await makeQuestion(ada, { category: slug })
		const elsewhere = await makeQuestion(ada, {})
		if (asking === 'archived') await archiveCategory(admin, id, true)
		else await saveCategory(admin, id, { ...(await formOf(id)), asking })
		const student = await makeMember(`student${made}`)
		await sql`insert into profiles (user_id, university_email, campus_name, campus_verified_at)
			values (${student.id}, ${student.username}, 'Campus', now())`.execute(db())
		const texts = { title: 'May this be asked here?', description: 'Or not?', tags: 'x', category: slug }
		for (const [who, may] of [
			[ada, member],
			[student, verified],
			[other, staff],
		] as const) {
			const asked = askQuestion(who, texts)
			if (may) await asked
			else await expect(asked).rejects.toThrow(Invalid)
		}
		// Questions that were asked there may stay, but none can be moved there.
		await editQuestion(ada, before.id, { ...texts, title: 'It was asked here before' })
		const moved = editQuestion(ada, elsewhere.id, { ...texts, title: 'It was asked elsewhere' })
		if (member) await moved
		else await expect(moved).rejects.toThrow(Invalid)
		await expectCountsToHold()
	})
})

test('the order is that of the forum’s menu, archived ones last', async () => {
	const [one, two] = [await makeCategory(), await makeCategory()]
	const last = async () =>
		(await listCategories())
			.filter(({ askers }) => askers !== 'nobody')
			.slice(-2)
			.map(({ slug }) => slug)
	expect(await last()).toEqual([one.slug, two.slug])
	await moveCategory(admin, two.id, 'down')
	expect(await last()).toEqual([one.slug, two.slug])
	await moveCategory(admin, two.id, 'up')
	expect(await last()).toEqual([two.slug, one.slug])
	await archiveCategory(admin, two.id, true)
	expect((await listCategories()).at(-1)?.askers).toBe('nobody')
	expect(await last()).not.toContain(two.slug)
	await archiveCategory(admin, two.id, false)
	expect(await logged(two.id)).toEqual(['add a category', 'move up', 'archive', 'reopen'])
})

describe('concurrent changes', () => {
	test('the second of two forms gets a conflict, and keeps its input', async () => {
		const { id } = await makeCategory()
		const form = await formOf(id)
		const saves = await Promise.allSettled([
			saveCategory(admin, id, { ...form, description: 'What one admin says.' }),
			saveCategory(other, id, { ...form, description: 'What the other says.' }),
		])
		const [refused] = saves.flatMap((save) => (save.status === 'rejected' ? [save.reason] : []))
		expect(refused).toBeInstanceOf(EditConflict)
		expect(refused.stored.values.description).toBe((await formOf(id)).description)
		expect(refused.stored.version).toBe(2)
		// Repeating the save, as by a double click, is no conflict.
		await saveCategory(admin, id, { ...(await formOf(id)), version: '1' })
		expect(await formOf(id)).toMatchObject({ version: '2' })
	})

	test('two categories cannot get the same slug', async () => {
		made += 1
		const slug = `contested-${made}`
		const adds = await Promise.allSettled(
			[admin, other].map((who, index) => addCategory(who, { title: `Contested ${made} ${index}`, slug, ...about })),
		)
		expect(adds.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected'])
	})

	test('of two merges into each other one is done, and nobody can ask in the merged category', async () => {
		const [one, two] = [await makeCategory(), await makeCategory()]
		const merges = await Promise.allSettled([
			mergeCategory(admin, one.id, { into: two.slug }),
			mergeCategory(other, two.id, { into: one.slug }),
			...[one, two, one, two].map(({ slug }) => makeQuestion(ada, { category: slug })),
		])
		expect(merges.map(({ status }) => status).sort()).toEqual([...Array(5).fill('fulfilled'), 'rejected'])
		for (const { id } of [one, two]) await moveMergedQuestions(id)
		const { rows } = await sql<{ count: number }>`
			select count(*)::int as count from questions join categories c on c.id = category_id where c.merged_into is not null`.execute(
			db(),
		)
		expect(rows).toEqual([{ count: 0 }])
		await expectCountsToHold()
	})
})

test('only admins, according to the database, can do any of this', async () => {
	const { id, slug, title } = await makeCategory()
	const former = await makeMember(`former${made}`, 'admin')
	await sql`update users set role = 'moderator' where id = ${former.id}`.execute(db())
	const suspended = await makeMember(`suspended${made}`, 'admin')
	await sql`update users set suspended_until = 'infinity' where id = ${suspended.id}`.execute(db())
	const before = await formOf(id)
	for (const who of [null, ada, former, suspended])
		for (const act of [
			() => addCategory(who, { title: `Mine ${made}`, slug: '', ...about }),
			() => saveCategory(who, id, { ...before, title: `${title} mine` }),
			() => moveCategory(who, id, 'up'),
			() => archiveCategory(who, id, true),
			() => mergeCategory(who, id, { into: 'others' }),
		])
			await expect(act()).rejects.toThrow(NotAllowed)
	for (const who of [null, ada])
		for (const read of [
			() => listCategoryDetails(who),
			() => getCategoryDetail(who, id),
			() => previewCategoryMerge(who, id, { into: 'others' }),
		])
			await expect(read()).rejects.toThrow(NotAllowed)
	expect(await formOf(id)).toEqual(before)
	expect(await idOf(slug)).toBe(id)
})
