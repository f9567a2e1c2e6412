import type { RouterContextProvider } from 'react-router'
import { viewerOf } from '~/lib/context.ts'
import type { SignedIn } from '~/lib/viewer.ts'
import { answeringJson } from './http.ts'

/** Answers a member's script with JSON that is not cached; 401 for a visitor. */
export function answeringMember(
	context: Readonly<RouterContextProvider>,
	work: (viewer: SignedIn) => Promise<object>,
): Promise<Response> | Response {
	const viewer = viewerOf(context)
	if (viewer) return answeringJson(() => work(viewer))
	const headers = { 'Cache-Control': 'private, no-store' }
	return Response.json({ message: 'Log in first.' }, { status: 401, headers })
}

/** A whole number in an address; anything else becomes NaN, which the use case rejects. */
export function numberIn(params: URLSearchParams, name: string): number | null {
	const text = params.get(name)
	if (text === null) return null
	return /^\d{1,10}$/.test(text) ? Number(text) : Number.NaN
}
