import { Conflict, NotAllowed, NotFound } from '~/lib/errors.ts'
import type { Viewer } from '~/lib/viewer.ts'
import { dropPages, everyPage } from '~/platform/cache/pages.server.ts'
import { db, type Executor } from '~/platform/db/db.server.ts'
import { type Input, parseInput } from '~/platform/http/parse.server.ts'
import {
	deleteSynonym,
	findMain,
	holdSynonyms,
	insertSynonym,
	listMains,
	listSynonymRows,
	listUnmoved,
	lockSynonyms,
	moveQueries,
} from './synonyms.queries.server.ts'
import { mayKeepTags } from './tags.policy.ts'
import { synonymInput } from './tags.schema.ts'
import { requireTagKeeper } from './tags.server.ts'

/** So many queries change their tag in one transaction: nobody who edits one of them waits long. */
const batch = 200

/**
 * Tags as they are kept: js is written, javascript is stored. For the transaction that writes the query.
 * @returns the main tags in the order given, each once
 */
export async function mainTags(trx: Executor, tags: string[]): Promise<string[]> {
	const [kept] = await mainTagsOfAll(trx, [tags])
	return kept ?? tags
}

/** As {@link mainTags}, for the tags of many queries. */
export async function mainTagsOfAll(trx: Executor, lists: string[][]): Promise<string[][]> {
	await holdSynonyms(trx)
	return meantTags(trx, lists)
}

/** As {@link mainTagsOfAll}, for somebody who reads. */
export async function meantTags(trx: Executor, lists: string[][]): Promise<string[][]> {
	const mains = await listMains(trx, [...new Set(lists.flat())])
	return lists.map((tags) => [...new Set(tags.map((tag) => mains.get(tag) ?? tag))])
}

/**
 * Keeps one tag as another from now on, and moves its queries there in batches. What an interruption leaves behind is
 * moved by {@link moveSynonyms}, or by adding the same synonym again.
 * @param input name: the spelling, main: the tag it is kept as
 * @throws NotAllowed for all but moderators, Invalid, Conflict when the main tag is kept as this very one
 */
export async function addSynonym(viewer: Viewer, input: Input): Promise<{ name: string; main: string }> {
	await requireTagKeeper(viewer, 'Only a moderator can join tags.')
	const { name, main: wanted } = parseInput(synonymInput, input)
	const main = await db()
		.transaction()
		.execute(async (trx) => {
			await lockSynonyms(trx)
			const kept = (await findMain(trx, wanted)) ?? wanted
			if (kept === name) throw new Conflict(`#${wanted} is kept as #${name} already. Remove that first.`)
			await insertSynonym(trx, name, kept)
			return kept
		})
	await move(name, main)
	return { name, main }
}

/** Makes a synonym a tag of its own again; queries stay where they are. @throws NotAllowed, NotFound */
export async function removeSynonym(viewer: Viewer, name: string): Promise<void> {
	await requireTagKeeper(viewer, 'Only a moderator can part tags.')
	if (!(await deleteSynonym(name))) throw new NotFound('There is no such synonym.')
	await dropPages([everyPage])
}

/** The synonyms by main tag, for those who may change them; at most 1,000. @throws NotAllowed */
export async function listSynonyms(viewer: Viewer): Promise<{ main: string; names: string[] }[]> {
	if (!mayKeepTags(viewer)) throw new NotAllowed('Only a moderator can see this.')
	return listSynonymRows(1_000)
}

/** Ends what an interrupted {@link addSynonym} began. Called every hour. */
export async function moveSynonyms(): Promise<void> {
	for (const { name, main } of await listUnmoved()) await move(name, main)
}

async function move(name: string, main: string): Promise<void> {
	let moved = batch
	while (moved === batch)
		moved = await db()
			.transaction()
			.execute((trx) => moveQueries(trx, name, main, batch))
	await dropPages([everyPage])
}
