import { z } from 'zod'
import { checkboxSetting, secretSetting, settingSection, textSetting } from '~/platform/settings/setting.ts'
import { hasAdminWithIssuer } from './identities.queries.server.ts'
import { discover, ProviderRefused, testProvider } from './oidc.server.ts'
import { isSafeAddress, ProviderUnreachable } from './provider-fetch.server.ts'
import {
	createsAccountsSetting,
	fieldError,
	noAdminError,
	onlyLoginSetting,
	roleSettings,
	sessionCheckSettings,
	trustsEmailSetting,
} from './shared-settings.ts'

/* Settings of the login methods besides the password. */

const claim = (label: string, hint: string, name: string) => textSetting({ label, hint, default: name, maxLength: 80 })

/** The campus login by OpenID Connect. */
export const campusSection = settingSection({
	name: 'campus-login',
	title: 'Campus login',
	about:
		'Members log in with their account at the university, by OpenID Connect. Its computing centre gives you the first three values below, and needs the address of this site’s callback: the address of this site, followed by /login/campus/callback. To end sessions here when they end there, it also needs the back-channel logout URL: the address of this site, followed by /login/campus/backchannel-logout.',
	isSensitive: true,
	settings: {
		isOn: checkboxSetting({ label: 'Offer the campus login' }),
		label: textSetting({ label: 'On the button', default: 'Log in with your campus account', maxLength: 40 }),
		issuer: textSetting({
			label: 'Issuer',
			hint: 'The address of the university’s login service, such as https://login.campus.example. It is asked before anything is saved.',
		}),
		clientId: textSetting({ label: 'Client id' }),
		clientSecret: secretSetting({ label: 'Client secret' }),
		scope: textSetting({
			label: 'Scope',
			hint: 'The scopes that the site requests. Add offline_access if the login service needs it to tell who has left.',
			default: 'openid profile email',
			schema: z.string().refine((text) => text.split(/\s+/).includes('openid'), 'The scope has to name openid.'),
		}),
		trustsEmail: trustsEmailSetting('so nobody can log in with that of somebody else.'),
		registers: createsAccountsSetting('the campus login'),
		...sessionCheckSettings('the login service is asked again whether they still have an account there.'),
		nameClaim: claim('Claim with the name', 'What the login service calls it.', 'name'),
		usernameClaim: claim('Claim with the username', 'What the login service calls it.', 'preferred_username'),
		emailClaim: claim('Claim with the email address', 'What the login service calls it.', 'email'),
		roleClaim: claim('Claim with the role', 'Leave it empty if no claim tells students and staff apart.', ''),
		...roleSettings,
		requiredClaim: claim(
			'Claim that members must have',
			'Nobody else can log in, and whoever has lost it loses access once the login service tells of it. Needed where anybody can have an account with the issuer: hd for Google, tid for Microsoft.',
			'',
		),
		requiredValue: textSetting({
			label: 'Value of that claim',
			hint: 'Such as campus.example, or the id of your directory.',
		}),
		onlyWay: onlyLoginSetting('a password', 'the campus login'),
	},
	async check(values) {
		if (!values.isOn) {
			if (values.onlyWay) throw fieldError('onlyWay', 'A login that is not set up cannot be the only one.')
			return
		}
		for (const name of ['label', 'issuer', 'clientId'] as const)
			if (values[name] === '') throw fieldError(name, 'The campus login needs this.')
		if (values.clientSecret === '') throw fieldError('password-clientSecret', 'The campus login needs this.')
		if (!isSafeAddress(values.issuer)) throw fieldError('issuer', 'Enter an address that begins with https://.')
		const { requiredClaim, requiredValue } = values
		if (requiredClaim !== '' && requiredValue === '')
			throw fieldError('requiredValue', 'Enter the value of that claim.')
		if (requiredClaim === '' && isOpenToAnybody(values.issuer))
			throw fieldError(
				'requiredClaim',
				'Anybody can have an account with this issuer. Name the claim that tells who belongs to your university: hd for Google, tid for Microsoft.',
			)
		await withFieldErrors('issuer', 'password-clientSecret', () => testProvider('campus', values))
	},
	async guard(values, trx) {
		if (!values.onlyWay) return
		const { issuer } = (await discover(values)).serverMetadata()
		if (!(await hasAdminWithIssuer(trx, issuer))) throw noAdminError('the campus login')
	},
})

/** The directories of Microsoft that anybody can belong to, the last one by its id. */
const openDirectory = /^(common|organizations|consumers|9188040d-6c67-4c5b-b112-36a304b66dad)$/i

/** Whether an issuer is one of those with which anybody can have an account: Google, and Microsoft without a directory of the campus. */
export function isOpenToAnybody(issuer: string): boolean {
	const { hostname, pathname } = new URL(issuer)
	const [, directory = ''] = pathname.split('/')
	return (
		hostname === 'accounts.google.com' || (hostname === 'login.microsoftonline.com' && openDirectory.test(directory))
	)
}

/** GitHub, Google and Microsoft. */
export const otherLoginsSection = settingSection({
	name: 'other-logins',
	title: 'Login with GitHub, Google, Microsoft',
	about:
		'Each is offered as soon as it has a client id and a secret. You get both where the service lists its apps, and tell it the address of this site’s callback: the address of this site, followed by /login/github/callback, /login/google/callback or /login/microsoft/callback.',
	isSensitive: true,
	settings: {
		githubId: textSetting({ label: 'GitHub: client id' }),
		githubSecret: secretSetting({ label: 'GitHub: client secret' }),
		githubAddress: textSetting({
			label: 'GitHub: address',
			hint: 'That of your own GitHub Enterprise Server, if you have one.',
			default: 'https://github.com',
			schema: z
				.string()
				.refine(isSafeAddress, 'Enter an address that begins with https://.')
				.transform((address) => new URL(address).origin),
		}),
		googleId: textSetting({ label: 'Google: client id' }),
		googleSecret: secretSetting({ label: 'Google: client secret' }),
		microsoftTenant: textSetting({
			label: 'Microsoft: directory (tenant) id',
			hint: 'The id of your university’s directory in Entra. Only its members can log in.',
			schema: z.string().regex(/^([\w-]+(\.[\w-]+)*)?$/, 'Enter the id of the directory, or its domain.'),
		}),
		microsoftId: textSetting({ label: 'Microsoft: client id' }),
		microsoftSecret: secretSetting({ label: 'Microsoft: client secret' }),
		registers: checkboxSetting({
			label: 'New people get an account',
			hint: 'With their first login, if their address is one that may register here. Otherwise members link these in their settings.',
			default: true,
		}),
	},
	async check(values) {
		const { googleId: id, googleSecret: secret, microsoftTenant: tenant, microsoftId, microsoftSecret } = values
		if (microsoftId !== '' && (tenant === '' || openDirectory.test(tenant)))
			throw fieldError('microsoftTenant', 'Enter the id of your own directory.')
		if (id !== '' && secret !== '')
			await withFieldErrors('googleId', 'password-googleSecret', () =>
				testProvider('google', googleSettings(id, secret)),
			)
		if (microsoftId !== '' && microsoftSecret !== '')
			await withFieldErrors('microsoftTenant', 'password-microsoftSecret', () =>
				testProvider('microsoft', microsoftSettings(tenant, microsoftId, microsoftSecret)),
			)
	},
})

const scope = 'openid profile email'

/** The OpenID Connect settings of Google. */
export function googleSettings(clientId: string, clientSecret: string) {
	return { issuer: 'https://accounts.google.com', clientId, clientSecret, scope }
}

/** The OpenID Connect settings of Microsoft Entra. @param tenant id or domain of the directory */
export function microsoftSettings(tenant: string, clientId: string, clientSecret: string) {
	return { issuer: `https://login.microsoftonline.com/${tenant}/v2.0`, clientId, clientSecret, scope }
}

/** Runs a test of a provider; its error is shown at the field concerned. */
async function withFieldErrors(address: string, secret: string, look: () => Promise<void>): Promise<void> {
	try {
		await look()
	} catch (error) {
		if (error instanceof ProviderUnreachable)
			throw fieldError(
				address,
				'Nothing answered at this address within a few seconds. Is it spelt right, and can this server reach it?',
			)
		if (!(error instanceof ProviderRefused)) throw error
		const isClient = error.code === 'invalid_client' || error.code === 'unauthorized_client'
		if (isClient) throw fieldError(secret, 'The login service does not know this client id with this secret.')
		throw fieldError(
			address,
			'The server at this address is not the login service of this issuer. Copy the issuer exactly as in its description (/.well-known/openid-configuration).',
		)
	}
}
