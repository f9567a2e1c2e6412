import { data, redirect } from 'react-router'
import { requireConfirmed } from '~/features/accounts/security/confirmation.server.ts'
import { requireFreshLogin, requireSession } from '~/features/accounts/viewer.server.ts'
import { listCampusFields } from '~/features/campus/campus.queries.server.ts'
import { campusFieldNames } from '~/features/campus/campus-fields.view.ts'
import { ProviderRedirect } from '~/features/login/components/provider-redirect.tsx'
import { editProfilePath } from '~/features/members/members.view.ts'
import { factsOf } from '~/lib/context.ts'
import { pageMeta } from '~/lib/page-meta.ts'
import { readForm, refuseForm, unknownIntent } from '~/platform/http/form.server.ts'
import { redirectWithSuccess, requireLogin, withHttpErrors } from '~/platform/http/http.ts'
import { FormError } from '~/ui/form-error.tsx'
import { Form, Link } from '~/ui/link.tsx'
import { LocalTime } from '~/ui/local-time.tsx'
import { SectionHeading } from '~/ui/section-heading.tsx'
import { SettingsPage } from '~/ui/settings-page.tsx'
import { type LinkedLogin, loginsPath } from '../campus-login.view.ts'
import { listLogins, unlinkIdentity } from '../linked-logins.server.ts'
import { beginFlow } from '../login-flow.server.ts'
import type { Route } from './+types/logins'

export function loader({ request, context, url }: Route.LoaderArgs) {
	return withHttpErrors(async () => {
		const { viewer } = await requireFreshLogin({ request, context, url })
		const [logins, given] = await Promise.all([listLogins(viewer), listCampusFields(viewer.id)])
		return { ...logins, given: given.map((field) => campusFieldNames[field]), username: viewer.username }
	})
}

/** Starts linking a provider (`link`), or unlinks one (`unlink`). Both require a confirmed identity. */
export async function action({ request, context, url }: Route.ActionArgs) {
	const viewer = requireLogin(context, url)
	const form = await readForm(request)
	try {
		await requireConfirmed(viewer, request, loginsPath)
		const name = form.get('link')
		if (name === 'ldap') return redirect('/login/ldap?link=1', 303)
		if (typeof name === 'string') {
			const { ip } = factsOf(context)
			const { headers, ...way } = await beginFlow(name, { viewer, linkTo: viewer.id, redirectTo: loginsPath, ip })
			return data(way, { headers })
		}
		if (!form.has('unlink')) throw unknownIntent()
		await unlinkIdentity(viewer, Number(form.get('unlink')), await requireSession(viewer, request))
		return redirectWithSuccess(loginsPath, 'Removed.')
	} catch (error) {
		return refuseForm(error, form)
	}
}

export function meta({ matches }: Route.MetaArgs) {
	return pageMeta(matches, { title: 'Ways to log in', noindex: true })
}

export default function Logins({ loaderData, actionData }: Route.ComponentProps) {
	const { linked, open, hasPassword, given, username } = loaderData
	if (actionData && 'url' in actionData) return <ProviderRedirect {...actionData} />
	return (
		<SettingsPage title="Ways to log in">
			<div className="mt-4">
				<FormError>{actionData?.message}</FormError>
			</div>
			<ul className="mt-2">
				<li className="flex items-center gap-3 border-b border-line py-3">
					<div className="min-w-0 flex-1">
						<p className="font-semibold">Password</p>
						<p className="meta">
							{hasPassword ? 'You can log in with your password.' : 'You log in without a password.'}
						</p>
					</div>
					{hasPassword && (
						<Link className="btn btn-sm btn-outline" to={editProfilePath(username, 'change-password')}>
							Change
							<span className="sr-only"> password</span>
						</Link>
					)}
				</li>
				{linked.map((login) => (
					<Linked key={login.id} login={login} />
				))}
			</ul>
			{given.length > 0 && (
				<section className="mt-10" aria-labelledby="given">
					<SectionHeading id="given" title="From the university" />
					<p className="mt-2 text-ink-2">
						Your login there keeps these up to date here: {given.join(', ').toLowerCase()}. What you change in{' '}
						<Link className="link" to={editProfilePath(username)}>
							your profile
						</Link>{' '}
						stays as you wrote it, and you decide there who sees which section.
					</p>
				</section>
			)}
			{open.length > 0 && (
				<section className="mt-10" aria-labelledby="more">
					<SectionHeading id="more" title="More ways" />
					<p className="mt-2 text-ink-2">
						Link an account that you have elsewhere. Log in there once, and you can use it to log in here.
					</p>
					{open.map(({ name, title }) => (
						<form key={name} method="post" action={loginsPath} className="mt-3">
							<button className="btn btn-outline" name="link" value={name} type="submit">
								Link {title}
							</button>
						</form>
					))}
				</section>
			)}
		</SettingsPage>
	)
}

function Linked({ login: { id, title, name, affiliation, linkedAt, usedAt } }: { login: LinkedLogin }) {
	return (
		<li className="flex items-center gap-3 border-b border-line py-3">
			<div className="min-w-0 flex-1">
				<p className="font-semibold wrap-anywhere">
					{title}
					{name && <span className="font-normal text-ink-2"> as {name}</span>}
				</p>
				<p className="meta">
					{affiliation && `${affiliation === 'staff' ? 'Staff' : 'Student'}. `}
					Linked <LocalTime at={linkedAt} />
					{usedAt && (
						<>
							, last used <LocalTime at={usedAt} />
						</>
					)}
				</p>
			</div>
			<Form method="post" action={loginsPath}>
				<button
					className="btn btn-sm btn-outline"
					name="unlink"
					value={id}
					type="submit"
					aria-label={`Remove ${title}`}
				>
					Remove
				</button>
			</Form>
		</li>
	)
}
