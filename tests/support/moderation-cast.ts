import { beforeAll, beforeEach } from 'vitest'
import '~/features/index.server.ts'
import { decideCase } from '~/features/moderation/decisions.server.ts'
import type { SignedIn, Viewer } from '~/lib/viewer.ts'
import { makeComment, makeMember, makeQuestion } from '../factories/forum.ts'

/** Who takes part in a test of moderation, and what it is about. */
export const cast = {} as Record<'author' | 'member' | 'moderator' | 'admin', SignedIn> & {
	/** A question of the author, new for each test. */
	query: number
	/** A comment of the author under it. */
	comment: number
}

/** The reason that {@link decide} gives. */
export const why = 'It sells shoes.'

/** Makes the cast in this file's database, and something to judge before each test. */
export function useCast(): void {
	beforeAll(async () => {
		for (const name of ['author', 'member', 'moderator', 'admin'] as const)
			cast[name] = await makeMember(name, name === 'author' ? 'member' : name)
	})
	beforeEach(async () => {
		cast.query = (await makeQuestion(cast.author, { title: 'Zebra crossings in CSS', tags: 'zebra' })).id
		cast.comment = await makeComment(cast.author, cast.query, 'Use a gradient.')
	})
}

/** Judges something, with a reason unless another one is given. */
export function decide(
	viewer: Viewer,
	kind: string,
	name: number | string,
	act: string,
	input: Record<string, unknown> = {},
): Promise<string> {
	return decideCase(viewer, { kind, name: String(name), act }, { why, ...input })
}

/** What a report names. */
export function named(kind: string, name: number | string): { kind: string; name: string } {
	return { kind, name: String(name) }
}

/** A report that needs no words. */
export const spam = { reason: 'spam' }
