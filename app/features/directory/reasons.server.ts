import { excerptAround, hasWord } from '~/lib/excerpts.ts'
import { ordinal } from '~/lib/text.ts'
import type { ResolvedCriteria } from './criteria.server.ts'
import { type FoundTextsRow, listFoundTexts } from './directory.queries.server.ts'
import type { FoundRow } from './search.queries.server.ts'
import type { MeaningRow, TermKind } from './terms.queries.server.ts'

/** If several fields contain a word, the first of these is named. */
const tellingFirst: TermKind[] = [
	...(['name', 'skill', 'city', 'university', 'branch', 'passing', 'expertise', 'project'] as const),
	...(['certificate', 'experience', 'location', 'about', 'details'] as const),
]
/** Fields that a list does not load. */
const longTexts: TermKind[] = ['city', 'project', 'certificate', 'experience', 'location', 'about', 'details']
/** The maximum number of reasons that are named. */
const MAX_REASONS = 3

interface Why {
	/** The requested skills. */
	matchedSkills: string[]
	/** “Knows React · City: Eastmere” */
	why: string
}

/** The reasons why each of these members was found, in words; at most one statement. */
export async function reasonsOf(meaning: ResolvedCriteria, rows: readonly FoundRow[]): Promise<Why[]> {
	const reasons = rows.map((row) => tellingOf(meaning, row))
	const wanted = rows.filter((_, index) => reasons[index]?.some(({ kind }) => longTexts.includes(kind)))
	const texts =
		wanted.length > 0
			? await listFoundTexts(
					wanted.map(({ id }) => id),
					meaning.viewer?.id ?? null,
				)
			: []
	const textsOf = new Map(texts.map((text) => [text.id, text]))
	return rows.map((row, index) => whyFound(meaning, row, reasons[index] ?? [], textsOf.get(row.id)))
}

/** For each word of the search, the term by which the member was found. */
function tellingOf({ meanings, words }: ResolvedCriteria, { matched }: FoundRow): MeaningRow[] {
	const has = new Set(matched)
	return words.flatMap((_, position) => {
		const own = meanings.filter((meaning) => meaning.position === position && has.has(meaning.id))
		const rank = ({ kind, exact }: MeaningRow) => tellingFirst.indexOf(kind) + (exact ? 0 : tellingFirst.length)
		return own.toSorted((one, other) => rank(one) - rank(other)).slice(0, 1)
	})
}

function whyFound(
	meaning: ResolvedCriteria,
	row: FoundRow,
	telling: MeaningRow[],
	texts: FoundTextsRow | undefined,
): Why {
	const has = new Set(row.matched)
	const isSkill = ({ kind, id }: { kind: TermKind; id: number }) => kind === 'skill' && has.has(id)
	const searched = new Set(
		[...meaning.meanings, ...meaning.named].filter(isSkill).map(({ label }) => label.toLowerCase()),
	)
	const found = new Set(meaning.meanings.filter(isSkill).map(({ label }) => label.toLowerCase()))
	const matchedSkills = row.skills.filter((skill) => searched.has(skill.toLowerCase()))
	const known = matchedSkills.filter((skill) => found.has(skill.toLowerCase()))
	const names = [
		telling.some(({ kind }) => kind === 'name') && meaning.user !== row.id && 'name',
		meaning.user === row.id && 'username',
	].filter(Boolean)
	const reasons = [
		names.length > 0 && `Found by ${names.join(' and ')}`,
		known.length > 0 && `Knows ${known.join(', ')}`,
		...telling.map((term) => reasonOf(term, row, texts)),
		...studiesOf(meaning, row),
	]
	return { matchedSkills, why: [...new Set(reasons.filter(Boolean))].slice(0, MAX_REASONS).join(' · ') }
}

/** The text of a field that contains a word, or ''. */
function reasonOf({ kind, key, label }: MeaningRow, row: FoundRow, texts: FoundTextsRow | undefined): string {
	if (kind === 'university') return `Studies at ${row.university_name}`
	if (kind === 'passing') return `Year of passing: ${label}`
	if (kind === 'branch') return `Branch: ${row.enrol_in_branch_name}`
	if (kind === 'expertise') return `Expertise: ${row.expertise_in}`
	if (!texts) return ''
	if (kind === 'city') return `City: ${texts.city}`
	if (kind === 'location') return `Studies in ${texts.location}`
	if (kind === 'about') return `About: “${excerptAround(texts.about, key)}”`
	if (kind === 'certificate') {
		const title = texts.certificates.find((one) => hasWord(one, key))
		return title ? `Certificate: ${title}` : ''
	}
	if (kind === 'experience')
		return experienceFound(texts, ({ organisation, title, degree }) => `${organisation} ${title} ${degree}`, key)
	if (kind !== 'project' && kind !== 'details') return ''
	const parts = ({ title, stack, description }: FoundTextsRow['projects'][number]) =>
		`${title} ${stack.join(' ')} ${description}`
	const project =
		texts.projects.find(({ title }) => hasWord(title, key)) ?? texts.projects.find((one) => hasWord(parts(one), key))
	if (project) return `Project: ${project.title}`
	return experienceFound(texts, ({ summary }) => summary, key)
}

const experienceWords = {
	education: ['Studies at', 'Studied at'],
	work: ['Works at', 'Worked at'],
	volunteer: ['Volunteers at', 'Volunteered at'],
} as const

/** The education, work or volunteering that contains a word. */
function experienceFound(
	{ experiences }: FoundTextsRow,
	textOf: (experience: FoundTextsRow['experiences'][number]) => string,
	key: string,
): string {
	const found = experiences.find((experience) => hasWord(textOf(experience), key))
	if (!found) return ''
	const [now, before] = experienceWords[found.kind]
	return `${found.ended ? before : now} ${found.organisation}`
}

/** The branch and the year in the search. */
function studiesOf({ typed, named }: ResolvedCriteria, row: FoundRow): string[] {
	if (typed.length === 0) return []
	const has = new Set(row.matched)
	const kinds = new Set(named.filter(({ id }) => has.has(id)).map(({ kind }) => kind))
	const studies = [
		kinds.has('branch') && row.enrol_in_branch_name,
		kinds.has('year') && row.current_year !== null && `${ordinal(row.current_year)} year`,
	]
	return [studies.filter(Boolean).join(', ')]
}
