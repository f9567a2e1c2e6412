import { z } from 'zod'
import { hasSeveralProcesses } from '~/config.server.ts'
import { setTermsToAccept } from '~/features/accounts/security/suspension.server.ts'
import { lockAdmin } from '~/features/administration/admins.server.ts'
import type { SetupStatus } from '~/features/administration/setup/setup.view.ts'
import { addLogRow } from '~/features/moderation/log.queries.server.ts'
import { SETTING_SUBJECT } from '~/features/moderation/moderation.policy.ts'
import { countUse } from '~/features/rate-limits/rate-limits.server.ts'
import { isStorable } from '~/lib/clean.ts'
import { Invalid, NotFound } from '~/lib/errors.ts'
import { LatestRead } from '~/lib/latest-read.ts'
import { log } from '~/lib/log.server.ts'
import { remember } from '~/lib/remember.ts'
import { requireAdmin, type Viewer } from '~/lib/viewer.ts'
import { openBus, publish as tell } from '~/platform/bus/bus.server.ts'
import { cachedPage } from '~/platform/cache/cached-page.ts'
import { invalidatePages, invalidatePagesHere } from '~/platform/cache/pages.server.ts'
import { db } from '~/platform/db/db.server.ts'
import { EditConflict, type Input, parseInput } from '~/platform/http/form.server.ts'
import {
	findTermsToAccept,
	findVersion,
	insertVersion,
	listNewestVersions,
	listVersions,
	lockNewest,
	type VersionRow,
} from './legal.queries.server.ts'
import {
	type LegalKind,
	type LegalPage,
	legalKinds,
	legalLimits,
	legalTitles,
	type VersionSummary,
} from './legal.view.ts'
import { renderLegal, templateOf, unknownPlaceholders } from './templates.server.ts'

/* Publishing terms, privacy policy and imprint. Accepting the terms is in consent.server.ts. */

const LEGAL_PAGES = 'legal'

/** The pages that are cached for visitors. Without `version` an address shows the current text. */
export const legalPages = legalKinds.map((kind) =>
	cachedPage({ path: `/${kind}`, searchParams: ['version'], tags: () => [LEGAL_PAGES] }),
)

/** The channel of the bus that announces publications. */
const channel = 'devquad_legal'
/** Milliseconds between two reads of the table, for announcements that were lost. */
const REREAD_MS = 30_000

const known = remember('legal', () => ({
	newest: new Map<LegalKind, VersionRow>(),
	terms: 0,
	reads: new LatestRead(),
}))

/** The version of the terms that members have to accept before they write; 0 for none. No statement. */
export function requiredTermsVersion(): number {
	return known.terms
}

/**
 * Loads the current texts and subscribes to changes.
 * @returns a function that stops it
 * @throws Error if the bus or the database cannot be reached
 */
export async function listenForLegal(): Promise<() => Promise<void>> {
	const stop = hasSeveralProcesses()
		? await openBus(channel, { onMessage: readQuietly, onLost: () => {}, onBack: readQuietly })
		: async () => {}
	await readLegal()
	const timer = setInterval(readQuietly, REREAD_MS).unref()
	return async () => {
		clearInterval(timer)
		await stop()
	}
}

/** Loads the current texts, and invalidates cached pages that were rendered with others. */
export function readLegal(): Promise<void> {
	const read = () => Promise.all([listNewestVersions(), findTermsToAccept()])
	return known.reads.run(read, ([rows, terms]) => {
		const isSame = rows.length === known.newest.size && rows.every(({ kind, id }) => known.newest.get(kind)?.id === id)
		known.newest = new Map(rows.map((row) => [row.kind, row]))
		known.terms = terms
		setTermsToAccept(terms)
		if (!isSame) invalidatePagesHere([LEGAL_PAGES])
	})
}

function readQuietly(): void {
	readLegal().catch((error) => log.debug({ err: error }, 'the published terms could not be read'))
}

/**
 * A text as everybody reads it: the newest version, or an earlier one that members once accepted. Unpublished or withdrawn, the privacy
 * policy and the imprint are the site's templates, which describe the software; terms have to be written by the operator.
 * @param version the id of an earlier version, as in the address
 * @throws NotFound
 */
export async function getLegalPage(kind: LegalKind, version: string | null): Promise<LegalPage> {
	const rows = await listVersions(kind, legalLimits.versionsShown)
	const newest = rows[0]
	const row = version === null ? newest : await requireVersionRow(kind, version)
	const withdrawn = row ? 'This text was withdrawn.' : 'This site has no terms of its own yet.'
	const usual = kind === 'terms' || version !== null ? withdrawn : templateOf(kind)
	const body = row?.body || usual
	return {
		kind,
		html: await renderLegal(body),
		version: row ? { id: row.id, at: row.published_at.toISOString() } : null,
		isNewest: row?.id === newest?.id,
		versions: rows.map(presentVersion),
	}
}

async function requireVersionRow(kind: LegalKind, version: string): Promise<VersionRow> {
	const row = /^\d{1,9}$/.test(version) ? await findVersion(kind, Number(version)) : undefined
	if (!row) throw new NotFound('There is no such version.')
	return row
}

function presentVersion({ id, note, asks, body, published_at }: VersionRow): VersionSummary {
	return { id, note, asks, at: published_at.toISOString(), isWithdrawn: body === '' }
}

/** Whether the operator has published a text. No statement. */
export function isPublished(kind: LegalKind): boolean {
	return Boolean(known.newest.get(kind)?.body)
}

/** The state of the texts for the setup checklist. */
export function getTermsStatus(): SetupStatus {
	const missing = (['privacy', 'imprint'] as const).filter((kind) => !isPublished(kind))
	const rest =
		missing.length > 0
			? ` ${missing.map((kind) => legalTitles[kind]).join(' and ')}: the texts that come with the site.`
			: ''
	return isPublished('terms')
		? { state: 'done', words: `Your terms are published.${rest}` }
		: { state: 'usual', words: `The site has no terms of its own.${rest}` }
}

/** The three texts for admins, with the time of publication; null for never. */
export function listLegal(viewer: Viewer): { kind: LegalKind; at: string | null }[] {
	requireAdmin(viewer)
	return legalKinds.map((kind) => {
		const row = known.newest.get(kind)
		return { kind, at: row?.body ? row.published_at.toISOString() : null }
	})
}

/** The form of a text, filled with the published text, the template or an earlier version. */
export interface LegalForm {
	kind: LegalKind
	/** The version that the form is based on; 0 for none. */
	version: number
	body: string
	versions: VersionSummary[]
	/** Whether these would be the first terms, which always have to be accepted. */
	isFirst: boolean
}

/** @param from the id of an earlier version, as in the address @throws NotAllowed, NotFound */
export async function getLegalForm(viewer: Viewer, kind: LegalKind, from: string | null): Promise<LegalForm> {
	requireAdmin(viewer)
	const rows = await listVersions(kind, legalLimits.versionsShown)
	const body = from === null ? rows[0]?.body || templateOf(kind) : (await requireVersionRow(kind, from)).body
	return { kind, version: rows[0]?.id ?? 0, body, versions: rows.map(presentVersion), isFirst: !known.terms }
}

const text = z.string().refine(isStorable, 'The text contains an invalid character (NUL).')
const legalInput = z.object({
	version: z.coerce.number().int().min(0).max(2_147_483_647),
	body: text
		.overwrite((body) => body.replaceAll('\r\n', '\n'))
		.trim()
		.max(legalLimits.body, `At most ${legalLimits.body} characters.`),
	note: text.trim().max(legalLimits.note, `At most ${legalLimits.note} characters.`).default(''),
	asks: z.preprocess((box) => box === 'on', z.boolean()),
})

/** Renders a preview of a text. @throws Invalid, NotAllowed */
export async function previewLegal(viewer: Viewer, input: Input): Promise<string> {
	requireAdmin(viewer)
	return renderLegal(readLegalInput(input).body)
}

function readLegalInput(input: Input) {
	const read = parseInput(legalInput, input)
	const [unknown] = unknownPlaceholders(read.body)
	if (unknown === undefined) return read
	const message = `{{${unknown}}} is not a placeholder. Write it otherwise, or use one of those named below.`
	throw new Invalid(message, { body: message })
}

/**
 * Publishes a text in all processes at once. An empty one withdraws it. Members always have to accept the first terms.
 * @param input body, note, asks, and the `version` that the form is based on
 * @throws Invalid, NotAllowed, TooManyRequests, EditConflict if another admin published first
 */
export async function publishLegal(viewer: Viewer, kind: LegalKind, input: Input): Promise<void> {
	const actor = requireAdmin(viewer)
	await countUse('siteSettings', actor)
	const { version, body, note, asks } = readLegalInput(input)
	await db()
		.transaction()
		.execute(async (trx) => {
			await lockAdmin(trx, actor)
			const newest = await lockNewest(trx, kind)
			// The second request of a double click repeats the published text.
			if (newest.id > 0 && newest.body === body) {
				if (newest.id !== version) return
				throw new Invalid('This text is already published. Change it first.', {
					body: 'This text is already published.',
				})
			}
			if (newest.id !== version) throw new EditConflict({ version: newest.id, values: { body: newest.body } })
			if (body === '' && newest.id === 0) throw new Invalid('Write a text first.', { body: 'Write a text first.' })
			const isAsked = kind === 'terms' && body !== '' && (asks || !newest.asked)
			const id = await insertVersion(trx, { kind, body, note, asks: isAsked, actorId: actor.id })
			await addLogRow(trx, {
				actorId: actor.id,
				act: 'publish',
				kind: SETTING_SUBJECT,
				targetId: id,
				memberId: actor.id,
				title: legalTitles[kind],
				note: isAsked ? 'asks members to accept it' : '',
			})
		})
	await announceLegal()
}

/** Announces a publication or change to all processes; call it after the commit. Never throws. */
export async function announceLegal(): Promise<void> {
	try {
		await readLegal()
		if (hasSeveralProcesses()) await tell(channel, '')
	} catch (error) {
		log.warn({ err: error }, 'published terms could not be announced')
	}
	await invalidatePages([LEGAL_PAGES])
}
