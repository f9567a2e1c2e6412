import { expect, test } from 'vitest'
import { SessionRegister } from './session-register.ts'

/** A register that is listening, and learned at 100 ms that member 1 had changed. */
function listening(changes = new Map([[1, 'a']])): SessionRegister {
	const register = new SessionRegister()
	register.startListening()
	register.take(changes, register.beginRead(), 100)
	return register
}

/** Whether a later request would trust a cookie that is signed now. */
function believes(register: SessionRegister, userId: number, startedAt = 1_000): boolean {
	const signedWith = register.versionOf(userId, startedAt)
	return signedWith === register.versionOf(userId, startedAt)
}

test('a process that is not subscribed trusts no cookie', () => {
	const register = new SessionRegister()
	expect(believes(register, 2)).toBe(false)
	register.take(new Map(), register.beginRead(), 100)
	expect(believes(register, 2)).toBe(false)
})

test('a process that has just subscribed trusts no cookie until it has read earlier changes', () => {
	const register = new SessionRegister()
	const before = register.beginRead()
	register.startListening()
	register.take(new Map(), before, 100)
	expect(believes(register, 2)).toBe(false)
	register.take(new Map(), register.beginRead(), 100)
	expect(believes(register, 2)).toBe(true)
})

test('a change raises the version of its member only', () => {
	const register = listening()
	const before = [1, 2].map((id) => register.versionOf(id, 1_000))
	register.take(new Map([[1, 'b']]), register.beginRead(), 2_000)
	const after = [1, 2].map((id) => register.versionOf(id, 3_000))
	expect([after[0] === before[0], after[1] === before[1]]).toEqual([false, true])
	expect(believes(register, 1, 3_000)).toBe(true)
})

test('a cookie signed from data read before a change is not trusted', () => {
	const register = listening()
	expect(believes(register, 1, 50)).toBe(false)
	expect(believes(register, 1, 100)).toBe(false)
	expect(believes(register, 1, 101)).toBe(true)
	// Reading the same version again keeps its time.
	register.take(new Map([[1, 'a']]), register.beginRead(), 5_000)
	expect(believes(register, 1, 101)).toBe(true)
})

test('a changed member is not trusted until a lookup that began afterwards', () => {
	const register = listening(new Map())
	const asked = register.beginRead()
	register.invalidate(1)
	expect([believes(register, 1), believes(register, 2)]).toEqual([false, true])
	register.take(new Map(), asked, 200)
	expect(believes(register, 1)).toBe(false)
	register.take(new Map([[1, 'a']]), register.beginRead(), 300)
	expect(believes(register, 1)).toBe(true)
})

test('a lost connection makes every cookie untrusted, until a lookup after the reconnection', () => {
	const register = listening()
	register.stopListening()
	expect(believes(register, 2)).toBe(false)
	const asked = register.beginRead()
	register.take(new Map(), register.beginRead(), 200)
	expect(believes(register, 2)).toBe(false)
	register.startListening()
	register.take(new Map(), asked, 300)
	expect(believes(register, 2)).toBe(false)
	register.take(new Map(), register.beginRead(), 400)
	expect(believes(register, 2)).toBe(true)
})

test('old changes expire', () => {
	const register = listening()
	const unchanged = register.versionOf(2, 1_000)
	register.take(new Map(), register.beginRead(), 900_000)
	expect(register.versionOf(1, 900_001)).toBe(unchanged)
})

test('the last known state covers earlier logouts, but no cookie that was signed meanwhile', () => {
	const register = listening()
	const [changed, unchanged] = [register.versionOf(1, 1_000), register.versionOf(2, 1_000)]
	register.stopListening()
	expect([register.lastKnownVersionOf(1), register.lastKnownVersionOf(2)]).toEqual([changed, unchanged])
	const signedMeanwhile = register.versionOf(2, 2_000)
	expect(register.lastKnownVersionOf(2)).not.toBe(signedMeanwhile)
	register.invalidate(2)
	expect(register.lastKnownVersionOf(2)).not.toBe(unchanged)
})
