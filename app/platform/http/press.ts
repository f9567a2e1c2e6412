import type { RouterContextProvider } from 'react-router'
import { loginPath } from '~/lib/addresses.ts'
import { viewerOf } from '~/lib/context.ts'
import { DomainError } from '~/lib/errors.ts'
import type { SignedIn } from '~/lib/viewer.ts'
import { answering, readForm, refererPath, signedIn } from './http.ts'

interface Pressing {
	request: Request
	context: Readonly<RouterContextProvider>
	/** What the form asks for. */
	act: (viewer: SignedIn, form: FormData) => Promise<{ value: number; count: number; response: () => Response }>
}

/**
 * Answers a form that scripts send in the background: them with the new state as JSON, a browser without scripts with the
 * page it came from. A visitor is led to the login page and back.
 */
export async function pressed({ request, context, act }: Pressing): Promise<Response> {
	const back = new URL(refererPath(request, '/forum'), request.url)
	const form = await readForm(request)
	if (!request.headers.get('Accept')?.startsWith('application/json'))
		return answering(async () => (await act(signedIn(context, back), form)).response())
	const viewer = viewerOf(context)
	if (!viewer) return Response.json({ message: 'Log in first.', login: loginPath(back.pathname) }, { status: 401 })
	try {
		const { value, count } = await act(viewer, form)
		return Response.json({ value, count })
	} catch (error) {
		if (!(error instanceof DomainError)) throw error
		return Response.json({ message: error.message }, { status: error.status })
	}
}
