import { isOwnProfile, maySeeHidden } from '~/features/members/members.policy.ts'
import { lockMayWrite, requireProfileWriter } from '~/features/members/members.server.ts'
import { commentPath } from '~/features/search/search.view.ts'
import { profilePath } from '~/lib/addresses.ts'
import { log } from '~/lib/log.server.ts'
import type { Viewer } from '~/lib/viewer.ts'
import { db } from '~/platform/db/db.server.ts'
import {
	EVIDENCE_BATCH,
	type EvidenceRow,
	listEvidenceRows,
	listSkilledMembersAfter,
	listStaleEvidence,
	listStrongest,
	listVouchedByReinstated,
	refreshEvidence,
	writeEvidenceShown,
} from './evidence.queries.server.ts'
import { levelOf, MIN_STRENGTH, type SkillEvidenceView } from './evidence.view.ts'

/** Pieces that a page lists per skill, heaviest first; the rest is counted. */
const PIECES_SHOWN = 6

/** The maximum number of members that a search ranks first for their evidence. */
const MAX_STRONGEST = 50

/**
 * The evidence of a member's skills that this viewer may see, strongest first; skills without evidence are omitted. `strength = Σ weight ·
 * 2^(−age / 365 days)` over the visible pieces. Weights: 1 for a solution that another member accepted, 0.25 for each vote on an answer
 * with at most 1 per answer, 1 for a project or a certificate; half of that for a child term of the skill, such as React for JavaScript. A
 * second piece by the same person for a skill weighs half, a third one a quarter, and so on.
 */
export async function getEvidence(
	viewer: Viewer,
	member: { id: number; username: string },
): Promise<SkillEvidenceView[]> {
	const reader = isOwnProfile(viewer, member) ? 'owner' : maySeeHidden(viewer, member) ? 'moderator' : 'other'
	const skills = new Map<string, SkillEvidenceView>()
	for (const row of await listEvidenceRows(member.id, reader, PIECES_SHOWN)) {
		const { skill, hidden, strength, solutions, answers, projects, certificates } = row
		const counts = { solution: solutions, answer: answers, project: projects, certificate: certificates }
		const shown = skills.get(skill) ?? { skill, hidden, level: levelOf(strength), counts, pieces: [] }
		shown.pieces.push({ kind: row.kind, title: row.title, url: pathOf(row, member.username), at: row.at })
		skills.set(skill, shown)
	}
	return [...skills.values()]
}

function pathOf({ kind, source }: EvidenceRow, username: string): string {
	if (kind === 'solution' || kind === 'answer') return commentPath(Number(source))
	return `${profilePath(username)}#${kind}-${source}`
}

/**
 * Sets for each of these skills whether others see its evidence. Hidden evidence does not affect ranking.
 * @param skills names; skills that the member does not have are ignored
 * @throws NotAllowed, TooManyRequests
 */
export async function setEvidenceShown(
	viewer: Viewer,
	username: string,
	skills: { skill: string; shown: boolean }[],
): Promise<void> {
	const member = await requireProfileWriter(viewer, username)
	await db()
		.transaction()
		.execute(async (trx) => {
			await writeEvidenceShown(trx, member.id, skills)
			await lockMayWrite(trx, member.id)
		})
}

/** The members with strong public evidence of any of these skills, strongest first, at most 50. */
export function listStrongMembers(skills: string[]): Promise<number[]> {
	return skills.length === 0 ? Promise.resolve([]) : listStrongest(skills, MIN_STRENGTH.strong, MAX_STRONGEST)
}

/**
 * Compares the evidence of every member with its sources, in batches, and corrects differences, such as rows that were
 * not written by the site. Correct ones are neither locked nor written.
 * @returns how many members were corrected
 */
export async function checkEvidence(): Promise<number> {
	// A suspension ends without an event: from now on, that member's votes and choices count again.
	await refreshEvidence(await listVouchedByReinstated())
	let corrected = 0
	for (let last = 0; ; ) {
		const ids = await listSkilledMembersAfter(last, EVIDENCE_BATCH)
		const stale = ids.length > 0 ? await listStaleEvidence(ids) : []
		if (stale.length > 0) {
			await refreshEvidence(stale)
			log.warn({ members: stale }, 'The evidence of skills did not match its sources. It does now.')
		}
		corrected += stale.length
		last = ids.at(-1) ?? 0
		if (ids.length < EVIDENCE_BATCH) return corrected
	}
}
