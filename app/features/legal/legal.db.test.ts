import { sql } from 'kysely'
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { config } from '~/config.server.ts'
import { registerMember } from '~/features/accounts/accounts.server.ts'
import { authHandler } from '~/features/accounts/auth-handler.server.ts'
import { confirmAddress, registerExternalUser } from '~/features/accounts/registration/registrations.server.ts'
import { requireMayWrite, setTermsToAccept, termsToAccept } from '~/features/accounts/security/suspension.server.ts'
import { saveBookmark } from '~/features/bookmarks/bookmarks.server.ts'
import { deleteComment } from '~/features/discussion/commenting.server.ts'
import { castVote } from '~/features/discussion/votes.server.ts'
import '~/features/index.server.ts'
import { makeInvite } from '~/features/invites/joining/invites.server.ts'
import { registerInvited } from '~/features/invites/joining/joining.server.ts'
import { listRetention } from '~/features/privacy/retention/retention.server.ts'
import { saveSection } from '~/features/site-settings/site-settings.server.ts'
import type { SignedIn } from '~/lib/viewer.ts'
import { visitorAddress } from '~/platform/cache/cached-page.ts'
import { pageCache } from '~/platform/cache/pages.server.ts'
import { db } from '~/platform/db/db.server.ts'
import type { Input } from '~/platform/http/form.server.ts'
import { makeMessage } from '../../../tests/factories/chat.ts'
import { makeComment, makeMember, makeQuestion } from '../../../tests/factories/forum.ts'
import { form, request } from '../../../tests/support/browser.ts'
import { useDatabase } from '../../../tests/support/database.ts'
import { mailedToken, resetCounts, useJobTables } from '../../../tests/support/jobs.ts'
import { areTermsNewTo, consentState, decideOnTerms, requireConsent } from './consent.server.ts'
import {
	getLegalForm,
	getLegalPage,
	legalPages,
	listLegal,
	previewLegal,
	publishLegal,
	readLegal,
	requiredTermsVersion,
} from './legal.server.ts'
import { type LegalKind, legalKinds } from './legal.view.ts'

useDatabase()
useJobTables()

const password = 'a lantern at the ford'
let admin: SignedIn
let mira: SignedIn
let ben: SignedIn
let made = 0

beforeAll(async () => {
	admin = await makeMember('oda', 'admin')
	mira = await makeMember('mira')
	ben = await makeMember('ben')
})

beforeEach(async () => {
	await resetCounts()
	await sql`update users set agreed_to = 0, asked_to = 0`.execute(db())
	await sql`truncate consents, legal_versions`.execute(db())
	await readLegal()
})

afterAll(() => setTermsToAccept(0))

const newest = async (kind: LegalKind) => String((await getLegalForm(admin, kind, null)).version)
/** Admins have to accept as well. */
const acceptAsAdmin = () =>
	sql`update users set agreed_to = ${requiredTermsVersion()} where id = ${admin.id}`.execute(db())
const write = async (body: string, more: Input = {}, kind: LegalKind = 'terms') => {
	await acceptAsAdmin()
	await publishLegal(admin, kind, { body, version: await newest(kind), ...more })
}
const consentsOf = async (userId: number) => {
	const { rows } = await sql<{ version_id: number }>`
		select version_id from consents where user_id = ${userId} order by version_id`.execute(db())
	return rows.map(({ version_id }) => version_id)
}
const fields = () => {
	made += 1
	return { name: 'New Comer', email: `newcomer${made}@eastmere.example`, password, confirmPassword: password }
}
const idOf = async (email: string) => {
	const { rows } = await sql<{ id: number }>`select id from users where email = ${email}`.execute(db())
	return rows[0]?.id ?? 0
}

describe('a legal text', () => {
	test('is no longer cached once this process has read that another one published it', async () => {
		const page = { status: 200, headers: {}, br: Buffer.alloc(0) } as never
		await pageCache.fill('/terms', visitorAddress(legalPages, '/terms')?.tags ?? [], async () => page)
		await readLegal()
		expect(pageCache.get('/terms')).toBeDefined()
		await sql`insert into legal_versions (kind, body, note, asks, published_by) values ('terms', 'Ours.', '', true, ${admin.id})`.execute(
			db(),
		)
		await readLegal()
		expect(pageCache.get('/terms')).toBeUndefined()
	})

	test('is the template until it is published; every version stays readable, and an empty one withdraws it', async () => {
		for (const kind of legalKinds) expect((await getLegalPage(kind, null)).version).toBeNull()
		expect((await getLegalPage('terms', null)).html).toContain('no terms of its own yet')
		expect((await getLegalForm(admin, 'terms', null)).body).toContain('## Your account')
		await write('The first *terms* of {{site}}.')
		const first = await newest('terms')
		await write('The second terms.', { note: 'Shorter.' })
		const page = await getLegalPage('terms', null)
		expect([page.html.trim(), page.versions.map(({ note }) => note)]).toEqual([
			'<p>The second terms.</p>',
			['Shorter.', ''],
		])
		expect((await getLegalPage('terms', first)).html).toContain('The first <em>terms</em> of DevQuad.')
		expect((await getLegalForm(admin, 'terms', first)).body).toBe('The first *terms* of {{site}}.')
		await write('')
		expect((await getLegalPage('terms', null)).html).toContain('withdrawn')
		for (const body of ['Ours.', '']) await write(body, {}, 'privacy')
		const usual = await getLegalPage('privacy', null)
		expect(usual.html).toMatch(/IP address and browser of a login/)
		expect((await getLegalPage('privacy', String(usual.version?.id))).html).toContain('withdrawn')
		expect((await getLegalForm(admin, 'privacy', null)).body).toContain('{{retention}}')
		expect([requiredTermsVersion(), listLegal(admin).map(({ at }) => at)]).toEqual([0, [null, null, null]])
		for (const version of ['9999', 'x', '-1'])
			await expect(getLegalPage('terms', version)).rejects.toThrow('no such version')
	})

	test('the privacy policy contains the present retention periods, and the imprint the operator, as plain text', async () => {
		expect((await getLegalPage('privacy', null)).html).toMatch(
			/IP address and browser of a login<\/td>\s*<td[^>]*>90 days/,
		)
		const days = Object.fromEntries(listRetention().map(({ key, days }) => [key, String(days)]))
		await saveSection(admin, 'retention', { ...days, 'session-addresses': '7', version: '1' })
		expect((await getLegalPage('privacy', null)).html).toMatch(
			/IP address and browser of a login<\/td>\s*<td[^>]*>7 days/,
		)
		const operator = {
			operator: 'Union *of* <b>Students</b>',
			address: 'Quad 1\nEastmere',
			contact: 'union@eastmere.example',
		}
		await saveSection(admin, 'operator', { ...operator, version: '1' })
		const { html } = await getLegalPage('imprint', null)
		expect(html).toContain('Union *of* &lt;b&gt;Students&lt;/b&gt;')
		expect(html).toMatch(/Quad 1<br ?\/?>\s*Eastmere/)
		expect(html).toContain('mailto:union@eastmere.example')
		for (const kind of legalKinds) expect((await getLegalPage(kind, null)).html).not.toMatch(/\{\{|undefined/)
	})

	test.each<[string, Input, string]>([
		['a placeholder that there is not', { body: 'Of {{sitte}}.' }, '{{sitte}} is not a placeholder'],
		['the name of a member of every object', { body: 'Of {{constructor}}.' }, '{{constructor}} is not a placeholder'],
		['a text that is too long', { body: 'x'.repeat(50_001) }, 'At most 50000 characters.'],
		['nothing at all', { body: ' ' }, 'Write a text first.'],
		['a NUL', { body: 'a\0b' }, 'invalid character'],
	])('%s is refused', async (_what, input, message) => {
		await expect(publishLegal(admin, 'terms', { version: '0', ...input })).rejects.toThrow(message)
	})

	test('may be as long as its field allows, also with the line ends of a form without scripts', async () => {
		const body = `${'A line.\r\n'.repeat(6_249)}A line.`
		expect(await previewLegal(admin, { body, version: '0' })).toContain('A line.')
	})

	test('is published by admins only; of two concurrent saves one gets a conflict', async () => {
		for (const who of [null, mira, { ...mira, role: 'moderator' as const }]) {
			await expect(publishLegal(who, 'terms', { body: 'Mine.', version: '0' })).rejects.toThrow('Only admins')
			await expect(previewLegal(who, { body: 'Mine.', version: '0' })).rejects.toThrow('Only admins')
			await expect(getLegalForm(who, 'terms', null)).rejects.toThrow('Only admins')
		}
		const both = ['One.', 'Two.'].map((body) => publishLegal(admin, 'privacy', { body, version: '0' }))
		const outcomes = await Promise.allSettled(both)
		expect(outcomes.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected'])
		expect((await getLegalPage('privacy', null)).versions).toHaveLength(1)
		const [{ body = '' } = {}] = (await sql<{ body: string }>`select body from legal_versions`.execute(db())).rows
		// The second request of a double click.
		await publishLegal(admin, 'privacy', { body, version: '0' })
		expect((await getLegalPage('privacy', null)).versions).toHaveLength(1)
	})

	test('cannot contain scripts', async () => {
		expect(
			await previewLegal(admin, { body: '<script>alert(1)</script>[a](javascript:alert(1))', version: '0' }),
		).not.toMatch(/<script|href="javascript/)
	})
})

describe('a registration', () => {
	const url = 'http://localhost:3000/api/auth/sign-up/email'
	const headers = { 'Content-Type': 'application/json', 'x-client-ip': '198.51.100.9', Origin: 'http://localhost:3000' }
	const asProgram = (more: object) => {
		const { confirmPassword, ...body } = fields()
		return authHandler(new Request(url, { method: 'POST', headers, body: JSON.stringify({ ...body, ...more }) }))
	}
	const byInvitation = async (more: Record<string, string>) => {
		await acceptAsAdmin()
		const { address } = await makeInvite(admin, { uses: '9', days: '7', cohort: '' })
		const sent = fields()
		await registerInvited(form({ token: address.split('token=')[1] ?? '', ...sent, ...more }), request())
		return idOf(sent.email)
	}
	const byPage = async (more: Record<string, string>) => {
		const sent = fields()
		await registerMember(form({ ...sent, ...more }), request())
		return idOf(sent.email)
	}

	test('requires nothing without published terms', async () => {
		expect(await consentsOf(await byPage({}))).toEqual([])
		expect(await byInvitation({})).toBeGreaterThan(0)
		expect((await asProgram({})).status).toBe(200)
	})

	test('accepts and records the current terms, by every way to register', async () => {
		await write('Terms.')
		const terms = String(termsToAccept())
		for (const way of [byPage, byInvitation]) {
			for (const wrong of [{ terms: 'yes' }, { terms: '' }, { terms: String(Number(terms) - 1) }])
				await expect(way(wrong)).rejects.toThrow('tick the box')
			const id = await way({ terms })
			expect(await consentsOf(id)).toEqual([Number(terms)])
			await requireMayWrite(id)
		}
		expect((await asProgram({})).status).toBe(422)
		expect((await asProgram({ terms: Number(terms) })).status).toBe(200)
	})

	test('records the acceptance until the address is confirmed', async () => {
		const confirms = vi.spyOn(config(), 'REQUIRE_EMAIL_VERIFICATION', 'get').mockReturnValue(true)
		await write('Terms.')
		const sent = fields()
		await registerMember(form({ ...sent, terms: String(requiredTermsVersion()) }), request())
		expect(await idOf(sent.email)).toBe(0)
		await confirmAddress({ token: await mailedToken(sent.email), password }, request())
		expect(await consentsOf(await idOf(sent.email))).toEqual([requiredTermsVersion()])
		confirms.mockRestore()
	})

	test('by campus login asks for acceptance on the next page', async () => {
		await write('Terms.')
		const outsider = { name: 'Out Sider', email: 'out@eastmere.example', isConfirmed: true, username: '' }
		const made = await db()
			.transaction()
			.execute((trx) => registerExternalUser(trx, outsider))
		const newcomer = { ...mira, id: made?.id ?? 0 }
		expect(await consentsOf(newcomer.id)).toEqual([])
		expect([await consentState(newcomer), await areTermsNewTo(newcomer)]).toEqual(['open', false])
		await expect(requireMayWrite(newcomer.id)).rejects.toThrow('/terms/accept')
	})
})

describe('a member', () => {
	const page = (path: string, more: HeadersInit = {}) => {
		const url = new URL(path, 'http://localhost:3000')
		const asked = new Request(url, { headers: { Accept: 'text/html,*/*', ...more } })
		return requireConsent(mira, asked, url).then(
			() => null,
			(thrown: Response) => thrown.headers.get('Location'),
		)
	}

	test('is asked once on the next page, and returned to it', async () => {
		expect(await page('/forum')).toBeNull()
		await write('Terms.')
		expect(await page('/forum?sort=new')).toBe('/terms/accept?redirectTo=%2Fforum%3Fsort%3Dnew')
		expect([await consentState(mira), await areTermsNewTo(mira)]).toEqual(['open', true])
		for (const path of [
			'/terms',
			'/privacy',
			'/imprint',
			'/terms/accept',
			'/settings/data',
			'/settings/leave',
			'/logout',
			'/unsubscribe?token=t',
			'/undo-email?token=t',
		])
			expect(await page(path), path).toBeNull()
		expect(await page('/media/a.webp', { Accept: 'image/*' })).toBeNull()
		await decideOnTerms(mira, 'accept', requiredTermsVersion())
		expect([await page('/forum'), await consentState(mira), await consentsOf(mira.id)]).toEqual([
			null,
			'accepted',
			[requiredTermsVersion()],
		])
		await write('Terms with a comma.')
		expect(await page('/forum')).toBeNull()
		await write('Quite other terms.', { asks: 'on' })
		expect(await page('/forum')).toContain('/terms/accept')
		await expect(decideOnTerms(mira, 'accept', requiredTermsVersion() - 1)).rejects.toThrow('changed again')
		await decideOnTerms(mira, 'later', requiredTermsVersion())
		expect([await page('/forum'), await consentState(mira)]).toEqual([null, 'open'])
		expect(await consentsOf(mira.id)).toHaveLength(1)
	})

	test('can read without accepting, but cannot post', async () => {
		const { id } = await makeQuestion(ben)
		const own = await makeComment(mira, id)
		await write('Terms.')
		const refused = 'Accept the terms of this site at /terms/accept, then you can write here.'
		for (const write of [
			() => makeQuestion(mira),
			() => makeComment(mira, id),
			() => makeMessage(mira, ben, 'Hello'),
			() => castVote(mira, { questionId: id, commentId: null, vote: 1 }),
		])
			await expect(write()).rejects.toThrow(refused)
		await saveBookmark(mira, { kind: 'query', id })
		await deleteComment(mira, own)
		await decideOnTerms(mira, 'accept', requiredTermsVersion())
		await makeComment(mira, id)
	})
})
