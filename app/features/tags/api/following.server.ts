import { z } from 'zod'
import { muteThread } from '~/features/notifications/notifications.server.ts'
import { id } from '~/features/questions/api/parameters.server.ts'
import { getQuery } from '~/features/questions/lists/lists.server.ts'
import type { SignedIn } from '~/lib/viewer.ts'
import { member, operation } from '~/platform/http/operation.ts'
import { follow, listFollowed } from '../following.server.ts'

const group = 'Following'
const name = z.string().max(100)
const slug = z.string().max(60)
const followed = z.object({
	tags: z.array(z.string()).describe('Names, at most 200.'),
	categories: z.array(z.string()).describe('Slugs.'),
})

export const followingShapes = { Followed: followed }

export const followingOperations = [
	operation({
		id: 'listFollowed',
		group,
		method: 'get',
		path: '/me/following',
		summary: 'List the tags and categories you follow',
		access: 'members',
		answer: followed,
		run: async (call) => listFollowed(member(call)),
	}),
	operation({
		id: 'followTag',
		group,
		method: 'put',
		path: '/tags/{name}/following',
		summary: 'Follow a tag',
		access: 'members',
		params: { name },
		answer: null,
		refusals: [404],
		run: async (call) => follow(member(call), { tag: call.params.name }, true),
	}),
	operation({
		id: 'unfollowTag',
		group,
		method: 'delete',
		path: '/tags/{name}/following',
		summary: 'Unfollow a tag',
		access: 'members',
		params: { name },
		answer: null,
		refusals: [404],
		run: async (call) => follow(member(call), { tag: call.params.name }, false),
	}),
	operation({
		id: 'followCategory',
		group,
		method: 'put',
		path: '/categories/{slug}/following',
		summary: 'Follow a category',
		access: 'members',
		params: { slug },
		answer: null,
		refusals: [404],
		run: async (call) => follow(member(call), { category: call.params.slug }, true),
	}),
	operation({
		id: 'unfollowCategory',
		group,
		method: 'delete',
		path: '/categories/{slug}/following',
		summary: 'Unfollow a category',
		access: 'members',
		params: { slug },
		answer: null,
		refusals: [404],
		run: async (call) => follow(member(call), { category: call.params.slug }, false),
	}),
	operation({
		id: 'muteQuery',
		group,
		method: 'put',
		path: '/queries/{id}/muting',
		summary: 'Mute a query',
		access: 'members',
		params: { id },
		answer: null,
		refusals: [404],
		run: async (call) => mute(member(call), call.params.id, true),
	}),
	operation({
		id: 'unmuteQuery',
		group,
		method: 'delete',
		path: '/queries/{id}/muting',
		summary: 'Unmute a query',
		access: 'members',
		params: { id },
		answer: null,
		refusals: [404],
		run: async (call) => mute(member(call), call.params.id, false),
	}),
]

/** Only what the caller can read: a number alone must not tell whether something hidden is there. */
async function mute(viewer: SignedIn, queryId: number, muted: boolean): Promise<void> {
	await getQuery(viewer, queryId)
	await muteThread(viewer, queryId, muted)
}
