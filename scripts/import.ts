// npm run import -- FILE.jsonl[.gz] … [--category slug]
import { resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { type ImportSummary, importQuestions } from '~/features/import/import.server.ts'
import { pluralize } from '~/lib/text.ts'
import { progressLine } from './support/progress.ts'
import { withSite } from './support/site.ts'

const usage = 'Usage: npm run import -- FILE.jsonl[.gz] … [--category slug]'

try {
	const { values, positionals } = parseArgs({ allowPositionals: true, options: { category: { type: 'string' } } })
	if (positionals.length === 0) throw new Error(usage)
	const stopping = new AbortController()
	for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => stopping.abort())
	const began = Date.now()
	const total: ImportSummary = { imported: 0, comments: 0, known: 0, bad: 0 }
	await withSite(async () => {
		for (const name of positionals) {
			if (stopping.signal.aborted) break
			// npm changes into the project's folder; relative paths are meant from where the command was typed.
			const file = resolve(process.env.INIT_CWD ?? '.', name)
			const summary = await importQuestions(file, {
				category: values.category,
				signal: stopping.signal,
				onBadLine: (line, reason) => process.stderr.write(`\n${name}, line ${line}: ${reason}\n`),
				onProgress: progressLine(`Importing ${name}`),
			})
			for (const key of ['imported', 'comments', 'known', 'bad'] as const) total[key] += summary[key]
		}
	})
	const seconds = ((Date.now() - began) / 1_000).toFixed(1)
	const state = stopping.signal.aborted ? 'Stopped; run it again to continue. ' : ''
	process.stdout.write(
		`\n${state}Imported ${pluralize(total.imported, 'question')} with ${pluralize(total.comments, 'comment')} in ${seconds} s. ` +
			`${total.known} had already been imported, ${pluralize(total.bad, 'line')} could not be read.\n`,
	)
	process.exitCode = stopping.signal.aborted || total.bad > 0 ? 1 : 0
} catch (error) {
	process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`)
	process.exitCode = 1
}
