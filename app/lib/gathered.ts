interface Waiting<Item, Answer> {
	item: Item
	resolve: (answer: Answer) => void
	reject: (error: unknown) => void
}

/**
 * Makes of work on many items one that is asked for with a single one: what is asked for in the same moment, or while an
 * earlier round is under way, is done together in the next round. When nothing is under way it begins at once.
 * @param work answers in the order of the items; what it throws, everybody of that round gets
 * @param most items of one round
 */
export function gathered<Item, Answer>(
	work: (items: Item[]) => Promise<readonly Answer[]>,
	most = 500,
): (item: Item) => Promise<Answer> {
	const waiting: Waiting<Item, Answer>[] = []
	let working = false
	const round = async () => {
		const now = waiting.splice(0, most)
		try {
			const answers = await work(now.map(({ item }) => item))
			for (const [index, { resolve }] of now.entries()) resolve(answers[index] as Answer)
		} catch (error) {
			for (const { reject } of now) reject(error)
		}
	}
	const goOn = async () => {
		while (waiting.length > 0) await round()
		working = false
	}
	return (item) =>
		new Promise((resolve, reject) => {
			waiting.push({ item, resolve, reject })
			if (working) return
			working = true
			// Everything that the same turn of the event loop brings comes along.
			setImmediate(() => void goOn())
		})
}
