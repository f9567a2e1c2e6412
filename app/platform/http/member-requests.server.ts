import type { RouterContextProvider } from 'react-router'
import { viewerOf } from '~/lib/context.ts'
import type { SignedIn } from '~/lib/viewer.ts'
import { respondJson } from './http.ts'

/** Answers a member's script with JSON that is not cached; 401 for a visitor. */
export function respondToMember(
	context: Readonly<RouterContextProvider>,
	work: (viewer: SignedIn) => Promise<object>,
): Promise<Response> | Response {
	const viewer = viewerOf(context)
	if (viewer) return respondJson(() => work(viewer))
	const headers = { 'Cache-Control': 'private, no-store' }
	return Response.json({ message: 'Log in first.' }, { status: 401, headers })
}

/** A whole number in an address; anything else becomes NaN, which the use case rejects. */
export function numberParam(params: URLSearchParams, name: string): number | null {
	const text = params.get(name)
	if (text === null) return null
	return /^\d{1,10}$/.test(text) ? Number(text) : Number.NaN
}
