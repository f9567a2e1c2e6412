import { NotFound } from '~/lib/errors.ts'
import { checkboxSetting, choiceSetting, settingSection } from '~/platform/settings/setting.ts'
import { siteSettings } from '~/platform/settings/settings.server.ts'

/** The setting that says who may read the site. server/middleware/private-site.ts enforces it for pages, API and sockets. */
export const accessSection = settingSection({
	name: 'access',
	title: 'Who may read the site',
	about: 'Whether visitors may read the site, or only members.',
	settings: {
		readers: choiceSetting<'everybody' | 'members'>({
			label: 'Who may read the site',
			hint: 'Members only: pages lead visitors to the login; feeds, pictures and the API want a session or a token, and search engines find nothing. What others have copied before stays with them.',
			default: 'everybody',
			choices: [
				{ value: 'everybody', label: 'Everybody' },
				{ value: 'members', label: 'Members only' },
			],
		}),
	},
})

/** Whether only members may read this site, as far as this process knows. */
export function isPrivateSite(): boolean {
	return siteSettings(accessSection).readers === 'members'
}

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
