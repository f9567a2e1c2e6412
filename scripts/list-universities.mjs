/**
 * Makes the list of universities and of the mail domains that do not prove membership: `npm run` does not need it, the results are in
 * app/features/campus/data. Run it manually when the sources have changed, with the paths of
 *   1. universities as lines of JSON {name, country, domains} (github.com/Hipo/university-domains-list, MIT)
 *   2. academic domains at which anyone can get an address (the `abused` list of JetBrains/swot, Apache-2.0)
 *   3. throw-away mail domains (github.com/disposable-email-domains/disposable-email-domains, CC0)
 *   4. academic endings that many institutions share (the `tlds` list of JetBrains/swot, Apache-2.0)
 * node scripts/list-universities.mjs universities.jsonl abused.txt disposable.txt tlds.txt
 */
import { readFileSync, writeFileSync } from 'node:fs'

const [universities, ...lists] = process.argv.slice(2).map((path) => readFileSync(path, 'utf8').trim().split('\n'))
const [abused, disposable, endings] = lists.map((lines) => new Set(lines.map((line) => line.trim())))
if (!universities || !abused || !disposable || !endings) throw new Error('Name the four files: see above.')

/** `edu.in`, `mil.lv`: shared by everybody in a country, or of a ministry. */
const shared = /^(ac|co|com|edu|go|gob|gov|mil|net|org|sch)\.[a-z]{2}$/

/** A domain and its parent domains. */
const chain = (domain) => domain.split('.').map((_, at, labels) => labels.slice(at).join('.'))

const isOwn = (domain) =>
	/^[a-z0-9-]+(\.[a-z0-9-]+)+$/.test(domain) && !shared.test(domain) && !endings.has(domain) && !disposable.has(domain)

const known = new Set()
const lines = new Map()
for (const text of universities) {
	const { name, country, domains } = JSON.parse(text)
	const own = domains.map((domain) => domain.toLowerCase()).filter(isOwn)
	for (const domain of own) known.add(domain)
	const key = `${name.trim().replace(/\s+/g, ' ')}\t${country}`
	lines.set(key, [...new Set([...(lines.get(key) ?? []), ...own])])
}

/** Excluded domains that contain, or are within, a university's domain; others are excluded anyway, as they are no university's. */
const containers = new Set([...known].flatMap(chain))
const refused = [...abused, ...disposable].filter(
	(domain) => containers.has(domain) || chain(domain).some((part) => known.has(part)),
)

const collator = new Intl.Collator('en')
const sorted = [...lines]
	.map(([key, domains]) => `${key}\t${domains.join(' ')}`)
	.sort((a, b) => collator.compare(a, b) || (a < b ? -1 : 1))
write('universities.tsv', sorted)
write('refused-mail-domains.txt', [...new Set(refused)].sort())

function write(name, rows) {
	writeFileSync(`app/features/campus/data/${name}`, `${rows.join('\n')}\n`)
	process.stdout.write(`${name}: ${rows.length} lines\n`)
}
