import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { constants, zstdCompressSync, zstdDecompressSync } from 'node:zlib'
import type { UpgradeData } from './life.ts'
import type { Reading } from './readings.ts'
import { wordsOf } from './readings.ts'

/** A site before an upgrade. */
export interface Fixture {
	/** Its commit. */
	commit: string
	/** When its database was dumped; ISO 8601. */
	dumpedAt: string
	people: UpgradeData['people']
	/** What readers saw. */
	readings: Reading[]
	/** Pictures: path below `media` → Base64. */
	files: Record<string, string>
	/** The database as SQL. */
	dump: string
}

const folder = fileURLToPath(new URL('../../data', import.meta.url))
const COMPRESSION = { params: { [constants.ZSTD_c_compressionLevel]: 19, [constants.ZSTD_c_windowLog]: 27 } }
const MAX_WINDOW = { params: { [constants.ZSTD_d_windowLogMax]: 27 } }

/** Stores a fixture in two files of tests/data, named after its commit. */
export function storeFixture({ dump, ...site }: Fixture): void {
	mkdirSync(folder, { recursive: true })
	writeFileSync(join(folder, `upgrade-${site.commit}.sql.zst`), zstdCompressSync(dump, COMPRESSION))
	writeFileSync(join(folder, `upgrade-${site.commit}.json.zst`), zstdCompressSync(JSON.stringify(site), COMPRESSION))
}

/** The commits with a fixture. */
export function listFixtures(): string[] {
	return readdirSync(folder).flatMap((name) => /^upgrade-(\w+)\.sql\.zst$/.exec(name)?.[1] ?? [])
}

export function loadFixture(commit: string): Fixture {
	const text = (ending: string) =>
		zstdDecompressSync(readFileSync(join(folder, `upgrade-${commit}.${ending}.zst`)), MAX_WINDOW).toString()
	return { ...(JSON.parse(text('json')) as Omit<Fixture, 'dump'>), dump: text('sql') }
}

/** Copies the pictures of a fixture into a data directory. */
export function unpackFiles(dataDir: string, files: Fixture['files']): void {
	for (const [path, data] of Object.entries(files)) {
		const file = join(dataDir, 'media', path)
		mkdirSync(dirname(file), { recursive: true })
		writeFileSync(file, Buffer.from(data, 'base64'))
	}
}

/** All texts in a dump by `pg_dump --inserts`, line by line as pages show them, without HTML tags. */
export function vocabularyOf(dump: string): Set<string> {
	const words = new Set<string>()
	const add = (text: string) => {
		for (const line of wordsOf(text)) if (/\p{L}/u.test(line)) words.add(line)
	}
	for (const [, quoted = ''] of dump.matchAll(/'((?:[^']|'')*)'/g)) {
		const text = quoted.replaceAll("''", "'")
		add(text)
		if (text.includes('<')) for (const piece of text.split(/<[^>]*>/)) add(piece)
		if (/^\{.*\}$/.test(text)) for (const item of text.slice(1, -1).split(',')) add(item.replaceAll('"', ''))
	}
	return words
}
