import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { sql } from 'kysely'
import { beforeAll, expect, test } from 'vitest'
import '~/features/index.server.ts'
import sharp from 'sharp'
import { config } from '~/config.server.ts'
import { storePicture, sweepPictures } from '~/features/pictures/pictures.server.ts'
import { MAX_PICTURE_BYTES, pictureRefusals } from '~/features/pictures/pictures.view.ts'
import { Conflict, NotAllowed } from '~/lib/errors.ts'
import type { SignedIn } from '~/lib/viewer.ts'
import { appearanceSection, siteAppearance } from '~/platform/appearance/appearance.server.ts'
import { siteIcon } from '~/platform/appearance/icons.server.ts'
import { db } from '~/platform/db/db.server.ts'
import { linkMail } from '~/platform/mail/mail.server.ts'
import { siteSettings } from '~/platform/settings/settings.server.ts'
import { makeMember } from '../../../tests/factories/forum.ts'
import { useDatabase } from '../../../tests/support/database.ts'
import { getSection, saveSection, storePictures, undoChange } from './site-settings.server.ts'

useDatabase()

let admin: SignedIn
let other: SignedIn
let member: SignedIn

beforeAll(async () => {
	admin = await makeMember('admin', 'admin')
	other = await makeMember('other', 'admin')
	member = await makeMember('member')
})

const drawn = (width: number, height: number, background = '#204080') =>
	sharp({ create: { width, height, channels: 4, background } })
		.png()
		.toBuffer()
const section = () => getSection(admin, 'appearance')
const saved = () => siteSettings(appearanceSection)

/** Submits the form as the page does. */
async function send(fields: Record<string, string | Buffer>, who = admin): Promise<void> {
	const form = new FormData()
	const { version, settings } = await section()
	form.set('version', String(version))
	for (const { name, text } of settings) form.set(name, text)
	for (const [name, value] of Object.entries(fields))
		form.set(name, typeof value === 'string' ? value : new Blob([new Uint8Array(value)]))
	await storePictures(who, 'appearance', form)
	await saveSection(who, 'appearance', Object.fromEntries(form))
}

test.each([
	['an SVG', () => Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>'), pictureRefusals.logo],
	[
		'an animated GIF',
		() => Buffer.from('R0lGODlhAQABAIAAAP///wAAACwAAAAAAQABAAACAkQBADs=', 'base64'),
		pictureRefusals.logo,
	],
	['a picture that is broken off', async () => (await drawn(400, 400)).subarray(0, 90), pictureRefusals.damaged],
	['one that is too large', () => Buffer.alloc(MAX_PICTURE_BYTES + 1, 0xff), pictureRefusals.bytes],
])('%s is refused with a message, and nothing is saved', async (_what, file, message) => {
	await expect(send({ logo_file: await file(), accent: '#123456' })).rejects.toMatchObject({
		fields: { logo: message },
	})
	expect(saved()).toMatchObject({ logo: '', accent: '' })
})

test.each([
	['red', null],
	['#12345', null],
	['#ABCDEF', '#abcdef'],
	['7b2d8b', '#7b2d8b'],
	['#fe0', '#ffee00'],
	['', ''],
])('as a colour, “%s” is %s', async (accent, expected) => {
	const sent = send({ accent })
	if (expected === null) await expect(sent).rejects.toMatchObject({ fields: { accent: /^Enter a colour as #/ } })
	else {
		await sent
		expect(saved().accent).toBe(expected)
	}
})

test('a logo is in the stylesheet, in icons and in mails, even after its admin has left; without one the default appearance returns', async () => {
	expect(siteAppearance().style).toBeNull()
	expect(await siteIcon('/favicon.svg')).toBeNull()
	await expect(send({ logo_file: await drawn(10, 10) }, member)).rejects.toThrow(NotAllowed)
	await send({ logo_file: await drawn(1_200, 100), accent: '#ffe600', ground: 'light' }, other)
	const { logo, style } = siteAppearance()
	expect(logo).toMatchObject({ path: expect.stringMatching(/^logos\/-\/[0-9a-f]{32}$/), width: 1_200, height: 100 })
	expect(style?.css).toContain(`width:8rem;max-width:20vw;height:1.5rem;background:url(/media/${logo?.path}-640.webp)`)
	expect(style?.css).toMatch(/^:root\{--color-ivy:light-dark\(#/)
	const icon = await siteIcon('/icons/icon-192.png')
	expect(await sharp(icon?.body).metadata()).toMatchObject({ format: 'png', width: 192, height: 192 })
	expect(String((await siteIcon('/favicon.svg'))?.body)).toContain('href="data:image/png;base64,')
	const mailed = (await siteIcon('/icons/logo.png'))?.body
	expect(await sharp(mailed).metadata()).toMatchObject({ width: 480, height: 40, hasAlpha: false })
	const { html } = linkMail('a@b.example', 'A letter', 'Look:', { label: 'Here', url: 'http://localhost/' }, 'End.')
	expect(html).toContain(`<img src="${config().publicUrl}/icons/logo.png?v=${style?.version}" alt="DevQuad"`)

	// Older than the grace period, and the admin is gone.
	await sql`update pictures set created_at = now() - interval '2 days'`.execute(db())
	await sql`delete from users where id = ${other.id}`.execute(db())
	expect(await sweepPictures()).toBe(0)
	expect(existsSync(join(config().dataDir, 'media', `${logo?.path}-320.webp`))).toBe(true)

	await send({ 'remove-logo': 'on' })
	expect(siteAppearance()).toMatchObject({ logo: null, style: { css: expect.not.stringContaining('.mark') } })
	expect(String((await siteIcon('/favicon.svg'))?.body)).not.toContain('data:')
	const [change] = (await section()).changes
	expect(change?.parts).toMatchObject([{ label: 'Logo', from: 'a picture of 1200 × 100 pixels', to: 'nothing' }])
	await undoChange(admin, 'appearance', change?.id ?? 0)
	expect(siteAppearance().logo).toEqual(logo)
})

test('of two admins with the same form the second gets a conflict, and keeps the uploaded file', async () => {
	const { version } = await section()
	await send({ accent: '#003366' })
	const late = new FormData()
	for (const [name, value] of Object.entries({
		version: String(version),
		ground: 'none',
		isAlone: '',
		accent: '#660000',
	}))
		late.set(name, value)
	late.set('logo_file', new Blob([new Uint8Array(await drawn(50, 50))]))
	await storePictures(admin, 'appearance', late)
	const error = await saveSection(admin, 'appearance', Object.fromEntries(late)).catch((thrown: unknown) => thrown)
	expect(error).toMatchObject({ stored: { version: version + 1, values: { accent: '#003366' } } })
	expect(late.get('logo')).toMatch(/^logos\/.*#50x50$/)
	expect(late.has('logo_file')).toBe(false)
	expect(saved().accent).toBe('#003366')
})

test('a form cannot name another picture or a deleted one', async () => {
	const { path } = await storePicture(admin, 'post', new Blob([new Uint8Array(await drawn(20, 20))]))
	const foreign = { logo: `${path}#20x20` }
	await expect(send(foreign)).rejects.toMatchObject({ fields: { logo: 'Choose the picture again.' } })
	await expect(send({ logo: `logos/-/${'0'.repeat(32)}#20x20` })).rejects.toThrow(Conflict)
	await send({ logo_file: await drawn(30, 30) })
	const before = saved().logo
	await expect(send({ logo: before.replace('30x30', '30x31') })).rejects.toThrow('This logo is no longer stored.')
	// Only the last twenty former logos are kept.
	await sql`
		with old as (insert into pictures (path, user_id, kind, width, height, bytes, colour)
			select 'logos/-/' || md5(n::text), 0, 'logo', 1, 1, 1, '#000000' from generate_series(1, 20) as n returning path)
		insert into site_logos select path, now() - interval '1 second' from old`.execute(db())
	await send({ logo_file: await drawn(40, 40) })
	const { rows } = await sql<{ kept: number }>`select count(*)::int as kept from site_logos`.execute(db())
	expect(rows).toEqual([{ kept: 20 }])
	await sql`delete from site_logos where path = ${before.split('#')[0]}`.execute(db())
	await sql`update pictures set created_at = now() - interval '2 hours'`.execute(db())
	await sweepPictures()
	const [change] = (await section()).changes
	await expect(undoChange(admin, 'appearance', change?.id ?? 0)).rejects.toThrow('This logo is no longer stored.')
	expect(saved().logo).toMatch(/#40x40$/)
})

test('previews valid input before it is saved', async () => {
	const text = async (query: string) =>
		(await getSection(admin, 'appearance', new URLSearchParams(query))).settings.map((setting) => setting.text)
	const [logo, ground, isAlone] = await text('')
	expect(await text('accent=%23FF0000')).toEqual([logo, ground, isAlone, '#ff0000'])
	expect(await text('accent=nonsense&ground=pink&logo=x')).toEqual(await text(''))
	expect(await text('version=1&isAlone=on')).toMatchObject([logo, ground, 'on', '#003366'])
})
