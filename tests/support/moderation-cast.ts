import { beforeAll, beforeEach } from 'vitest'
import '~/features/index.server.ts'
import { decideCase } from '~/features/moderation/decisions.server.ts'
import type { SignedIn, Viewer } from '~/lib/viewer.ts'
import { makeComment, makeMember, makeQuestion } from '../factories/forum.ts'

/** Members and subjects for tests of moderation. */
export const cast = {} as Record<'author' | 'member' | 'moderator' | 'admin', SignedIn> & {
	/** A question by the author, new for each test. */
	query: number
	/** A comment by the author below it. */
	comment: number
}

/** The reason that {@link decide} gives. */
export const why = 'It sells shoes.'

/** Creates the members in this file's database, and new subjects before each test. */
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

/** Decides about a subject, with a default reason. */
export function decide(
	viewer: Viewer,
	kind: string,
	name: number | string,
	act: string,
	input: Record<string, unknown> = {},
): Promise<string> {
	return decideCase(viewer, { kind, name: String(name), act }, { why, ...input })
}

/** The name of a subject. */
export function named(kind: string, name: number | string): { kind: string; name: string } {
	return { kind, name: String(name) }
}

/** A report that needs no text. */
export const spam = { reason: 'spam' }
