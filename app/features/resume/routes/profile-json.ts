import { redirect } from 'react-router'
import { loginPath } from '~/lib/addresses.ts'
import { viewerOf } from '~/lib/context.ts'
import { NotAllowed, NotFound, TooManyRequests } from '~/lib/errors.ts'
import { getResume } from '../resume.server.ts'
import type { Route } from './+types/profile-json'

/**
 * A profile as JSON Resume, for members, and for everybody if its owner allows that. Others are redirected to the login, or get a JSON
 * problem if they are not a browser.
 */
export async function loader({ request, context, params }: Route.LoaderArgs) {
	try {
		const document = await getResume(viewerOf(context), params.username)
		return new Response(`${JSON.stringify(document, null, '\t')}\n`, {
			headers: {
				'Content-Type': 'application/json; charset=utf-8',
				'Content-Disposition': `inline; filename="${params.username.toLowerCase().replace(/[^a-z0-9_.-]/g, '')}.json"`,
				'Cache-Control': 'private, no-cache',
				'X-Robots-Tag': 'noindex',
			},
		})
	} catch (error) {
		if (error instanceof NotAllowed) {
			// After the login they return to the page, as a client-side login cannot navigate to a file.
			const page = `/find-dev/${params.username}`
			if (request.headers.get('Accept')?.includes('text/html')) throw redirect(loginPath(page))
			return problem(401, 'Log in to read profiles.')
		}
		if (error instanceof NotFound) return problem(404, error.message)
		if (error instanceof TooManyRequests)
			return problem(429, error.message, { 'Retry-After': String(error.retryAfter) })
		throw error
	}
}

function problem(status: number, title: string, more: Record<string, string> = {}): Response {
	const headers = { 'Content-Type': 'application/problem+json', ...more }
	return Response.json({ type: 'about:blank', title, status }, { status, headers })
}
