import { requireConfirmed } from '~/features/accounts/security/confirmation.server.ts'
import { refreshSession, requireFreshLogin } from '~/features/accounts/viewer.server.ts'
import { EXPIRED_TEST_MAIL } from '~/features/bounces/bounces.view.ts'
import { AddressProblemNotice, ConfirmTestMail } from '~/features/bounces/components/address-problem.tsx'
import { confirmTestMail, requestTestMail, resumeMails } from '~/features/bounces/test-mails.server.ts'
import { pageMeta } from '~/lib/page-meta.ts'
import type { SignedIn } from '~/lib/viewer.ts'
import { chooseIntent, readForm, readText, refuseForm } from '~/platform/http/form.server.ts'
import type { FormRefusal } from '~/platform/http/form.ts'
import { redirectWithSuccess, requireLogin, withHttpErrors } from '~/platform/http/http.ts'
import { Field } from '~/ui/field.tsx'
import { FormError } from '~/ui/form-error.tsx'
import { useRefusalToast } from '~/ui/form-kit.ts'
import { Form } from '~/ui/link.tsx'
import { SectionHeading } from '~/ui/section-heading.tsx'
import { SettingsPage } from '~/ui/settings-page.tsx'
import { SubmitButton } from '~/ui/submit-button.tsx'
import {
	cancelEmailChange,
	getEmails,
	removeSecondEmail,
	requestConfirmation,
	requestEmailChange,
	resendEmail,
	swapEmails,
} from '../emails/emails.server.ts'
import { type EmailSlot, type EmailsView, emailSettingsPath } from '../emails/emails.view.ts'
import type { Route } from './+types/email'

export function loader({ request, context, url }: Route.LoaderArgs) {
	return withHttpErrors(async () => {
		const { viewer } = await requireFreshLogin({ request, context, url })
		return { emails: await getEmails(viewer, url.searchParams.get('token') ?? '') }
	})
}

export async function action({ request, context, url }: Route.ActionArgs) {
	const viewer = requireLogin(context, url)
	const form = await readForm(request)
	try {
		const message = await chooseIntent(form.get('intent'), {
			...proofs(viewer, form),
			...changes(viewer, form, request),
		})
		return redirectWithSuccess(emailSettingsPath, message, await refreshSession(request))
	} catch (error) {
		return refuseForm(error, form)
	}
}

/** The buttons that do not need a confirmed identity; each returns the notice to show. */
function proofs(viewer: SignedIn, form: FormData) {
	return {
		confirm: async () => `A link is on its way to ${await requestConfirmation(viewer)}. It works for 10 minutes.`,
		test: async () => {
			await requestTestMail(viewer, readText(form, 'email'))
			return `A test mail is on its way to ${form.get('email')}. Follow the link in it.`
		},
		arrived: async () => `Mail arrives at ${await confirmTestMail(viewer, readText(form, 'token'))} again.`,
		resume: async () => {
			await resumeMails(viewer)
			return 'We email you notifications again.'
		},
	}
}

/** The buttons that change addresses, for which the identity has to be confirmed; each returns the notice to show. */
function changes(viewer: SignedIn, form: FormData, request: Request) {
	const address = readText(form, 'email')
	const confirmed = (change: () => Promise<string>) => async () => {
		await requireConfirmed(viewer, request)
		return change()
	}
	return {
		'': confirmed(
			async () =>
				`A link is on its way to ${await requestEmailChange(viewer, Object.fromEntries(form))}. It works for 10 minutes. Nothing changes until you follow it.`,
		),
		swap: confirmed(async () => {
			await swapEmails(viewer, address)
			return `Mails go to ${address} from now on.`
		}),
		remove: confirmed(async () => {
			await removeSecondEmail(viewer, address)
			return 'The address is no longer part of your account.'
		}),
		cancel: confirmed(async () => {
			await cancelEmailChange(viewer)
			return 'The link that we sent no longer works.'
		}),
		resend: confirmed(async () => `A new link is on its way to ${await resendEmail(viewer)}. It works for 10 minutes.`),
	}
}

export function meta({ matches }: Route.MetaArgs) {
	return pageMeta(matches, { title: 'Email addresses', hasToken: true })
}

export default function Email({ loaderData: { emails }, actionData }: Route.ComponentProps) {
	useRefusalToast(actionData)
	const { email, isConfirmed, mayConfirm, second, pending, problems, tested, domains } = emails
	return (
		<SettingsPage title="Email addresses">
			<p className="mt-2 max-w-read text-ink-2">
				You can log in and set a new password with any address listed here. Moderators, and the people your profile
				shows it to, see the first one; nobody sees the other.
			</p>
			{actionData?.values.intent && <FormError>{actionData.message}</FormError>}
			{tested === 'over' && <FormError>{EXPIRED_TEST_MAIL}</FormError>}
			{tested && tested !== 'over' && <ConfirmTestMail {...tested} />}
			<section className="mt-8" aria-labelledby="addresses">
				<SectionHeading id="addresses" title="Your addresses" />
				<Address email={email} note={isConfirmed ? 'Mails go here. Confirmed.' : 'Mails go here. Not confirmed yet.'}>
					{mayConfirm && (
						<button className="btn btn-sm btn-outline" type="submit" name="intent" value="confirm">
							Send a link to confirm it
						</button>
					)}
				</Address>
				{second && <Second email={second} />}
				{pending && <Pending {...pending} />}
				{problems.map((problem) => (
					<AddressProblemNotice key={problem.email} problem={problem} />
				))}
			</section>
			<section className="mt-10" aria-labelledby="change">
				<SectionHeading id="change" title="Change your address" />
				<NewEmail
					place="email"
					label="New address"
					refusal={actionData}
					hint={
						domains.length > 0
							? `An address of ${domains.join(', ')}. It takes the place of ${email}.`
							: `It takes the place of ${email}.`
					}
				/>
			</section>
			<section className="mt-10" aria-labelledby="personal">
				<SectionHeading id="personal" title={second ? 'Change your personal address' : 'Add a personal address'} />
				<p className="mt-2 max-w-read text-ink-2">
					A campus takes its mailbox back when you leave. With a personal address beside it you keep this account.
				</p>
				<NewEmail
					place="second_email"
					label="Personal address"
					refusal={actionData}
					hint={second ? `It takes the place of ${second}.` : 'Any address that will stay yours.'}
				/>
			</section>
		</SettingsPage>
	)
}

function Address({ email, note, children }: { email: string; note: string; children?: React.ReactNode }) {
	return (
		<div className="flex flex-wrap items-center gap-x-4 gap-y-2 border-b border-line py-3">
			<div className="min-w-0 flex-1 basis-60">
				<p className="font-semibold wrap-anywhere">{email}</p>
				<p className="meta">{note}</p>
			</div>
			{children && (
				<Form method="post" className="flex flex-wrap gap-2">
					{children}
				</Form>
			)}
		</div>
	)
}

function Second({ email }: { email: string }) {
	return (
		<Address email={email} note="You can log in with it, too.">
			{/* Another tab may have changed which address is the personal one. */}
			<input type="hidden" name="email" value={email} />
			<button className="btn btn-sm btn-outline" type="submit" name="intent" value="swap">
				Send mails here
			</button>
			<button
				className="btn btn-sm btn-ghost"
				type="submit"
				name="intent"
				value="remove"
				aria-label={`Remove ${email}`}
			>
				Remove
			</button>
		</Address>
	)
}

function Pending({ email, place }: NonNullable<EmailsView['pending']>) {
	const note =
		place === 'email'
			? 'It becomes your address once you follow the link that we sent to it. The link works for 10 minutes.'
			: 'It becomes your personal address once you follow the link that we sent to it. The link works for 10 minutes.'
	return (
		<Address email={email} note={note}>
			<button className="btn btn-sm btn-outline" type="submit" name="intent" value="resend">
				Send a new link
			</button>
			<button className="btn btn-sm btn-ghost" type="submit" name="intent" value="cancel">
				Cancel
			</button>
		</Address>
	)
}

interface NewEmailProps {
	place: EmailSlot
	label: string
	hint: string
	/** The error of this form, if it was the one submitted. */
	refusal: FormRefusal | undefined
}

function NewEmail({ place, label, hint, refusal }: NewEmailProps) {
	const mine = refusal?.values.place === place ? refusal : undefined
	return (
		<Form method="post" className="mt-4 grid max-w-sm gap-5" noValidate>
			<FormError errors={mine?.errors} names={{ email: label }}>
				{mine?.message}
			</FormError>
			<input type="hidden" name="place" value={place} />
			<Field
				id={`new-${place}`}
				label={label}
				name="email"
				type="email"
				autoComplete="email"
				required
				defaultValue={mine?.values.email}
				error={mine?.errors.email}
				hint={hint}
			/>
			<p>
				<SubmitButton busyLabel="Sending..." className={place === 'email' ? 'btn btn-primary' : 'btn btn-outline'}>
					Send a link
				</SubmitButton>
			</p>
		</Form>
	)
}
