import type { TermKind } from './terms.queries.server.ts'

interface Asked {
	/** Terms that filters name. */
	named: { id: number; kind: TermKind; label: string }[]
	/** Terms that the words of a search may mean; of kind 'username', the member who has it. */
	meanings: { id: number; kind: TermKind | 'username'; label: string }[]
}

/** Why a member was found, in words, and which of their skills were asked for. */
export function whyFound(
	{ named, meanings }: Asked,
	row: { id: number; matched: number[]; skills: string[]; university_name: string },
): { asked: string[]; why: string } {
	const has = new Set(row.matched)
	const searched = meanings.filter(({ id, kind }) => kind !== 'username' && has.has(id))
	const keys = new Set(
		[...named, ...searched]
			.filter(({ id, kind }) => kind === 'skill' && has.has(id))
			.map(({ label }) => label.toLowerCase()),
	)
	const asked = row.skills.filter((skill) => keys.has(skill.toLowerCase()))
	const found = new Set(searched.map(({ label, kind }) => (kind === 'skill' ? label.toLowerCase() : kind)))
	const known = asked.filter((skill) => found.has(skill.toLowerCase()))
	const isUsername = meanings.some(({ id, kind }) => kind === 'username' && id === row.id)
	const names = [found.has('name') && 'name', isUsername && 'username'].filter(Boolean)
	const reasons = [
		names.length > 0 && `Found by ${names.join(' and ')}`,
		known.length > 0 && `Knows ${known.join(', ')}`,
		found.has('university') && `Studies at ${row.university_name}`,
	]
	return { asked, why: reasons.filter(Boolean).join(' · ') }
}
