import { FilterParser } from 'ldapts'
import { z } from 'zod'
import { checkboxSetting, secretSetting, settingSection, textSetting } from '~/platform/settings/setting.ts'
import { hasAdminWithIssuer } from './identities.queries.server.ts'
import { InvalidLdapSetting, ldapIssuer, testLdap } from './ldap.server.ts'
import { ProviderRefused } from './oidc.server.ts'
import { ProviderUnreachable } from './provider-fetch.server.ts'
import {
	createsAccountsSetting,
	fieldError,
	noAdminError,
	onlyLoginSetting,
	roleSettings,
	sessionCheckSettings,
	trustsEmailSetting,
} from './shared-settings.ts'

const attribute = (label: string, name: string, hint?: string) =>
	textSetting({
		label,
		...(hint === undefined ? {} : { hint }),
		default: name,
		maxLength: 80,
		schema: z.string().regex(/^([A-Za-z][A-Za-z0-9-]*)?$/, 'Enter the name of an attribute, such as mail.'),
	})

/** The settings of the login by LDAP. */
export const ldapSection = settingSection({
	name: 'directory-login',
	title: 'Login by LDAP',
	about:
		'Members log in with the username and password that the directory of the university knows. Prefer the campus login, if there is one: this site then never sees the password.',
	isSensitive: true,
	settings: {
		isOn: checkboxSetting({ label: 'Offer the login by LDAP' }),
		label: textSetting({ label: 'On the button', default: 'Log in with your university account', maxLength: 40 }),
		address: textSetting({
			label: 'Address',
			hint: 'Such as ldaps://ldap.campus.example. It is asked before anything is saved.',
		}),
		startTls: checkboxSetting({
			label: 'Encrypt ldap:// by StartTLS',
			hint: 'May be off for a directory on this machine only.',
			default: true,
		}),
		baseDn: textSetting({
			label: 'Base DN',
			hint: 'The entry that contains all people, such as ou=people,dc=campus,dc=example.',
		}),
		bindDn: textSetting({
			label: 'Bind DN',
			hint: 'The account used for searching. Leave it empty if anonymous searches are allowed.',
		}),
		bindPassword: secretSetting({ label: 'Bind password' }),
		userFilter: textSetting({
			label: 'User filter',
			hint: 'Finds a person by {username}. Add a condition for the people who may log in here.',
			default: '(uid={username})',
			maxLength: 1_000,
			schema: z
				.string()
				.refine((text) => text.includes('{username}'), 'The filter must contain {username}.')
				.refine(isFilter, 'This is not an LDAP filter. Are its brackets closed?'),
		}),
		subjectAttribute: attribute(
			'Attribute that never changes',
			'entryUUID',
			'An attribute that is never reassigned: entryUUID, objectGUID in Active Directory, or a personal number such as employeeNumber.',
		),
		nameAttribute: attribute('Attribute with the name', 'cn'),
		usernameAttribute: attribute('Attribute with the username', 'uid'),
		emailAttribute: attribute('Attribute with the email address', 'mail'),
		roleAttribute: attribute(
			'Attribute with the role',
			'',
			'Leave it empty if no attribute tells students and staff apart.',
		),
		...roleSettings,
		trustsEmail: trustsEmailSetting('and nobody changes their own in the directory.'),
		registers: createsAccountsSetting('it'),
		...sessionCheckSettings('the directory is asked again whether it still has them.'),
		onlyWay: onlyLoginSetting('a password of this site', 'LDAP'),
	},
	async check(values) {
		if (!values.isOn) return
		for (const name of ['label', 'address', 'baseDn', 'subjectAttribute', 'emailAttribute'] as const)
			if (values[name] === '') throw fieldError(name, 'Login with LDAP needs this.')
		if (values.bindDn !== '' && values.bindPassword === '')
			throw fieldError('password-bindPassword', 'The bind DN needs its password.')
		requireSafeDirectory(values)
		await withFieldErrors(() => testLdap(values))
	},
	async guard(values, trx) {
		if (values.isOn && values.onlyWay && !(await hasAdminWithIssuer(trx, ldapIssuer(values))))
			throw noAdminError('LDAP')
	},
})

function isFilter(text: string): boolean {
	try {
		FilterParser.parseString(text.replaceAll('{username}', 'x'))
		return true
	} catch {
		return false
	}
}

/** @throws Invalid if passwords would be sent to the directory in plain text */
function requireSafeDirectory({ address, startTls }: { address: string; startTls: boolean }): void {
	const url = URL.parse(address)
	const isDirectory = url !== null && /^ldaps?:$/.test(url.protocol) && url.hostname !== ''
	if (!isDirectory || url.username || url.password || !/^\/?$/.test(url.pathname) || url.search)
		throw fieldError('address', 'Enter an address that begins with ldaps:// or ldap://, without a path.')
	const isHere = /^(localhost|127\.0\.0\.1|\[::1\])$/.test(url.hostname)
	if (url.protocol === 'ldap:' && !startTls && !isHere)
		throw fieldError('startTls', 'Passwords would be sent in plain text. Turn on StartTLS, or use ldaps://.')
}

/** Runs a test of the directory; its error is shown at the field concerned. */
async function withFieldErrors(look: () => Promise<void>): Promise<void> {
	try {
		await look()
	} catch (error) {
		if (error instanceof InvalidLdapSetting)
			throw fieldError(error.setting === 'bindPassword' ? 'password-bindPassword' : error.setting, error.message)
		if (error instanceof ProviderRefused)
			throw fieldError('address', 'The directory refuses the request. Does it require TLS, or a bind DN?')
		if (!(error instanceof ProviderUnreachable)) throw error
		const { code = '' } = (error.cause ?? {}) as { code?: unknown }
		if (/CERT|SELF_SIGNED|ALTNAME|VERIFY/.test(String(code)))
			throw fieldError(
				'address',
				'This server does not trust the certificate of the directory. Add its certificate authority to NODE_EXTRA_CA_CERTS.',
			)
		throw fieldError(
			'address',
			'No directory answered at this address within a few seconds. Is it spelt right, and can this server reach it?',
		)
	}
}
