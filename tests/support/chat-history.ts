/*
 * Checks the history of a chat run, in the manner of Jepsen: members write while the system is broken on purpose, and afterwards
 * acknowledged writes are compared with what everybody sees. Independent of how the run was made.
 */

/** A message as a member finally sees it. */
export interface SeenMessage {
	id: number
	clientId: string
	sender: string
	/** '' if it was deleted. */
	body: string
	version: number
}

export interface WrittenMessage {
	clientId: string
	body: string
	/** Its id; null until it is acknowledged. */
	acknowledged: number | null
	/** Later edits by its author, in order; '' deletes it. Unacknowledged ones may or may not have happened. */
	changes: { body: string; acknowledged: boolean }[]
}

/** Messages of one member to another, in the order of writing. */
export interface WrittenMessages {
	from: string
	to: string
	messages: WrittenMessage[]
}

/** A member's final view of a conversation, ascending. */
export interface View {
	member: string
	peer: string
	/** The device or interface. */
	by: string
	version: number
	messages: SeenMessage[]
}

/** Violated guarantees, as lines; empty if all hold. */
export function findViolations(written: WrittenMessages[], views: View[]): string[] {
	return [...written.flatMap((one) => ofWriter(one, views)), ...differing(views), ...views.flatMap(ofView)]
}

function ofWriter({ from, to, messages }: WrittenMessages, views: View[]): string[] {
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
 * The texts that a message may finally have: of the last acknowledged edit, or of any unacknowledged one, which may have happened later. A
 * deletion is final.
 */
function mayRead({ body, changes }: WrittenMessage): Set<string> {
	const known = [{ body, acknowledged: true }, ...changes]
	if (known.some((change) => change.acknowledged && change.body === '')) return new Set([''])
	const last = known.findLast(({ acknowledged }) => acknowledged)
	return new Set(known.filter((change) => change === last || !change.acknowledged).map((change) => change.body))
}

/** All views of a conversation must be equal. */
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

/** Ids and versions increase together, and versions are unique. */
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
