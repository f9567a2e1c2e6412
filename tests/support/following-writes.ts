import { sql } from 'kysely'
import { chooseSolution } from '~/features/discussion/votes.server.ts'
import { removeSearch, saveSearch } from '~/features/following/searches.server.ts'
import { db } from '~/platform/db/db.server.ts'
import type { Write } from './writes.ts'

const search = { kind: 'queries', query: 'event loop', name: 'Loops' }
let searchId = 1

/** Every way to follow a question and to report outdated answers: a part of the forum's writes. */
export const followingWrites: Write[] = [
	{
		name: 'saying that a solution no longer works',
		for: 'others',
		form: ({ comment }) => ['/forum/outdated', { comment: String(comment), value: '1', reason: 'newer' }],
		api: ({ comment }) => ['PUT', `/comments/${comment}/outdated`, { reason: 'newer' }],
		prepare: ({ author }, { query, comment }) => chooseSolution(author, { questionId: query, commentId: comment }),
	},
	{
		name: 'taking that back',
		for: 'members',
		quiet: true,
		form: ({ comment }) => ['/forum/outdated', { comment: String(comment), value: '0' }],
		api: ({ comment }) => ['DELETE', `/comments/${comment}/outdated`],
		prepare: async (_cast, { comment }, who) =>
			who &&
			sql`insert into outdated_marks (comment_id, user_id, version, reason) values (${comment}, ${who.id}, 1, '')`.execute(
				db(),
			),
	},
	{
		name: 'following a query',
		for: 'others',
		form: ({ query }) => ['/forum/following', { query: String(query), what: 'follow', value: '1' }],
		api: ({ query }) => ['PUT', `/queries/${query}/following`],
	},
	{
		name: 'following a query no longer',
		for: 'members',
		quiet: true,
		form: ({ query }) => ['/forum/following', { query: String(query), what: 'follow', value: '0' }],
		api: ({ query }) => ['DELETE', `/queries/${query}/following`],
		prepare: async (_cast, { query }, who) =>
			who && sql`insert into follows (user_id, question_id) values (${who.id}, ${query})`.execute(db()),
	},
	{
		name: 'having the same problem',
		for: 'others',
		form: ({ query }) => ['/forum/following', { query: String(query), what: 'too', value: '1' }],
		api: ({ query }) => ['PUT', `/queries/${query}/affected`],
	},
	{
		name: 'having it no longer',
		for: 'members',
		quiet: true,
		form: ({ query }) => ['/forum/following', { query: String(query), what: 'too', value: '0' }],
		api: ({ query }) => ['DELETE', `/queries/${query}/affected`],
		prepare: async (_cast, { query }, who) =>
			who && sql`insert into affected_members (user_id, question_id) values (${who.id}, ${query})`.execute(db()),
	},
	{
		name: 'saving a search',
		for: 'members',
		quiet: true,
		form: () => ['/following', { intent: 'save', ...search }],
		api: () => ['POST', '/me/searches', search],
		prepare: () => sql`delete from saved_searches`.execute(db()),
	},
	{
		name: 'removing a saved search',
		for: 'members',
		quiet: true,
		form: () => ['/following', { intent: 'remove', id: String(searchId) }],
		api: () => ['DELETE', `/me/searches/${searchId}`],
		prepare: async (_cast, _target, who) => {
			if (who) searchId = (await saveSearch(who, search)).id
		},
	},
	{
		name: 'bringing a saved search back',
		for: 'members',
		quiet: true,
		form: () => ['/following', { intent: 'restore', id: String(searchId) }],
		api: () => ['POST', '/me/searches', search],
		prepare: async (_cast, _target, who) => {
			if (!who) return
			searchId = (await saveSearch(who, search)).id
			await removeSearch(who, searchId)
		},
	},
	{
		name: 'asking somebody to answer',
		for: 'members',
		form: ({ query }) => [`/forum/invite/${query}`, { username: 'victim' }],
		api: ({ query }) => ['POST', `/queries/${query}/invitations`, { username: 'victim' }],
		// Resets earlier invitations, so that the next one notifies.
		prepare: async ({ victim }) => {
			await sql`update users set suspended_until = null where id = ${victim.id}`.execute(db())
			await sql`update invitations set invited_at = invited_at - interval '2 days'`.execute(db())
		},
	},
	{
		name: 'declining to answer',
		for: 'members',
		quiet: true,
		form: ({ query }) => [`/forum/invite/${query}`, { intent: 'decline' }],
		api: ({ query }) => ['DELETE', `/queries/${query}/invitations`],
		prepare: async ({ victim }, { query }, who) =>
			who &&
			sql`insert into invitations (question_id, user_id, inviter_id, told) values (${query}, ${who.id}, ${victim.id}, true)`.execute(
				db(),
			),
	},
]
