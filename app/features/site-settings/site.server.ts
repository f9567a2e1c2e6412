import { z } from 'zod'
import { config } from '~/config.server.ts'
import { settingSection, textSetting } from '~/platform/settings/setting.ts'
import { siteSettings } from '~/platform/settings/settings.server.ts'

const webAddress = z.union([
	z.url({ protocol: /^https?$/, error: 'Enter an address that begins with https://.' }),
	z.literal(''),
])

/** The operator, named on every page and in security.txt. */
export const siteSection = settingSection({
	name: 'site',
	title: 'Who runs this site',
	about: 'The credit at the bottom of every page, and the contact for security problems.',
	settings: {
		authorName: textSetting({
			label: 'Name',
			hint: 'Such as your student union or computing centre. Shown at the bottom of every page.',
			maxLength: 80,
			environment: 'AUTHOR_NAME',
		}),
		authorUrl: textSetting({
			label: 'Their website',
			hint: 'The page that the name links to.',
			schema: webAddress,
			environment: 'AUTHOR_URL',
		}),
		securityContact: textSetting({
			label: 'Contact for security problems',
			hint: 'An email address, or an address that begins with https://. Shown in /.well-known/security.txt.',
			schema: z.union(
				[z.email(), z.url({ protocol: /^https$/, normalize: true }), z.literal('')],
				'Enter an email address, or an address that begins with https://.',
			),
			environment: 'SECURITY_CONTACT',
		}),
	},
})

/** The operator that pages credit; null if none is set. */
export function siteAuthor(): { name: string; url: string } | null {
	const { authorName: name, authorUrl: url } = siteSettings(siteSection)
	return name ? { name, url } : null
}

/** Where to report security problems: a mail or web address, or else the first admin's; '' if neither is known. */
export function securityContact(): string {
	return siteSettings(siteSection).securityContact || config().ADMIN_EMAIL
}
