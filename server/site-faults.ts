import {
	type ActionFunctionArgs,
	createContext,
	data,
	type LoaderFunctionArgs,
	type RouterContextProvider,
	redirect,
	type ServerBuild,
} from 'react-router'
import { viewerFromCookie, viewerFromRequest } from '~/features/accounts/viewer.server.ts'
import { factsOf, type Viewer } from '~/lib/context.ts'
import { type DiskFull, retryHeaders, Unavailable } from '~/lib/errors.ts'
import { siteFaultOf } from '~/lib/request-scope.server.ts'
import type { FormField } from '~/lib/unsent-form.ts'
import { isDatabaseUnavailable } from '~/platform/db/db.server.ts'
import { withoutDatabase } from '~/platform/db/scope.server.ts'
import { problem } from '~/platform/http/problem.ts'
import { type EndedSessionData, loginLocationOf, type SiteFaultData } from '~/platform/http/site-fault.ts'

type Fault = Unavailable | DiskFull
type Build = ServerBuild
type Route = NonNullable<Build['routes'][string]>
type Middleware = NonNullable<Route['module']['middleware']>[number]
type Args = LoaderFunctionArgs | ActionFunctionArgs

/** The site faults that a request for a page has met so far. */
interface FaultState {
	fault: Fault | null
	/** The fields of the submitted form. */
	typed: FormField[] | null
	/** The login that a visitor of a private site is redirected to (middleware/private-site.ts); null for everybody else. */
	instead: LoginRedirect | null
}

/** The login that a visitor of a private site gets in place of a route's response. */
export interface LoginRedirect {
	/** Its address, which leads back. */
	login: string
	/** Whether a script requested the data of a page. */
	isData: boolean
}

export const faultContext = createContext<FaultState>()

/** Who sent a request, as far as it is known. */
interface Sender {
	viewer: Viewer
	/** The session's Set-Cookie headers; none while the database is unavailable, so that no cookie is removed. */
	headers: Headers
	/** Why the session could not be looked up; such a request may not use the database. */
	fault: Unavailable | null
}

/**
 * Finds out who sent a request. While the database is unavailable, the signed cookie is trusted, for the frame of the page only.
 * @param fresh whether the cookie alone is not enough
 */
export async function senderOf(request: Request, fresh: boolean): Promise<Sender> {
	try {
		return { ...(await viewerFromRequest(request, { fresh })), fault: null }
	} catch (error) {
		const fault = siteFaultOf(error)
		if (!(fault instanceof Unavailable)) throw error
		const viewer = await withoutDatabase(fault, () => viewerFromCookie(request)).catch(() => null)
		return { viewer, headers: new Headers(), fault }
	}
}

/** Adds the session's cookies, except those that the page itself has just set. */
export function addSession(answer: Headers, session: Headers): void {
	const set = new Set(answer.getSetCookie().map(nameOf))
	for (const cookie of session.getSetCookie()) if (!set.has(nameOf(cookie))) answer.append('Set-Cookie', cookie)
}

function nameOf(cookie: string): string {
	return cookie.slice(0, cookie.indexOf('='))
}

const guarded = new WeakMap<Build, Build>()

/**
 * Wraps all routes, so that a site fault in a loader, an action or what runs before them becomes a response with 503 or 507 and what was typed. The only
 * place that does this.
 */
export function guardRoutes(build: Build): Build {
	const known = guarded.get(build)
	if (known) return known
	const routes = Object.entries(build.routes).map(([id, route]) => [id, route && guardRoute(route)] as const)
	const made = { ...build, routes: Object.fromEntries(routes) }
	guarded.set(build, made)
	return made
}

function guardRoute(route: Route): Route {
	const { loader, action, middleware } = route.module
	const isPage = route.module.default !== undefined
	return {
		...route,
		module: {
			...route.module,
			...(middleware && { middleware: middleware.map((one) => guardMiddleware(one, isPage)) }),
			...(loader && { loader: (args: LoaderFunctionArgs) => guard(args, isPage, () => run(route, loader, args)) }),
			...(action && {
				action: async (args: ActionFunctionArgs) => {
					const met = args.context.get(faultContext)
					met.typed = await typedIn(args.request)
					try {
						return await guard(args, isPage, () => run(route, action, args))
					} catch (error) {
						throw (isPage && (await endedSession(error, args.request, met.typed))) || error
					}
				},
			}),
		} as Route['module'],
	}
}

function guardMiddleware(run: Middleware, isPage: boolean): Middleware {
	return (args, next) => guard(args, isPage, () => run(args, next))
}

/** Runs a route. For an unknown viewer only the root route runs: other pages and forms would take them for logged out. */
function run<Given extends Args>({ id, module }: Route, work: (args: Given) => unknown, args: Given): unknown {
	const { isViewerUnknown } = factsOf(args.context)
	if (isViewerUnknown && id !== 'root') throw siteFaultOf(null) ?? new Unavailable('It is not known who asks.')
	const { instead } = args.context.get(faultContext)
	// The root route draws the frame around what was typed.
	if (instead && (id !== 'root' || instead.isData))
		throw loginAnswer(instead, module.default !== undefined, args.request)
	return work(args)
}

/** The response that a visitor of a private site gets in place of a route's. */
function loginAnswer({ login, isData }: LoginRedirect, isPage: boolean, request: Request): Response {
	const forScript = !isPage && !isData && request.headers.get('Accept')?.startsWith('application/json')
	return forScript ? Response.json({ message: 'Log in first.', login }, { status: 401 }) : redirect(login)
}

async function guard<Result>(args: Args, isPage: boolean, work: () => Result): Promise<Awaited<Result>> {
	const met = args.context.get(faultContext)
	try {
		const result = await work()
		// A form that is shown again with what was typed.
		met.fault = faultIn(result) ?? met.fault
		return result
	} catch (error) {
		const fault = faultIn(error) ?? siteFaultOf(error)
		if (!fault) throw error
		met.fault = fault
		if (isPage) throw data(faultData(fault, met), { status: fault.status, headers: retryHeaders(fault) })
		throw answerWith(fault)
	}
}

/** The site fault in a response with status 503 or 507, by `withHttpErrors` or `refuseForm`; null for any other response. */
function faultIn(answer: unknown): Fault | null {
	const { type, data: body, init } = (answer ?? {}) as { type?: string; data?: unknown; init?: ResponseInit | null }
	if (type !== 'DataWithResponseInit' || (init?.status !== 503 && init?.status !== 507)) return null
	// Where several requests share one read, only one of them remembers its error.
	const { message } = (body ?? {}) as { message?: unknown }
	return siteFaultOf(null) ?? new Unavailable(String(message), { isOutage: isDatabaseUnavailable() })
}

function faultData(fault: Fault, { typed }: FaultState): SiteFaultData {
	return {
		message: fault.message,
		retries: fault instanceof Unavailable && fault.isOutage,
		typed: typed && typed.length > 0 ? typed : null,
	}
}

/** The fields of a form, without passwords; null for anything but a form without files. */
async function typedIn(request: Request): Promise<FormField[] | null> {
	if (!request.headers.get('Content-Type')?.startsWith('application/x-www-form-urlencoded')) return null
	return fieldsOf(await request.clone().formData())
}

/** The fields of a form, without passwords and files. Several may have one name, such as checkboxes. */
function fieldsOf(form: FormData): FormField[] {
	return [...form].filter(
		(field): field is FormField => typeof field[1] === 'string' && !/password|token/i.test(field[0]),
	)
}

/** Adds Retry-After to a page: headers of an error that a route throws do not reach the document by themselves. */
export function addRetryAfter(answer: Response, context: RouterContextProvider): void {
	const { fault } = context.get(faultContext)
	if (!fault || answer.status < 500) return
	for (const [name, value] of Object.entries(retryHeaders(fault))) answer.headers.set(name, value)
}

/** A site fault as JSON, for responses that are no pages. */
function answerWith(fault: Fault): Response {
	return Response.json(
		{ message: fault.message },
		{ status: fault.status, headers: { ...retryHeaders(fault), 'Cache-Control': 'no-store' } },
	)
}

/** The response to a request that failed because of a site fault; null for any other error. */
export function faultAnswer(error: unknown, path: string): Response | null {
	const fault = siteFaultOf(error)
	if (!fault) return null
	if (path.startsWith('/api/')) return problem(fault.status, fault.message, { headers: retryHeaders(fault) })
	return new Response(fault.message, {
		status: fault.status,
		headers: { ...retryHeaders(fault), 'Content-Type': 'text/plain; charset=utf-8', 'Cache-Control': 'no-store' },
	})
}

/**
 * For a form without scripts whose session has ended: a page that shows what was typed, to be sent again after the login, in place
 * of the login page, which would lose it. With scripts, the browser keeps it (app/shell/unsent-forms.tsx).
 * @param thrown the error of the route
 * @param typed the fields, if they were read; a form with files is read here
 * @returns what to throw in its place; null for other errors
 */
async function endedSession(thrown: unknown, request: Request, typed: FormField[] | null): Promise<unknown> {
	const login = thrown instanceof Response ? loginLocationOf(thrown.headers.get('Location')) : null
	if (!login || request.headers.get('Sec-Fetch-Dest') !== 'document') return null
	const fields = typed ?? (request.bodyUsed ? [] : fieldsOf(await request.formData().catch(() => new FormData())))
	return fields.length > 0 ? data<EndedSessionData>({ login, typed: fields }, { status: 401 }) : null
}
