import { chromium } from '@playwright/test'
import { chromiumFlags, findChromium } from '../scripts/support/chromium.ts'

/** Bytes transferred by a first visit, including headers, by kind of resource, as Chromium counts them. */
export async function firstVisit(url: string): Promise<Record<string, number>> {
	const browser = await chromium.launch({ executablePath: findChromium(), args: chromiumFlags() })
	try {
		const page = await browser.newPage()
		const network = await page.context().newCDPSession(page)
		const kinds = new Map<string, string>()
		const bytes: Record<string, number> = {}
		network.on('Network.responseReceived', ({ requestId, type }) => kinds.set(requestId, type))
		network.on('Network.loadingFinished', ({ requestId, encodedDataLength }) => {
			const kind = (kinds.get(requestId) ?? 'Other').toLowerCase()
			bytes[kind] = (bytes[kind] ?? 0) + encodedDataLength
		})
		await network.send('Network.enable')
		await page.goto(url, { waitUntil: 'networkidle' })
		return bytes
	} finally {
		await browser.close()
	}
}
