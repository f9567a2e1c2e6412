import {
	type ActionFunctionArgs,
	createContext,
	data,
	type LoaderFunctionArgs,
	type RouterContextProvider,
	redirect,
	type ServerBuild,
} from 'react-router'
import { viewerFromCookie, viewerFromRequest } from '~/features/accounts/accounts.server.ts'
import { factsOf, type Viewer } from '~/lib/context.ts'
import { type DiskFull, retryHeaders, Unavailable } from '~/lib/errors.ts'
import { isDatabaseAway } from '~/platform/db/db.server.ts'
import { withoutDatabase } from '~/platform/db/scope.server.ts'
import { formValues } from '~/platform/http/form.ts'
import { problem } from '~/platform/http/problem.ts'
import { siteFaultOf } from '~/platform/http/site-fault.server.ts'
import type { SiteFaultData } from '~/platform/http/site-fault.ts'
import { type EndedSessionData, loginOf } from '~/platform/http/site-fault.ts'

type Fault = Unavailable | DiskFull
type Build = ServerBuild
type Route = NonNullable<Build['routes'][string]>
type Args = LoaderFunctionArgs | ActionFunctionArgs

/** What a request for a page learns of the site's own faults while it is answered. */
interface FaultState {
	fault: Fault | null
	/** The fields of the form that came with the request. */
	typed: Record<string, string> | null
	/** Where a visitor is led whom the site is closed to (middleware/private-site.ts); null for everybody else. */
	instead: LoginInstead | null
}

/** The login that a visitor of a private site is led to, in place of what a route would do. */
export interface LoginInstead {
	/** Its address, which leads back. */
	login: string
	/** Whether a script asked for the data of a page. */
	isData: boolean
}

export const faultContext = createContext<FaultState>()

/** Who asks, as far as it can be known. */
interface Sender {
	viewer: Viewer
	/** The cookies of the session, to hand to the browser; none while the database is away, so that none is taken back. */
	headers: Headers
	/** Why the session could not be looked up; such a request gets nothing from the database. */
	fault: Unavailable | null
}

/**
 * Who sent a request. While the database is away that is whom the signed cookie names, for the frame of the page alone.
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

/** Adds the cookies of the session as it was when the request came, except those that the page itself has just set anew. */
export function addSession(answer: Headers, session: Headers): void {
	const set = new Set(answer.getSetCookie().map(nameOf))
	for (const cookie of session.getSetCookie()) if (!set.has(nameOf(cookie))) answer.append('Set-Cookie', cookie)
}

function nameOf(cookie: string): string {
	return cookie.slice(0, cookie.indexOf('='))
}

const guarded = new WeakMap<Build, Build>()

/**
 * The routes of the site, whose loaders and actions answer a fault of the site as it is: 503 or 507, with what was typed.
 * The one place where that becomes an answer of a page, whatever the route itself does.
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
	const { loader, action } = route.module
	const isPage = route.module.default !== undefined
	return {
		...route,
		module: {
			...route.module,
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

/** Of a member whom nobody can name, only the frame is drawn: any page or form would take them for logged out. */
function run<Given extends Args>({ id, module }: Route, work: (args: Given) => unknown, args: Given): unknown {
	const { isViewerUnknown } = factsOf(args.context)
	if (isViewerUnknown && id !== 'root') throw siteFaultOf(null) ?? new Unavailable('It is not known who asks.')
	const { instead } = args.context.get(faultContext)
	// The frame of a page is drawn round what was typed.
	if (instead && (id !== 'root' || instead.isData))
		throw loginAnswer(instead, module.default !== undefined, args.request)
	return work(args)
}

/** What a visitor of a private site gets in place of what a route would answer. */
function loginAnswer({ login, isData }: LoginInstead, isPage: boolean, request: Request): Response {
	const forScript = !isPage && !isData && request.headers.get('Accept')?.startsWith('application/json')
	return forScript ? Response.json({ message: 'Log in first.', login }, { status: 401 }) : redirect(login)
}

async function guard(args: Args, isPage: boolean, work: () => unknown): Promise<unknown> {
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

/** The fault behind what a route answered with status 503 or 507, by `answering` or `refused`; null for any other answer. */
function faultIn(answer: unknown): Fault | null {
	const { type, data: body, init } = (answer ?? {}) as { type?: string; data?: unknown; init?: ResponseInit | null }
	if (type !== 'DataWithResponseInit' || (init?.status !== 503 && init?.status !== 507)) return null
	// What many requests asked for together was noted by one of them.
	const { message } = (body ?? {}) as { message?: unknown }
	return siteFaultOf(null) ?? new Unavailable(String(message), { isOutage: isDatabaseAway() })
}

function faultData(fault: Fault, { typed }: FaultState): SiteFaultData {
	return {
		message: fault.message,
		retries: fault instanceof Unavailable && fault.isOutage,
		typed: typed && Object.keys(typed).length > 0 ? typed : null,
	}
}

/** The fields of a form, without passwords; null for anything that is no plain form. */
async function typedIn(request: Request): Promise<Record<string, string> | null> {
	if (!request.headers.get('Content-Type')?.startsWith('application/x-www-form-urlencoded')) return null
	const form = await request.clone().formData()
	const fields = [...form].filter(([name, value]) => typeof value === 'string' && !/password|token/i.test(name))
	return Object.fromEntries(fields) as Record<string, string>
}

/** Adds to a page when to come back: the headers of what a route throws do not reach a document by themselves. */
export function addRetryAfter(answer: Response, context: RouterContextProvider): void {
	const { fault } = context.get(faultContext)
	if (!fault || answer.status < 500) return
	for (const [name, value] of Object.entries(retryHeaders(fault))) answer.headers.set(name, value)
}

/** A fault of the site as JSON, for what is no page. */
function answerWith(fault: Fault): Response {
	return Response.json(
		{ message: fault.message },
		{ status: fault.status, headers: { ...retryHeaders(fault), 'Cache-Control': 'no-store' } },
	)
}

/** The answer to a request that failed for a fault of the site, whatever it was for; null for any other error. */
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
 * What a form without scripts is answered whose session has ended: a page that says what was typed, to be sent again after the
 * login, in place of the login page, which would lose it. Where scripts run, they keep it (app/shell/unsent-forms.tsx).
 * @param thrown what the route threw
 * @param typed the fields that were read already; a form with files is read here
 * @returns what to throw in its place; null when it was anything else
 */
async function endedSession(thrown: unknown, request: Request, typed: Record<string, string> | null): Promise<unknown> {
	const login = thrown instanceof Response ? loginOf(thrown.headers.get('Location')) : null
	if (!login || request.headers.get('Sec-Fetch-Dest') !== 'document') return null
	const fields = typed ?? (request.bodyUsed ? {} : formValues(await request.formData().catch(() => new FormData())))
	const texts = Object.entries(fields).filter(([name]) => !/password|token/i.test(name))
	if (texts.length === 0) return null
	return data<EndedSessionData>({ login, typed: Object.fromEntries(texts) }, { status: 401 })
}
