import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { basename, dirname, join, normalize } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { postingLimits } from '~/features/moderation/moderation.limits.ts'
import { MAX_CONNECTIONS } from '~/platform/db/db.server.ts'

/* References in documents and comments exist, figures are those of the code, and decisions have one format. */

const root = fileURLToPath(new URL('..', import.meta.url))
const folders = ['app', 'server', 'scripts', 'bench', 'tests', 'migrations', 'docs', '.github']
const files = [
	...readdirSync(root).filter((name) => name.endsWith('.md') || name === '.env.example'),
	...folders.flatMap((folder) =>
		readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' }).map((name) => join(folder, name)),
	),
].filter((path) => /\.(md|ts|tsx|js|mjs|css|sql|yml|example)$/.test(path))
const texts = files.map((path) => ({ path, text: readFileSync(join(root, path), 'utf8') }))
const documents = texts.filter(({ path }) => path.endsWith('.md'))

/** All matches of a pattern's first group that are wrong, as "file: match". */
function mentions(from: typeof texts, pattern: RegExp, isWrong: (match: string, path: string) => boolean): string[] {
	return from.flatMap(({ path, text }) =>
		[...text.matchAll(pattern)]
			.map((match) => match[1] ?? '')
			.filter((match) => isWrong(match, path))
			.map((match) => `${path}: ${match}`),
	)
}

/** GitHub's anchors of headings: lower case, without punctuation, blanks as hyphens. */
function anchorsOf(path: string): string[] {
	const headings = [...readFileSync(path, 'utf8').matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) => heading)
	return headings.map((heading) =>
		heading
			.toLowerCase()
			.replace(/[^\p{L}\p{N}\s_-]/gu, '')
			.replace(/\s/g, '-'),
	)
}

describe('references', () => {
	test('links in documents lead to existing files and headings', () => {
		const broken = mentions(documents, /\]\((?!https?:|mailto:)([^)\s]+)\)/g, (link, path) => {
			const [file = '', anchor] = link.split('#')
			const target = file ? join(root, dirname(path), file) : join(root, path)
			return !existsSync(target) || (anchor !== undefined && !anchorsOf(target).includes(anchor))
		})
		expect(broken).toEqual([])
	})

	test('documents named in comments and texts are in the repository', () => {
		const named = /(?<![\w./-])((?:[\w.-]+\/)*[\w-]+\.md)\b/g
		const missing = mentions(texts, named, (name, path) => {
			const places = [name, join('docs', name), join(dirname(path), name), normalize(join(dirname(path), '..', name))]
			return !places.some((place) => existsSync(join(root, place)))
		})
		expect(missing).toEqual([])
	})

	test('files named in documents by their whole path exist', () => {
		const named = /`((?:app|server|scripts|bench|tests|migrations|docs|demo)\/[\w./-]+)`/g
		expect(mentions(documents, named, (name) => !existsSync(join(root, name)))).toEqual([])
	})

	test('files named in the map of the code by the end of their path exist', () => {
		const map = documents.filter(({ path }) => path === 'docs/architecture.md')
		const named = /`((?:[a-z][\w-]*\/)*[a-z][\w-]*(?:\.[a-z]+)*\.tsx?)`/g
		expect(mentions(map, named, (name) => !files.some((file) => `/${file}`.endsWith(`/${name}`)))).toEqual([])
	})

	test('decisions named by number exist', () => {
		const numbers = new Set(readdirSync(join(root, 'docs/decisions')).map((name) => Number(name.slice(0, 4))))
		const named = /\bdecisions? (?:record )?0*(\d+)\b/gi
		expect(mentions(texts, named, (number) => !numbers.has(Number(number)))).toEqual([])
	})
})

describe('figures', () => {
	const plain = (path: string) => readFileSync(join(root, path), 'utf8').replace(/\s+/g, ' ')
	const grouped = (count: number | undefined) => count?.toLocaleString('en')

	test('the how-to for moderators has the posting limits', () => {
		const [day, month, later] = postingLimits.map((limit) => [grouped(limit.questions), grouped(limit.comments)])
		expect(plain('docs/how-to/moderate.md')).toContain(
			`at most ${day?.join(' queries and ')} comments an hour on its first day, ${month?.join(' and ')} in its first month, ${later?.join(' and ')} after that`,
		)
	})

	test('the security policy supports the version of the package', () => {
		const { version } = JSON.parse(plain('package.json')) as { version: string }
		expect(plain('SECURITY.md')).toContain(`| ${version.replace(/\.\d+$/, '')} | yes |`)
	})

	test('the how-to for many machines has the connections that the doctor asks for', () => {
		const text = plain('docs/how-to/run-on-many-machines.md')
		expect(text).toContain(`at most ${MAX_CONNECTIONS} connections of PostgreSQL`)
		expect(text).toContain(`a little more than ${MAX_CONNECTIONS} × \`WEB_CONCURRENCY\``)
	})
})

describe('decisions', () => {
	const decisions = documents.filter(({ path }) => /^docs\/decisions\/\d/.test(path))
	const link = String.raw`\[\d+\]\(\d{4}-[\w-]+\.md\)`
	const links = `${link}(?:, ${link})*`
	const head = new RegExp(
		`^# (\\d+)\\. \\S.*\\n\\nStatus: (?:accepted|superseded by ${links})(?:; (?:supersedes|amends|amended by) ${links})*\\nDate: 20\\d\\d-\\d\\d-\\d\\d\\b.*\\n\\n## Context\\n`,
	)

	test.each(decisions.map(({ path, text }) => [basename(path), text]))(
		'%s has a number, a status, a date and its sections in order',
		(name = '', text = '') => {
			expect(text).toMatch(head)
			expect(Number(head.exec(text)?.[1])).toBe(Number(name.slice(0, 4)))
			const sections = [...text.matchAll(/^## (.+)$/gm)].map(([, section]) => section)
			expect(sections.filter((section) => section !== 'Alternatives')).toEqual(['Context', 'Decision', 'Consequences'])
		},
	)

	test('numbers are unique', () => {
		const numbers = decisions.map(({ path }) => basename(path).slice(0, 4))
		expect(new Set(numbers).size).toBe(numbers.length)
	})

	test('are linked once from the index, with their titles', () => {
		const index = texts.find(({ path }) => path === 'docs/decisions/README.md')?.text ?? ''
		const lines = [...index.matchAll(/^- \[(\d+)\]\((\d{4}-[\w-]+\.md)\) (.+?)(?: \(superseded by .+\))?$/gm)]
		const listed = lines.map(([, number, name, title]) => [name, `# ${number}. ${title}`])
		const own = decisions.map(({ path, text }) => [basename(path), text.split('\n')[0]])
		expect(listed.toSorted()).toEqual(own.toSorted())
	})

	test('that change or replace each other name each other', () => {
		const pairs = [
			['amends', 'amended by'],
			['supersedes', 'superseded by'],
		] as const
		const named = (text: string, relation: string) => {
			const part = new RegExp(`^Status: .*\\b${relation} ([^;\\n]+)`, 'm').exec(text)?.[1] ?? ''
			return [...part.matchAll(/\((\d{4}-[\w-]+\.md)\)/g)].map(([, name = '']) => name)
		}
		for (const [later, earlier] of pairs) {
			const forth = decisions.flatMap(({ path, text }) => named(text, later).map((name) => `${basename(path)} ${name}`))
			const back = decisions.flatMap(({ path, text }) =>
				named(text, earlier).map((name) => `${name} ${basename(path)}`),
			)
			expect(forth.toSorted()).toEqual(back.toSorted())
		}
	})
})
