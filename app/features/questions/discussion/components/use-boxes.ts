import { useCallback, useState } from 'react'
import { useDiscussion } from './discussion-context.ts'

export interface Boxes {
	reply: boolean
	edit: boolean
	/** Whether the reader opened one by hand, and wants to type. */
	focused: boolean
	openReply: () => void
	openEdit: () => void
	closeReply: () => void
	closeEdit: () => void
}

/** Which boxes of a comment are open: those that the address or a refused form asks for, then what the reader does. */
export function useBoxes(id: number): Boxes {
	const { asked, refusal } = useDiscussion()
	const refused = refusal?.values.box
	const [reply, setReply] = useState<boolean | null>(null)
	const [edit, setEdit] = useState<boolean | null>(null)
	return {
		reply: reply ?? (asked.reply === id || refused === `reply-${id}`),
		edit: edit ?? (asked.edit === id || refused === `edit-comment-${id}`),
		focused: reply === true || edit === true,
		openReply: useCallback(() => setReply(true), []),
		openEdit: useCallback(() => setEdit(true), []),
		closeReply: useCallback(() => setReply(false), []),
		closeEdit: useCallback(() => setEdit(false), []),
	}
}
