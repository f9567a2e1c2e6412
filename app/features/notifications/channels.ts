/** The ways of telling: a heading in the settings, and how a reader who hears the page is told of a box below it. */
export const channels = {
	site: { title: 'Site', spoken: 'on the site' },
	mail: { title: 'Email', spoken: 'by email' },
	push: { title: 'Browser', spoken: 'in the browser' },
} as const satisfies Record<string, { title: string; spoken: string }>

export type Channel = keyof typeof channels

export const channelNames = Object.keys(channels) as Channel[]

/** “ and 3 others”, or nothing for one person alone. @param people how many did it */
export function others(people: number): string {
	if (people <= 1) return ''
	return people === 2 ? ' and 1 other' : ` and ${people - 1} others`
}
