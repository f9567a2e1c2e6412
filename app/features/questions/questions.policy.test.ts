import { expect, test } from 'vitest'
import type { SignedIn, Viewer } from '~/lib/viewer.ts'
import { mayDelete, mayEdit } from './questions.policy.ts'

const someone: SignedIn = { id: 1, username: 'asha', name: 'Asha', image: null, role: 'member' }
const text = { authorId: 1 }

test.each<[string, Viewer, boolean]>([
	['a visitor', null, false],
	['a member', { ...someone, id: 2 }, false],
	['the author', someone, true],
	['a moderator', { ...someone, id: 3, role: 'moderator' }, true],
	['an admin', { ...someone, id: 4, role: 'admin' }, true],
])('%s has the permissions of the specification', (_who, viewer, change) => {
	expect(mayEdit(viewer, text)).toBe(change)
	expect(mayDelete(viewer, text)).toBe(change)
})
