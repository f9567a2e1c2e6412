import { cleanLine } from '~/lib/clean.ts'
import type { Executor } from '~/platform/db/db.server.ts'
import { lazyLines } from '~/platform/http/lists.server.ts'
import { MAX_SKILL_LENGTH } from './members.view.ts'
import { listShared, listSkillsLike, listSpellings, replaceSkills } from './skills.queries.server.ts'

export interface SkillSuggestion {
	name: string
	/** How many members have it. */
	count: number
}

interface Entry {
	name: string
	/** The name and its other spellings, as {@link plain} writes them. */
	keys: string[]
}

interface Vocabulary {
	entries: Entry[]
	/** From every spelling to the name. */
	names: Map<string, string>
}

const lines = lazyLines('app/features/members/data/skills.txt')
let read: Vocabulary | undefined

/** The name under which a skill is stored: `js` and `Javascript` are JavaScript; what the vocabulary lacks stays as typed. */
export function canonicalSkill(typed: string): string {
	const text = cleanLine(typed)
	return vocabulary().names.get(plain(text)) ?? text
}

/**
 * Skills that a text may be the beginning of: the vocabulary and what members wrote, the commonest here first.
 * @param limit at most 20
 */
export async function suggestSkills(typed: string, limit: number): Promise<SkillSuggestion[]> {
	const text = cleanLine(typed).slice(0, MAX_SKILL_LENGTH)
	if (text === '') return []
	const max = Math.min(limit, 20)
	const listed = matches(plain(text)).slice(0, 5 * max)
	const rows = await listSkillsLike(
		text.toLowerCase(),
		listed.map(({ name }) => name.toLowerCase()),
		max,
	)
	const counts = new Map(rows.map((row) => [row.name_key, row.member_count]))
	const found = new Map(listed.map(({ name, rank }) => [name.toLowerCase(), { name, rank }]))
	for (const row of rows) if (!found.has(row.name_key)) found.set(row.name_key, { name: row.name, rank: begins })
	return [...found]
		.map(([key, { name, rank }]) => ({ name, rank, count: counts.get(key) ?? 0 }))
		.sort((a, b) => a.rank - b.rank || b.count - a.count || a.name.length - b.name.length || (a.name < b.name ? -1 : 1))
		.slice(0, max)
		.map(({ name, count }) => ({ name, count }))
}

/** Makes these the skills of a member, each under its stored name and once. Part of the caller's transaction. */
export async function setSkills(trx: Executor, userId: number, typed: string[]): Promise<void> {
	const names = new Map(typed.map((text) => canonicalSkill(text)).map((name) => [name.toLowerCase(), name]))
	const spelt = await listSpellings(trx, [...names.keys()])
	await replaceSkills(
		trx,
		userId,
		[...names].map(([key, name]) => spelt.get(key) ?? name),
	)
}

/** The skills that two members share, those first that the second one named first. */
export const listSharedSkills: (userId: number, peerId: number) => Promise<string[]> = listShared

/* How well a text fits a skill: it is the whole of a spelling, the name begins with it, or another spelling or word does. */
const whole = 0
const begins = 1
const elsewhere = 2

function matches(key: string): { name: string; rank: number }[] {
	const found = vocabulary().entries.flatMap(({ name, keys }) => {
		if (keys.includes(key)) return [{ name, rank: whole }]
		if (keys[0]?.startsWith(key)) return [{ name, rank: begins }]
		const words = name.split(/[\s/-]+/).slice(1)
		const other = keys.some((spelling) => spelling.startsWith(key)) || words.some((word) => plain(word).startsWith(key))
		return other ? [{ name, rank: elsewhere }] : []
	})
	return found.sort((a, b) => a.rank - b.rank || a.name.length - b.name.length)
}

function vocabulary(): Vocabulary {
	if (read) return read
	const entries = [...lines()].map((line) => {
		const spellings = line.split('|')
		return { name: spellings[0] ?? '', keys: spellings.map(plain) }
	})
	// Names come first: the short form of one thing may be the whole name of another.
	const names = new Map<string, string>()
	for (const { name } of entries) names.set(plain(name), name)
	for (const { name, keys } of entries) for (const key of keys) if (!names.has(key)) names.set(key, name)
	read = { entries, names }
	return read
}

/** Small letters without what people write differently: `Node.js`, `node js` and `NodeJS` are one. */
function plain(text: string): string {
	const small = text.toLowerCase()
	return small.replace(/[\s._-]+/g, '') || small
}
