import type { MetaDescriptor } from 'react-router'
import type { RootData } from './root-data.ts'

type Matches = readonly ({ id: string; loaderData?: unknown } | undefined)[]

/** What a link to a member's page shows where it is shared: a card that is drawn by the server, 1,200 × 630. */
export function memberShare(matches: Matches, member: { username: string; name: string }): MetaDescriptor[] {
	const root = matches.find((match) => match?.id === 'root')?.loaderData as RootData | undefined
	const page = `${root?.publicUrl ?? ''}/find-dev/${member.username}`
	const site = root?.siteName ?? ''
	const open = {
		type: 'profile',
		site_name: site,
		title: `${member.name} · ${site}`,
		description: `A member of ${site}: connect, collaborate, build and learn new skills.`,
		url: page,
		image: `${page}/card.png`,
		'image:type': 'image/png',
		'image:width': '1200',
		'image:height': '630',
		'image:alt': `${member.name} on ${site}`,
		'profile:username': member.username,
	}
	return [
		...Object.entries(open).map(([name, content]) => ({
			property: name.startsWith('profile:') ? name : `og:${name}`,
			content,
		})),
		{ name: 'twitter:card', content: 'summary_large_image' },
	]
}

/** The username in the address of a member's page (`/find-dev/mira`), or null for any other address. */
export function sharedUsername(path: string): string | null {
	return /^\/find-dev\/([a-z0-9_.-]+)$/i.exec(path)?.[1]?.toLowerCase() ?? null
}
