import type { Viewer } from '~/lib/viewer.ts'
import { parseInput } from '~/platform/http/form.server.ts'
import { settingsInput } from '../chat.schema.ts'
import { member } from '../members.server.ts'
import { type ChatSettings, readSettings, writeSettings } from './settings.queries.server.ts'

/** Who may begin a conversation with the viewer, and whether others see that they type. @throws NotAllowed */
export async function getChatSettings(viewer: Viewer) {
	const { accepts, shows_typing: showsTyping } = await readSettings(member(viewer).id)
	return { accepts, showsTyping }
}

/**
 * Changes one of them, or both; conversations in which both wrote stay open.
 * @throws NotAllowed, Invalid
 */
export async function setChatSettings(viewer: Viewer, input: Record<string, unknown>): Promise<void> {
	const { id } = member(viewer)
	const { accepts, typing } = parseInput(settingsInput, input)
	const change: Partial<ChatSettings> = {}
	if (accepts) change.accepts = accepts
	if (typing) change.shows_typing = typing === 'shown'
	await writeSettings(id, change)
}
