import { isUtf8 } from 'node:buffer'
import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import type { Readable } from 'node:stream'
import { createGunzip } from 'node:zlib'
import { tagRefusal, tagsReservedFrom } from '~/features/tags/tag-rules.server.ts'
import { findCategory, lockCategoriesShared } from '~/features/tags/tags.queries.server.ts'
import { resolveTags } from '~/features/tags/tags.server.ts'
import { lockTermsShared } from '~/features/terms/terms.queries.server.ts'
import { ALL_PAGES, invalidatePages } from '~/platform/cache/pages.server.ts'
import { db, type Executor } from '~/platform/db/db.server.ts'
import { rereadSettings } from '~/platform/settings/settings.server.ts'
import {
	findImported,
	type ImportCategory,
	type ImportedAuthorRow,
	importKey,
	listCategoryTags,
	refreshStatistics,
	saveImportedAuthors,
} from './import.queries.server.ts'
import { type CommentLine, firstIssue, type QuestionLine, questionLine } from './import.schema.ts'
import { type QuestionDraft, type ThreadDraft, writeQuestions } from './write.server.ts'

export interface ImportSummary {
	imported: number
	comments: number
	/** Questions that exist already, or are duplicates in the file. */
	known: number
	/** Lines that could not be parsed. */
	bad: number
}

interface Options {
	/** Slug of the category for questions whose tags select none; `others` by default. */
	category?: string
	/** Called for each invalid line with its number, from 1. */
	onBadLine: (line: number, reason: string) => void
	/** Called after each batch with the bytes read and the size of the file. */
	onProgress: (bytes: number, total: number) => void
	/** Stops after the current batch. */
	signal?: AbortSignal
}

/** Questions per transaction: what an interruption can lose, and what is in memory at once. */
const BATCH_SIZE = 100
/** Longer lines are reported and skipped. */
const MAX_LINE_BYTES = 8_000_000
const LINE_FEED = 0x0a
const BOM = Buffer.from('\uFEFF')

/**
 * Imports a file of questions, one JSON object per line, plain or gzipped. It is streamed, so memory use is constant. Idempotent: a
 * question is identified by its source and id.
 * @throws Error with one sentence if the file cannot be read
 */
export async function importQuestions(file: string, options: Options): Promise<ImportSummary> {
	const summary: ImportSummary = { imported: 0, comments: 0, known: 0, bad: 0 }
	// Reserved tags are a setting, which this process has not loaded yet.
	await rereadSettings()
	const slug = options.category ?? 'others'
	const context = await readContext(db(), slug)
	let batch: QuestionLine[] = []
	const flush = async () => {
		const lines = batch
		batch = []
		if (lines.length > 0) await writeBatch(lines, slug, summary)
	}
	try {
		for await (const { number, line, bytes, total } of readLines(file)) {
			const parsed = parseLine(line)
			if (parsed === null) continue
			const read = typeof parsed === 'string' ? parsed : ((await tagsRefused(parsed, context)) ?? parsed)
			if (typeof read === 'string') {
				summary.bad += 1
				options.onBadLine(number, read)
			} else batch.push(read)
			if (batch.length < BATCH_SIZE) continue
			await flush()
			options.onProgress(bytes, total)
			if (options.signal?.aborted) return summary
		}
	} finally {
		// Also what was read of a file that breaks off.
		await flush()
		// The server is another process, and has its own cached pages.
		if (summary.imported > 0) await invalidatePages([ALL_PAGES])
	}
	if (summary.imported > 0) await refreshStatistics()
	options.onProgress(1, 1)
	return summary
}

interface Line {
	number: number
	/** Without its line feed, and without a byte order mark. */
	line: Buffer
	/** Bytes read so far, and the size of the file. */
	bytes: number
	total: number
}

async function* readLines(file: string): AsyncGenerator<Line> {
	const facts = await stat(file).catch(() => null)
	if (!facts) throw new Error(`There is no file ${file}.`)
	if (!facts.isFile()) throw new Error(`${file} is not a file.`)
	const raw = createReadStream(file)
	const source: Readable = file.endsWith('.gz') ? raw.pipe(createGunzip()) : raw
	raw.on('error', (error) => source.destroy(error))
	let number = 0
	try {
		for await (const whole of splitLines(source)) {
			number += 1
			const line = number === 1 && whole.subarray(0, BOM.length).equals(BOM) ? whole.subarray(BOM.length) : whole
			if (line.length > 0) yield { number, line, bytes: raw.bytesRead, total: facts.size }
		}
	} catch (error) {
		const reason = error instanceof Error ? error.message : String(error)
		throw new Error(
			`${file} could not be read to its end (${reason}). What came before line ${number + 1} was kept; a repaired file can be imported again.`,
		)
	}
}

/** Splits at line feeds only: JSON may contain U+2028, at which node:readline splits too. */
async function* splitLines(source: Readable): AsyncGenerator<Buffer> {
	let pieces: Buffer[] = []
	let size = 0
	for await (const chunk of source as AsyncIterable<Buffer>) {
		let from = 0
		for (let end = chunk.indexOf(LINE_FEED); end !== -1; end = chunk.indexOf(LINE_FEED, from)) {
			yield Buffer.concat([...pieces, chunk.subarray(from, end)])
			pieces = []
			size = 0
			from = end + 1
		}
		// Bounds the memory that an endless line takes; its beginning is enough to report it.
		if (size <= MAX_LINE_BYTES) pieces.push(chunk.subarray(from))
		size += chunk.length - from
	}
	if (size > 0) yield Buffer.concat(pieces)
}

/** @returns why the line cannot be imported; null for a blank one */
function parseLine(line: Buffer): QuestionLine | string | null {
	if (line.length > MAX_LINE_BYTES) return 'is longer than 8 MB'
	// If it were decoded all the same, each letter with an accent would be stored as U+FFFD, and stay so when the file is imported
	// again.
	if (!isUtf8(line)) return 'is not in UTF-8'
	const text = line.toString()
	if (!text.trim()) return null
	let value: unknown
	try {
		value = JSON.parse(text)
	} catch {
		return 'is no JSON'
	}
	const parsed = questionLine.safeParse(value)
	if (!parsed.success) return firstIssue(parsed.error)
	return parsed.data.created || parsed.data.created_between ? parsed.data : 'created: is missing'
}

interface Context {
	categories: ImportCategory[]
	fallback: number
}

/** @param slug of the category for questions whose tags select none, or a former one @throws Error when there is none */
async function readContext(executor: Executor, slug: string): Promise<Context> {
	const [categories, fallback] = [await listCategoryTags(executor), await findCategory(slug, executor)]
	if (!fallback)
		throw new Error(`There is no category "${slug}". There are: ${categories.map((each) => each.slug).join(', ')}.`)
	return { categories, fallback: fallback.id }
}

/** The category selected by a question's tags, or else the fallback. */
function placeOf(line: QuestionLine, { categories, fallback }: Context): ImportCategory | undefined {
	return (
		categories.find(({ tags }) => line.tags.some((tag) => tags.includes(tag))) ??
		categories.find(({ id }) => id === fallback)
	)
}

/** Why the tags are not allowed, by the rules for members; null if they are. */
async function tagsRefused(line: QuestionLine, context: Context): Promise<string | null> {
	const category = placeOf(line, context)
	if (!category) return null
	const meaning = async (tags: readonly string[]) =>
		tags.length === 0 ? [] : ((await resolveTags(db(), [[...tags]]))[0] ?? [])
	// Skips a statement per line if no tag is required or reserved.
	const tags = category.required_tags.length > 0 || tagsReservedFrom(null).length > 0 ? await meaning(line.tags) : []
	const refusal = tags.length === 0 ? null : await tagRefusal({ tags, category, before: null, had: [] }, false, meaning)
	return refusal && `tags: ${refusal}`
}

async function writeBatch(batch: QuestionLine[], slug: string, summary: ImportSummary): Promise<void> {
	const unique = [
		...new Map(batch.map((line) => [importKey({ source: line.source, sourceId: line.id }), line])).values(),
	]
	const written = await db()
		.transaction()
		.execute(async (trx) => {
			const fresh = await withoutKnown(trx, unique)
			if (fresh.length === 0) return { questions: 0, comments: 0 }
			// A category may have been merged since the batch before.
			await lockTermsShared(trx)
			await lockCategoriesShared(trx)
			const context = await readContext(trx, slug)
			const authors = await saveImportedAuthors(trx, [...authorsOf(fresh).values()])
			return writeQuestions(
				trx,
				fresh.map((line) => draftOf(line, context, authors)),
			)
		})
	summary.imported += written.questions
	summary.comments += written.comments
	summary.known += batch.length - written.questions
}

async function withoutKnown(trx: Executor, lines: QuestionLine[]): Promise<QuestionLine[]> {
	const known = new Map<string, Set<string>>()
	for (const source of new Set(lines.map((line) => line.source)))
		known.set(
			source,
			await findImported(
				trx,
				source,
				lines.filter((line) => line.source === source).map((line) => line.id),
			),
		)
	return lines.filter((line) => !known.get(line.source)?.has(line.id))
}

/** The key of a post's author: one of this source, or, if it names none, one for this post only. */
function authorKey(source: string, post: { author?: string | null; id?: string | null }, fallbackId: string): string {
	return `${source}/${post.author ?? `post/${post.id ?? fallbackId}`}`
}

function authorsOf(lines: QuestionLine[]): Map<string, ImportedAuthorRow> {
	const authors = new Map<string, ImportedAuthorRow>()
	const add = (key: string) => {
		const username = inventedUsername(key)
		authors.set(username, { username, name: inventedName(key), email: inventedEmail(key) })
	}
	for (const line of lines) {
		add(authorKey(line.source, line, line.id))
		for (const [index, comment] of line.comments.entries()) add(authorKey(line.source, comment, `${line.id}/c${index}`))
		for (const [index, answer] of line.answers.entries()) {
			add(authorKey(line.source, answer, `${line.id}/a${index}`))
			for (const [at, comment] of answer.comments.entries())
				add(authorKey(line.source, comment, `${line.id}/a${index}/c${at}`))
		}
	}
	return authors
}

function draftOf(line: QuestionLine, context: Context, authors: Map<string, number>): QuestionDraft {
	const createdAt = line.created ?? line.created_between?.[0] ?? new Date()
	const taken = new Set<string>()
	/** Some sites number answers and comments separately; of those that share an id, the first has it. */
	const takeId = (...ids: (string | null | undefined)[]) => {
		const free = ids.find((id) => id && !taken.has(id)) ?? null
		if (free !== null) taken.add(free)
		return free
	}
	const idOf = (key: string) => authors.get(inventedUsername(key)) ?? 0
	const thread = (
		post: Omit<CommentLine, 'comments' | 'accepted'> & Partial<CommentLine>,
		fallbackId: string,
	): ThreadDraft => ({
		authorId: idOf(authorKey(line.source, post, fallbackId)),
		body: post.body,
		// A post without a time comes right after the question.
		createdAt: post.created ?? createdAt,
		isSolution: post.accepted ?? false,
		score: post.score,
		sourceId: takeId(post.id, fallbackId),
		sourceUrl: post.source_url ?? line.source_url ?? null,
		licence: post.licence ?? line.licence ?? null,
		replies: (post.comments ?? []).map((comment, index) => thread(comment, `${fallbackId}/c${index}`)),
	})
	return {
		authorId: idOf(authorKey(line.source, line, line.id)),
		categoryId: placeOf(line, context)?.id ?? context.fallback,
		title: line.title,
		description: line.body,
		tags: line.tags,
		createdAt,
		score: line.score,
		source: line.source,
		sourceId: line.id,
		sourceUrl: line.source_url ?? null,
		licence: line.licence ?? null,
		comments: [
			...line.answers.map((answer, index) => thread(answer, `${line.id}/a${index}`)),
			...line.comments.map((comment, index) => thread(comment, `${line.id}/c${index}`)),
		],
	}
}

const given =
	'Aarav Abel Ada Adil Aiko Alba Alma Amara Amit Anais Anders Anika Anton Arlo Asha Astrid Ayla Bao Basil Bea Ben Bianca Bodhi Cai Calla Carmen Cato Celia Chidi Clara Cleo Cora Dalia Damir Dara Davi Delia Devi Dina Dario Edda Efe Elena Elif Elio Ema Emil Enzo Esme Etta Ezra Faye Femi Fiona Flora Freya Gael Gita Greta Hadi Hanna Hari Hedda Hugo Ida Ilan Ilse Imani Ines Ingrid Ira Isla Ivo Jai Jana Jasper Jin Joao Jonas Jun Kaia Kamal Kari Kato Keiko Kira Kofi Lale Lara Lars Lea Leif Lena Levi Lila Lior Liv Luca Luz Mae Maia Malik Mara Marek Maya Mei Mila Milo Mina Mira Nadia Naoki Nara Neha Nia Niko Nila Noa Nora Odin Olga Omar Orla Otto Paz Pema Petra Pia Quinn Rafa Rana Ravi Reza Rhea Rina Rumi Saba Sami Sana Sasha Selma Sena Silas Sol Suri Taj Tala Tara Teo Thea Tilda Timur Tova Ula Uri Vada Vera Vida Viggo Wanda Wim Xenia Yael Yara Yuki Zain Zara Zeno Zora'.split(
		' ',
	)
const first =
	'Alder Amber Apple Arrow Ash Autumn Barley Bay Bell Birch Black Blue Bramble Bright Brook Cedar Clay Clover Copper Coral Corn Crane Dale Dawn Elder Elm Ever Fern Field Finch Flint Fox Frost Glen Gold Grain Green Hare Hazel Heath Heron High Holly Honey Iron Ivy Juniper Kettle Lake Lantern Lark Laurel Linden Long Maple Marble Marsh May Meadow Mill Moon Moss North Oak Olive Orchard Otter Pearl Pebble Pine Plum Quill Rain Raven Reed River Robin Rowan Rush Sage Sand Silver Snow South Spring Star Stone Summer Swift Thistle Thorn Tide Vale Violet West Wheat Willow Wind Winter Wood Wren Yarrow'.split(
		' ',
	)
const second =
	'bank beck bourne bridge brook bury by combe croft dale den fell field ford gate grove ham hill holm hurst land lea ley low mead mere moor more port ridge shaw side stead stone thorpe ton wade wall ward water way well wick wood worth yard'.split(
		' ',
	)

/** A made-up name for an imported author. The same key always yields the same name. */
export function inventedName(key: string): string {
	const digest = createHash('sha256').update(key).digest()
	const pick = (list: string[], at: number) => list[digest.readUInt32BE(at) % list.length] ?? ''
	return `${pick(given, 0)} ${pick(first, 4)}${pick(second, 8)}`
}

/** The username for a made-up name: the name as a username, with enough of the key's hash to be unique. */
export function inventedUsername(key: string): string {
	const digest = createHash('sha256').update(key).digest('hex')
	return `${inventedName(key)
		.toLowerCase()
		.replace(/[^a-z]+/g, '.')}.${digest.slice(0, 8)}`
}

/** The address of an imported account. Mail to `.invalid` is never delivered (RFC 2606). */
export function inventedEmail(key: string): string {
	return `${createHash('sha256').update(key).digest('hex').slice(0, 32)}@import.invalid`
}
