import { refreshSession, requireFreshLogin } from '~/features/accounts/viewer.server.ts'
import { pageMeta } from '~/lib/page-meta.ts'
import { readForm, refuseForm } from '~/platform/http/form.server.ts'
import { redirectWithSuccess, requireLogin, withHttpErrors } from '~/platform/http/http.ts'
import { Field } from '~/ui/field.tsx'
import { FormError } from '~/ui/form-error.tsx'
import { useRefusalToast } from '~/ui/form-kit.ts'
import { Form } from '~/ui/link.tsx'
import { LocalTime } from '~/ui/local-time.tsx'
import { SettingsPage } from '~/ui/settings-page.tsx'
import { SubmitButton } from '~/ui/submit-button.tsx'
import { changeUsername, getNextRename } from '../usernames/usernames.server.ts'
import type { Route } from './+types/username'

export function loader({ request, context, url }: Route.LoaderArgs) {
	return withHttpErrors(async () => {
		const { viewer } = await requireFreshLogin({ request, context, url })
		return { username: viewer.username, freeAt: await getNextRename(viewer) }
	})
}

export async function action({ request, context, url }: Route.ActionArgs) {
	const viewer = requireLogin(context, url)
	const form = await readForm(request)
	try {
		const username = await changeUsername(viewer, Object.fromEntries(form))
		const message = `You are @${username} now. Links to the old name lead to you.`
		return redirectWithSuccess('/settings', message, await refreshSession(request))
	} catch (error) {
		return refuseForm(error, form)
	}
}

export function meta({ matches }: Route.MetaArgs) {
	return pageMeta(matches, { title: 'Username', noindex: true })
}

export default function Username({ loaderData: { username, freeAt }, actionData }: Route.ComponentProps) {
	useRefusalToast(actionData)
	return (
		<SettingsPage title="Username">
			<p className="mt-2 max-w-read text-ink-2">
				You are <b className="font-semibold text-ink wrap-anywhere">@{username}</b>. The name you give up stays yours:
				links to it and mentions of it lead to you, and nobody else can ever have it. You can choose a new one every 30
				days.
			</p>
			{freeAt ? (
				<p className="mt-6">
					You can change your username again on <LocalTime at={freeAt} />.
				</p>
			) : (
				<Form method="post" className="mt-6 grid max-w-sm gap-5" noValidate>
					<FormError errors={actionData?.errors} names={{ username: 'New username' }}>
						{actionData?.message}
					</FormError>
					<Field
						label="New username"
						name="username"
						autoComplete="off"
						autoCapitalize="none"
						spellCheck={false}
						required
						maxLength={40}
						defaultValue={actionData?.values.username}
						error={actionData?.errors.username}
						hint="Lower-case letters, digits, dots, hyphens and underscores."
					/>
					<p>
						<SubmitButton busyLabel="Saving...">Change username</SubmitButton>
					</p>
				</Form>
			)}
		</SettingsPage>
	)
}
