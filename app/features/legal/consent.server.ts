import { redirect } from 'react-router'
import { countUse } from '~/features/rate-limits/rate-limits.server.ts'
import { Conflict } from '~/lib/errors.ts'
import { remember } from '~/lib/remember.ts'
import type { SignedIn, Viewer } from '~/lib/viewer.ts'
import { isPrefetch } from '~/platform/http/http.ts'
import { findConsent, isOlderThan, writeConsent, writeConsentPostponed } from './legal.queries.server.ts'
import { requiredTermsVersion } from './legal.server.ts'
import { ACCEPT_PATH } from './legal.view.ts'

/*
 * Members accept the terms once: when they register, or on the next page they open. Until then, or if they put it off, they can read but
 * not post (accounts/security/suspension.server.ts).
 */

/** Pages that are available before the decision: the texts, what members are entitled to, and links that protect them. */
const alwaysOpen =
	/^\/(terms|privacy|imprint|login|logout|register|unsubscribe|undo-email|settings\/(data|leave)|confirm-identity|theme|announcement)(\/|$)/

/** Members known to this process to have accepted the current version, who need no lookup. */
const agreed = remember('terms-agreed', () => ({ version: 0, members: new Set<number>() }))
const MAX_REMEMBERED = 50_000

/**
 * Redirects a member to the terms who has neither accepted nor put off the current version. Only page loads are redirected: API calls,
 * files and data of open pages are not.
 * @throws a redirect, which leads back to the requested page
 */
export async function requireConsent(viewer: Viewer, request: Request, url: URL): Promise<void> {
	const version = requiredTermsVersion()
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

/** A member's state towards the current terms: `nothing` if there are none. */
export async function consentState(viewer: SignedIn): Promise<'nothing' | 'open' | 'accepted'> {
	const version = requiredTermsVersion()
	if (version === 0) return 'nothing'
	const row = await findConsent(viewer.id)
	return (row?.agreed_to ?? 0) >= version ? 'accepted' : 'open'
}

/** Whether the current terms were published after the member had registered. */
export function areTermsNewTo(viewer: SignedIn): Promise<boolean> {
	return isOlderThan(viewer.id, requiredTermsVersion())
}

/**
 * Accepts the terms, or puts that off.
 * @param version the version that the form showed
 * @throws Conflict if a newer one was published meanwhile, TooManyRequests
 */
export async function decideOnTerms(viewer: SignedIn, choice: 'accept' | 'later', version: unknown): Promise<void> {
	await countUse('toggles', viewer)
	const asked = requiredTermsVersion()
	if (asked === 0) return
	if (Number(version) !== asked)
		throw new Conflict('The terms have changed again in the meantime. Please read them once more.')
	await (choice === 'accept' ? writeConsent : writeConsentPostponed)(viewer.id, asked)
}
