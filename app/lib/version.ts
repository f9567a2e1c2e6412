/** The version of the site: the number of package.json, and the commit of the build, if known. */
interface Version {
	number: string
	commit: string | null
}

/** Set by the build (vite.config.ts). Scripts and tests run without a build. */
declare const SITE_VERSION: Version | undefined

export const version: Version = typeof SITE_VERSION === 'undefined' ? { number: 'unbuilt', commit: null } : SITE_VERSION

/** @returns such as “DevQuad 0.2.0 (1f2e3d4c5b)”, for reports and to compare with the changelog */
export function versionLine(): string {
	const { number, commit } = version
	return `DevQuad ${number}${commit ? ` (${commit})` : ''}`
}
