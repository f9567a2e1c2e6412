import { createContext, useContext } from 'react'
import type { QuestionPageView } from '~/features/questions/question.view.ts'
import type { SignedIn } from '~/lib/viewer.ts'
import type { FormRefusal } from '~/platform/http/form.ts'
import type { CommentView } from '../comment.view.ts'

/** A question as its page shows it. */
export type ShownQuestion = Omit<QuestionPageView, 'description'>

/** What a thread shows of its page, serializable as JSON. The same for all members except moderators. */
export interface SharedFacts {
	signedIn: boolean
	/** Whether the viewer is a moderator. */
	moderates: boolean
	/** As `isClosed` of questions.policy.ts says. */
	closed: boolean
	/** As `areCommentsReportable` there says. */
	reportable: boolean
	questionId: number
	/** The query's canonical address. */
	url: string
	/** The address of the shown part, a thread or a later page: forms are sent there, so that an error comes back to it. */
	here: string
	/** The comment whose thread is shown alone, or null. */
	thread: number | null
	locked: boolean
	/** Comments that are shown on top as accepted answers; their threads only link to them. */
	lifted: number[]
}

/** What all comments of a page need to know about the page. */
export interface DiscussionFacts extends SharedFacts {
	viewer: SignedIn | null
	/** The pseudonym that the viewer writes under here; null for their own name. */
	pseudonym: ShownQuestion['author'] | null
	/** Prefix of the forms' idempotency keys. */
	sendKey: string
	refusal: FormRefusal | null
	/** The forms that the address opens: `?reply=`, `?edit=`, `?delete-comment=`. */
	asked: { reply: number | null; edit: number | null; remove: number | null }
	/** The comment that the address names, to be highlighted; null for none. */
	marked: number | null
	/** Whether a comment is on the page at the question's plain address; others need `?thread=` after a form. */
	isOnFirstPage: (id: number) => boolean
}

/** What a thread that is rendered on its own needs, with fixed values for the rest: no form is open in it. */
export interface ThreadFacts extends SharedFacts {
	/** Whether it is on the page at the question's plain address. */
	isOnFirstPage: boolean
}

/** What the thread of this comment shows of its page. */
export function threadFacts(page: DiscussionFacts, id: number): ThreadFacts {
	const { signedIn, moderates, closed, reportable, questionId, url, here, thread, locked, lifted } = page
	const isOnFirstPage = page.isOnFirstPage(id)
	return { signedIn, moderates, closed, reportable, questionId, url, here, thread, locked, lifted, isOnFirstPage }
}

/** The facts for a thread that is rendered separately. */
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

/** A question's discussion in display order: accepted answers first. */
export interface OrderedThreads {
	/** Accepted answers, with their replies on this page. */
	accepted: CommentView[]
	/** The threads. An accepted answer within one is shown as a link to its place at the top. */
	threads: CommentView[]
}

/** Moves accepted answers to the top. One with a parent in its thread leaves a pointer there. */
export function liftAccepted(threads: CommentView[], solutions: CommentView[]): OrderedThreads {
	const ids = new Set(solutions.map(({ id }) => id))
	const roots = new Map(threads.filter(({ id }) => ids.has(id)).map((comment) => [comment.id, comment]))
	return {
		accepted: solutions.map((solution) => roots.get(solution.id) ?? solution),
		threads: threads.filter(({ id }) => !roots.has(id)),
	}
}

/** The threads of several pages as one list: later pages of a thread that is shown alone repeat its root. */
export function joinThreads(rows: CommentView[]): CommentView[] {
	const joined = new Map<number, CommentView>()
	for (const row of rows) {
		const before = joined.get(row.id)
		joined.set(row.id, before ? { ...before, replies: joinThreads([...before.replies, ...row.replies]) } : row)
	}
	return [...joined.values()]
}

/** The known comments of a branch, including its root. */
export function countBranch(comment: CommentView): number {
	return comment.replies.reduce(
		(sum, reply) => sum + countBranch(reply),
		(comment.deleted ? 0 : 1) + comment.hiddenReplies,
	)
}

/** The comment whose thread shows a new reply to `id`, where the question's plain page would not. */
export function threadAfter({ thread, isOnFirstPage }: DiscussionFacts, id: number, level: number): number | null {
	if (level >= MAX_LEVEL) return id
	return thread ?? (isOnFirstPage(id) ? null : id)
}

/** The deepest level of a page, counted from 0: the last of `LEVELS_PER_PAGE`. */
const MAX_LEVEL = 3

/** Gives the focus to a comment, which is unfolded, or to the heading of the comments. @param id of its element */
export function focusPart(id: string): void {
	const element = document.getElementById(id)
	if (!element) return
	for (const fold of document.querySelectorAll<HTMLInputElement>('.comment > input:checked'))
		if (fold.parentElement !== element && fold.parentElement?.contains(element)) fold.checked = false
	element.tabIndex = -1
	element.focus({ preventScroll: true })
}
