import { db, type Executor } from '~/db/db.server.ts'
import { Invalid, NotAllowed, NotFound } from '~/lib/errors.ts'
import { parseInput } from '~/lib/parse.server.ts'
import type { SignedIn, Viewer } from '~/lib/viewer.ts'
import { cook, excerptOf } from '~/markdown/cook.server.ts'
import { announce } from '~/realtime/announce.server.ts'
import { findComment } from './comments.queries.server.ts'
import { mayDelete, mayEdit, mayWrite } from './forum.policy.ts'
import { findCategory, findQuery } from './forum.queries.server.ts'
import { askInput, commentInput } from './forum.schema.ts'
import { queryUrl } from './forum.views.ts'
import {
	insertComment,
	insertQuery,
	lockComment,
	lockQuery,
	type QueryTexts,
	removeComment,
	removeQuery,
	updateComment,
	updateQuery,
} from './writing.queries.server.ts'

/*
 * The use cases that write. Each one: the policy first, then the input, then one transaction, then the announcement.
 * Pages, the API and tests call the same ones. Reading is in reading.server.ts.
 */

/** What a use case takes from a form: field names to texts. It is parsed here, whatever the caller did. */
export type Input = Record<string, unknown>

/**
 * Asks a question.
 * @param input title, description, tags (comma-separated), category (slug)
 * @returns the canonical address of the new query
 * @throws NotAllowed for a visitor, Invalid with a message per field
 */
export async function askQuestion(viewer: Viewer, input: Input): Promise<{ url: string }> {
	const author = writer(viewer)
	const texts = await readTexts(input)
	const id = await transaction((trx) => insertQuery(trx, author.id, texts))
	const url = queryUrl({ id, username: author.username, category_slug: texts.slug })
	announce('forum', 'query:added', { url })
	return { url }
}

/**
 * Changes a question.
 * @returns its address, which another category changes
 * @throws NotFound, NotAllowed, Invalid
 */
export async function editQuestion(viewer: Viewer, id: number, input: Input): Promise<{ url: string }> {
	const texts = await readTexts(input)
	await transaction(async (trx) => {
		const query = await lockQuery(trx, id)
		if (!query) throw new NotFound(noQuery)
		if (!mayEdit(viewer, { authorId: query.author_id })) throw new NotAllowed('Only its author can edit this query.')
		await updateQuery(trx, id, query, texts)
	})
	return { url: await urlOf(id) }
}

/** Deletes a question; its comments go with it. @throws NotFound, NotAllowed */
export async function deleteQuestion(viewer: Viewer, id: number): Promise<void> {
	await transaction(async (trx) => {
		const query = await lockQuery(trx, id)
		if (!query) throw new NotFound(noQuery)
		if (!mayDelete(viewer, { authorId: query.author_id })) throw new NotAllowed('Only its author can delete this query.')
		await removeQuery(trx, id, query)
	})
}

/**
 * Comments on a query, or replies to one of its comments.
 * @returns the comment's id and its address within the query's page
 * @throws NotAllowed for a visitor, NotFound when query or parent are gone, Invalid
 */
export async function addComment(viewer: Viewer, { queryId, parentId, ...input }: { queryId: number; parentId: number | null } & Input): Promise<{ id: number; url: string }> {
	const author = writer(viewer)
	const { body } = parseInput(commentInput, input)
	const { html } = await cook(body)
	const id = await transaction(async (trx) => {
		if (!(await lockQuery(trx, queryId))) throw new NotFound(noQuery)
		const added = await insertComment(trx, { queryId, authorId: author.id, parentId, body, bodyHtml: html })
		if (added === undefined) throw new NotFound('The comment you reply to was deleted meanwhile.')
		return added
	})
	announce(`query:${queryId}`, 'comment:added', { queryId, commentId: id })
	return { id, url: `${await urlOf(queryId)}#comment-${id}` }
}

/** Changes a comment. @throws NotFound, NotAllowed, Invalid */
export async function editComment(viewer: Viewer, id: number, input: Input): Promise<{ url: string }> {
	await mayChange(viewer, id)
	const { body } = parseInput(commentInput, input)
	const { html } = await cook(body)
	const queryId = await transaction(async (trx) => {
		const comment = await lockComment(trx, id)
		if (!comment) throw new NotFound(noComment)
		await updateComment(trx, id, comment.query_id, body, html)
		return comment.query_id
	})
	return { url: `${await urlOf(queryId)}#comment-${id}` }
}

/** Deletes a comment; replies to it stay. @throws NotFound, NotAllowed */
export async function deleteComment(viewer: Viewer, id: number): Promise<{ url: string }> {
	await mayChange(viewer, id)
	const queryId = await transaction(async (trx) => {
		const comment = await lockComment(trx, id)
		if (!comment) throw new NotFound(noComment)
		await removeComment(trx, id, comment.query_id)
		return comment.query_id
	})
	return { url: await urlOf(queryId) }
}

const noQuery = 'There is no such query. It may have been deleted.'
const noComment = 'There is no such comment. It may have been deleted.'

function writer(viewer: Viewer): SignedIn {
	if (!viewer || !mayWrite(viewer)) throw new NotAllowed('Log in first.')
	return viewer
}

function transaction<Result>(work: (trx: Executor) => Promise<Result>): Promise<Result> {
	return db().transaction().execute(work)
}

/** Who wrote a comment never changes, so this may be asked before the transaction that locks it. */
async function mayChange(viewer: Viewer, id: number): Promise<void> {
	const comment = await findComment(id)
	if (!comment) throw new NotFound(noComment)
	if (!mayEdit(viewer, { authorId: comment.author_id })) throw new NotAllowed('Only its author can change this comment.')
}

async function readTexts(input: Input): Promise<QueryTexts & { slug: string }> {
	const { title, description, tags, category } = parseInput(askInput, input)
	const [found, { html, text }] = await Promise.all([findCategory(category), cook(description)])
	if (!found) throw new Invalid('Category field is required!', { category: 'Category field is required!' })
	return { title, description, descriptionHtml: html, excerpt: excerptOf(text), tags, categoryId: found.id, slug: found.slug }
}

async function urlOf(id: number): Promise<string> {
	const query = await findQuery(id)
	if (!query) throw new NotFound(noQuery)
	return queryUrl(query)
}
