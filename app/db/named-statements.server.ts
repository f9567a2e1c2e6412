import { createHash } from 'node:crypto'
import pg from 'pg'

/** Longer texts are bulk inserts, whose length varies with their rows: a name for each would only fill memory. */
const longestNamed = 8_000
/** A connection keeps the plans of this many statements; what comes later is planned each time. */
const mostNamed = 400

const names = new Map<string, string>()

/**
 * A connection on which PostgreSQL parses and plans each of our statements once, by naming it after its text. Statements that
 * are begun in the same moment are one call of the operating system.
 */
export class NamedStatements extends pg.Client {
	private gathering = false

	// biome-ignore lint/suspicious/noExplicitAny: pg's query has seven signatures; this one passes every argument on.
	override query(...args: any[]): any {
		const [text, values] = args
		this.gather()
		if (typeof text === 'string' && Array.isArray(values)) {
			const name = nameOf(text)
			if (name) return super.query({ name, text, values }, ...args.slice(2))
		}
		return super.query(...(args as Parameters<pg.Client['query']>))
	}

	private gather(): void {
		if (this.gathering) return
		this.gathering = true
		const { stream } = this.connection
		stream.cork()
		process.nextTick(() => {
			this.gathering = false
			stream.uncork()
		})
	}
}

function nameOf(text: string): string | undefined {
	const known = names.get(text)
	if (known || text.length > longestNamed || names.size >= mostNamed) return known
	const name = createHash('sha256').update(text).digest('base64url')
	names.set(text, name)
	return name
}
