import { NotFound } from '~/lib/errors.ts'
import { checkboxSetting, settingSection } from '~/platform/settings/setting.ts'
import { siteSettings } from '~/platform/settings/settings.server.ts'
import { isPrivateSite } from './site-access.server.ts'

/** Whether search engines may list the site. Members choose separately for their own profiles. */
export const indexingSection = settingSection({
	name: 'search-engines',
	title: 'Search engines',
	about: 'Whether search engines may list the pages that visitors can read.',
	settings: {
		keepsOut: checkboxSetting({
			label: 'Keep this site out of search engines',
			hint: 'Every response says so, including robots.txt, and there is no sitemap. Pages that were listed before disappear within days or weeks. Anyone with the address can still read them.',
		}),
	},
})

/** The value of the header X-Robots-Tag of every response; null where search engines may list the site. */
export function robotsTag(): string | null {
	return siteSettings(indexingSection).keepsOut || isPrivateSite() ? 'noindex, nofollow' : null
}

/** Protects addresses that only search engines need. @throws NotFound where the site keeps out of them */
export function requireIndexing(): void {
	if (robotsTag()) throw new NotFound('This site keeps out of search engines.')
}
