import { editProfilePath } from '~/features/members/members.view.ts'
import { counted } from '~/lib/text.ts'

/*
 * What a skill rests on, as pages and the API see it. The weights stand beside the statement that adds them up,
 * migrations/0048_skill_evidence.sql; docs/decisions/0063-skills-with-evidence.md says why they are so.
 */

/** Where the page stands that says how evidence is weighed. */
export const EVIDENCE_PATH = '/skills/evidence'

/** In `evidence_scale` of the database, too: after so many days something weighs half. */
export const HALF_LIFE_DAYS = 365

/**
 * From which strength on a skill has good, and strong, evidence. What one person says adds up to less than 2 for a skill, whether the
 * member themselves by projects or another one by votes and choices: nobody reaches the first level with one friend, nor the
 * second with two.
 */
export const MIN_STRENGTH = { good: 4, strong: 6 } as const

/** How well a skill is shown: any evidence, or as much as {@link MIN_STRENGTH} says. */
export type EvidenceLevel = 'some' | 'good' | 'strong'

export type EvidenceKind = 'solution' | 'answer' | 'project' | 'certificate'

export const levelNames: Record<EvidenceLevel, string> = {
	some: 'Some evidence',
	good: 'Good evidence',
	strong: 'Strong evidence',
}

/** The sentence that explains a level wherever one is shown. */
export const EVIDENCE_SENTENCE =
	'Solutions, helpful answers, projects and certificates count; each loses half its weight in a year, and several credited by the same person weigh less.'

export interface EvidencePieceView {
	kind: EvidenceKind
	/** Of the query that was answered, of the project or of the certificate. */
	title: string
	/** Path of where it is to be seen. */
	url: string
	/** ISO 8601. */
	at: string
}

/** What one skill of a member rests on. */
export interface SkillEvidenceView {
	skill: string
	level: EvidenceLevel
	/** How many there are of each kind; {@link pieces} are those that weigh most. */
	counts: Record<EvidenceKind, number>
	pieces: EvidencePieceView[]
	/** Whether its owner, who is the viewer, keeps it to themselves. */
	hidden: boolean
}

/** @param strength as of now, see {@link MIN_STRENGTH} */
export function levelOf(strength: number): EvidenceLevel {
	if (strength >= MIN_STRENGTH.strong) return 'strong'
	return strength >= MIN_STRENGTH.good ? 'good' : 'some'
}

const nouns: Record<EvidenceKind, [one: string, many: string]> = {
	solution: ['solution', 'solutions'],
	answer: ['helpful answer', 'helpful answers'],
	project: ['project', 'projects'],
	certificate: ['certificate', 'certificates'],
}

/** “3 solutions, 1 helpful answer, 2 projects” */
export function countsText(counts: Record<EvidenceKind, number>): string {
	return (Object.keys(nouns) as EvidenceKind[])
		.filter((kind) => counts[kind] > 0)
		.map((kind) => counted(counts[kind], ...nouns[kind]))
		.join(', ')
}

/** “Solution”, “Helpful answer” */
export function kindName(kind: EvidenceKind): string {
	const [one] = nouns[kind]
	return one.charAt(0).toUpperCase() + one.slice(1)
}

/** Skills in the order of their strength, those without evidence after them as their owner gave them. */
export function byStrength(skills: readonly string[], evidence: readonly SkillEvidenceView[]): string[] {
	const shown = evidence.map(({ skill }) => skill).filter((skill) => skills.includes(skill))
	return [...shown, ...skills.filter((skill) => !shown.includes(skill))]
}

/** Where a member says which evidence others see. */
export function evidenceFormPath(username: string): string {
	return `${editProfilePath(username)}/evidence`
}
