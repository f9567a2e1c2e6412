import { data, redirect } from 'react-router'
import { deleteMessage, editMessage } from '~/features/chat/messages/changing.server.ts'
import { markSeen } from '~/features/chat/messages/reading.server.ts'
import { reportMessage } from '~/features/chat/messages/reporting.server.ts'
import { sendMessage } from '~/features/chat/messages/sending.server.ts'
import { picturesFromForm } from '~/features/chat-pictures/chat-pictures.server.ts'
import { acceptConversation, setBlocked, setMuted } from '~/features/conversations/conversations.server.ts'
import { DomainError, Invalid } from '~/lib/errors.ts'
import type { SignedIn } from '~/lib/viewer.ts'
import { readText, refuseForm } from '~/platform/http/form.server.ts'
import { redirectWithSuccess } from '~/platform/http/http.ts'

/** The result of a form: the changed message, if any, and the notice for readers without scripts. */
interface Done {
	message?: Awaited<ReturnType<typeof sendMessage>>
	toast?: string
}

type Act = (viewer: SignedIn, username: string, form: FormData) => Promise<Done>

const idOf = (form: FormData) => Number(form.get('id') || Number.NaN)

/** The actions of a conversation's forms, by `intent`. */
const acts: Record<string, Act> = {
	send: async (viewer, to, form) => {
		const pictures = await picturesFromForm(viewer, form)
		const message = await sendMessage(viewer, {
			to,
			pictures,
			clientId: form.get('clientId'),
			body: form.get('body'),
		})
		// Answering on a page without scripts implies that it was read.
		await markSeen(viewer, { with: to, upTo: Number(form.get('upTo')), read: true })
		return { message }
	},
	edit: async (viewer, username, form) => {
		const which = { with: username, id: idOf(form) }
		return { message: await editMessage(viewer, which, { body: form.get('body') }), toast: 'Message changed.' }
	},
	delete: async (viewer, username, form) => {
		const message = await deleteMessage(viewer, { with: username, id: idOf(form) })
		return { message, toast: 'Message deleted.' }
	},
	seen: async (viewer, username, form) => {
		await markSeen(viewer, { with: username, upTo: Number(form.get('upTo')), read: true })
		return { toast: 'Marked as read.' }
	},
	report: async (viewer, username, form) => {
		await reportMessage(viewer, { with: username, id: idOf(form) }, { words: form.get('reason') })
		return { toast: 'Thank you. A moderator will look at it.' }
	},
	block: (viewer, username) => done(setBlocked(viewer, username, true), `You blocked @${username}.`),
	unblock: (viewer, username) => done(setBlocked(viewer, username, false), `@${username} can write to you again.`),
	mute: (viewer, username) =>
		done(setMuted(viewer, username, true), 'Muted. You will get no notifications from this conversation.'),
	unmute: (viewer, username) => done(setMuted(viewer, username, false), 'No longer muted.'),
	accept: (viewer, username) => done(acceptConversation(viewer, username), 'Accepted.'),
}

async function done(work: Promise<void>, toast: string): Promise<Done> {
	await work
	return { toast }
}

interface Form {
	viewer: SignedIn
	username: string
	form: FormData
	/** Whether a script sent it and updates the page itself; other browsers are redirected to the page. */
	scripted: boolean
}

/** Handles a form of a conversation. An error keeps the input. */
export async function handleConversationAction({ viewer, username, form, scripted }: Form) {
	try {
		const intent = readText(form, 'intent')
		const act = Object.hasOwn(acts, intent) ? acts[intent] : undefined
		// Beside what was typed, which an error page would lose.
		if (!act) throw new Invalid('This action is unknown. Reload the page and try again.')
		const { message, toast } = await act(viewer, username, form)
		if (scripted) return data({ ok: true as const, message: message ?? null })
		const page = `/messages/${username}`
		return toast ? redirectWithSuccess(page, toast) : redirect(`${page}#newest`, 303)
	} catch (error) {
		if (!(error instanceof DomainError)) throw error
		const { data: refusal, init } = refuseForm(error, form)
		return data({ ok: false as const, ...refusal }, init ?? undefined)
	}
}
