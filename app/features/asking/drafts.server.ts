import { mayEdit } from '~/features/questions/questions.policy.ts'
import { draftInput, draftKey } from '~/features/questions/questions.schema.ts'
import { requireChangeableQuestion } from '~/features/questions/writing/change.server.ts'
import { NotAllowed } from '~/lib/errors.ts'
import { requireSignedIn, type SignedIn, type Viewer } from '~/lib/viewer.ts'
import { db } from '~/platform/db/db.server.ts'
import { parseInput } from '~/platform/http/form.server.ts'
import type { Draft, DraftSaveResult } from './asking.view.ts'
import {
	type DraftRow,
	type DraftTexts,
	findDraft,
	listDraftRows,
	lockDrafts,
	removeDraft,
	trimDrafts,
	writeDraft,
} from './drafts.queries.server.ts'

/* Drafts on the server. They are private: every statement is restricted to the viewer's id. */

/** The viewer's draft of a form; null without one. @param key `ask`, or `edit:{id}` @throws Invalid for another key */
export async function getDraft(viewer: Viewer, key: string): Promise<Draft | null> {
	const parsedKey = parseInput(draftKey, key)
	const row = viewer ? await findDraft(viewer.id, parsedKey) : undefined
	return row ? presentDraft(row, parsedKey) : null
}

/** The viewer's drafts with their keys, newest first. @throws NotAllowed */
export async function listDrafts(viewer: Viewer): Promise<(Draft & { key: string })[]> {
	const rows = await listDraftRows(requireSignedIn(viewer).id)
	return rows.map((row) => ({ key: row.key, ...presentDraft(row, row.key) }))
}

/**
 * Stores a draft. The newest save wins; if this tab did not know the draft that it replaced, that is returned.
 * @throws NotAllowed for a visitor and for the edit of a question that the viewer may not change, NotFound, Invalid
 */
export async function saveDraft(viewer: Viewer, input: Record<string, unknown>): Promise<DraftSaveResult> {
	const member = requireSignedIn(viewer)
	const { key, madeFrom, version: known, ...typed } = parseInput(draftInput, input)
	await requireEditable(member, key)
	const texts: DraftTexts = { ...typed, made_from: madeFrom }
	return db()
		.transaction()
		.execute(async (trx) => {
			await lockDrafts(trx, member.id)
			const before = await findDraft(member.id, key, trx)
			const { id, version } = await writeDraft(trx, member.id, key, texts)
			if (!before) await trimDrafts(trx, member.id)
			const unknown = before !== undefined && before.version !== known && !isSame(before, texts)
			return { version, replaced: unknown ? presentDraft(before, key) : null, sharedKey: sharedKeyOf(id, key) }
		})
}

/** Deletes a draft that was published or discarded. Idempotent. @throws NotAllowed, Invalid */
export async function discardDraft(viewer: Viewer, key: string): Promise<void> {
	await removeDraft(requireSignedIn(viewer).id, parseInput(draftKey, key))
}

/** @throws NotFound, NotAllowed for the edit of a question that the member may not change */
async function requireEditable(member: SignedIn, key: string): Promise<void> {
	if (key === 'ask') return
	const id = Number(key.slice('edit:'.length))
	const question = await requireChangeableQuestion(member, id)
	if (!mayEdit(member, { authorId: question.author_id })) throw new NotAllowed('Only the author can edit this query.')
}

function isSame(row: DraftTexts, texts: DraftTexts): boolean {
	return (['title', 'description', 'tags', 'category', 'pseudonym'] as const).every(
		(field) => row[field] === texts[field],
	)
}

function presentDraft({ made_from: madeFrom, updated_at, ...row }: DraftRow, key: string): Draft {
	const { title, description, tags, category, pseudonym, version } = row
	const texts = { title, description, tags, category, pseudonym }
	return { ...texts, madeFrom, version, savedAt: updated_at.toISOString(), sharedKey: sharedKeyOf(row.id, key) }
}

/** A posted or discarded draft is deleted, and the next one has another id. */
function sharedKeyOf(id: number, key: string): string | undefined {
	return key === 'ask' ? `draft-${id}` : undefined
}
