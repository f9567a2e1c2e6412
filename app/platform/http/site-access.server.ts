import { choiceSetting, settingSection } from '~/platform/settings/setting.ts'
import { siteSettings } from '~/platform/settings/settings.server.ts'

/** The setting who may read the site. server/middleware/private-site.ts enforces it for pages, API and sockets. */
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
