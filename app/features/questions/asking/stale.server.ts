import { Conflict } from '~/lib/errors.ts'
import type { QueryPageRow } from '../questions.queries.server.ts'
import type { AskValues } from './drafts.view.ts'

/** Somebody else, or another tab, saved an edit first. `stored` is what they left, and as which version. */
export class StaleQuery extends Conflict {
	readonly stored: AskValues & { version: number }
	constructor({ title, description, tags, category_slug: category, version }: QueryPageRow) {
		super('This was changed elsewhere in the meantime. Nothing is lost: choose which version to keep.')
		this.stored = { title, description, tags: tags.join(', '), category, version }
	}
}

/**
 * An edit that came too late. What says the same as what is stored, as the second half of a double click does, is saved.
 * @param stored the query as it is, which the transaction holds
 * @throws StaleQuery when it says anything else
 */
export function unlessSame(
	stored: QueryPageRow,
	texts: { title: string; description: string; tags: string[]; category: string },
): void {
	const same =
		stored.title === texts.title &&
		stored.description === texts.description &&
		stored.category_slug === texts.category &&
		stored.tags.join() === texts.tags.join()
	if (!same) throw new StaleQuery(stored)
}
