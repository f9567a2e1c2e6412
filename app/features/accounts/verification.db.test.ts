import { sql } from 'kysely'
import { beforeAll, expect, test, vi } from 'vitest'
import { db } from '~/db/db.server.ts'
import { startJobs, stopJobs } from '~/jobs/jobs.server.ts'
import { Invalid, NotAllowed } from '~/lib/errors.ts'
import { useDatabase } from '../../../tests/support/database.ts'
import { logIn, registerMember, verifyEmail } from './accounts.server.ts'

vi.hoisted(() => {
	process.env.REQUIRE_EMAIL_VERIFICATION = 'true'
	process.env.ALLOWED_EMAIL_DOMAINS = 'eastmere.example, Westmere.example'
	process.env.ADMIN_EMAIL = 'Head@eastmere.example'
})

useDatabase()

beforeAll(async () => {
	await startJobs()
	await stopJobs()
})

const password = 'a lantern at the ford'
const request = () => new Request('http://localhost:3000/', { headers: { 'x-client-ip': '198.51.100.7' } })

function form(values: Record<string, string>): FormData {
	const data = new FormData()
	for (const [name, value] of Object.entries(values)) data.set(name, value)
	return data
}

const register = (email: string) =>
	registerMember(form({ name: 'Mira', email, password, confirmPassword: password }), request())
const enter = (email: string) => logIn(form({ email, password }), request())

async function mailsTo(email: string): Promise<{ subject: string; text: string }[]> {
	const { rows } = await sql<{ payload: { subject: string; text: string } }>`
		select payload from graphile_worker._private_jobs where payload ->> 'to' = ${email} order by id`.execute(db())
	return rows.map(({ payload }) => payload)
}

test('nobody logs in before the address is confirmed; the link of the mail confirms it', async () => {
	const email = 'mira@cs.eastmere.example'
	await register(email)
	await expect(enter(email)).rejects.toThrow(NotAllowed)
	const [mail] = await mailsTo(email)
	expect(mail?.subject).toBe('Confirm your address for DevQuad')
	await verifyEmail(/token=(\S+)/.exec(mail?.text ?? '')?.[1] ?? '')
	await expect(enter(email)).resolves.toBeInstanceOf(Headers)
})

test.each(['', 'nonsense', 'eyJhbGciOiJub25lIn0.eyJlbWFpbCI6Im1pcmFAZWFzdG1lcmUuZXhhbXBsZSJ9.'])(
	'the link %j confirms nothing',
	async (token) => {
		await expect(verifyEmail(token)).rejects.toThrow(Invalid)
	},
)

test('a wrong password does not tell that an address waits to be confirmed', async () => {
	await register('waiting@eastmere.example')
	const wrong = logIn(form({ email: 'waiting@eastmere.example', password: 'wrong password' }), request())
	await expect(wrong).rejects.toThrow(/INVALID_EMAIL_OR_PASSWORD/)
})

test('an address that is known gets the same answer, and its owner a mail', async () => {
	const first = await register('known@westmere.example')
	expect(await register('known@westmere.example')).toEqual(first)
	expect((await mailsTo('known@westmere.example')).map(({ subject }) => subject)).toEqual([
		'Confirm your address for DevQuad',
		'You already have an account at DevQuad',
	])
})

test('an address of another domain is refused with the reason', async () => {
	const refusal = await register('mira@noteastmere.example').catch((error: Error) => error)
	expect(refusal).toBeInstanceOf(NotAllowed)
	expect((refusal as Error).message).toBe(
		'Only addresses of eastmere.example, westmere.example can register here. [EMAIL_DOMAIN_NOT_ALLOWED]',
	)
})

test('the member whom ADMIN_EMAIL names is admin, also when named later; coming first is not enough', async () => {
	const roleOf = async (email: string) =>
		(await db().selectFrom('users').select('role').where('email', '=', email).executeTakeFirst())?.role
	expect(await roleOf('mira@cs.eastmere.example')).toBe('member')
	await register('head@eastmere.example')
	expect(await roleOf('head@eastmere.example')).toBe('admin')
	await sql`update users set role = 'member' where email = 'head@eastmere.example'`.execute(db())
	await enter('head@eastmere.example').catch(() => {})
	expect(await roleOf('head@eastmere.example')).toBe('admin')
})
