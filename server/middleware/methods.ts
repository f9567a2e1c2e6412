import type { Config } from '~/config.server.ts'
import { problem } from '~/platform/http/problem.ts'
import { securityHeaders } from './security.ts'

const pageMethods = ['GET', 'HEAD', 'POST']
/** Where scripts of a page delete something: the draft of a question. */
const deletable = /^\/forum\/drafts(\?|$)/
const apiMethods = [...pageMethods, 'PUT', 'PATCH', 'DELETE', 'OPTIONS']

/**
 * The refusal of a method that nothing here understands, or null. It is asked before the request becomes one of fetch's:
 * TRACE cannot be one, and would end as an error of ours.
 * @param path the path as it came, perhaps with a query
 */
export function refuseMethod(method: string, path: string, settings: Pick<Config, 'secure'>): Response | null {
	const forPrograms = path.startsWith('/api/')
	const ofPage = deletable.test(path) ? [...pageMethods, 'DELETE'] : pageMethods
	const allowed = forPrograms ? apiMethods : ofPage
	if (allowed.includes(method)) return null
	const headers = new Headers([...securityHeaders(settings), ['Allow', allowed.join(', ')]])
	const detail = `This address allows ${allowed.join(', ')}.`
	if (forPrograms) return problem(405, detail, { headers })
	headers.set('Content-Type', 'text/plain; charset=utf-8')
	return new Response(detail, { status: 405, headers })
}
