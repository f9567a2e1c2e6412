import { addLogRow } from '~/features/moderation/log.queries.server.ts'
import { lockModerator, requireModerator } from '~/features/moderation/members.server.ts'
import { termSources } from '~/features/terms/sources.server.ts'
import { listTermsOfWords, lockTerms, updateTerm } from '~/features/terms/terms.queries.server.ts'
import { alignTerm, alignTermSoon, announceTerms } from '~/features/terms/terms.server.ts'
import type { Term } from '~/features/terms/terms.view.ts'
import { NotFound } from '~/lib/errors.ts'
import { pluralize } from '~/lib/text.ts'
import type { SignedIn, Viewer } from '~/lib/viewer.ts'
import { ALL_PAGES, invalidatePages } from '~/platform/cache/pages.server.ts'
import { db, type Executor } from '~/platform/db/db.server.ts'
import type { Input } from '~/platform/http/form.server.ts'
import { type TermActResult, termActHandlers } from './rules.server.ts'
import { actLabels, TERM_SUBJECT, type TermAct } from './vocabulary.view.ts'

/*
 * Actions of moderators on terms. Each is one transaction with its log entry; words of members are respelled in batches afterwards. All
 * functions throw NotAllowed unless the viewer is a moderator who is not suspended, and the errors of the rules.
 */

/** Carries out an action. @param id of the term; 0 to add one @returns its term; after a merge, the one that remains */
export async function actOnTerm(viewer: Viewer, act: TermAct, id: number, input: Input): Promise<Term> {
	const actor = requireModerator(viewer)
	const {
		term,
		spelling,
		alsoChanged = [],
	} = await db()
		.transaction()
		.execute(async (trx) => {
			const done = await withLockedTerms(trx, actor, (held) => termActHandlers[act](held, id, input))
			await updateTerm(trx, done.term.id, done.spelling ? { unaligned: true } : {})
			const about = { kind: TERM_SUBJECT, targetId: done.term.id, memberId: actor.id, title: done.term.name }
			await addLogRow(trx, { actorId: actor.id, act: actLabels[act], ...about, note: done.note ?? '' })
			return done
		})
	await announceTerms()
	if (spelling) await alignTermSoon(term.id, spelling)
	for (const other of alsoChanged) await alignTerm(other)
	await invalidatePages([ALL_PAGES])
	return term
}

/** Makes one word a spelling of another, whether or not they are terms. @returns their common tag */
export async function linkSynonym(viewer: Viewer, input: { word: string; into: string }): Promise<string> {
	return (await actOnTerm(viewer, 'join', 0, input)).tag
}

/** Removes a spelling from its term. @throws NotFound */
export async function unlinkSynonym(viewer: Viewer, word: string): Promise<void> {
	requireModerator(viewer)
	const term = (await listTermsOfWords(db(), [word])).get(word)
	if (!term) throw new NotFound('There is no such synonym.')
	await actOnTerm(viewer, 'remove-alias', term.id, { alias: word })
}

/** Sets the description of a term; its parents stay. */
export async function describeTerm(viewer: Viewer, id: number, description: string): Promise<void> {
	await actOnTerm(viewer, 'describe', id, { description })
}

/** The effect of an action, in words: “12 profiles”, “1 project”. Changes nothing. */
export async function previewAct(
	viewer: Viewer,
	act: TermAct,
	id: number,
	input: Input,
): Promise<{ term: Term; changes: string[] }> {
	const { term, spelling } = await rehearse(requireModerator(viewer), (trx) => termActHandlers[act](trx, id, input))
	const changes: string[] = []
	for (const { nouns, count } of termSources()) {
		const number = spelling ? await count(spelling) : 0
		if (number > 0) changes.push(pluralize(number, ...nouns))
	}
	return { term, changes }
}

/** Carries the action out and rolls it back, so that a preview throws the same errors. */
async function rehearse(actor: SignedIn, work: (trx: Executor) => Promise<TermActResult>): Promise<TermActResult> {
	const outcome: { done?: TermActResult } = {}
	const undo = new Error('undo')
	try {
		await db()
			.transaction()
			.execute(async (trx) => {
				outcome.done = await withLockedTerms(trx, actor, work)
				throw undo
			})
	} catch (error) {
		if (error !== undo) throw error
	}
	if (!outcome.done) throw undo
	return outcome.done
}

/** Locks the terms before the moderator's row: whoever asks locks both in this order. */
async function withLockedTerms(
	trx: Executor,
	actor: SignedIn,
	work: (trx: Executor) => Promise<TermActResult>,
): Promise<TermActResult> {
	await lockTerms(trx)
	await lockModerator(trx, actor)
	return work(trx)
}
