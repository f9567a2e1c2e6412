/*
 * Judges what a run of the chat left behind, in the manner of Jepsen: members write while the ground under them breaks, and
 * afterwards what they were promised is compared with what everybody sees. Knows nothing of how the run was made.
 */

/** A message as somebody sees it in the end. */
export interface SeenMessage {
	id: number
	clientId: string
	sender: string
	/** '' when it was deleted. */
	body: string
	version: number
}

export interface WrittenMessage {
	clientId: string
	body: string
	/** Its id; null while nobody has said that it is stored. */
	acknowledged: number | null
	/** What its author made of it later, in this order; '' deletes it. What was not acknowledged may have happened or not. */
	changes: { body: string; acknowledged: boolean }[]
}

/** What one member wrote to another, in the order of writing. */
export interface Written {
	from: string
	to: string
	messages: WrittenMessage[]
}

/** What one member sees of the conversation with another in the end, ascending. */
export interface View {
	member: string
	peer: string
	/** Which device, or by which way in. */
	by: string
	version: number
	messages: SeenMessage[]
}

/** Everything that breaks a promise, as lines; nothing, if all is well. */
export function findBroken(written: Written[], views: View[]): string[] {
	return [...written.flatMap((one) => ofWriter(one, views)), ...differing(views), ...views.flatMap(ofView)]
}

function ofWriter({ from, to, messages }: Written, views: View[]): string[] {
	const own = new Set(messages.map(({ clientId }) => clientId))
	return views
		.filter((view) => isOf(view, from, to))
		.flatMap((view) => {
			const place = `${from} to ${to}, seen by ${view.member} (${view.by})`
			const seen = view.messages.filter(({ sender }) => sender === from)
			const broken: string[] = []
			for (const message of messages) {
				const { clientId, body, acknowledged } = message
				const copies = seen.filter((copy) => copy.clientId === clientId)
				if (copies.length > 1) broken.push(`doubled: “${body}”, ${place}`)
				if (acknowledged === null) continue
				if (copies.length === 0) broken.push(`lost though acknowledged: “${body}”, ${place}`)
				else if (copies[0]?.id !== acknowledged) broken.push(`acknowledged as another one: “${body}”, ${place}`)
				if (copies[0] && !mayRead(message).has(copies[0].body))
					broken.push(`changed: “${[...mayRead(message)]}” is “${copies[0].body}”, ${place}`)
			}
			for (const { clientId, body } of seen) if (!own.has(clientId)) broken.push(`never written: “${body}”, ${place}`)
			const order = messages
				.map(({ clientId }) => clientId)
				.filter((id) => seen.some(({ clientId }) => clientId === id))
			const sight = [...new Set(seen.map(({ clientId }) => clientId))].filter((id) => own.has(id))
			if (order.join() !== sight.join()) broken.push(`not in the order of writing: ${place}`)
			return broken
		})
}

/**
 * What a message may say in the end: the last thing that was acknowledged, or what was not, as that may have happened at any
 * time since. One that was deleted stays so.
 */
function mayRead({ body, changes }: WrittenMessage): Set<string> {
	const known = [{ body, acknowledged: true }, ...changes]
	if (known.some((change) => change.acknowledged && change.body === '')) return new Set([''])
	const last = known.findLast(({ acknowledged }) => acknowledged)
	return new Set(known.filter((change) => change === last || !change.acknowledged).map((change) => change.body))
}

/** All who see a conversation see the same one. */
function differing(views: View[]): string[] {
	const first = new Map<string, View>()
	return views.flatMap((view) => {
		const pair = [view.member, view.peer].sort().join(' and ')
		const known = first.get(pair)
		if (!known) first.set(pair, view)
		if (!known || JSON.stringify(known.messages) === JSON.stringify(view.messages)) return []
		return [`${pair}: ${view.member} (${view.by}) and ${known.member} (${known.by}) see it differently`]
	})
}

/** Ids and versions grow together, and no version names two changes. */
function ofView({ member, peer, by, version, messages }: View): string[] {
	const place = `${member} with ${peer} (${by})`
	const ids = messages.map(({ id }) => id)
	const versions = messages.map((message) => message.version)
	const broken: string[] = []
	if (ids.some((id, index) => index > 0 && id <= (ids[index - 1] ?? 0))) broken.push(`ids do not ascend: ${place}`)
	if (new Set(versions).size !== versions.length) broken.push(`one version names two changes: ${place}`)
	if (versions.some((one) => one > version)) broken.push(`a change is newer than the conversation: ${place}`)
	return broken
}

function isOf({ member, peer }: View, from: string, to: string): boolean {
	return (member === from && peer === to) || (member === to && peer === from)
}
