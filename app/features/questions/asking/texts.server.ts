import { type Cooked, cook } from '~/platform/markdown/cook.server.ts'
import { languageOfTags } from '~/platform/markdown/highlight.server.ts'
import { peopleIn } from '../mentions/people.server.ts'

/** A query's description as HTML. Publishing and the preview call this one, so that they cannot differ. */
export async function cookDescription(description: string, tags: readonly string[]): Promise<Cooked> {
	return cook(description, { language: languageOfTags(tags), topHeading: 2, people: await peopleIn(description) })
}
