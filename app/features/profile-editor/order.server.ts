import { z } from 'zod'
import { requireOwner, requireProfileWriter } from '~/features/members/members.server.ts'
import { ensureProfile, type ItemTable, lockProfile } from '~/features/profiles/profiles.queries.server.ts'
import { Conflict, Invalid, NoSuch } from '~/lib/errors.ts'
import type { Viewer } from '~/lib/viewer.ts'
import { type Input, parseInput, requireVersion } from '~/platform/http/form.server.ts'
import { saveAs } from './editing.server.ts'
import {
	listPositions,
	type PositionedItem,
	raiseOrderVersion,
	readOrderVersion,
	writePinned,
	writePositions,
} from './lists.queries.server.ts'

const id = '[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}'
const noMove = 'Choose what to move, and where to.'

/** A change of order: one step by a button, or the whole order after a drag. */
const moveInput = z.object({
	move: z
		.string()
		.regex(new RegExp(`^(up|down|pin|unpin):${id}$`), noMove)
		.optional(),
	order: z
		.string()
		.regex(new RegExp(`^${id}(,${id})*$`), noMove)
		.optional(),
})

/** The present version of the order. @throws NotAllowed */
export function getOrderVersion(viewer: Viewer, username: string): Promise<number> {
	return readOrderVersion(requireOwner(viewer, username).id)
}

/**
 * Moves or pins an item of the viewer; pinned ones come first.
 * @param input `move`, such as `up:ID` or `pin:ID`, or `order`, all ids separated by commas; and the `version` of the order
 * @returns the result, in a sentence
 * @throws NotAllowed, TooManyRequests, Invalid, NotFound for an item that is gone, Conflict if the order was changed elsewhere
 */
export async function moveItem(viewer: Viewer, username: string, table: ItemTable, input: Input): Promise<string> {
	const member = await requireProfileWriter(viewer, username)
	const { id: userId } = member
	const version = requireVersion(input)
	const { move, order } = parseInput(moveInput, input)
	if (!move && !order) throw new Invalid(noMove)
	const [step = '', item = ''] = move?.split(':') ?? []
	return saveAs(member, async (trx) => {
		await ensureProfile(trx, userId)
		await lockProfile(trx, userId)
		const places = await listPositions(trx, table, userId)
		if (move && !places.some(({ id }) => id === item)) throw new NoSuch('entry')
		const pins = (step === 'pin' || step === 'unpin') && table !== 'experiences'
		if (pins) await writePinned(trx, table, userId, item, step === 'pin')
		const arrange = () => {
			if (pins) return places.map((place) => (place.id === item ? { ...place, part: step === 'pin' ? 0 : 1 } : place))
			return order ? inOrder(places, order.split(',')) : stepped(places, item, step === 'up' ? -1 : 1)
		}
		const moved = arrange()
		const ids = moved.toSorted((one, other) => one.part - other.part).map((place) => place.id)
		if (!(await raiseOrderVersion(trx, userId, version))) throw changedElsewhere()
		await writePositions(trx, table, userId, ids)
		if (!move) return 'The new order is saved.'
		const title = `“${places.find((place) => place.id === item)?.title}”`
		if (pins) return step === 'pin' ? `${title} is pinned.` : `${title} is no longer pinned.`
		return `${title} is number ${ids.indexOf(item) + 1} of ${ids.length} now.`
	})
}

/** The items in the order of a drag. @throws Conflict if the ids are incomplete */
function inOrder(places: PositionedItem[], ids: string[]): PositionedItem[] {
	const known = new Map(places.map((place) => [place.id, place]))
	const ordered = [...new Set(ids)].flatMap((one) => known.get(one) ?? [])
	if (ordered.length !== places.length || ids.length !== places.length) throw changedElsewhere()
	return ordered
}

/** Moves an item by one place; does nothing at the end of its part. */
function stepped(places: PositionedItem[], item: string, by: 1 | -1): PositionedItem[] {
	const from = places.findIndex((place) => place.id === item)
	const [one, other] = [places[from], places[from + by]]
	if (!one || !other || one.part !== other.part) return places
	return places.with(from, other).with(from + by, one)
}

function changedElsewhere(): Conflict {
	return new Conflict('This list was changed in another tab. Look at it as it is now, then move it again.')
}
