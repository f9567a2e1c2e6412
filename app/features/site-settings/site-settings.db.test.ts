import { sql } from 'kysely'
import { beforeAll, beforeEach, expect, test, vi } from 'vitest'
import { config } from '~/config.server.ts'
import { features } from '~/features/index.server.ts'
import { Conflict, Invalid, NotAllowed, NotFound } from '~/lib/errors.ts'
import type { SignedIn } from '~/lib/viewer.ts'
import { db } from '~/platform/db/db.server.ts'
import { EditConflict, type Input } from '~/platform/http/form.server.ts'
import {
	checkboxSetting,
	choiceSetting,
	listSetting,
	numberSetting,
	secretSetting,
	settingSection,
	textSetting,
} from '~/platform/settings/setting.ts'
import { announceSettings, listenForSettings, siteSettings } from '~/platform/settings/settings.server.ts'
import { makeMember } from '../../../tests/factories/forum.ts'
import { useDatabase } from '../../../tests/support/database.ts'
import { eventually } from '../../../tests/support/eventually.ts'
import {
	forgetInSettings,
	getSection,
	listSections,
	registerSections,
	saveSection,
	undoChange,
} from './site-settings.server.ts'

useDatabase()

const checks = { check: vi.fn(), guard: vi.fn() }

const section = settingSection({
	name: 'example',
	title: 'An example',
	about: 'All kinds of settings.',
	settings: {
		line: textSetting({ label: 'Line', default: 'a line', maxLength: 20 }),
		isOn: checkboxSetting({ label: 'On', default: true }),
		days: numberSetting({ label: 'Days', default: 90, min: 1, max: 365 }),
		way: choiceSetting({
			label: 'Way',
			default: 'open',
			choices: [
				{ value: 'open', label: 'Open to all' },
				{ value: 'closed', label: 'Closed' },
			],
		}),
		domains: listSetting({ label: 'Domains' }),
		key: secretSetting({ label: 'Key' }),
		outside: textSetting({ label: 'From outside', environment: 'AUTHOR_NAME' }),
	},
	check: async (values) => checks.check(values),
	guard: async (values) => checks.guard(values),
})

let admin: SignedIn
let other: SignedIn
let made = 0

const defaults = { line: 'a line', isOn: 'on', days: '90', way: 'open', domains: '' }
const versionNow = async () => String((await getSection(admin, 'example')).version)
const save = async (input: Input, who = admin) =>
	saveSection(who, 'example', { ...defaults, version: await versionNow(), ...input })
const texts = async () => (await getSection(admin, 'example')).settings.map(({ name, text }) => [name, text])
const newest = async () => (await getSection(admin, 'example')).changes[0]

beforeAll(async () => {
	registerSections([section])
	admin = await makeMember('admin', 'admin')
	other = await makeMember('other', 'admin')
})

beforeEach(async () => {
	await sql`delete from site_setting_changes`.execute(db())
	await sql`delete from site_settings`.execute(db())
	await sql`delete from rate_limits`.execute(db())
	await announceSettings()
	checks.check.mockReset()
	checks.guard.mockReset()
})

test('a setting has its default until it is saved; reading it takes no statement', async () => {
	expect(siteSettings(section)).toEqual({
		...{ line: 'a line', isOn: true, days: 90, way: 'open', domains: [], key: '', outside: config().AUTHOR_NAME },
	})
	await save({ line: ' another ', isOn: '', days: '7', way: 'closed', domains: 'B.example, a.example b.example' })
	const statements = vi.spyOn(db().getExecutor(), 'executeQuery')
	expect(siteSettings(section)).toMatchObject({
		...{ line: 'another', isOn: false, days: 7, way: 'closed', domains: ['b.example', 'a.example'], key: '' },
	})
	expect(statements).not.toHaveBeenCalled()
})

test.each<[string, Input, string, string]>([
	['a text that is too long', { line: 'x'.repeat(21) }, 'line', 'At most 20 characters.'],
	['a number out of its bounds', { days: '366' }, 'days', 'Enter a whole number from 1 to 365.'],
	['no number', { days: '1e2' }, 'days', 'Enter a whole number from 1 to 365.'],
	['none of the choices', { way: 'ajar' }, 'way', 'Choose one of these.'],
	['a NUL in a secret', { 'password-key': 'a\0b' }, 'password-key', 'The text contains an invalid character (NUL).'],
])('%s is refused at its field, and nothing is saved', async (_what, input, field, message) => {
	const error = await save(input).catch((thrown: unknown) => thrown)
	expect(error).toBeInstanceOf(Invalid)
	expect(error).toMatchObject({ message, fields: { [field]: message } })
	expect(await versionNow()).toBe('1')
})

test('a save is in the history and in the log, unless it changes nothing', async () => {
	await save({})
	expect(await newest()).toBeUndefined()
	await save({ way: 'closed', isOn: '' })
	expect(await newest()).toMatchObject({
		by: { username: 'admin' },
		parts: [
			{ label: 'On', from: 'yes', to: 'no' },
			{ label: 'Way', from: 'Open to all', to: 'Closed' },
		],
		mayUndo: true,
	})
	const { rows } = await sql`select kind, act, facts from moderation_log order by id desc limit 1`.execute(db())
	expect(rows).toEqual([
		{ kind: 'setting', act: 'change settings', facts: { title: 'An example', note: '“On”, “Way”' } },
	])
})

test('a secret is encrypted, never shown, kept by an empty field, and removable', async () => {
	await save({ 'password-key': 'hunter2hunter2' })
	expect(siteSettings(section).key).toBe('hunter2hunter2')
	const { rows } = await sql<{ all: string }>`
		select (select json_agg(s) from site_settings s)::text || (select json_agg(c) from site_setting_changes c)::text
			|| (select json_agg(l) from moderation_log l)::text as all`.execute(db())
	for (const text of [rows[0]?.all, JSON.stringify(await getSection(admin, 'example'))]) {
		expect(text).toContain('Key')
		expect(text).not.toContain('hunter2')
	}
	expect((await getSection(admin, 'example')).settings.find(({ name }) => name === 'key')).toMatchObject({
		isSet: true,
	})
	await save({ line: 'else' })
	expect(siteSettings(section).key).toBe('hunter2hunter2')
	await save({ line: 'else', 'password-key': 'hunter2hunter2' })
	expect(await versionNow()).toBe('3')
	await save({ line: 'else', 'remove-key': 'on' })
	expect([siteSettings(section).key, (await newest())?.mayUndo]).toEqual(['', false])
})

test('of two admins with the same form the second gets a conflict, unless both saved the same', async () => {
	const version = await versionNow()
	const sent = { ...defaults, line: 'first', version, 'password-key': 'one' }
	const twice = [1, 2].map(() => saveSection(admin, 'example', sent))
	expect((await Promise.allSettled(twice)).map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled'])
	expect(await versionNow()).toBe('2')
	const late = [{ line: 'second' }, { line: 'first', 'password-key': 'another' }, { line: 'first', 'remove-key': 'on' }]
	for (const input of late) {
		const error = await saveSection(other, 'example', { ...sent, 'password-key': '', ...input }).catch(
			(thrown) => thrown,
		)
		expect(error).toBeInstanceOf(EditConflict)
		expect(error.stored).toEqual({ version: 2, values: { ...defaults, outside: '', line: 'first' } })
	}
	expect(siteSettings(section)).toMatchObject({ line: 'first', key: 'one' })
})

test('of two different concurrent saves one wins, and the other is a conflict', async () => {
	const version = await versionNow()
	const both = ['one', 'two'].map((line) => saveSection(admin, 'example', { ...defaults, line, version }))
	const [lost] = (await Promise.allSettled(both)).filter(({ status }) => status === 'rejected')
	expect(lost).toMatchObject({ reason: expect.any(EditConflict) })
	expect(await versionNow()).toBe('2')
})

test('a change can be undone once, as a change of its own, and not after a later change', async () => {
	await save({ line: 'first', days: '10' })
	const first = (await newest())?.id ?? 0
	await save({ line: 'first', days: '10', way: 'closed' })
	const both = await Promise.allSettled([undoChange(other, 'example', first), undoChange(admin, 'example', first)])
	expect(both.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected'])
	expect(Object.fromEntries(await texts())).toMatchObject({ line: 'a line', days: '90', way: 'closed' })
	await expect(undoChange(admin, 'example', first)).rejects.toThrow(Conflict)
	// Undoes the undo.
	await undoChange(admin, 'example', (await newest())?.id ?? 0)
	expect(siteSettings(section)).toMatchObject({ line: 'first', days: 10, way: 'closed' })
	for (const id of [0, 10_000_000, Number.NaN]) await expect(undoChange(admin, 'example', id)).rejects.toThrow(NotFound)
})

test('a section’s checks also apply to undoing', async () => {
	await save({ way: 'closed' })
	const id = (await newest())?.id ?? 0
	checks.check.mockImplementation(({ way }) => {
		if (way === 'open') throw new Invalid('Not open.', { way: 'Not open.' })
	})
	await expect(save({})).rejects.toThrow('Not open.')
	await expect(undoChange(admin, 'example', id)).rejects.toThrow('Not open.')
	checks.check.mockReset()
	checks.guard.mockRejectedValue(new Conflict('That would lock you out.'))
	await expect(save({ way: 'closed', line: 'x' })).rejects.toThrow('That would lock you out.')
	expect(siteSettings(section)).toMatchObject({ way: 'closed', line: 'a line' })
})

test('an environment variable takes precedence, is displayed, and is not overwritten', async () => {
	const given = vi.spyOn(config().given, 'has').mockImplementation((name) => name === 'AUTHOR_NAME')
	const { AUTHOR_NAME } = config()
	config().AUTHOR_NAME = 'The union'
	await save({ outside: 'Somebody', line: 'x' })
	expect(siteSettings(section).outside).toBe('The union')
	const shown = (await getSection(admin, 'example')).settings.find(({ name }) => name === 'outside')
	expect(shown).toMatchObject({ environment: 'AUTHOR_NAME', text: 'The union' })
	given.mockRestore()
	config().AUTHOR_NAME = AUTHOR_NAME
	await save({ line: 'y' })
	expect(siteSettings(section).outside).toBe('')
})

test('reloads settings that another process announces; unreadable ones count as not saved', async () => {
	vi.useFakeTimers({ toFake: ['setInterval'] })
	const stop = await listenForSettings()
	await sql`insert into site_settings (section, texts)
		values ('example', ${JSON.stringify({ line: 'from elsewhere', days: 'many', key: 'v1.AAAA' })}::jsonb)`.execute(
		db(),
	)
	expect(siteSettings(section).line).toBe('a line')
	vi.advanceTimersByTime(10_000)
	vi.useRealTimers()
	await eventually(() => expect(siteSettings(section).line).toBe('from elsewhere'))
	expect(siteSettings(section)).toMatchObject({ days: 90, key: '' })
	await stop()
})

test('only admins, according to the database, see and save settings', async () => {
	const member = await makeMember(`member${++made}`)
	const moderator = await makeMember(`moderator${made}`, 'moderator')
	for (const who of [null, member, moderator]) {
		expect(() => listSections(who)).toThrow(NotAllowed)
		await expect(getSection(who, 'example')).rejects.toThrow(NotAllowed)
		await expect(save({ line: 'x' }, who as SignedIn)).rejects.toThrow(NotAllowed)
		await expect(undoChange(who, 'example', 1)).rejects.toThrow(NotAllowed)
	}
	await expect(save({ line: 'x' }, { ...member, role: 'admin' })).rejects.toThrow(NotAllowed)
	await expect(getSection(admin, 'nothing')).rejects.toThrow(NotFound)
	await expect(saveSection(admin, 'toString', {})).rejects.toThrow(NotFound)
})

test('section names are unique', () => {
	expect(() => registerSections([section, section])).toThrow('the same name')
	registerSections([...features.flatMap(({ settingSections = [] }) => settingSections), section])
	expect(listSections(admin).map(({ name }) => name)).toContain('site')
})

test.each([
	['Ask @ab', 'Ask @former-member'],
	// The longer word would exceed the limit.
	['Ask @ab, they know', 'Ask @, they know'],
	['/find-dev/ab', '/find-dev/'],
	['Ask @abc about ab', 'Ask @abc about ab'],
	// A time zone, a folder, an address of another site.
	['Asia/Ab', 'Asia/Ab'],
	['/mnt/ab/backups', '/mnt/ab/backups'],
	['https://a.example/ab', 'https://a.example/ab'],
])('when a member leaves, “%s” becomes “%s”; secrets stay', async (text, after) => {
	await save({ line: text, 'password-key': 'x/ab' })
	const before = await versionNow()
	const leaver = {
		id: 0,
		accounts: [],
		username: 'ab',
		usernames: ['ab'],
		name: 'Ab',
		emails: [],
		alias: 'former-1',
		keepsTexts: true,
	}
	expect(await forgetInSettings(leaver)).toBe(false)
	expect(siteSettings(section)).toMatchObject({ line: after, key: 'x/ab' })
	expect((await versionNow()) !== before).toBe(text !== after)
})
