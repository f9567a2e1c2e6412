import { data, redirect } from 'react-router'
import { renderSVG } from 'uqr'
import { requireConfirmed } from '~/features/accounts/security/confirmation.server.ts'
import { requireFreshLogin } from '~/features/accounts/viewer.server.ts'
import { pageMeta } from '~/lib/page-meta.ts'
import { chooseIntent, readForm, refuseForm } from '~/platform/http/form.server.ts'
import { redirectWithToast, requireLogin, withHttpErrors } from '~/platform/http/http.ts'
import { FormError } from '~/ui/form-error.tsx'
import { useRefusalToast } from '~/ui/form-kit.ts'
import { Form } from '~/ui/link.tsx'
import { SectionHeading } from '~/ui/section-heading.tsx'
import { SettingsPage } from '~/ui/settings-page.tsx'
import { SubmitButton } from '~/ui/submit-button.tsx'
import { twoFactorPath } from '../authenticators.view.ts'
import { CodeForm } from '../components/code-form.tsx'
import {
	beginTotpSetup,
	finishTotpSetup,
	getSecondFactor,
	renewRecoveryCodes,
	turnOffSecondFactor,
} from '../second-factor.server.ts'
import type { Route } from './+types/two-factor'

/** Only a confirmed session gets the secret of an app. */
export function loader({ request, context, url }: Route.LoaderArgs) {
	return withHttpErrors(async () => {
		const { viewer } = await requireFreshLogin({ request, context, url })
		const factor = await getSecondFactor(viewer)
		if (factor.setup) await requireConfirmed(viewer, request, twoFactorPath)
		return data(
			{ factor, picture: factor.setup && renderSVG(factor.setup.address, { border: 2 }) },
			{ headers: { 'Cache-Control': 'no-store' } },
		)
	})
}

/** New recovery codes are only in the response to the form, never in an address, a cookie or a later page. */
export function action({ request, context, url }: Route.ActionArgs) {
	return withHttpErrors(async () => {
		const viewer = requireLogin(context, url)
		const form = await readForm(request)
		await requireConfirmed(viewer, request, twoFactorPath)
		const made = (codes: string[]) =>
			data({ codes, refusal: null }, { status: 201, headers: { 'Cache-Control': 'no-store' } })
		try {
			const turnOff = async (message: string) => {
				await turnOffSecondFactor(viewer)
				return redirectWithToast(twoFactorPath, { type: 'plain', message })
			}
			return await chooseIntent(form.get('intent'), {
				begin: async () => {
					await beginTotpSetup(viewer)
					return redirect(twoFactorPath, { status: 303 })
				},
				enable: async () => made(await finishTotpSetup(viewer, form)),
				cancel: () => turnOff('Nothing was set up.'),
				renew: async () => made(await renewRecoveryCodes(viewer)),
				disable: () => turnOff('The authenticator app is off.'),
			})
		} catch (error) {
			const { data: refusal, init } = refuseForm(error, form)
			return data({ codes: null, refusal }, init ?? {})
		}
	})
}

export function headers({ actionHeaders, loaderHeaders }: Route.HeadersArgs) {
	return actionHeaders.has('Cache-Control') ? actionHeaders : loaderHeaders
}

export function meta({ matches }: Route.MetaArgs) {
	return pageMeta(matches, { title: 'Two-factor login', noindex: true })
}

export default function TwoFactor({ loaderData: { factor, picture }, actionData }: Route.ComponentProps) {
	const refusal = actionData?.refusal ?? null
	useRefusalToast(refusal ?? undefined)
	return (
		<SettingsPage title="Two-factor login">
			{actionData?.codes && <RecoveryCodes codes={actionData.codes} />}
			<section className="mt-8" aria-labelledby="app">
				<SectionHeading id="app" title="Authenticator app">
					<span>{factor.isOn ? 'On' : 'Off'}</span>
				</SectionHeading>
				{factor.isRequired && !factor.isOn && (
					<p className="mt-2 max-w-read font-semibold">
						This site asks moderators and admins for a second factor. Until you set one up, you can do what members can.
					</p>
				)}
				{refusal && !factor.setup && <FormError>{refusal.message}</FormError>}
				{factor.isOn && <TurnedOn codesLeft={factor.codesLeft} />}
				{factor.setup && picture && (
					<>
						<SetUp secret={factor.setup.secret} picture={picture} />
						<CodeForm
							action={twoFactorPath}
							refusal={refusal}
							label="Turn on"
							intent="enable"
							takesRecoveryCodes={false}
							hint="The six digits that the app shows now."
						/>
						<OneButton intent="cancel" label="Cancel" />
					</>
				)}
				{!factor.isOn && !factor.setup && (
					<>
						<p className="mt-2 max-w-read text-ink-2">
							An app on your phone shows a new code every 30 seconds. With it on, logging in takes your password and a
							code.
						</p>
						<OneButton intent="begin" label="Set up an authenticator app" />
					</>
				)}
			</section>
		</SettingsPage>
	)
}

function TurnedOn({ codesLeft }: { codesLeft: number }) {
	return (
		<>
			<p className="mt-2 max-w-read text-ink-2">
				To log in, you need a code from your app. You have {codesLeft} of 10 recovery codes left, for when you do not
				have your phone. New codes replace all earlier ones.
			</p>
			<div className="flex flex-wrap gap-x-3">
				<OneButton intent="renew" label="Make new recovery codes" />
				<OneButton intent="disable" label="Turn off" />
			</div>
		</>
	)
}

function SetUp({ secret, picture }: { secret: string; picture: string }) {
	return (
		<>
			<ol className="mt-3 grid max-w-read list-decimal gap-2 pl-5 text-ink-2">
				<li>Open your authenticator app and scan this picture, or type the key below it.</li>
				<li>Type the code that the app shows.</li>
			</ol>
			{/* Black on white in both themes, as cameras often fail to read inverted codes. The server draws the image. */}
			<div
				role="img"
				aria-label="QR code for your authenticator app"
				className="mt-4 w-52 rounded-sm border border-line-2 bg-[white] p-1"
				dangerouslySetInnerHTML={{ __html: picture }}
			/>
			<p className="mt-3 text-ink-3">Key</p>
			<p className="mt-1 max-w-sm rounded-sm border border-line bg-sunken px-3 py-2.5 font-mono text-sm wrap-anywhere select-all">
				{secret.replace(/(.{4})(?=.)/g, '$1 ')}
			</p>
		</>
	)
}

function RecoveryCodes({ codes }: { codes: string[] }) {
	return (
		<section className="mt-6" aria-labelledby="codes" role="status">
			<SectionHeading id="codes" title="Your recovery codes" />
			<p className="mt-2 max-w-read text-ink-2">
				Write them down or print them now: you will not see them again. Each can be used once instead of a code from
				your app.
			</p>
			<ul className="mt-3 grid max-w-md grid-cols-2 gap-x-6 gap-y-1 rounded-sm border border-line bg-sunken px-4 py-3 font-mono text-sm">
				{codes.map((code) => (
					<li key={code}>{code}</li>
				))}
			</ul>
		</section>
	)
}

function OneButton({ intent, label }: { intent: string; label: string }) {
	return (
		<Form method="post" action={twoFactorPath} className="mt-4">
			<SubmitButton className="btn btn-outline" name="intent" value={intent}>
				{label}
			</SubmitButton>
		</Form>
	)
}
