import type { SignedIn } from '~/lib/viewer.ts'
import { db } from '~/platform/db/db.server.ts'
import type { Input } from '~/platform/http/form.server.ts'

let made = 0

const longAgo = new Date('2026-01-15T09:00:00Z')

/** An established member without a password who can act at once; new accounts have lower limits, see moderation.limits.ts. */
export async function makeMember(
	username: string,
	role: SignedIn['role'] = 'member',
	joined = longAgo,
): Promise<SignedIn> {
	const name = username.replace(/^./, (letter) => letter.toUpperCase())
	const { id } = await db()
		.insertInto('users')
		.values({ username, name, email: `${username}@campus.example`, role, image: null, created_at: joined })
		.returning('id')
		.executeTakeFirstOrThrow()
	return { id, username, name, image: null, role }
}

/** Asks a question. @returns its id and address */
export async function makeQuestion(author: SignedIn, input: Input = {}): Promise<{ id: number; url: string }> {
	made += 1
	// Imported on demand: most files only need members, and each file loads its imports anew.
	const { askQuestion } = await import('~/features/asking/asking.server.ts')
	const { url } = await askQuestion(author, {
		title: `A question number ${made}`,
		description: 'How does it work?',
		tags: 'testing',
		category: 'others',
		...input,
	})
	return { id: Number(url.split('/')[4]), url }
}

/** Adds a comment or a reply. @returns its id */
export async function makeComment(
	author: SignedIn,
	questionId: number,
	body = 'Like this.',
	parentId: number | null = null,
): Promise<number> {
	const { addComment } = await import('~/features/discussion/commenting.server.ts')
	const { id } = await addComment(author, { questionId, parentId, body })
	return id
}
