import { shortened } from '~/lib/text.ts'

/** The beginning of a message on one line. */
export function excerptOf(body: string): string {
	return shortened(body.replace(/\s+/g, ' ').trim(), 140) || 'A new message'
}
