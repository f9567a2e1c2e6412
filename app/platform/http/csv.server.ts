/* Lists as CSV (RFC 4180), as spreadsheets read it. */

/** The beginning of a file: the byte order mark makes spreadsheets read UTF-8. */
const BYTE_ORDER_MARK = '\uFEFF'

/** A line of CSV. A cell that a spreadsheet would take for a formula is prefixed with an apostrophe, as members choose their names. */
export function csvLine(cells: readonly string[]): string {
	const safe = cells.map((cell) => (/^[=+\-@\t\r\n]/.test(cell) ? `'${cell}` : cell))
	return `${safe.map((cell) => `"${cell.replaceAll('"', '""')}"`).join(',')}\r\n`
}

/**
 * Sends a file of CSV.
 * @param name the name of the file
 * @param lines the file, from {@link csvLine}, or its parts while they are read; no more are read once the reader has gone
 */
export function csvResponse(name: string, lines: string | AsyncGenerator<string>): Response {
	return new Response(typeof lines === 'string' ? BYTE_ORDER_MARK + lines : streamOf(lines), {
		headers: {
			'Content-Type': 'text/csv; charset=utf-8',
			'Content-Disposition': `attachment; filename="${name}"`,
			'Cache-Control': 'private, no-store',
		},
	})
}

function streamOf(lines: AsyncGenerator<string>): ReadableStream<Uint8Array> {
	const encoder = new TextEncoder()
	return new ReadableStream<Uint8Array>({
		start: (controller) => controller.enqueue(encoder.encode(BYTE_ORDER_MARK)),
		async pull(controller) {
			const { value, done } = await lines.next()
			if (done) controller.close()
			else controller.enqueue(encoder.encode(value))
		},
		cancel: () => void lines.return(undefined),
	})
}
