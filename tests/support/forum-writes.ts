import { type Expression, type RawBuilder, sql } from 'kysely'
import { deleteQuestion } from '~/features/asking/asking.server.ts'
import { discardDraft, saveDraft } from '~/features/asking/drafts.server.ts'
import { removeBookmark, saveBookmark } from '~/features/bookmarks/bookmarks.server.ts'
import { deleteComment } from '~/features/discussion/commenting.server.ts'
import { chooseSolution } from '~/features/discussion/votes.server.ts'
import { notifyOfDecision } from '~/features/notifications/notifications.server.ts'
import { aboutQuestion, muteQuestion } from '~/features/questions/notifying/notifying.server.ts'
import { setFollowing } from '~/features/tags/following.server.ts'
import type { SignedIn } from '~/lib/viewer.ts'
import { db } from '~/platform/db/db.server.ts'
import { makeComment, makeQuestion } from '../factories/forum.ts'
import { followingWrites } from './following-writes.ts'
import { moderationWrites } from './moderation-writes.ts'
import { routingWrites } from './routing-writes.ts'
import type { Cast, Target, Who, Write } from './writes.ts'

/* Every way to change the forum, with the permissions: the table that the permission tests iterate. */

/** Targets are copied in batches: creating each by use cases would take half the time of the tests. */
const BATCH = 40
const ready: Target[] = []
let isAnalyzed = false

/** A question asked long ago, so that the author's hourly limit is never reached, with a comment by the author. */
export async function makeTarget({ author }: Cast): Promise<Target> {
	if (ready.length === 0) {
		ready.push(...(await copyTarget(await askTarget(author))))
		// Autovacuum is off in tests: without statistics, the queries of the site's jobs would read whole tables.
		if (!isAnalyzed) await sql`analyze questions, question_tags, comments`.execute(db())
		isAnalyzed = true
	}
	const target = ready.pop()
	if (!target) throw new Error('No target was copied.')
	return target
}

async function askTarget(author: SignedIn): Promise<Target> {
	const { id, url } = await makeQuestion(author)
	await sql`update questions set created_at = created_at - interval '1 day' where id = ${id}`.execute(db())
	return { query: id, url, comment: await makeComment(author, id) }
}

/**
 * Copies the rows with their counters. Each copy has words of its own: the site's jobs would compare hundreds of equal questions with each
 * other, for a third of PostgreSQL's time.
 */
async function copyTarget({ query, url, comment }: Target): Promise<Target[]> {
	const copies = await db()
		.transaction()
		.execute(async (trx) => {
			const copy = async (table: string, own: Record<string, Expression<unknown>>, from: RawBuilder<unknown>) => {
				const { rows } = await sql<{ name: string }>`select attname as name from pg_attribute
					where attrelid = ${table}::regclass and attnum > 0 and not attisdropped and attgenerated = ''`.execute(trx)
				const values = rows.map(({ name }) => own[name] ?? sql.ref(`old.${name}`))
				const names = rows.map(({ name }) => sql.ref(name))
				await sql`insert into ${sql.table(table)} (${sql.join(names)}) select ${sql.join(values)} from ${from}`.execute(
					trx,
				)
			}
			const { rows } = await sql<{ query: number; comment: number }>`
				select nextval(pg_get_serial_sequence('questions', 'id'))::int as query,
					nextval(pg_get_serial_sequence('comments', 'id'))::int as comment
				from generate_series(1, ${BATCH})`.execute(trx)
			const ids = sql`jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as new (query int, comment int)`
			const [question, reply] = [sql.ref('new.query'), sql.ref('new.comment')]
			const word = sql`'copy' || new.query`
			const own = {
				id: question,
				title: word,
				description: word,
				excerpt: word,
				search: sql`to_tsvector('simple', ${word})`,
			}
			await copy('questions', own, sql`questions old, ${ids} where old.id = ${query}`)
			await copy(
				'question_tags',
				{ question_id: question },
				sql`question_tags old, ${ids} where question_id = ${query}`,
			)
			const place = { id: reply, question_id: question, path: sql`array[new.comment]` }
			await copy('comments', place, sql`comments old, ${ids} where old.id = ${comment}`)
			await sql`update tags set question_count = question_count + ${BATCH}
				where id in (select tag_id from question_tags where question_id = ${query})`.execute(trx)
			await sql`update categories set question_count = question_count + ${BATCH}
				where id = (select category_id from questions where id = ${query})`.execute(trx)
			await sql`update counters set value = value + ${BATCH} where name = 'questions'`.execute(trx)
			// Otherwise the site would look for questions related to each of them.
			await sql`delete from related_questions where question_id in (select query from ${ids})`.execute(trx)
			return rows
		})
	return copies.map((ids) => ({ ...ids, url: url.replace(/\d+\/[\w-]+$/, `${ids.query}/copy${ids.query}`) }))
}

/** Whether somebody may do it on the site; a token may narrow it further. */
export function mayDo(who: Who, write: Write): boolean {
	if (who === 'suspended') return write.for === 'members' && write.quiet === true
	const isStaff = who === 'moderator' || who === 'admin'
	return {
		members: who !== 'anonymous',
		others: who === 'member' || isStaff,
		owner: who === 'author' || isStaff,
		staff: isStaff,
		admin: who === 'admin',
		author: who === 'author',
	}[write.for]
}

const texts = { title: 'A title that is long enough', description: 'Body.', tags: 'fresh', category: 'python' }
const draft = { title: 'Unfinished', description: '', tags: '', category: '' }

const memberWrites: Write[] = [
	{
		name: 'asking',
		for: 'members',
		form: () => ['/forum/ask', texts],
		visitor: '403',
		api: () => ['POST', '/queries', texts],
	},
	{
		name: 'asking under a pseudonym',
		for: 'members',
		form: () => ['/forum/ask', { ...texts, pseudonym: 'on' }],
		visitor: '403',
		api: () => ['POST', '/queries', { ...texts, pseudonym: true }],
	},
	{
		name: 'commenting',
		for: 'members',
		form: ({ url }) => [url, { intent: 'comment', body: 'A comment.' }],
		api: ({ query }) => ['POST', `/queries/${query}/comments`, { body: 'A comment.' }],
	},
	{
		name: 'replying',
		for: 'members',
		form: ({ url, comment }) => [url, { intent: 'reply', comment: String(comment), body: 'A reply.' }],
		api: ({ query, comment }) => ['POST', `/queries/${query}/comments`, { body: 'A reply.', parentId: comment }],
	},
	{
		name: 'editing a query',
		for: 'owner',
		form: ({ url }) => [url.replace(/^\/forum\/[^/]+(.*)\/[\w-]+$/, '/forum/edit$1'), texts],
		api: ({ query }) => ['PATCH', `/queries/${query}`, texts],
	},
	{
		name: 'editing a comment',
		for: 'owner',
		form: ({ url, comment }) => [url, { intent: 'edit-comment', comment: String(comment), body: 'Changed.' }],
		api: ({ comment }) => ['PATCH', `/comments/${comment}`, { body: 'Changed.' }],
	},
	{
		name: 'deleting a comment',
		for: 'owner',
		deletes: true,
		form: ({ url, comment }) => [url, { intent: 'delete-comment', comment: String(comment) }],
		api: ({ comment }) => ['DELETE', `/comments/${comment}`],
	},
	{
		name: 'deleting a query',
		for: 'owner',
		deletes: true,
		form: ({ url }) => [url, { intent: 'delete-query' }],
		api: ({ query }) => ['DELETE', `/queries/${query}`],
	},
	{
		name: 'restoring a comment',
		for: 'owner',
		form: ({ url, comment }) => [url, { intent: 'restore-comment', comment: String(comment) }],
		api: ({ comment }) => ['POST', `/comments/${comment}/restore`],
		prepare: ({ author }, { comment }) => deleteComment(author, comment),
	},
	{
		name: 'restoring a query',
		for: 'owner',
		form: ({ url }) => [url, { intent: 'restore-query' }],
		api: ({ query }) => ['POST', `/queries/${query}/restore`],
		prepare: ({ author }, { query }) => deleteQuestion(author, query),
	},
	{
		name: 'voting on a query',
		for: 'others',
		form: ({ query }) => ['/forum/vote', { query: String(query), value: '1' }],
		api: ({ query }) => ['PUT', `/queries/${query}/vote`, { vote: 1 }],
	},
	{
		name: 'voting on a comment',
		for: 'others',
		form: ({ query, comment }) => ['/forum/vote', { query: String(query), comment: String(comment), value: '-1' }],
		api: ({ comment }) => ['PUT', `/comments/${comment}/vote`, { vote: -1 }],
	},
	{
		name: 'choosing a solution',
		for: 'owner',
		form: ({ url, comment }) => [url, { intent: 'choose-solution', comment: String(comment) }],
		api: ({ comment }) => ['PUT', `/comments/${comment}/solution`],
	},
	{
		name: 'withdrawing a solution',
		for: 'owner',
		form: ({ url, comment }) => [url, { intent: 'withdraw-solution', comment: String(comment) }],
		api: ({ comment }) => ['DELETE', `/comments/${comment}/solution`],
		prepare: ({ author }, { query, comment }) => chooseSolution(author, { questionId: query, commentId: comment }),
	},
	{
		name: 'following a tag',
		for: 'members',
		form: () => ['/forum/follow', { tag: 'testing', value: '1' }],
		api: () => ['PUT', '/tags/testing/following'],
		prepare: async (_cast, _target, who) => who && setFollowing(who, { tag: 'testing' }, false),
	},
	{
		name: 'following a tag no longer',
		for: 'members',
		quiet: true,
		form: () => ['/forum/follow', { tag: 'testing', value: '0' }],
		api: () => ['DELETE', '/tags/testing/following'],
		prepare: async (_cast, _target, who) => who && followInRows(who, 'tag'),
	},
	{
		name: 'following a category',
		for: 'members',
		form: () => ['/forum/follow', { category: 'java', value: '1' }],
		api: () => ['PUT', '/categories/java/following'],
		prepare: async (_cast, _target, who) => who && setFollowing(who, { category: 'java' }, false),
	},
	{
		name: 'following a category no longer',
		for: 'members',
		quiet: true,
		form: () => ['/forum/follow', { category: 'java', value: '0' }],
		api: () => ['DELETE', '/categories/java/following'],
		prepare: async (_cast, _target, who) => who && followInRows(who, 'category'),
	},
	{
		name: 'muting a query',
		for: 'members',
		quiet: true,
		form: ({ url }) => [url, { intent: 'mute' }],
		api: ({ query }) => ['PUT', `/queries/${query}/muting`],
	},
	{
		name: 'muting a query no longer',
		for: 'members',
		quiet: true,
		form: ({ url }) => [url, { intent: 'unmute' }],
		api: ({ query }) => ['DELETE', `/queries/${query}/muting`],
		prepare: async (_cast, { query }, who) => who && muteQuestion(who, query, true),
	},
	{
		name: 'keeping a draft',
		for: 'members',
		quiet: true,
		form: () => ['/forum/drafts', { ...draft, key: 'ask' }],
		visitor: '403',
		api: () => ['PUT', '/me/drafts/ask', draft],
		prepare: async (_cast, _target, who) => who && discardDraft(who, 'ask'),
	},
	{
		name: 'keeping the draft of an edit',
		for: 'owner',
		quiet: true,
		form: ({ query }) => ['/forum/drafts', { ...draft, key: `edit:${query}` }],
		visitor: '403',
		api: ({ query }) => ['PUT', `/me/drafts/edit:${query}`, draft],
	},
	{
		name: 'throwing a draft away',
		for: 'members',
		quiet: true,
		form: null,
		api: () => ['DELETE', '/me/drafts/ask'],
		prepare: async (_cast, _target, who) => who && saveDraft(who, { ...draft, key: 'ask' }),
	},
	{
		name: 'reporting a query',
		for: 'others',
		form: ({ query }) => [`/report/query/${query}`, { reason: 'spam', details: '' }],
		api: ({ query }) => ['POST', `/queries/${query}/reports`, { reason: 'spam' }],
		prepare: forgetReports,
	},
	{
		name: 'reporting a comment',
		for: 'others',
		form: ({ comment }) => [`/report/comment/${comment}`, { reason: 'spam', details: '' }],
		api: ({ comment }) => ['POST', `/comments/${comment}/reports`, { reason: 'spam' }],
		prepare: forgetReports,
	},
	{
		name: 'reporting a profile',
		for: 'others',
		form: () => ['/report/profile/author', { reason: 'spam', details: '' }],
		api: () => ['POST', '/profiles/author/reports', { reason: 'spam' }],
		prepare: forgetReports,
	},
	{
		name: 'marking notifications as read',
		for: 'members',
		quiet: true,
		form: () => ['/notifications', {}],
		api: () => ['POST', '/me/notifications/read', {}],
		prepare: async (_cast, { query, url }, who) => {
			if (!who) return
			const about = aboutQuestion({ id: query, title: 'A title', url }, null)
			await db()
				.transaction()
				.execute((trx) => notifyOfDecision(trx, { memberId: who.id, act: 'lock query', why: '', ...about }))
		},
	},
]

/** A form about the bookmark of a question. */
const ofBookmark = ({ query }: Target, more: Record<string, string>) => ({ kind: 'query', id: String(query), ...more })
const bookmarkOf = ({ query }: Target) => ({ kind: 'query', id: query }) as const

const bookmarkWrites: Write[] = [
	{
		name: 'bookmarking a query',
		for: 'members',
		quiet: true,
		form: (target) => ['/forum/bookmark', ofBookmark(target, { value: '1' })],
		api: ({ query }) => ['PUT', `/me/bookmarks/query/${query}`, {}],
	},
	{
		name: 'bookmarking a comment',
		for: 'members',
		quiet: true,
		form: ({ comment }) => ['/forum/bookmark', { kind: 'comment', id: String(comment), value: '1' }],
		api: ({ comment }) => ['PUT', `/me/bookmarks/comment/${comment}`, { note: 'Read this.' }],
	},
	{
		name: 'bookmarking a query no longer',
		for: 'members',
		quiet: true,
		form: (target) => ['/forum/bookmark', ofBookmark(target, { value: '0' })],
		api: ({ query }) => ['DELETE', `/me/bookmarks/query/${query}`],
		prepare: async (_cast, target, who) => who && saveBookmark(who, bookmarkOf(target)),
	},
	{
		name: 'writing a note',
		for: 'members',
		quiet: true,
		form: (target) => ['/bookmarks', ofBookmark(target, { intent: 'note', note: 'Try this.' })],
		api: ({ query }) => ['PUT', `/me/bookmarks/query/${query}`, { note: 'Try this.' }],
		prepare: async (_cast, target, who) => who && saveBookmark(who, bookmarkOf(target)),
	},
	{
		name: 'removing a bookmark from the list',
		for: 'members',
		quiet: true,
		form: (target) => ['/bookmarks', ofBookmark(target, { intent: 'remove' })],
		api: ({ query }) => ['DELETE', `/me/bookmarks/query/${query}`],
		prepare: async (_cast, target, who) => who && saveBookmark(who, bookmarkOf(target)),
	},
	{
		name: 'bringing a bookmark back',
		for: 'members',
		quiet: true,
		form: (target) => ['/bookmarks', ofBookmark(target, { intent: 'restore' })],
		api: ({ query }) => ['PUT', `/me/bookmarks/query/${query}`, {}],
		prepare: async (_cast, target, who) => {
			if (!who) return
			await saveBookmark(who, bookmarkOf(target))
			await removeBookmark(who, bookmarkOf(target))
		},
	},
]

export const writes: Write[] = [
	...memberWrites,
	...bookmarkWrites,
	...routingWrites,
	...followingWrites,
	...moderationWrites,
]

/** Followed by rows, as suspended members cannot start following. */
function followInRows({ id }: SignedIn, what: 'tag' | 'category'): Promise<unknown> {
	const row =
		what === 'tag' ? sql`id, null from tags where name = 'testing'` : sql`null, id from categories where slug = 'java'`
	return sql`insert into follows (user_id, tag_id, category_id) select ${id}, ${row} on conflict do nothing`.execute(
		db(),
	)
}

/** A member may have one open report per target, and ten an hour. */
function forgetReports(): Promise<unknown> {
	return sql`delete from reports`.execute(db())
}
