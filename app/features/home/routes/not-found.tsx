import { NotFound } from '~/lib/errors.ts'
import { answering } from '~/platform/http/http.ts'

/** The fallback route; the error boundary of the root renders the page. */
export const loader = () =>
	answering(async () => {
		throw new NotFound('')
	})

export const action = loader

export default function NothingHere() {
	return null
}
