import { db, type Executor } from '~/db/db.server.ts'
import { Invalid, NotAllowed, NotFound } from '~/lib/errors.ts'
import { isId } from '~/lib/ids.ts'
import { parseInput } from '~/lib/parse.server.ts'
import type { SignedIn, Viewer } from '~/lib/viewer.ts'
import { cook, excerptOf } from '~/markdown/cook.server.ts'
import { languageOfTags } from '~/markdown/highlight.server.ts'
import { announce } from '~/realtime/announce.server.ts'
import { findComment } from './comments.queries.server.ts'
import { mayDelete, mayEdit, mayWrite } from './forum.policy.ts'
import { findCategory, findQuery, type QueryPageRow } from './forum.queries.server.ts'
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
	const query = await existing(id)
	if (!mayEdit(viewer, { authorId: query.author_id })) throw new NotAllowed('Only its author can edit this query.')
	const texts = await readTexts(input)
	await transaction(async (trx) => {
		const before = await lockQuery(trx, id)
		if (!before) throw new NotFound(noQuery)
		await updateQuery(trx, id, before, texts)
	})
	return { url: queryUrl({ ...query, category_slug: texts.slug }) }
}

/** Deletes a question; its comments go with it. @throws NotFound, NotAllowed */
export async function deleteQuestion(viewer: Viewer, id: number): Promise<void> {
	const query = await existing(id)
	if (!mayDelete(viewer, { authorId: query.author_id })) throw new NotAllowed('Only its author can delete this query.')
	await transaction(async (trx) => {
		const before = await lockQuery(trx, id)
		if (!before) throw new NotFound(noQuery)
		await removeQuery(trx, id, before)
	})
}

/**
 * Comments on a query, or replies to one of its comments.
 * @returns the comment's id and its address within the query's page
 * @throws NotAllowed for a visitor, NotFound when query or parent are gone, Invalid
 */
export async function addComment(
	viewer: Viewer,
	{ queryId, parentId, ...input }: { queryId: number; parentId: number | null } & Input,
): Promise<{ id: number; url: string }> {
	const author = writer(viewer)
	const { body } = parseInput(commentInput, input)
	const query = await existing(queryId)
	if (parentId !== null && !isId(parentId)) throw new NotFound(noParent)
	const { html } = await cook(body, { language: languageOfTags(query.tags) })
	const id = await transaction(async (trx) => {
		if (!(await lockQuery(trx, queryId))) throw new NotFound(noQuery)
		const added = await insertComment(trx, { queryId, authorId: author.id, parentId, body, bodyHtml: html })
		if (added === undefined) throw new NotFound(noParent)
		return added
	})
	announce(`query:${queryId}`, 'comment:added', { queryId, commentId: id })
	return { id, url: `${queryUrl(query)}#comment-${id}` }
}

/** Changes a comment. @throws NotFound, NotAllowed, Invalid */
export async function editComment(viewer: Viewer, id: number, input: Input): Promise<{ url: string }> {
	const comment = await changeable(viewer, id)
	const { body } = parseInput(commentInput, input)
	const { html } = await cook(body, { language: languageOfTags(comment.tags) })
	await transaction(async (trx) => {
		const locked = await lockComment(trx, id)
		if (!locked) throw new NotFound(noComment)
		await updateComment(trx, id, locked.query_id, body, html)
	})
	return { url: `${queryUrl(await existing(comment.query_id))}#comment-${id}` }
}

/** Deletes a comment; replies to it stay. @throws NotFound, NotAllowed */
export async function deleteComment(viewer: Viewer, id: number): Promise<{ url: string }> {
	const comment = await changeable(viewer, id)
	await transaction(async (trx) => {
		const locked = await lockComment(trx, id)
		if (!locked) throw new NotFound(noComment)
		await removeComment(trx, id, locked.query_id)
	})
	return { url: queryUrl(await existing(comment.query_id)) }
}

const noQuery = 'There is no such query. It may have been deleted.'
const noParent = 'The comment you reply to was deleted meanwhile.'
const noComment = 'There is no such comment. It may have been deleted.'

function writer(viewer: Viewer): SignedIn {
	if (!viewer || !mayWrite(viewer)) throw new NotAllowed('Log in first.')
	return viewer
}

function transaction<Result>(work: (trx: Executor) => Promise<Result>): Promise<Result> {
	return db().transaction().execute(work)
}

async function existing(id: number): Promise<QueryPageRow> {
	const query = isId(id) ? await findQuery(id) : undefined
	if (!query) throw new NotFound(noQuery)
	return query
}

/** A comment that this viewer may change. Who wrote it never changes, so this may be asked before the transaction that locks it. */
async function changeable(viewer: Viewer, id: number) {
	const comment = isId(id) ? await findComment(id) : undefined
	if (!comment) throw new NotFound(noComment)
	if (!mayEdit(viewer, { authorId: comment.author_id }))
		throw new NotAllowed('Only its author can change this comment.')
	return comment
}

async function readTexts(input: Input): Promise<QueryTexts & { slug: string }> {
	const { title, description, tags, category } = parseInput(askInput, input)
	const found = await findCategory(category)
	if (!found) throw new Invalid('Category field is required!', { category: 'Category field is required!' })
	const { html, text } = await cook(description, { language: languageOfTags(tags), topHeading: 2 })
	return {
		title,
		description,
		descriptionHtml: html,
		excerpt: excerptOf(text),
		tags,
		categoryId: found.id,
		slug: found.slug,
	}
}
