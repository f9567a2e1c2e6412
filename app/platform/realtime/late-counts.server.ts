import type { Counted } from './events.ts'
import { inBackground, type Tab } from './io.server.ts'

/**
 * Keeps a number that a tab shows up to date: sends it now, and again after the tab was sent an older count than it had, as the
 * events of two processes may arrive in either order.
 * @param prefix what the names of all events with this number begin with, such as `chat:`
 * @param tell counts and sends the number, with the time of counting
 */
export function keepCount(tab: Tab, prefix: string, tell: () => Promise<void>): void {
	inBackground(tell())
	let countedAt = 0
	tab.onAnyOutgoing((name: string, event?: Counted) => {
		if (event?.countedAt === undefined || !name.startsWith(prefix)) return
		const isLate = event.countedAt < countedAt
		// Also of a late one: after the database's clock was set back, all would be late.
		countedAt = event.countedAt
		if (isLate) inBackground(tell())
	})
}
