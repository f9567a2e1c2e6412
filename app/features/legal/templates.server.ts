import { readFileSync } from 'node:fs'
import { z } from 'zod'
import { config } from '~/config.server.ts'
import { listRetention } from '~/features/privacy/retention/retention.server.ts'
import { remember } from '~/lib/remember.ts'
import { renderMarkdown } from '~/platform/markdown/render.server.ts'
import { settingSection, textSetting } from '~/platform/settings/setting.ts'
import { siteSettings } from '~/platform/settings/settings.server.ts'
import { siteName } from '~/platform/settings/site-name.server.ts'
import { type LegalKind, placeholders } from './legal.view.ts'

/* The texts that come with the software, and what is filled into a text when it is read. */

/** Who answers for the site, by name and address, as the law of many countries asks. */
export const operatorSection = settingSection({
	name: 'operator',
	title: 'Operator of this site',
	about: 'Shown in the imprint, and in the privacy page and the terms where they mention it.',
	settings: {
		operator: textSetting({
			label: 'Name',
			hint: 'A person or a body, such as the university or the student union.',
			maxLength: 200,
		}),
		address: textSetting({ label: 'Postal address', isLong: true, maxLength: 500 }),
		contact: textSetting({
			label: 'E-mail address',
			hint: 'For questions about the site and about data. Everyone can see it.',
			schema: z.union([z.email(), z.literal('')], 'Enter an e-mail address.'),
		}),
	},
})

const read = remember('legal-templates', () => new Map<LegalKind, string>())

/** The text that comes with the software, as Markdown with placeholders. */
export function templateOf(kind: LegalKind): string {
	const text = read.get(kind) ?? readFileSync(`app/features/legal/templates/${kind}.md`, 'utf8')
	read.set(kind, text)
	return text
}

const placeholder = /\{\{\s*(\w+)\s*\}\}/g

/** What is in double braces in a text and is no placeholder. */
export function unknownPlaceholders(body: string): string[] {
	return [...body.matchAll(placeholder)].map(([, name = '']) => name).filter((name) => !(name in placeholders))
}

/** A text as HTML, filled in with what the settings say now. The last ones are remembered. */
export async function renderLegal(body: string): Promise<string> {
	const filled = fill(body)
	const before = rendered.get(filled)
	if (before !== undefined) return before
	const { html } = await renderMarkdown(filled, { topHeading: 2 })
	if (rendered.size >= MAX_RENDERED) rendered.clear()
	rendered.set(filled, html)
	return html
}

const rendered = remember('legal-rendered', () => new Map<string, string>())
const MAX_RENDERED = 20

function fill(body: string): string {
	const { publicUrl } = config()
	const { operator, address, contact } = siteSettings(operatorSection)
	const values: Record<string, string> = {
		site: plain(siteName()),
		url: publicUrl,
		operator: plain(operator) || `the administrators of ${plain(siteName())}`,
		address: address.split(/\r?\n/).map(plain).join('\\\n') || 'The postal address was not given.',
		contact: contact ? `<${contact}>` : 'the administrators of this site',
		retention: retentionTable(),
	}
	return body.replace(placeholder, (whole, name: string) => values[name] ?? whole)
}

function retentionTable(): string {
	const rows = listRetention().map(({ label, days }) => `| ${label} | ${days} ${days === 1 ? 'day' : 'days'} |`)
	return ['| What | For how long |', '| --- | --- |', ...rows].join('\n')
}

/** A text that means nothing in Markdown. */
function plain(text: string): string {
	return text.trim().replace(/[\\`*_{}[\]()#+\-.!|<>~$&@]/g, '\\$&')
}
