import { useRef } from 'react'
import { Outlet } from 'react-router'
import { type AccountView, getAccount } from '~/features/accounts/accounts.server.ts'
import { requireConfirmed } from '~/features/accounts/security/confirmation.server.ts'
import { requireFreshLogin, requireSession } from '~/features/accounts/viewer.server.ts'
import { twoFactorPath } from '~/features/authenticators/authenticators.view.ts'
import { getAddressProblems } from '~/features/bounces/bounces.server.ts'
import { addressesPath } from '~/features/bounces/bounces.view.ts'
import { AddressProblemNotice } from '~/features/bounces/components/address-problem.tsx'
import { loginsPath } from '~/features/campus-login/campus-login.view.ts'
import { mayUsePassword } from '~/features/campus-login/linked-logins.server.ts'
import { editProfilePath } from '~/features/members/members.view.ts'
import { passkeysPath } from '~/features/passkeys/passkeys.view.ts'
import { DATA_PATH, LEAVE_PATH } from '~/features/privacy/privacy.limits.ts'
import { listSecurityEvents } from '~/features/sessions/security-log.server.ts'
import { listSessions, revokeOtherSessions, revokeSession } from '~/features/sessions/sessions.server.ts'
import type { SessionView } from '~/features/sessions/sessions.view.ts'
import { TokenSection } from '~/features/tokens/components/token-section.tsx'
import { listTokens } from '~/features/tokens/tokens.server.ts'
import { monthAndYear } from '~/lib/calendar.ts'
import type { SignedIn } from '~/lib/context.ts'
import { NotFound } from '~/lib/errors.ts'
import { pageMeta } from '~/lib/page-meta.ts'
import { chooseIntent, readForm } from '~/platform/http/form.server.ts'
import { redirectWithSuccess, redirectWithToast, requireLogin, withHttpErrors } from '~/platform/http/http.ts'
import { useTheme, useThemeFetcher } from '~/shell/theme-switch.tsx'
import { Form, Link } from '~/ui/link.tsx'
import { SectionHeading } from '~/ui/section-heading.tsx'
import { ChoiceButtons } from '~/ui/settings-page.tsx'
import { useFocusFallback } from '~/ui/use-focus-kept.ts'
import { ActivityList, SessionList } from '../components/security-lists.tsx'
import type { Route } from './+types/settings'

/** The list of sessions. */
const SESSIONS_PATH = '/settings#sessions'
/** Events shown here; a page of their own lists more. */
const MAX_EVENTS = 3

export function loader({ request, context, url }: Route.LoaderArgs) {
	return withHttpErrors(async () => {
		const { viewer } = await requireFreshLogin({ request, context, url })
		const [account, problems, sessions, tokens, events, hasPassword] = await Promise.all([
			getAccount(viewer),
			getAddressProblems(viewer.id),
			requireSession(viewer, request).then((id) => listSessions(viewer, id)),
			listTokens(viewer),
			listSecurityEvents(viewer),
			mayUsePassword(viewer.id),
		])
		return { viewer, account, problems, sessions, tokens, events: events.slice(0, MAX_EVENTS), hasPassword }
	})
}

export function action({ request, context, url }: Route.ActionArgs) {
	return withHttpErrors(async () => {
		const viewer = requireLogin(context, url)
		const form = await readForm(request)
		const sessionId = await requireConfirmed(viewer, request, '/settings')
		try {
			const message = await chooseIntent(form.get('intent'), {
				revoke: async () => {
					await revokeSession(viewer, Number(form.get('session')))
					return 'That device is logged out.'
				},
				'revoke-others': async () => {
					await revokeOtherSessions(viewer, sessionId)
					return 'Logged out everywhere else.'
				},
			})
			return redirectWithSuccess(SESSIONS_PATH, message)
		} catch (error) {
			// By a double click, or in another tab.
			if (!(error instanceof NotFound)) throw error
			return redirectWithToast(SESSIONS_PATH, { type: 'plain', message: error.message })
		}
	})
}

export function meta({ matches }: Route.MetaArgs) {
	return pageMeta(matches, { title: 'Settings', noindex: true })
}

export default function Settings({ loaderData }: Route.ComponentProps) {
	const { viewer, account, problems, sessions, tokens, events, hasPassword } = loaderData
	return (
		<div className="max-w-[44rem] pt-6 md:pt-8">
			<h1 className="text-2xl leading-9 font-bold">Settings</h1>
			<section className="mt-8" aria-labelledby="account">
				<SectionHeading id="account" title="Account" />
				<Facts viewer={viewer} account={account} />
				{problems.map((problem) => (
					<AddressProblemNotice key={problem.email} problem={problem} links={changeAddress} />
				))}
				<p className="mt-3 flex flex-wrap gap-x-4 gap-y-1">
					{hasPassword && (
						<Link className="link" to={editProfilePath(viewer.username, 'change-password')}>
							Change password
						</Link>
					)}
					<Link className="link" to={loginsPath}>
						Ways to log in
					</Link>
				</p>
			</section>
			<TwoFactor isOn={account.hasSecondFactor} />
			<section className="mt-10" aria-labelledby="theme">
				<SectionHeading id="theme" title="Theme" />
				<ThemeForm />
			</section>
			<Outlet />
			<Sessions sessions={sessions} />
			<section className="mt-10" aria-labelledby="activity">
				<SectionHeading id="activity" title="Recent activity">
					<Link className="quiet-link" to="/settings/activity" aria-label="All recent activity">
						All
					</Link>
				</SectionHeading>
				<ActivityList events={events} />
			</section>
			<TokenSection tokens={tokens}>
				<Link className="btn btn-outline mt-4" to="/settings/tokens">
					New token
				</Link>
			</TokenSection>
			<section className="mt-10" aria-labelledby="your-data">
				<SectionHeading id="your-data" title="Your data" />
				<p className="mt-3 flex flex-wrap gap-3">
					<Link className="btn btn-outline" to={DATA_PATH}>
						Download my data
					</Link>
					<Link className="btn btn-outline" to={LEAVE_PATH}>
						Delete my account
					</Link>
				</p>
			</section>
		</div>
	)
}

function TwoFactor({ isOn }: { isOn: boolean }) {
	return (
		<section className="mt-10" aria-labelledby="two-factor">
			<SectionHeading id="two-factor" title="Two-factor login">
				<span>{isOn ? 'On' : 'Off'}</span>
			</SectionHeading>
			<p className="mt-2 max-w-read text-ink-2">
				{isOn
					? 'To log in, you need your password and a code from your authenticator app.'
					: 'Protect your account with a code from an app on your phone.'}
			</p>
			<p className="mt-4 flex flex-wrap gap-3">
				<Link className="btn btn-outline" to={twoFactorPath}>
					Two-factor login
				</Link>
				<Link className="btn btn-outline" to={passkeysPath}>
					Passkeys
				</Link>
			</p>
		</section>
	)
}

function Sessions({ sessions }: { sessions: SessionView[] }) {
	const devices = useRef<HTMLHeadingElement>(null)
	useFocusFallback(sessions.length, (count, before) => count < before, devices)
	return (
		<section className="mt-10" aria-labelledby="sessions">
			<SectionHeading id="sessions" title="Where you are logged in" place={devices}>
				<span>{sessions.length}</span>
			</SectionHeading>
			<SessionList sessions={sessions} />
			{sessions.length > 1 && (
				<Form method="post" action="/settings" className="mt-4">
					<button className="btn btn-outline" name="intent" value="revoke-others" type="submit">
						Log out everywhere else
					</button>
				</Form>
			)}
		</section>
	)
}

const changeAddress = (
	<Link className="btn btn-sm btn-ghost" to={addressesPath}>
		Change address
	</Link>
)

function Facts({ viewer, account }: { viewer: SignedIn; account: AccountView }) {
	const facts = [
		['Full name', viewer.name, editProfilePath(viewer.username)],
		['Username', `@${viewer.username}`, '/settings/username'],
		['Email', `${account.email}${account.emailVerified ? ', confirmed' : ''}`, '/settings/email'],
		['Member since', monthAndYear(account.joinedAt)],
		...(viewer.role === 'member' ? [] : [['Role', viewer.role] as const]),
	] as const
	return (
		<dl>
			{facts.map(([name, value, change]) => (
				<div key={name} className="grid gap-x-4 border-b border-line py-2.5 sm:grid-cols-[9rem_1fr]">
					<dt className="text-ink-3">{name}</dt>
					<dd className="flex min-w-0 flex-wrap gap-x-3 wrap-anywhere">
						{value}
						{change && (
							<Link className="link" to={change} aria-label={`Change ${name.toLowerCase()}`}>
								Change
							</Link>
						)}
					</dd>
				</div>
			))}
		</dl>
	)
}

const themes = [
	['system', 'Same as the system'],
	['light', 'Light'],
	['dark', 'Dark'],
] as const

/** Chooses the theme. A form, so that it works without scripts. */
function ThemeForm() {
	const fetcher = useThemeFetcher()
	const theme = useTheme()
	return (
		<fetcher.Form method="post" action="/theme" className="flex flex-wrap gap-2 py-2">
			<input type="hidden" name="redirectTo" value="/settings" />
			<ChoiceButtons name="theme" choices={themes} chosen={theme} />
		</fetcher.Form>
	)
}
