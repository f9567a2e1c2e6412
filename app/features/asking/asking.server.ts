import { makePseudonym, requireAnonymousPictures } from '~/features/members/pseudonyms.server.ts'
import { mayDeleteUnpublished } from '~/features/moderation/moderation.policy.ts'
import { type EventQuestion, eventQuestion, writingAccount } from '~/features/questions/questions.events.ts'
import { mayDelete, mayEdit, mayRestore, UNDO_SECONDS } from '~/features/questions/questions.policy.ts'
import {
	findDeletedQuestion,
	lockDeletedQuestion,
	type QuestionPageRow,
} from '~/features/questions/questions.queries.server.ts'
import { askInput, previewInput, pseudonymInput } from '~/features/questions/questions.schema.ts'
import {
	findChangeableQuestion,
	lockPendingQuestion,
	updatePendingQuestion,
} from '~/features/questions/status/pending.queries.server.ts'
import {
	findUnpublishedRow,
	lockAnyQuestion,
	lockAnyQuestions,
	setMergedInto,
} from '~/features/questions/status/status.queries.server.ts'
import {
	alreadyDecided,
	changeForum,
	changeForumOnce,
	readSubmission,
	requireChangeableQuestion,
	requireRoomForEdit,
	undoTooLate,
	withdrawPending,
} from '~/features/questions/writing/change.server.ts'
import {
	type CreatedPost,
	insertQuestion,
	lockQuestion,
	publishQuestion,
	type QuestionTexts,
	recordQuestionRevision,
	removeQuestion,
	takeQuestionId,
	updateQuestion,
} from '~/features/questions/writing/writing.queries.server.ts'
import { countUse } from '~/features/rate-limits/rate-limits.server.ts'
import { parseTags } from '~/features/tags/tags.limits.ts'
import { mainTags, requireCategory } from '~/features/tags/tags.server.ts'
import { withParams } from '~/lib/addresses.ts'
import { isId } from '~/lib/checks.ts'
import { Conflict, NoSuch, NotAllowed, NotFound } from '~/lib/errors.ts'
import { requireSignedIn, type SignedIn, type Viewer } from '~/lib/viewer.ts'
import {
	EditConflict,
	fieldText,
	type Input,
	isSameAsStored,
	parseInput,
	readVersion,
} from '~/platform/http/form.server.ts'
import type { SavedValues } from '~/platform/http/form.ts'
import { languageOfTags } from '~/platform/markdown/highlight.server.ts'
import { excerptOf, type RenderedMarkdown, renderMarkdown } from '~/platform/markdown/render.server.ts'
import { findUsernames, listPeople } from './mentions.queries.server.ts'

/*
 * Writing questions. Each use case checks the policy, then the input, then runs one transaction, then announces. Pages, the API and tests
 * call the same ones. Reading lists is in question-lists/lists.server.ts.
 */

/**
 * Asks a question.
 * @param input title, description, tags (comma-separated), category (slug); `pseudonym` hides the author; `key` is an idempotency key
 * @returns the id of the new question and its canonical address
 * @throws NotAllowed for a visitor, Invalid with an error per field, TooManyRequests
 */
export async function askQuestion(viewer: Viewer, input: Input): Promise<CreatedPost> {
	const author = requireSignedIn(viewer)
	const sent = await readTexts(input)
	const { pseudonym: isHidden } = parseInput(pseudonymInput, input)
	const { title, description, category } = sent
	// The category as it was sent: a repetition is recognized even after the category was renamed or archived.
	const content = ['query', title, description, sent.tags, category, ...(isHidden ? ['pseudonym'] : [])]
	const submission = readSubmission(author.id, input, content)
	return changeForumOnce(submission, async (trx) => {
		const shownAs = { member: author, accountId: isHidden ? null : author.id, field: 'description' }
		await requireAnonymousPictures(description, shownAs, trx)
		const tags = await mainTags(trx, sent.tags)
		const texts = { ...sent, ...(await requireCategory(author, category, { trx, isPseudonymous: isHidden, tags })) }
		const id = await takeQuestionId(trx)
		const pseudonym = isHidden ? await makePseudonym(trx, author) : null
		const { id: accountId, username } = pseudonym ?? author
		const named = {
			id,
			author_id: author.id,
			pseudonym_id: pseudonym?.id ?? null,
			username,
			tags,
			category_slug: texts.slug,
		}
		const question = eventQuestion({ ...named, title })
		const post = { id, url: question.url }
		return {
			event: { kind: 'question-added', actorId: author.id, question, mentioned: texts.mentioned },
			html: texts.descriptionHtml,
			post,
			async write(status) {
				await insertQuestion(trx, { id, authorId: accountId, status }, { ...texts, tags })
				return post
			},
		}
	})
}

/**
 * Edits a question; a pending one stays pending. A save of what is stored already changes nothing.
 * @param input as for {@link askQuestion}, with the `version` it is based on; without one the last edit wins
 * @returns its address, which depends on the category
 * @throws NotFound, NotAllowed, Invalid, TooManyRequests, EditConflict if another edit was saved first
 */
export async function editQuestion(viewer: Viewer, id: number, input: Input): Promise<{ url: string }> {
	const editor = requireSignedIn(viewer)
	const found = await requireChangeableQuestion(editor, id)
	if (!mayEdit(editor, { authorId: found.author_id })) throw new NotAllowed('Only the author can edit this query.')
	await countUse('edits', editor)
	const sent = await readTexts(input)
	const account = writingAccount(found, editor)
	const shownAs = { member: editor, accountId: account.id, field: 'description' }
	await requireAnonymousPictures(sent.description, shownAs)
	const version = readVersion(input)
	return changeForum<{ url: string }>(async (trx) => {
		const before = await (found.isPending ? lockPendingQuestion : lockQuestion)(trx, id)
		const stored = before && (await findChangeableQuestion(id, editor.id, trx))
		if (!stored) throw found.isPending ? alreadyDecided() : new NoSuch('query')
		const tags = await mainTags(trx, sent.tags)
		const place = await requireCategory(editor, sent.category, {
			trx,
			current: stored.category_slug,
			isPseudonymous: account.id !== editor.id,
			tags,
			before: stored.tags,
		})
		const texts = { ...sent, ...place }
		const question = eventQuestion({ ...stored, ...texts, tags, category_slug: texts.slug })
		const result = { url: question.url }
		const { title, description, slug: category } = texts
		const typed = { title, description, tags, category }
		if (isSameAsStored(savedQuestion(stored), typed)) return { done: result }
		if (version !== null && version !== stored.version) throw new EditConflict(savedQuestion(stored))
		if (found.isPending)
			return {
				event: { kind: 'question-pending', actorId: editor.id, question },
				write: () => updatePendingQuestion(trx, id, { ...texts, tags }).then(() => result),
			}
		await requireRoomForEdit(trx, editor, { questionId: id })
		return {
			event: {
				kind: 'question-changed',
				actorId: editor.id,
				question,
				mentioned: texts.mentioned,
				before: { category: stored.category_slug, tags: stored.tags, description: stored.description },
			},
			html: texts.descriptionHtml,
			async write(status) {
				await recordQuestionRevision(trx, id, account.id, { ...texts, tags })
				await updateQuestion(trx, id, before, { ...texts, tags }, status)
				return result
			},
		}
	})
}

/**
 * Deletes a question. If others have answered, its address and their comments remain.
 * @returns its former address, and whether the deletion can be undone: not for a pending question
 * @throws NotFound, NotAllowed
 */
export async function deleteQuestion(viewer: Viewer, id: number): Promise<{ url: string; undoable: boolean }> {
	const actor = requireSignedIn(viewer)
	const merged = isId(id) ? await findUnpublishedRow(id) : undefined
	if (merged && mayDeleteUnpublished(actor, { ...merged, authorId: merged.author_id }) && merged.status === 'merged')
		return deleteMerged(actor, eventQuestion(merged))
	const question = await requireChangeableQuestion(actor, id)
	if (!mayDelete(actor, { authorId: question.author_id }))
		throw new NotAllowed('Only the author can delete this query.')
	return changeForum(async (trx) => {
		const before = await (question.isPending ? lockPendingQuestion : lockQuestion)(trx, id)
		if (!before) throw question.isPending ? alreadyDecided() : new NoSuch('query')
		const event = { kind: 'question-deleted', actorId: actor.id, question: eventQuestion(question) } as const
		return {
			event,
			async write() {
				if (question.isPending) await withdrawPending(trx, actor, 'query', id)
				else await removeQuestion(trx, id, before, { status: 'deleted', by: actor.id })
				return { url: event.question.url, undoable: !question.isPending }
			},
		}
	})
}

/** Deletes a merged question, which is in no list and no count. Undoing it merges it again. */
function deleteMerged(actor: SignedIn, question: EventQuestion): Promise<{ url: string; undoable: boolean }> {
	return changeForum(async (trx) => {
		const locked = await lockAnyQuestion(trx, question.id)
		if (locked?.status !== 'merged') throw new NoSuch('query')
		const { status_reason: reason } = locked
		return {
			event: { kind: 'question-deleted', actorId: actor.id, question },
			async write() {
				await setMergedInto(trx, question.id, { status: 'deleted', reason, by: actor.id }, null)
				return { url: question.url, undoable: true }
			},
		}
	})
}

/** A question with the fields of its form. */
function savedQuestion({ title, description, tags, category_slug: category, version }: QuestionPageRow): SavedValues {
	return { version, values: { title, description, tags: fieldText(tags), category } }
}

/** The texts of the form; its category is not looked up yet. */
async function readTexts(
	input: Input,
): Promise<Omit<QuestionTexts, 'categoryId'> & { category: string; mentioned: string[] }> {
	const { title, description, tags, category } = parseInput(askInput, input)
	const { html, text, mentioned } = await renderDescription(description, tags)
	return {
		title,
		description,
		descriptionHtml: html,
		excerpt: excerptOf(text),
		tags,
		category,
		mentioned,
	}
}

/**
 * Undoes the deletion of a question.
 * @throws NotFound if it was not deleted, NotAllowed after ten minutes, Conflict if it was just restored
 */
export async function restoreQuestion(viewer: Viewer, id: number): Promise<{ url: string }> {
	const actor = requireSignedIn(viewer)
	const found = isId(id) ? await findDeletedQuestion(id, UNDO_SECONDS) : undefined
	if (!found || found.erased) throw new NotFound('There is no deleted query to restore.')
	if (!mayRestore(actor, { deletedBy: found.status_by, recent: found.recent })) throw new NotAllowed(undoTooLate)
	return changeForum(async (trx) => {
		// Both of a merge in the order of their ids, as moderators lock them.
		if (found.was_merged_into !== null) await lockAnyQuestions(trx, [id, found.was_merged_into])
		const locked = await lockDeletedQuestion(trx, id)
		if (!locked) throw new Conflict('This query has already been restored.')
		const tags = await mainTags(trx, found.tags)
		const question = eventQuestion({ ...found, tags })
		const { was_merged_into: into, status_reason: reason } = locked
		const deletion = { deletedBy: found.status_by, isMerged: into !== null }
		return {
			event: { kind: 'question-restored', actorId: actor.id, question, ...deletion },
			async write() {
				if (into === null) await publishQuestion(trx, id, actor.id, tags)
				else await setMergedInto(trx, id, { status: 'merged', reason, by: actor.id }, into)
				return { url: withParams(question.url, { original: into && 1 }) }
			},
		}
	})
}

/**
 * Renders a preview of a description, exactly as publishing would, without storing it.
 * @param input `description`; `tags` as typed, which name the language of plain code blocks
 * @param ip of the request
 * @throws Invalid if it is too long, TooManyRequests
 */
export async function previewDescription(viewer: Viewer, ip: string, input: unknown): Promise<{ html: string }> {
	const { description, tags } = parseInput(previewInput, input)
	await countUse('previews', viewer, ip)
	const { html } = await renderDescription(description, parseTags(tags))
	return { html }
}

/** Renders a question's description, for publishing and for previews. */
export async function renderDescription(description: string, tags: readonly string[]): Promise<RenderedMarkdown> {
	return renderMarkdown(description, {
		language: languageOfTags(tags),
		topHeading: 2,
		people: findUsernames,
	})
}

/** Suggests members to mention, participants of the question first; none for an invalid prefix of a username. */
export async function suggestMentions(
	text: string,
	questionId: number,
	limit: number,
): Promise<{ username: string; name: string }[]> {
	const prefix = text.toLowerCase()
	if (!/^[a-z0-9._-]{0,64}$/.test(prefix)) return []
	return listPeople(prefix, isId(questionId) ? questionId : null, limit)
}
