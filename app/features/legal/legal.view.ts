/* Texts about the operator, the rules and stored data. */

export const legalKinds = ['terms', 'privacy', 'imprint'] as const
export type LegalKind = (typeof legalKinds)[number]

export const legalTitles: Record<LegalKind, string> = { terms: 'Terms', privacy: 'Privacy', imprint: 'Imprint' }

/** The page of a text. */
export const legalPath = (kind: LegalKind): string => `/${kind}`
export const LEGAL_PATH = '/admin/legal'
/** The page on which admins edit a text. */
export const legalEditPath = (kind: LegalKind): string => `${LEGAL_PATH}/${kind}`
export const ACCEPT_PATH = '/terms/accept'

/** In characters, and a number of versions. */
export const legalLimits = { body: 50_000, note: 300, versionsShown: 20 }

/** The text with this name in an address; undefined if there is none. */
export function legalKind(name: string): LegalKind | undefined {
	return legalKinds.find((kind) => kind === name)
}

/** Placeholders in braces, which are filled in when a text is read. */
export const placeholders: Readonly<Record<string, string>> = {
	site: 'the name of the site',
	url: 'its address',
	operator: 'who runs it (Settings, Operator of this site)',
	address: 'their postal address',
	contact: 'their email address',
	retention: 'a table of what is stored for how many days, as it is set now',
}

/** A version in the list of versions. */
export interface VersionSummary {
	id: number
	/** ISO 8601 */
	at: string
	note: string
	/** Whether members had to accept it. */
	asks: boolean
	isWithdrawn: boolean
}

/** A text as its page shows it. */
export interface LegalPage {
	kind: LegalKind
	html: string
	/** The version shown; null for the site’s template, which nobody has published. */
	version: { id: number; at: string } | null
	isNewest: boolean
	versions: VersionSummary[]
}
