import { NotFound } from '~/lib/errors.ts'
import { answering } from '~/platform/http/http.ts'

/** Answers every address that the site map does not know; the root draws the page. */
export const loader = () =>
	answering(async () => {
		throw new NotFound('')
	})

export const action = loader

export default function NothingHere() {
	return null
}
