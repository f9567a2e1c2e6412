import { isRecord } from '~/lib/checks.ts'
import { log } from '~/lib/log.server.ts'
import { Allowance } from '~/platform/realtime/allowance.ts'

/** Where browsers send what a page tried and its policy forbids. */
export const REPORT_PATH = '/csp-report'
/** Bytes of one delivery; a browser puts a handful of reports of 1 KB each into it. */
export const MAX_REPORT_BYTES = 16 * 1024
/** Reports of one delivery that are looked at. */
const MAX_REPORTS = 10

/** Anybody can send reports: a process writes at most 60 a minute to its log. */
const allowance = new Allowance(60, 60_000)

/**
 * Takes in reports in either of the two forms that browsers send, and answers 204 whatever they say.
 * @param body JSON: `{ "csp-report": … }` of `report-uri`, or a list of `{ type, body }` of `report-to`
 */
export function takeReports(body: string): Response {
	for (const report of reportsIn(body).slice(0, MAX_REPORTS))
		if (allowance.take()) log.warn({ csp: report }, 'a page tried what its policy forbids')
	return new Response(null, { status: 204, headers: { 'Cache-Control': 'no-store' } })
}

interface Report {
	/** Such as `script-src-elem`. */
	directive: string
	/** What was refused: `inline`, `eval`, or the origin of an address. */
	blocked: string
	/** The script of ours that tried it, or the origin of another one; '' when unknown. */
	source: string
	line: number
	/** The first part of the page's address: the rest names members. */
	page: string
}

/** What is logged: no whole address, no sample of a page and nothing of who reads. */
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
		line: Math.trunc(Number(report.lineNumber ?? report['line-number'])) || 0,
		page: /^\/[^/]*/.exec(URL.parse(String(report.documentURL ?? report['document-uri']))?.pathname ?? '')?.[0] ?? '',
	}))
}

function wordOf(text: unknown): string {
	return typeof text === 'string' ? (/^[a-z-]{1,40}/.exec(text)?.[0] ?? '') : ''
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
