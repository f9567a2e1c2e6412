import type { WriteResult } from './crowd-process.ts'
import type { BenchSite, SiteReading } from './site.ts'

/** Processor load during a measurement, as shares of one processor. */
export interface Load {
	server: number
	database: number
	reading: SiteReading
}

/** Measures the site's load during some work. */
export async function measureLoad<Value>(
	site: BenchSite,
	work: () => Promise<Value>,
): Promise<Load & { value: Value }> {
	await site.read()
	const began = performance.now()
	const before = site.databaseSeconds()
	const value = await work()
	const reading = await site.read()
	const seconds = (performance.now() - began) / 1_000
	const database = (site.databaseSeconds() - before) / seconds
	return { value, reading, server: reading.processor / seconds, database }
}

/** A quantile, with one decimal. */
export function formatQuantile(times: Float64Array, share: number): string {
	return ms(quantile(times, share))
}

/** Like {@link formatQuantile}, as a number. */
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

/** Whether all sent messages have arrived. */
export function haveAllArrived({ sent, delivered, failed, missing }: WriteResult): boolean {
	return failed === 0 && missing === 0 && delivered.length === sent
}
