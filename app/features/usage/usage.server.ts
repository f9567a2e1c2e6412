import { readAllWeeks } from '~/features/administration/figures/figures.server.ts'
import { FIGURE_WEEKS, KEPT_WEEKS } from '~/features/administration/figures/figures.view.ts'
import { csvLine } from '~/lib/csv.ts'
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
import {
	MOST_READ_WEEKS,
	type MostRead,
	type ReadKind,
	readKinds,
	type TableSize,
	type UsageWeek,
} from './usage.view.ts'

/** Records the size of the site, and deletes weeks that are no longer needed. */
export async function recordStorage(): Promise<void> {
	await db()
		.transaction()
		.execute(async (trx) => {
			const week = mondayOf()
			await writeStorage(trx, week)
			await sweepUsage(trx, daysBefore(week, 7 * (KEPT_WEEKS - 1)), daysBefore(week, 7 * (MOST_READ_WEEKS - 1)))
		})
}

interface Usage {
	/** Oldest first. */
	weeks: UsageWeek[]
	mostRead: MostRead[]
	tables: TableSize[]
}

/** Views and sizes by week, what is read most, and the largest tables. @throws NotAllowed for all but admins */
export async function readUsage(viewer: Viewer): Promise<Usage> {
	requireAdmin(viewer)
	const [weeks, mostRead, tables] = await Promise.all([
		listWeeks(FIGURE_WEEKS),
		listMostRead(daysBefore(mondayOf(), 7 * (MOST_READ_WEEKS - 1))),
		listTableSizes(),
	])
	return { weeks, mostRead, tables }
}

/** Views and sizes of the last weeks, oldest first. */
async function listWeeks(count: number): Promise<UsageWeek[]> {
	const monday = mondayOf()
	const before = (weeks: number) => daysBefore(monday, 7 * weeks)
	const since = before(count - 1)
	const [reads, storage] = await Promise.all([listReads(since), listStorage(since)])
	return Array.from({ length: count }, (_, place) => {
		const week = before(count - 1 - place)
		const ofWeek = <Row extends { week: string }>(rows: Row[]) => rows.filter((row) => row.week === week)
		const bytes = (part: string) => ofWeek(storage).find((row) => row.part === part)?.bytes ?? null
		return {
			week,
			reads: Object.fromEntries(ofWeek(reads).map(({ kind, reads }) => [kind, reads])),
			database: bytes('database'),
			pictures: bytes('pictures'),
		}
	})
}

const head = [
	...['week', 'new members', 'active members', 'queries', 'answered within 7 days', 'median minutes to the answer'],
	...Object.values(readKinds).map((kind) => `views: ${kind}`),
	...['bytes of the database', 'bytes of pictures'],
]

/** All stored weeks as CSV, from the first one in which something happened. @throws NotAllowed for all but admins */
export async function exportFigures(viewer: Viewer): Promise<string> {
	const [figures, usage] = await Promise.all([readAllWeeks(viewer), listWeeks(KEPT_WEEKS)])
	const rows = figures.map(({ week, joined, active, questions, answered, medianMinutes }, place) => {
		const { reads, database = null, pictures = null } = usage[place] ?? { reads: {} }
		const views = Object.keys(readKinds).map((kind) => reads[kind as ReadKind] ?? 0)
		return [week, joined, active, questions, answered, medianMinutes, ...views, database, pictures]
	})
	const first = rows.findIndex(([, ...values]) => values.some(Boolean))
	const cells = rows.slice(first).map((row) => row.map((value) => String(value ?? '')))
	return [head, ...cells].map(csvLine).join('')
}
