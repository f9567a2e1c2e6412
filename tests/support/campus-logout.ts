import { sql } from 'kysely'
import { expect } from 'vitest'
import { getSection } from '~/features/site-settings/site-settings.server.ts'
import type { SignedIn } from '~/lib/viewer.ts'
import { db } from '~/platform/db/db.server.ts'
import type { MembersSite } from './members-site.ts'
import { type CampusSite, startCampus } from './oidc-site.ts'

/**
 * Makes the first session of a member one that began at a campus login, which an admin offers, and has the campus say that it ended there.
 */
export async function logOutAtCampus(
	{ id, username }: SignedIn,
	site: MembersSite,
	admin: { member: SignedIn; cookie: string },
): Promise<void> {
	const campus = await startCampus(`${site.url}/login/campus/callback`)
	try {
		await offer(campus, site, admin)
		await sql`
			with identity as (
				insert into identities (user_id, provider, issuer, subject) values (${id}, 'campus', ${campus.issuer}, ${username}) returning id
			)
			insert into provider_sessions (session_id, identity_id, sid)
			select (select min(id) from sessions where user_id = ${id}), id, ${username} from identity`.execute(db())
		const body = new URLSearchParams({ logout_token: await campus.logoutToken(username, username) })
		const post = () => fetch(`${site.url}/login/campus/backchannel-logout`, { method: 'POST', body })
		// Another process than the one that saved the settings may answer.
		await expect
			.poll(async () => {
				const { status, headers } = await post()
				return [status, headers.get('Cache-Control')]
			})
			.toEqual([200, 'private, no-store'])
	} finally {
		await campus.stop()
	}
}

async function offer(
	{ issuer, clientId, clientSecret }: CampusSite,
	site: MembersSite,
	{ member, cookie }: { member: SignedIn; cookie: string },
): Promise<void> {
	const { version, settings } = await getSection(member, 'campus-login')
	const stored = Object.fromEntries(settings.map(({ field, text }) => [field, text]))
	const own = { isOn: 'on', issuer, clientId, 'password-clientSecret': clientSecret }
	const form = { ...stored, ...own, act: 'save', version: String(version) }
	const answer = await site.ask('/admin/settings/campus-login', cookie, form)
	expect(answer.status, await answer.text()).toBe(303)
}
