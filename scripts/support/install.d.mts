/** The types of install.mjs for the TypeScript that imports it. */
export const root: string
export function siteCommand(development: boolean): { args: string[]; env: Record<string, string> }
export function buildWhenOld(node: string): void
export function tryPackages(node: string): void
export function isReady(development: boolean): boolean
export function describeTakenPort(env: Record<string, string | undefined>): Promise<string | null>
export function missingPackages(folder: string, withTools?: boolean): string[]
export function installPackages(folder: string, withTools: boolean, command?: 'ci' | 'install'): void
export function isBuilt(folder: string): boolean
export function hashOfSources(folder: string): string

/** Ends this process with one message and the exit code 1. */
export function stop(message: string): never
