/** Which version of the site this is: the number of package.json, and the commit that the build was made of, if that is known. */
interface Version {
	number: string
	commit: string | null
}

/** Put in by the build (vite.config.ts). Scripts and tests run without a build. */
declare const SITE_VERSION: Version | undefined

export const version: Version = typeof SITE_VERSION === 'undefined' ? { number: 'unbuilt', commit: null } : SITE_VERSION

/** @returns such as “DevQuad 0.2.0 (1f2e3d4c5b)”, to compare with the changelog and to quote in a report */
export function versionLine({ number, commit }: Version = version): string {
	return `DevQuad ${number}${commit ? ` (${commit})` : ''}`
}
