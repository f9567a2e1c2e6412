/*
 * npm run bench:peers -- nodebb --url URL --username NAME --password WORD [--processes PID,PID…] [--questions FILE]: compares this site
 * with a NodeBB that you run, with the same load generator in one run. Each response is checked before it is timed. Responses per processor
 * second are comparable on a busy machine too. They need a NodeBB on this machine: pass its processes and those of its database. For a fair
 * comparison, give both the same content, and pin neither to a processor: this script does not.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { processorTime } from './page-cost.ts'
import { fillDevquad, startDevquad } from './peers/devquad.ts'
import { KINDS, type Kind, type Peer, type Rate, rateOf } from './peers/measure.ts'
import { openNodebb } from './peers/nodebb.ts'

const usage =
	'Usage: npm run bench:peers -- nodebb --url URL --username NAME --password WORD [--processes PID,PID] [--questions FILE]'
const { values: given, positionals } = parseArgs({
	allowPositionals: true,
	options: {
		url: { type: 'string' },
		username: { type: 'string' },
		password: { type: 'string' },
		processes: { type: 'string' },
		questions: { type: 'string' },
	},
})
const { url, username, password } = given
if (positionals[0] !== 'nodebb' || !url || !username || !password) {
	process.stderr.write(`${usage}\n`)
	process.exit(1)
}
const processes = given.processes?.split(',').map(Number) ?? []
const dataDir = mkdtempSync(join(tmpdir(), 'devquad-peers-'))
try {
	const nodebb = await openNodebb({ url: url.replace(/\/$/, ''), username, password, processorTime: timeOfPeer })
	const file = given.questions && resolve(process.env.INIT_CWD ?? '.', given.questions)
	await fillDevquad(dataDir, file)
	const devquad = await startDevquad(dataDir)
	try {
		process.stdout.write(await compare(devquad, nodebb))
	} finally {
		await devquad.stop()
	}
} finally {
	rmSync(dataDir, { recursive: true, force: true })
}

function timeOfPeer(): number | null {
	const times = processes.map((pid) => processorTime(pid))
	return times.length > 0 && times.every((time) => time > 0) ? times.reduce((sum, time) => sum + time, 0) : null
}

async function compare(ours: Peer, theirs: Peer): Promise<string> {
	const rows: string[] = []
	const refusals: string[] = []
	for (const kind of KINDS) {
		// One after the other within the same minute, so that other load on the machine affects both.
		const [own, other] = [await measured(ours, kind, refusals), await measured(theirs, kind, refusals)]
		rows.push(`| ${kind} | ${cell(own)} | ${cell(other)} | ${ratio(own, other)} |`)
		process.stdout.write(`${rows.at(-1)}\n`)
	}
	return `
Answers for a second of processor (and answers a second). ${ours.name}: ${ours.content}. ${theirs.name}: ${theirs.content}.

| page | ${ours.name} | ${theirs.name} | ratio |
|---|---|---|---|
${rows.join('\n')}
${refusals.map((refusal) => `\n- ${refusal}`).join('')}
`
}

/** Null if the forum has no such page or refuses it, which is recorded. */
async function measured(peer: Peer, kind: Kind, refusals: string[]): Promise<Rate | null> {
	const page = peer.pages[kind]
	if (!page) return null
	try {
		return await rateOf(peer, page)
	} catch (error) {
		refusals.push(`${kind}: ${(error as Error).message}`)
		return null
	}
}

function cell(rate: Rate | null): string {
	if (!rate) return '–'
	const { perSecond, perProcessorSecond } = rate
	const each = `${Math.round(perSecond)} a second`
	return perProcessorSecond === null ? each : `${Math.round(perProcessorSecond)} (${each})`
}

/** By processor time if known for both, else by elapsed time. */
function ratio(own: Rate | null, other: Rate | null): string {
	if (!own || !other) return '–'
	const both = own.perProcessorSecond !== null && other.perProcessorSecond !== null
	const share = both ? (own.perProcessorSecond ?? 0) / (other.perProcessorSecond ?? 1) : own.perSecond / other.perSecond
	return share.toFixed(2)
}
