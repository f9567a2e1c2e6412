import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { criteriaOf, NO_CRITERIA } from '~/features/directory/directory.paths.ts'
import { listCommunity } from '~/features/directory/directory.server.ts'
import { findMembers } from '~/features/directory/finding.server.ts'
import { chooseSolution } from '~/features/discussion/votes.server.ts'
import { deleteUnusedSkills } from '~/features/members/skills.queries.server.ts'
import { setSkills } from '~/features/members/skills.server.ts'
import { getProfile } from '~/features/profiles/profiles.server.ts'
import { getResume } from '~/features/resume/resume.server.ts'
import { makeToken } from '~/features/tokens/tokens.server.ts'
import { actOnTerm } from '~/features/vocabulary/acts.server.ts'
import type { SignedIn, Viewer } from '~/lib/viewer.ts'
import { db } from '~/platform/db/db.server.ts'
import { makeComment, makeMember, makeQuestion } from '../../../tests/factories/forum.ts'
import { callApi } from '../../../tests/support/api-calls.ts'
import { useDatabase } from '../../../tests/support/database.ts'
import {
	acceptAnswer,
	addMyCertificate,
	addMyProject,
	asker,
	commentId,
	expectNothingToCorrect,
	helper,
	moderator,
	saveSkills,
	setOnlyMe,
	useEvidenceCast,
	voters,
} from '../../../tests/support/evidence-cast.ts'
import { listStrongest } from './evidence.queries.server.ts'
import { getEvidence, listStrongMembers, setEvidenceShown } from './evidence.server.ts'

useDatabase()
useEvidenceCast()

interface Skills {
	rows: { name: string; evidence: { pieces: { kind: string }[] } | null }[]
}

describe('who sees what', () => {
	/** The kinds of evidence for React, by the places where a viewer reads them. */
	const ways: Record<string, (viewer: SignedIn) => Promise<string[]>> = {
		'the page': async (viewer) => {
			const { evidence, skills } = await getProfile(viewer, helper.username)
			expect(skills).toEqual(expect.arrayContaining(evidence.map(({ skill }) => skill)))
			return (evidence.find(({ skill }) => skill === 'React')?.pieces ?? []).map(({ kind }) => kind).sort()
		},
		'the API': async (viewer) => {
			const { token } = await makeToken(viewer, {
				name: 'a program',
				scopes: viewer.role === 'moderator' ? ['read', 'moderate'] : ['read'],
				days: 7,
			})
			const answer = await callApi('GET', `/profiles/${helper.username}/skills`, { token })
			const { rows } = (await answer.json()) as Skills
			return (rows.find(({ name }) => name === 'React')?.evidence?.pieces ?? []).map(({ kind }) => kind).sort()
		},
	}
	const all = ['certificate', 'project', 'solution']

	test.each<[what: string, act: () => Promise<unknown>, others: string[], moderators: string[]]>([
		['nothing is hidden', async () => {}, all, all],
		['projects are for the owner', () => setOnlyMe(['projects']), ['certificate', 'solution'], all],
		['certificates are for the owner', () => setOnlyMe(['certificates']), ['project', 'solution'], all],
		['skills are for the owner', () => setOnlyMe(['skills']), [], all],
		[
			'the evidence is hidden',
			() => setEvidenceShown(helper, helper.username, [{ skill: 'react', shown: false }]),
			[],
			[],
		],
		[
			'a moderator hides the profile',
			() => sql`update profiles set hidden_at = now() where user_id = ${helper.id}`.execute(db()),
			[],
			all,
		],
	])('%s', async (_what, act, others, moderators) => {
		await acceptAnswer()
		await addMyProject('React')
		await addMyCertificate('React')
		await act()
		for (const [way, read] of Object.entries(ways)) {
			expect([way, await read(asker)]).toEqual([way, others])
			expect([way, await read(moderator)]).toEqual([way, moderators])
			expect([way, await read(helper)]).toEqual([way, all])
		}
		// A résumé contains the level of a skill but not its evidence.
		for (const [viewer, kinds] of [
			[asker, others],
			[moderator, moderators],
			[helper, all],
		] as const) {
			const { skills = [] } = await getResume(viewer, helper.username)
			const react = skills.find(({ name }) => name === 'React')
			expect(react !== undefined && 'level' in react).toBe(kinds.length > 0)
		}
		expect((await callApi('GET', `/profiles/${helper.username}/skills`)).status).toBe(401)
		const { page } = await listCommunity({ ...NO_CRITERIA, q: helper.username }, null, asker)
		expect(JSON.stringify(page.rows)).not.toMatch(/evidence|level|strength/)
		const ranked = await listStrongest(['React'], 0.001, 10_000)
		expect(ranked.includes(helper.id)).toBe(others.length > 0)
		await expectNothingToCorrect()
	})

	test('each piece has a title and a link', async () => {
		await acceptAnswer()
		await addMyProject('React')
		await addMyCertificate('React for all')
		await sql`update questions set source = 'elsewhere', source_id = id::text`.execute(db())
		const [react] = await getEvidence(asker, helper)
		expect(react?.pieces.map(({ title, url }) => [title, url.replace(/[0-9a-f-]{36}$/, 'id')])).toEqual([
			[expect.stringMatching(/^A question number/), `/forum/comment/${commentId}`],
			['React for all', `/find-dev/${helper.username}#certificate-id`],
			['messmate', `/find-dev/${helper.username}#project-id`],
		])
	})

	test('only the owner hides evidence, and can show it again; other skills are unaffected', async () => {
		await acceptAnswer()
		await expect(setEvidenceShown(asker, helper.username, [{ skill: 'React', shown: false }])).rejects.toMatchObject({
			status: 403,
		})
		await setEvidenceShown(helper, helper.username, [
			{ skill: 'React', shown: false },
			{ skill: 'Sailing', shown: false },
		])
		expect((await getEvidence(asker, helper)).map(({ skill }) => skill)).toEqual(['JavaScript'])
		expect((await getEvidence(helper, helper)).map(({ skill, hidden }) => [skill, hidden])).toEqual([
			['React', true],
			['JavaScript', false],
		])
		await saveSkills(['JavaScript', 'React'])
		expect((await getEvidence(asker, helper)).map(({ skill }) => skill)).toEqual(['JavaScript'])
		await saveSkills(['JavaScript'])
		await deleteUnusedSkills()
		await saveSkills(['JavaScript', 'React'])
		expect((await getEvidence(asker, helper)).map(({ skill }) => skill)).toEqual(['JavaScript'])
		await setEvidenceShown(helper, helper.username, [{ skill: 'React', shown: true }])
		await saveSkills(['JavaScript'])
		await saveSkills(['JavaScript', 'React'])
		expect((await getEvidence(asker, helper)).map(({ skill }) => skill)).toEqual(['React', 'JavaScript'])
	})

	test.each<[string, string, string[]]>([
		['is not on the profile', 'Off', ['JavaScript']],
		['has made room for the term that remains', 'On', ['JavaScript', 'Main On']],
		['stands beside the term that remains', 'Both', ['JavaScript', 'Main Both', 'Old Both']],
	])('hidden evidence stays hidden when its term is merged while it %s', async (_where, word, skills) => {
		const [old, main] = [`Old ${word}`, `Main ${word}`]
		const { id } = await actOnTerm(moderator, 'add', 0, { name: old })
		await actOnTerm(moderator, 'add', 0, { name: main })
		await addMyProject(old)
		await saveSkills(['JavaScript', old])
		await setEvidenceShown(helper, helper.username, [{ skill: old, shown: false }])
		await saveSkills(skills)
		await actOnTerm(moderator, 'merge', id, { into: main })
		await saveSkills(['JavaScript', old])
		expect((await getEvidence(helper, helper)).map(({ skill, hidden }) => [skill, hidden])).toEqual([[main, true]])
		expect(await getEvidence(asker, helper)).toEqual([])
		// The choice is one again: what is shown from now on stays shown.
		await setEvidenceShown(helper, helper.username, [{ skill: main, shown: true }])
		await saveSkills(['JavaScript'])
		await saveSkills(['JavaScript', old])
		expect((await getEvidence(asker, helper)).map(({ skill }) => skill)).toEqual([main])
		await expectNothingToCorrect()
	})

	test('members who search for a skill see the strongest first, page by page; visitors see the newest first', async () => {
		expect(await listStrongMembers(['React'])).not.toContain(helper.id)
		for (const voter of voters) {
			const { id } = await makeQuestion(voter, { tags: 'react' })
			await chooseSolution(voter, { questionId: id, commentId: await makeComment(helper, id) })
		}
		expect(await listStrongMembers(['React', 'Knitting'])).toEqual([helper.id])
		const newer = await Promise.all(['newer1', 'newer2'].map((name) => makeMember(name)))
		for (const { id } of newer)
			await db()
				.transaction()
				.execute((trx) => setSkills(trx, id, ['React']))
		const found = async (viewer: Viewer) => {
			const ids: number[] = []
			for (let cursor: string | null = null; ; ) {
				const { rows, next } = await findMembers(criteriaOf(new URLSearchParams('q=react')), viewer, cursor, 2)
				ids.push(...rows.map(({ id }) => id))
				if (next === null) return ids
				cursor = next
			}
		}
		const [first, ...others] = await found(asker)
		expect(first).toBe(helper.id)
		expect(others.length).toBeGreaterThan(1)
		expect(others).toEqual(others.toSorted((one, other) => other - one))
		const [newest] = await found(null)
		expect(newest).toBe(Math.max(...newer.map(({ id }) => id)))
		expect(await getEvidence(asker, helper)).toMatchObject([
			{
				skill: 'React',
				level: 'strong',
				counts: { solution: 8 },
				pieces: Array.from({ length: 6 }, () => ({ kind: 'solution' })),
			},
			{ skill: 'JavaScript', counts: { solution: 8 } },
		])
	})
})
