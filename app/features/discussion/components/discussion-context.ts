import { createContext, useContext } from 'react'
import type { AuthorView, QuestionPageView } from '~/features/questions/question.view.ts'
import type { SignedIn } from '~/lib/viewer.ts'
import type { FormRefusal } from '~/platform/http/form.ts'
import type { CommentView } from '../comment.view.ts'

/** A question as its page shows it. */
export type ShownQuestion = Omit<QuestionPageView, 'description'>

/** What a thread shows of its page, as JSON can write it. It is the same for all members but moderators. */
export interface SharedFacts {
	signedIn: boolean
	/** Whether the viewer is a moderator. */
	moderates: boolean
	/** Whether nothing more can be written, as the question was deleted. */
	closed: boolean
	questionId: number
	/** The query's canonical address. */
	url: string
	/** The address of what is shown of it, a thread or a later page: where every form goes, so that a refusal comes back to it. */
	here: string
	/** The comment whose thread is shown alone, or null. */
	thread: number | null
	/** Whether comments are closed. */
	locked: boolean
	/** Comments that are shown on top as accepted answers: in their threads they are only pointed to. */
	lifted: number[]
}

/** What every comment of a page needs to know about the page. */
export interface DiscussionFacts extends SharedFacts {
	viewer: SignedIn | null
	/** The pseudonym that the viewer writes under here; null for their own name. */
	pseudonym: AuthorView | null
	/** How the idempotency keys of the forms begin. */
	sendKey: string
	/** What the last form was refused for, or null. */
	refusal: FormRefusal | null
	/** The forms that the address opens: `?reply=`, `?edit=`, `?delete-comment=`. */
	asked: { reply: number | null; edit: number | null; remove: number | null }
	/** The comment that the address names, to be set off; null for none. */
	marked: number | null
	/** The comments of the page that the query's plain address shows; after a form the others need `?thread=`. */
	isOnFirstPage: (id: number) => boolean
}

/** What a thread needs that is rendered by itself, with everything that it does not show: no form is open in it. */
export interface ThreadFacts extends SharedFacts {
	/** Whether the query's plain address shows it. */
	isOnFirstPage: boolean
}

/** What the thread of this comment shows of its page. */
export function threadFacts(page: DiscussionFacts, id: number): ThreadFacts {
	const { signedIn, moderates, closed, questionId, url, here, thread, locked, lifted } = page
	const isOnFirstPage = page.isOnFirstPage(id)
	return { signedIn, moderates, closed, questionId, url, here, thread, locked, lifted, isOnFirstPage }
}

/** The facts for a thread that is rendered by itself. */
export function standaloneFacts({ isOnFirstPage, ...shared }: ThreadFacts): DiscussionFacts {
	return {
		...shared,
		viewer: null,
		pseudonym: null,
		sendKey: '',
		refusal: null,
		asked: { reply: null, edit: null, remove: null },
		marked: null,
		isOnFirstPage: () => isOnFirstPage,
	}
}

export const DiscussionContext = createContext<DiscussionFacts | null>(null)

/** What the parts of a discussion share. @throws Error outside of a discussion */
export function useDiscussion(): DiscussionFacts {
	const facts = useContext(DiscussionContext)
	if (!facts) throw new Error('A comment was drawn outside a discussion.')
	return facts
}

/** A question's discussion as it is shown: what was accepted first, then everything else. */
export interface OrderedThreads {
	/** Accepted answers, with the replies that are on this page. */
	accepted: CommentView[]
	/** The threads. An accepted answer within one stands there as a pointer, see {@link isPointer}. */
	threads: CommentView[]
}

/** Takes the accepted answers out of their places. One that has replies above it in a thread leaves a pointer behind. */
export function liftAccepted(threads: CommentView[], solutions: CommentView[]): OrderedThreads {
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

/** The comment whose thread shows a new reply to `id`, when the question's plain page would not. */
export function threadAfter({ thread, isOnFirstPage }: DiscussionFacts, id: number, level: number): number | null {
	if (level >= deepestLevel) return id
	return thread ?? (isOnFirstPage(id) ? null : id)
}

/** Threads are shown this deep, counted from 0. */
const deepestLevel = 3
