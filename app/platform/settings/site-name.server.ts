import { z } from 'zod'
import { cleanLine } from '~/lib/clean.ts'
import { settingSection, textSetting } from './setting.ts'
import { siteSettings } from './settings.server.ts'

/** Fits beside the search in the header, and into the subject of a mail. */
const MAX_NAME = 40

/** What the site is called: the brand in the header, and in every title, mail and feed. */
export const nameSection = settingSection({
	name: 'name',
	title: 'Name of the site',
	about: 'What stands in the header, in titles and in mails.',
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

/** The name of the site: by SITE_NAME, else as an admin saved it. */
export function siteName(): string {
	return siteSettings(nameSection).name
}
