import type { Wrote } from './crowd-process.ts'
import type { Reading } from './probe.ts'
import type { BenchSite } from './site.ts'

/** What a stretch of time cost, in shares of one processor. */
export interface Load {
	server: number
	database: number
	reading: Reading
}

/** Watches what the site uses while something is done. */
export async function watch<Value>(site: BenchSite, work: () => Promise<Value>): Promise<Load & { value: Value }> {
	await site.read()
	const began = performance.now()
	const before = site.databaseSeconds()
	const value = await work()
	const reading = await site.read()
	const seconds = (performance.now() - began) / 1_000
	const database = (site.databaseSeconds() - before) / seconds
	return { value, reading, server: reading.processor / seconds, database }
}

/** The value below which this share of all lies, with one decimal. */
export function at(times: Float64Array, share: number): string {
	return ms(quantile(times, share))
}

/** As {@link at}, as a number. */
export function quantile(times: Float64Array, share: number): number {
	const sorted = times.toSorted()
	return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0
}

export function ms(value: number): string {
	return value.toFixed(1)
}

export function percent(share: number): string {
	return `${Math.round(share * 100)} %`
}

export function megabytes(bytes: number): number {
	return Math.round(bytes / 2 ** 20)
}

export function kilobytes(bytes: number): string {
	return (bytes / 1_024).toFixed(1)
}

export function grouped(count: number): string {
	return Math.round(count).toLocaleString('en')
}

/** Whether every message that was sent has arrived. */
export function isWhole({ sent, delivered, failed, missing }: Wrote): boolean {
	return failed === 0 && missing === 0 && delivered.length === sent
}
