const lists = /^\/(find-dev|forum(\/(tags|ask|category\/[^/]+|tag\/[^/]+))?)$/

/**
 * What a reader is told when a request got no answer: one sentence for lists and searches, another for the rest.
 * @param method of the request
 * @param pathname of the page that was asked
 */
export function failureMessage(method: string, pathname: string): string {
	return method === 'GET' && lists.test(pathname) ? 'Something went wrong. Try again!' : 'Something went wrong!'
}
