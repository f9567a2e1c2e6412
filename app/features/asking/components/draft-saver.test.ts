import { afterEach, expect, test, vi } from 'vitest'
import { eventually } from '../../../../tests/support/eventually.ts'
import { DraftSaver } from './draft-saver.ts'

afterEach(() => {
	vi.unstubAllGlobals()
	vi.useRealTimers()
})

test.each([true, false])(
	'a page that is restored after it was left continues from its last save (stored: %s)',
	async (stored) => {
		const page = new EventTarget()
		vi.stubGlobal('window', page)
		const sent: string[] = []
		let stores = stored
		vi.stubGlobal('fetch', async (_address: string, { body }: { body: URLSearchParams }) => {
			sent.push(`${body.get('title')} after ${body.get('version')}`)
			return stores ? Response.json({ version: sent.length, replaced: null }) : new Response(null, { status: 503 })
		})
		const values = { title: 'One', description: '', tags: '', category: 'others', madeFrom: 0 }
		const saver = new DraftSaver({
			key: 'ask',
			owner: 'ada',
			isForeign: () => false,
			forget: () => {},
			read: () => values,
			onSaved: () => {},
		})
		saver.start()
		saver.touch()
		page.dispatchEvent(new Event('pagehide'))
		await eventually(() => expect(sent).toEqual(['One after 0']))
		stores = true
		// Shown again from the browser's memory, and left once more.
		if (stored) {
			values.title = 'Two'
			saver.touch()
		}
		await new Promise((resolve) => setTimeout(resolve))
		page.dispatchEvent(new Event('pagehide'))
		await eventually(() => expect(sent).toHaveLength(2))
		expect(sent[1]).toBe(stored ? 'Two after 1' : 'One after 0')
		saver.end()
	},
)

test.each([
	['a question that is gone', 404, 1],
	['tags that are too long for a draft', 422, 1],
	['a text that is too long for a request', 413, 1],
	['a site that is away', 503, 4],
	['too many requests', 429, 4],
])(
	'a save refused for %s (%i) is sent %i times within half a minute, and again after more input',
	async (_for, status, times) => {
		vi.useFakeTimers()
		vi.stubGlobal('window', new EventTarget())
		const fetched = vi.fn(async () => new Response(null, { status }))
		vi.stubGlobal('fetch', fetched)
		const values = { title: 'One', description: '', tags: '', category: 'others', madeFrom: 0 }
		const saver = new DraftSaver({
			key: 'edit:7',
			owner: 'ada',
			isForeign: () => false,
			forget: () => {},
			read: () => values,
			onSaved: () => {},
		})
		const end = saver.start()
		saver.touch()
		await vi.advanceTimersByTimeAsync(34_000)
		expect(fetched).toHaveBeenCalledTimes(times)
		saver.touch()
		await vi.advanceTimersByTimeAsync(9_900)
		expect(fetched).toHaveBeenCalledTimes(times + 1)
		saver.end()
		end()
	},
)

test('where another member has logged in, their draft is neither replaced nor deleted', async () => {
	vi.stubGlobal('window', new EventTarget())
	const fetched = vi.fn(async () => Response.json({}))
	vi.stubGlobal('fetch', fetched)
	const saver = new DraftSaver({
		key: 'ask',
		owner: 'ada',
		isForeign: () => true,
		forget: () => {},
		read: () => ({ title: 'One', description: '', tags: '', category: 'others', madeFrom: 0 }),
		onSaved: () => {},
	})
	const end = saver.start()
	saver.touch()
	end()
	await saver.drop()
	expect(fetched).not.toHaveBeenCalled()
})
