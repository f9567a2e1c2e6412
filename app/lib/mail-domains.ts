/* Domains of mail addresses, as admins and operators write them. */

/** A domain without what people write before it: `@campus.example` and `*.campus.example` are `campus.example`. */
export function plainDomain(text: string): string {
	return text.replace(/^(\*?@)?(\*?\.)?/, '')
}

/** Whether the part of an address after the @ can be this: no address of a page, and no whole mail address. */
export function isDomain(text: string): boolean {
	return /^[\p{L}\p{N}_-]+(\.[\p{L}\p{N}_-]+)*$/u.test(text)
}
