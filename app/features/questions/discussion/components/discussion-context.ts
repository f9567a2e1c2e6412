import { createContext, useContext } from 'react'
import type { SignedIn } from '~/lib/viewer.ts'
import type { BoxRefusal } from '../../comment.view.ts'

/** What every comment of a page needs to know about the page. */
export interface DiscussionFacts {
	viewer: SignedIn | null
	/** Whether nothing more can be written, as the query was deleted. */
	closed: boolean
	queryId: number
	/** What the boxes begin the names of their sendings with. */
	sendKey: string
	/** The query's canonical address. */
	url: string
	/** The address of what is shown of it, a thread or a later page: where every form goes, so that a refusal comes back to it. */
	here: string
	/** The comment whose thread is shown alone, or null. */
	thread: number | null
	/** Whether nobody may comment any more. */
	locked: boolean
	/** What the last form was refused for, or null. */
	refusal: BoxRefusal | null
	/** The boxes that the address opens: `?reply=`, `?edit=`, `?delete-comment=`. */
	asked: { reply: number | null; edit: number | null; remove: number | null }
	/** Comments that are shown on top as accepted answers: in their threads they are only pointed to. */
	lifted: ReadonlySet<number>
	/** The comment that the address names, to be set off; null for none. */
	marked: number | null
	/** The comments of the page that the query's plain address shows; after a form the others need `?thread=`. */
	isOnFirstPage: (id: number) => boolean
}

export const DiscussionContext = createContext<DiscussionFacts | null>(null)

export function useDiscussion(): DiscussionFacts {
	const facts = useContext(DiscussionContext)
	if (!facts) throw new Error('A comment was drawn outside a discussion.')
	return facts
}
