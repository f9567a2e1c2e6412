import { Invalid } from './errors.ts'

/* Domains of mail addresses, as admins and operators write them. */

/** A domain without what people write before it: `@campus.example` and `*.campus.example` are `campus.example`. */
export function plainDomain(text: string): string {
	return text.replace(/^(\*?@)?(\*?\.)?/, '')
}

/** Whether the part of an address after the @ can be this: no address of a page, and no whole mail address. */
export function isDomain(text: string): boolean {
	return /^[\p{L}\p{N}_-]+(\.[\p{L}\p{N}_-]+)*$/u.test(text)
}

/**
 * Requires that all of these are domains. For the check of a form: in the schema of a setting, a saved list with a mistake would count
 * as empty, which may let everybody in.
 * @throws Invalid at the field
 */
export function requireDomains(field: string, domains: readonly string[]): void {
	const wrong = domains.find((domain) => !isDomain(domain))
	if (wrong === undefined) return
	const message = `“${wrong}” is not a domain. Enter what stands after the @, such as eastmere.example.`
	throw new Invalid(message, { [field]: message })
}
