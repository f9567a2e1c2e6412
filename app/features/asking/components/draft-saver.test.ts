import { afterEach, expect, test, vi } from 'vitest'
import { DraftSaver } from './draft-saver.ts'

afterEach(() => vi.unstubAllGlobals())

test.each([true, false])(
	'a page that comes back after it was left goes on from its last save (stored: %s)',
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
		const saver = new DraftSaver({ key: 'ask', forget: () => {}, read: () => values, onSaved: () => {} })
		saver.start()
		saver.touch()
		page.dispatchEvent(new Event('pagehide'))
		await vi.waitFor(() => expect(sent).toEqual(['One after 0']))
		stores = true
		// Shown again from the browser's memory, and left once more.
		if (stored) {
			values.title = 'Two'
			saver.touch()
		}
		await new Promise((resolve) => setTimeout(resolve))
		page.dispatchEvent(new Event('pagehide'))
		await vi.waitFor(() => expect(sent).toHaveLength(2))
		expect(sent[1]).toBe(stored ? 'Two after 1' : 'One after 0')
		saver.end()
	},
)
