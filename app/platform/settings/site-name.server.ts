import { z } from 'zod'
import { cleanLine } from '~/lib/clean.ts'
import { settingSection, textSetting } from './setting.ts'
import { siteSettings } from './settings.server.ts'

/** Fits beside the search in the header, and into the subject of a mail. */
const MAX_NAME = 40

/** The name of the site, for the brand in the header and for titles, mails and feeds. */
export const nameSection = settingSection({
	name: 'name',
	title: 'Name of the site',
	about: 'Shown in the header, in titles and in mails.',
	settings: {
		name: textSetting({
			label: 'Name',
			hint: 'Such as “Eastmere Quad”. Nobody registers under a name that could be mistaken for it.',
			default: 'DevQuad',
			maxLength: MAX_NAME,
			schema: z
				.string()
				.transform(cleanLine)
				.refine((text) => text !== '', 'Enter a name.'),
			environment: 'SITE_NAME',
		}),
	},
})

/** The name of the site: from SITE_NAME, else as an admin saved it. */
export function siteName(): string {
	return siteSettings(nameSection).name
}
