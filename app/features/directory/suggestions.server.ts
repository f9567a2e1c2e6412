import { canonicalSkill } from '~/features/members/skills.server.ts'
import { formatNumber } from '~/lib/text.ts'
import type { Viewer } from '~/lib/viewer.ts'
import { parseCriteria, resolveCriteria } from './criteria.server.ts'
import { NO_CRITERIA } from './directory.paths.ts'
import { presentFound } from './directory.server.ts'
import type { SuggestionsView } from './directory.view.ts'
import { findMembers, quoteSearch } from './finding.server.ts'
import type { MeaningRow } from './terms.queries.server.ts'

const MAX_SUGGESTIONS = { people: 5, skills: 4, universities: 3 }

/** Suggestions for an incomplete search: people, skills and universities, the best of each. */
export async function suggest(typed: string, viewer: Viewer): Promise<SuggestionsView> {
	if (!typed) return { people: [], skills: [], universities: [] }
	const found = await findMembers({ ...NO_CRITERIA, q: typed }, viewer, null, MAX_SUGGESTIONS.people)
	const { meaning } = found
	const rows = await presentFound(found)
	const isNeeded = ({ position }: MeaningRow) => meaning.words[position]?.isSoft === false
	const whole = answersOf(meaning.meanings.filter(isNeeded), meaning.words.filter(({ isSoft }) => !isSoft).length)
	const named = (kind: MeaningRow['kind'], limit: number) =>
		whole
			.filter((term) => term.kind === kind)
			.slice(0, limit)
			.map(({ label, members }) => ({ name: label, count: members }))
	return {
		people: rows.map(({ username, name, image, online, skills, matchedSkills = [], studies, university }) => ({
			username,
			name,
			image,
			online,
			skills: [...matchedSkills, ...skills.filter((skill) => !matchedSkills.includes(skill))].slice(0, 2),
			studies,
			university,
		})),
		skills: named('skill', MAX_SUGGESTIONS.skills),
		universities: named('university', MAX_SUGGESTIONS.universities),
	}
}

const MAX_KNOWN_SKILLS = 8

/** Skills of listed members that match an incomplete text, with the number of members. */
export async function suggestKnownSkills(typed: string): Promise<{ value: string; note: string }[]> {
	if (!typed) return []
	// An exact synonym comes first, as its skill; then the skills that begin with the text.
	const texts = [...new Set([canonicalSkill(typed), typed])]
	const skills = (await Promise.all(texts.map(skillsLike))).flat()
	const counts = new Map(skills.map(({ label, members }) => [label, members]))
	return [...counts].slice(0, MAX_KNOWN_SKILLS).map(([value, members]) => ({ value, note: formatNumber(members) }))
}

async function skillsLike(text: string): Promise<MeaningRow[]> {
	const understood = await parseCriteria({ ...NO_CRITERIA, q: quoteSearch(text) }, null)
	const written = await resolveCriteria(understood, 'written')
	const { meanings, words } = written.words.every(({ any }) => any.ids.length > 0)
		? written
		: await resolveCriteria(understood, 'typos')
	return answersOf(meanings, words.length).filter(({ kind }) => kind === 'skill')
}

/**
 * The terms that match every word of a search: first those with the most complete words, then those without further
 * words, then the commonest.
 */
function answersOf(meanings: MeaningRow[], words: number): MeaningRow[] {
	const byTerm = new Map<number, { term: MeaningRow; words: Set<number>; exact: Set<number> }>()
	for (const term of meanings) {
		const known = byTerm.get(term.id) ?? { term, words: new Set(), exact: new Set() }
		// The complete name of a skill is both the skill and a word of it.
		known.words.add(term.position)
		if (term.exact) known.exact.add(term.position)
		byTerm.set(term.id, known)
	}
	const isWhole = ({ term }: { term: MeaningRow }) => term.label.split(/\s+/).length <= words
	return [...byTerm.values()]
		.filter((answer) => answer.words.size === words)
		.sort(
			(one, other) =>
				other.exact.size - one.exact.size ||
				Number(isWhole(other)) - Number(isWhole(one)) ||
				other.term.members - one.term.members,
		)
		.map(({ term }) => term)
}
