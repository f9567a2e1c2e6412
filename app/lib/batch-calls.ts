interface Waiting<Item, Answer> {
	item: Item
	resolve: (answer: Answer) => void
	reject: (error: unknown) => void
}

/**
 * Batches work on single items: items requested in the same tick, or while an earlier round runs, are done together in the next
 * round. When nothing runs, a round begins at once.
 * @param work returns results in the order of the items; an error rejects the whole round
 * @param most items of one round
 * @param keysOf items that share a key are never in the same round, and are done in order
 */
export function batchCalls<Item, Answer>(
	work: (items: Item[]) => Promise<readonly Answer[]>,
	most = 500,
	keysOf?: (item: Item) => readonly string[],
): (item: Item) => Promise<Answer> {
	let waiting: Waiting<Item, Answer>[] = []
	let working = false
	const round = async () => {
		const [now, later] = nextRound(waiting, most, keysOf)
		waiting = later
		try {
			const answers = await work(now.map(({ item }) => item))
			for (const [index, { resolve }] of now.entries()) resolve(answers[index] as Answer)
		} catch (error) {
			for (const { reject } of now) reject(error)
		}
	}
	const runRounds = async () => {
		while (waiting.length > 0) await round()
		working = false
	}
	return (item) =>
		new Promise((resolve, reject) => {
			waiting.push({ item, resolve, reject })
			if (working) return
			working = true
			// Includes everything that is requested in the same turn of the event loop.
			setImmediate(() => void runRounds())
		})
}

/** @returns what is done now, and what keeps waiting */
function nextRound<One extends { item: unknown }>(
	waiting: One[],
	most: number,
	keysOf: ((item: One['item']) => readonly string[]) | undefined,
): [now: One[], later: One[]] {
	if (!keysOf) return [waiting.slice(0, most), waiting.slice(most)]
	const [now, later]: [One[], One[]] = [[], []]
	const taken = new Set<string>()
	for (const one of waiting) {
		const keys = keysOf(one.item)
		const goes = now.length < most && keys.every((key) => !taken.has(key))
		// Also keys of waiting items, so that later items cannot overtake them.
		for (const key of keys) taken.add(key)
		if (goes) now.push(one)
		else later.push(one)
	}
	return [now, later]
}
