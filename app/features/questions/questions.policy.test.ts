import { expect, test } from 'vitest'
import type { SignedIn, Viewer } from '~/lib/viewer.ts'
import { mayDelete, mayEdit, mayWrite } from './questions.policy.ts'

const someone: SignedIn = { id: 1, username: 'asha', name: 'Asha', image: null, role: 'member' }
const text = { authorId: 1 }

test.each<[string, Viewer, { write: boolean; change: boolean }]>([
	['a visitor', null, { write: false, change: false }],
	['a member', { ...someone, id: 2 }, { write: true, change: false }],
	['the author', someone, { write: true, change: true }],
	['a moderator', { ...someone, id: 3, role: 'moderator' }, { write: true, change: true }],
	['an admin', { ...someone, id: 4, role: 'admin' }, { write: true, change: true }],
])('%s has the permissions of the specification', (_who, viewer, { write, change }) => {
	expect(mayWrite(viewer)).toBe(write)
	expect(mayEdit(viewer, text)).toBe(change)
	expect(mayDelete(viewer, text)).toBe(change)
})
