import { NotFound } from '~/lib/errors.ts'
import { withHttpErrors } from '~/platform/http/http.ts'

/** The fallback route; the error boundary of the root renders the page. */
export const loader = () =>
	withHttpErrors(async () => {
		throw new NotFound('')
	})

export const action = loader

export default function NothingHere() {
	return null
}
