/** The types of install.mjs for the TypeScript that imports it. */
export function siteFlags(development: boolean): string[]
