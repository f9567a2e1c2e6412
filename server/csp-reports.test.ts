import { expect, test } from 'vitest'
import { reportsIn } from './csp-reports.ts'

/** A value that is neither a string nor a number, and cannot be converted to one. */
const nonsense = { toString: 1, valueOf: 1 }

test.each([
	['documentURL', { page: '' }],
	['lineNumber', { line: 0 }],
	['blockedURL', { blocked: '' }],
	['sourceFile', { source: '' }],
	['effectiveDirective', { directive: '' }],
])('a report with a malformed %s is read without it', (field, read) => {
	const body = { documentURL: 'https://quad.example/forum/x', effectiveDirective: 'script-src', lineNumber: 7 }
	const sent = JSON.stringify([{ body: { ...body, [field]: nonsense } }])
	expect(reportsIn(sent)).toEqual([expect.objectContaining(read)])
})
