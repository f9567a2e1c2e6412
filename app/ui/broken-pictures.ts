export const KEY = 'broken-pictures'
export const MAX_AGE_MS = 7 * 24 * 60 * 60 * 1000

/**
 * Whether this picture failed to load in this browser within the last 7 days.
 * @param path of the picture, as the database has it; only the hash at its end is kept, which names no member
 */
export function isBroken(path: string): boolean {
	try {
		const list: [hash: string, at: number][] = JSON.parse(localStorage.getItem(KEY) ?? '[]')
		return list.some(([hash, at]) => path.endsWith(`/${hash}`) && Date.now() - at < MAX_AGE_MS)
	} catch {
		return false
	}
}
