import { data } from 'react-router'
import { log } from '~/lib/log.server.ts'
import { textsOf } from '~/platform/http/form.ts'
import { refused } from '~/platform/http/http.ts'
import type { QuestionPageRow } from '../questions.queries.server.ts'
import { StaleText, withFreshKey } from '../writing/change.server.ts'
import type { AskRefusal, AskValues } from './asking.view.ts'

/** The answer of an ask form that was not published. Nothing that was typed is lost, whatever went wrong. */
export function refusedAsk(error: unknown, form: FormData) {
	if (error instanceof Response) throw error
	const stored = error instanceof StaleQuestion ? error.stored : null
	try {
		const { data: refusal, init } = refused(error, form)
		return data<AskRefusal>({ ...refusal, values: withFreshKey(error, refusal.values), stored }, init ?? {})
	} catch {
		log.error({ err: error }, 'a query could not be published')
		return data<AskRefusal>(
			{ message: 'Something went wrong. Try again!', errors: {}, values: textsOf(form), stored },
			{ status: 500 },
		)
	}
}

/** A question was saved by another edit first. */
export class StaleQuestion extends StaleText<AskValues & { version: number }> {
	constructor({ title, description, tags, category_slug: category, version }: QuestionPageRow) {
		super({ title, description, tags: tags.join(', '), category, version })
	}
}

/**
 * An edit that came too late. What says the same as what is stored, as the second half of a double click does, is saved.
 * @param stored the query as it is, which the transaction holds
 * @throws StaleQuery when it says anything else
 */
export function unlessSame(
	stored: QuestionPageRow,
	texts: { title: string; description: string; tags: string[]; category: string },
): void {
	const same =
		stored.title === texts.title &&
		stored.description === texts.description &&
		stored.category_slug === texts.category &&
		stored.tags.join() === texts.tags.join()
	if (!same) throw new StaleQuestion(stored)
}
