/** The types of install.mjs for the TypeScript that imports it. */
export const root: string
export function siteFlags(development: boolean): string[]
export function buildWhenOld(node: string): void

/** Ends this process with one message and the exit code 1. */
export function stop(message: string): never
