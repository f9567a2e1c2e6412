import type { CommentView } from '../../comment.view.ts'

/** A query's discussion as it is shown: what was accepted first, then everything else. */
export interface Discussion {
	/** Accepted answers, with the replies that are on this page. */
	accepted: CommentView[]
	/** The threads. An accepted answer within one stands there as a pointer, see {@link isPointer}. */
	threads: CommentView[]
}

/** Takes the accepted answers out of their places. One that has replies above it in a thread leaves a pointer behind. */
export function liftAccepted(threads: CommentView[], solutions: CommentView[]): Discussion {
	const wanted = new Set(solutions.map(({ id }) => id))
	const roots = new Map(threads.filter(({ id }) => wanted.has(id)).map((comment) => [comment.id, comment]))
	return {
		accepted: solutions.map((solution) => roots.get(solution.id) ?? solution),
		threads: threads.filter(({ id }) => !roots.has(id)),
	}
}

/** The threads of several pages as one list: the later pages of a thread that is shown alone repeat its root. */
export function joinThreads(rows: CommentView[]): CommentView[] {
	const joined = new Map<number, CommentView>()
	for (const row of rows) {
		const before = joined.get(row.id)
		joined.set(row.id, before ? { ...before, replies: joinThreads([...before.replies, ...row.replies]) } : row)
	}
	return [...joined.values()]
}

/** How many comments a branch holds, itself included, as far as they are known. */
export function countBranch(comment: CommentView): number {
	return comment.replies.reduce(
		(sum, reply) => sum + countBranch(reply),
		(comment.deleted ? 0 : 1) + comment.hiddenReplies,
	)
}
