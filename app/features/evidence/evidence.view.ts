import { editProfilePath } from '~/features/members/members.view.ts'
import { capitalize, pluralize } from '~/lib/text.ts'

/*
 * The evidence of a skill, as pages and the API show it. The weights are in migrations/0048_skill_evidence.sql;
 * docs/decisions/0063-skills-with-evidence.md explains them.
 */

/** The page that explains the weights. */
export const EVIDENCE_PATH = '/skills/evidence'

/** Also in the database's `evidence_scale`: the age in days at which evidence weighs half. */
export const HALF_LIFE_DAYS = 365

/**
 * The strengths from which evidence counts as good and as strong. One person can contribute less than 2 to a skill, the member by projects
 * or another one by votes, so nobody reaches the first level with one friend, nor the second with two.
 */
export const MIN_STRENGTH = { good: 4, strong: 6 } as const

/** How well a skill is supported: by any evidence, or by as much as {@link MIN_STRENGTH}. */
export type EvidenceLevel = 'some' | 'good' | 'strong'

export type EvidenceKind = 'solution' | 'answer' | 'project' | 'certificate'

export const levelNames: Record<EvidenceLevel, string> = {
	some: 'Some evidence',
	good: 'Good evidence',
	strong: 'Strong evidence',
}

/** The explanation of the levels, shown with them. */
export const EVIDENCE_EXPLANATION =
	'Solutions, helpful answers, projects and certificates count; each loses half its weight in a year, and several credited by the same person weigh less.'

export interface EvidencePieceView {
	kind: EvidenceKind
	/** Title of the question, the project or the certificate. */
	title: string
	/** Path of its page. */
	url: string
	/** ISO 8601. */
	at: string
}

/** The evidence of one skill of a member. */
export interface SkillEvidenceView {
	skill: string
	level: EvidenceLevel
	/** The number of pieces of each kind; {@link pieces} has only the heaviest. */
	counts: Record<EvidenceKind, number>
	pieces: EvidencePieceView[]
	/** Whether its owner, who is the viewer, hides it from others. */
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
		.map((kind) => pluralize(counts[kind], ...nouns[kind]))
		.join(', ')
}

/** “Solution”, “Helpful answer” */
export function kindName(kind: EvidenceKind): string {
	return capitalize(nouns[kind][0])
}

/** Skills by strength; those without evidence follow, in the member's order. */
export function sortByStrength(skills: readonly string[], evidence: readonly SkillEvidenceView[]): string[] {
	const shown = evidence.map(({ skill }) => skill).filter((skill) => skills.includes(skill))
	return [...shown, ...skills.filter((skill) => !shown.includes(skill))]
}

/** The page where a member chooses which evidence others see. */
export function evidenceFormPath(username: string): string {
	return `${editProfilePath(username)}/evidence`
}
