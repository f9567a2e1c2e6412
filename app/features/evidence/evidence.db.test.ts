import { sql } from 'kysely'
import { describe, expect, test, vi } from 'vitest'
import { deleteQuestion, restoreQuestion } from '~/features/asking/asking.server.ts'
import { deleteComment, restoreComment } from '~/features/discussion/commenting.server.ts'
import { castVote, chooseSolution, withdrawSolution } from '~/features/discussion/votes.server.ts'
import { setSkills } from '~/features/members/skills.server.ts'
import {
	deleteCertificate,
	deleteProject,
	listCertificates,
	listProjects,
} from '~/features/profile-editor/items.server.ts'
import { leavePosts } from '~/features/questions/leaving/leaving.server.ts'
import { findTerm } from '~/features/terms/terms.server.ts'
import { actOnTerm } from '~/features/vocabulary/acts.server.ts'
import { log } from '~/lib/log.server.ts'
import type { SignedIn } from '~/lib/viewer.ts'
import { db } from '~/platform/db/db.server.ts'
import { makeComment, makeMember, makeQuestion } from '../../../tests/factories/forum.ts'
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
	pieces,
	questionId,
	retagQuestionAs,
	saveSkills,
	suspend,
	useEvidenceCast,
	vote,
	voteAll,
	voters,
	weightOf,
} from '../../../tests/support/evidence-cast.ts'
import { decide } from '../../../tests/support/moderation-cast.ts'
import { randomFrom } from '../../../tests/support/random.ts'
import { checkEvidence, getEvidence } from './evidence.server.ts'
import { levelOf } from './evidence.view.ts'

useDatabase()
useEvidenceCast()

const solved = ['JavaScript solution 0.5', 'React solution 1']
const helped = ['JavaScript answer 0.125', 'React answer 0.25']

test('a term that lost a spelling to another one loses the evidence with that spelling', async () => {
	const { id } = await actOnTerm(moderator, 'add', 0, { name: 'Pottery' })
	await actOnTerm(moderator, 'add', 0, { name: 'Ceramics' })
	await actOnTerm(moderator, 'add-alias', id, { alias: 'Claywork' })
	await saveSkills(['Pottery'])
	await addMyCertificate('Claywork for beginners')
	expect(await pieces()).toEqual(['Pottery certificate 1'])
	await actOnTerm(moderator, 'join', 0, { word: 'Claywork', into: 'Ceramics' })
	expect(await pieces()).toEqual([])
	await expectNothingToCorrect()
})

describe('every write updates the evidence', () => {
	test.each<[what: string, act: () => Promise<unknown>, expected: string[]]>([
		['a comment', async () => {}, []],
		['a solution', acceptAnswer, solved],
		[
			'a solution that is withdrawn',
			() => acceptAnswer().then(() => withdrawSolution(asker, { questionId, commentId })),
			[],
		],
		['a vote', () => vote(voters[0]), helped],
		['a vote that is taken back', () => vote(voters[0]).then(() => vote(voters[0], 0)), []],
		['a vote against it', () => vote(voters[0], -1), []],
		['as many votes for as against', () => vote(voters[0]).then(() => vote(voters[1], -1)), []],
		['eight votes, which weigh as a solution', voteAll, ['JavaScript answer 0.5', 'React answer 1']],
		['a solution with eight votes', () => acceptAnswer().then(voteAll), ['JavaScript solution 1', 'React solution 2']],
		[
			'a solution that the asker also votes for, which weighs half',
			() => acceptAnswer().then(() => vote(asker)),
			['JavaScript solution 0.5625', 'React solution 1.125'],
		],
		['a voter who leaves', () => vote(voters[7]).then(() => suspend(voters[7], 'infinity')), []],
		[
			'a voter whose suspension is lifted',
			() =>
				vote(voters[6])
					.then(() => suspend(voters[6], 'infinity'))
					.then(() => suspend(voters[6], null)),
			helped,
		],
		['an asker who is suspended', () => acceptAnswer().then(() => suspend(asker, '2099-01-01')), []],
		['a deleted answer', () => acceptAnswer().then(() => deleteComment(helper, commentId)), []],
		[
			'an answer that is restored',
			() =>
				acceptAnswer()
					.then(() => deleteComment(helper, commentId))
					.then(() => restoreComment(helper, commentId)),
			solved,
		],
		['a hidden answer', () => acceptAnswer().then(() => decide(moderator, 'comment', commentId, 'hide')), []],
		[
			'an answer that is shown again',
			() =>
				acceptAnswer()
					.then(() => decide(moderator, 'comment', commentId, 'hide'))
					.then(() => decide(moderator, 'comment', commentId, 'restore')),
			solved,
		],
		['a deleted question', () => acceptAnswer().then(() => deleteQuestion(asker, questionId)), []],
		[
			'a question that is restored',
			() =>
				acceptAnswer()
					.then(() => deleteQuestion(asker, questionId))
					.then(() => restoreQuestion(asker, questionId)),
			solved,
		],
		['a hidden question', () => acceptAnswer().then(() => decide(moderator, 'query', questionId, 'hide')), []],
		['another tag', () => acceptAnswer().then(() => retagQuestionAs('javascript')), ['JavaScript solution 1']],
		[
			'both tags',
			() => acceptAnswer().then(() => retagQuestionAs('react, javascript')),
			['JavaScript solution 1', 'React solution 1'],
		],
		[
			'a tag that is no term',
			() => acceptAnswer().then(() => retagQuestionAs('kite-flying')),
			['Kite flying solution 1'],
		],
		[
			'a skill that is removed',
			() => acceptAnswer().then(() => saveSkills(['JavaScript'])),
			['JavaScript solution 0.5'],
		],
		[
			'a skill that is added later',
			() =>
				saveSkills([])
					.then(acceptAnswer)
					.then(() => saveSkills(['reactjs'])),
			['React solution 1'],
		],
		['a project', () => addMyProject('React, SQLite'), ['JavaScript project 0.5', 'React project 1']],
		[
			'a second project, which weighs half',
			() => addMyProject('React').then(() => addMyProject('React', '2026-02-01')),
			['JavaScript project 0.5', 'JavaScript project 0.25', 'React project 1', 'React project 0.5'],
		],
		[
			'a deleted project',
			() =>
				addMyProject('React')
					.then(() => listProjects(helper, helper.username))
					.then(([first]) => deleteProject(helper, helper.username, first?.id ?? '')),
			[],
		],
		[
			'a certificate',
			() => addMyCertificate('Meta: “React.js” Basics'),
			['JavaScript certificate 0.5', 'React certificate 1'],
		],
		[
			'a certificate that names several words',
			() => addMyCertificate('Advanced Kite Flying, 2026'),
			['Kite flying certificate 1'],
		],
		['a certificate that names nothing', () => addMyCertificate('How to react to a fire'), []],
		[
			'a certificate in small letters',
			() => addMyCertificate('react basics'),
			['JavaScript certificate 0.5', 'React certificate 1'],
		],
		[
			'a deleted certificate',
			() =>
				addMyCertificate('React')
					.then(() => listCertificates(helper, helper.username))
					.then(([first]) => deleteCertificate(helper, helper.username, first?.id ?? '')),
			[],
		],
	])('%s', async (_what, act, expected) => {
		await act()
		expect(await pieces()).toEqual(expected)
		await expectNothingToCorrect()
	})

	type Asked = [asker: number, how?: 'pseudonym' | 'merged']
	test.each<[what: string, solutions: Asked[], weights: number[]]>([
		['of two askers', [[0], [0], [1]], [1, 1, 0.5]],
		['also accepted under a pseudonym', [[0], [0, 'pseudonym']], [1, 1]],
		['under pseudonyms of several', [0, 1, 2].map((who) => [who, 'pseudonym']), [1, 0.5, 0.25]],
		['of a query that was merged later', [[0], [0, 'merged']], [1]],
	])('solutions weigh the same after their askers have left: %s', async (_what, solutions, weights) => {
		const askers = await Promise.all([0, 1, 2].map((number) => makeMember(`graduate${number}-${questionId}`)))
		for (const [number, how] of solutions) {
			const who = askers[number] ?? asker
			const { id } = await makeQuestion(who, { tags: 'react', ...(how === 'pseudonym' && { pseudonym: 'on' }) })
			await chooseSolution(who, { questionId: id, commentId: await makeComment(helper, id) })
			if (how === 'merged') await decide(moderator, 'query', id, 'merge', { into: String(questionId) })
		}
		const listed = async () => {
			const { rows } = await sql<{ source: string; weight: number }>`
				select source, weight from skill_evidence join skills on skills.id = skill_id
				where user_id = ${helper.id} and name = 'React' order by weight desc, source`.execute(db())
			return rows
		}
		const before = await listed()
		expect(before.map(({ weight }) => weight)).toEqual(weights)
		// The newest first: the others must not take its place.
		for (const { id, username, name } of askers.toReversed()) {
			const { rows } = await sql<{ id: number }>`select id from users where pseudonym_of = ${id}`.execute(db())
			const accounts = [id, ...rows.map((row) => row.id)]
			const account = { id, username, name, accounts, usernames: [username], emails: [], alias: 'gone' }
			await leavePosts({ ...account, keepsTexts: true })
			expect(await listed()).toEqual(before)
		}
		await expectNothingToCorrect()
	})

	test('deleting a member removes their evidence, and what they contributed to others', async () => {
		const leaving = await makeMember(`leaving${questionId}`)
		await vote(leaving)
		expect(await pieces()).toEqual(helped)
		await db().deleteFrom('users').where('id', '=', leaving.id).execute()
		expect(await pieces()).toEqual([])
		await addMyProject('React')
		await db()
			.deleteFrom('users')
			.where('id', '=', (await makeMember(`other${questionId}`)).id)
			.execute()
		expect(await pieces()).toHaveLength(2)
		await expectNothingToCorrect()
	})

	test('merging, renaming or moving terms moves their evidence', async () => {
		const act = (name: Parameters<typeof actOnTerm>[1], id: number, input: object) =>
			actOnTerm(moderator, name, id, input as Record<string, unknown>)
		const one = await act('add', 0, { name: 'Loomwork' })
		const two = await act('add', 0, { name: 'Loomcraft' })
		await saveSkills(['Loomcraft', 'Weaving'])
		await act('add', 0, { name: 'Weaving' })
		await retagQuestionAs('loomwork')
		await acceptAnswer()
		await addMyCertificate('Handloom Basics')
		expect(await pieces()).toEqual([])
		await act('merge', one.id, { into: 'Loomcraft' })
		expect(await pieces()).toEqual(['Loomcraft solution 1'])
		await act('describe', two.id, { description: '', parents: 'Weaving' })
		expect(await pieces()).toEqual(['Loomcraft solution 1', 'Weaving solution 0.5'])
		await act('add-alias', two.id, { alias: 'Handloom' })
		expect(await pieces()).toHaveLength(4)
		await act('remove-alias', two.id, { alias: 'Handloom' })
		await act('describe', two.id, { description: '', parents: '' })
		expect(await pieces()).toEqual(['Loomcraft solution 1'])
		await act('rename', two.id, { name: 'Loom craft' })
		expect(await pieces()).toEqual(['Loom craft solution 1'])
		await expectNothingToCorrect()
		expect(findTerm('loomwork')?.name).toBe('Loom craft')
	})
})

test('one person contributes less than two, so that two friends alone reach only the first level', async () => {
	const ids: number[] = []
	for (let number = 0; number < 6; number += 1) {
		const { id } = await makeQuestion(asker, { tags: 'react' })
		const comment = await makeComment(helper, id)
		await chooseSolution(asker, { questionId: id, commentId: comment })
		await castVote(asker, { questionId: id, commentId: comment, vote: 1 })
		await addMyProject('React')
		ids.push(comment)
	}
	const total = (await Promise.all(ids.map(weightOf))).reduce((sum, weight) => sum + weight, 0)
	expect(total).toBeGreaterThan(1.9)
	expect(total).toBeLessThan(2)
	expect((await getEvidence(asker, helper)).map(({ skill, level, counts }) => [skill, level, counts.solution])).toEqual(
		[
			['React', 'some', 6],
			['JavaScript', 'some', 6],
		],
	)
	await expectNothingToCorrect()
})

test('evidence weighs half after a year, and the level follows', async () => {
	const strengthOf = async () => {
		const { rows } = await sql<{ strength: number }>`
			select sum(weight * evidence_scale(at)) / evidence_scale(now()) as strength
			from skill_evidence join skills on skills.id = skill_id where user_id = ${helper.id} and name = 'React'`.execute(
			db(),
		)
		return Number(rows[0]?.strength)
	}
	await acceptAnswer()
	expect(await strengthOf()).toBeCloseTo(1, 3)
	await sql`update comments set created_at = now() - interval '365 days' where id = ${commentId}`.execute(db())
	await sql`select refresh_evidence(array[${helper.id}::int])`.execute(db())
	expect(await strengthOf()).toBeCloseTo(0.5, 3)
	expect([0.1, 3.99, 4, 5.99, 6, 60].map(levelOf)).toEqual(['some', 'some', 'good', 'good', 'strong', 'strong'])
})

describe('concurrency', () => {
	test('votes, choices and withdrawals leave consistent evidence', async () => {
		for (let round = 0; round < 3; round += 1) {
			await Promise.all([
				...voters.map((voter, index) => vote(voter, (index + round) % 3 === 0 ? 0 : 1)),
				acceptAnswer(),
				withdrawSolution(asker, { questionId, commentId }),
				saveSkills(round % 2 ? ['React', 'JavaScript'] : ['JavaScript', 'Svelte', 'React']),
				retagQuestionAs(round % 2 ? 'react' : 'javascript'),
				addMyProject('React'),
			])
			await expectNothingToCorrect()
		}
	})

	test('random writes of many members leave nothing for the nightly check', async () => {
		const random = randomFrom(63)
		const pick = <Item>(items: readonly Item[]): Item => items[Math.floor(random() * items.length)] as Item
		const posts: { question: number; comment: number; asker: SignedIn; author: SignedIn }[] = []
		for (const [index, author] of voters.entries()) {
			const other = voters[(index + 1) % voters.length] as SignedIn
			await db()
				.transaction()
				.execute((trx) => setSkills(trx, author.id, ['React', pick(['JavaScript', 'Python', 'SQL'])]))
			const { id } = await makeQuestion(other, { tags: pick(['react', 'python', 'javascript, sql']) })
			posts.push({ question: id, comment: await makeComment(author, id), asker: other, author })
		}
		const acts: ((post: (typeof posts)[number]) => Promise<unknown>)[] = [
			({ question, comment }) =>
				castVote(pick(voters), { questionId: question, commentId: comment, vote: pick([1, 1, 0, -1]) }),
			(post) => chooseSolution(post.asker, { questionId: post.question, commentId: post.comment }),
			(post) => withdrawSolution(post.asker, { questionId: post.question, commentId: post.comment }),
			(post) => deleteComment(post.author, post.comment),
			(post) => restoreComment(post.author, post.comment),
			(post) => suspend(post.asker, pick(['infinity', null])),
			({ author }) =>
				db()
					.transaction()
					.execute((trx) => setSkills(trx, author.id, pick([['React'], ['SQL', 'JavaScript'], []]))),
			({ author }) =>
				sql`update profiles set only_me = ${pick([[], ['skills'], ['projects']])}::text[] where user_id = ${author.id}`.execute(
					db(),
				),
		]
		for (let round = 0; round < 8; round += 1) {
			const done = await Promise.allSettled(Array.from({ length: 8 }, () => pick(acts)(pick(posts))))
			// Rejections by a rule are fine; any other error would be a deadlock.
			for (const result of done)
				if (result.status === 'rejected') expect(result.reason).toMatchObject({ status: expect.any(Number) })
			await expectNothingToCorrect()
		}
	})

	test('the nightly check corrects rows changed otherwise, and logs it', async () => {
		await acceptAnswer()
		await sql`update skill_evidence set weight = 9 where user_id = ${helper.id}`.execute(db())
		await sql`delete from skill_strengths where user_id = ${helper.id}`.execute(db())
		const warn = vi.spyOn(log, 'warn')
		expect(await checkEvidence()).toBe(1)
		expect(warn).toHaveBeenCalledOnce()
		warn.mockRestore()
		expect(await pieces()).toEqual(solved)
		await expectNothingToCorrect()
	})
})
