import { data } from 'react-router'
import { type EndedSessionData, loginOf } from '~/platform/http/ended-session.ts'
import { formValues } from '~/platform/http/form.ts'

/**
 * What a form without scripts is answered whose session has ended: a page that says what was typed, to be sent again after the
 * login, in place of the login page, which would lose it. Where scripts run, they keep it (app/shell/unsent-forms.tsx).
 * @param thrown what the route threw
 * @param typed the fields that were read already; a form with files is read here
 * @returns what to throw in its place; null when it was anything else
 */
export async function endedSession(
	thrown: unknown,
	request: Request,
	typed: Record<string, string> | null,
): Promise<unknown> {
	const login = thrown instanceof Response ? loginOf(thrown.headers.get('Location')) : null
	if (!login || request.headers.get('Sec-Fetch-Dest') !== 'document') return null
	const fields = typed ?? (request.bodyUsed ? {} : formValues(await request.formData().catch(() => new FormData())))
	const texts = Object.entries(fields).filter(([name]) => !/password|token/i.test(name))
	if (texts.length === 0) return null
	return data<EndedSessionData>({ login, typed: Object.fromEntries(texts) }, { status: 401 })
}
