interface Waiting<Item, Answer> {
	item: Item
	resolve: (answer: Answer) => void
	reject: (error: unknown) => void
}

interface Gathering<Item> {
	/** Items of one round. */
	most?: number
	/** Rounds that may be under way at the same time. */
	rounds?: number
	/** Items with a key in common are never under way at the same time, and are done in the order in which they came. */
	keysOf?: (item: Item) => readonly string[]
}

/**
 * Makes of work on many items one that is asked for with a single one: what is asked for in the same moment, or while as many
 * rounds are under way as may be, is done together in the next round. Otherwise a round begins at once.
 * @param work answers in the order of the items; what it throws, everybody of that round gets
 */
export function gathered<Item, Answer>(
	work: (items: Item[]) => Promise<readonly Answer[]>,
	{ most = 500, rounds = 1, keysOf = () => [] }: Gathering<Item> = {},
): (item: Item) => Promise<Answer> {
	let waiting: Waiting<Item, Answer>[] = []
	let underWay = 0
	let scheduled = false
	const busy = new Set<string>()
	const begin = () => {
		scheduled = false
		while (waiting.length > 0 && underWay < rounds) {
			const [now, later] = nextRound(waiting, { most, keysOf, busy })
			if (now.length === 0) return
			waiting = later
			void round(now)
		}
	}
	const round = async (now: Waiting<Item, Answer>[]) => {
		const keys = now.flatMap(({ item }) => keysOf(item))
		underWay += 1
		for (const key of keys) busy.add(key)
		try {
			const answers = await work(now.map(({ item }) => item))
			for (const [index, { resolve }] of now.entries()) resolve(answers[index] as Answer)
		} catch (error) {
			for (const { reject } of now) reject(error)
		}
		underWay -= 1
		for (const key of keys) busy.delete(key)
		begin()
	}
	return (item) =>
		new Promise((resolve, reject) => {
			waiting.push({ item, resolve, reject })
			if (scheduled || underWay >= rounds) return
			scheduled = true
			// Everything that the same turn of the event loop brings comes along.
			setImmediate(begin)
		})
}

/** @returns what is done now, and what goes on waiting */
function nextRound<One extends { item: unknown }>(
	waiting: One[],
	{ most, keysOf, busy }: { most: number; keysOf: (item: One['item']) => readonly string[]; busy: ReadonlySet<string> },
): [now: One[], later: One[]] {
	const [now, later]: [One[], One[]] = [[], []]
	const taken = new Set(busy)
	for (const one of waiting) {
		const keys = keysOf(one.item)
		const goes = now.length < most && keys.every((key) => !taken.has(key))
		// Also of what waits: nothing that came later passes it by.
		for (const key of keys) taken.add(key)
		if (goes) now.push(one)
		else later.push(one)
	}
	return [now, later]
}
