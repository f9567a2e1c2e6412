import type { Spelling } from '~/features/terms/sources.server.ts'
import {
	findTermDetail,
	insertTerm,
	listAncestors,
	listKeys,
	listTermsOfWords,
	mergeInto,
	putSpelling,
	removeSpelling,
	replaceParents,
	type TermDetailRow,
	updateTerm,
} from '~/features/terms/terms.queries.server.ts'
import { MAX_SPELLINGS, type Term, tagOfName, termKey } from '~/features/terms/terms.view.ts'
import { Conflict, Invalid, NotFound } from '~/lib/errors.ts'
import type { Executor } from '~/platform/db/db.server.ts'
import { type Input, parseInput } from '~/platform/http/form.server.ts'
import {
	aboutInput,
	aliasInput,
	mergeTargetInput,
	newTargetInput,
	newTermInput,
	termNameInput,
	wordInput,
} from './vocabulary.schema.ts'
import type { TermAct } from './vocabulary.view.ts'

/* How each action changes the tables of terms, in the caller's transaction, and when it is refused. */

/** The result of an action. */
export interface TermActResult {
	/** Its term; after a merge, the one that remains. */
	term: Term
	/** Details for the log. */
	note?: string
	/** Words that may have to be respelled; none if nothing changes. */
	spelling?: Spelling
	/** Ids of terms whose meaning changed, but not their spelling. */
	alsoChanged?: number[]
}

/** @throws Invalid, Conflict, NotFound for an unknown term */
export type TermActHandler = (trx: Executor, id: number, input: Input) => Promise<TermActResult>

export const termActHandlers: Record<TermAct, TermActHandler> = {
	/** Adds a term for a word; its tag is derived from its name. */
	async add(trx, _id, input) {
		const { name } = parseInput(newTermInput, input)
		const term = await makeTerm(trx, name, 'name')
		return { term, spelling: spellingOf(term, await listKeys(trx, term.id)) }
	},
	/** Renames a term; its tag stays, and the old name becomes a spelling. */
	async rename(trx, id, input) {
		const term = await requireTerm(trx, id)
		const { name } = parseInput(termNameInput, input)
		await requireFreeSpelling(trx, term, name, 'name')
		if (termKey(name) !== termKey(term.name)) {
			await putSpelling(trx, id, name, null)
			// The old name was not an alias, so it is stored as one added here.
			if (termKey(term.name) !== termKey(term.tag)) await putSpelling(trx, id, term.name, new Date())
		}
		await updateTerm(trx, id, { name })
		const renamed = { ...term, name }
		return { term: renamed, note: `from ${term.name}`, spelling: spellingOf(renamed, await listKeys(trx, id)) }
	},
	async 'add-alias'(trx, id, input) {
		const term = await requireTerm(trx, id)
		const { alias } = parseInput(aliasInput, input)
		await requireFreeSpelling(trx, term, alias, 'alias')
		if (term.aliases.length >= MAX_SPELLINGS) throw new Invalid(`A term has at most ${MAX_SPELLINGS} other spellings.`)
		if (![termKey(term.name), termKey(term.tag)].includes(termKey(alias))) await putSpelling(trx, id, alias, new Date())
		return { term, note: alias, spelling: spellingOf(term, [termKey(alias)]) }
	},
	/** Words that were respelled before stay so. */
	async 'remove-alias'(trx, id, input) {
		const term = await requireTerm(trx, id)
		const { alias } = parseInput(aliasInput, input)
		if (!(await removeSpelling(trx, id, alias))) throw new NotFound('There is no such spelling.')
		return { term, note: alias, alsoChanged: [id] }
	},
	/** Moves all spellings of a term to another one, which remains. */
	async merge(trx, id, input) {
		const term = await requireTerm(trx, id)
		const { into } = parseInput(mergeTargetInput, input)
		const target = (await listTermsOfWords(trx, [into])).get(into)
		if (!target) throw refusal('into', `“${into}” is not a term.`)
		if (target.id === id) throw refusal('into', 'These two are the same term.')
		const keys = await listKeys(trx, id)
		await merge(trx, term, target)
		return { term: target, note: `${term.name} into it`, spelling: spellingOf(target, keys) }
	},
	/**
	 * Makes one word a spelling of another: merges terms, adds a spelling, or creates a term. Refused if the other word is a spelling of the
	 * first.
	 */
	async join(trx, _id, input) {
		const { word } = parseInput(wordInput, input)
		const { into } = parseInput(mergeTargetInput, input)
		const meant = await listTermsOfWords(trx, [word, into])
		const own = meant.get(word)
		const target = meant.get(into) ?? (await makeTerm(trx, parseInput(newTargetInput, input).into, 'into'))
		const key = termKey(word)
		if (own?.id === target.id && termKey(own.tag) === key)
			throw new Conflict(`#${into} is already a synonym of #${word}. Remove that first.`)
		const keys = [key]
		if (own && own.id !== target.id && [termKey(own.name), termKey(own.tag)].includes(key)) {
			keys.push(...(await listKeys(trx, own.id)))
			await merge(trx, await requireTerm(trx, own.id), target)
		}
		if (termKey(target.name) !== key) await putSpelling(trx, target.id, word, new Date())
		// A term that lost a spelling no longer means what was written so, such as titles of certificates.
		const alsoChanged = own && own.id !== target.id && keys.length === 1 ? [own.id] : []
		return { term: target, note: `${word} into it`, spelling: spellingOf(target, keys), alsoChanged }
	},
	/** Sets a term's description, and its parents unless `parents` is missing: names separated by commas. */
	async describe(trx, id, input) {
		const term = await requireTerm(trx, id)
		const { description, parents } = parseInput(aboutInput, input)
		if (parents) {
			const known = await listTermsOfWords(trx, parents)
			const unknown = parents.find((parent) => !known.has(parent))
			if (unknown !== undefined) throw refusal('parents', `“${unknown}” is not a term.`)
			const above = [...new Set([...known.values()].map((parent) => parent.id))]
			if ((await listAncestors(trx, above)).includes(id)) throw refusal('parents', 'A term cannot be part of itself.')
			await replaceParents(trx, id, above)
		}
		await updateTerm(trx, id, { description })
		return { term, alsoChanged: parents ? [id, ...term.parents.map((parent) => parent.id)] : [] }
	},
}

async function requireTerm(trx: Executor, id: number): Promise<TermDetailRow> {
	const term = await findTermDetail(id, trx)
	if (!term) throw new NotFound('There is no such term.')
	return term
}

/** No ancestor of the target may become its child, nor the reverse. */
async function merge(trx: Executor, term: TermDetailRow, target: Term): Promise<void> {
	const kept = await requireTerm(trx, target.id)
	if (term.description !== '' && (kept.description === '' || (term.isEdited && !kept.isEdited)))
		await updateTerm(trx, target.id, { description: term.description })
	const own = kept.parents.map((parent) => parent.id)
	await mergeInto(trx, term.id, target.id, await listAncestors(trx, [target.id]))
	const added: number[] = []
	for (const parent of term.parents)
		if (!(await listAncestors(trx, [parent.id])).includes(target.id)) added.push(parent.id)
	const parents = [...new Set([...own, ...added])].filter((id) => id !== term.id)
	await replaceParents(trx, target.id, parents)
}

/** @param field of the form, for a refusal */
async function makeTerm(trx: Executor, name: string, field: string): Promise<Term> {
	const tag = tagOfName(name)
	const id = await insertTerm(trx, { name, tag })
	if (id !== undefined) return { id, name, tag }
	const owner = (await listTermsOfWords(trx, [name])).get(name)
	throw refusal(field, `“${name}” is a spelling of ${owner?.name ?? 'another term'} already.`)
}

async function requireFreeSpelling(trx: Executor, term: Term, spelling: string, field: string): Promise<void> {
	const owner = (await listTermsOfWords(trx, [spelling])).get(spelling)
	if (owner && owner.id !== term.id)
		throw refusal(field, `“${spelling}” belongs to ${owner.name}. Merge the two terms instead.`)
}

function spellingOf({ name, tag }: Term, keys: string[]): Spelling {
	return { keys, name, tag }
}

function refusal(field: string, message: string): Invalid {
	return new Invalid(message, { [field]: message })
}
