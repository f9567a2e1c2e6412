/** A set of terms that a member has one of, with the share of all members who do. */
export interface Group {
	ids: number[]
	share: number
}

/** Which members are meant: who has one of each group, and what of it the index cannot tell. */
export interface Meant {
	groups: Group[]
	/** Exactly so many of these groups must be there, which only the row itself can tell. */
	exactly?: { groups: Group[]; count: number }
	/** Not one of each of these: they came before. */
	not?: Group[]
	/** A member who came before. */
	notUser?: number | null
	/** Without those who block this member: the set shows who is online, or who was last. */
	notBlocking?: number | null
}

/**
 * How a set is read: fetched whole, walked through in order, or block by block of members who joined one after the other.
 * Each finds the same; they differ in what they cost.
 */
export type Way = 'whole' | 'walk' | 'blocks'

/** Members of one block, as migrations/0007_directory.sql cuts them. */
export const blockSize = 16_384
/** At most so many are walked through; what looked common may be rare together. */
export const MAX_WALKED = 8_192

/* What a step costs, in milliseconds, measured at a million members in memory (bench/RESULTS.md). */
const perListed = 1e-5
const perFetched = 1.5e-3
const perWalked = { joined: 0.8e-3, seen: 1.5e-3 }
const perBlock = 0.2

interface Reading {
	/** How many listed members there are. */
	total: number
	/** How many of the set are needed. */
	need: number
	/** Whose order they must come in; null when any will do. */
	order: 'joined' | 'seen' | null
}

/** The cheapest way to read as many of a set as are needed, by how common its terms are. */
export function wayOf(meant: Meant, { total, need, order }: Reading): Way {
	const { looked, checked } = splitGroups(meant)
	const matching = productOf(looked) * Math.min(1, sumOf(meant.exactly?.groups ?? [{ share: 1 }]))
	const listed = (sumOf(looked) + sumOf(meant.exactly?.groups ?? [])) * total
	const steps = need / (matching * productOf(checked))
	const fetched = order === null ? Math.min(matching * total, need) : matching * total
	const blocks = Math.min(Math.ceil(total / blockSize), Math.ceil(steps / blockSize))
	const costs: Record<Way, number> = {
		whole: listed * perListed + fetched * perFetched,
		walk: Math.min(steps, total) > MAX_WALKED ? Number.POSITIVE_INFINITY : steps * perWalked[order ?? 'joined'],
		blocks: order === 'seen' ? Number.POSITIVE_INFINITY : blocks * perBlock,
	}
	return costs.walk <= costs.whole && costs.walk <= costs.blocks
		? 'walk'
		: costs.blocks < costs.whole
			? 'blocks'
			: 'whole'
}

/**
 * The groups that are looked up in the index, the rarest first, and those that are cheaper to check in the rows that these
 * leave: a common term has a long list, and reading it pays only where it spares many rows.
 */
export function splitGroups({ groups }: Meant): { looked: Group[]; checked: Group[] } {
	const looked: Group[] = []
	const checked: Group[] = []
	let left = 1
	for (const group of groups.toSorted((one, other) => one.share - other.share)) {
		const pays = left * (1 - group.share) * perFetched > group.share * perListed
		if (looked.length > 0 && !pays) checked.push(group)
		else {
			looked.push(group)
			left *= group.share
		}
	}
	return { looked, checked }
}

/** Whether a set leaves nobody out. */
export function isEverybody({ groups, exactly }: Meant): boolean {
	return groups.length === 0 && !exactly
}

/** What part of all members have one of each group, taking groups as independent of one another. */
function productOf(groups: Group[]): number {
	return groups.reduce((product, { share }) => product * share, 1)
}

function sumOf(groups: { share: number }[]): number {
	return groups.reduce((sum, { share }) => sum + share, 0)
}
