/**
 * Whether a cooked text holds a link or a picture from another site.
 * @param html as `cook` made it
 * @param home this site's own address; its pages may be linked to
 */
export function leadsElsewhere(html: string, home: string): boolean {
	const addresses = [...html.matchAll(/\s(?:href|src)="([^"]*)"/g)].map((match) => match[1] ?? '')
	return addresses.some((address) => /^([a-z][a-z0-9+.-]*:|\/\/)/i.test(address) && !isWithin(address, home))
}

function isWithin(address: string, home: string): boolean {
	return address === home || address.startsWith(`${home}/`)
}
