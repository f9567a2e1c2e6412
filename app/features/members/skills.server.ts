import { findTerm, matchTerms, termNames } from '~/features/terms/terms.server.ts'
import { matchRanks } from '~/features/terms/terms.view.ts'
import { cleanLine } from '~/lib/clean.ts'
import type { Executor } from '~/platform/db/db.server.ts'
import { MAX_SKILL_LENGTH } from './members.view.ts'
import { listShared, listSkillsLike, listSpellings, replaceSkills } from './skills.queries.server.ts'

export interface SkillSuggestion {
	name: string
	/** The number of members with it. */
	count: number
	/** Whether it is a parent of what was typed, suggested in addition. */
	isRelated: boolean
}

/** The canonical name of a skill: `js` and `Javascript` become JavaScript; words that are not terms stay as typed. */
export function canonicalSkill(typed: string): string {
	const text = cleanLine(typed)
	return findTerm(text)?.name ?? text
}

/** Suggests skills for a prefix: terms, and words that members use, most common first. @param limit at most 20 */
export async function suggestSkills(typed: string, limit: number): Promise<SkillSuggestion[]> {
	const text = cleanLine(typed).slice(0, MAX_SKILL_LENGTH)
	if (text === '') return []
	const max = Math.min(limit, 20)
	const listed = matchTerms(text)
		.slice(0, 5 * max)
		.map(({ term, rank }) => ({ name: term.name, rank }))
	const rows = await listSkillsLike(
		text.toLowerCase(),
		listed.map(({ name }) => name.toLowerCase()),
		max,
	)
	const counts = new Map(rows.map((row) => [row.name_key, row.member_count]))
	const found = new Map(listed.map(({ name, rank }) => [name.toLowerCase(), { name, rank }]))
	for (const row of rows)
		if (!found.has(row.name_key)) found.set(row.name_key, { name: row.name, rank: matchRanks.begins })
	return [...found]
		.map(([key, { name, rank }]) => ({ name, rank, count: counts.get(key) ?? 0 }))
		.sort((a, b) => a.rank - b.rank || b.count - a.count)
		.slice(0, max)
		.map(({ name, rank, count }) => ({ name, count, isRelated: rank === matchRanks.related }))
}

/**
 * Skills as they are stored: canonical, distinct, and spelled like those of other members. The caller's transaction has called
 * `lockTermsShared`, unless there are none.
 */
export async function normalizeSkills(trx: Executor, typed: string[]): Promise<string[]> {
	const meant = await termNames(trx, typed.map(cleanLine))
	const names = new Map(meant.map((name) => [name.toLowerCase(), name]))
	const spelt = await listSpellings(trx, [...names.keys()])
	return [...names].map(([key, name]) => spelt.get(key) ?? name)
}

/** Sets a member's skills, in the caller's transaction, as {@link normalizeSkills}. */
export async function setSkills(trx: Executor, userId: number, typed: string[]): Promise<void> {
	await replaceSkills(trx, userId, await normalizeSkills(trx, typed))
}

/** The skills that two members share, in the order of the second one. */
export const listSharedSkills: (userId: number, peerId: number) => Promise<string[]> = listShared
