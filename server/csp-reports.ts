import { isRecord } from '~/lib/checks.ts'
import { log } from '~/lib/log.server.ts'
import { MemoryRateLimiter } from '~/platform/realtime/memory-rate-limiter.ts'

/** Where browsers report violations of the content security policy. */
export const REPORT_PATH = '/csp-report'
/** Maximum bytes of one delivery; browsers put a handful of reports of 1 KB each into it. */
export const MAX_REPORT_BYTES = 16 * 1024
/** Reports of one delivery that are read. */
const MAX_REPORTS = 10

/** Anybody can send reports, so a process logs at most 60 a minute. */
const allowance = new MemoryRateLimiter(60, 60_000)

/**
 * Accepts reports in both formats of browsers, and always answers 204.
 * @param body JSON: `{ "csp-report": … }` of `report-uri`, or a list of `{ type, body }` of `report-to`
 */
export function logReports(body: string): Response {
	for (const report of reportsIn(body).slice(0, MAX_REPORTS))
		if (allowance.take()) log.warn({ csp: report }, 'a page violated the content security policy')
	return new Response(null, { status: 204, headers: { 'Cache-Control': 'no-store' } })
}

interface Report {
	/** Such as `script-src-elem`. */
	directive: string
	/** What was blocked: `inline`, `eval`, or the origin of an address. */
	blocked: string
	/** Our script that tried it, or the origin of a foreign one; '' when unknown. */
	source: string
	line: number
	/** The first segment of the page's path: the rest may name members. */
	page: string
}

/** What is logged: no full address, no excerpt of the page, nothing about the reader. */
export function reportsIn(body: string): Report[] {
	let sent: unknown
	try {
		sent = JSON.parse(body)
	} catch {
		return []
	}
	const bodies = Array.isArray(sent)
		? sent.map((each) => isRecord(each) && each.body)
		: [isRecord(sent) && sent['csp-report']]
	return bodies.filter(isRecord).map((report) => ({
		directive: wordOf(report.effectiveDirective ?? report['effective-directive'] ?? report['violated-directive']),
		blocked: originOf(report.blockedURL ?? report['blocked-uri']),
		source: scriptOf(report.sourceFile ?? report['source-file']),
		line: numberOf(report.lineNumber ?? report['line-number']),
		page: sectionOf(report.documentURL ?? report['document-uri']),
	}))
}

function wordOf(text: unknown): string {
	return typeof text === 'string' ? (/^[a-z-]{1,40}/.exec(text)?.[0] ?? '') : ''
}

function numberOf(value: unknown): number {
	return typeof value === 'number' || typeof value === 'string' ? Math.trunc(Number(value)) || 0 : 0
}

function sectionOf(text: unknown): string {
	const path = typeof text === 'string' ? URL.parse(text)?.pathname : undefined
	return /^\/[^/]*/.exec(path ?? '')?.[0] ?? ''
}

function originOf(text: unknown): string {
	const url = typeof text === 'string' ? URL.parse(text) : null
	if (!url) return wordOf(text)
	return url.origin === 'null' ? url.protocol.slice(0, 40) : url.origin.slice(0, 200)
}

function scriptOf(text: unknown): string {
	const path = typeof text === 'string' ? URL.parse(text)?.pathname : undefined
	return path?.startsWith('/assets/') ? path.slice(0, 200) : originOf(text)
}
