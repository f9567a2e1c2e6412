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

/* The templates that come with the software, and the placeholders of all texts. */

/** Name and address of the operator, which the law of many countries requires. */
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
			label: 'Email address',
			hint: 'For questions about the site and about data. Everyone can see it.',
			schema: z.union([z.email('Enter an email address.'), z.literal('')]),
		}),
	},
})

const read = remember('legal-templates', () => new Map<LegalKind, string>())

/** The template of a text, as Markdown with placeholders. */
export function templateOf(kind: LegalKind): string {
	const text = read.get(kind) ?? readFileSync(`app/features/legal/templates/${kind}.md`, 'utf8')
	read.set(kind, text)
	return text
}

const placeholder = /\{\{\s*(\w+)\s*\}\}/g

/** Words in double braces that are no placeholders. */
export function unknownPlaceholders(body: string): string[] {
	return [...body.matchAll(placeholder)]
		.map(([, name = '']) => name)
		.filter((name) => !Object.hasOwn(placeholders, name))
}

/** Renders a text with the current settings. The last results are cached. */
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

/** Escapes text for Markdown. */
function plain(text: string): string {
	return text.trim().replace(/[\\`*_{}[\]()#+\-.!|<>~$&@]/g, '\\$&')
}
