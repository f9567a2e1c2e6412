import { createHash } from 'node:crypto'
import { Invalid } from '~/lib/errors.ts'
import { newKey } from '~/lib/new-key.ts'
import type { Executor } from '~/platform/db/db.server.ts'
import { parseInput } from '~/platform/http/parse.server.ts'
import { keyInput } from '../questions.schema.ts'
import { change, type ForumEvent } from './change.server.ts'
import { claimKey, type Made, noteMade } from './writing.queries.server.ts'

/** A key came a second time with another text. */
export class KeyUsed extends Invalid {
	constructor() {
		super(
			'This was posted already, before its last change. Edit it where it stands; sent once more from here, it is posted a second time.',
		)
	}
}

/** What a refused form says; where its key was used up, with another, so that it can be sent as a post of its own. */
export function withFreshKey(error: unknown, values: Record<string, string>): Record<string, string> {
	return error instanceof KeyUsed ? { ...values, key: newKey() } : values
}

/** One sending: whose it is, under which key, and of what. */
export interface Sending {
	authorId: number
	key: string
	digest: string
}

/**
 * What a repeated sending is recognised by.
 * @param input may have a `key` of 1 to 100 characters, made by whoever sends it
 * @param content everything that makes one post differ from another
 * @returns null without a key: then each sending makes a post
 * @throws Invalid for what can be no key
 */
export function readSending(authorId: number, input: Record<string, unknown>, content: unknown[]): Sending | null {
	const { key } = parseInput(keyInput, input)
	if (key === null) return null
	return { authorId, key, digest: createHash('sha256').update(JSON.stringify(content)).digest('base64url') }
}

/**
 * As {@link change}, for a new post: sent again with the same key it makes nothing, and answers with what the first one made,
 * also when both come at the same moment. A sending that was refused leaves its key free.
 * @throws KeyUsed when the key was used for another text
 */
export function changeOnce<Result extends Made>(
	sending: Sending | null,
	make: (trx: Executor) => Promise<{ event: ForumEvent; result: Result }>,
): Promise<Made> {
	if (!sending) return change(make)
	return change(async (trx) => {
		const before = await claimKey(trx, sending)
		if (before) return { event: null, result: repeated(sending, before) }
		const done = await make(trx)
		await noteMade(trx, sending, done.result)
		return done
	})
}

function repeated(sending: Sending, before: { digest: string; post_id: number | null; url: string | null }): Made {
	if (before.post_id === null || before.url === null) throw new Error('A key was kept without what it made.')
	if (before.digest !== sending.digest) throw new KeyUsed()
	return { id: before.post_id, url: before.url }
}
