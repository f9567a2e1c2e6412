import { expect } from 'vitest'
import type { SignedIn } from '~/lib/viewer.ts'
import { logInMember, type MembersSite } from './members-site.ts'
import { nextEvent, openTab } from './tabs.ts'

/** Milliseconds within which every process must redirect to the kept account. */
const MAX_DELAY = 1_000

/**
 * Merges an account that has received `A secret word.` into a new one, `kept-` and its name. Asserts that every process then redirects to
 * the kept account, and that its open tab gets the merge and the unread messages.
 * @param admin the cookie of an admin
 */
export async function mergeAway(
	{ member: { username } }: { member: Pick<SignedIn, 'username'> },
	site: MembersSite,
	admin: string,
): Promise<void> {
	const into = `kept-${username}`
	const { cookie } = await logInMember(site, into)
	const tab = await openTab(site.url, cookie)
	const renamed = nextEvent(tab, 'member:renamed')
	const counts: unknown[] = []
	tab.on('chat:count', (count) => counts.push(count))
	const merged = await site.ask(`/admin/members/${username}/merge`, admin, { into, username, why: 'Twice.' })
	expect(merged.status, await merged.text()).toBe(303)
	expect(await renamed).toEqual({ from: username, to: into })
	await expect.poll(() => counts.at(-1)).toMatchObject({ conversations: 1 })
	// With a new connection for each request, which the processes get in turn.
	const lead = async () => {
		const headers = { Cookie: cookie, Connection: 'close' }
		const answer = await fetch(`${site.url}/find-dev/${username}`, { redirect: 'manual', headers })
		return answer.headers.get('location')
	}
	const places = () => Promise.all([1, 2, 3, 4].map(lead))
	await expect.poll(places, { timeout: MAX_DELAY }).toEqual(Array(4).fill(`/find-dev/${into}`))
	const inbox = await site.ask('/messages', cookie)
	expect(await inbox.text()).toContain('A secret word.')
}
