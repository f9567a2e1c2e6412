import { redirect } from 'react-router'
import { config } from '~/config.server.ts'
import { safeRedirect } from '~/lib/http.ts'
import type { Route } from './+types/theme'

export function loader() {
	return redirect('/')
}

/** Remembers the theme in a cookie, so that the next page is drawn in it by the server. */
export async function action({ request }: Route.ActionArgs) {
	const form = await request.formData()
	const theme = String(form.get('theme'))
	const known = theme === 'light' || theme === 'dark'
	const attributes = `Path=/; SameSite=Lax; HttpOnly; Max-Age=${known ? 31_536_000 : 0}${config().secure ? '; Secure' : ''}`
	const referrer = URL.parse(request.headers.get('Referer') ?? '')
	const back = form.get('redirectTo') ?? (referrer ? referrer.pathname + referrer.search : '/')
	return redirect(safeRedirect(back, '/'), {
		status: 303,
		headers: { 'Set-Cookie': `theme=${known ? theme : ''}; ${attributes}` },
	})
}
