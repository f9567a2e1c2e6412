/** The types of install.mjs for the TypeScript that imports it. */
export const root: string
export function siteFlags(development: boolean): string[]
export function buildWhenOld(node: string): void
