import { expect, test } from 'vitest'
import { Outbox } from './outbox.ts'

/** Storage for so many characters. */
class SmallStore {
	private readonly items = new Map<string, string>()
	room: number

	constructor(room: number) {
		this.room = room
	}

	get length(): number {
		return this.items.size
	}

	key(index: number): string | null {
		return [...this.items.keys()][index] ?? null
	}

	getItem(key: string): string | null {
		return this.items.get(key) ?? null
	}

	setItem(key: string, value: string): void {
		const others = [...this.items].filter(([name]) => name !== key)
		const used = others.reduce((sum, [name, text]) => sum + name.length + text.length, 0)
		if (used + key.length + value.length > this.room) throw new DOMException('No space.', 'QuotaExceededError')
		this.items.set(key, value)
	}

	removeItem(key: string): void {
		this.items.delete(key)
	}
}

test('a message whose refusal cannot be stored in the browser is still refused, once', () => {
	const store = new SmallStore(10_000)
	const outbox = new Outbox(store, 'anna')
	outbox.add({ clientId: 'one', to: 'bert', body: 'Hello', pictures: [] })
	store.room = 0
	outbox.refuse('one', 'Bert accepts no messages.')
	expect(outbox.list('bert').map(({ clientId, refusal }) => [clientId, refusal])).toEqual([
		['one', 'Bert accepts no messages.'],
	])
	expect([outbox.next('bert'), outbox.find('one')?.refusal]).toEqual([undefined, 'Bert accepts no messages.'])
	outbox.retry('one')
	expect([outbox.list().length, outbox.next('bert')?.clientId]).toEqual([1, 'one'])
	outbox.remove('one')
	expect([outbox.list(), store.length]).toEqual([[], 0])
})

test('what waits for a member or was refused follows them to their new username', () => {
	const outbox = new Outbox(new SmallStore(10_000), 'anna')
	for (const to of ['bert', 'bert', 'carl'])
		outbox.add({ clientId: `${outbox.list().length}`, to, body: to, pictures: [] })
	outbox.refuse('0', 'Bert accepts no messages.')
	outbox.rename('bert', 'bertram')
	expect(outbox.list().map(({ clientId, to, refusal }) => [clientId, to, refusal])).toEqual([
		['0', 'bertram', 'Bert accepts no messages.'],
		['1', 'bertram', null],
		['2', 'carl', null],
	])
})
