import { sql } from 'kysely'
import { RouterContextProvider } from 'react-router'
import { beforeAll, expect, test, vi } from 'vitest'
import '~/features/index.server.ts'
import { registerMember } from '~/features/accounts/accounts.server.ts'
import { logIn } from '~/features/accounts/login.server.ts'
import { viewerFromRequest } from '~/features/accounts/viewer.server.ts'
import { requirePageModerator } from '~/features/moderation/members.server.ts'
import { authenticateToken, makeToken } from '~/features/tokens/tokens.server.ts'
import { viewerContext } from '~/lib/context.ts'
import type { SignedIn } from '~/lib/viewer.ts'
import { db } from '~/platform/db/db.server.ts'
import { startJobs, stopJobs } from '~/platform/jobs/jobs.server.ts'
import { cookiesOf, form, request } from '../../../tests/support/browser.ts'
import { useDatabase } from '../../../tests/support/database.ts'

vi.hoisted(() => {
	process.env.REQUIRE_STAFF_SECOND_FACTOR = 'true'
})

useDatabase()

beforeAll(async () => {
	await startJobs()
	await stopJobs()
})

const password = 'a lantern at the ford'

test.each(['moderator', 'admin', 'member'] as const)(
	'a %s acts as such only with a second factor, where the site requires one of staff',
	async (role) => {
		const email = `robin${role.length}@eastmere.example`
		await registerMember(form({ name: `Robin ${role.length}`, email, password, confirmPassword: password }), request())
		const cookie = cookiesOf(await logIn(form({ email, password }), request()))
		await sql`update users set role = ${role} where email = ${email}`.execute(db())
		const { viewer } = await viewerFromRequest(request(cookie, '/moderation'), { fresh: true })
		if (!viewer) throw new Error('not logged in')
		const roles = async () => {
			const seen = await Promise.all(
				[true, false].map((fresh) => viewerFromRequest(request(cookie, '/moderation'), { fresh })),
			)
			return [...seen.map(({ viewer }) => viewer?.role), (await authenticateToken(token))?.viewer.role]
		}
		const url = new URL('http://localhost:3000/moderation')
		const context = new RouterContextProvider()
		context.set(viewerContext, viewer)
		const open = () =>
			requirePageModerator({ request: request(cookie, '/moderation'), context, url }).catch((thrown: unknown) =>
				thrown instanceof Response ? thrown.headers.get('Location') : 'refused',
			)
		const scopes = role === 'member' ? ['read'] : ['read', 'moderate']
		const { token } = await makeToken({ ...viewer, role } as SignedIn, { name: 'Robot', scopes, days: 7 })

		expect(await roles()).toEqual(['member', 'member', 'member'])
		expect(await open()).toBe(role === 'member' ? 'refused' : '/settings/two-factor')
		await sql`insert into totp_secrets (user_id, secret, confirmed_at) values (${viewer.id}, 'x', now())`.execute(db())
		expect(await roles()).toEqual([role, role, role])
		if (role !== 'member') expect(await open()).toMatchObject({ role })
		await sql`delete from totp_secrets`.execute(db())
		expect(await roles()).toEqual(['member', 'member', 'member'])
	},
)
