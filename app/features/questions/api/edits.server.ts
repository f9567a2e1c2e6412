import { type Call, StaleEdit } from '~/platform/http/operation.ts'
import { StaleQuery } from '../asking/stale.server.ts'
import { StaleComment } from '../discussion/stale-comment.server.ts'

type IfMatch = Call<unknown, unknown>['ifMatch']

/** What no text ever gets to by edits; it stands for a tag that names none of its versions. */
const noVersion = 2_147_483_647

/**
 * The version that an edit was made from, for the use case.
 * @param ifMatch what the header names; it goes before the body
 * @param named what the body names
 * @param stored the version as it stands
 */
export function namedVersion(ifMatch: IfMatch, named: unknown, stored: number): unknown {
	if (!ifMatch) return named
	return ifMatch.includes(stored) ? stored : noVersion
}

/** Makes an edit. @throws StaleEdit with both texts when another one was saved first */
export async function editing<Result>(ifMatch: IfMatch, sent: object, edit: () => Promise<Result>): Promise<Result> {
	try {
		return await edit()
	} catch (error) {
		if (!(error instanceof StaleQuery || error instanceof StaleComment)) throw error
		throw new StaleEdit(error.message, ifMatch ? 412 : 409, { stored: error.stored, sent })
	}
}
