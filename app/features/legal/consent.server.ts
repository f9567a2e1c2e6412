import { redirect } from 'react-router'
import { countUse } from '~/features/rate-limits/rate-limits.server.ts'
import { Conflict } from '~/lib/errors.ts'
import { remember } from '~/lib/remember.ts'
import type { SignedIn, Viewer } from '~/lib/viewer.ts'
import { isPrefetch } from '~/platform/http/http.ts'
import { findConsent, writeConsent, writePutOff } from './legal.queries.server.ts'
import { termsAsked } from './legal.server.ts'
import { ACCEPT_PATH } from './legal.view.ts'

/*
 * Members accept the terms once: as they register, or at the next page that they open. Until then, and while they put it off, they read, and
 * what they would write for others is refused (accounts/security/suspension.server.ts).
 */

/** What members may open before they decide: the texts themselves, and what they have a right to. */
const alwaysOpen =
	/^\/(terms|privacy|imprint|login|logout|register|settings\/(data|leave)|confirm-identity|theme|announcement)(\/|$)/

/** Members who accepted the version that is asked for, as this process has seen: they are not looked up again. */
const agreed = remember('terms-agreed', () => ({ version: 0, members: new Set<number>() }))
const MAX_REMEMBERED = 50_000

/**
 * Leads a member to the terms who has neither accepted nor put off the version that is asked for. Only pages that a browser opens are
 * held up: programs, files and the data of open pages are answered as ever.
 * @throws a redirect, which leads back to where they wanted to go
 */
export async function askForConsent(viewer: Viewer, request: Request, url: URL): Promise<void> {
	const version = termsAsked()
	if (version === 0 || !viewer || !opensPage(request) || alwaysOpen.test(url.pathname)) return
	if (agreed.version !== version || agreed.members.size > MAX_REMEMBERED) {
		agreed.version = version
		agreed.members = new Set()
	}
	if (agreed.members.has(viewer.id)) return
	const row = await findConsent(viewer.id)
	if (!row || row.asked_to >= version) return
	if (row.agreed_to >= version) agreed.members.add(viewer.id)
	else throw redirect(`${ACCEPT_PATH}?redirectTo=${encodeURIComponent(url.pathname + url.search)}`, { status: 303 })
}

function opensPage(request: Request): boolean {
	const accepts = request.headers.get('Accept') ?? ''
	return request.method === 'GET' && accepts.includes('text/html') && !isPrefetch(request)
}

/** What a member has accepted of the terms that are asked for now: `nothing` where none are. */
export async function consentState(viewer: SignedIn): Promise<'nothing' | 'open' | 'accepted'> {
	const version = termsAsked()
	if (version === 0) return 'nothing'
	const row = await findConsent(viewer.id)
	return (row?.agreed_to ?? 0) >= version ? 'accepted' : 'open'
}

/**
 * Accepts the terms, or puts that off.
 * @param version that was read, as the form says
 * @throws Conflict when a newer one was published meanwhile, TooMany
 */
export async function decideOnTerms(viewer: SignedIn, act: 'accept' | 'later', version: unknown): Promise<void> {
	await countUse('toggles', viewer)
	const asked = termsAsked()
	if (asked === 0) return
	if (Number(version) !== asked)
		throw new Conflict('The terms have changed again in the meantime. Please read them once more.')
	await (act === 'accept' ? writeConsent : writePutOff)(viewer.id, asked)
}
