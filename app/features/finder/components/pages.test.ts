import { expect, test } from 'vitest'
import type { SignedIn } from '~/lib/viewer.ts'
import { pagesLike, pagesOf } from './pages.ts'

test.each<[typed: string, role: SignedIn['role'], urls: string[]]>([
	['passk', 'member', ['/settings']],
	['delete account', 'member', ['/settings']],
	['spam', 'moderator', ['/moderation/accounts']],
	['suspended', 'moderator', ['/moderation/members']],
	['invitations', 'admin', ['/admin/invitations']],
	['leav', 'admin', ['/admin/leavers']],
	['privacy', 'admin', ['/admin/legal']],
	['settings site', 'admin', ['/admin/settings']],
	['log', 'admin', ['/settings', '/moderation/log']],
	['log', 'moderator', ['/settings']],
	['spam', 'member', []],
])('typing %j finds for a %s the pages %j', (typed, role, urls) => {
	const viewer = { id: 1, username: 'asha', name: 'Asha', image: null, role }
	expect(pagesLike(pagesOf(viewer), typed).map(({ url }) => url)).toEqual(urls)
})
