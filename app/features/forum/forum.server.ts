import { Invalid, NotAllowed, NotFound } from '~/lib/errors.ts'
import { isId } from '~/lib/ids.ts'
import { parseInput } from '~/lib/parse.server.ts'
import type { SignedIn, Viewer } from '~/lib/viewer.ts'
import { cook, excerptOf } from '~/markdown/cook.server.ts'
import { languageOfTags } from '~/markdown/highlight.server.ts'
import { change, eventQuery } from './change.server.ts'
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
	return change(async (trx) => {
		const id = await insertQuery(trx, author.id, texts)
		const query = { id, author_id: author.id, username: author.username, ...texts, category_slug: texts.slug }
		const event = {
			kind: 'query-added',
			actorId: author.id,
			query: eventQuery(query),
			description: texts.description,
		} as const
		return { event, result: { url: event.query.url } }
	})
}

/**
 * Changes a question.
 * @returns its address, which another category changes
 * @throws NotFound, NotAllowed, Invalid
 */
export async function editQuestion(viewer: Viewer, id: number, input: Input): Promise<{ url: string }> {
	const editor = writer(viewer)
	const found = await existing(id)
	if (!mayEdit(editor, { authorId: found.author_id })) throw new NotAllowed('Only its author can edit this query.')
	const texts = await readTexts(input)
	return change(async (trx) => {
		const before = await lockQuery(trx, id)
		if (!before) throw new NotFound(noQuery)
		await updateQuery(trx, id, before, texts)
		const query = eventQuery({ ...found, ...texts, category_slug: texts.slug })
		const { description } = texts
		return {
			event: {
				kind: 'query-changed',
				actorId: editor.id,
				query,
				description,
				before: { category: found.category_slug, tags: found.tags },
			},
			result: { url: query.url },
		}
	})
}

/** Deletes a question; its comments go with it. @throws NotFound, NotAllowed */
export async function deleteQuestion(viewer: Viewer, id: number): Promise<void> {
	const actor = writer(viewer)
	const query = await existing(id)
	if (!mayDelete(actor, { authorId: query.author_id })) throw new NotAllowed('Only its author can delete this query.')
	await change(async (trx) => {
		const before = await lockQuery(trx, id)
		if (!before) throw new NotFound(noQuery)
		await removeQuery(trx, id, before)
		return { event: { kind: 'query-deleted', actorId: actor.id, query: eventQuery(query) }, result: undefined }
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
	return change(async (trx) => {
		if (!(await lockQuery(trx, queryId))) throw new NotFound(noQuery)
		const id = await insertComment(trx, { queryId, authorId: author.id, parentId, body, bodyHtml: html })
		if (id === undefined) throw new NotFound(noParent)
		return {
			event: { kind: 'comment-added', actorId: author.id, query: eventQuery(query), commentId: id, parentId, body },
			result: { id, url: `${queryUrl(query)}#comment-${id}` },
		}
	})
}

/** Changes a comment. @throws NotFound, NotAllowed, Invalid */
export async function editComment(viewer: Viewer, id: number, input: Input): Promise<{ url: string }> {
	const editor = writer(viewer)
	const comment = await changeable(editor, id)
	const { body } = parseInput(commentInput, input)
	const { html } = await cook(body, { language: languageOfTags(comment.tags) })
	const query = eventQuery(await existing(comment.query_id))
	return change(async (trx) => {
		const locked = await lockComment(trx, id)
		if (!locked) throw new NotFound(noComment)
		await updateComment(trx, id, locked.query_id, body, html)
		return {
			event: { kind: 'comment-changed', actorId: editor.id, query, commentId: id, body },
			result: { url: `${query.url}#comment-${id}` },
		}
	})
}

/** Deletes a comment; replies to it stay. @throws NotFound, NotAllowed */
export async function deleteComment(viewer: Viewer, id: number): Promise<{ url: string }> {
	const actor = writer(viewer)
	const comment = await changeable(actor, id)
	const query = eventQuery(await existing(comment.query_id))
	return change(async (trx) => {
		const locked = await lockComment(trx, id)
		if (!locked) throw new NotFound(noComment)
		await removeComment(trx, id, locked.query_id)
		return {
			event: { kind: 'comment-deleted', actorId: actor.id, query, commentId: id },
			result: { url: query.url },
		}
	})
}

const noQuery = 'There is no such query. It may have been deleted.'
const noParent = 'The comment you reply to was deleted meanwhile.'
const noComment = 'There is no such comment. It may have been deleted.'

function writer(viewer: Viewer): SignedIn {
	if (!viewer || !mayWrite(viewer)) throw new NotAllowed('Log in first.')
	return viewer
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
