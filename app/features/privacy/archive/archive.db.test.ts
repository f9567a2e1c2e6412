import { execFileSync } from 'node:child_process'
import {
	createReadStream,
	existsSync,
	mkdirSync,
	readdirSync,
	renameSync,
	rmdirSync,
	rmSync,
	writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { bytes } from 'node:stream/consumers'
import { inflateRawSync } from 'node:zlib'
import { sql } from 'kysely'
import { beforeAll, expect, test } from 'vitest'
import { config } from '~/config.server.ts'
import { mergeAccounts } from '~/features/account-merge/merging.server.ts'
import { claimUsername } from '~/features/accounts/accounts.queries.server.ts'
import { setBlocked } from '~/features/conversations/conversations.server.ts'
import '~/features/index.server.ts'
import { setSkills } from '~/features/members/skills.server.ts'
import { storePicture } from '~/features/pictures/pictures.server.ts'
import { addProject } from '~/features/profile-editor/items.server.ts'
import { setFollowing } from '~/features/tags/following.server.ts'
import type { SignedIn } from '~/lib/viewer.ts'
import { db } from '~/platform/db/db.server.ts'
import { longWork } from '~/platform/db/scope.server.ts'
import type { Leaver } from '~/platform/member-data.ts'
import { makeMessage, passTime } from '../../../../tests/factories/chat.ts'
import { makeComment, makeMember, makeQuestion } from '../../../../tests/factories/forum.ts'
import { picture } from '../../../../tests/factories/pictures.ts'
import { useDatabase } from '../../../../tests/support/database.ts'
import { eventually } from '../../../../tests/support/eventually.ts'
import { queuedMails, useJobTables } from '../../../../tests/support/jobs.ts'
import {
	getArchive,
	leaveArchive,
	makeArchive,
	openArchive,
	removeArchiveFile,
	requestArchive,
	sweepArchives,
} from './archive.server.ts'

useDatabase()
useJobTables()

let mira: SignedIn
let peer: SignedIn

beforeAll(async () => {
	mira = await makeMember('mira')
	peer = await makeMember('peer')
})

/** Runs the queued archive jobs, as a worker would. */
async function work(): Promise<void> {
	const { rows } = await sql<{ identifier: string; payload: { userId: number; name: string } }>`
		delete from graphile_worker._private_jobs job using graphile_worker._private_tasks task
		where task.id = job.task_id and payload ->> 'name' like '%.zip' returning identifier, payload`.execute(db())
	for (const { identifier, payload } of rows)
		await (identifier === 'make-archive' ? makeArchive(payload) : removeArchiveFile(payload.name))
}

/** Unpacks a ZIP by its central directory. */
function unzip(zip: Buffer): Map<string, Buffer> {
	const files = new Map<string, Buffer>()
	for (let at = zip.indexOf(Buffer.from('PK\x01\x02', 'latin1')); zip.readUInt32LE(at) === 0x02014b50; ) {
		const [method, packed, nameLength, extra, comment, start] = [
			zip.readUInt16LE(at + 10),
			zip.readUInt32LE(at + 20),
			zip.readUInt16LE(at + 28),
			zip.readUInt16LE(at + 30),
			zip.readUInt16LE(at + 32),
			zip.readUInt32LE(at + 42),
		]
		const begin = start + 30 + zip.readUInt16LE(start + 26) + zip.readUInt16LE(start + 28)
		const contents = zip.subarray(begin, begin + packed)
		files.set(zip.toString('utf8', at + 46, at + 46 + nameLength), method === 8 ? inflateRawSync(contents) : contents)
		at += 46 + nameLength + extra + comment
	}
	return files
}

async function fetched(member: SignedIn): Promise<Map<string, Buffer>> {
	const { file, bytes: length } = await openArchive(member)
	const zip = await bytes(file)
	expect(zip.length).toBe(length)
	return unzip(Buffer.from(zip))
}

test('contains what a member wrote, uploaded and received, and nothing that they may not see', async () => {
	const asked = { title: 'How does an archive look', description: 'With *marks*.', category: 'python' }
	const own = await makeQuestion(mira, asked)
	const hidden = await makeQuestion(mira, { title: 'Asked under a pseudonym', pseudonym: 'on' })
	const strangers = await makeQuestion(peer, { title: 'Asked by a pseudonym of the peer', pseudonym: 'on' })
	const comment = await makeComment(mira, strangers.id, 'To somebody unknown.')
	await makeMessage(peer, mira, 'For mira.')
	await passTime()
	await makeMessage(mira, peer, 'For the peer.')
	await setBlocked(mira, 'peer', true)
	await passTime()
	await makeMessage(peer, mira, 'Never seen, as the peer is blocked.')
	const shown = await storePicture(mira, 'profile', new Blob([new Uint8Array(await picture('png'))]))
	await setFollowing(mira, { tag: 'testing' }, true)
	await setFollowing(mira, { category: 'python' }, true)
	await db()
		.transaction()
		.execute((trx) => setSkills(trx, mira.id, ['Lanterns']))
	await addProject(mira, 'mira', { project_title: 'Lamp', project_tech_stack: 'Lanterns' })
	await requestArchive(mira, mira)
	await expect(requestArchive(mira, mira)).rejects.toThrow('already being made')
	await expect(openArchive(mira)).rejects.toThrow('There is no archive')
	expect(await getArchive(mira)).toMatchObject({ progress: 0, endsAt: null })
	await work()
	expect(await getArchive(mira)).toMatchObject({ progress: null })
	const files = await fetched(mira)
	const json = (name: string) => JSON.parse(String(files.get(`data/${name}.json`))) as Record<string, unknown>[]
	expect(json('questions/questions').map(({ id, category }) => [id, category])).toEqual([
		[own.id, 'python'],
		[hidden.id, 'others'],
	])
	expect(json('tags/follows').map(({ tag, category }) => tag ?? category)).toEqual(
		expect.arrayContaining(['testing', 'python']),
	)
	expect(json('evidence/skill_evidence')).toMatchObject([{ skill: 'Lanterns', kind: 'project' }])
	expect(json('evidence/skill_strengths')).toMatchObject([{ skill: 'Lanterns' }])
	expect(String(files.get(`texts/queries/${own.id}.md`))).toContain('With *marks*.')
	expect(String(files.get(`texts/comments/${comment}.md`))).toContain('To somebody unknown.')
	expect(json('conversations/messages').map(({ body, mine }) => [body, mine])).toEqual([
		['For mira.', false],
		['For the peer.', true],
	])
	const schema = String(files.get('schema.txt'))
	for (const name of files.keys()) if (name.endsWith('.json')) expect(schema).toContain(`\`${name}\``)
	expect(schema).toContain('`pictures`, `sent_at`')
	expect(json('accounts/users')).toMatchObject([{ username: 'mira', email: 'mira@campus.example' }])
	expect(json('members/blocks')).toMatchObject([{ username: 'peer' }])
	expect(files.get(`pictures/${shown.path}.webp`)?.subarray(8, 12).toString()).toBe('WEBP')
	const whole = [...files].map(([name, contents]) => `${name} ${contents.toString('latin1')}`).join('\n')
	for (const secret of ['peer@campus.example', 'Never seen', `"author_id"`, `"pseudonym_of"`])
		expect(whole).not.toContain(secret)
	// Nobody else can fetch it, and it expires.
	await expect(openArchive(peer)).rejects.toThrow('There is no archive')
	await sql`update archives set ready_at = now() - interval '8 days'`.execute(db())
	await expect(openArchive(mira)).rejects.toThrow('There is no archive')
	await sweepArchives()
	expect((await sql`select from archives`.execute(db())).rows).toEqual([])
})

test('an expired archive is removed with its member, and when another one is requested', async () => {
	const lena = await makeMember('lena')
	const folder = join(config().dataDir, 'media/archives')
	const files = () => (existsSync(folder) ? readdirSync(folder) : [])
	const before = files()
	for (const _ of ['first', 'second']) {
		await requestArchive(lena, lena)
		await work()
		await sql`update archives set ready_at = now() - interval '8 days' where user_id = ${lena.id}`.execute(db())
		expect(await getArchive(lena)).toBeNull()
	}
	expect(files()).toHaveLength(before.length + 1)
	await leaveArchive({ id: lena.id } as Leaver)
	expect(files()).toEqual(before)
})

test('the file of one that is replaced, or whose account is merged, is removed even if it cannot be at first', async () => {
	const [vera, kept, admin] = [await makeMember('vera'), await makeMember('kept'), await makeMember('oda', 'admin')]
	for (const { username } of [vera, kept]) await claimUsername(username)
	const folder = join(config().dataDir, 'media/archives')
	const files = () => (existsSync(folder) ? readdirSync(folder) : [])
	const before = files()
	const replacing = () => requestArchive(vera, vera)
	const merging = () => mergeAccounts(admin, 'vera', { into: 'kept', username: 'vera', why: 'One person.' })
	await requestArchive(vera, vera)
	for (const act of [replacing, merging]) {
		await work()
		renameSync(folder, `${folder}-away`)
		writeFileSync(folder, '')
		await Promise.allSettled([act()])
		rmSync(folder)
		renameSync(`${folder}-away`, folder)
		await work()
		expect(files()).toHaveLength(before.length + (act === replacing ? 1 : 0))
	}
})

test('an archive without its file, as on a restored site, is no longer offered after a request', async () => {
	const rosa = await makeMember('rosa')
	await requestArchive(rosa, rosa)
	await work()
	expect(await getArchive(rosa)).not.toBeNull()
	rmSync(join(config().dataDir, 'media/archives'), { recursive: true })
	await expect(openArchive(rosa)).rejects.toThrow('There is no archive to download.')
	expect(await getArchive(rosa)).toBeNull()
})

test('an expired archive whose file cannot be removed does not block others', async () => {
	const folder = join(config().dataDir, 'media/archives')
	const stuck = join(folder, 'stuck.zip')
	// A folder in the place of the file.
	mkdirSync(stuck, { recursive: true })
	const members = [await makeMember('olga'), await makeMember('pavel')]
	for (const [index, name] of ['stuck.zip', 'other.zip'].entries())
		await sql`insert into archives (user_id, name, asked_at) values (${members[index]?.id}, ${name}, now() - interval '3 days')`.execute(
			db(),
		)
	const left = async () =>
		(await sql<{ name: string }>`select name from archives`.execute(db())).rows.map(({ name }) => name)
	await expect(sweepArchives()).rejects.toThrow()
	expect(await left()).toContain('stuck.zip')
	expect(await left()).not.toContain('other.zip')
	rmdirSync(stuck)
	await sweepArchives()
	expect(await left()).not.toContain('stuck.zip')
})

test('leftovers of a killed process are removed when the archive is no longer needed', async () => {
	const folder = join(config().dataDir, 'archives')
	mkdirSync(folder, { recursive: true })
	writeFileSync(join(folder, 'gone.zip.partial'), 'words of a member')
	await makeArchive({ userId: mira.id, name: 'gone.zip' })
	expect(readdirSync(folder)).not.toContain('gone.zip.partial')
})

test('one whose mail could not be queued is made again, with its mail', async () => {
	const untold = await makeMember('untold')
	await requestArchive(untold, untold)
	const { rows } = await sql<{ name: string }>`select name from archives where user_id = ${untold.id}`.execute(db())
	const payload = { userId: untold.id, name: rows[0]?.name ?? '' }
	const jobs = sql.raw('graphile_worker._private_jobs')
	await sql`alter table ${jobs} add constraint unqueued check (payload ->> 'subject' is null) not valid`.execute(db())
	await expect(makeArchive(payload)).rejects.toThrow('unqueued')
	await sql`alter table ${jobs} drop constraint unqueued`.execute(db())
	await makeArchive(payload)
	expect(await queuedMails('untold@campus.example')).toMatchObject([
		{ subject: expect.stringContaining('data is ready') },
	])
	expect((await getArchive(untold))?.endsAt).toEqual(expect.any(String))
})

test('one whose job failed can be requested again after a day', async () => {
	const jonas = await makeMember('jonas')
	await requestArchive(jonas, jonas)
	await sql`update archives set asked_at = now() - interval '23 hours' where user_id = ${jonas.id}`.execute(db())
	expect(await getArchive(jonas)).toMatchObject({ progress: 0 })
	await expect(requestArchive(jonas, jonas)).rejects.toThrow('already being made')
	await sql`update archives set asked_at = now() - interval '25 hours' where user_id = ${jonas.id}`.execute(db())
	// As for none: the page then shows its button again.
	expect(await getArchive(jonas)).toBeNull()
	await requestArchive(jonas, jonas)
	expect(await getArchive(jonas)).toMatchObject({ progress: 0 })
})

/** A member who has sent this many messages of 1.2 KB. */
async function makeWriter(username: string, messages: number): Promise<SignedIn> {
	const writer = await makeMember(username)
	await makeMessage(writer, peer, 'The first.')
	await longWork(() =>
		sql`
		insert into messages (conversation_id, sender_id, recipient_id, client_id, body, html, version)
		select conversation_id, sender_id, recipient_id, gen_random_uuid(), repeat('words ', 200), '<p></p>', 1
		from messages, generate_series(1, ${messages}::int) where sender_id = ${writer.id}`.execute(db()),
	)
	return writer
}

test('one whose file cannot be written releases its database connection', async () => {
	const writer = await makeWriter('writer', 2_000)
	await requestArchive(writer, writer)
	const { rows } = await sql<{ name: string }>`select name from archives where user_id = ${writer.id}`.execute(db())
	const name = rows[0]?.name ?? ''
	// A pipe whose reader goes away amid the messages, as a disk may be full by then.
	const file = join(config().dataDir, `archives/${name}.partial`)
	mkdirSync(dirname(file), { recursive: true })
	execFileSync('mkfifo', [file])
	const reader = createReadStream(file)
	reader.on('data', (part) => part.includes('words words') && reader.destroy())
	await expect(makeArchive({ userId: writer.id, name })).rejects.toThrow('EPIPE')
	await eventually(async () => {
		const open = sql`select from pg_stat_activity
			where datname = current_database() and state = 'idle in transaction' and query like 'fetch % from archived'`
		expect((await open.execute(db())).rows).toEqual([])
	})
})

test('a large archive takes constant memory and shows its progress', async () => {
	const many = await makeWriter('many', 10_000)
	const { path } = await storePicture(many, 'profile', new Blob([new Uint8Array(await picture('png'))]))
	await sql`
		insert into pictures (path, user_id, kind, width, height, bytes, colour)
		select 'profiles/many/' || lpad(to_hex(number), 32, '0'), user_id, kind, width, height, bytes, colour
		from pictures, generate_series(1, 1000) as number where path = ${path}`.execute(db())
	await requestArchive(many, many)
	const shown = new Set<number>()
	let most = 0
	const before = process.memoryUsage().arrayBuffers + process.memoryUsage().heapUsed
	const look = async () => {
		const { arrayBuffers, heapUsed } = process.memoryUsage()
		most = Math.max(most, arrayBuffers + heapUsed - before)
		shown.add((await getArchive(many))?.progress ?? 100)
	}
	let isDone = false
	const watching = (async () => {
		while (!isDone) await look()
	})()
	await longWork(work)
	isDone = true
	await watching
	expect((await getArchive(many))?.bytes).toBeGreaterThan(12_000_000)
	expect(shown.size).toBeGreaterThan(2)
	expect(most).toBeLessThan(120_000_000)
})
