const key = 'broken-pictures'
const keptFor = 7 * 24 * 60 * 60 * 1000
const most = 20

/** Whether this picture failed to load here within the last 7 days. */
export function isBroken(url: string): boolean {
	return read().some(([known]) => known === url)
}

/** Remembers a picture that failed to load; the newest 20 are kept. */
export function noteBroken(url: string): void {
	const others = read().filter(([known]) => known !== url)
	try {
		localStorage.setItem(key, JSON.stringify([...others, [url, Date.now()]].slice(-most)))
	} catch {
		// no storage here: the picture is asked for again
	}
}

function read(): [url: string, at: number][] {
	try {
		const list: [string, number][] = JSON.parse(localStorage.getItem(key) ?? '[]')
		return list.filter(([, at]) => Date.now() - at < keptFor)
	} catch {
		return []
	}
}
