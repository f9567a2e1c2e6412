/* The texts that say who runs the site, what holds here and what is stored. */

export const legalKinds = ['terms', 'privacy', 'imprint'] as const
export type LegalKind = (typeof legalKinds)[number]

export const legalTitles: Record<LegalKind, string> = { terms: 'Terms', privacy: 'Privacy', imprint: 'Imprint' }

/** Where a text is read, and where admins write it. */
export const legalPath = (kind: LegalKind): string => `/${kind}`
export const LEGAL_PATH = '/admin/legal'
export const editPath = (kind: LegalKind): string => `${LEGAL_PATH}/${kind}`
export const ACCEPT_PATH = '/terms/accept'

/** Characters. */
export const legalLimits = { body: 50_000, note: 300, versionsShown: 20 }

/** The text with this name, as an address has it; undefined where there is none. */
export function legalKind(name: string): LegalKind | undefined {
	return legalKinds.find((kind) => kind === name)
}

/** What is in braces in a text and is filled in when it is read. */
export const placeholders: Readonly<Record<string, string>> = {
	site: 'the name of the site',
	url: 'its address',
	operator: 'who runs it (Settings, Operator of this site)',
	address: 'their postal address',
	contact: 'their e-mail address',
	retention: 'a table of what is stored for how many days, as it is set now',
}

/** One version in a list. */
export interface VersionLine {
	id: number
	/** ISO 8601 */
	at: string
	note: string
	/** Whether members were asked to accept it. */
	asks: boolean
	isWithdrawn: boolean
}

/** A text as its page shows it. */
export interface LegalPage {
	kind: LegalKind
	html: string
	/** Which version this is; null for the site’s template, which nobody has published. */
	version: { id: number; at: string } | null
	isNewest: boolean
	versions: VersionLine[]
}
