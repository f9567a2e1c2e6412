import type { ChatSending, ConversationPage, MessageWindow, SendAnswer } from '../protocol.ts'
import type { Changes, OlderPage } from './thread.ts'

/** The ways of a tab to the server. What is asked is refused with an exception when no answer can be had. */
export interface Transport {
	connected(): boolean
	/** @returns null when no answer came: the message may have arrived or not, and is sent again under the same id */
	send(message: ChatSending): Promise<SendAnswer | null>
	seen(mark: { with: string; upTo: number; read: boolean }): void
	typing(to: string): void
	page(peer: string): Promise<ConversationPage>
	since(peer: string, version: number): Promise<Changes>
	before(peer: string, id: number): Promise<OlderPage>
	after(peer: string, id: number): Promise<MessageWindow>
}

/** Runs `work` while no other tab of this browser runs anything under the same name. */
export type Lock = (name: string, work: () => Promise<void>) => Promise<void>

/**
 * Waits until the next try: 1 s, 2 s, 4 s, 8 s, and no longer than that, or as long as the server asks for.
 * @param tries how many there were
 * @param asked whole seconds that a limit lasts
 */
export function pause(tries: number, asked = 0): Promise<void> {
	return new Promise((resolve) => setTimeout(resolve, 1_000 * Math.max(asked, 2 ** Math.min(tries, 3))))
}
