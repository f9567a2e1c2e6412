import { expect, test } from 'vitest'
import { eventually } from '../../../tests/support/eventually.ts'
import { Bus, type BusTransport, joinParts, splitMessage } from './bus.ts'

test.each([
	['nothing', ''],
	['a short one', 'one two'],
	['one with a line break', 'one\ntwo'],
	['a long one', 'x'.repeat(50_000)],
	['a long one of three bytes each', '学'.repeat(20_000)],
	['a long one of pairs', `x${'🙂'.repeat(20_000)}`],
	['one that begins like a part', `3 ${'y'.repeat(9_000)}`],
])('%s is split into parts that fit, and reassembled unchanged', (_what, message) => {
	const parts = splitMessage(message, 7_999)
	for (const part of parts) {
		expect(Buffer.byteLength(`${crypto.randomUUID()} ${part}`)).toBeLessThan(8_000)
		expect(Buffer.from(part).toString()).toBe(part)
	}
	const join = joinParts()
	const joined = parts.map((part, index) => join('sender', index, part))
	expect(joined.at(-1)).toBe(message)
	expect(joined.slice(0, -1).every((result) => result === null)).toBe(true)
})

test('interleaved parts of two senders are not mixed', () => {
	const join = joinParts()
	const [ones, twos] = ['1', '2'].map((text) => splitMessage(text.repeat(9_000), 7_999))
	const joined = (ones ?? []).flatMap((part, index) => [
		join('one', index, part),
		join('two', index, twos?.[index] ?? ''),
	])
	expect(joined.slice(-2)).toEqual(['1'.repeat(9_000), '2'.repeat(9_000)])
})

/** A carrier for one channel. @param send delivers texts to all listeners by `hear` */
function carrierWith(send: (texts: readonly string[], hear: (text: string) => void) => Promise<void>): BusTransport {
	const listeners: ((text: string) => void)[] = []
	return {
		longest: 1_000,
		listen: async (_channel, hear) => {
			listeners.push(hear)
			return async () => {}
		},
		send: (_channel, texts) => send(texts, (text) => listeners.forEach((hear) => void hear(text))),
	}
}

test('the remains of a batch that failed midway do not become part of the next message', async () => {
	let room = Number.POSITIVE_INFINITY
	const carrier = carrierWith(async (texts, hear) => {
		for (const text of texts.slice(0, room)) hear(text)
		if (texts.length > room) throw new Error('The connection ended.')
	})
	const heard: string[] = []
	await new Bus(carrier).open('one', { onMessage: (text) => heard.push(text), onLost: () => {}, onBack: () => {} })
	const sender = new Bus(carrier)
	room = 1
	await expect(sender.publish('one', 'x'.repeat(5_000))).rejects.toThrow('The connection ended.')
	room = Number.POSITIVE_INFINITY
	await sender.publish('one', 'short')
	await sender.publish('one', 'y'.repeat(5_000))
	expect(heard).toEqual(['short', 'y'.repeat(5_000)])
})

test('listeners are notified that they missed messages when the queue overflows', async () => {
	let free = () => {}
	let blocked: Promise<void> | null = new Promise((resolve) => {
		free = resolve
	})
	const carrier = carrierWith(async (texts, hear) => {
		await blocked
		for (const text of texts) hear(text)
	})
	let [heard, back] = [0, 0]
	const onMessage = () => {
		heard += 1
	}
	const onBack = () => {
		back += 1
	}
	await new Bus(carrier).open('one', { onMessage, onLost: () => {}, onBack })
	const sender = new Bus(carrier)
	const first = sender.publish('one', 'hangs')
	await Promise.resolve()
	const published = [first, ...Array.from({ length: 20_001 }, (_, index) => sender.publish('one', `${index}`))]
	const outcomes = Promise.allSettled(published)
	blocked = null
	free()
	const lost = (await outcomes).filter(({ status }) => status === 'rejected').length
	await eventually(() => expect(back).toBe(1))
	expect(lost).toBeGreaterThan(0)
	expect(heard).toBe(published.length - lost)
})

test('a message that is lost while an earlier loss is reported is reported as well', async () => {
	const isReport = (text?: string) => text?.endsWith(' ?')
	let end = () => {}
	const ended = new Promise<void>((resolve) => {
		end = resolve
	})
	let reports = 0
	const carrier = carrierWith(async ([text = ''], hear) => {
		if (!isReport(text)) throw new Error('The connection ended.')
		reports += 1
		hear(text)
		// The listeners have it, but its sender does not know yet.
		if (reports === 1) await ended
	})
	let back = 0
	const onBack = () => {
		back += 1
	}
	await new Bus(carrier).open('one', { onMessage: () => {}, onLost: () => {}, onBack })
	const sender = new Bus(carrier)
	await expect(sender.publish('one', 'lost')).rejects.toThrow('The connection ended.')
	await eventually(() => expect(back).toBe(1))
	await expect(sender.publish('one', 'lost later')).rejects.toThrow('The connection ended.')
	end()
	await eventually(() => expect(back).toBe(2), 5_000)
})
