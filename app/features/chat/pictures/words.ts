import type { ChatMessage } from '../protocol.ts'

/** A message in words alone, for lists, announcements and mail: its text, or else what its pictures show. */
export function wordsOf({ body, pictures }: Pick<ChatMessage, 'body' | 'pictures'>): string {
	if (body.trim() !== '' || pictures.length === 0) return body
	const shown = pictures.map(({ alt }) => alt).filter((alt) => alt !== '')
	if (shown.length > 0) return shown.join(', ')
	return pictures.length === 1 ? 'Picture' : `${pictures.length} pictures`
}
