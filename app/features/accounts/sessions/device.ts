const browsers = [
	[/Firefox\//, 'Firefox'],
	[/Edg(A|iOS)?\//, 'Edge'],
	[/OPR\//, 'Opera'],
	[/Chrom(e|ium)\/|CriOS\//, 'Chrome'],
	[/Safari\//, 'Safari'],
] as const

const systems = [
	[/Android/, 'Android'],
	[/iPhone|iPad/, 'iOS'],
	[/Mac OS/, 'macOS'],
	[/Windows/, 'Windows'],
	[/CrOS/, 'ChromeOS'],
	[/Linux/, 'Linux'],
] as const

/** What a member may recognise a session by, from the User-Agent header: “Firefox on Linux”. */
export function deviceOf(agent: string): string {
	const browser = browsers.find(([mark]) => mark.test(agent))?.[1] ?? 'A browser'
	const system = systems.find(([mark]) => mark.test(agent))?.[1] ?? 'an unknown system'
	return `${browser} on ${system}`
}
