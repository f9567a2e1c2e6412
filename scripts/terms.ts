// npm run terms -- --preview: lists words on this site that the terms of this version would spell otherwise. Nothing is changed.
import { parseArgs } from 'node:util'
import { previewStartSet } from '~/features/terms/preview.server.ts'
import { pluralize } from '~/lib/text.ts'
import { withSite } from './support/site.ts'

const usage = 'Usage: npm run terms -- --preview'

try {
	const { values } = parseArgs({ options: { preview: { type: 'boolean', default: false } } })
	if (!values.preview) throw new Error(usage)
	const places = await withSite(previewStartSet, { migrates: false })
	for (const { nouns, renames } of places) {
		const uses = renames.reduce((sum, rename) => sum + rename.uses, 0)
		process.stdout.write(`\n${pluralize(uses, ...nouns)} would be written otherwise.\n`)
		for (const { word, name, uses } of renames) process.stdout.write(`  ${word} → ${name}  (${uses})\n`)
	}
	if (places.length === 0) process.stdout.write('There is no site here yet.\n')
	else process.stdout.write('\nWords that are no terms stay as they are. The next start of the site does this.\n')
} catch (error) {
	process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`)
	process.exitCode = 1
}
