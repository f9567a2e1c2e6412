import { sql } from 'kysely'
import { afterEach, beforeAll, beforeEach, expect, vi } from 'vitest'
import { editQuestion } from '~/features/asking/asking.server.ts'
import { castVote, chooseSolution } from '~/features/discussion/votes.server.ts'
import { checkEvidence } from '~/features/evidence/evidence.server.ts'
import { setSkills } from '~/features/members/skills.server.ts'
import { addCertificate, addProject } from '~/features/profile-editor/items.server.ts'
import { loadTerms } from '~/features/terms/terms.server.ts'
import { log } from '~/lib/log.server.ts'
import type { SignedIn } from '~/lib/viewer.ts'
import { db } from '~/platform/db/db.server.ts'
import { makeComment, makeMember, makeQuestion } from '../factories/forum.ts'
import { filled, makePicture } from '../factories/profiles.ts'

/* Members, actions and assertions for tests of evidence. */

export let asker: SignedIn
export let helper: SignedIn
export let voters: SignedIn[]
export let moderator: SignedIn
export let picture: string
/** A question about React by the asker, and an answer of the helper, who has the skills React and JavaScript; new for each test. */
export let questionId: number
export let commentId: number

/** Creates the members in this file's database, and a new helper with a new answer before each test. */
export function useEvidenceCast(): void {
	beforeAll(async () => {
		await loadTerms()
		asker = await makeMember('asker')
		moderator = await makeMember('mod', 'moderator')
		voters = await Promise.all(Array.from({ length: 8 }, (_, index) => makeMember(`voter${index}`)))
	})

	beforeEach(async () => {
		helper = await makeMember(`helper${crypto.randomUUID().slice(0, 8)}`)
		picture = await makePicture(helper, 'certificate')
		await db()
			.insertInto('profiles')
			.values({ user_id: helper.id, year_of_passing: null, current_semester: null, current_year: null })
			.execute()
		await saveSkills(['React', 'JavaScript', 'Kite flying'])
		questionId = (await makeQuestion(asker, { tags: 'react' })).id
		commentId = await makeComment(helper, questionId)
	})

	afterEach(async () => {
		await sql`update users set suspended_until = null where suspended_until is not null`.execute(db())
	})
}

export const saveSkills = (skills: string[]) =>
	db()
		.transaction()
		.execute((trx) => setSkills(trx, helper.id, skills))

export const acceptAnswer = () => chooseSolution(asker, { questionId, commentId })
export const vote = (voter: SignedIn | undefined, value = 1) =>
	castVote(voter ?? null, { questionId, commentId, vote: value })
export const voteAll = async () => {
	for (const voter of voters) await vote(voter)
}
export const addMyProject = (stack: string, date = '2026-03-01') =>
	addProject(helper, helper.username, { ...filled.project, project_tech_stack: stack, project_date: date })
export const addMyCertificate = (title: string) =>
	addCertificate(helper, helper.username, {
		...filled.certificate,
		certificate_image: picture,
		certificate_title: title,
	})
export const suspend = (member: SignedIn | undefined, until: string | null) =>
	sql`update users set suspended_until = ${until}::timestamptz where id = ${member?.id}`.execute(db())
export const setOnlyMe = (sections: string[]) =>
	sql`update profiles set only_me = ${sections}::text[] where user_id = ${helper.id}`.execute(db())
export const retagQuestionAs = (tags: string, category = 'others') =>
	editQuestion(asker, questionId, { title: 'A question about it', description: 'How does it work?', tags, category })

/** The pieces of the helper's evidence: “React solution 1”, with their weights. */
export async function pieces(): Promise<string[]> {
	const { rows } = await sql<{ skill: string; kind: string; weight: number }>`
		select name as skill, kind, weight from skill_evidence join skills on skills.id = skill_id
		where user_id = ${helper.id} order by name, kind desc, weight desc`.execute(db())
	return rows.map(({ skill, kind, weight }) => `${skill} ${kind} ${weight}`)
}

/** The weight of one of the helper's answers for React. */
export async function weightOf(source: number): Promise<number> {
	const { rows } = await sql<{ weight: number }>`
		select weight from skill_evidence join skills on skills.id = skill_id
		where user_id = ${helper.id} and source = ${String(source)} and name = 'React'`.execute(db())
	return rows[0]?.weight ?? 0
}

export async function expectNothingToCorrect(): Promise<void> {
	const warn = vi.spyOn(log, 'warn')
	expect(await checkEvidence()).toBe(0)
	expect(warn).not.toHaveBeenCalled()
	warn.mockRestore()
}
