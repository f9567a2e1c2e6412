import { expect, test } from 'vitest'
import { sampleComment } from '../../../../tests/support/forum-samples.ts'
import { countBranch, joinThreads, liftAccepted } from './discussion-context.ts'

test('an accepted answer moves to the top with its replies', () => {
	const reply = sampleComment({ id: 3, depth: 1 })
	const threads = [sampleComment({ id: 1 }), sampleComment({ id: 2, solution: true, replies: [reply] })]
	const { accepted, threads: rest } = liftAccepted(threads, [sampleComment({ id: 2, solution: true })])
	expect(accepted.map(({ id, replies }) => [id, replies.length])).toEqual([[2, 1]])
	expect(rest.map(({ id }) => id)).toEqual([1])
})

test('an accepted reply is shown on top and keeps its place in its thread', () => {
	const nested = sampleComment({ id: 2, depth: 1, solution: true })
	const { accepted, threads } = liftAccepted([sampleComment({ id: 1, replies: [nested] })], [nested])
	expect(accepted.map(({ id }) => id)).toEqual([2])
	expect(threads[0]?.replies.map(({ id }) => id)).toEqual([2])
})

test('an accepted answer of a later page is shown on top too', () => {
	const { accepted, threads } = liftAccepted([sampleComment({ id: 1 })], [sampleComment({ id: 90, solution: true })])
	expect(accepted.map(({ id }) => id)).toEqual([90])
	expect(threads).toHaveLength(1)
})

test('a branch counts deeper replies without deleted ones', () => {
	const deep = sampleComment({ id: 3, depth: 2, hiddenReplies: 4 })
	expect(
		countBranch(sampleComment({ id: 1, deleted: true, replies: [sampleComment({ id: 2, replies: [deep] })] })),
	).toBe(6)
})

test('the pages of one long thread become one thread', () => {
	const pages = [
		sampleComment({ id: 1, replies: [sampleComment({ id: 2 }), sampleComment({ id: 3 })] }),
		sampleComment({ id: 1, replies: [sampleComment({ id: 4 })] }),
	]
	expect(joinThreads(pages).map(({ id, replies }) => [id, replies.map((reply) => reply.id)])).toEqual([[1, [2, 3, 4]]])
})
