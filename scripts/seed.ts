// npm run seed -- --members N [--questions M] [--yes]: an invented community of any size, the same one each time.
import { parseArgs } from 'node:util'
import { seedDomain } from '~/features/demo/people/people.ts'
import { seedMembers, siteHasAccounts } from '~/features/demo/people/seed.server.ts'
import { seedQuestions } from '~/features/demo/seed.server.ts'
import { progressLine } from './support/progress.ts'
import { withSite } from './support/site.ts'

const usage = 'Usage: npm run seed -- --members N [--questions M] [--yes]'
const MAX_MEMBERS = 20_000_000

try {
	const { values } = parseArgs({
		options: { members: { type: 'string' }, questions: { type: 'string' }, yes: { type: 'boolean', default: false } },
	})
	const members = numberOf(values.members)
	const questions = numberOf(values.questions)
	if (members + questions === 0) throw new Error(usage)
	const stopping = new AbortController()
	for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => stopping.abort())
	await withSite(async () => {
		if (!values.yes && (await siteHasAccounts()))
			throw new Error(
				'People can log in to this site. Invented members would be mixed with them and cannot be removed. Add --yes to do it anyway, or set DATA_DIR to another directory.',
			)
		const began = Date.now()
		const written = await seedMembers(members, { onProgress: progressLine('Members'), signal: stopping.signal })
		const rows =
			written.rows +
			(await seedQuestions(questions, {
				authors: seedDomain,
				onProgress: progressLine('Questions'),
				signal: stopping.signal,
			}))
		const seconds = (Date.now() - began) / 1_000
		const state = stopping.signal.aborted ? 'Stopped; run it again to continue. ' : ''
		process.stdout.write(
			`\n${state}${written.members} members joined; ${rows} rows in ${seconds.toFixed(1)} s, ${Math.round(rows / seconds)} a second.\n`,
		)
	})
	process.exitCode = stopping.signal.aborted ? 1 : 0
} catch (error) {
	process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`)
	process.exitCode = 1
}

function numberOf(text = '0'): number {
	const number = Number(text)
	if (!Number.isInteger(number) || number < 0 || number > MAX_MEMBERS) throw new Error(usage)
	return number
}
