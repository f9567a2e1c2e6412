import { config } from '~/config.server.ts'
import { viewerFromRequest } from '~/features/accounts/viewer.server.ts'
import { getSection, saveSection } from '~/features/site-settings/site-settings.server.ts'
import type { SignedIn } from '~/lib/viewer.ts'

/* Helpers for tests of login methods: saving settings, and requesting pages as a browser does. */

/** Saves a section of the settings, as an admin does. @param input fields that differ from the saved ones */
export async function saveSettings(admin: SignedIn, section: string, input: Record<string, string>): Promise<void> {
	const { version, settings } = await getSection(admin, section)
	const stored = Object.fromEntries(settings.map(({ field, text }) => [field, text]))
	await saveSection(admin, section, { ...stored, ...input, version: String(version) })
}

/** A request to the site. @param cookies as `name=value` */
export function requestOf(path: string, cookies: readonly string[] = []): Request {
	const headers = { Cookie: cookies.join('; '), 'x-client-ip': '192.0.2.1' }
	return new Request(`${config().publicUrl}${path}`, { headers })
}

/** The member with these cookies. */
export async function viewerWithCookies(cookies: readonly string[]): Promise<SignedIn | null> {
	return (await viewerFromRequest(requestOf('/', cookies), { fresh: true })).viewer
}
