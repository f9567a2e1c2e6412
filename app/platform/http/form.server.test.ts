import { expect, test, vi } from 'vitest'
import { chooseIntent, readForm } from './form.server.ts'

const intents = () => ({ '': vi.fn(() => 'added'), remove: vi.fn((id: number) => `removed ${id}`) })

/** The status of the response that is thrown. */
function statusOf(work: () => unknown): number {
	try {
		work()
	} catch (error) {
		if (error instanceof Response) return error.status
		throw error
	}
	return 200
}

test.each([
	['remove', 'removed 7'],
	['', 'added'],
	[null, 'added'],
])('a form with the button %j does what it stands for', (sent, done) => {
	expect(chooseIntent(sent, intents(), 7)).toBe(done)
})

test.each(['Remove', 'toString', '__proto__', new File([], 'remove')])(
	'a form with the button %s does nothing',
	(sent) => {
		const known = intents()
		expect(statusOf(() => chooseIntent(sent, known, 7))).toBe(400)
		for (const run of Object.values(known)) expect(run).not.toHaveBeenCalled()
	},
)

test('a form without a button does nothing where each button has a name', () => {
	expect(statusOf(() => chooseIntent(null, { remove: () => 'removed' }))).toBe(400)
})

test.each([
	['act=hide&why=Spam', 'hide'],
	['act=hide&intent=show', 'show'],
	['why=Spam', null],
])('the button of the form %j, which a page of 0.3.0 may have sent, is %j', async (sent, intent) => {
	const form = await readForm(new Request('http://site.example', { method: 'POST', body: new URLSearchParams(sent) }))
	expect(form.get('intent')).toBe(intent)
})
