import { NotAllowed, NotFound } from '~/lib/errors.ts'
import { isId } from '~/lib/ids.ts'
import { parseInput } from '~/lib/parse.server.ts'
import type { Viewer } from '~/lib/viewer.ts'
import { cook } from '~/markdown/cook.server.ts'
import { languageOfTags } from '~/markdown/highlight.server.ts'
import { change, eventQuery } from './change.server.ts'
import { findComment } from './comments.queries.server.ts'
import { refuseStale } from './discussing/stale-comment.server.ts'
import { mayEdit } from './forum.policy.ts'
import { commentInput, versionInput } from './forum.schema.ts'
import { queryUrl } from './forum.views.ts'
import { peopleIn } from './people.server.ts'
import type { Made } from './repeats/repeats.queries.server.ts'
import { changeOnce, readSending } from './repeats/repeats.server.ts'
import { recordCommentRevision } from './revisions.queries.server.ts'
import { existing, type Input, noQuery, writer } from './writers.server.ts'
import { insertComment, lockComment, lockQuery, removeComment, updateComment } from './writing.queries.server.ts'

/* The use cases that write comments. */

/**
 * Comments on a query, or replies to one of its comments.
 * @param input `body`; a `key` makes it safe to send again
 * @returns the comment's id and its address within the query's page
 * @throws NotAllowed for a visitor, NotFound when query or parent are gone, Invalid
 */
export async function addComment(
	viewer: Viewer,
	{ queryId, parentId, ...input }: { queryId: number; parentId: number | null } & Input,
): Promise<Made> {
	const author = writer(viewer)
	const { body } = parseInput(commentInput, input)
	const query = await existing(queryId)
	if (parentId !== null && !isId(parentId)) throw new NotFound(noParent)
	const { html } = await cook(body, { language: languageOfTags(query.tags), people: await peopleIn(body) })
	const sending = readSending(author.id, input, ['comment', queryId, parentId, body])
	return changeOnce(sending, async (trx) => {
		if (!(await lockQuery(trx, queryId))) throw new NotFound(noQuery)
		const id = await insertComment(trx, { queryId, authorId: author.id, parentId, body, bodyHtml: html })
		if (id === undefined) throw new NotFound(noParent)
		return {
			event: {
				kind: 'comment-added',
				actorId: author.id,
				username: author.username,
				query: eventQuery(query),
				commentId: id,
				parentId,
				body,
			},
			result: { id, url: `${queryUrl(query)}#comment-${id}` },
		}
	})
}

/**
 * Changes a comment.
 * @param input `body`, and the `version` it was made from; without one the last edit wins
 * @throws NotFound, NotAllowed, Invalid, StaleComment when another edit was saved first
 */
export async function editComment(viewer: Viewer, id: number, input: Input): Promise<{ url: string }> {
	const editor = writer(viewer)
	const comment = await changeable(editor, id)
	const { body } = parseInput(commentInput, input)
	const { version } = parseInput(versionInput, input)
	const { html } = await cook(body, { language: languageOfTags(comment.tags), people: await peopleIn(body) })
	const query = eventQuery(await existing(comment.query_id))
	return change(async (trx) => {
		const locked = await lockComment(trx, id)
		if (!locked) throw new NotFound(noComment)
		refuseStale(locked, { body, version })
		await recordCommentRevision(trx, id, editor.id, body)
		await updateComment(trx, id, locked.query_id, body, html)
		return {
			event: { kind: 'comment-changed', actorId: editor.id, query, commentId: id, body, before: locked.body },
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
		await removeComment(trx, id, locked.query_id, actor.id)
		return {
			event: { kind: 'comment-deleted', actorId: actor.id, query, commentId: id },
			result: { url: query.url },
		}
	})
}

const noParent = 'The comment you reply to was deleted meanwhile.'
const noComment = 'There is no such comment. It may have been deleted.'

/** A comment that this viewer may change. Who wrote it never changes, so this may be asked before the transaction that locks it. */
async function changeable(viewer: Viewer, id: number) {
	const comment = isId(id) ? await findComment(id) : undefined
	if (!comment) throw new NotFound(noComment)
	if (!mayEdit(viewer, { authorId: comment.author_id }))
		throw new NotAllowed('Only its author can change this comment.')
	return comment
}
