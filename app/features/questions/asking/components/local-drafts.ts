import type { AskValues, Draft } from '../asking.view.ts'

/** A draft as this browser keeps it. */
export interface LocalDraft extends Draft {
	/** Whether something was typed since the server last took it. */
	unsent: boolean
}

/** The name of a draft in this browser: each member has their own, and visitors share one. */
export function localName(owner: string | null, key: string): string {
	return `draft ${owner ?? ''} ${key}`
}

/** The draft under this name; null when there is none, or what is there is none of ours. */
export function readLocal(name: string): LocalDraft | null {
	try {
		return parseLocal(localStorage.getItem(name))
	} catch {
		return null
	}
}

// A browser may forbid the store, and it may be full; the server then has the only draft.
export function writeLocal(name: string, draft: LocalDraft | null): void {
	try {
		if (draft) localStorage.setItem(name, JSON.stringify(draft))
		else localStorage.removeItem(name)
	} catch {
		// see above
	}
}

export function parseLocal(text: string | null): LocalDraft | null {
	try {
		const { title, description, tags, category, savedAt, madeFrom, version, unsent } = JSON.parse(text ?? '')
		const texts = [title, description, tags, category, savedAt]
		if (!texts.every((part) => typeof part === 'string') || Number.isNaN(Date.parse(savedAt))) return null
		return {
			...{ title, description, tags, category, savedAt },
			...{ madeFrom: Number(madeFrom) || 0, version: Number(version) || 0, unsent: unsent === true },
		}
	} catch {
		return null
	}
}

export function isEmpty({ title, description, tags }: AskValues): boolean {
	return `${title}${description}${tags}`.trim() === ''
}

export function isSame(one: AskValues, other: AskValues): boolean {
	return (['title', 'description', 'tags', 'category'] as const).every((field) => one[field] === other[field])
}

/**
 * Of what this browser and the server keep, the draft to go on with, and the other one when it says something else.
 * @param local what this browser kept
 * @param stored what the server keeps; null when it has none, undefined when it was not asked
 */
export function newerOf(
	local: LocalDraft | null,
	stored: Draft | null | undefined,
): { draft: Draft | null; other: Draft | null } {
	if (!stored) {
		// The server took it and has it no more: it was published or thrown away elsewhere.
		const gone = stored === null && local !== null && local.version > 0 && !local.unsent
		return { draft: gone ? null : local, other: null }
	}
	if (!local || isSame(local, stored)) return { draft: stored, other: null }
	// A continuation of what the server has needs no clock to be the newer one.
	if (local.version === stored.version) return { draft: { ...local, version: stored.version }, other: null }
	const wins = local.unsent && Date.parse(local.savedAt) > Date.parse(stored.savedAt)
	if (wins) return { draft: { ...local, version: stored.version }, other: stored }
	return { draft: stored, other: local.unsent ? local : null }
}
