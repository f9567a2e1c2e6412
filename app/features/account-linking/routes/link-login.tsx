import type { ReactNode } from 'react'
import { data, redirect } from 'react-router'
import { SecondStepRequired } from '~/features/accounts/login.server.ts'
import { allowsPasswords } from '~/features/accounts/login-methods.server.ts'
import { countUse } from '~/features/rate-limits/rate-limits.server.ts'
import { factsOf, viewerOf } from '~/lib/context.ts'
import { Invalid } from '~/lib/errors.ts'
import { pageMeta } from '~/lib/page-meta.ts'
import { chooseIntent, readForm, readText, refuseForm } from '~/platform/http/form.server.ts'
import { redirectWithSuccess, redirectWithToast, safeRedirect } from '~/platform/http/http.ts'
import { LocalTime } from '~/ui/local-time.tsx'
import { revalidateTokenPage, TokenExitLink, TokenForm, TokenPage } from '~/ui/token-page.tsx'
import { clearLinkCookie, findLinking, followLoginLink, mailLoginLink } from '../account-linking.server.ts'
import { LINKED, type LinkingView, linkingPath, type WaitingLogin } from '../account-linking.view.ts'
import type { Route } from './+types/link-login'

/**
 * The page after a login whose address has an account, and the page that the mailed link opens. Shows the account only to somebody
 * who has done both.
 */
export async function loader({ request, context, url }: Route.LoaderArgs) {
	const token = url.searchParams.get('token') ?? ''
	const view = await findLinking(token, request)
	if (view.state === 'over' && token === '') throw redirect('/login')
	const loggedInAs = viewerOf(context)?.username ?? null
	const redirectTo = safeRedirect(url.searchParams.get('redirectTo'), '/find-dev')
	const isSent = url.searchParams.has('sent')
	return data(
		{ view, token, isSent, loggedInAs, redirectTo, hasPasswords: allowsPasswords() },
		{ status: view.state === 'over' ? 422 : 200 },
	)
}

/** Has a link mailed (`intent=mail`), or follows one. */
export async function action({ request, context, url }: Route.ActionArgs) {
	const form = await readForm(request)
	const redirectTo = safeRedirect(url.searchParams.get('redirectTo'), '/find-dev')
	const query = `redirectTo=${encodeURIComponent(redirectTo)}`
	try {
		await countUse('outsideLogins', viewerOf(context), factsOf(context).ip)
		return await chooseIntent(form.get('intent'), {
			'': async () => {
				const { headers, leadsTo } = await followLoginLink(readText(form, 'token'), request)
				headers.append('Set-Cookie', clearLinkCookie())
				return redirectWithSuccess(leadsTo ?? redirectTo, LINKED, headers)
			},
			mail: () => mailLink(request, redirectTo, query),
		})
	} catch (error) {
		if (!(error instanceof SecondStepRequired)) return refuseForm(error, form)
		const cookies = new Headers([
			['Set-Cookie', error.cookie],
			['Set-Cookie', clearLinkCookie()],
		])
		return redirect(`/login/code?${query}`, { status: 303, headers: cookies })
	}
}

/** A login that was too long ago no longer has this page, so the login page shows the error. */
async function mailLink(request: Request, redirectTo: string, query: string): Promise<Response> {
	try {
		await mailLoginLink(request, redirectTo)
		return redirect(`${linkingPath}?sent&${query}`, 303)
	} catch (error) {
		if (!(error instanceof Invalid)) throw error
		return redirectWithToast('/login', { type: 'error', message: error.message })
	}
}

export const shouldRevalidate = revalidateTokenPage

export function meta({ matches }: Route.MetaArgs) {
	return pageMeta(matches, { title: 'Link your login', hasToken: true })
}

export default function LinkLogin({ loaderData, actionData }: Route.ComponentProps) {
	const { view, token, isSent, loggedInAs, redirectTo, hasPasswords } = loaderData
	const message = actionData?.message
	if (view.state === 'begun')
		return <Begun login={view} isSent={isSent} hasPasswords={hasPasswords} message={message ?? view.message} />
	if (view.state === 'open') return <Open view={view} token={token} message={message} />
	if (view.state === 'elsewhere')
		return (
			<Elsewhere
				provider={view.provider}
				label={view.label}
				loggedInAs={loggedInAs}
				back={`${linkingPath}?token=${token}&redirectTo=${encodeURIComponent(redirectTo)}`}
			/>
		)
	return (
		<TokenPage title="Not linked" lead={message ?? `${view.message} Log in once more to get another one.`}>
			<TokenExitLink to="/login">Back to the login</TokenExitLink>
		</TokenPage>
	)
}

interface BegunProps {
	login: WaitingLogin
	isSent: boolean
	hasPasswords: boolean
	message: string
}

function Begun({ login, isSent, hasPasswords, message }: BegunProps) {
	const email = <Address>{login.email}</Address>
	const again = isSent || message !== ''
	const form = (
		<TokenForm
			token=""
			message={message}
			intent="mail"
			label={again ? 'Send me another link' : 'Send me a link'}
			busyLabel="Sending..."
		/>
	)
	if (isSent)
		return (
			<TokenPage
				title="Check your mailbox"
				lead={<>A link is on its way to {email}. Open it in this browser. It works for 10 minutes.</>}
			>
				{form}
			</TokenPage>
		)
	return (
		<TokenPage
			title="This address has an account"
			lead={
				<>
					You used <Login login={login} />, but {email} has an account here that this login does not open yet. If the
					account is yours, we send you a link that joins the two. Open it in this browser.
				</>
			}
		>
			{form}
			{hasPasswords && (
				<p className="mt-6 text-ink-2">
					If you know its password, you can log in with that instead, and link this login in your settings.
				</p>
			)}
			<p className="mt-6 text-ink-2">
				If it is not yours, because somebody had this address before you, ask an admin for help.
			</p>
		</TokenPage>
	)
}

type OpenView = Extract<LinkingView, { state: 'open' }>

function Open({ view, token, message }: { view: OpenView; token: string; message: string | undefined }) {
	const { email, account } = view
	return (
		<TokenPage
			title={`Is @${account.username} your account?`}
			lead={
				<>
					It belongs to <bdi>{account.name}</bdi>, and was registered on <LocalTime at={account.registeredAt} />. From
					now on, <Login login={view} /> will log you in to it.
				</>
			}
		>
			{account.losesCredentials && (
				<p className="mt-4">
					Nobody has confirmed its address until now. To be safe, its password, passkeys, second factor, linked logins,
					sessions and access tokens will end.
				</p>
			)}
			<p className="mt-4">
				If it is not yours, because somebody had <Address>{email}</Address> before you, close this page and ask an admin
				for help.
			</p>
			<TokenForm token={token} message={message} label="It is mine: link it and log in" busyLabel="Linking..." />
		</TokenPage>
	)
}

interface ElsewhereProps {
	provider: string
	label: string
	loggedInAs: string | null
	/** This page with its link. */
	back: string
}

function Elsewhere({ provider, label, loggedInAs, back }: ElsewhereProps) {
	if (loggedInAs !== null)
		return (
			<TokenPage
				title="Log out first"
				lead={`You are logged in as @${loggedInAs}. Log out, and open the link in your email again.`}
			/>
		)
	return (
		<TokenPage
			title="Log in here first"
			lead={`The link counts in a browser in which you have just used “${label}”. Do that here, and you get back to this page.`}
		>
			{/* The browser sends this form itself, as it leads to another site. */}
			<form method="post" action={`/login/${provider}`} className="mt-6">
				<input type="hidden" name="redirectTo" value={back} />
				<button type="submit" className="btn btn-primary">
					{label}
				</button>
			</form>
		</TokenPage>
	)
}

/** The button of the login, and whom it logged in. */
function Login({ login: { label, identityName } }: { login: WaitingLogin }) {
	return (
		<span className="wrap-anywhere">
			“{label}”
			{identityName && (
				<>
					{' as '}
					<bdi>{identityName}</bdi>
				</>
			)}
		</span>
	)
}

function Address({ children }: { children: ReactNode }) {
	return <span className="wrap-anywhere">{children}</span>
}
