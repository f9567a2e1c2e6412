import { FIGURE_WEEKS } from '~/features/administration/figures/figures.view.ts'
import { requireAdmin, type Viewer } from '~/lib/viewer.ts'
import { db } from '~/platform/db/db.server.ts'
import { daysBefore, mondayOf } from '~/platform/settings/region.server.ts'
import {
	listMostRead,
	listReads,
	listStorage,
	listTableSizes,
	sweepUsage,
	writeStorage,
} from './usage.queries.server.ts'
import { MOST_READ_WEEKS, type MostRead, type TableSize, type UsageWeek } from './usage.view.ts'

/** Records the size of the site, and deletes weeks that are no longer shown. */
export async function recordStorage(): Promise<void> {
	await db()
		.transaction()
		.execute(async (trx) => {
			const week = mondayOf()
			await writeStorage(trx, week)
			await sweepUsage(trx, daysBefore(week, 7 * (FIGURE_WEEKS - 1)))
		})
}

interface Usage {
	/** Oldest first. */
	weeks: UsageWeek[]
	mostRead: MostRead[]
	tables: TableSize[]
}

/** Views and sizes by week. @throws NotAllowed for all but admins */
export async function readUsage(viewer: Viewer): Promise<Usage> {
	requireAdmin(viewer)
	const monday = mondayOf()
	const before = (weeks: number) => daysBefore(monday, 7 * weeks)
	const since = before(FIGURE_WEEKS - 1)
	const [reads, storage, mostRead, tables] = await Promise.all([
		listReads(since),
		listStorage(since),
		listMostRead(before(MOST_READ_WEEKS - 1)),
		listTableSizes(),
	])
	const weeks = Array.from({ length: FIGURE_WEEKS }, (_, place) => {
		const week = before(FIGURE_WEEKS - 1 - place)
		const ofWeek = <Row extends { week: string }>(rows: Row[]) => rows.filter((row) => row.week === week)
		const bytes = (part: string) => ofWeek(storage).find((row) => row.part === part)?.bytes ?? null
		return {
			week,
			reads: Object.fromEntries(ofWeek(reads).map(({ kind, reads }) => [kind, reads])),
			database: bytes('database'),
			pictures: bytes('pictures'),
		}
	})
	return { weeks, mostRead, tables }
}
