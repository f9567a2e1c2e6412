import { createHmac, timingSafeEqual } from 'node:crypto'
import { notifyMemberActive } from '~/features/accounts/login-methods.server.ts'
import { presentAuthor } from '~/features/members/members.view.ts'
import { countUse } from '~/features/rate-limits/rate-limits.server.ts'
import { questionUrl } from '~/features/search/search.view.ts'
import { isId } from '~/lib/checks.ts'
import { NotFound } from '~/lib/errors.ts'
import { requireSignedIn, type Viewer } from '~/lib/viewer.ts'
import { authSecret } from '~/platform/encryption.server.ts'
import { decodeCursor, invalidCursor, type Page, pageOf } from '~/platform/http/cursors.ts'
import {
	type AnswerableRow,
	findRoutingMember,
	listAnswerableRows,
	type RankCursor,
	raiseFeedVersion,
} from './answerable.queries.server.ts'
import { ANSWERABLE_PER_PAGE, FEED_ENTRIES } from './routing.limits.ts'
import type { AnswerableView } from './routing.view.ts'

/** Reasons shown for a question. */
const MAX_REASONS = 3

/**
 * A page of the open questions that the viewer can answer, ordered as in `listAnswerableRows`, whether or not they opted in to being asked.
 * @throws NotAllowed for a visitor, Invalid for an invalid cursor
 */
export async function listAnswerable(viewer: Viewer, cursor: string | null): Promise<Page<AnswerableView>> {
	const { id } = requireSignedIn(viewer)
	const place = cursor ? decodeRank(cursor) : null
	const found = await listAnswerableRows(id, { cursor: place, limit: ANSWERABLE_PER_PAGE + 1 })
	const { rows, next } = pageOf(found, ANSWERABLE_PER_PAGE, (row) => [row.rank, row.id])
	return { rows: rows.map(present), next }
}

/** @throws Invalid */
function decodeRank(text: string): RankCursor {
	const [rank, id] = decodeCursor(text, 2)
	if (typeof rank !== 'number' || !isId(id)) throw invalidCursor()
	return { rank, id }
}

function present(row: AnswerableRow): AnswerableView {
	return {
		id: row.id,
		url: questionUrl(row),
		title: row.title,
		excerpt: row.excerpt.trim(),
		category: { slug: row.category_slug, title: row.category_title },
		author: presentAuthor(row),
		tags: row.tags,
		createdAt: row.created_at,
		commentCount: row.comment_count,
		because: [...new Set(row.because)].slice(0, MAX_REASONS),
	}
}

/** The viewer's settings: whether they may be asked, and the private address of their feed. @throws NotAllowed for a visitor */
export async function getRoutingChoice(viewer: Viewer): Promise<{ optedIn: boolean; feed: string }> {
	const { id } = requireSignedIn(viewer)
	const member = await findRoutingMember(id)
	return { optedIn: member?.opted_in ?? false, feed: feedPath(id, member?.feed_version ?? 0) }
}

/** Gives the viewer's feed a new address; the old one becomes invalid. @throws NotAllowed for a visitor, TooManyRequests */
export async function renewFeed(viewer: Viewer): Promise<void> {
	const member = requireSignedIn(viewer)
	await countUse('toggles', member)
	await raiseFeedVersion(member.id)
}

/**
 * The questions of a feed, by the key in its address, as feed readers do not log in.
 * @param key `{member}.{version}.{signature}`
 * @throws NotFound for a forged or outdated key, and while the member is absent
 */
export async function readFeed(key: string): Promise<AnswerableView[]> {
	const [, claim = '', userId, version, signature = ''] = /^((\d{1,10})\.(\d{1,9}))\.([\w-]{43})$/.exec(key) ?? []
	const member = isSignedFor(claim, signature) ? await findRoutingMember(Number(userId)) : undefined
	if (member?.feed_version !== Number(version))
		throw new NotFound('This address no longer works. The page “You can answer these” has the new one.')
	notifyMemberActive(Number(userId))
	const rows = await listAnswerableRows(Number(userId), { cursor: null, limit: FEED_ENTRIES })
	return rows.map(present)
}

function feedPath(userId: number, version: number): string {
	const claim = `${userId}.${version}`
	return `/answer/feed.atom?key=${claim}.${sign(claim)}`
}

function isSignedFor(claim: string, signature: string): boolean {
	const [given, right] = [Buffer.from(signature), Buffer.from(sign(claim))]
	return given.length === right.length && timingSafeEqual(given, right)
}

/** Signs with the site's secret; the prefix separates these signatures from all others. */
function sign(claim: string): string {
	return createHmac('sha256', authSecret()).update(`answer-feed:${claim}`).digest('base64url')
}
